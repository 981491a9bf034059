import { describe, expect, test } from '@jest/globals';
import { regressedAttributes } from '../../../../src/features/attributes/explain-run.ts';
import type { AttributeResult } from '../../../../src/features/attributes/result.ts';
import { gate, suiteResult } from '../../app/run/builders.ts';
import { attributeResult } from './builders.ts';

describe('regressed attributes', () => {
  const suite = suiteResult();
  const { name, variant } = suite;
  const attribute = attributeResult('domain-late-parcels', {
    ...{ name: 'late parcels', path: 'prompts/p.yaml', suite: name, variant, n: 15 },
    ...{ head: 0.2, difference: -0.75, low: -0.9, high: -0.6 },
  });
  const textsOf = (word: 'fail' | 'advise', found: AttributeResult): string[] =>
    regressedAttributes(suite, gate({ attributes: word }), [found]).map(({ text }) => text);

  test('are findings where gate.attributes is fail', () => {
    expect(textsOf('fail', attribute)).toEqual([
      'p: the domain "late parcels" regressed: pass rate 95.0 % → 20.0 % (−75.0 points, 90 % interval −90.0 to −60.0) over 15 references; gate.attributes is fail',
    ]);
    expect(textsOf('advise', attribute)).toEqual([]);
  });

  test.each<Partial<AttributeResult>>([
    { verdict: 'no change seen' },
    { path: 'other.yaml' },
    { suite: 'another prompt of the file' },
    { variant: { model: 'x', parameters: {} } },
  ])('are none with %j', (other) => {
    expect(textsOf('fail', { ...attribute, ...other })).toEqual([]);
  });
});
