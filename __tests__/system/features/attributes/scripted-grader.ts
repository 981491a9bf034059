import type { RatingTools } from '../../../../src/features/attributes/affinity.ts';
import type { Completion, Request } from '../../../../src/types/model.ts';
import { answer } from '../../../unit/app/run/builders.ts';
import { sha256 } from './solvers.ts';

/**
 * Replies of a grader per kind of prompt. A missing one is an error in the test. A string is the
 * raw reply.
 */
export interface Script {
  attributes?(examples: string[]): unknown;
  merged?(proposals: { name: string; explanation: string }[], request: Request): unknown;
  affinity?(text: string, attributes: { id: string; name: string }[]): unknown;
  /** `attribute`: its sentence with its figures. */
  insights?(attribute: string, materials: Map<string, string>): unknown;
}

/** The fenced material of a prompt by name, using the delimiters from the system message. */
export function materials(request: Request): Map<string, string> {
  const [system, user] = request.messages.map(({ content }) => content);
  const delimiter = /<<<NAME (\S+)>>>/.exec(system ?? '')?.[1] ?? '';
  const fence = new RegExp(`^<<<(.+) ${delimiter}>>>\n([^]*?)\n<<<end ${delimiter}>>>`, 'gm');
  return new Map([...(user ?? '').matchAll(fence)].map(([, name = '', text = '']) => [name, text]));
}

const lines = (text: string | undefined) =>
  (text ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as never);

/** Proposals also state the task. */
function withTask(reply: unknown) {
  return typeof reply === 'object' && reply !== null && 'domains' in reply
    ? { task: 'It answers questions.', ...reply }
    : reply;
}

/** A scripted grader and the tools to ask it. `asked` records every request. */
export function scripted(script: Script): {
  tools: RatingTools;
  asked: Request[];
} {
  const asked: Request[] = [];
  const reply = (request: Request) => {
    const given = materials(request);
    switch (request.schema?.name) {
      case 'attributes':
        return withTask(script.attributes?.([...given.values()].slice(1)));
      case 'merged':
        return script.merged?.(lines(given.get('proposals')), request);
      case 'affinity':
        return script.affinity?.(given.get('case') ?? '', [
          ...lines(given.get('domains')),
          ...lines(given.get('sub-tasks')),
        ]);
      case 'insights':
        return script.insights?.(given.get('attribute') ?? '', given);
      default:
        throw new Error('an unknown question');
    }
  };
  const complete = (request: Request) => {
    asked.push(request);
    const given = reply(request);
    if (given === undefined)
      throw new Error(`the script has no answer to ${request.schema?.name ?? ''}`);
    return Promise.resolve(
      isFailure(given) ? given : answer(typeof given === 'string' ? given : JSON.stringify(given)),
    );
  };
  return {
    asked,
    tools: {
      task: null,
      complete,
      grader: {
        target: { provider: 'openai', endpoint: null, model: 'judge' },
        parameters: { temperature: 0 },
      },
      random: (purpose) => sha256(purpose).slice(0, 24),
    },
  };
}

export function failure(message: string): Completion {
  return { status: 'error', kind: 'server', message };
}

function isFailure(value: unknown): value is Completion {
  return (
    typeof value === 'object' && value !== null && 'status' in value && value.status === 'error'
  );
}

export const named = (...names: string[]): { name: string; explanation: string }[] =>
  names.map((name) => ({ name, explanation: `About ${name}.` }));
