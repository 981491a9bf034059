import { canonicalJson } from '../../../../src/kernel/suite/canonical-json.ts';
import type { Json } from '../../../../src/types/plain.ts';
import fc, { forAll } from '../../../fuzz.ts';

describe('canonical JSON', () => {
  test('sorts keys at every depth and omits whitespace', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe(
      '{"a":true,"b":[1,{"c":"x","d":null}]}',
    );
  });

  test('parses back to the same value', () => {
    forAll([fc.jsonValue()], (value) => {
      expect(JSON.parse(canonicalJson(value as Json))).toEqual(JSON.parse(JSON.stringify(value)));
    });
  });

  test('distinguishes text and number', () => {
    expect(canonicalJson({ a: '1' })).not.toBe(canonicalJson({ a: 1 }));
  });
});
