import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import { MOST_FIXING_PAIRS } from '../../kernel/plan/suspects.ts';
import { scoreCount } from '../../kernel/select/scoring.ts';
import { gatesByPreference, metricsFor } from '../../kernel/suite/metrics.ts';
import type { Tally } from '../../types/metric.ts';
import type { Evaluate } from '../../types/model.ts';
import { tallySchema } from '../../types/score-schema.ts';

type RollupFinding =
  /** `counts`: for example ` if num_fails is 0`. Empty if the code fails for all counts. */
  { kind: 'error'; message: string; counts: string } | { kind: 'never fails' } | { kind: 'works' };

/** Runs roll-up code on every tally that the run can reach. */
export async function checkRollup(
  suite: SuiteComparison,
  evaluate: Evaluate,
): Promise<RollupFinding> {
  const { rollup } = suite.run.scoring.tests;
  if (rollup.kind !== 'code')
    return { kind: rollup.kind === 'pass_rate' && rollup.min === 0 ? 'never fails' : 'works' };
  const { language, code, at } = rollup;
  const read = namesRead(code);
  const inputs = reachableTallies(suite, read);
  const job = { suite: 'compiled', side: 'head' as const, language, code, at };
  const ran = await evaluate({
    ...job,
    outputs: ['result'],
    inputs: inputs.map((tally) => ({ ...tally })),
  });
  const errors = ran.flatMap((each, index) =>
    each.status === 'error' ? [{ message: each.message, tally: inputs[index] }] : [],
  );
  const [first] = errors;
  if (first?.tally !== undefined) {
    const { message, tally } = first;
    const counts = read.map((name) => `${name} is ${tally[name]}`).join(' and ');
    return { kind: 'error', message, counts: errors.length === ran.length ? '' : ` if ${counts}` };
  }
  const passes = ran.every((each) => each.status !== 'error' && each.values['result'] === true);
  return { kind: passes && ran.length > 0 ? 'never fails' : 'works' };
}

const COUNTS = Object.keys(tallySchema.shape) as (keyof Tally)[];

/** Code that looks up names at run time may read every count. */
function namesRead(code: string): (keyof Tally)[] {
  const isDynamic = /\b(?:exec|eval|globals|locals|vars|globalThis)\b/.test(code);
  return COUNTS.filter((name) => isDynamic || new RegExp(String.raw`\b${name}\b`).test(code));
}

/** With more scores, only tallies of up to this many are checked. */
const MOST_SCORES = 60;

function reachableTallies(suite: SuiteComparison, read: readonly (keyof Tally)[]): Tally[] {
  const { tests } = suite.run.scoring;
  const kinds = tests.references.map((reference) => {
    const metrics = scoreCount(tests, reference);
    const skipped = metricsFor(tests, reference).filter(({ skip }) => skip).length;
    return { metrics, skipped: tests.skip || reference.skip ? metrics : skipped };
  });
  const distinct = new Map(kinds.map((kind) => [JSON.stringify(kind), kind]));
  const tallies = new Map<string, Tally>();
  for (const kind of distinct.values())
    for (let tries = 1; tries <= mostTries(suite); tries++)
      for (const tally of talliesOf(kind, tries)) {
        const key = read.map((name) => tally[name]).join(' ');
        if (!tallies.has(key)) tallies.set(key, tally);
      }
  return [...tallies.values()];
}

/** New tests get more tries than planned, unless roll-ups or pairs of answers are compared. */
function mostTries({ run: { scoring }, policy, gate }: SuiteComparison): number {
  const { tests } = scoring;
  const own = tests.references.map(({ n_tries }) => n_tries ?? 1);
  const planned = Math.max(policy.kind === 'adaptive' ? 1 : policy.tries, ...own);
  const isFixed = gate.unit === 'references' || gatesByPreference(tests);
  return isFixed ? planned : Math.max(planned, MOST_FIXING_PAIRS);
}

/** The outcome does not count if nothing passes or fails, so such tallies are left out. */
function* talliesOf(
  { metrics, skipped }: { metrics: number; skipped: number },
  tries: number,
): Generator<Tally> {
  const scores = Math.min(tries * metrics, MOST_SCORES);
  const skips = Math.min(tries * skipped, scores);
  const counting = scores - skips;
  for (let judged = 1; judged <= scores; judged++)
    for (let passes = 0; passes <= judged; passes++)
      for (const skipPasses of ends(passes - counting, passes, skips))
        for (const skipFails of ends(judged - counting - skipPasses, judged - passes, skips)) {
          if (skipPasses + skipFails > skips) continue;
          const tally = {
            num_passes: passes,
            num_fails: judged - passes,
            num_skip_passes: skipPasses,
            num_skip_fails: skipFails,
            num_tries: tries,
            num_metrics: metrics,
          };
          const rest = scores - judged;
          yield { ...tally, num_ungraded: rest, num_errors: 0 };
          yield { ...tally, num_ungraded: 0, num_errors: rest };
          yield { ...tally, num_ungraded: 0, num_errors: 0 };
        }
}

/** The fewest and the most of these scores that can come from skipped metrics. */
function ends(least: number, most: number, skips: number): number[] {
  const low = Math.max(0, least);
  const high = Math.min(most, skips);
  return low === high ? [low] : [low, high].filter((each) => each >= low && each <= high);
}
