import type { Result } from '../../kernel/result/result.ts';
import type { Detail } from '../../report/sections/detail.ts';
import {
  code,
  group,
  joinLines,
  list,
  paragraph,
  table,
  type Block,
  type Line,
  moreBlock,
} from '../../report/sections/document.ts';
import { change, rates } from '../../report/sections/phrases.ts';
import { andMore, signed, count, counted } from '../../text/amounts.ts';
import {
  KIND_WORDS,
  attributeWords,
  attributesWorstFirst,
  explainedSuites,
  figureHead,
  didMove,
  movedCounts,
  attributeNames,
  sharedTestWords,
  type ExplainedSuite,
} from './explained-suites.ts';
import type { AttributeResult } from './result.ts';

const ALIGNMENT_WORDS =
  'Other skills: share of answers that use the skill clearly more or less than the expected ' +
  'answer does; lower is better.';

interface AttributeRow {
  attribute: AttributeResult;
  of: ExplainedSuite;
}

export function attributes(result: Result, { collapsedItems: items }: Detail): Block[] {
  const { attributes: all, mode } = result;
  if (all.length === 0) return [];
  const suites = explainedSuites(result).filter((suite) => suite.attributes.length > 0);
  const rows = suites.flatMap((of) =>
    attributesWorstFirst(of.attributes).map((attribute): AttributeRow => ({ attribute, of })),
  );
  const several = suites.length > 1;
  if (mode === 'sweep')
    return group(
      counted(all.length, 'attribute'),
      attributesTable(
        rows.filter(({ attribute }) => attribute.n > 0),
        items,
        several,
        mode,
      ),
    );
  const moved = rows.filter(({ attribute }) => didMove(attribute));
  moved.sort((a, b) =>
    a.attribute.verdict === b.attribute.verdict
      ? (a.attribute.difference ?? 0) - (b.attribute.difference ?? 0)
      : a.attribute.verdict === 'regressed'
        ? -1
        : 1,
  );
  const also = rows.filter(({ attribute: { verdict } }) => verdict.startsWith('also'));
  const isRed = suites.some(({ suite }) => suite.verdict === 'regressed');
  if (moved.length + also.length === 0 && !isRed) return [];
  const few = all.filter(({ verdict }) => verdict === 'too few').length;
  return group(movedCounts(all), [
    ...attributesTable(moved, items, several, mode),
    ...alsoList(also, items, several),
    ...notes(
      few === 0
        ? null
        : `Not compared: ${counted(few, 'attribute')} that too few tests have or too few tests lack.`,
      moved.length > 0
        ? null
        : also.length > 0
          ? 'None of them changed more than the other tests beyond chance, so none is named.'
          : few < all.length
            ? `No change found in any of ${few === 0 ? 'them' : 'the others'}.`
            : null,
      isRed && !moved.some(({ attribute: { verdict } }) => verdict === 'regressed')
        ? 'No change of the prompt was tried, because no attribute is named as worse.'
        : null,
    ),
  ]);
}

function notes(...sentences: readonly (string | null)[]): Block[] {
  return sentences.flatMap((sentence) => (sentence === null ? [] : [paragraph(sentence)]));
}

function attributesTable(
  rows: readonly AttributeRow[],
  items: number,
  several: boolean,
  mode: Result['mode'],
): Block[] {
  const shown = rows.slice(0, items);
  const skills = shown.some(({ attribute: { alignment } }) => alignment !== null);
  const diff = mode === 'diff';
  const columns: { head: string; cell(attribute: AttributeResult): string }[] = [
    { head: figureHead(shown.map(({ attribute }) => attribute)), cell: attributeWords },
    ...(skills ? [{ head: 'Other skills', cell: alignmentWords }] : []),
    ...(diff ? [{ head: 'Verdict', cell: ({ verdict }: AttributeResult) => verdict }] : []),
  ];
  return [
    ...table(
      ['Attribute', ...columns.map(({ head }) => head)],
      rows.map(({ attribute, of }) => [
        [...nameLine(attribute, of, several), ` (${count(attribute.n)})`],
        ...columns.map(({ cell }) => cell(attribute)),
      ]),
      items,
    ),
    ...(skills ? [paragraph(ALIGNMENT_WORDS, 'small')] : []),
  ];
}

function nameLine({ name, kind }: AttributeResult, of: ExplainedSuite, several: boolean): Line {
  return [code(name), ` ${KIND_WORDS[kind]}`, ...(several ? [' of ', code(of.name)] : [])];
}

function alignmentWords({ alignment }: AttributeResult): string {
  return alignment === null ? '–' : rates(alignment.base, alignment.head);
}

export function attributeFigures({ attributes: all }: Result): Line[] {
  return all.filter(didMove).flatMap((attribute): Line[] => {
    const { name, low, high } = attribute;
    if (low === null || high === null) return [];
    const range = `90 % sure to lie between ${signed(low)} and ${signed(high)}`;
    return [[code(name), `: ${change(attribute)}; ${range}`]];
  });
}

/** Joins attributes into one line if the same other attributes explain their changes. */
function alsoList(rows: readonly AttributeRow[], items: number, several: boolean): Block[] {
  if (rows.length === 0) return [];
  const together = [
    ...Map.groupBy(rows, ({ attribute: { id, verdict, explained_by, alternatives }, of }) =>
      JSON.stringify([of.name, verdict, explained_by, alternatives.length === 0 ? null : id]),
    ).values(),
  ];
  const shown = together.slice(0, items);
  return [
    ...list(shown.map((own) => alsoLine(own, items, several))),
    ...moreBlock(rows.length, shown.flat().length),
  ];
}

function alsoLine(together: readonly AttributeRow[], items: number, several: boolean): Line {
  const [first] = together;
  if (first === undefined) return [];
  const shown = together
    .slice(0, items)
    .map(({ attribute: { n, alternatives }, attribute, of }): Line => [
      ...nameLine(attribute, of, several),
      ...attributeNames(
        alternatives.map(({ id }) => id),
        of,
      ).flatMap((name): Line => [' or ', code(name)]),
      ` (${attributeWords(attribute)} over ${counted(n, 'test')})`,
    ]);
  const { verdict, explained_by: ids, alternatives } = first.attribute;
  const named = attributeNames(ids, first.of).map((name): Line => [code(name)]);
  return [
    ...joinLines(shown, ', '),
    `${andMore(together.length, shown.length)} ${verdict}`,
    alternatives.length === 0 ? '' : `: ${sharedTestWords(first.attribute)}`,
    ...(named.length === 0
      ? []
      : [together.length === 1 ? ' and shares' : ' and share', ' tests with ']),
    ...joinLines(named, ', '),
    '.',
  ];
}
