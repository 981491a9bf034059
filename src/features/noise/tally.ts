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

function sumUsages(usages: readonly UsageTotals[]): NoiseResult['usage'] {
  const sum = (pick: (usage: UsageTotals) => number): number =>
    usages.reduce((total, usage) => total + pick(usage), 0);
  const unpriced = usages.some(({ cost_usd }) => cost_usd === null);
  return {
    calls: sum(({ calls }) => calls),
    reused: sum(({ reused }) => reused),
    replayed: sum(({ replayed = 0 }) => replayed),
    input_tokens: sum(({ input_tokens }) => input_tokens),
    output_tokens: sum(({ output_tokens }) => output_tokens),
    cost_usd: unpriced ? null : sum(({ cost_usd }) => cost_usd ?? 0),
  };
}
