import type { FlatRow, FlatTable } from '../../app/commands/terminal.ts';
import type { TryResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import type { ObjectScore, Score } from '../../types/metric.ts';

const TEST_COLUMNS = [
  'suite',
  'path',
  'reference',
  'side',
  'model',
  'parameters',
  'try',
  'metric',
  'level',
  'object',
  'status',
  'pass',
  'value',
  'label',
  'reason',
];

/**
 * One row per reference, side, try and metric, and one more for each object that the metric
 * judged. A try without scores has one row, with its error.
 */
export function testRows({ suites }: Result): FlatTable {
  const rows = suites.flatMap(({ name, path, variant, base_variant, references }) =>
    references.flatMap((reference) =>
      (['base', 'head'] as const).flatMap((side) => {
        const { model, parameters } = (side === 'base' ? base_variant : null) ?? variant;
        const place = { suite: name, path, reference: reference.id, side, model };
        return (reference[side]?.tries ?? []).flatMap((each) =>
          rowsOfTry(each).map((row): FlatRow => ({
            ...place,
            parameters: canonicalJson(parameters),
            try: each.try,
            ...row,
          })),
        );
      }),
    ),
  );
  return { columns: TEST_COLUMNS, rows };
}

function rowsOfTry({ scores, outcome, error }: TryResult): FlatRow[] {
  if (scores.length === 0) return [{ status: outcome, reason: error }];
  return scores.flatMap((score) => {
    const { metric, objects } = score;
    const ofObjects = (objects?.scores ?? []).map((each): FlatRow => ({
      metric,
      level: objects?.level ?? null,
      object: each.at,
      ...scoreRow(each),
    }));
    return [{ metric, ...scoreRow(score) }, ...ofObjects];
  });
}

function scoreRow({ status, value, reason, ...more }: Score | ObjectScore): FlatRow {
  const isDecided = status === 'pass' || status === 'fail';
  const label = 'label' in more ? (more.label ?? null) : null;
  return { status, pass: isDecided ? status === 'pass' : null, value, label, reason };
}
