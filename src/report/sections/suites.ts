import { countsForVerdict, failingMetrics, showsOnly, isNew } from '../../kernel/result/counts.ts';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { Because, SuiteResult } from '../../kernel/result/suite-result.ts';
import { andMore, count, counted, percent } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import { isOfPrompt, numberInWords, suitesWorstFirst, valueWords } from '../../wording/figures.ts';
import { preferredWords } from '../../wording/rates.ts';
import { ownVariant, variantChanges } from '../../wording/variants.ts';
import type { Detail } from './detail.ts';
import {
  code,
  group,
  joinLines,
  lineBreak,
  paragraph,
  place,
  table,
  type Block,
  type Line,
  SENTENCE,
  wordsLine,
  moreBlock,
} from './document.ts';
import { testNames } from './faces.ts';
import { groupByEqualKey } from './order.ts';
import {
  METRIC_FAILS,
  LACKS_VERDICT,
  SHOWN_ONLY,
  SCORING_CHANGED,
  VERDICTS,
  WITHOUT_VERDICT,
  change,
  metricRates,
  rates,
  rolledWords,
  type VerdictLook,
} from './phrases.ts';

const SHOWN_REASONS = 3;

export function suitesTable(result: Result, detail: Detail): Block[] {
  const { mode } = result;
  const suites = suitesWorstFirst(result.suites);
  const [only] = suites;
  if (mode === 'diff' && suites.length < 2)
    return only === undefined || detail.suites === 0 ? [] : passTable(only, result, detail);
  const groups = groupIntoRows(suites, result).slice(0, detail.suites);
  if (groups.length === 0) return [];
  const rows = groups.map(([suite, ...same]) => {
    const cell = suiteCell(suite, suites, same);
    return mode === 'sweep'
      ? [cell, [...ratesOf(suite), ...rollUpLine(suite), ...metricLine(suite)], [sweepSize(suite)]]
      : [
          [{ kind: 'verdict' as const, ...verdictLook(suite, result) }, lineBreak, ...cell],
          ratesCell(suite, result),
          [...becauseLine(suite.because), ...moreFiles(suite, same)],
        ];
  });
  const diffColumns = ['Suite', rateHead(result), 'Changed'];
  const sweepColumns = ['Suite', rateHead(result), 'Refs × tries'];
  const rest = moreBlock(suites.length, groups.flat().length, 'suites');
  if (mode === 'diff')
    return group(suitesInWords(result), [
      ...table(diffColumns, rows),
      ...rest,
      paragraph(TEST_PASSES, 'small'),
    ]);
  const open = rows.slice(0, OPEN_SUITES);
  const folded = rows.slice(OPEN_SUITES);
  const below = suites.length - groups.slice(0, OPEN_SUITES).flat().length;
  return [
    ...table(sweepColumns, open),
    ...(folded.length === 0
      ? rest
      : group(counted(below, 'more suite'), [...table(sweepColumns, folded), ...rest])),
  ];
}

const TEST_PASSES = 'A test passes if all its tries pass, or by the roll-up that is named.';

function suitesInWords(result: Result): string {
  const suites = suitesWorstFirst(result.suites);
  const words = suites
    .map((suite) => verdictLook(suite, result).word)
    .filter((word) => word !== VERDICTS.unchanged.word);
  const [worst] = words;
  const all = counted(suites.length, 'suite');
  if (worst === undefined) return all;
  return `${all}: ${count(words.filter((word) => word === worst).length)} ${worst}`;
}

const FEW_SUITES = 3;

function groupIntoRows(
  suites: readonly SuiteResult[],
  result: Result,
): [SuiteResult, ...SuiteResult[]][] {
  const isGreen = suites.every(({ verdict }) => verdict === 'unchanged');
  if (result.mode === 'sweep' || suites.length <= (isGreen ? FEW_SUITES : OPEN_SUITES))
    return suites.map((suite) => [suite]);
  return groupByEqualKey(suites, (suite) =>
    JSON.stringify([
      verdictLook(suite, result).word,
      ratesCell(suite, result),
      suite.base_variant === null ? null : variantChanges(suite.base_variant, suite.variant),
      suite.because.map(({ key }) => key),
      ownVariant(suite, suites) === '' ? null : [suite.name, suite.variant],
    ]),
  );
}

function moreFiles({ because }: SuiteResult, same: readonly SuiteResult[]): Line {
  const own = new Set(because.map(({ file }) => file));
  const others = new Set(same.flatMap((suite) => suite.because.map(({ file }) => file)));
  const more = [...others].filter((file) => !own.has(file)).length;
  return more === 0 ? [] : [`; the same in ${counted(more, 'more file')}`];
}

const OPEN_SUITES = 20;

/** Heads the column with the suites' pass rates, or with values if all suites have only those. */
export function rateHead({ suites }: Result): string {
  return suites.every((suite) => valueWords(suite) !== null) ? 'Values' : 'Pass rate';
}

export function verdictLook(suite: SuiteResult, { scoring, outcome }: Result): VerdictLook {
  if (suite.verdict !== 'regressed') {
    if (failingMetrics(suite).length > 0 && suite.reason?.by !== 'values') return METRIC_FAILS;
    // Even without a metric that affects the verdict, a suite regresses if head does not answer.
    if (showsOnly(suite)) return SHOWN_ONLY;
  }
  const changed = scoring.find(isOfPrompt(suite));
  const moved =
    changed !== undefined &&
    (changed.flipped.length > 0 || changed.rates.base_base !== changed.rates.base_head);
  if (suite.verdict !== 'unchanged') return VERDICTS[suite.verdict];
  if (moved) return SCORING_CHANGED;
  return WITHOUT_VERDICT.has(outcome.kind) ? LACKS_VERDICT : VERDICTS.unchanged;
}

/**
 * If only the metrics changed, shows the rates of the same answers under base's and head's metrics.
 */
export function ratesLine(suite: SuiteResult, { scoring }: Result, below: Line = []): Line {
  const { difference } = suite.pass_rate;
  const own = scoring.find(isOfPrompt(suite))?.rates;
  const another = own !== undefined && own.base_base !== null && own.base_base !== own.base_head;
  if (another && difference === null)
    return [
      rates(own.base_base, own.base_head),
      lineBreak,
      "same answers, base's → head's scoring",
      ...rollUpLine(suite),
    ];
  return [
    ...ratesOf(suite),
    ...below,
    ...rollUpLine(suite),
    ...(another ? [lineBreak, `base under its own scoring ${percent(own.base_base)}`] : []),
  ];
}

function ratesOf(suite: SuiteResult): Line {
  const { base, head } = suite.pass_rate;
  const values = valueWords(suite);
  return values === null ? [preferredWords(suite) ?? rates(base, head)] : wordsLine(values);
}

function ratesCell(suite: SuiteResult, result: Result): Line {
  const { pass_rate: rate } = suite;
  const moved = rate.difference === null ? [] : [lineBreak, change(rate)];
  return [
    ...ratesLine(suite, result, moved),
    ...changeCounts(suite).flatMap((words) => [lineBreak, words]),
    ...metricLine(suite),
    ...(valueWords(suite) === null ? failingMetrics(suite) : []).flatMap((metric) => [
      lineBreak,
      numberInWords(metric.name, metric.values),
    ]),
  ];
}

function rollUpLine(suite: SuiteResult): Line {
  const words = rolledWords(suite);
  return words === null ? [] : [lineBreak, words];
}

function metricLine(suite: SuiteResult): Line {
  const words = metricRates(suite);
  return words === null ? [] : [lineBreak, shorten(words, SENTENCE)];
}

export function sweepSize({ references }: SuiteResult): string {
  const counting = references.filter(countsForVerdict);
  const tries = counting.reduce((most, { head }) => Math.max(most, head?.tries.length ?? 0), 0);
  return counting.length === 0 ? '–' : `${counting.length} × ${tries}`;
}

export const MAX_ROW_SUITES = 8;

export function suiteCell(
  suite: SuiteResult,
  suites: readonly SuiteResult[],
  same: readonly SuiteResult[] = [],
): Line {
  const { variant, base_variant: base } = suite;
  const words = base === null ? ownVariant(suite, suites) : variantChanges(base, variant);
  const named = [suite, ...same].slice(0, MAX_ROW_SUITES);
  return [
    ...joinLines(
      named.map(({ name }) => code(name)),
      ', ',
    ),
    andMore(same.length + 1, named.length),
    ...(words === '' ? [] : [lineBreak, code(words)]),
  ];
}

export function becauseLine(because: readonly Because[]): Line {
  if (because.length === 0) return ['–'];
  const lines = because
    .slice(0, SHOWN_REASONS)
    .flatMap(({ key, file }, index, shown) => [
      ...(key === shown[index - 1]?.key ? [', '] : [index === 0 ? '' : '; ', code(key), ' in ']),
      place(file, 0, key === 'removed prompt' ? 'base' : 'head'),
    ]);
  return [...lines, andMore(because.length, SHOWN_REASONS)];
}

const OUTCOMES = ['pass', 'fail'] as const;

interface OutcomeChange {
  words: string;
  isChange: boolean;
  tests: ReferenceResult[];
}

/** Groups tests that are not new and have an outcome on both sides. The roll-up decides a test's outcome. */
function outcomeChanges(suite: SuiteResult): OutcomeChange[] {
  return OUTCOMES.flatMap((before) =>
    OUTCOMES.map((after) => ({
      words: `${before} → ${after}`,
      isChange: before !== after,
      tests: suite.references.filter(
        (reference) =>
          countsForVerdict(reference) &&
          !isNew(reference, suite) &&
          reference.base?.rollup === before &&
          reference.head?.rollup === after,
      ),
    })),
  );
}

/** For example `14 pass → pass` and `6 pass → fail`. */
function changeCounts(suite: SuiteResult): string[] {
  return outcomeChanges(suite).flatMap(({ words, tests }) =>
    tests.length === 0 ? [] : [`${count(tests.length)} ${words}`],
  );
}

const MOST_CHANGED_NAMES = 5;

/** The passes and fails of a run's only suite. */
function passTable(suite: SuiteResult, { scoring }: Result, { collapsedItems }: Detail): Block[] {
  const changes = outcomeChanges(suite);
  const all = changes.flatMap(({ tests }) => tests).length;
  if (all === 0) return [];
  const moved = changes
    .filter(({ isChange, tests }) => isChange && tests.length > 0 && suite.verdict !== 'unchanged')
    .map(({ words, tests }) => `${count(tests.length)} ${words}`);
  const metrics = metricRates(suite);
  const most = Math.min(MOST_CHANGED_NAMES, collapsedItems);
  const { policy } = suite.rollups;
  return group(
    [counted(all, 'test'), ...(moved.length === 0 ? [] : [moved.join(', ')])].join(': '),
    [
      ...table(
        ['Base → head', 'Tests'],
        changes.map(({ words, isChange, tests }) => [
          words,
          [
            count(tests.length),
            ...(isChange && tests.length > 0 ? [': ', ...testNames(tests, most)] : []),
          ],
        ]),
      ),
      paragraph([
        policy === 'all' ? 'A test passes if all its tries pass.' : `Roll-up: ${policy}.`,
        scoring.length === 0 ? '' : " Head's scoring judges both sides.",
        metrics === null ? '' : ` By metric: ${metrics}.`,
      ]),
    ],
  );
}
