import type { Variant } from '../kernel/result/pieces.ts';
import type { ReferenceResult, TryResult } from '../kernel/result/reference-result.ts';
import type { Result } from '../kernel/result/result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import type { ObjectScore, Score } from '../types/metric.ts';
import { SIDES, type Json, type Side } from '../types/plain.ts';

/** A cell of a flat table per column; a missing one is empty. */
export type FlatRow = Readonly<Record<string, Json>>;

export interface FlatTable {
  columns: readonly string[];
  rows: readonly FlatRow[];
}

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

export interface ResultTry {
  suite: SuiteResult;
  reference: ReferenceResult;
  side: Side;
  variant: Variant;
  attempt: TryResult;
}

export function triesOfResult({ suites }: Result): ResultTry[] {
  return suites.flatMap((suite) =>
    suite.references.flatMap((reference) =>
      SIDES.flatMap((side) => {
        const variant = (side === 'base' ? suite.base_variant : null) ?? suite.variant;
        const tries = reference[side]?.tries ?? [];
        return tries.map((attempt) => ({ suite, reference, side, variant, attempt }));
      }),
    ),
  );
}

/**
 * One row per reference, side, try and metric, and one more for each object that the metric
 * judged. A try without scores has one row, with its error.
 */
export function testRows(result: Result): FlatTable {
  const rows = triesOfResult(result).flatMap(({ suite, reference, side, variant, attempt }) =>
    rowsOfTry(attempt).map((row) => ({
      suite: suite.name,
      path: suite.path,
      reference: reference.id,
      side,
      model: variant.model,
      parameters: canonicalJson(variant.parameters),
      try: attempt.try,
      ...row,
    })),
  );
  return { columns: TEST_COLUMNS, rows };
}

function rowsOfTry({ scores, outcome, error }: TryResult): FlatRow[] {
  if (scores.length === 0) return [{ status: outcome, reason: error }];
  return scores.flatMap((score) => {
    const { metric, objects } = score;
    const ofObjects = (objects?.scores ?? []).map((each) => ({
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
