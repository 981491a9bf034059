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

/**
 * Finds the only label in a line. Ignores labels that are negated or part of a word, number or
 * sentence.
 */
export function labelInLine(written: string, labels: readonly string[]): string | null {
  const exact = exactLabel(written, labels);
  if (exact !== null) return exact;
  const line = onScale(written, labels);
  const asWritten = wholeWords(line, labels);
  if (asWritten.length > 0) return single(line, asWritten);
  // A label of one letter must match in case, because `a` is also a word.
  const folded = labels.filter(
    (label) =>
      label.length > 1 &&
      labels.every((other) => other === label || foldCase(other) !== foldCase(label)),
  );
  const lower = foldCase(line);
  const label = single(lower, wholeWords(lower, folded.map(foldCase)));
  return label === null ? null : (folded.find((choice) => foldCase(choice) === label) ?? null);
}

export function holdsLabel(text: string, labels: readonly string[]): boolean {
  return wholeWords(foldCase(text), labels.map(foldCase)).length > 0;
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

interface Occurrence {
  label: string;
  start: number;
  end: number;
}

function wholeWords(line: string, labels: readonly string[]): Occurrence[] {
  const found: Occurrence[] = [];
  for (const label of [...labels].sort((a, b) => b.length - a.length)) {
    if (label === '') continue;
    for (let start = line.indexOf(label); start !== -1; start = line.indexOf(label, start + 1)) {
      const end = start + label.length;
      if (!isWholeLabel(line, start, end)) continue;
      if (found.every((other) => end <= other.start || start >= other.end))
        found.push({ label, start, end });
      if (found.length > 64) return found;
    }
  }
  return found;
}

function single(line: string, found: readonly Occurrence[]): string | null {
  const [first] = found;
  if (first === undefined || found.some(({ label }) => label !== first.label)) return null;
  const given = found.some(({ start, end }) => {
    const [before, after] = [line.slice(0, start), line.slice(end)];
    if (!isSetOff(after)) return false;
    return holdsWord(before.replaceAll(first.label, '')) ? isVerdict(before) : true;
  });
  return given ? first.label : null;
}

const VERDICT_WORDS = new Set(
  (
    'answer verdict label grade rating rate score choice choose chose decision decide result ' +
    'judgment judgement judge conclusion conclude class classification category option letter ' +
    'assessment evaluation select selected pick give assign overall final finally so thus hence ' +
    "therefore i i'd i'm would will am must go with a an my the this that it its it's is are be as " +
    'of for to correct best'
  ).split(' '),
);

const MAX_CLAUSE = 120;

function isVerdict(before: string): boolean {
  const clause = foldCase(before.slice(-MAX_CLAUSE).replaceAll('’', "'"))
    .split(/[.;!?]\s|,|\s[—–]\s|\n/)
    .filter(holdsWord)
    .at(-1);
  const words = clause?.match(/[\p{L}\p{N}']+/gu) ?? [];
  return words.length > 0 && words.every((word) => VERDICT_WORDS.has(word));
}

function holdsWord(text: string): boolean {
  return WORD_CHARACTER.test(text);
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u;

const WORD = /[\p{L}\p{N}\p{M}_]/u;

/** Characters that join the text around them into one word, such as fractions and decimals. */
const JOINERS = new Set("/+-\u2010\u2011\u2012−–%#&@'’.,:\\=~^");

/** Characters that can be the end of a label: `A+`, `A-`, `5%`, `1/`. */
const SUFFIXES = new Set(['/', '+', '-', '−', '%', '#', '\\', '^']);

/** Characters that give the label after them a different meaning: `-1`, `+1`, `#1`, `.5`. */
const LABEL_PREFIXES = new Set('/+-\u2010\u2011\u2012−–%#\\.^~');

const COMPARISON_SIGN = /[<>≤≥≈~] ?$/;
const PER_CENT = /^ ?[%‰]/;

function isWholeLabel(line: string, start: number, end: number): boolean {
  const [before, beforeThat] = [line.charAt(start - 1), line.charAt(start - 2)];
  const [after, afterThat] = [line.charAt(end), line.charAt(end + 1)];
  if (isWord(before, line, start - 1) || isWord(after, line, end)) return false;
  if (LABEL_PREFIXES.has(before) || SUFFIXES.has(after) || isMeasured(line, start, end))
    return false;
  const label = line.slice(start, end);
  // `1.5` and `1:5` are not the label 1; `Answer:B` and `B,C` are separate words.
  const joinsBefore =
    JOINERS.has(before) && WORD.test(beforeThat) && isJoined(before, label, beforeThat);
  const joinsAfter =
    JOINERS.has(after) && WORD.test(afterThat) && isJoined(after, label, afterThat);
  return !joinsBefore && !joinsAfter;
}

/** True for `<5` and `5%`, but not for `<5>`. */
function isMeasured(line: string, start: number, end: number): boolean {
  const [before, after] = [line.slice(0, start), line.slice(end)];
  const isBracketed = before.endsWith('<') && after.startsWith('>');
  if (isBracketed || !/\p{N}/u.test(line.charAt(start))) return false;
  return COMPARISON_SIGN.test(before) || PER_CENT.test(after);
}

function isJoined(joiner: string, label: string, neighbour: string): boolean {
  return ![':', '=', ','].includes(joiner) || (/^\p{N}/u.test(label) && /\p{N}/u.test(neighbour));
}

function isWord(char: string, line: string, index: number): boolean {
  if (char === '' || char === '_') return char === '_' && !isMarkup(line, index);
  return WORD.test(char) || (char >= '\ud800' && char <= '\udfff');
}

/** Underscores at the edge of a word are Markdown emphasis: `__NO__`. */
function isMarkup(line: string, index: number): boolean {
  let left = index;
  let right = index;
  while (line.charAt(left - 1) === '_') left--;
  while (line.charAt(right + 1) === '_') right++;
  return (
    !/[\p{L}\p{N}]/u.test(line.charAt(left - 1)) || !/[\p{L}\p{N}]/u.test(line.charAt(right + 1))
  );
}

function isSetOff(after: string): boolean {
  const rest = after.replace(/^[*_`]+/, '').trimStart();
  // In `Correct: no` and `Correct?`, the first word is a question and not a label.
  if (rest.startsWith('?') || NEGATED_LABEL.test(foldCase(rest.slice(0, 80)))) return false;
  if (!holdsWord(rest)) return true;
  return /^[.,;:!?()…—–-]/.test(rest) && !QUALIFIER.test(foldCase(rest.slice(0, 80)));
}

const NEGATED_LABEL = /^[:=]\W*(?:no|none|not|false|never|0)(?:[^\p{L}\p{N} ]|$)/u;

/** What follows takes the label back in part: `YES, but …`, `YES (barely)`, `YES, 80 %`. */
const QUALIFIER = new RegExp(
  String.raw`^[^\p{L}\p{N}]*(?:\d+ ?(?:%|/|(?:out )?of )|(?:${[
    'but however for when where (?:al)?though except unless if or and yet still while mostly barely partly',
    'partial(?:ly)? largely mainly nearly almost hardly roughly slightly somewhat rather quite',
    'fairly more less half kind_of sort_of kinda sorta just only probably possibly perhaps maybe',
    'arguably apparently likely generally usually often sometimes typically technically weak(?:ly)?',
    'essentially basically conditional(?:ly)? depend(?:s|ing) assuming provided apart borderline',
    'i_(?:think|guess|suppose|believe) at_(?:least|best|most|times) up_to_a on_(?:the_whole|balance)',
    'in_(?:parts?|most|many|some|general|principle|theory|a_way) to_(?:some|an?|the|most)',
    'for_(?:the_)?(?:most|now|some) with_(?:an?|some|few|minor|small|reservations?|caveats?)',
    'not_(?:entirely|fully|quite|completely|wholly|really|exactly|always|sure|certain)',
  ]
    .join(' ')
    .replaceAll(' ', '|')
    .replaceAll('_', ' ')})(?![\p{L}\p{N}]))`,
  'u',
);
