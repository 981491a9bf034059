import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { readLines } from '../../../../src/edges/sandbox/link.ts';

async function read(
  chunks: (string | Buffer)[],
  longest: number,
): Promise<{ lines: string[]; overflows: number }> {
  const heard = { lines: [] as string[], overflows: 0 };
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  readLines(
    stream,
    longest,
    (line) => heard.lines.push(line),
    () => {
      heard.overflows += 1;
    },
  );
  await new Promise((resolve) => stream.on('end', resolve));
  return heard;
}

describe('lines of a stream', () => {
  test('are put together from pieces, also in the middle of a character', async () => {
    const bytes = Buffer.from('é\nb');
    expect(await read(['a', 'b\n\nc', bytes.subarray(0, 1), bytes.subarray(1), '\n'], 10)).toEqual({
      lines: ['ab', '', 'cé', 'b'],
      overflows: 0,
    });
  });

  test('may be as long as the limit', async () => {
    expect(await read(['1234', '5\n1234', '5\n'], 5)).toEqual({
      lines: ['12345', '12345'],
      overflows: 0,
    });
  });

  test('that are longer end the reading', async () => {
    expect(await read(['ok\n1234', '56', '78\nnext\n'], 5)).toEqual({
      lines: ['ok'],
      overflows: 1,
    });
  });

  test('without an end are not handed over', async () => {
    expect(await read(['a\nb'], 5)).toEqual({ lines: ['a'], overflows: 0 });
  });
});
