import type { GraderResult } from '../../features/graders/result.ts';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { ScoringResult } from '../../kernel/result/scoring-result.ts';
import { counted, decimal, pValue, percent, pointsBetween } from '../../text/amounts.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { Detail } from './detail.ts';
import { code, group, joinLines, paragraph, text, type Block, type Line } from './document.ts';
import { shortFaceOf } from './faces.ts';
import { andMore } from './phrases.ts';
import { becauseLine } from './suites.ts';

/** Answers of base and head, each under the scoring of base and of head, and how the change of the pass rate splits. */
export function scorings({ scoring, suites }: Result, { collapsedItems: items }: Detail): Block[] {
  const shown = scoring.slice(0, items);
  const more = andMore(scoring.length, shown.length);
  const blocks = shown.flatMap((change) => {
    const own = suites.filter(({ path, name }) => path === change.path && name === change.name);
    return scoringOf(
      change,
      own.flatMap(({ references }) => references),
      items,
    );
  });
  if (more !== null) blocks.push(paragraph([text(`${more}.`)]));
  return group(
    [text(`Scoring changed in ${counted(scoring.length, 'suite')}`)],
    scoring.length === 0 ? [] : blocks,
  );
}

function scoringOf(
  scoring: ScoringResult,
  references: readonly ReferenceResult[],
  items: number,
): Block[] {
  const { rates } = scoring;
  const flipped = scoring.flipped
    .slice(0, items)
    .map(({ id, from, to }): Line => [code(shortFaceOf(id, references)), text(` ${from} → ${to}`)]);
  const more = andMore(scoring.flipped.length, flipped.length);
  return [
    paragraph([code(scoring.name), text(`: ${scoring.summary}`)]),
    {
      kind: 'table',
      head: [[text('')], [text("Base's scoring")], [text("Head's scoring")]],
      rows: [
        [
          [text("Base's answers")],
          [text(percent(rates.base_base))],
          [text(percent(rates.base_head))],
        ],
        [
          [text("Head's answers")],
          [text(percent(rates.head_base))],
          [text(percent(rates.head_head))],
        ],
      ],
    },
    paragraph([
      text(
        `Prompt ${pointsBetween(rates.base_head, rates.head_head)}, scoring ${pointsBetween(rates.base_base, rates.base_head)}, together ${pointsBetween(rates.base_base, rates.head_head)}. Changed: `,
      ),
      ...becauseLine(scoring.because),
      text('.'),
    ]),
    ...sameAnswers(scoring),
    ...(scoring.flipped.length === 0
      ? []
      : [
          paragraph([
            text(
              `Judged differently on base's own answers: ${counted(scoring.flipped.length, 'reference')}. `,
            ),
            ...joinLines(flipped, ', '),
            text(more === null ? '' : ` ${more}`),
          ]),
        ]),
  ];
}

/** What the new scoring does to answers that stay as they are. */
function sameAnswers({
  same_answers: { judged, pass_fail, fail_pass, p, kappa },
}: ScoringResult): Block[] {
  if (judged === 0) return [];
  const agree =
    kappa === null ? '' : `, Cohen's κ between base's and head's scoring ${decimal(kappa)}`;
  return [
    paragraph([
      text(
        `The same ${counted(judged, 'answer')} of base under both: ${String(pass_fail)} pass → fail, ${String(fail_pass)} fail → pass (McNemar mid-${pValue(p)}${agree}).`,
      ),
    ]),
  ];
}

/** How well each rubric's grader agrees with its labelled examples, base → head. */
export function graders({ graders: results }: Result, { collapsedItems: items }: Detail): Block[] {
  if (results.length === 0) return [];
  const names = [...new Set(results.map(({ rubric }) => rubric))].sort(byCodeUnits);
  const pairs = names.map((name) => ({
    name,
    base: results.find(({ rubric, side }) => rubric === name && side === 'base') ?? null,
    head: results.find(({ rubric, side }) => rubric === name && side === 'head') ?? null,
  }));
  const shown = pairs.slice(0, items);
  const more = andMore(pairs.length, shown.length);
  const blocks: Block[] =
    shown.length === 0
      ? []
      : [
          {
            kind: 'table',
            head: [
              'Rubric',
              'Examples',
              'Agreement',
              'Accepts good',
              'Rejects bad',
              "Cohen's κ",
              'Good among examples',
            ].map((name) => [text(name)]),
            rows: shown.map(graderRow),
          },
        ];
  blocks.push(...shown.flatMap(({ head, base }) => flippedExamples(head ?? base, items)));
  if (more !== null) blocks.push(paragraph([text(`${more}.`)]));
  return group(
    [text(`Grader agreement with labelled examples, ${counted(pairs.length, 'rubric')}`)],
    blocks,
  );
}

interface Pair {
  name: string;
  base: GraderResult | null;
  head: GraderResult | null;
}

function graderRow({ name, base, head }: Pair): Line[] {
  const shown = head ?? base;
  const both = (
    key: 'agreement' | 'true_positive_rate' | 'true_negative_rate' | 'kappa',
    word: (value: number | null) => string,
  ): Line => [text(sides(base?.[key], head?.[key], word))];
  return [
    [code(name)],
    [text(examplesOf(shown))],
    both('agreement', percent),
    both('true_positive_rate', percent),
    both('true_negative_rate', percent),
    both('kappa', decimal),
    [text(percent(shown?.base_rate ?? null))],
  ];
}

function examplesOf(grader: GraderResult | null): string {
  if (grader === null) return '0';
  return grader.judged === grader.examples
    ? String(grader.examples)
    : `${String(grader.judged)} of ${String(grader.examples)}`;
}

function sides(
  base: number | null | undefined,
  head: number | null | undefined,
  word: (value: number | null) => string,
): string {
  if (base === undefined) return word(head ?? null);
  if (head === undefined) return `${word(base)} (base)`;
  return `${word(base)} → ${word(head)}`;
}

function flippedExamples(grader: GraderResult | null, items: number): Block[] {
  const flipped = grader?.flipped ?? [];
  if (grader === null || flipped.length === 0 || items === 0) return [];
  return [
    {
      kind: 'table',
      head: [
        [code(grader.rubric), text(': example')],
        [text('Label')],
        [text('Base says')],
        [text('Head says')],
      ],
      rows: flipped
        .slice(0, items)
        .map(({ content, expected, base, head }) => [
          [code(content, 200)],
          [code(expected)],
          base === null ? [text('–')] : [code(base)],
          head === null ? [text('–')] : [code(head)],
        ]),
    },
    ...[andMore(flipped.length, items)]
      .filter((more) => more !== null)
      .map((more) => paragraph([text(`${more}.`)])),
  ];
}
