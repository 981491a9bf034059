import type { ReferenceStatus, Result } from '../types.ts';
import { logLine } from '../text/log.ts';

/** The action's outputs: numbers, words from a closed set and paths of our own; `title` is one filtered line. */
export function outputsOf(result: Result, ids: { commentId: number | null; checkRunId: number | null }, reportPath: string): Record<string, string> {
  const references = result.suites.flatMap((suite) => suite.references);
  const count = (...statuses: ReferenceStatus[]): string => String(references.filter(({ status }) => statuses.includes(status)).length);
  return {
    conclusion: result.conclusion,
    title: logLine(result.title),
    regressed: count('regressed'),
    improved: count('improved'),
    inconclusive: count('inconclusive'),
    'regressed-attributes': String(result.attributes.filter(({ verdict }) => verdict === 'regressed').length),
    errors: count('error', 'ungraded'),
    'pass-rate-base': rate(result, 'base'),
    'pass-rate-head': rate(result, 'head'),
    calls: String(result.usage.calls),
    reused: String(result.usage.reused),
    'cost-usd': result.usage.cost_usd === null ? '' : result.usage.cost_usd.toFixed(4),
    'report-path': reportPath,
    'comment-id': ids.commentId === null ? '' : String(ids.commentId),
    'check-run-id': ids.checkRunId === null ? '' : String(ids.checkRunId),
  };
}

/** Mean over all references that were judged on a side, four decimals; empty when none was. */
function rate({ suites }: Result, side: 'base' | 'head'): string {
  const rates = suites.flatMap(({ references }) => references.flatMap((reference) => {
    const counts = reference[side];
    return counts === null || counts.tries_judged === 0 ? [] : [counts.passes / counts.tries_judged];
  }));
  return rates.length === 0 ? '' : (rates.reduce((sum, one) => sum + one, 0) / rates.length).toFixed(4);
}
