import type { ReferenceStatus, Result, SuiteResult } from '../types.ts';
import { countsForVerdict } from '../core/gate/counts.ts';
import { logLine } from '../text/log.ts';

/**
 * The action's outputs: numbers, words from a closed set and paths of our own; `title` is one
 * filtered line.
 */
export function outputsOf(
  result: Result,
  ids: { commentId: number | null; checkRunId: number | null },
  reportPath: string,
): Record<string, string> {
  const references = result.suites.flatMap((suite) => suite.references);
  const count = (...statuses: ReferenceStatus[]): string =>
    String(references.filter(({ status }) => statuses.includes(status)).length);
  return {
    conclusion: result.conclusion,
    title: logLine(result.title),
    regressed: count('regressed'),
    improved: count('improved'),
    inconclusive: count('inconclusive'),
    'regressed-attributes': String(
      result.attributes.filter(({ verdict }) => verdict === 'regressed').length,
    ),
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

/**
 * Mean of the suites' pass rates by how many references each stands on, four decimals; empty when
 * nothing was judged.
 */
function rate({ suites }: Result, side: 'base' | 'head'): string {
  const rates = suites.flatMap((suite) => {
    const share = suite.pass_rate[side];
    return share === null
      ? []
      : [
          {
            share,
            weight: suite.compared.references > 0 ? suite.compared.references : judged(suite, side),
          },
        ];
  });
  const weights = rates.reduce((sum, { weight }) => sum + weight, 0);
  return weights === 0
    ? ''
    : (rates.reduce((sum, { share, weight }) => sum + share * weight, 0) / weights).toFixed(4);
}

function judged({ references }: SuiteResult, side: 'base' | 'head'): number {
  return references.filter((one) => countsForVerdict(one) && (one[side]?.tries_judged ?? 0) > 0)
    .length;
}
