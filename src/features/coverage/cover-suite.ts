import type { FeatureTools } from '../../app/run/feature.ts';
import {
  countingRuns,
  type ReferenceRun,
  type SuiteComparison,
  type Try,
} from '../../kernel/plan/suite-run.ts';
import type { TryResult } from '../../kernel/result/reference-result.ts';
import { fingerprintOf, type SuiteSide } from '../../kernel/select/affected-suite.ts';
import { estimateTokens } from '../../money/tokens.ts';
import { answerText } from '../../report/answers/text.ts';
import { promptLines, promptTexts, type PromptLines } from '../../trials/line-units.ts';
import { callsPerTry, countCalls, extraResults, type TryTools } from '../../trials/tries.ts';
import { fileLines, sourceFiles, type ReadLines } from '../../trials/unit-places.ts';
import { jsonText } from '../../types/plain.ts';
import type { CoveredLineResult, SuiteCoverage } from './result.ts';
import { coverLines, type AskWithout, type Covered, type JudgedAnswer } from './search.ts';

type Scope = SuiteCoverage['scope'];

/** Null if the suite has no prompt on head, or no line changed. */
export function linesToCover(
  { run: { suite } }: Pick<SuiteComparison, 'run'>,
  scope: Scope,
  read: ReadLines = () => null,
): ReturnType<typeof promptLines> | null {
  const { base, head } = suite;
  if (head === null) return null;
  const known = scope === 'changed' && base !== null ? promptTexts(base) : new Set<string>();
  const lines = promptLines(head, read, (text) => !known.has(text));
  return scope === 'changed' && lines.units?.length === 0 ? null : lines;
}

/** The references whose answers count and that the prompt's lines can change. */
export function coverableRuns(comparison: SuiteComparison): ReferenceRun[] {
  return countingRuns(comparison).filter(({ affected: { head } }) => head?.kind === 'request');
}

/**
 * Whether base is head without these lines, so that its answers show what the lines do together.
 * Then fewer calls are needed.
 */
export function isBaseWithout(runs: readonly ReferenceRun[], lines: PromptLines): boolean {
  const all = new Set(lines.units.keys());
  return runs.every(
    ({ affected }) =>
      affected.base !== null &&
      fingerprintOf(lines.generation(affected, all)) === fingerprintOf(affected.base),
  );
}

type CoverTools = FeatureTools & Pick<TryTools, 'price'>;

/** Each suite may use an equal share of the calls that are left. */
export async function coverSuites(
  suites: readonly SuiteComparison[],
  { scope, most }: { scope: Scope; most: number },
  tools: CoverTools,
): Promise<SuiteCoverage[]> {
  const found: SuiteCoverage[] = [];
  let left = most;
  for (const [index, comparison] of suites.entries()) {
    const room = Math.ceil(left / (suites.length - index));
    const own = await coverSuite({ comparison, scope, room }, tools);
    left -= own?.calls ?? 0;
    if (own !== null) found.push(own);
  }
  return found;
}

async function coverSuite(
  { comparison, scope, room }: { comparison: SuiteComparison; scope: Scope; room: number },
  tools: CoverTools,
): Promise<SuiteCoverage | null> {
  const { run } = comparison;
  const { head, path, name: suite, variant } = run.suite;
  const lines = linesToCover(comparison, scope, await readHead(head, tools));
  if (lines === null) return null;
  const blank: SuiteCoverage = {
    ...{ path, suite, variant, scope },
    lines: [],
    reason: null,
    tests: { usable: 0, unsteady: [], spare: [] },
    calls: 0,
  };
  if (lines.units === null) return { ...blank, reason: lines.reason };
  if (lines.units.length === 0)
    return { ...blank, reason: 'the prompt has no line that can be taken away' };
  const runs = coverableRuns(comparison).filter((own) => judgedAnswers(own.head).length > 0);
  const { complete, halted } = tools.spent;
  tools.onStage?.(`looking which lines the tests of ${suite} hold`);
  const halt = halted();
  const counter = countCalls(complete, halt === null ? room : 0, 'coverage.max_calls');
  const found = await coverLines(
    {
      lines: lines.units.length,
      stored: runs.map((own) => judgedAnswers(own.head)),
      given: isBaseWithout(runs, lines) ? runs.map(({ base }) => judgedAnswers(base)) : null,
      likely: likelihoods(runs, lines),
      most: Math.floor((halt === null ? room : 0) / callsPerTry(run)),
      seed: `${path} ${suite}`,
    },
    askerWithout(comparison, runs, lines, { ...tools, complete: counter.complete }),
  );
  const ids = runs.map(({ affected: { reference } }) => reference.id);
  const stopped = halt === null ? (counter.refused() ?? counter.ended()) : halt.why;
  return {
    ...blank,
    ...coveredResult(found, lines, ids),
    reason: whyUnsettled(found, runs.length, stopped),
    calls: counter.made(),
  };
}

async function readHead(
  head: SuiteSide | null,
  { sources }: Pick<FeatureTools, 'sources'>,
): Promise<ReadLines> {
  const texts = new Map<string, readonly string[]>();
  for (const file of sourceFiles(head?.suite.prompt))
    texts.set(file, await fileLines(sources?.head ?? null, file));
  return (_, file) => texts.get(file) ?? null;
}

function judgedAnswers(tries: readonly Try[]): JudgedAnswer[] {
  return tries.flatMap(({ byHead }) => judgedAnswer(byHead) ?? []);
}

function judgedAnswer(made: Pick<TryResult, 'outcome' | 'parts'>): JudgedAnswer | null {
  return made.outcome === 'pass' || made.outcome === 'fail'
    ? { passed: made.outcome === 'pass', text: answerText(made) ?? '' }
    : null;
}

function askerWithout(
  { run }: SuiteComparison,
  runs: readonly ReferenceRun[],
  { generation }: PromptLines,
  tools: TryTools,
): AskWithout {
  const ids = runs.map(({ affected: { reference } }) => reference.id);
  const make = extraResults(run, ids, tools);
  return async (wanted) => {
    const made = await make(
      wanted.map(({ lines, reference }) => ({
        reference,
        prompt: `without ${[...lines].join(' ')}`,
        generation: (affected) => generation(affected, lines),
      })),
    );
    return made.map(judgedAnswer);
  };
}

const LONG_WORD = /[\p{L}\p{N}_]{4,}/gu;

/** A test that shares words with a line is asked for it first. */
function likelihoods(
  runs: readonly ReferenceRun[],
  { units }: PromptLines,
): (line: number, reference: number) => number {
  const wordsOf = (text: string) => new Set(text.toLowerCase().match(LONG_WORD) ?? []);
  const lines = units.map(({ head_text }) => wordsOf(head_text ?? ''));
  const tests = runs.map(({ affected: { reference } }) =>
    wordsOf(`${jsonText(reference.input)} ${jsonText(reference.expected ?? null)}`),
  );
  return (line, reference) => {
    const [own, other] = [lines[line] ?? new Set(), tests[reference] ?? new Set()];
    const common = [...own].filter((word) => other.has(word)).length;
    return Math.exp((2 * common) / Math.max(1, own.size));
  };
}

function coveredResult(
  { lines, unsteady, end }: Covered,
  { units }: PromptLines,
  ids: readonly string[],
): Pick<SuiteCoverage, 'lines' | 'tests'> {
  const named = (references: readonly number[]) => references.map((own) => ids[own] ?? '');
  const holders = new Set(lines.flatMap(({ references }) => references));
  const usable = [...ids.keys()].filter((own) => !unsteady.includes(own));
  return {
    lines: units.map(({ kind, name, file, lines: at, head_text }, line): CoveredLineResult => {
      const text = head_text ?? '';
      const { kind: status, references, ...found } = lines[line] ?? NOT_ASKED;
      return {
        ...{ status, kind, name, file, lines: at, text },
        references: named(references),
        ...found,
        tokens: Math.ceil(estimateTokens(text)),
      };
    }),
    tests: {
      usable: usable.length,
      unsteady: named(unsteady),
      spare: end === null ? named(usable.filter((own) => !holders.has(own))) : [],
    },
  };
}

const NOT_ASKED = { kind: 'unsettled' as const, references: [], with: null, answers: 0 };

function whyUnsettled(
  { lines, end }: Covered,
  tests: number,
  stopped: string | null,
): string | null {
  if (tests === 0) return 'it has no test whose answers were judged';
  if (end === 'unsteady') return 'no test passes in half of its tries, so none can hold a line';
  if (lines.every(({ kind }) => kind !== 'unsettled')) return null;
  if (stopped !== null) return stopped;
  return end === 'errors'
    ? 'the model did not answer without these lines'
    : 'the answers vary too much to tell';
}
