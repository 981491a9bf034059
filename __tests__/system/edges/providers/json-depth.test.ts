import { deeperThan } from '../../../../src/edges/providers/reply.ts';
import fc from '../../../fuzz.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('the depth check is correct for any JSON value at, below and above the limit', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, indented) => {
      const text = bytes(JSON.stringify(value, null, indented ? 1 : 0));
      const depth = depthOf(value);
      expect([
        deeperThan(text, depth - 1),
        deeperThan(text, depth),
        deeperThan(text, depth + 1),
      ]).toEqual([depth > 0, false, false]);
    }),
  );
});

test('the depth check ignores brackets in strings, even with escaped quotes and backslashes', () => {
  expect(deeperThan(bytes(JSON.stringify({ a: '[[[["\\[[[{{{' })), 1)).toBe(false);
  expect(deeperThan(bytes('["\\\\",[[]]]'), 2)).toBe(true);
});
