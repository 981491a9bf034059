import type { ReferenceResult, SideResult } from '../../../src/kernel/result/reference-result.ts';
import type { SuiteResult } from '../../../src/kernel/result/suite-result.ts';
import {
  fallenReferences,
  hasFallen,
  stableReferences,
  viewFall,
} from '../../../src/trials/fallen.ts';
import { referenceResult, sideResult, suiteResult } from '../app/run/builders.ts';

/** A reference with four tries a side: all pass on base, `passes` pass on head. */
function fell(
  id: string,
  passes: number,
  status: ReferenceResult['status'] = 'fell',
): ReferenceResult {
  const head = Array.from({ length: 4 }, (_, i) => (i < passes ? 'pass' : 'fail'));
  return referenceResult(id, {
    status,
    base: sideResult(['pass', 'pass', 'pass', 'pass']),
    head: sideResult(head),
  });
}

const ids = (references: readonly ReferenceResult[]) => references.map(({ id }) => id);
const numbered = (count: number, name: string, passes: number): ReferenceResult[] =>
  Array.from({ length: count }, (_, i) => fell(`${name}${i}`, passes));

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

describe('a fall that another metric hides', () => {
  /** `ends` falls from 4 passes to none, and `other` passes as often as given on both sides. */
  const hidden = (id: string, other: number): ReferenceResult => {
    const side = (ends: number): SideResult => {
      const passes = Array.from({ length: 4 }, (_, i) => ({ ends: i < ends, other: i < other }));
      const result = sideResult(passes.map((own) => (own.ends && own.other ? 'pass' : 'fail')));
      return {
        ...result,
        tries: result.tries.map((made, index) => ({
          ...made,
          scores: Object.entries(passes[index] ?? {}).map(([metric, isPass]) => ({
            metric,
            value: isPass,
            reason: null,
            skip: false,
            status: isPass ? 'pass' : 'fail',
          })),
        })),
      };
    };
    return referenceResult(id, { status: 'flaky', base: side(4), head: side(0) });
  };

  const falling = (by: 'fall' | 'named', metrics: string[]): Partial<SuiteResult> => ({
    verdict: 'regressed',
    reason: { by, p: 0.001, references: [], metrics, tolerance: 0.05 },
  });

  test.each<[string, number[], Partial<SuiteResult>, string[] | null, number]>([
    ['always fails', [0, 0], falling('fall', ['ends']), ['ends'], 2],
    ['fails in one of two references', [0, 4], falling('fall', ['ends']), ['ends'], 2],
    ['always passes', [4, 4], falling('fall', ['ends']), null, 2],
    ['always fails, and no single metric fell', [0, 0], falling('fall', []), null, 0],
    ['always fails, and another rule decided', [0, 0], falling('named', ['ends']), null, 0],
  ])('is judged by the metric that fell if the other %s', (_, others, grounds, metrics, fallen) => {
    const references = others.map((passes, index) => hidden(`r${index}`, passes));
    const view = viewFall(suiteResult({ ...grounds, references }));
    expect(view.metrics).toEqual(metrics);
    expect(ids(fallenReferences(view.result))).toHaveLength(fallen);
  });
});
