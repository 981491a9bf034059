import type { Part, Step } from '../../types/answer.ts';
import { NOT_MADE_MESSAGES, type Completion } from '../../types/model.ts';
import { parseMap } from '../../types/plain.ts';
import type { CheckResult } from '../../wording/agent-runs.ts';
import type { RunFailure, RunRecord } from './gateway/terms.ts';
import type { AgentRow } from './rows/agent-row.ts';
import { mapIn, textIn } from './rows/fields.ts';
import { skillsUsed, type Transcript } from './rows/transcript.ts';
import { factsPart, type AgentFacts, type AgentSpec } from './suite/spec.ts';
import type { Change } from './workspace/changes.ts';
import type { InsideRun } from './workspace/run.ts';

interface FinishedRun {
  row: AgentRow;
  spec: AgentSpec;
  version: string | null;
  ended: InsideRun;
  seconds: number;
  record: RunRecord;
  transcript: Transcript;
  changes: readonly Change[];
  watched: AgentFacts['watched'];
  checks: readonly CheckResult[];
  context: number;
  read: NonNullable<AgentFacts['read']>;
  isTrigger: boolean;
}

export function runCompletion(run: FinishedRun): Completion {
  const { record } = run;
  const { attempts, spent } = record;
  const stop = runEnd(run);
  if ('kind' in stop) return failedRun(stop, record);
  const steps = isReported(run) ? run.transcript.steps : record.steps;
  const { cached } = record.whole;
  const end = steps.at(-1);
  const isLastSaid = end?.type === 'message' && end.text.trim() === run.transcript.last;
  return {
    status: 'ok',
    served: record.served,
    parts: runParts(run, stop.ended, steps),
    ended: stop.ended === 'turns' || stop.ended === 'usd' ? 'length' : 'stop',
    usage: record.whole.usage,
    ...(cached !== undefined && { cached }),
    latency_ms: record.replayed > 0 ? null : Math.round(run.seconds * 1000),
    steps: isLastSaid ? steps.slice(0, -1) : steps,
    reused: false,
    attempts,
    ...(spent.usage !== null && { paid: spent }),
  };
}

export function failedRun(why: RunFailure, { attempts, spent }: RunRecord): Completion {
  return {
    status: 'error',
    ...why,
    attempts,
    ...(spent.usage !== null && { spent: [spent] }),
    ...(attempts === 0 && { unsent: true as const }),
  };
}

/**
 * The gateway's record is the transcript. Without tools in any request, a custom agent has its own
 * way of calling them, and only its report shows the calls.
 */
function isReported({ row, record }: FinishedRun): boolean {
  return row.npm === null && !record.hasTools;
}

/** Trusts the gateway's record more than the CLI, which may report success after a refused call. */
function runEnd(run: FinishedRun): { ended: AgentFacts['ended'] } | RunFailure {
  const { record, row, isTrigger } = run;
  const unmade = unmadeCall(run);
  if (unmade !== null) return unmade;
  if (isTrigger && record.isDecided) return { ended: 'decided' };
  const killed = killedBy(run);
  if (killed !== null) return killed;
  for (const limit of ['turns', 'usd'] as const)
    if (record.refused.some(({ why }) => why === limit)) return { ended: limit };
  if (record.failure !== null) return record.failure;
  const message = faultOf(run);
  if (message !== null) return failureBehind(message, record);
  return isTrigger
    ? { kind: 'program', message: `${row.name} ended without calling its model` }
    : { ended: 'done' };
}

function failureBehind(message: string, { refused }: RunRecord): RunFailure {
  const upstream = refused.findLast(({ why }) => why === 'upstream');
  if (upstream?.why === 'upstream') return { kind: upstream.kind, message: upstream.message };
  const last = refused.at(-1);
  const detail = last === undefined ? '' : ` (refused: ${last.message})`;
  return { kind: 'program', message: `${message}${detail}` };
}

function unmadeCall({ record, row, version }: FinishedRun): RunFailure | null {
  const { refused } = record;
  const content = refused.find(({ why }) => why === 'content');
  if (content !== undefined)
    return {
      kind: 'program',
      message: `${[row.name, version ?? []].flat().join(' ')}: ${content.message}`,
    };
  if (refused.some(({ why }) => why === 'budget'))
    return { kind: 'budget', message: NOT_MADE_MESSAGES.budget };
  const offline = refused.find(({ why }) => why === 'offline');
  return offline === undefined
    ? null
    : { kind: 'recording', message: `${offline.message}; run once without EVALDIFF_OFFLINE` };
}

function killedBy(run: FinishedRun): RunFailure | null {
  const { ended } = run.ended;
  if (ended === 'exit' || ended === 'input') return null;
  if (ended === 'stopped') return { kind: 'aborted', message: NOT_MADE_MESSAGES.aborted };
  return { kind: ended === 'time' ? 'timeout' : 'program', message: faultOf(run) ?? ended };
}

function faultOf({ row, spec, transcript, ended }: FinishedRun): string | null {
  return runFault(row, ended, transcript, spec.limits.minutes);
}

/** In characters (UTF-16), for one file's diff and for all diffs together. */
const MAX_DIFF = 60_000;
const MAX_DIFFS = 500_000;

function runParts(run: FinishedRun, ended: AgentFacts['ended'], steps: readonly Step[]): Part[] {
  const { transcript, record, changes, ended: inside } = run;
  const text = run.isTrigger ? '' : transcript.last;
  const shown = changes.filter(({ left }) => left !== 'setup');
  let room = MAX_DIFFS;
  const files = shown.map(({ path, diff }): Part => {
    const cut = diff.slice(0, Math.max(0, Math.min(MAX_DIFF, room)));
    room -= cut.length;
    return { type: 'file', path, diff: cut.length < diff.length ? `${cut}\n…\n` : cut };
  });
  const leaks = [
    ...(record.isCanarySeen ? ['a request'] : []),
    ...(inside.isCanarySeen ? ['the output'] : []),
    ...changes.filter(({ isCanarySeen }) => isCanarySeen).map(({ path }) => path),
  ];
  const facts = factsPart({
    version: run.version,
    ended,
    turns: record.calls,
    calls: steps.filter(({ type }) => type === 'tool_call').length,
    ...(isReported(run) && { reported: true }),
    replies: record.replies,
    models: record.models,
    requests: record.requests,
    seconds: record.replayed > 0 ? null : Math.round(run.seconds * 10) / 10,
    usd: record.whole.usd,
    context: run.context,
    ...(Object.keys(run.read).length !== 0 && { read: run.read }),
    files: shown.map(({ path, kind }) => ({ path, kind })),
    watched: run.watched,
    checks: run.checks,
    skills: skillsUsed(run.row, steps),
    ...(run.row.npm === null &&
      run.spec.skillTool === undefined && { isSkillToolUnknown: true as const }),
    leaks,
  });
  return [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...files, facts];
}

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
