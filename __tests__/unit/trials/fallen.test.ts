import { describe, expect, test } from '@jest/globals';
import type { ReferenceResult } from '../../../src/kernel/result/reference-result.ts';
import { fallenReferences, hasFallen, stableReferences } from '../../../src/trials/fallen.ts';
import { referenceResult, sideResult, suiteResult } from '../app/run/builders.ts';

/** A reference with four tries a side: all pass on base, `passes` pass on head. */
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

describe('references chosen for a cause search', () => {
  test('are the eight with the largest drop, regressed ones first', () => {
    const references = [...numbered(9, 'a', 2), fell('worst', 0), fell('named', 1, 'regressed')];
    expect(ids(fallenReferences(suiteResult({ references })))).toEqual([
      'named',
      'worst',
      ...ids(numbered(6, 'a', 2)),
    ]);
  });

  test('cover different attributes if more than eight dropped', () => {
    const references = [...numbered(9, 'refund', 0), ...numbered(3, 'tone', 2)];
    const attributes = ['refund', 'tone'].map((name) =>
      ids(references).filter((id) => id.startsWith(name)),
    );
    expect(ids(fallenReferences(suiteResult({ references }), attributes))).toEqual([
      ...ids(numbered(5, 'refund', 0)),
      ...ids(numbered(3, 'tone', 2)),
    ]);
    // Regressed references come before spreading over attributes.
    const named = [...numbered(9, 'refund', 0), fell('tone0', 2)].map((reference) =>
      reference.id.startsWith('refund')
        ? { ...reference, status: 'regressed' as const }
        : reference,
    );
    expect(ids(fallenReferences(suiteResult({ references: named }), attributes))).not.toContain(
      'tone0',
    );
  });

  test('exclude skipped, improved and unchanged references', () => {
    const references = [
      { ...fell('skipped', 0), skip: true },
      fell('rose', 0, 'improved'),
      fell('held', 4, 'unchanged'),
    ];
    const suite = suiteResult({ verdict: 'regressed', references });
    expect(hasFallen(suite)).toBe(true);
    expect(ids(fallenReferences(suite))).toEqual([]);
    expect(ids(stableReferences(suite))).toEqual(['held']);
  });
});
