import { expect, test } from '@jest/globals';
import { jsonParts } from '../../../../src/app/session/write-reports.ts';
import fc from '../../../fuzz.ts';
import { enormous, regression } from '../../../unit/report/results.ts';

const written = (value: unknown) => [...jsonParts(value)].join('');

test('the chunks together are the bytes of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 9 }), (value) =>
      expect(written(value)).toBe(JSON.stringify(value, null, 1)),
    ),
  );
  expect(written(regression())).toBe(JSON.stringify(regression(), null, 1));
  expect(written({ a: undefined, b: [undefined, 'line\nbreak "quoted"'], c: {}, d: [] })).toBe(
    JSON.stringify({ a: undefined, b: [undefined, 'line\nbreak "quoted"'], c: {}, d: [] }, null, 1),
  );
});

test('no chunk contains more than a small part of a large result', () => {
  const parts = [...jsonParts(enormous())];
  expect(parts.length).toBeGreaterThan(3);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(200_000);
});
