import { describe, expect, test } from '@jest/globals';
import type { ReferenceResult } from '../../../src/kernel/result/reference-result.ts';
import { fallenReferences, hasFallen, heldReferences } from '../../../src/trials/fallen.ts';
import { referenceResult, sideResult, suiteResult } from '../app/run/builders.ts';

/** A reference that passed every try on base and so many of four on head. */
function fell(
  id: string,
  passes: number,
  status: ReferenceResult['status'] = 'fell',
): ReferenceResult {
  const head = Array.from({ length: 4 }, (_, i) => (i < passes ? ('pass' as const) : 'fail'));
  return referenceResult(id, {
    status,
    base: sideResult(['pass', 'pass', 'pass', 'pass']),
    head: sideResult(head),
  });
}

const ids = (references: readonly ReferenceResult[]): string[] => references.map(({ id }) => id);
const numbered = (count: number, name: string, passes: number): ReferenceResult[] =>
  Array.from({ length: count }, (_, i) => fell(`${name}${String(i)}`, passes));

describe('the references that an experiment looks at', () => {
  test('are the eight that fell most, those that are named first', () => {
    const references = [...numbered(9, 'a', 2), fell('worst', 0), fell('named', 1, 'regressed')];
    expect(ids(fallenReferences(suiteResult({ references })))).toEqual([
      'named',
      'worst',
      ...ids(numbered(6, 'a', 2)),
    ]);
  });

  test('are of different attributes where more fell than are looked at', () => {
    const references = [...numbered(9, 'refund', 0), ...numbered(3, 'tone', 2)];
    const attributes = ['refund', 'tone'].map((name) =>
      ids(references).filter((id) => id.startsWith(name)),
    );
    expect(ids(fallenReferences(suiteResult({ references }), attributes))).toEqual([
      ...ids(numbered(5, 'refund', 0)),
      ...ids(numbered(3, 'tone', 2)),
    ]);
    // A reference that is named goes before any spread.
    const named = [...numbered(9, 'refund', 0), fell('tone0', 2)].map((reference) =>
      reference.id.startsWith('refund')
        ? { ...reference, status: 'regressed' as const }
        : reference,
    );
    expect(ids(fallenReferences(suiteResult({ references: named }), attributes))).not.toContain(
      'tone0',
    );
  });

  test('are none that does not count, rose, or held', () => {
    const references = [
      { ...fell('skipped', 0), skip: true },
      fell('rose', 0, 'improved'),
      fell('held', 4, 'unchanged'),
    ];
    const suite = suiteResult({ verdict: 'regressed', references });
    expect(hasFallen(suite)).toBe(true);
    expect(ids(fallenReferences(suite))).toEqual([]);
    expect(ids(heldReferences(suite))).toEqual(['held']);
  });
});
