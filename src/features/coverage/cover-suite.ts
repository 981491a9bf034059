import type { ComparedRun, FeatureTools } from '../../app/run/feature.ts';
import type { SuiteRow } from '../../kernel/judge/suite-row.ts';
import {
  countingRuns,
  type ReferenceRun,
  type SuiteComparison,
  type SuiteRun,
  type Try,
} from '../../kernel/plan/suite-run.ts';
import type { TryResult } from '../../kernel/result/reference-result.ts';
import { fingerprintOf } from '../../kernel/select/affected-suite.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import type { PlannedFeature } from '../../money/feature-plan.ts';
import { answerText } from '../../report/answers/text.ts';
import { promptKey } from '../../report/sections/order.ts';
import type { FixFound } from '../../trials/fix.ts';
import { promptLines, promptTexts } from '../../trials/line-units.ts';
import type { PromptChange } from '../../trials/prompt-units.ts';
import { NOTHING_READ, readSideFiles } from '../../trials/side-files.ts';
import { wordSimilarity } from '../../trials/text-units.ts';
import {
  attemptBy,
  callsPerTry,
  countCalls,
  extraResults,
  type CallCounter,
  type TryTools,
} from '../../trials/tries.ts';
import { takesOverlay, type Grader } from '../../types/model.ts';
import { jsonText } from '../../types/plain.ts';
import { draftTest } from './draft-test.ts';
import type { SuiteCoverage } from './result.ts';
import {
  coverLines,
  type AskWithout,
  type CoverAnswer,
  type CoverInput,
  type Covered,
} from './search.ts';

/** Lines of a suite for which a test is drafted. */
export const MOST_DRAFTED = 3;

/** Null if the suite has no prompt on head, or no test, or no line changed. */
export function linesToCover(
  { run: { suite } }: Pick<SuiteComparison, 'run'>,
  scope: SuiteCoverage['scope'],
  read = NOTHING_READ,
): ReturnType<typeof promptLines> | null {
  const { base, head, references } = suite;
  if (head === null || references.length === 0) return null;
  if (scope === 'changed' && takesOverlay(head.variant.target))
    return { units: null, reason: 'only evaldiff cover examines instruction files of agents' };
  const known = scope === 'changed' && base !== null ? promptTexts(base) : new Set<string>();
  const lines = promptLines(head, read, (text) => !known.has(text));
  return scope === 'changed' && lines.units?.length === 0 ? null : lines;
}

/** The references whose answers count and that the prompt's lines can change. */
export function coverableRuns(comparison: SuiteComparison): ReferenceRun[] {
  return countingRuns(comparison).filter(({ affected: { head } }) => head?.kind === 'request');
}

/** Whether base is head without these lines, so that its answers show what they do together. */
export function isBaseWithout(runs: readonly ReferenceRun[], lines: PromptChange): boolean {
  return runs.every(
    ({ affected }) =>
      affected.base !== null &&
      fingerprintOf(lines.generation(affected, new Set())) === fingerprintOf(affected.base),
  );
}

export type CoverTools = FeatureTools &
  Pick<TryTools, 'price'> & { grader: Grader | null; unasked: string | null };

export interface CallLimits {
  most: number;
  /** The calls that were announced, by {@link promptKey}. Absent: equal shares. */
  announced?: ReadonlyMap<string, number>;
}

/** Each suite may use its share of the calls, and what earlier suites left. */
export async function inShares<Found extends { calls: number }>(
  rows: readonly SuiteRow[],
  { most, announced }: CallLimits,
  tools: FeatureTools,
  work: (row: SuiteRow, room: number) => Promise<Found>,
): Promise<Found[]> {
  if (tools.isPreview === true) return [];
  const shareOf = ({ comparison }: SuiteRow): number =>
    announced?.get(promptKey(comparison.run.suite)) ?? 0;
  const found: Found[] = [];
  for (const [index, row] of rows.entries()) {
    const left = most - sum(found.map(({ calls }) => calls));
    const later = sum(rows.slice(index + 1).map(shareOf));
    const room =
      announced === undefined ? Math.ceil(left / (rows.length - index)) : Math.max(0, left - later);
    found.push(await work(row, tools.spent.halted() === null ? room : 0));
  }
  return found;
}

/** For outside contributors, no model drafts anything. */
export function coverTools(
  { asker }: PlannedFeature<CallLimits>,
  { price, emptyResult: { trust } }: ComparedRun,
  tools: FeatureTools,
): CoverTools {
  const grader = trust === 'untrusted' ? null : (asker?.grader ?? null);
  return { ...tools, price, grader, unasked: asker?.unasked ?? null };
}

export async function coverSuites(
  plan: PlannedFeature<CallLimits>,
  run: ComparedRun,
  scope: SuiteCoverage['scope'],
  tools: FeatureTools,
): Promise<SuiteCoverage[]> {
  const asked = run.rows.filter(({ comparison }) => linesToCover(comparison, scope) !== null);
  const own = coverTools(plan, run, tools);
  return inShares(asked, plan.own, tools, async ({ comparison }, room) => {
    const { path, name, variant } = comparison.run.suite;
    const blank = { path, suite: name, variant, scope, lines: [], unsteady: [], calls: 0 };
    const bench = await coverBench(comparison, scope, room, own);
    if (typeof bench === 'string') return { ...blank, reason: bench };
    return { ...blank, ...(await searchLines(bench, own)) };
  });
}

export const NONE_JUDGED = 'no answer of its tests was judged';

type CoverBench = Exclude<Awaited<ReturnType<typeof coverBench>>, string>;

/** Returns a reason, as a clause, if there is nothing to ask. */
export async function coverBench(
  comparison: SuiteComparison,
  scope: SuiteCoverage['scope'],
  room: number,
  tools: CoverTools,
) {
  const { run } = comparison;
  const read = await readSideFiles([run.suite], tools.sources);
  const lines = linesToCover(comparison, scope, read);
  const runs = coverableRuns(comparison).filter(({ head }) => judgedAnswers(head).length > 0);
  if (lines === null || lines.units === null || lines.units.length === 0)
    return lines?.units === null ? lines.reason : 'every line must stay';
  if (runs.length === 0) return NONE_JUDGED;
  tools.onStage?.(`looking which lines the tests of ${run.suite.name} hold`);
  const counter = countCalls(tools.spent.complete, room, 'coverage.max_calls');
  const ids = runs.map(({ affected: { reference } }) => reference.id);
  const make = extraResults(run, ids, { ...tools, complete: counter.complete });
  const attempt = attemptBy(make, lines, true);
  const input: CoverInput = {
    lines: lines.units.length,
    stored: runs.map(({ head }) => judgedAnswers(head)),
    given: isBaseWithout(runs, lines) ? runs.map(({ base }) => judgedAnswers(base)) : null,
    likely: likelihoods(runs, lines),
    most: Math.floor(room / callsPerTry(run)),
    seed: ids.join(),
  };
  const ask: AskWithout = async (wanted) => (await attempt(wanted)).map(judgedAnswer);
  return { run, lines, ids, counter, input, ask };
}

async function searchLines(
  bench: CoverBench,
  tools: CoverTools,
): Promise<Omit<SuiteCoverage, 'path' | 'suite' | 'variant' | 'scope'>> {
  const { run, lines, ids, counter, input, ask } = bench;
  const found = await coverLines(input, ask);
  const untested = [...found.lines.keys()].filter((at) => found.lines[at]?.kind === 'untested');
  const drafts = await draftTests(untested, lines, { run, counter, tools });
  return {
    lines: lines.units.map((unit, line) => {
      const { kind: status, reference, ...own } = found.lines[line] ?? NOT_ASKED;
      return { status, unit, reference: ids[reference ?? -1] ?? null, ...own, ...drafts[line] };
    }),
    reason: whyUnsettled(found, tools.spent.halted()?.why ?? counter.refused() ?? counter.ended()),
    unsteady: ids.filter((_, own) => !found.usable.includes(own)),
    calls: counter.made(),
  };
}

const NOT_ASKED = { kind: 'unsettled', reference: null, with: null, answers: 0 } as const;

/** By line: the test for it, if a grader drafts tests and the line is among the first of these. */
async function draftTests(
  untested: readonly number[],
  lines: PromptChange,
  { run, counter, tools }: { run: SuiteRun; counter: CallCounter; tools: CoverTools },
): Promise<FixFound[]> {
  const { grader, unasked } = tools;
  const side = run.suite.head;
  const drafts: FixFound[] = [];
  const [first] = untested;
  if (unasked !== null && first !== undefined) drafts[first] = { fix: null, no_fix: unasked };
  if (grader === null || side === null) return drafts;
  const { complete, ended } = counter;
  const bench = { run, side, lines, ended, tools: { ...tools, grader, complete } };
  for (const line of untested.slice(0, MOST_DRAFTED)) drafts[line] = await draftTest(line, bench);
  return drafts;
}

/** What was found before. The untested line of this text gains a drafted test. */
export function draftFor(
  text: string,
  earlier: readonly SuiteCoverage[],
  plan: PlannedFeature<CallLimits>,
  run: ComparedRun,
  tools: FeatureTools,
): Promise<SuiteCoverage[]> {
  const own = coverTools(plan, run, tools);
  const withDraft = async (suite: SuiteCoverage): Promise<SuiteCoverage> => {
    const { path, suite: name } = suite;
    const row = run.rows.find(({ result }) => promptKey(result) === promptKey({ path, name }));
    const asked = suite.lines.find(
      ({ status, unit }) => status === 'untested' && unit.head_text === text,
    );
    if (row === undefined || asked === undefined) return suite;
    const { run: answered } = row.comparison;
    const read = await readSideFiles([answered.suite], tools.sources);
    const lines = linesToCover(row.comparison, 'prompt', read);
    if (lines === null || lines.units === null) return suite;
    const at = lines.units.findIndex(
      ({ head_text, lines: { from } }) => head_text === text && from === asked.unit.lines.from,
    );
    if (at < 0) return suite;
    const counter = countCalls(tools.spent.complete, plan.own.most, 'coverage.max_calls');
    const drafts = await draftTests([at], lines, { run: answered, counter, tools: own });
    const drafted = suite.lines.map((line) => (line === asked ? { ...line, ...drafts[at] } : line));
    return { ...suite, lines: drafted };
  };
  return Promise.all(earlier.map(withDraft));
}

export function whyUnsettled(
  { lines, usable, end }: Covered,
  stopped: string | null,
): string | null {
  if (usable.length === 0) return 'no test passes in half of its tries, so none can hold a line';
  if (lines.every(({ kind }) => kind !== 'unsettled')) return null;
  if (stopped !== null) return stopped;
  return end === 'errors' ? 'the model did not answer' : 'the answers vary too much';
}

function judgedAnswers(tries: readonly Try[]): CoverAnswer[] {
  return tries.flatMap(({ byHead }) => judgedAnswer(byHead) ?? []);
}

function judgedAnswer(made: TryResult): CoverAnswer | null {
  const passed = made.outcome === 'pass';
  return passed || made.outcome === 'fail' ? { passed, text: answerText(made) ?? '' } : null;
}

/** A test that shares words with a line is asked for it first. */
function likelihoods(runs: readonly ReferenceRun[], { units }: PromptChange): number[][] {
  const tests = runs.map(({ affected: { reference } }) =>
    [reference.input, reference.expected ?? null].map(jsonText).join(' '),
  );
  return units.map(({ head_text }) =>
    tests.map((test) => Math.exp(4 * wordSimilarity(head_text ?? '', test))),
  );
}
