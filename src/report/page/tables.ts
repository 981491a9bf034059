import type { TryResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { mean } from '../../kernel/statistics/sums.ts';
import { signed, count, counted, percent } from '../../text/amounts.ts';
import { type Markup, type MarkupPart, markup } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import { variantWords } from '../../wording/variants.ts';
import { type Links, NAME_LIMIT } from '../sections/document.ts';
import {
  VERDICTS,
  change,
  differenceWords,
  repeatedNames,
  andMore,
  rates,
} from '../sections/phrases.ts';
import {
  becauseLine,
  rateHead,
  ratesLine,
  suiteCell,
  sweepSize,
  verdictLook,
} from '../sections/suites.ts';
import { chip, lineHtml, ownCell, tableHtml, wrappedCell } from './blocks.ts';

export function suitesHtml(result: Result, links: Links): Markup | null {
  const { suites, mode } = result;
  if (suites.length === 0) return null;
  const reach = suites.reduce(
    (most, { pass_rate: { low, high } }) => Math.max(most, Math.abs(low ?? 0), Math.abs(high ?? 0)),
    0.05,
  );
  const repeated = repeatedNames(suites);
  const rows = suitesWorstFirst(suites).map((suite) => {
    const { name, pass_rate: rate, compared, because } = suite;
    const { sign, word, tone } = verdictLook(suite, result);
    const named = lineHtml(suiteCell(suite, repeated.has(name)), links);
    const passing = ownCell(lineHtml(ratesLine(suite, result), links));
    if (mode === 'sweep') return [wrappedCell(named), passing, ownCell(sweepSize(suite))];
    const between =
      rate.low === null || rate.high === null
        ? null
        : markup`<br><span class="soft">${signed(rate.low)} to ${signed(rate.high)}</span>`;
    return [
      wrappedCell(markup`${chip(`${sign} ${word}`, tone)}<br>${named}`),
      passing,
      ownCell(rate.difference === null ? '–' : [change(rate), between, intervalSvg(suite, reach)]),
      ownCell(
        compared.references === 0
          ? '–'
          : `${count(compared.references)} × ${count(compared.tries)}`,
      ),
      wrappedCell(lineHtml(becauseLine(because), links)),
    ];
  });
  const head =
    mode === 'sweep'
      ? ['Suite', rateHead(result), 'References × tries']
      : ['Suite', rateHead(result), 'Difference, 90 % interval', 'References × tries', 'Changed'];
  const more = rows.slice(MAX_OPEN_SUITES);
  const rest =
    more.length === 0
      ? null
      : markup`
          <details class="samples"><summary>${counted(more.length, 'more suite')}</summary>
            ${tableHtml(head, more)}
          </details>`;
  return markup`
    <section id="suites"><h2>Suites</h2>
      ${tableHtml(head, rows.slice(0, MAX_OPEN_SUITES))}${rest}
    </section>`;
}

/** If more suites were open, the references would be off the screen. */
const MAX_OPEN_SUITES = 20;

function intervalSvg({ pass_rate: rate, verdict }: SuiteResult, reach: number): Markup | null {
  if (rate.difference === null || rate.low === null || rate.high === null) return null;
  const x = (value: number) => (80 + 74 * (value / reach)).toFixed(1);
  const low = x(rate.low);
  const high = x(rate.high);
  return drawingHtml(
    VERDICTS[verdict].tone,
    22,
    differenceWords(rate) ?? '',
    markup`
      <line class="axis" x1="6" y1="11" x2="154" y2="11"/>
      <line class="axis" x1="80" y1="2" x2="80" y2="20"/>
      <line class="range" x1="${low}" y1="11" x2="${high}" y2="11"/>
      <circle class="dot" cx="${x(rate.difference)}" cy="11" r="5"/>`,
  );
}

function drawingHtml(kind: string, height: number, label: string, shapes: Markup): Markup {
  const box = markup`width="160" height="${height}" viewBox="0 0 160 ${height}"`;
  return markup`<svg class="${kind}" ${box} role="img" aria-label="${label}">${shapes}</svg>`;
}

const MAX_METRIC_SUITES = 100;

export function metricsHtml({ suites }: Result): Markup | null {
  const several = suitesWorstFirst(suites).filter(
    (suite) => suite.metrics.length > 1 || suite.metrics.some(({ name }) => hasValues(suite, name)),
  );
  if (several.length === 0) return null;
  const shown = several.slice(0, MAX_METRIC_SUITES);
  const more = andMore(several.length, shown.length);
  const tables = shown.map((suite) => {
    const variant = variantWords(suite.variant);
    const words = variant === '' ? null : markup`<span class="soft">${variant}</span>`;
    return markup`
      <h3><code>${shorten(suite.name, NAME_LIMIT)}</code>${words}</h3>${suiteHtml(suite)}`;
  });
  return markup`
    <section id="metrics"><h2>Metrics</h2>
      ${tables}
      ${more === null ? null : markup`<p>${more} suites</p>`}
    </section>`;
}

function suiteHtml(suite: SuiteResult): Markup {
  const spread = suite.metrics.some(({ name }) => hasValues(suite, name));
  return tableHtml(
    ['Metric', 'Pass rate', 'Judged', ...(spread ? ['Values'] : [])],
    suite.metrics.map(({ name, base, head, judged_base, judged_head, gates, values }) => [
      wrappedCell([
        markup`<code>${name}</code>`,
        !gates && values?.gate !== 'fail' ? chip('does not gate', 'neutral') : null,
      ]),
      ownCell(base === null ? percent(head) : rates(base, head)),
      ownCell(base === null ? count(judged_head) : `${count(judged_base)} → ${count(judged_head)}`),
      ...(spread ? [ownCell(spreadHtml(suite, name))] : []),
    ]),
  );
}

function hasValues(suite: SuiteResult, metric: string): boolean {
  return suite.references.some(({ head }) =>
    (head?.tries ?? []).some((tryResult) => numericScore(tryResult, metric) !== null),
  );
}

function numericScore({ scores }: TryResult, metric: string): number | null {
  const value = scores.find((score) => score.metric === metric)?.value;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

const BINS = 16;

function spreadHtml({ references }: SuiteResult, metric: string): MarkupPart {
  const values = (side: 'base' | 'head') =>
    references.flatMap((reference) =>
      (reference[side]?.tries ?? []).flatMap((tryResult) => numericScore(tryResult, metric) ?? []),
    );
  const base = values('base');
  const head = values('head');
  const all = [...base, ...head];
  if (all.length === 0) return '–';
  const least = all.reduce((a, b) => Math.min(a, b));
  const most = all.reduce((a, b) => Math.max(a, b));
  const binOf = (value: number) =>
    most === least ? 0 : Math.min(BINS - 1, Math.floor(((value - least) / (most - least)) * BINS));
  const bins = (of: readonly number[]) => {
    const counts = Map.groupBy(of, binOf);
    const share = (bin: number) => (counts.get(bin)?.length ?? 0) / Math.max(1, of.length);
    return Array.from({ length: BINS }, (_, bin) => share(bin));
  };
  const above = bins(base);
  const below = bins(head);
  const top = [...above, ...below].reduce((a, b) => Math.max(a, b));
  const bar = (share: number, at: number, side: 'base' | 'head') => {
    const height = (18 * share) / top;
    const y = side === 'base' ? 20 - height : 22;
    const place = markup`x="${at * 10 + 1}" y="${y.toFixed(1)}"`;
    return share === 0
      ? null
      : markup`<rect class="${side}" ${place} width="8" height="${height.toFixed(1)}"/>`;
  };
  const axis = `from ${number(least)} to ${number(most)}`;
  const label = `base ○ ${meanWords(base)}, head ● ${meanWords(head)}, ${axis}`;
  const bars = markup`
    <line class="axis" x1="0" y1="21" x2="160" y2="21"/>
    ${above.map((share, at) => bar(share, at, 'base'))}
    ${below.map((share, at) => bar(share, at, 'head'))}`;
  return markup`${drawingHtml('spread', 42, label, bars)}<span class="soft">${label}</span>`;
}

function meanWords(values: readonly number[]): string {
  if (values.length === 0) return 'none';
  return `mean ${number(mean(values))} of ${counted(values.length, 'value')}`;
}

function number(value: number): string {
  return String(Number(value.toPrecision(3)));
}
