import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { meanOfCounts } from '../../kernel/statistics/table.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import { wilson } from '../../report/sections/intervals.ts';
import type { UsageTotals } from '../../types/usage-totals.ts';
import type { NoiseResult, NoiseSuite } from './result.ts';

interface NoiseTally {
  red: number;
  neutral: number;
  judged: number;
  unjudged: number;
  suites: Map<string, SuiteTally>;
  /**
   * From each comparison's worst suite. `lows`: lower bound of the difference in pass rates.
   * `falls`: drop of the pass rate.
   */
  lows: number[];
  falls: number[];
  usages: UsageTotals[];
}

interface SuiteTally extends Omit<NoiseSuite, 'pass_rate'> {
  /** The smallest number of tries that a side had in any comparison. */
  shared: number;
  /** By reference id. `passes`, `tries`: indices of the passed tries and of all judged tries. */
  counted: Map<string, { reference: ReferenceResult; passes: number[]; tries: number[] }>;
}

export function startTally(): NoiseTally {
  return {
    red: 0,
    neutral: 0,
    judged: 0,
    unjudged: 0,
    suites: new Map(),
    lows: [],
    falls: [],
    usages: [],
  };
}

export function countComparison(
  tally: NoiseTally,
  { conclusion, suites, usage }: Pick<Result, 'conclusion' | 'suites' | 'usage'>,
): void {
  tally.usages.push(usage);
  if (conclusion === 'error') {
    tally.unjudged += 1;
    return;
  }
  tally.judged += 1;
  if (conclusion === 'failure') tally.red += 1;
  if (conclusion === 'neutral') tally.neutral += 1;
  for (const suite of suites) countSuite(tally.suites, suite);
  tally.lows.push(Math.min(...suites.map(({ pass_rate }) => pass_rate.low ?? 0)));
  tally.falls.push(Math.max(0, ...suites.map(suiteFall)));
}

function suiteFall({ pass_rate: { difference } }: SuiteResult): number {
  return Math.max(0, -(difference ?? 0));
}

function countSuite(suites: NoiseTally['suites'], suite: SuiteResult): void {
  const { path, name, variant, references, verdict } = suite;
  const key = JSON.stringify([path, variant]);
  const found: SuiteTally = suites.get(key) ?? {
    path,
    name,
    variant,
    references: references.length,
    regressed: 0,
    improved: 0,
    unchanged: 0,
    inconclusive: 0,
    largest_fall: 0,
    shared: Number.POSITIVE_INFINITY,
    counted: new Map(),
  };
  suites.set(key, found);
  if (
    verdict === 'regressed' ||
    verdict === 'improved' ||
    verdict === 'unchanged' ||
    verdict === 'inconclusive'
  )
    found[verdict] += 1;
  found.largest_fall = Math.max(found.largest_fall, suiteFall(suite));
  found.shared = Math.min(found.shared, suite.compared.tries);
  for (const reference of references) countReference(found.counted, reference);
}

function countReference(counted: SuiteTally['counted'], reference: ReferenceResult): void {
  const sum = counted.get(reference.id) ?? { reference, passes: [], tries: [] };
  counted.set(reference.id, sum);
  for (const { try: index, outcome } of [
    ...(reference.base?.tries ?? []),
    ...(reference.head?.tries ?? []),
  ]) {
    if (outcome === 'pass') sum.passes.push(index);
    if (outcome === 'pass' || outcome === 'fail') sum.tries.push(index);
  }
}

interface Counted {
  reference: ReferenceResult;
  passes: number;
  tries: number;
}

/** Ignores extra tries of suspicious references, which would bias the pass rate. */
function countedOf({ shared, counted }: SuiteTally): Counted[] {
  const upTo = (tries: readonly number[]): number => tries.filter((at) => at < shared).length;
  return [...counted.values()].map(({ reference, passes, tries }) => ({
    reference,
    passes: upTo(passes),
    tries: upTo(tries),
  }));
}

export type NoiseHead = Pick<NoiseResult, 'head' | 'gate' | 'n_tries' | 'measured_at'>;

export function noiseResult(
  head: NoiseHead,
  tally: NoiseTally,
  { notices, problems }: Pick<NoiseResult, 'notices' | 'problems'>,
): NoiseResult {
  const { red, neutral, judged: runs, unjudged } = tally;
  const share = wilson({ passes: red, tries: runs }) ?? { low: 0, high: 1 };
  const suites = [...tally.suites.values()];
  return {
    noise_version: 1,
    ...head,
    red,
    runs,
    ...share,
    unjudged,
    neutral,
    suites: suites.map(suiteOf),
    flaky: suites
      .flatMap(flakyReferences)
      .sort((a, b) => Math.abs(a.passes / a.tries - 0.5) - Math.abs(b.passes / b.tries - 0.5)),
    suggested: suggestion(tally, head.gate, share.low),
    notices,
    problems,
    usage: sumUsages(tally.usages),
  };
}

function suiteOf(tally: SuiteTally): NoiseSuite {
  const { shared: _shared, counted: _counted, ...suite } = tally;
  return { ...suite, pass_rate: meanOfCounts(countedOf(tally)) };
}

function flakyReferences(tally: SuiteTally): NoiseResult['flaky'] {
  const { path, name } = tally;
  return countedOf(tally).flatMap(({ reference: { id, file, line }, passes, tries }) => {
    const interval = passes > 0 && passes < tries ? wilson({ passes, tries }) : null;
    return interval === null ? [] : [{ path, name, id, file, line, passes, tries, ...interval }];
  });
}

/** Share of comparisons that should report an unchanged suite as unchanged. */
const CALLED_UNCHANGED = 0.9;

function suggestion(
  { lows, falls }: NoiseTally,
  { tolerance, min_drop, alpha }: GateSettings,
  redAtLeast: number,
): NoiseResult['suggested'] {
  const [wider, larger] = [
    upTo(
      lows.map((low) => -low),
      CALLED_UNCHANGED,
    ),
    upTo(falls, 1 - alpha),
  ];
  return {
    tolerance: wider !== null && tolerance !== 'auto' && wider > tolerance ? wider : null,
    min_drop: larger !== null && redAtLeast > alpha && larger > min_drop ? larger : null,
  };
}

function upTo(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  // Rounds up to the next whole point, because a drop must be smaller than the tolerance.
  return value === undefined ? null : Math.min(1, (Math.floor(value * 100) + 1) / 100);
}

function sumUsages(usages: readonly UsageTotals[]): UsageTotals {
  const asked = usages.filter(({ calls }) => calls > 0);
  const unpriced = asked.length > 0 && asked.every((usage) => usage.unpriced === 'programs');
  const cached = usages.reduce((sum, usage) => sum + (usage.cached_tokens ?? 0), 0);
  const sum = usages.reduce<UsageTotals>(
    (sum, usage) => ({
      ...addedCounts(sum, usage),
      input_tokens: sum.input_tokens + usage.input_tokens,
      output_tokens: sum.output_tokens + usage.output_tokens,
      by_purpose: addedPurposes(sum.by_purpose, usage.by_purpose),
    }),
    { ...NO_CALLS, input_tokens: 0, output_tokens: 0, by_purpose: {} },
  );
  return {
    ...sum,
    ...(cached === 0 ? {} : { cached_tokens: cached }),
    ...(unpriced ? { unpriced: 'programs' as const } : {}),
  };
}

type CallCounts = Pick<UsageTotals, 'calls' | 'reused' | 'replayed' | 'cost_usd'>;

const NO_CALLS: CallCounts = { calls: 0, reused: 0, cost_usd: 0 };

function addedCounts(a: CallCounts, b: CallCounts): CallCounts {
  return {
    calls: a.calls + b.calls,
    reused: a.reused + b.reused,
    replayed: (a.replayed ?? 0) + (b.replayed ?? 0),
    cost_usd: a.cost_usd === null || b.cost_usd === null ? null : a.cost_usd + b.cost_usd,
  };
}

type ByPurpose = UsageTotals['by_purpose'];

function addedPurposes(a: ByPurpose, b: ByPurpose): ByPurpose {
  const found = { ...a };
  for (const [purpose, counts] of Object.entries(b) as [keyof ByPurpose, CallCounts][])
    found[purpose] = addedCounts(found[purpose] ?? NO_CALLS, counts);
  return found;
}
