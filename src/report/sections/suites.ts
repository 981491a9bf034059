import type { Because, Result, SuiteResult } from '../../types.ts';
import { signed } from '../../text/amounts.ts';
import { shorten } from '../../text/cut.ts';
import {
  code,
  group,
  joined,
  lineBreak,
  paragraph,
  text,
  type Block,
  type Line,
} from './document.ts';
import type { Detail } from './detail.ts';
import { SENTENCE } from './headline.ts';
import { suitesWorstFirst } from './order.ts';
import { andMore, change, rates, variantChanges, variantWords } from './phrases.ts';
import { countsForVerdict } from '../../core/gate/counts.ts';

/** Reasons named in a row; the rest is counted. */
const SHOWN_REASONS = 3;

/**
 * One row per suite, the worst first: base → head, the difference with its interval, verdict, and
 * why it ran.
 */
export function suitesTable(result: Result, detail: Detail): Block[] {
  const suites = suitesWorstFirst(result.suites);
  const shown = suites.slice(0, detail.suites);
  if (shown.length === 0) return [];
  const names = repeatedNames(suites);
  const rows = shown.map((suite) => {
    const cell = suiteCell(suite, names.has(suite.name));
    return [cell, ...(result.mode === 'sweep' ? sweepCells(suite) : diffCells(suite))];
  });
  const more = andMore(suites.length, shown.length);
  return [
    {
      kind: 'table',
      head: (result.mode === 'sweep' ? SWEEP_COLUMNS : DIFF_COLUMNS).map((name) => [text(name)]),
      rows,
    },
    ...(more === null ? [] : [paragraph([text(`${more} suites`)])]),
  ];
}

/** Each suite's verdict in a sentence: p, what is ruled out, what a run of this size sees. */
export function verdictsInWords({ suites, mode }: Result, { items }: Detail): Block[] {
  const told =
    mode === 'sweep' ? [] : suitesWorstFirst(suites).filter(({ summary }) => summary !== '');
  const shown = told.slice(0, items);
  const more = andMore(told.length, shown.length);
  return group(
    [text('The verdicts in words')],
    shown.length === 0
      ? []
      : [
          {
            kind: 'list',
            items: shown.map(({ name, summary }): Line => [
              code(name),
              text(`: ${shorten(summary, SENTENCE)}`),
            ]),
          },
          ...(more === null ? [] : [paragraph([text(`${more}.`)])]),
        ],
  );
}

const DIFF_COLUMNS = [
  'Suite',
  'Pass rate',
  'Difference, 90 % interval',
  'Refs × tries',
  'Verdict',
  'Because',
];
const SWEEP_COLUMNS = ['Suite', 'Pass rate', 'Refs × tries'];

function diffCells({ pass_rate: rate, compared, verdict, because }: SuiteResult): Line[] {
  return [
    [text(rates(rate.base, rate.head))],
    rate.difference === null ? [text('–')] : [text(change(rate)), ...interval(rate.low, rate.high)],
    [
      text(
        compared.references === 0
          ? '–'
          : `${String(compared.references)} × ${String(compared.tries)}`,
      ),
    ],
    [{ kind: 'verdict', verdict }],
    becauseLine(because),
  ];
}

function sweepCells(suite: SuiteResult): Line[] {
  return [[text(rates(null, suite.pass_rate.head))], [text(sweepSize(suite))]];
}

/** `5 × 2`: the references that gate and the most tries of one; a dash where none gates. */
export function sweepSize({ references }: SuiteResult): string {
  const counted = references.filter(countsForVerdict);
  const tries = counted.reduce((most, { head }) => Math.max(most, head?.tries.length ?? 0), 0);
  return counted.length === 0 ? '–' : `${String(counted.length)} × ${String(tries)}`;
}

function interval(low: number | null, high: number | null): Line {
  return low === null || high === null
    ? []
    : [lineBreak, text(`${signed(low)} to ${signed(high)}`)];
}

/**
 * The name; the variant where the name alone does not tell suites apart; what changed in it where
 * the change touched it.
 */
export function suiteCell({ name, variant, base_variant }: SuiteResult, repeated: boolean): Line {
  const words =
    base_variant !== null
      ? variantChanges(base_variant, variant)
      : repeated
        ? variantWords(variant)
        : '';
  return words === '' ? [code(name)] : [code(name), lineBreak, code(words)];
}

/** Names that more than one of the suites has. */
export function repeatedNames(suites: readonly SuiteResult[]): Set<string> {
  const names = suites.map(({ name }) => name);
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
}

export function becauseLine(because: readonly Because[]): Line {
  if (because.length === 0) return [text('–')];
  const more = andMore(because.length, SHOWN_REASONS);
  const lines = because
    .slice(0, SHOWN_REASONS)
    .map(({ key, file }): Line => [code(key), text(' in '), code(file)]);
  return [...joined(lines, '; '), ...(more === null ? [] : [text(` ${more}`)])];
}
