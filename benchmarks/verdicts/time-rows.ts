import { confirmFalls, createConfirm } from '../../src/app/run/confirm.ts';
import { compareWithAnchor } from '../../src/features/anchor/compare.ts';
import { judgeMeasured, measureSuites } from '../../src/kernel/judge/verdict.ts';
import { identityOf, type SuiteComparison } from '../../src/kernel/plan/suite-run.ts';
import { nextFloat, type Random } from '../../src/kernel/statistics/random.ts';
import { DEFAULT_GATE } from '../../src/kernel/suite/gate-settings.ts';
import { coinTools } from './asked.ts';
import { least, most, type Goal } from './goals.ts';
import type { ReportedRow } from './scores.ts';
import { tried } from './simulate.ts';

type Price = Parameters<typeof createConfirm>[1];

const NO_PRICE = {} as Price;

interface Drift {
  /** Drop of the model's pass rate since base's answers were stored. */
  model: number;
  /** Head's effect on the pass rate of the reference at a position. */
  change: (position: number) => number;
  /** Default: 50. The first one is critical if `critical` is set. */
  references?: number;
  critical?: true;
  /** Base's pass rate when its answers were stored. Default: 0.95. */
  rate?: number;
  /** How many tries of base each reference has in the store. Default: all. */
  storedTries?: number;
}

const within = (rate: number): number => Math.min(1, Math.max(0, rate));

/**
 * Runs with stored base answers. Returns whether the run is red, whether it reports drift, and
 * extra calls.
 */
async function runWithStoredBase(
  { model, change, references = 50, critical, rate = 0.95, storedTries = Infinity }: Drift,
  random: Random,
): Promise<{ red: boolean; drift: boolean; extra: number }> {
  const positions = [...Array(references).keys()];
  const base = positions.map(() => within(rate - model));
  const head = positions.map((at) => within((base[at] ?? 0) + change(at)));
  const stored = positions.map(() => rate);
  const suite = { base, head, stored, storedTries, critical: critical ? [0] : [] };
  const { comparisons } = tried([suite], 'adaptive', random);
  const rates: Readonly<Record<string, number[]>> = { base, head };
  const { tools, calls } = coinTools(
    ({ prompt, position }) => nextFloat(random) < (rates[prompt]?.[position] ?? 0),
  );
  const { suites } = await confirmFalls(
    measureSuites(comparisons, DEFAULT_GATE),
    DEFAULT_GATE,
    createConfirm(tools, NO_PRICE),
  );
  const [verdict] = suites.values();
  return {
    red: verdict?.verdict === 'regressed',
    drift: (verdict?.confirmation?.drift ?? null) !== null,
    extra: calls() / references,
  };
}

const drift = (
  name: string,
  own: Drift,
  goals: readonly Goal[],
  reported: 'red' | 'drift' = 'red',
): ReportedRow => ({
  name: `${String(own.references ?? 50)} × ${(own.rate ?? 0.95).toFixed(own.rate === 1 ? 1 : 2)}, ${name}`,
  goals,
  part: 0.25,
  run: async (random) => {
    const found = await runWithStoredBase(own, random);
    return { reported: found[reported], calls: found.extra };
  },
});

const none = (): number => 0;
const first =
  (count: number) =>
  (position: number): number =>
    position < count ? -1 : 0;

const CRITICAL = { model: 0, references: 20, rate: 1, critical: true } as const;

export const DRIFT: readonly ReportedRow[] = [
  drift('nothing changed', { model: 0, change: none }, [most('reported', 0.05)]),
  ...[0.05, 0.1, 0.2].map((model) =>
    drift(`the model lost ${String(100 * model)} points`, { model, change: none }, [
      most('reported', 0.05),
    ]),
  ),
  drift(
    'the model lost 10 points: told',
    { model: 0.1, change: none },
    [least('reported', 0.75)],
    'drift',
  ),
  drift('nothing changed: told', { model: 0, change: none }, [most('reported', 0.05)], 'drift'),
  ...[5, 3].map((count) =>
    drift(
      `${String(count)} break, the model lost 10 points`,
      { model: 0.1, change: first(count) },
      [least('reported', 0.95), most('calls', 0.7)],
    ),
  ),
  drift('5 break, the model is the same', { model: 0, change: first(5) }, [
    least('reported', 0.95),
    most('calls', 0.7),
  ]),
  drift('all 10 points worse, the model is the same', { model: 0, change: () => -0.1 }, []),
  drift('all 10 points worse, and the model lost 10', { model: 0.1, change: () => -0.1 }, []),
  ...[2, Infinity].map((storedTries) =>
    drift(
      `one critical falls by half, ${storedTries === 2 ? 'two tries' : 'all tries'} are stored`,
      { ...CRITICAL, storedTries, change: (position) => (position === 0 ? -0.5 : 0) },
      [least('reported', 0.6), most('calls', 1.5)],
    ),
  ),
  drift(
    'one critical, the model lost 50 points, two tries are stored',
    { ...CRITICAL, storedTries: 2, model: 0.5, change: none },
    [most('reported', 0.05)],
  ),
];

interface Erosion {
  references: number;
  steps: number;
  rate: (step: number) => number;
  /** Drop of the model's pass rate since the anchor answered. */
  model?: number;
}

/**
 * The step at which a pull request is reported as worse than the anchor, and calls per reference.
 */
async function erosionTold(
  { references, steps, rate, model = 0 }: Erosion,
  random: Random,
): Promise<{ at: number | null; calls: number }> {
  const stored = new Map<string, boolean>();
  let again = 0;
  const { tools } = coinTools(({ position, try: index, anew }) => {
    const key = `${String(position)} ${String(index)}`;
    const kept = stored.get(key);
    if (!anew && kept !== undefined) return kept;
    if (anew) again += 1;
    const passes = nextFloat(random) < rate(0) - (anew ? model : 0);
    stored.set(key, passes);
    return passes;
  });
  for (let step = 1; step <= steps; step++) {
    const suite = {
      base: Array<number>(references).fill(rate(step - 1) - model),
      head: Array<number>(references).fill(rate(step) - model),
    };
    const { comparisons } = tried([suite], 'adaptive', random);
    if (await isToldByAnchor(comparisons, tools)) return { at: step, calls: again / references };
  }
  return { at: null, calls: again / references };
}

async function isToldByAnchor(
  comparisons: readonly SuiteComparison[],
  tools: ReturnType<typeof coinTools>['tools'],
): Promise<boolean> {
  const { suites: verdicts } = judgeMeasured(measureSuites(comparisons, DEFAULT_GATE));
  const suites = comparisons.map((comparison) => {
    const verdict = verdicts.get(comparison);
    const { path, name } = comparison.run.suite;
    const compared = { tries: verdict?.tries ?? 0 };
    return { comparison, result: { path, name, variant: {}, verdict: verdict?.verdict, compared } };
  });
  const planned = comparisons.map(({ run }) => ({
    identity: identityOf(run),
    references: run.runs.map(({ affected: { head } }, position) => ({
      run: position,
      generation: { ...head, fingerprint: `then ${String(position)}`, messages: askThen(position) },
    })),
  }));
  const plan = { own: { since: 'x', commit: 'x', name: 'x', suites: planned } };
  const run = { price: NO_PRICE, gate: DEFAULT_GATE, rows: suites };
  const { parts } = await compareWithAnchor(
    plan as unknown as Parameters<typeof compareWithAnchor>[0],
    run as unknown as Parameters<typeof compareWithAnchor>[1],
    tools,
  );
  return parts?.anchor?.suites.some(({ status }) => status === 'fell') === true;
}

const askThen = (position: number): object[] => [
  { role: 'user', content: `then ${String(position)}` },
];

const erosion = (
  name: string,
  own: Erosion,
  goals: readonly Goal[],
  by = own.steps,
): ReportedRow => ({
  name: `${String(own.references)} references, ${name}`,
  goals,
  part: 0.1,
  run: async (random) => {
    const { at, calls } = await erosionTold(own, random);
    return { reported: at !== null && at <= by, calls };
  },
});

const falls =
  (by: number) =>
  (step: number): number =>
    0.97 - by * step;
const stays = (rate: number) => (): number => rate;

/** Whether any pull request of a series is reported as worse than the anchor. */
export const EROSION: readonly ReportedRow[] = ([50, 20] as const).flatMap((references) => {
  const told = references === 50 ? 0.97 : 0.85;
  const row = (name: string, rate: Erosion['rate'], steps: number, goals: Goal[], by = steps) =>
    erosion(name, { references, steps, rate }, goals, by);
  return [
    row('8 pull requests lose 3 points each', falls(0.03), 8, [least('reported', told)]),
    row('10 lose 2 points each', falls(0.02), 10, [least('reported', told)]),
    row('15 lose 1 point each', falls(0.01), 15, [least('reported', told)]),
    row('20 × 0.97 change nothing', stays(0.97), 20, [most('reported', 0.05)]),
    row('20 × 0.8 change nothing', stays(0.8), 20, [most('reported', 0.05)]),
    erosion(
      '20 change nothing, the model lost 10 points',
      { references, steps: 20, rate: stays(0.97), model: 0.1 },
      [most('reported', 0.05)],
    ),
  ];
});
