import type { ComparedRun, FeatureTools } from '../../app/run/feature.ts';
import {
  countingRuns,
  type ReferenceRun,
  type SuiteComparison,
  type SuiteRun,
  type Try,
} from '../../kernel/plan/suite-run.ts';
import type { TryResult } from '../../kernel/result/reference-result.ts';
import { fingerprintOf } from '../../kernel/select/affected-suite.ts';
import type { PlannedFeature } from '../../money/feature-plan.ts';
import { answerText } from '../../report/answers/text.ts';
import type { FixFound } from '../../trials/fix.ts';
import { promptLines, promptTexts } from '../../trials/line-units.ts';
import type { PromptChange } from '../../trials/prompt-units.ts';
import { readSideFiles } from '../../trials/side-files.ts';
import { wordSimilarity } from '../../trials/text-units.ts';
import {
  attemptBy,
  callsPerTry,
  countCalls,
  extraResults,
  type CallCounter,
  type TryTools,
} from '../../trials/tries.ts';
import type { ReadLines } from '../../trials/unit-places.ts';
import type { Grader } from '../../types/model.ts';
import { jsonText } from '../../types/plain.ts';
import { draftTest } from './draft-test.ts';
import type { SuiteCoverage } from './result.ts';
import { coverLines, type CoverAnswer, type Covered } from './search.ts';

/** Lines of a suite for which a test is drafted. */
export const MOST_DRAFTED = 3;

/** Null if the suite has no prompt on head, or no test, or no line changed. */
export function linesToCover(
  { run: { suite } }: Pick<SuiteComparison, 'run'>,
  scope: SuiteCoverage['scope'],
  read: ReadLines = () => null,
): ReturnType<typeof promptLines> | null {
  const { base, head, references } = suite;
  if (head === null || references.length === 0) return null;
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

type CoverTools = FeatureTools &
  Pick<TryTools, 'price'> & { grader: Grader | null; unasked: string | null };

/** Each suite may use an equal share of the calls that are left. */
export async function coverSuites(
  { own: { most }, asker }: PlannedFeature<{ most: number }>,
  { rows, price, emptyResult: { trust } }: ComparedRun,
  scope: SuiteCoverage['scope'],
  tools: FeatureTools,
): Promise<SuiteCoverage[]> {
  if (tools.isPreview === true) return [];
  const found: SuiteCoverage[] = [];
  const grader = trust === 'untrusted' ? null : (asker?.grader ?? null);
  const asked = rows
    .map(({ comparison }) => comparison)
    .filter((suite) => linesToCover(suite, scope) !== null);
  for (const [index, suite] of asked.entries()) {
    const left = most - found.reduce((sum, { calls }) => sum + calls, 0);
    const room = tools.spent.halted() === null ? Math.ceil(left / (asked.length - index)) : 0;
    found.push(
      await coverSuite(suite, scope, room, {
        ...tools,
        price,
        grader,
        unasked: asker?.unasked ?? null,
      }),
    );
  }
  return found;
}

async function coverSuite(
  comparison: SuiteComparison,
  scope: SuiteCoverage['scope'],
  room: number,
  tools: CoverTools,
): Promise<SuiteCoverage> {
  const { path, name: suite, variant } = comparison.run.suite;
  const blank = { path, suite, variant, scope, lines: [], unsteady: [], calls: 0 };
  const read = await readSideFiles([comparison.run.suite], tools.sources);
  const lines = linesToCover(comparison, scope, read.lines);
  const runs = coverableRuns(comparison).filter(({ head }) => judgedAnswers(head).length > 0);
  if (lines === null || lines.units === null || lines.units.length === 0)
    return { ...blank, reason: lines?.units === null ? lines.reason : 'every line must stay' };
  if (runs.length === 0) return { ...blank, reason: 'no answer of its tests was judged' };
  tools.onStage?.(`looking which lines the tests of ${suite} hold`);
  return { ...blank, ...(await searchLines(comparison, { lines, runs, room }, tools)) };
}

async function searchLines(
  { run }: SuiteComparison,
  { lines, runs, room }: { lines: PromptChange; runs: readonly ReferenceRun[]; room: number },
  tools: CoverTools,
): Promise<Omit<SuiteCoverage, 'path' | 'suite' | 'variant' | 'scope'>> {
  const { units } = lines;
  const counter = countCalls(tools.spent.complete, room, 'coverage.max_calls');
  const ids = runs.map(({ affected: { reference } }) => reference.id);
  const make = extraResults(run, ids, { ...tools, complete: counter.complete });
  const attempt = attemptBy(make, lines, true);
  const found = await coverLines(
    {
      lines: units.length,
      stored: runs.map(({ head }) => judgedAnswers(head)),
      given: isBaseWithout(runs, lines) ? runs.map(({ base }) => judgedAnswers(base)) : null,
      likely: likelihoods(runs, lines),
      most: Math.floor(room / callsPerTry(run)),
      seed: ids.join(),
    },
    async (wanted) => (await attempt(wanted)).map(judgedAnswer),
  );
  const drafts = await draftTests(found, lines, { run, counter, tools });
  const stopped = tools.spent.halted()?.why ?? counter.refused() ?? counter.ended();
  return {
    lines: units.map((unit, line) => {
      const { kind: status, reference, ...own } = found.lines[line] ?? NOT_ASKED;
      return { status, unit, reference: ids[reference ?? -1] ?? null, ...own, ...drafts[line] };
    }),
    reason: whyUnsettled(found, stopped),
    unsteady: ids.filter((_, own) => !found.usable.includes(own)),
    calls: counter.made(),
  };
}

const NOT_ASKED = { kind: 'unsettled', reference: null, with: null, answers: 0 } as const;

/** By line: the test for it, if a grader drafts tests and the line is among the first untested. */
async function draftTests(
  found: Covered,
  lines: PromptChange,
  { run, counter, tools }: { run: SuiteRun; counter: CallCounter; tools: CoverTools },
): Promise<FixFound[]> {
  const { grader, random, unasked } = tools;
  const side = run.suite.head;
  const untested = [...found.lines.keys()].filter((at) => found.lines[at]?.kind === 'untested');
  const drafts: FixFound[] = [];
  const [first] = untested;
  if (unasked !== null && first !== undefined) drafts[first] = { fix: null, no_fix: unasked };
  if (grader === null || side === null) return drafts;
  const { complete, ended } = counter;
  const asking = { grader, complete, random };
  const bench = { run, side, lines, asking, ended, tools: { ...tools, complete } };
  for (const line of untested.slice(0, MOST_DRAFTED)) drafts[line] = await draftTest(line, bench);
  return drafts;
}

function whyUnsettled({ lines, usable, end }: Covered, stopped: string | null): string | null {
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
