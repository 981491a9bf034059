import type { Result } from '../../kernel/result/result.ts';
import { wilson } from '../../report/sections/intervals.ts';
import { totalUsage, type UsageTotals } from '../../types/usage-totals.ts';
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
  const { cached_tokens: _, ...usage } = totalUsage(usages);
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
    usage,
  };
}
