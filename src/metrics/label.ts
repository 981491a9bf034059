import { foldCase } from './measures/normalise.ts';

const PAIRS = new Map(
  ['**', '__', '``', '""', "''", '“”', '‘’', '«»', '()', '[]', '{}', '<>'].map((pair) => [
    pair.charAt(0),
    pair.charAt(1),
  ]),
);

/** Tries an exact match, then a unique match that ignores case, then a number on the scale. */
export function exactLabel(text: string, labels: readonly string[]): string | null {
  for (const candidate of spellings(text)) {
    if (labels.includes(candidate)) return candidate;
  }
  for (const candidate of spellings(text)) {
    const folded = labels.filter((label) => foldCase(label) === foldCase(candidate));
    if (folded.length === 1 && folded[0] !== undefined) return folded[0];
  }
  const scaled = onScale(text, labels);
  return scaled === text ? null : exactLabel(scaled, labels);
}

/** From least to most trimmed, because a label may end in punctuation. */
function spellings(text: string): string[] {
  let current = text.trim();
  const found = [current];
  for (let step = 0; step < 12; step++) {
    const next = trimOnce(current);
    if (next === current) break;
    found.push(next);
    current = next;
  }
  return found.filter((spelling) => spelling !== '');
}

function trimOnce(text: string): string {
  const first = text.charAt(0);
  if (text.length > 2 && PAIRS.get(first) === text.at(-1)) return text.slice(1, -1).trim();
  const mark = /^(?:[-*•>]|#{1,6}) +/.exec(text)?.[0];
  if (mark !== undefined) return text.slice(mark.length).trim();
  return /[.!,;:]$/.test(text) ? text.slice(0, -1).trim() : text;
}

/** For example `Final answer: YES` or `My verdict is **YES**`. */
const ANNOUNCEMENT =
  /^[*_`]*(?:(?:my|the|its|final|overall|so|thus|therefore)[ ,]+)*(?:answer|verdict|label|grade|rating|score|choice|decision|result|conclusion)(?:[*_`]* ?[:=]| is\b:?|[*_`]* [–—-] )/i;

/**
 * The label of a line that has nothing else, or only words before it that announce a label. A label
 * in a sentence is not read, because the sentence may deny, qualify or quote it.
 */
export function labelInLine(line: string, labels: readonly string[]): string | null {
  const exact = exactLabel(line, labels);
  if (exact !== null) return exact;
  const announced = spellings(line).findLast((spelling) => ANNOUNCEMENT.test(spelling));
  if (announced === undefined) return null;
  const rest = announced.replace(ANNOUNCEMENT, '').trim();
  return exactLabel(rest.replace(/^[*_]+(?= )/, ''), labels);
}

export function holdsLabel(text: string, labels: readonly string[]): boolean {
  const folded = foldCase(text);
  return labels.some((label) => {
    const words = foldCase(label).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`(?<![\\p{L}\\p{N}])${words}(?![\\p{L}\\p{N}])`, 'u').test(folded);
  });
}

const SCORE =
  /(?<![\p{L}\p{N}.,:/+\u2010-\u2013−-])(\d+)(?:\.0+)?(?:(?: ?\/ ?| (?:out )?of )(\d+)(?:\.0+)?)?(?![\p{L}\p{N}%/]|[.,:]\p{N})/giu;

/** Rewrites `9.0` as 9. If 10 is the highest label, also rewrites `9/10` as 9. */
function onScale(line: string, labels: readonly string[]): string {
  const numbers = labels.map(Number).filter((number) => !Number.isNaN(number));
  const top = numbers.length < 2 ? null : String(Math.max(...numbers));
  return line.replace(SCORE, (found: string, score: string, of: string | undefined) =>
    !labels.includes(found) && labels.includes(score) && (of ?? top) === top ? score : found,
  );
}
