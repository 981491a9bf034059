import { parseMap } from '../../../types/plain.ts';
import type { AgentRow } from './agent-row.ts';
import { mapIn } from './fields.ts';
import type { Transcript } from './transcript.ts';

interface EndedRun {
  /** Null: killed. */
  code: number | null;
  timedOut: boolean;
  stderr: string;
}

/**
 * Why a run is an error rather than an answer, with the fix. Null: the agent finished. If the
 * gateway refused a call, its reason is better: some CLIs report success after a refusal.
 */
export function runFault(
  row: AgentRow,
  run: EndedRun,
  transcript: Pick<Transcript, 'end' | 'last'>,
  minutes: number,
): string | null {
  const { end, last } = transcript;
  if (run.timedOut)
    return `${row.name} did not finish within ${minutes} minutes; raise \`limits.minutes\` or make the task smaller`;
  if (end?.ok === true || (end === null && run.code === 0 && row.npm === null)) return null;
  const errors = run.stderr.trim().split('\n');
  return failure(row.name, run.code, [
    end?.why ?? '',
    errors.at(-1) ?? '',
    end === null ? '' : last,
  ]);
}

function failure(name: string, code: number | null, said: readonly string[]): string {
  const pinned = `write only \`agent: ${name}\` for the version that evaldiff is tested with`;
  const reason = plainReason(said.find((text) => text !== '') ?? 'it printed no reason');
  if (LOGIN.test(said.join('\n')))
    return `${name} asks for a login instead of using the gateway: ${reason}; ${pinned}`;
  if (code === 126 || code === 127) return `${name} cannot be started: ${reason}`;
  // A vendor's CLI always reports its end, so a missing report is a new format.
  if (code === 0 && said.every((text) => text === ''))
    return `${name} ended without the report that evaldiff reads; ${pinned}`;
  const exit = code === null ? ' (killed)' : code === 0 ? '' : ` (exit code ${code})`;
  return `${name} ended with an error${exit}: ${reason}`;
}

/** CLIs print the vendor's JSON body as the reason. */
function plainReason(text: string): string {
  const message = mapIn(parseMap(text) ?? {}, 'error')['message'];
  return typeof message === 'string' ? message : text;
}

const LOGIN =
  /\b(?:log ?in|sign in|auth(?:entication|_required| method| required)|not logged in)\b/i;
