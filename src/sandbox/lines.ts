import type { Readable } from 'node:stream';

/**
 * Calls `hear` with each line of a stream of UTF-8 bytes. A line of more than `longest` bytes calls
 * `overflow` once and ends the reading.
 */
export function readLines(
  stream: Readable,
  longest: number,
  hear: (line: string) => void,
  overflow: () => void,
): void {
  let chunks: Buffer[] = [];
  let held = 0;
  let over = false;
  stream.on('data', (chunk: Buffer) => {
    let start = 0;
    while (!over) {
      const end = chunk.indexOf(10, start);
      const piece = end < 0 ? chunk.subarray(start) : chunk.subarray(start, end);
      held += piece.length;
      if (held > longest) {
        over = true;
        chunks = [];
        return overflow();
      }
      chunks.push(piece);
      if (end < 0) return;
      const line = Buffer.concat(chunks).toString('utf8');
      chunks = [];
      held = 0;
      start = end + 1;
      hear(line);
    }
  });
}
