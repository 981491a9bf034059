import type { GraderResult, Result, YardstickResult } from '../types.ts';
import { percent, points } from '../core/wording.ts';
import { code, group, joined, paragraph, text, type Block, type Line } from './document.ts';
import type { Detail } from './detail.ts';
import { andMore, counted } from './phrases.ts';
import { byCodeUnits } from './order.ts';
import { becauseLine } from './suites.ts';

/** Both sides' answers under both yardsticks, and how the change of the pass rate splits. */
export function yardsticks({ yardstick }: Result, { items }: Detail): Block[] {
  const shown = yardstick.slice(0, items);
  const more = andMore(yardstick.length, shown.length);
  const blocks = shown.flatMap((one) => yardstickOf(one, items));
  if (more !== null) blocks.push(paragraph([text(`${more}.`)]));
  return group([text(`The yardstick changed in ${counted(yardstick.length, 'suite')}`)], yardstick.length === 0 ? [] : blocks);
}

function yardstickOf(one: YardstickResult, items: number): Block[] {
  const { rates } = one;
  const flipped = one.flipped.slice(0, items).map(({ id, from, to }): Line => [code(id), text(` ${from} → ${to}`)]);
  const more = andMore(one.flipped.length, flipped.length);
  return [
    paragraph([code(one.name), text(`: ${one.summary}`)]),
    {
      kind: 'table',
      head: [[text('')], [text('Base’s yardstick')], [text('Head’s yardstick')]],
      rows: [
        [[text('Base’s answers')], [text(percent(rates.base_base))], [text(percent(rates.base_head))]],
        [[text('Head’s answers')], [text(percent(rates.head_base))], [text(percent(rates.head_head))]],
      ],
    },
    paragraph([
      text(`Prompt ${points(one.prompt_effect)}, yardstick ${points(one.yardstick_effect)}, together ${points(one.total)}. Changed: `),
      ...becauseLine(one.because), text('.'),
    ]),
    ...(one.flipped.length === 0 ? [] : [paragraph([
      text(`Judged differently on base’s own answers: ${counted(one.flipped.length, 'reference')}. `), ...joined(flipped, ', '), text(more === null ? '' : ` ${more}`),
    ])]),
  ];
}

/** How well each rubric's grader agrees with its labelled examples, base → head. */
export function graders({ graders: results }: Result, { items }: Detail): Block[] {
  if (results.length === 0) return [];
  const names = [...new Set(results.map(({ rubric }) => rubric))].sort(byCodeUnits);
  const pairs = names.map((name) => ({
    name, base: results.find(({ rubric, side }) => rubric === name && side === 'base') ?? null, head: results.find(({ rubric, side }) => rubric === name && side === 'head') ?? null,
  }));
  const shown = pairs.slice(0, items);
  const more = andMore(pairs.length, shown.length);
  const blocks: Block[] = shown.length === 0 ? [] : [{
    kind: 'table',
    head: ['Rubric', 'Examples', 'Agreement', 'Accepts good', 'Rejects bad', 'Cohen’s κ'].map((name) => [text(name)]),
    rows: shown.map(({ name, base, head }) => [
      [code(name)], [text(String((head ?? base)?.examples ?? 0))],
      [text(sides(base?.agreement, head?.agreement, percent))],
      [text(sides(base?.true_positive_rate, head?.true_positive_rate, percent))],
      [text(sides(base?.true_negative_rate, head?.true_negative_rate, percent))],
      [text(sides(base?.kappa, head?.kappa, (value) => (value === null ? '–' : value.toFixed(2).replace('-', '−'))))],
    ]),
  }];
  blocks.push(...shown.flatMap(({ head, base }) => flippedExamples(head ?? base, items)));
  if (more !== null) blocks.push(paragraph([text(`${more}.`)]));
  return group([text(`Grader agreement with labelled examples, ${counted(pairs.length, 'rubric')}`)], blocks);
}

function sides(base: number | null | undefined, head: number | null | undefined, word: (value: number | null) => string): string {
  if (base === undefined) return word(head ?? null);
  if (head === undefined) return `${word(base)} (base)`;
  return `${word(base)} → ${word(head)}`;
}

function flippedExamples(grader: GraderResult | null, items: number): Block[] {
  const flipped = grader?.flipped ?? [];
  if (grader === null || flipped.length === 0 || items === 0) return [];
  return [{
    kind: 'table',
    head: [[code(grader.rubric), text(': example')], [text('Label')], [text('Base says')], [text('Head says')]],
    rows: flipped.slice(0, items).map(({ content, expected, base, head }) => [
      [code(content, 200)], [code(expected)], base === null ? [text('–')] : [code(base)], head === null ? [text('–')] : [code(head)],
    ]),
  }, ...[andMore(flipped.length, items)].filter((more) => more !== null).map((more) => paragraph([text(`${more}.`)]))];
}
