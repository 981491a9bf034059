/**
 * Scripted models for dialogues: what the assistant says and how evaluators judge, without a
 * network.
 */
import type { CriterionWord } from '../../../src/result/conversations.ts';
import type { Evaluator } from '../../../src/select/conversation-rules.ts';
import { nameEvaluators } from '../../../src/select/conversation-rules.ts';
import { steeringOf, type Steering } from '../../../src/select/conversation-rules.ts';
import type { Conversation } from '../../../src/suite/suite.ts';
import type { Completion, Request } from '../../../src/types/model.ts';
import { answer } from '../run/builders.ts';

const place = { file: 'prompts/tests/p.yaml', line: 3 };

export function conversation(
  changes: Partial<Conversation> & { models?: string[] } = {},
): Conversation {
  const { models = ['judge'], ...rest } = changes;
  return {
    max_steps: 3,
    evaluators: models.map((model) => ({ model, parameters: {}, place })),
    criteria: [
      { name: 'understanding', combine: 'all' },
      { name: 'correctness', combine: 'all' },
      { name: 'completeness', combine: 'any' },
    ],
    instructions: null,
    examples: [],
    place,
    ...rest,
  };
}

export function evaluatorsOf(of: Conversation): Evaluator[] {
  return nameEvaluators(
    of.evaluators,
    of.evaluators.map(({ model }) => ({ provider: 'openai' as const, endpoint: null, model })),
  );
}

export function steering(changes: Parameters<typeof conversation>[0] = {}): Steering {
  const of = conversation(changes);
  return steeringOf(of, evaluatorsOf(of));
}

/** An evaluator's reply in the asked form; `words` has a letter per criterion: y, n or u. */
export function verdict(
  words: string,
  follow_up = '',
  analysis = 'Because.',
  names: readonly string[] = ['understanding', 'correctness', 'completeness'],
): string {
  const meaning: Record<string, CriterionWord> = { y: 'yes', n: 'no', u: 'unknown' };
  return JSON.stringify({
    analysis,
    ...Object.fromEntries(names.map((name, index) => [name, meaning[words[index] ?? 'u']])),
    follow_up,
  });
}

/** A model that records what it is asked; a thrown text is a failed call. */
export function scripted(reply: (request: Request) => string) {
  const requests: Request[] = [];
  const complete = async (request: Request): Promise<Completion> => {
    requests.push(request);
    try {
      return answer(reply(request));
    } catch (error) {
      return { status: 'error', kind: 'timeout', message: String(error) };
    }
  };
  const by = (purpose: Request['purpose']): Request[] =>
    requests.filter((request) => request.purpose === purpose);
  return { complete, requests, by };
}

/** How many answers the dialogue has that an evaluator is shown. */
export function answersShown(request: Request): number {
  return request.messages.at(-1)?.content.match(/^<<<answer /gm)?.length ?? 0;
}

/** Differs for every text, as the product's own does. */
export const random = (purpose: string): string =>
  `D${[...purpose].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 7).toString(16)}`;
