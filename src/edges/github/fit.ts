import { fenceAfter, type OpenFence } from '../../text/fences.ts';

const CUT =
  'This summary is cut off. The whole report is in the job summary and in the report files.';

export function fitBytes(text: string, limit: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= limit) return text;
  let end = limit;
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.subarray(0, end).toString();
}

/** Removes whole lines from the end. Closes an open code fence. */
export function fitMarkdown(text: string, note: string, limit: number): string {
  const whole = note === '' ? text : `${text}\n\n${note}`;
  if (Buffer.byteLength(whole) <= limit) return whole;
  const tail = `\n\n${note === '' ? CUT : `${CUT} ${note}`}`;
  const kept: string[] = [];
  let used = Buffer.byteLength(tail);
  let fence: OpenFence | null = null;
  for (const line of text.split('\n')) {
    const next = fenceAfter(fence, line);
    const closing = next === null ? 0 : Buffer.byteLength(next.mark) + 1;
    if (used + Buffer.byteLength(line) + 1 + closing > limit) break;
    used += Buffer.byteLength(line) + 1;
    kept.push(line);
    fence = next;
  }
  if (kept.length === 0)
    return `${fitBytes(text.split('\n', 1)[0] ?? '', limit - Buffer.byteLength(tail))}${tail}`;
  return `${kept.join('\n')}${fence === null ? '' : `\n${fence.mark}`}${tail}`;
}
