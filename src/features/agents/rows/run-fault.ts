import { parseMap } from '../../../types/plain.ts';
import type { InsideRun } from '../workspace/run.ts';
import type { AgentRow } from './agent-row.ts';
import { mapIn, textIn } from './fields.ts';
import type { Transcript } from './transcript.ts';

export function runFault(
  { name, npm }: Pick<AgentRow, 'name' | 'npm'>,
  { ended, code, stderr }: Pick<InsideRun, 'ended' | 'code' | 'stderr'>,
  { end, last }: Pick<Transcript, 'end' | 'last'>,
  minutes: number,
): string | null {
  if (ended !== 'exit' && ended !== 'input') return `${name} ${LIMIT_PATTERNS[ended](minutes)}`;
  if (end?.ok === true || (end === null && code === 0 && npm === null)) return null;
  const lines = stderr.trim().split('\n');
  const line = lines.find((each) => /\berror:/i.test(each)) ?? lines.at(-1) ?? '';
  return runFailure(name, code, [end?.why ?? '', line, last]);
}

function runFailure(name: string, code: number | null, said: readonly string[]): string {
  const pinned = `write only \`agent: ${name}\` for the version that evaldiff is tested with`;
  const reported = said.find((text) => text !== '') ?? '';
  // CLIs print the vendor's whole JSON error.
  const reason = textIn(mapIn(parseMap(reported), 'error'), 'message') ?? reported;
  if (LOGIN.test(said.join('\n')))
    return `${name} asks for a login instead of using the gateway: ${reason}; ${pinned}`;
  if (code === 126 || code === 127) return `${name} cannot be started: ${reason}`;
  if (reason === '') return `${name} ended without the report that evaldiff reads; ${pinned}`;
  return `${name} ended with an error${code ? ` (exit code ${code})` : ''}: ${reason}`;
}

const LIMIT_PATTERNS = {
  time: (minutes: number) =>
    `did not finish within ${minutes} minutes; raise \`limits.minutes\` or make the task smaller`,
  output: () => 'printed more than 32 MB',
  size: () => 'made its workspace larger than 1 GB',
  stopped: () => 'was stopped',
};

const LOGIN =
  /\b(?:log ?in|sign in|auth(?:entication|_required| method| required)|not logged in)\b/i;
