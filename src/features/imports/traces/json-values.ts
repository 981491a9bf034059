import { FILE_LIMITS } from '../../../documents/limits.ts';
import { userError } from '../../../errors.ts';
import { isDeeper, MOST_LEVELS, type Json } from '../../../types/plain.ts';

/**
 * Yields the values of JSON Lines, or the value of a file that is one JSON document. Holds one line,
 * or the document, at a time.
 * @throws UserError at the line where JSON is invalid, cut off or too long
 */
export async function* jsonValues(file: string, texts: AsyncIterable<string>) {
  let document = '';
  let isLines = false;
  let place = { file, line: 0 };
  for await (const text of jsonLinesOf(texts)) {
    place = { file, line: place.line + 1 };
    if (document.length + text.length > FILE_LIMITS.dataBytes)
      throw userError(
        place,
        'has a JSON text of more than 32 MiB; convert the file to JSON Lines, for example with: ' +
          "jq -c '.[]'",
      );
    const value = document === '' ? jsonOf(text) : undefined;
    if (value !== undefined) yield { place, value };
    else if (isLines && text.trim() !== '') throw userError(place, INVALID);
    else document += text.trim();
    isLines ||= value !== undefined;
  }
  const value = jsonOf(document);
  if (value !== undefined) yield { place: { file, line: 0 }, value };
  else if (document !== '') throw userError(place, INVALID);
}

/** Ends a line at the limit of its length, too. */
async function* jsonLinesOf(texts: AsyncIterable<string>) {
  let rest = '';
  for await (const more of texts) {
    const lines = (rest + more).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > FILE_LIMITS.dataBytes) yield rest;
  }
  yield rest;
}

const INVALID =
  'is invalid JSON, or cut off; export it again as JSON Lines, or as one JSON document';

export function jsonOf(text: string): Json | undefined {
  try {
    const value = JSON.parse(text.trim()) as Json;
    return isDeeper(value, MOST_LEVELS) ? undefined : value;
  } catch {
    return undefined;
  }
}
