import type { Result } from '../kernel/result/result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import { counted, percent, probability, signed } from '../text/amounts.ts';
import { isOfPrompt } from '../wording/figures.ts';
import { variantWords } from '../wording/variants.ts';
import { code, paragraph, strong, table, type Block, type Cell } from './sections/document.ts';
import { pairing, PAIRED_LEVEL, type Pairing } from './sections/pairing.ts';
import { signedInterval } from './sections/phrases.ts';

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
    : [paragraph(`${words}${alone(first)} of the first, ${alone(second)} of the second.`)];
  const rows = pairs.map(([before, after]) => comparisonRow(before, after));
  return [
    paragraph(
      [
        strong('Compared on the references that both results have'),
        ': ',
        code(first.file),
        ' → ',
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
 * Pairs suites with the same prompt and variant. If each result has only one suite of a prompt,
 * pairs these two, because perhaps only the model changed.
 */
function partners(
  first: readonly SuiteResult[],
  second: readonly SuiteResult[],
): [SuiteResult, SuiteResult][] {
  return first.flatMap((suite): [SuiteResult, SuiteResult][] => {
    const others = second.filter(isOfPrompt(suite));
    const isOnly = others.length === 1 && first.filter(isOfPrompt(suite)).length === 1;
    const same = others.find((each) => variantWords(each.variant) === variantWords(suite.variant));
    const other = same ?? (isOnly ? others[0] : undefined);
    return other === undefined ? [] : [[suite, other]];
  });
}

function comparisonRow(before: SuiteResult, after: SuiteResult): Cell[] {
  const paired = pairing(before, after);
  const models = [...new Set([before, after].map(({ variant }) => variantWords(variant)))];
  return [
    [code(before.name), models.length === 1 ? '' : `: ${models.join(' → ')}`],
    ...[
      paired === null ? 'no reference is judged in both' : pairingWord(paired),
      percent(before.pass_rate.head),
      percent(after.pass_rate.head),
      ...(paired === null ? ['–', '–', '–', '0'] : pairingFigures(paired)),
    ].map((cell) => [cell]),
  ];
}

function pairingFigures({ difference, low, high, p, references }: Pairing): string[] {
  return [signed(difference), signedInterval(low, high), probability(p), String(references)];
}

function pairingWord({ p, difference }: Pairing): string {
  if (p >= PAIRED_LEVEL) return 'no clear difference';
  return difference < 0 ? 'worse' : 'better';
}
