import { readFileSync } from 'node:fs';
import type { ClusteredTries } from '../../../../src/kernel/statistics/clusters.ts';
import type { Counts, Table } from '../../../../src/kernel/statistics/table.ts';
import type { Outcome } from '../../../../src/types/metric.ts';

/** A published or independently derived value; `tol` is the error that its digits allow. */
interface Vector<Input, Expected> {
  fn: string;
  input: Input;
  expected: Expected;
  tol: number;
  source: string;
}
export type Row = [passesBase: number, triesBase: number, passesHead: number, triesHead: number];

const file = new URL('../../../../fixtures/statistics/vectors.json', import.meta.url);
const all = (JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector<unknown, unknown>[] })
  .vectors;

/** The vectors of one function; throws if there are none. */
export function vectors<Input, Expected>(fn: string): Vector<Input, Expected>[] {
  const found = all.filter((vector) => vector.fn === fn) as Vector<Input, Expected>[];
  if (found.length === 0) throw new Error(`no vector for ${fn}`);
  return found;
}

export const rows = (...all: Row[]): Row[] => all;

export const repeat = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);

export function tablesOf(rows: readonly Row[]): Table[] {
  return rows.map(([passesBase, triesBase, passesHead, triesHead]) => ({
    base: { passes: passesBase, tries: triesBase },
    head: { passes: passesHead, tries: triesHead },
  }));
}

/** Tries with the counts of each table; the passes come first. */
export function triesOf(tables: readonly Table[], cluster: string | null = null): ClusteredTries[] {
  const side = ({ passes, tries }: Counts): Outcome[] =>
    Array.from({ length: tries }, (_, at) => (at < passes ? 'pass' : 'fail'));
  return tables.map(({ base, head }) => ({
    tries: { base: side(base), head: side(head) },
    cluster,
  }));
}

/** Compares with the vector's tolerance, which is relative above 1 and absolute below. */
function expectClose(actual: number | null | undefined, expected: number, tol: number) {
  expect(typeof actual).toBe('number');
  expect(Math.abs((actual as number) - expected)).toBeLessThanOrEqual(
    tol * Math.max(1, Math.abs(expected)),
  );
}

export function expectAllClose(
  actual: readonly number[],
  expected: readonly number[],
  tol: number,
) {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, i) => expectClose(actual[i], value, tol));
}

type Found = number | null | undefined;

/**
 * Tests a function against all of its vectors. `pairsOf` returns pairs of actual and expected
 * values.
 */
export function agreesWithVectors<Input, Expected>(
  fn: string,
  pairsOf: (
    input: Input,
    expected: Expected,
  ) => [Found | readonly Found[], number | readonly number[]][],
): void {
  test.each(vectors<Input, Expected>(fn))(
    'agrees with $source (%#)',
    ({ input, expected, tol }) => {
      for (const [found, wanted] of pairsOf(input, expected)) {
        const all = [found].flat();
        const values = [wanted].flat();
        expect(all).toHaveLength(values.length);
        values.forEach((value, i) => expectClose(all[i], value, tol));
      }
    },
  );
}
