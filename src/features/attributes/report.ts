import type { Result } from '../../kernel/result/result.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import type { FlatTable } from '../../report/test-rows.ts';
import { wholeRates } from '../../text/amounts.ts';
import { attributeWords, explainedSuites } from './explained-suites.ts';
import { insightLine, insights, weakBlocks } from './insights-section.ts';
import { suiteAttributes, type AttributeResult } from './result.ts';
import { attributeFigures, attributes } from './section.ts';

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

export function attributeRows({ attributes }: Pick<Result, 'attributes'>): FlatTable {
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
