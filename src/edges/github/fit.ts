import { fenceAfter, type OpenFence } from '../../text/fences.ts';

const CUT =
  'This summary is cut off. The whole report is in the job summary and in the ' + 'report files.';

const utf8Bytes = (text: string): number => Buffer.byteLength(text, 'utf8');

export function fitBytes(text: string, limit: number): string {
  const encoded = Buffer.from(text, 'utf8');
  if (encoded.length <= limit) return text;
  let end = limit;
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.subarray(0, end).toString('utf8');
}

/** Removes whole lines from the end. Closes an open code fence. */
export function fitMarkdown(text: string, note: string, limit: number): string {
  const whole = note === '' ? text : `${text}\n\n${note}`;
  if (utf8Bytes(whole) <= limit) return whole;
  const tail = `\n\n${note === '' ? CUT : `${CUT} ${note}`}`;
  const kept: string[] = [];
  let used = utf8Bytes(tail);
  let fence: OpenFence | null = null;
  for (const line of text.split('\n')) {
    const next = fenceAfter(fence, line);
    const closing = next === null ? 0 : utf8Bytes(next.mark) + 1;
    if (used + utf8Bytes(line) + 1 + closing > limit) break;
    used += utf8Bytes(line) + 1;
    kept.push(line);
    fence = next;
  }
  if (kept.length === 0)
    return `${fitBytes(text.split('\n', 1)[0] ?? '', limit - utf8Bytes(tail))}${tail}`;
  return `${kept.join('\n')}${fence === null ? '' : `\n${fence.mark}`}${tail}`;
}
