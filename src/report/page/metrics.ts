import type { TryResult } from '../../result/reference-result.ts';
import type { Result } from '../../result/result.ts';
import type { SuiteResult } from '../../result/suite-result.ts';
import { mean } from '../../statistics/sums.ts';
import { variantWords } from '../../suite/suite.ts';
import { count, counted, percent } from '../../text/amounts.ts';
import { escapeMarkup, shorten } from '../../text/visible.ts';
import { NAME_LIMIT } from '../sections/document.ts';
import { suitesWorstFirst } from '../sections/order.ts';
import { andMore, rates } from '../sections/phrases.ts';
import { chip, tableHtml } from './blocks.ts';

/** Suites whose metrics are shown. */
const MOST_SUITES = 100;

/** What of each suite's metrics passed on either side, and how their values are spread. */
export function metricsHtml({ suites }: Result): string {
  const several = suitesWorstFirst(suites).filter(
    (suite) => suite.metrics.length > 1 || suite.metrics.some(({ name }) => hasValues(suite, name)),
  );
  if (several.length === 0) return '';
  const shown = several.slice(0, MOST_SUITES);
  const more = andMore(several.length, shown.length);
  return [
    '<section id="metrics"><h2>Metrics</h2>',
    ...shown.map((suite) => {
      const variant = variantWords(suite.variant);
      return `<h3><code>${escapeMarkup(shorten(suite.name, NAME_LIMIT))}</code>${variant === '' ? '' : `<span class="soft">${escapeMarkup(variant)}</span>`}</h3>${suiteHtml(suite)}`;
    }),
    ...(more === null ? [] : [`<p>${escapeMarkup(more)} suites</p>`]),
    '</section>',
  ].join('\n');
}

function suiteHtml(suite: SuiteResult): string {
  const spread = suite.metrics.some(({ name }) => hasValues(suite, name));
  return tableHtml(
    ['Metric', 'Pass rate', 'Judged', ...(spread ? ['Values'] : [])],
    suite.metrics.map(({ name, base, head, judged_base, judged_head, gates, values }) => [
      {
        html: `<code>${escapeMarkup(name)}</code>${gates === false && values?.gate !== 'fail' ? chip('does not gate', 'neutral') : ''}`,
        own: false,
      },
      { html: base === null ? percent(head) : rates(base, head), own: true },
      {
        html: base === null ? count(judged_head) : `${count(judged_base)} → ${count(judged_head)}`,
        own: true,
      },
      ...(spread ? [{ html: spreadHtml(suite, name), own: true }] : []),
    ]),
  );
}

function hasValues(suite: SuiteResult, metric: string): boolean {
  return suite.references.some(({ head }) =>
    (head?.tries ?? []).some((tryResult) => valueOf(tryResult, metric) !== null),
  );
}

function valueOf({ scores }: TryResult, metric: string): number | null {
  const value = scores.find((score) => score.metric === metric)?.value;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

const BINS = 16;

/** How the values of a metric are spread: base's outline above the line, head's bars below it. */
function spreadHtml({ references }: SuiteResult, metric: string): string {
  const values = (side: 'base' | 'head'): number[] =>
    references.flatMap((reference) =>
      (reference[side]?.tries ?? []).flatMap((tryResult) => valueOf(tryResult, metric) ?? []),
    );
  const [base, head] = [values('base'), values('head')];
  const all = [...base, ...head];
  if (all.length === 0) return '–';
  const least = all.reduce((a, b) => Math.min(a, b));
  const most = all.reduce((a, b) => Math.max(a, b));
  const bins = (of: readonly number[]): number[] => {
    const found = Array.from({ length: BINS }, () => 0);
    for (const value of of) {
      const at = most === least ? 0 : Math.floor(((value - least) / (most - least)) * BINS);
      const bin = Math.min(BINS - 1, at);
      found[bin] = (found[bin] ?? 0) + 1 / of.length;
    }
    return found;
  };
  const [above, below] = [bins(base), bins(head)];
  const top = [...above, ...below].reduce((a, b) => Math.max(a, b));
  const bar = (share: number, at: number, side: 'base' | 'head'): string => {
    const height = (18 * share) / top;
    return share === 0
      ? ''
      : `<rect class="${side}" x="${String(at * 10 + 1)}" y="${(side === 'base' ? 20 - height : 22).toFixed(1)}" width="8" height="${height.toFixed(1)}"/>`;
  };
  const label = `base ○ ${meanWords(base)}, head ● ${meanWords(head)}, from ${number(least)} to ${number(most)}`;
  return `<svg class="spread" width="160" height="42" viewBox="0 0 160 42" role="img" aria-label="${escapeMarkup(label)}"><line class="axis" x1="0" y1="21" x2="160" y2="21"/>${above.map((share, at) => bar(share, at, 'base')).join('')}${below.map((share, at) => bar(share, at, 'head')).join('')}</svg><span class="soft">${escapeMarkup(label)}</span>`;
}

function meanWords(values: readonly number[]): string {
  if (values.length === 0) return 'none';
  return `mean ${number(mean(values))} of ${counted(values.length, 'value')}`;
}

function number(value: number): string {
  return String(Number(value.toPrecision(3)));
}
