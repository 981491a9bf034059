import type { Result } from '../../kernel/result/result.ts';
import { wilson } from '../../report/sections/intervals.ts';
import type { UsageTotals } from '../../types/usage-totals.ts';
import type { NoiseResult } from './result.ts';

interface NoiseTally {
  red: number;
  neutral: number;
  judged: number;
  unjudged: number;
  usages: UsageTotals[];
}

export function startTally(): NoiseTally {
  return { red: 0, neutral: 0, judged: 0, unjudged: 0, usages: [] };
}

export function countComparison(
  tally: NoiseTally,
  { conclusion, usage }: Pick<Result, 'conclusion' | 'usage'>,
): void {
  tally.usages.push(usage);
  if (conclusion === 'error') {
    tally.unjudged += 1;
    return;
  }
  tally.judged += 1;
  if (conclusion === 'failure') tally.red += 1;
  if (conclusion === 'neutral') tally.neutral += 1;
}

export type NoiseHead = Pick<NoiseResult, 'head' | 'gate' | 'n_tries' | 'measured_at'>;

export function noiseResult(
  head: NoiseHead,
  { red, neutral, judged: runs, unjudged, usages }: NoiseTally,
  { notices, problems }: Pick<NoiseResult, 'notices' | 'problems'>,
): NoiseResult {
  const share = wilson({ passes: red, tries: runs }) ?? { low: 0, high: 1 };
  return {
    noise_version: 1,
    ...head,
    red,
    runs,
    ...share,
    unjudged,
    neutral,
    notices,
    problems,
    usage: sumUsages(usages),
  };
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
