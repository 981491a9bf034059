import type { Result } from '../../result/result.ts';
import type { SuiteResult } from '../../result/suite-result.ts';
import { signed, count, counted } from '../../text/amounts.ts';
import { escapeMarkup } from '../../text/visible.ts';
import type { Links } from '../sections/document.ts';
import { suitesWorstFirst } from '../sections/order.ts';
import { VERDICTS, change, difference, repeatedNames } from '../sections/phrases.ts';
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
          : `${change(rate)}${rate.low === null || rate.high === null ? '' : `<br><span class="soft">${signed(rate.low)} to ${signed(rate.high)}</span>`}${intervalSvg(suite, reach)}`,
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

/** Suites that stand open; a longer list would hide the references below it. */
const OPEN_SUITES = 20;

/** The interval on an axis that all suites share; `reach` is its half width, 0–1. */
function intervalSvg({ pass_rate: rate, verdict }: SuiteResult, reach: number): string {
  if (rate.difference === null || rate.low === null || rate.high === null) return '';
  const x = (value: number): string => (80 + 74 * (value / reach)).toFixed(1);
  return (
    `<svg class="${VERDICTS[verdict].tone}" width="160" height="22" viewBox="0 0 160 22" role="img" aria-label="${escapeMarkup(difference(rate) ?? '')}">` +
    '<line class="axis" x1="6" y1="11" x2="154" y2="11"/><line class="axis" x1="80" y1="2" x2="80" y2="20"/>' +
    `<line class="range" x1="${x(rate.low)}" y1="11" x2="${x(rate.high)}" y2="11"/><circle class="dot" cx="${x(rate.difference)}" cy="11" r="5"/></svg>`
  );
}
