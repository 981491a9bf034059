import { jsonObjects } from '../../../../src/features/traces/json-stream.ts';
import type { JsonMap } from '../../../../src/types/plain.ts';
import fc from '../../../fuzz.ts';

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size)
    yield await Promise.resolve(text.slice(at, at + size));
}

async function objectsOf(texts: AsyncIterable<string>): Promise<JsonMap[]> {
  const found: JsonMap[] = [];
  for await (const { value } of jsonObjects('t.json', texts)) found.push(value);
  return found;
}

describe('a stream of JSON objects', () => {
  test('is the same as the parsed file, however the file is cut and written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom(
          (all: unknown[]) => JSON.stringify(all),
          (all: unknown[]) => `${JSON.stringify(all, null, 2)}\n`,
          (all: unknown[]) => all.map((each) => JSON.stringify(each)).join('\n'),
          (all: unknown[]) => all.map((each) => JSON.stringify(each, null, 1)).join('\r\n\n'),
        ),
        async (all, size, write) => {
          const plain: unknown = JSON.parse(JSON.stringify(all));
          expect(await objectsOf(pieces(write(all), size))).toEqual(plain);
        },
      ),
    );
  });

  test.each([
    ['{"a": 1}\n{"a": "x\n{"a": 2}\n', 2],
    ['{"a": 1}\n{"a": 2', 2],
    ['[{"a": 1},\n{"a": 2}', null],
    ['{"a": 1}\n7\n', 2],
    ['[{"a": 1}, "x"]', 1],
    ['{"a": 1} ]', 1],
    ['{"a": 1}, {"a": 2}', 1],
    ['\n{"a": 1]}', 2],
    [`{"a": ${'['.repeat(300)}${']'.repeat(300)}}`, 1],
    ['\u0000', 1],
  ])('refuses %j at its line', async (text, line) => {
    await expect(objectsOf(pieces(text, 3))).rejects.toMatchObject({
      problems: [{ place: { file: 't.json', line: line ?? 2 } }],
    });
  });

  test('holds one object at a time, and refuses one of more than 64 MB', async () => {
    const element = `{"text": "${'x'.repeat(100_000)}"},`;
    let made = 0;
    async function* endless(start: string, next: string): AsyncGenerator<string> {
      yield await Promise.resolve(start);
      for (;;) {
        made += next.length;
        yield next;
      }
    }
    const stream = jsonObjects('t.json', endless('[', element));
    for (let count = 0; count < 2_000; count += 1) await stream.next();
    expect(made).toBeLessThanOrEqual(2_001 * element.length);
    await expect(objectsOf(endless('{"a": "', 'x'.repeat(1 << 20)))).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining('more than 64 MB') as unknown }],
    });
  });
});
