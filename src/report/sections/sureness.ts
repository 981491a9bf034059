import type { Result } from '../../kernel/result/result.ts';
import { andMore, cost, count, counted } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import { hasComparison, suitesWorstFirst } from '../../wording/figures.ts';
import { suiteSummary } from '../../wording/suites.ts';
import type { Detail } from './detail.ts';
import {
  SENTENCE,
  code,
  group,
  joinLines,
  list,
  paragraph,
  type Block,
  type Line,
  moreBlock,
} from './document.ts';
import type { Reports } from './feature-report.ts';
import { localCommand, makesCalls } from './footer.ts';
import { valueFigures } from './metrics.ts';
import { groupByEqualKey } from './order.ts';
import { runCost, suiteName, usagesByPurpose } from './phrases.ts';
import { scoringFigures } from './scoring.ts';
import { MAX_ROW_SUITES } from './suites.ts';

export function sureness(
  result: Result,
  { collapsedItems: items }: Detail,
  reports: Reports,
): Block[] {
  const { suites, mode } = result;
  const isJudged =
    mode === 'diff' &&
    suites.some(({ pass_rate, unit }) => pass_rate.head !== null || unit === 'values');
  const sentences = isJudged ? suiteSentences(result) : [];
  const shown = sentences.slice(0, items);
  return group(isJudged ? 'How sure is this?' : 'Calls and tokens', [
    ...list(shown.map(({ line }) => line)),
    ...moreBlock(
      isJudged ? suites.length : 0,
      shown.reduce((sum, { suites }) => sum + suites, 0),
    ),
    ...(suites.some(hasComparison) && shown.length > 0 ? [paragraph(VOCABULARY)] : []),
    ...list([
      ...valueFigures(result),
      ...scoringFigures(result),
      ...reports.flatMap((report) => report.sureness?.(result) ?? []),
      ...spent(result),
      ...repeated(result),
    ]),
  ]);
}

const VOCABULARY =
  'In 9 of 10 such runs the true change lies between these figures; p is the chance of a fall ' +
  'this large if nothing got worse.';

interface SuiteSentence {
  line: Line;
  suites: number;
}

function suiteSentences({ suites }: Result): SuiteSentence[] {
  const told = suitesWorstFirst(suites).map((suite) => ({ suite, summary: suiteSummary(suite) }));
  return groupByEqualKey(told, ({ summary }) => summary).map((same): SuiteSentence => {
    const [{ summary }] = same;
    const named = same.slice(0, MAX_ROW_SUITES).map(({ suite }) => suiteName(suite, suites));
    const more = andMore(same.length, named.length);
    const { reason } = same[0].suite;
    const why = reason === null ? '' : ` (evaldiff explain ${reason.by})`;
    const line = [...joinLines(named, ', '), `${more}: ${shorten(summary, SENTENCE)}${why}`];
    return { line, suites: same.length };
  });
}

function repeated(result: Result): Line[] {
  const { base, mode } = result;
  const isCommit = base !== null && base.sha !== 'worktree';
  if (!isCommit || mode === 'sweep' || !makesCalls(result)) return [];
  return [['Repeat it on your machine: ', code(localCommand(result, base.sha))]];
}

function spent(result: Result): Line[] {
  const { usage } = result;
  const { replayed = 0, saved_usd: saved = null, cached_tokens: cached = 0 } = usage;
  const ofCache = cached === 0 ? '' : ` (${count(cached)} from the vendor's cache)`;
  const made = makesCalls(result);
  const parts = [
    ...(made ? [`${counted(usage.calls, 'model call')}, ${count(usage.reused)} reused`] : []),
    ...(replayed === 0 ? [] : [`${counted(replayed, 'answer')} from recordings`]),
    ...(made
      ? [
          `${counted(usage.input_tokens, 'token')} in${ofCache}, ` +
            `${count(usage.output_tokens)} out`,
          `${runCost(usage)}${byPurpose(usage)}`,
        ]
      : []),
    ...(saved === null || saved === 0 ? [] : [`${cost(saved)} saved by reuse`]),
  ];
  return parts.length === 0 ? [] : [[parts.join(' · ')]];
}

function byPurpose(usage: Result['usage']): string {
  if (usage.unpriced === 'programs') return '';
  const paid = usagesByPurpose(usage).flatMap(({ purpose, cost_usd: dollars }) =>
    dollars === 0 ? [] : [`${purpose} ${cost(dollars)}`],
  );
  return paid.length > 1 ? ` (${paid.join(', ')})` : '';
}
