import { jsonValues } from '../../../../src/features/imports/traces/json-values.ts';
import type { Json } from '../../../../src/types/plain.ts';
import fc from '../../../fuzz.ts';

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size)
    yield await Promise.resolve(text.slice(at, at + size));
}

async function valuesOf(texts: AsyncIterable<string>): Promise<Json[]> {
  const found: Json[] = [];
  for await (const { value } of jsonValues('t.json', texts)) found.push(value);
  return found;
}

async function* endless(start: string, next: string, made = { texts: 0 }) {
  yield await Promise.resolve(start);
  for (;;) {
    made.texts += 1;
    yield next;
  }
}

describe('the JSON of a file', () => {
  test('is the same however the file is cut and written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom('lines', 'array', 'document'),
        async (all, size, kind) => {
          const plain = JSON.parse(JSON.stringify(all)) as Json[];
          const text = {
            lines: `\ufeff\n${plain.map((each) => JSON.stringify(each)).join('\r\n\n')}`,
            array: JSON.stringify(plain),
            document: `${JSON.stringify(plain, null, 2)}\n`,
          }[kind];
          const expected = kind === 'lines' ? plain : [plain];
          expect(await valuesOf(pieces(text, size))).toEqual(expected);
        },
      ),
    );
  });

  test.each([
    ['{"a": 1}\n{"a": "x\n{"a": 2}\n', 2],
    ['{"a": 1}\n{"a": 2', 2],
    ['[{"a": 1},\n{"a": 2}', 2],
    [`{"a": ${'['.repeat(300)}${']'.repeat(300)}}`, 1],
  ])('refuses %j at its line', async (text, line) => {
    await expect(valuesOf(pieces(text, 3))).rejects.toMatchObject({
      problems: [{ place: { file: 't.json', line } }],
    });
  });

  test('is read one line at a time', async () => {
    const made = { texts: 0 };
    const stream = jsonValues('t.json', endless('1\n', `"${'x'.repeat(100_000)}"\n`, made));
    for (let count = 0; count < 1_000; count += 1) await stream.next();
    expect(made.texts).toBeLessThanOrEqual(1_000);
    await stream.return(undefined);
  });

  test.each([
    ['a line', '"', 'x'.repeat(1 << 20)],
    ['a document', '[\n', `"${'x'.repeat(1 << 20)}",\n`],
  ])('is refused if %s is too long', async (_, start, next) => {
    await expect(valuesOf(endless(start, next))).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining('convert the file to JSON Lines') as unknown }],
    });
  });
});
