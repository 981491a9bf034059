import type { FlatTable } from '../../app/commands/terminal.ts';
import type { Result } from '../../kernel/result/result.ts';

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
