import { MAX_REPLY_BYTES, MAX_REPLY_DEPTH } from '../fault.ts';
import { deeperThan } from '../http/json-depth.ts';

/** A line holds one reply, and what stands around it. */
export const MAX_LINE_BYTES = MAX_REPLY_BYTES + 65_536;
const MAX_LINE_DEPTH = MAX_REPLY_DEPTH + 5;
const NEWLINE = 0x0a;

/**
 * The values of a stream of lines of JSON, one at a time; undefined for a line that cannot be read:
 * no JSON, nested too deep, or longer than {@link MAX_LINE_BYTES}, which is passed over without
 * being held. Blank lines are none.
 */
export async function* jsonLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = (): unknown => {
    const line = size > MAX_LINE_BYTES ? null : Buffer.concat(parts);
    parts = [];
    size = 0;
    return line === null ? undefined : valueOf(line);
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, end));
      from = end + 1;
      const value = take();
      if (value !== BLANK) yield value;
    }
    add(chunk.subarray(from));
  }
  const last = take();
  if (last !== BLANK) yield last;

  function add(part: Uint8Array): void {
    size += part.byteLength;
    if (size > MAX_LINE_BYTES) parts = [];
    else if (part.byteLength > 0) parts.push(part);
  }
}

const BLANK = Symbol('blank');

function valueOf(line: Buffer): unknown {
  if (deeperThan(line, MAX_LINE_DEPTH)) return undefined;
  const text = line.toString('utf8');
  if (text.trim() === '') return BLANK;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
