import { jsonParts } from '../../../../src/app/session/write-reports.ts';
import fc from '../../../fuzz.ts';
import { enormous, regression } from '../../../unit/report/results.ts';

const written = (value: unknown) => [...jsonParts(value)].join('');

test('the chunks of a report, joined, equal the output of JSON.stringify', () => {
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

test('the chunks of a report are small even if the result is large', () => {
  const parts = [...jsonParts(enormous())];
  expect(parts.length).toBeGreaterThan(3);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(200_000);
});
