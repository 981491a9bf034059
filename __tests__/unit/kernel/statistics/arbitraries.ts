import { nullDistribution } from '../../../../src/kernel/statistics/clusters.ts';
import type { Table } from '../../../../src/kernel/statistics/table.ts';
import fc from '../../../fuzz.ts';

/** Counts of 0 to `most` tries. */
const counts = (most: number) =>
  fc
    .integer({ min: 0, max: most })
    .chain((tries) =>
      fc.record({ passes: fc.integer({ min: 0, max: tries }), tries: fc.constant(tries) }),
    );

export const anyTable = (most = 6): fc.Arbitrary<Table> =>
  fc.record({ base: counts(most), head: counts(most) });

export const anyTables = (tables = 12, tries = 6): fc.Arbitrary<Table[]> =>
  fc.array(anyTable(tries), { maxLength: tables });

/**
 * Every distribution of the passes over the sides of each table, with its probability under the
 * null hypothesis.
 */
export function outcomes(tables: readonly Table[]): { tables: Table[]; probability: number }[] {
  let all: { tables: Table[]; probability: number }[] = [{ tables: [], probability: 1 }];
  for (const table of tables) {
    const { low, mass } = nullDistribution(table);
    const total = table.base.passes + table.head.passes;
    all = all.flatMap((before) =>
      [...mass].map((probability, i) => ({
        tables: [
          ...before.tables,
          {
            base: { passes: total - low - i, tries: table.base.tries },
            head: { passes: low + i, tries: table.head.tries },
          },
        ],
        probability: before.probability * probability,
      })),
    );
  }
  return all;
}
