import { jsonLines, MAX_RESULT_LINE_BYTES } from '../../../../src/features/batch/batch-results.ts';
import { MOST_LEVELS } from '../../../../src/types/plain.ts';
import fc, { draws } from '../../../fuzz.ts';

async function* chunks(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part;
}
async function valuesOf(...parts: (string | Uint8Array)[]) {
  const values: unknown[] = [];
  for await (const value of jsonLines(chunks(...parts))) values.push(value);
  return values;
}

describe('JSON lines', () => {
  test('do not depend on how the stream is split, even within a character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { maxLength: 8 }),
        fc.array(fc.nat(200), { maxLength: 6 }),
        fc.boolean(),
        async (values, cuts, ended) => {
          const bytes = Buffer.from(
            values.map((value) => JSON.stringify({ value, mark: 'ß→😀' })).join('\n') +
              (ended ? '\n' : ''),
          );
          const at = [
            0,
            ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
            bytes.length,
          ];
          const parts = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
          expect(await valuesOf(...parts)).toEqual(
            values.map((value) => JSON.parse(JSON.stringify({ value, mark: 'ß→😀' })) as unknown),
          );
        },
      ),
      { numRuns: draws(100) },
    );
  });

  test('exclude blank lines and report unreadable ones without losing the next', async () => {
    expect(await valuesOf('\n{"a":1}\r\n  \nbroken\n{"b":2}')).toEqual([
      { a: 1 },
      undefined,
      { b: 2 },
    ]);
    expect(await valuesOf(Buffer.from('{"a":"Malm\u00f6"}\n', 'latin1'), '{"b":2}')).toEqual([
      undefined,
      { b: 2 },
    ]);
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const [fits, tooDeep] = await valuesOf(`${deep(MOST_LEVELS)}\n${deep(MOST_LEVELS + 50)}\n`);
    expect([fits === undefined, tooDeep]).toEqual([false, undefined]);
  });

  test.each([
    [MAX_RESULT_LINE_BYTES - 1, true],
    [MAX_RESULT_LINE_BYTES, true],
    [MAX_RESULT_LINE_BYTES + 1, false],
  ])('of %i bytes are readable: %p; the next line is always readable', async (size, readable) => {
    const filler = Buffer.alloc(size - 2, 'x');
    const values = await valuesOf(
      '"',
      filler.subarray(0, 1000),
      filler.subarray(1000),
      '"\n{"next":1}\n',
    );
    expect([typeof values[0] === 'string', values[1]]).toEqual([readable, { next: 1 }]);
  });
});
