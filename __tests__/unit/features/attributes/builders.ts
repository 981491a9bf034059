import type { AttributeResult } from '../../../../src/features/attributes/result.ts';
import type { Table } from '../../../../src/kernel/statistics/table.ts';

export function attributeResult(
  id: string,
  changes: Partial<AttributeResult> = {},
): AttributeResult {
  return {
    id,
    name: id,
    kind: 'domain',
    explanation: '',
    path: 'p.yaml',
    suite: 'p',
    variant: { model: null, parameters: {} },
    affinity_mean: 3,
    prior: 0.25,
    n: 12,
    base: 0.95,
    head: 0.6,
    difference: -0.35,
    low: -0.452,
    high: -0.25,
    p: 0.001,
    verdict: 'regressed',
    explained_by: [],
    alternatives: [],
    alignment: null,
    references: ['order-66', 'r2', 'r3'],
    assigned: ['order-66', 'r2', 'r3'],
    samples: [{ kind: 'drop', reference: 'order-66', base: 1, head: 0 }],
    ...changes,
  };
}

/** Passes of a reference with the same number of tries on both sides. */
export const table = (base: number, head: number, tries = 5): Table => ({
  base: { passes: base, tries },
  head: { passes: head, tries },
});
