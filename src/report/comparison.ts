import type { Result } from '../kernel/result/result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import { counted, percent, probability, signed } from '../text/amounts.ts';
import { variantWords } from '../wording/variants.ts';
import {
  code,
  paragraph,
  strong,
  table,
  text,
  type Block,
  type Line,
} from './sections/document.ts';
import { promptKey } from './sections/order.ts';
import { pairing, PAIRED_LEVEL, type Pairing } from './sections/pairing.ts';

interface Named {
  file: string;
  result: Result;
}

export function comparisonBlocks(first: Named, second: Named): Block[] {
  const pairs = partners(first.result.suites, second.result.suites);
  const alone = ({ result }: Named) => counted(result.suites.length - pairs.length, 'suite');
  const words = 'Missing from the other result: ';
  const left = [first, second].every(({ result }) => result.suites.length === pairs.length)
    ? []
    : [paragraph([text(`${words}${alone(first)} of the first, ${alone(second)} of the second.`)])];
  const rows = pairs.map(([before, after]) => comparisonRow(before, after));
  return [
    paragraph(
      [
        strong('Compared on the references that both results have'),
        text(': '),
        code(first.file),
        text(' → '),
        code(second.file),
      ],
      'verdict',
    ),
    ...table(COMPARISON_COLUMNS, rows),
    ...left,
  ];
}

const COMPARISON_COLUMNS = [
  'Suite',
  'Verdict',
  'First',
  'Second',
  'Difference',
  '90 % interval',
  'p',
  'References',
];

/**
 * Pairs suites with the same prompt and variant. If one suite of a prompt is left on each side,
 * pairs these two, because perhaps only the model changed.
 */
function partners(
  first: readonly SuiteResult[],
  second: readonly SuiteResult[],
): [SuiteResult, SuiteResult][] {
  const found: [SuiteResult, SuiteResult][] = [];
  for (const key of new Set(first.map(promptKey))) {
    const ones = first.filter((suite) => promptKey(suite) === key);
    const others = second.filter((suite) => promptKey(suite) === key);
    const same = ones.flatMap((suite): [SuiteResult, SuiteResult][] => {
      const other = others.find((each) => suiteVariantWords(each) === suiteVariantWords(suite));
      return other === undefined ? [] : [[suite, other]];
    });
    const left = ones.filter((suite) => !same.some(([each]) => each === suite));
    const right = others.filter((suite) => !same.some(([, each]) => each === suite));
    const before = left[0];
    const after = right[0];
    found.push(...same);
    if (left.length === 1 && right.length === 1 && before !== undefined && after !== undefined)
      found.push([before, after]);
  }
  return found;
}

function suiteVariantWords({ variant }: SuiteResult): string {
  return variantWords(variant);
}

function comparisonRow(before: SuiteResult, after: SuiteResult): Line[] {
  const paired = pairing(before, after);
  const models =
    suiteVariantWords(before) === suiteVariantWords(after)
      ? ''
      : `: ${suiteVariantWords(before)} → ${suiteVariantWords(after)}`;
  return [
    [code(before.name), text(models)],
    [text(paired === null ? 'no reference is judged in both' : pairingWord(paired))],
    [text(percent(before.pass_rate.head))],
    [text(percent(after.pass_rate.head))],
    [text(paired === null ? '–' : signed(paired.difference))],
    [
      text(
        paired === null || paired.low === null || paired.high === null
          ? '–'
          : `${signed(paired.low)} to ${signed(paired.high)}`,
      ),
    ],
    [text(paired === null ? '–' : probability(paired.p))],
    [text(paired === null ? '0' : String(paired.references))],
  ];
}

function pairingWord({ p, difference }: Pairing): string {
  if (p >= PAIRED_LEVEL) return 'no clear difference';
  return difference < 0 ? 'worse' : 'better';
}
