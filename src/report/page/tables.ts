import type { TryResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { mean } from '../../kernel/statistics/sums.ts';
import { variantWords } from '../../kernel/suite/suite.ts';
import { signed, count, counted, percent } from '../../text/amounts.ts';
import { escapeMarkup, shorten } from '../../text/visible.ts';
import { type Links, NAME_LIMIT } from '../sections/document.ts';
import { suitesWorstFirst } from '../sections/order.ts';
import {
  VERDICTS,
  change,
  difference,
  repeatedNames,
  andMore,
  rates,
} from '../sections/phrases.ts';
import { becauseLine, ratesLine, suiteCell, sweepSize, verdictOf } from '../sections/suites.ts';
import { chip, lineHtml, tableHtml } from './blocks.ts';

export function suitesHtml(result: Result, links: Links): string {
  const { suites, mode } = result;
  if (suites.length === 0) return '';
  const reach = suites.reduce(
    (most, { pass_rate: { low, high } }) => Math.max(most, Math.abs(low ?? 0), Math.abs(high ?? 0)),
    0.05,
  );
  const repeated = repeatedNames(suites);
  const rows = suitesWorstFirst(suites).map((suite) => {
    const { name, pass_rate: rate, compared, because } = suite;
    const { sign, word, tone } = verdictOf(suite, result);
    const own = (html: string): Cell => ({ html, own: true });
    const start: [Cell, Cell] = [
      { html: lineHtml(suiteCell(suite, repeated.has(name)), links), own: false },
      own(lineHtml(ratesLine(suite, result), links)),
    ];
    if (mode === 'sweep') return [...start, own(sweepSize(suite))];
    const [named, passing] = start;
    return [
      { html: `${chip(`${sign} ${word}`, tone)}<br>${named.html}`, own: false },
      passing,
      own(
        rate.difference === null
          ? '–'
          : [
              change(rate),
              rate.low === null || rate.high === null
                ? ''
                : `<br><span class="soft">${signed(rate.low)} to ${signed(rate.high)}</span>`,
              intervalSvg(suite, reach),
            ].join(''),
      ),
      own(
        compared.references === 0
          ? '–'
          : `${count(compared.references)} × ${count(compared.tries)}`,
      ),
      { html: lineHtml(becauseLine(because), links), own: false },
    ];
  });
  const head =
    mode === 'sweep'
      ? ['Suite', 'Pass rate', 'References × tries']
      : ['Suite', 'Pass rate', 'Difference, 90 % interval', 'References × tries', 'Changed'];
  const more = rows.slice(OPEN_SUITES);
  const rest =
    more.length === 0
      ? ''
      : `<details class="samples"><summary>${counted(more.length, 'more suite')}</summary>${tableHtml(head, more)}</details>`;
  return `<section id="suites"><h2>Suites</h2>${tableHtml(head, rows.slice(0, OPEN_SUITES))}${rest}</section>`;
}

interface Cell {
  html: string;
  own: boolean;
}

/** More open suites would push the references off the screen. */
const OPEN_SUITES = 20;

/** The interval on an axis shared by all suites; `reach` is its half width, 0–1. */
function intervalSvg({ pass_rate: rate, verdict }: SuiteResult, reach: number): string {
  if (rate.difference === null || rate.low === null || rate.high === null) return '';
  const x = (value: number): string => (80 + 74 * (value / reach)).toFixed(1);
  return (
    `<svg class="${VERDICTS[verdict].tone}" width="160" height="22" viewBox="0 0 160 22" role="img" aria-label="${escapeMarkup(difference(rate) ?? '')}">` +
    '<line class="axis" x1="6" y1="11" x2="154" y2="11"/><line class="axis" x1="80" y1="2" x2="80" y2="20"/>' +
    `<line class="range" x1="${x(rate.low)}" y1="11" x2="${x(rate.high)}" y2="11"/><circle class="dot" cx="${x(rate.difference)}" cy="11" r="5"/></svg>`
  );
}

/** Suites whose metrics are shown. */
const MOST_SUITES = 100;

/** Each suite's metrics: passes on both sides, and distribution of values. */
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
      return [
        `<h3><code>${escapeMarkup(shorten(suite.name, NAME_LIMIT))}</code>`,
        variant === '' ? '' : `<span class="soft">${escapeMarkup(variant)}</span>`,
        `</h3>${suiteHtml(suite)}`,
      ].join('');
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

/** Distribution of a metric: base's outline above the line, head's bars below it. */
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
  return [
    '<svg class="spread" width="160" height="42" viewBox="0 0 160 42"',
    ` role="img" aria-label="${escapeMarkup(label)}">`,
    '<line class="axis" x1="0" y1="21" x2="160" y2="21"/>',
    above.map((share, at) => bar(share, at, 'base')).join(''),
    `${below.map((share, at) => bar(share, at, 'head')).join('')}</svg>`,
    `<span class="soft">${escapeMarkup(label)}</span>`,
  ].join('');
}

function meanWords(values: readonly number[]): string {
  if (values.length === 0) return 'none';
  return `mean ${number(mean(values))} of ${counted(values.length, 'value')}`;
}

function number(value: number): string {
  return String(Number(value.toPrecision(3)));
}
