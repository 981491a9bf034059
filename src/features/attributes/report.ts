import type { Result } from '../../kernel/result/result.ts';
import { answerLine } from '../../report/sections/answers.ts';
import type { Detail } from '../../report/sections/detail.ts';
import {
  code,
  group,
  joinLines,
  list,
  paragraph,
  table,
  strong,
  type Block,
  type Line,
  moreBlock,
} from '../../report/sections/document.ts';
import { shortFace } from '../../report/sections/faces.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { fixBlocks } from '../../report/sections/fixes.ts';
import { attributesWorstFirst } from '../../report/sections/order.ts';
import { change, rates } from '../../report/sections/phrases.ts';
import type { FlatTable } from '../../report/test-rows.ts';
import { andMore, wholeRates, signed, count, counted, wholePercent } from '../../text/amounts.ts';
import {
  attributeWords,
  explainedSuites,
  KIND_WORDS,
  figureHead,
  didMove,
  movedCounts,
  attributeNames,
  sharedTestWords,
  GENERATED_WORDS,
  insightsTitle,
  type ExplainedSuite,
} from './explained-suites.ts';
import { rateSentence } from './insight.ts';
import { suiteAttributes, type AttributeResult, type Insight } from './result.ts';

const MOST_PLACES = 3;

export const attributesReport: FeatureReport = {
  sections: {
    why: weakBlocks,
    belowReferences: (result, detail) => [
      ...attributes(result, detail),
      ...insights(result, detail),
    ],
  },
  proposals: (result) =>
    explainedSuites(result).flatMap((of) =>
      of.insights.flatMap((insight) =>
        insight.fix === null
          ? []
          : [{ suite: of.suite, fix: insight.fix, why: insightLine(insight, of, false) }],
      ),
    ),
  sureness: attributeFigures,
  outputs: ({ attributes: all }) => ({
    'regressed-attributes': String(all.filter(({ verdict }) => verdict === 'regressed').length),
  }),
  inCommon(result, suite, worse) {
    const named = suiteAttributes(suite, result.attributes).filter(
      ({ verdict }) => verdict === 'regressed',
    );
    const covered = new Set<string>();
    const places: AttributeResult[] = [];
    const gain = ({ references }: AttributeResult) =>
      worse.filter((id) => references.includes(id) && !covered.has(id)).length;
    for (;;) {
      const [next] = named.toSorted(
        (a, b) => gain(b) - gain(a) || (a.difference ?? 0) - (b.difference ?? 0),
      );
      if (next === undefined || gain(next) === 0) break;
      places.push(next);
      for (const id of worse) if (next.references.includes(id)) covered.add(id);
    }
    const byValue = named.filter(({ values }) => values?.tested).slice(0, MOST_PLACES);
    const shown = places.length === 0 ? byValue : places;
    const shared = places.length === 0 ? null : covered.size;
    const words = (own: AttributeResult) =>
      shared === null ? attributeWords(own) : wholeRates(own.base, own.head);
    return shown.length === 0
      ? null
      : { shared, places: shown.map((own) => ({ name: own.name, words: words(own) })) };
  },
};

const ATTRIBUTE_COLUMNS = [
  'suite',
  'path',
  'model',
  'kind',
  'attribute',
  'tests',
  'base_rate',
  'head_rate',
  'difference',
  'low',
  'high',
  'verdict',
  'metric',
  'metric_tests',
  'base_mean',
  'head_mean',
];

export function attributeRows({ attributes }: Result): FlatTable {
  const rows = attributes.map(
    ({ suite, path, variant, kind, name, n, base, head, difference, low, high, ...more }) => ({
      ...{ suite, path, model: variant.model, kind, attribute: name, tests: n },
      ...{ base_rate: base, head_rate: head, difference, low, high, verdict: more.verdict },
      metric: more.values?.metric ?? null,
      metric_tests: more.values?.n ?? null,
      base_mean: more.values?.base ?? null,
      head_mean: more.values?.head ?? null,
    }),
  );
  return { columns: ATTRIBUTE_COLUMNS, rows };
}

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
    attributesWorstFirst(of.attributes).map((attribute) => ({ attribute, of })),
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
    ...(skills
      ? [
          {
            head: 'Other skills',
            cell: ({ alignment: own }: AttributeResult) =>
              own === null ? '–' : rates(own.base, own.head),
          },
        ]
      : []),
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

function attributeFigures({ attributes: all }: Result): Line[] {
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
    .map(({ attribute: { n, alternatives }, attribute, of }) => [
      ...nameLine(attribute, of, several),
      ...attributeNames(
        alternatives.map(({ id }) => id),
        of,
      ).flatMap((name) => [' or ', code(name)]),
      ` (${attributeWords(attribute)} over ${counted(n, 'test')})`,
    ]);
  const { verdict, explained_by: ids, alternatives } = first.attribute;
  const named = attributeNames(ids, first.of).map((name) => [code(name)]);
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

const SHOWN_REFERENCES = 5;

export function insights(result: Result, { collapsedItems: items }: Detail): Block[] {
  const suites = explainedSuites(result).filter((suite) => suite.insights.length > 0);
  const all = suites.flatMap((of) => of.insights.map((insight) => ({ insight, of })));
  const shown = all.slice(0, items);
  if (all.length === 0 || result.mode === 'sweep') return [];
  return group(insightsTitle(result.insights), [
    ...(all.some(({ insight }) => insight.fix !== null) ? [paragraph(GENERATED_WORDS)] : []),
    ...shown.flatMap(({ insight, of }) => [
      paragraph(insightLine(insight, of, suites.length > 1)),
      ...fixBlocks(insight),
    ]),
    ...moreBlock(all.length, shown.length),
  ]);
}

function insightLine({ attribute, references }: Insight, of: ExplainedSuite, named: boolean): Line {
  const names = references.slice(0, SHOWN_REFERENCES).map((id) => [code(id)]);
  const regressed = of.attributes.find(({ id }) => id === attribute);
  return [
    ...(named ? [code(of.name), ': '] : []),
    ...(regressed === undefined ? [] : [rateSentence(regressed)]),
    ...(names.length === 0
      ? []
      : [' (', ...joinLines(names, ', '), `${andMore(references.length, SHOWN_REFERENCES)})`]),
  ];
}

const MOST_SUITES = 3;

/** A sweep's insights: what each suite or model is weak in, with a failing answer. */
export function weakBlocks(result: Result, { characters }: { characters: number }): Block[] {
  const weak = explainedSuites(result).filter(
    ({ insights }) => result.mode === 'sweep' && insights.length > 0,
  );
  return list(weak.slice(0, MOST_SUITES).map((of) => weakLine(of, characters)));
}

function weakLine({ name, suite, attributes, insights }: ExplainedSuite, characters: number): Line {
  const named = insights.flatMap(({ attribute: id }) =>
    attributes
      .filter((attribute) => attribute.id === id)
      .map(({ name: words, head, n }) => [
        strong(words),
        ` (${wholePercent(head)} of ${counted(n, 'test')} pass)`,
      ]),
  );
  const failing = suite.references.find(({ id }) => insights[0]?.references.includes(id));
  const answer = failing?.head?.tries.find(({ outcome }) => outcome === 'fail') ?? null;
  return [
    ...[code(name), ' is weak in ', ...joinLines(named, ', ')],
    ...(failing === undefined
      ? ['.']
      : [
          ...['. For example, ', code(shortFace(failing)), ': '],
          ...answerLine(answer, characters),
        ]),
  ];
}
