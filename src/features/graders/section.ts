import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { OBJECT_WORDS } from '../../metrics/objects.ts';
import type { Detail } from '../../report/sections/detail.ts';
import {
  code,
  group,
  paragraph,
  table,
  type Block,
  type Cell,
  type Line,
  moreBlock,
} from '../../report/sections/document.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { rateInterval, suiteName } from '../../report/sections/phrases.ts';
import { counted, twoDecimals, percent, signed } from '../../text/amounts.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { Side } from '../../types/plain.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import type { GraderError, GraderResult } from './result.ts';

export function graderErrors({ suites }: Result, { collapsedItems: items }: Detail): Block[] {
  const found = suitesWorstFirst(suites).flatMap((suite) =>
    suite.grader_error === undefined ? [] : [{ suite, error: suite.grader_error }],
  );
  if (found.length === 0) return [];
  const shown = found.slice(0, items);
  return group(`Pass rates corrected for grader errors, ${counted(found.length, 'suite')}`, [
    ...table(
      ['Suite', 'Seen', 'Corrected, 90 % interval', 'Difference', 'Grader is right'],
      shown.map(({ suite, error }) => graderErrorRow(suite, suiteName(suite, suites), error)),
    ),
    ...shown.flatMap(({ suite, error }) => remark(suiteName(suite, suites), error)),
    ...moreBlock(found.length, shown.length),
  ]);
}

function graderErrorRow({ pass_rate }: SuiteResult, name: Line, error: GraderError): Cell[] {
  const { good, bad, difference, objects } = error;
  const { base, head } = objects ?? pass_rate;
  const rates = [error.base, error.head].flatMap((rate) =>
    rate === null ? [] : [`${percent(rate.rate)} (${rateInterval(rate)})`],
  );
  return [
    [...name, objects === undefined ? '' : `, by ${OBJECT_WORDS[objects.level]}`],
    [base, head].flatMap((rate) => (rate === null ? [] : [percent(rate)])).join(' → '),
    rates.length === 0 ? '–' : rates.join(' → '),
    difference === null
      ? '–'
      : `${signed(difference.difference)} points, ${signed(difference.low)} to ` +
        `${signed(difference.high)}`,
    `${good.right} of ${good.n} good, ${bad.right} of ${bad.n} bad`,
  ];
}

function remark(name: Line, { kind, metric, wrong }: GraderError): Block[] {
  if (kind === 'corrected') return [];
  const who = metric === 'conversation' ? 'the evaluators are' : 'the grader is';
  const words =
    kind === 'within error'
      ? `: the difference is within the grader's own error of about ${percent(wrong)}: ` +
        'different grader errors on base and head could explain it. More ' +
        'labelled examples of '
      : `: on the labelled examples ${who} no better than chance, so the rates ` +
        'cannot be corrected. More labelled examples of ';
  return [paragraph([...name, words, code(metric), ' would help.'])];
}

export function graderAgreement(
  { graders: results }: Result,
  { collapsedItems: items }: Detail,
): Block[] {
  if (results.length === 0) return [];
  const names = [...new Set(results.map(({ rubric }) => rubric))].sort(byCodeUnits);
  const pairs = names.map((name) => ({
    name,
    base: results.find(({ rubric, side }) => rubric === name && side === 'base') ?? null,
    head: results.find(({ rubric, side }) => rubric === name && side === 'head') ?? null,
  }));
  const shown = pairs.slice(0, items);
  return group(`Grader agreement with labelled examples, ${counted(pairs.length, 'rubric')}`, [
    ...table(AGREEMENT_COLUMNS, shown.map(graderRow)),
    ...shown.flatMap(({ head, base }) => flippedExamples(head ?? base, items)),
    ...moreBlock(pairs.length, shown.length),
  ]);
}

const AGREEMENT_COLUMNS = [
  'Rubric',
  'Examples',
  'Agreement',
  'Accepts good',
  'Rejects bad',
  "Cohen's κ",
  'Good among examples',
];

function graderRow({
  name,
  base,
  head,
}: { name: string } & Record<Side, GraderResult | null>): Cell[] {
  const shown = head ?? base;
  const both = (
    key: 'agreement' | 'true_positive_rate' | 'true_negative_rate' | 'kappa',
    word: (value: number | null) => string,
  ): Line => {
    const [before, after] = [base?.[key], head?.[key]];
    if (before === undefined) return [word(after ?? null)];
    return [after === undefined ? `${word(before)} (base)` : `${word(before)} → ${word(after)}`];
  };
  return [
    code(name),
    examplesOf(shown),
    both('agreement', percent),
    both('true_positive_rate', percent),
    both('true_negative_rate', percent),
    both('kappa', twoDecimals),
    percent(shown?.base_rate ?? null),
  ];
}

function examplesOf(grader: GraderResult | null): string {
  if (grader === null) return '0';
  return grader.judged === grader.examples
    ? String(grader.examples)
    : `${grader.judged} of ${grader.examples}`;
}

function flippedExamples(grader: GraderResult | null, items: number): Block[] {
  const flipped = grader?.flipped ?? [];
  if (grader === null || flipped.length === 0 || items === 0) return [];
  return table(
    [[code(grader.rubric), ': example'], 'Label', 'Base says', 'Head says'],
    flipped.map(({ content, expected, base, head }) => [
      code(content, 200),
      code(expected),
      base === null ? '–' : code(base),
      head === null ? '–' : code(head),
    ]),
    items,
  );
}

export const gradersReport: FeatureReport = {
  hasContent: ({ graders }) => graders.length > 0,
  sections: {
    scoringChange: (result, detail) => [
      ...graderAgreement(result, detail),
      ...graderErrors(result, detail),
    ],
  },
};
