import { lineSplitter } from '../../../../src/text/lines.ts';

function read(chunks: (string | Buffer)[], longest: number) {
  const lines: string[] = [];
  let overflows = 0;
  const push = (line: string) => lines.push(line);
  const { add } = lineSplitter(longest, push, () => (overflows += 1));
  for (const chunk of chunks) add(Buffer.from(chunk));
  return { lines, overflows };
}

const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];

describe('lines of a stream', () => {
  test.each([
    ['join pieces', ['a', 'b\n\nc', first, second, '\nb', '\n'], 10, ['ab', '', 'cé', 'b'], 0],
    ['may be as long as the limit', ['1234', '5\n1234', '5\n'], 5, ['12345', '12345'], 0],
    ['that are longer end the reading', ['ok\n1234', '56', '78\nnext\n'], 5, ['ok'], 1],
    ['without an end are dropped', ['a\nb'], 5, ['a'], 0],
  ])('are read up to a length limit: lines %s', (_, chunks, longest, lines, overflows) => {
    expect(read(chunks, longest)).toEqual({ lines, overflows });
  });
});
