import {
  code,
  paragraph,
  list,
  place,
  strong,
  table,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import type { Interval } from '../../report/sections/intervals.ts';
import { rateInterval } from '../../report/sections/phrases.ts';
import { twoDecimals, percent, counted } from '../../text/amounts.ts';
import type { RepeatedRubricTest } from './rubric-tests.ts';

export function rubricTestBlocks(test: RepeatedRubricTest): Block[] {
  const { rubric, graders, repeats, examples } = test;
  return [
    paragraph([
      strong(rubric),
      `: ${counted(examples.length, 'example')}, graded ` +
        `${repeats === 1 ? 'once' : `${repeats} times`} by ${graders.join(', ')}`,
    ]),
    ...list([agreement(test), ...(repeats === 1 ? [] : [consistency(test)])]),
    ...table(
      ['Example', 'Label', repeats === 1 ? 'Grade' : 'Grades', 'Content'],
      [...examples]
        .sort((a, b) => right(a) - right(b))
        .map((example) => [
          place(example.file, example.line),
          code(example.expected),
          labelCountWords(example),
          code(example.content, 120),
        ]),
    ),
  ];
}

type RepeatedExample = RepeatedRubricTest['examples'][number];

function right({ expected, labels }: RepeatedExample): number {
  return labels.filter((label) => label === expected).length / Math.max(1, labels.length);
}

function agreement({
  agreement: { judged, agreement: share, kappa, base_rate, ...rates },
  examples,
  repeats,
}: RepeatedRubricTest): Line {
  const good = withInterval(rates.true_positive_rate, rates.true_positive_interval);
  const bad = withInterval(rates.true_negative_rate, rates.true_negative_interval);
  const unread = examples.length * repeats - judged;
  return [
    `agrees with the labels in ${percent(share)} of ${counted(judged, 'grade')}: accepts ` +
      `${good} of the good, rejects ${bad} of the bad; ` +
      `Cohen's κ ${twoDecimals(kappa)} with ${percent(base_rate)} ` +
      `good${unread === 0 ? '' : `; ${counted(unread, 'grade')} could not be read`}`,
  ];
}

function withInterval(rate: number | null, interval: Interval | null | undefined): string {
  return `${percent(rate)}${interval ? ` (${rateInterval(interval)})` : ''}`;
}

function consistency({ consistency: { share, unanimous, compared } }: RepeatedRubricTest): Line {
  return [
    `agrees with itself in ${percent(share)} of the grades: ${unanimous} of ` +
      `${counted(compared, 'example')} got the same label every time`,
  ];
}

/** For example `✓ YES`, or `✓ YES 2, ✗ NO 1` if some grades are wrong. */
function labelCountWords({ expected, labels }: RepeatedExample): string {
  const names = [...new Set(labels.map((label) => label ?? 'unread'))];
  const parts = names
    .map((name) => ({ name, count: labels.filter((label) => (label ?? 'unread') === name).length }))
    .sort((a, b) => b.count - a.count);
  return parts
    .map(
      ({ name, count }) =>
        `${name === expected ? '✓' : '✗'} ${name}${labels.length === 1 ? '' : ` ${count}`}`,
    )
    .join(', ');
}
