import type { FeatureTools } from '../../app/run/feature.ts';
import {
  countingRuns,
  type ReferenceRun,
  type SuiteComparison,
  type Try,
} from '../../kernel/plan/suite-run.ts';
import type { TryResult } from '../../kernel/result/reference-result.ts';
import { fingerprintOf } from '../../kernel/select/affected-suite.ts';
import { answerText } from '../../report/answers/text.ts';
import { promptLines, promptTexts, type PromptLines } from '../../trials/line-units.ts';
import { wordSimilarity } from '../../trials/text-units.ts';
import { callsPerTry, countCalls, extraResults, type TryTools } from '../../trials/tries.ts';
import { fileLines, sourceFiles, type ReadLines } from '../../trials/unit-places.ts';
import { jsonText } from '../../types/plain.ts';
import type { SuiteCoverage } from './result.ts';
import { coverLines, type CoverAnswer, type Covered } from './search.ts';

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
  scope: SuiteCoverage['scope'],
  most: number,
  tools: CoverTools,
): Promise<SuiteCoverage[]> {
  const found: SuiteCoverage[] = [];
  const asked = suites.filter((suite) => linesToCover(suite, scope) !== null);
  for (const [index, suite] of asked.entries()) {
    const left = most - found.reduce((sum, { calls }) => sum + calls, 0);
    const room = tools.spent.halted() === null ? Math.ceil(left / (asked.length - index)) : 0;
    found.push(await coverSuite(suite, scope, room, tools));
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
  const blank = { path, suite, variant, scope, lines: [], unsteady: [], spare: [], calls: 0 };
  const lines = linesToCover(comparison, scope, await readHead(comparison, tools));
  const runs = coverableRuns(comparison).filter(({ head }) => judgedAnswers(head).length > 0);
  if (lines === null || lines.units === null || lines.units.length === 0)
    return { ...blank, reason: lines?.units === null ? lines.reason : 'every line must stay' };
  if (runs.length === 0) return { ...blank, reason: 'no answer of its tests was judged' };
  tools.onStage?.(`looking which lines the tests of ${suite} hold`);
  return { ...blank, ...(await searchLines(comparison, { lines, runs, room }, tools)) };
}

async function searchLines(
  { run }: SuiteComparison,
  { lines, runs, room }: { lines: PromptLines; runs: readonly ReferenceRun[]; room: number },
  tools: CoverTools,
): Promise<Omit<SuiteCoverage, 'path' | 'suite' | 'variant' | 'scope'>> {
  const { units, generation } = lines;
  const counter = countCalls(tools.spent.complete, room, 'coverage.max_calls');
  const ids = runs.map(({ affected: { reference } }) => reference.id);
  const make = extraResults(run, ids, { ...tools, complete: counter.complete });
  const found = await coverLines(
    {
      lines: units.length,
      stored: runs.map(({ head }) => judgedAnswers(head)),
      given: isBaseWithout(runs, lines) ? runs.map(({ base }) => judgedAnswers(base)) : null,
      likely: likelihoods(runs, lines),
      most: Math.floor(room / callsPerTry(run)),
      seed: ids.join(),
    },
    async (wanted) => {
      const made = await make(
        wanted.map(({ units: without, reference }) => ({
          reference,
          prompt: `without ${[...without].join(' ')}`,
          generation: (affected) => generation(affected, without),
        })),
      );
      return made.map(judgedAnswer);
    },
  );
  const { usable, end } = found;
  const holders = new Set(found.lines.map(({ reference }) => reference));
  const stopped = tools.spent.halted()?.why ?? counter.refused() ?? counter.ended();
  return {
    lines: units.map((unit, line) => {
      const { kind: status, reference, ...own } = found.lines[line] ?? NOT_ASKED;
      return { status, unit, reference: ids[reference ?? -1] ?? null, ...own };
    }),
    reason: whyUnsettled(found, stopped),
    unsteady: ids.filter((_, own) => !usable.includes(own)),
    spare: ids.filter((_, own) => end === null && usable.includes(own) && !holders.has(own)),
    calls: counter.made(),
  };
}

const NOT_ASKED = { kind: 'unsettled', reference: null, with: null, answers: 0 } as const;

function whyUnsettled({ lines, usable, end }: Covered, stopped: string | null): string | null {
  if (usable.length === 0) return 'no test passes in half of its tries, so none can hold a line';
  if (lines.every(({ kind }) => kind !== 'unsettled')) return null;
  if (stopped !== null) return stopped;
  return end === 'errors' ? 'the model did not answer' : 'the answers vary too much';
}

async function readHead(
  { run: { suite } }: SuiteComparison,
  { sources }: Pick<FeatureTools, 'sources'>,
): Promise<ReadLines> {
  const texts = new Map<string, readonly string[]>();
  for (const file of sourceFiles(suite.head?.suite.prompt))
    texts.set(file, await fileLines(sources?.head ?? null, file));
  return (_, file) => texts.get(file) ?? null;
}

function judgedAnswers(tries: readonly Try[]): CoverAnswer[] {
  return tries.flatMap(({ byHead }) => judgedAnswer(byHead) ?? []);
}

function judgedAnswer(made: TryResult): CoverAnswer | null {
  const passed = made.outcome === 'pass';
  return passed || made.outcome === 'fail' ? { passed, text: answerText(made) ?? '' } : null;
}

/** A test that shares words with a line is asked for it first. */
function likelihoods(runs: readonly ReferenceRun[], { units }: PromptLines): number[][] {
  const tests = runs.map(({ affected: { reference } }) =>
    [reference.input, reference.expected ?? null].map(jsonText).join(' '),
  );
  return units.map(({ head_text }) =>
    tests.map((test) => Math.exp(4 * wordSimilarity(head_text ?? '', test))),
  );
}
