/**
 * Markup, quotes and brackets that graders put around a label, by their opening and closing
 * character.
 */
const PAIRS: Readonly<Record<string, string>> = {
  '*': '*',
  _: '_',
  '`': '`',
  '"': '"',
  "'": "'",
  '“': '”',
  '‘': '’',
  '«': '»',
  '(': ')',
  '[': ']',
  '{': '}',
  '<': '>',
};

/**
 * The label that a whole text is, after trimming quotes, markup, list and heading marks and a
 * closing full stop: as written, else in another case where that fits one label only; null
 * otherwise.
 */
export function exactLabel(text: string, labels: readonly string[]): string | null {
  for (const candidate of spellings(text)) {
    if (labels.includes(candidate)) return candidate;
  }
  for (const candidate of spellings(text)) {
    const folded = labels.filter((label) => label.toLowerCase() === candidate.toLowerCase());
    if (folded.length === 1 && folded[0] !== undefined) return folded[0];
  }
  return null;
}

/**
 * A text and what is left of it after each step of trimming, the least trimmed first: a label may
 * itself end in a mark.
 */
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
  if (text.length > 2 && PAIRS[first] === text.at(-1)) return text.slice(1, -1).trim();
  const mark = /^(?:[-*•>]|#{1,6}) +/.exec(text)?.[0];
  if (mark !== undefined) return text.slice(mark.length).trim();
  return /[.!,;:]$/.test(text) ? text.slice(0, -1).trim() : text;
}

/**
 * The one label a line gives: the line is the label, or the label stands as a whole word at its end
 * (`Answer: B`, `I choose B.`) or at its start before punctuation (`NO, it is rude`), longer labels
 * first. A label inside a longer word, grade or fraction (`N/A`, `A+`, `15`, `5/5`), after a
 * negation, in running text (`A good answer`), or beside another label is not an answer: null.
 */
export function labelInLine(line: string, labels: readonly string[]): string | null {
  const exact = exactLabel(line, labels);
  if (exact !== null) return exact;
  const asWritten = wholeWords(line, labels);
  if (asWritten.length > 0) return single(line, asWritten);
  // Another case only for labels of two letters and more that no other label equals then: `a` is a
  // word.
  const folded = labels.filter(
    (label) =>
      label.length > 1 &&
      labels.every((other) => other === label || other.toLowerCase() !== label.toLowerCase()),
  );
  const lower = line.toLowerCase();
  const found = wholeWords(
    lower,
    folded.map((label) => label.toLowerCase()),
  );
  const label = single(lower, found);
  return label === null ? null : (folded.find((choice) => choice.toLowerCase() === label) ?? null);
}

interface Occurrence {
  label: string;
  start: number;
  end: number;
}

/** Where labels stand as whole words; a place taken by a longer label is not looked at again. */
function wholeWords(line: string, labels: readonly string[]): Occurrence[] {
  const found: Occurrence[] = [];
  for (const label of [...labels].sort((a, b) => b.length - a.length)) {
    if (label === '') continue;
    for (let start = line.indexOf(label); start !== -1; start = line.indexOf(label, start + 1)) {
      const end = start + label.length;
      if (!isWhole(line, start, end)) continue;
      if (found.every((other) => end <= other.start || start >= other.end))
        found.push({ label, start, end });
      // Two different labels decide nothing, and a hostile line may hold thousands.
      if (found.length > 64) return found;
    }
  }
  return found;
}

/**
 * The one label found, if it ends its line or opens it before punctuation: in the middle of a line
 * it may be quoted.
 */
function single(line: string, found: readonly Occurrence[]): string | null {
  const [first] = found;
  if (first === undefined || found.some(({ label }) => label !== first.label)) return null;
  if (found.some(({ start }) => isNegated(line, start))) return null;
  const given = found.some(
    ({ start, end }) =>
      !holdsWord(line.slice(end)) || (!holdsWord(line.slice(0, start)) && isSetOff(line, end)),
  );
  return given ? first.label : null;
}

function holdsWord(text: string): boolean {
  return WORD_CHARACTER.test(text);
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u;

const WORD = /[\p{L}\p{N}\p{M}_]/u;

/**
 * Characters that join what stands left and right of them into one word: grades, fractions,
 * decimals, hyphens.
 */
const JOINERS = new Set([
  '/',
  '+',
  '-',
  '−',
  '–',
  '%',
  '#',
  '&',
  '@',
  "'",
  '’',
  '.',
  ',',
  ':',
  '\\',
  '=',
  '~',
  '^',
]);

/** Joined to a label even when nothing follows: `A+`, `A-`, `5%`, `1/`. */
const SUFFIXES = new Set(['/', '+', '-', '−', '%', '#', '\\', '^']);

/** In front of a label they make it another one: `-1`, `+1`, `#1`, `.5`. */
const PREFIXES = new Set(['/', '+', '-', '−', '%', '#', '\\', '.', '^', '~']);

function isWhole(line: string, start: number, end: number): boolean {
  const [before, beforeThat] = [line.charAt(start - 1), line.charAt(start - 2)];
  const [after, afterThat] = [line.charAt(end), line.charAt(end + 1)];
  if (isWord(before, line, start - 1) || isWord(after, line, end)) return false;
  if (PREFIXES.has(before) || SUFFIXES.has(after)) return false;
  const label = line.slice(start, end);
  // `1.5` and `1:5` are other numbers, while `Answer:B` and `B,C` are words side by side.
  const joinsBefore =
    JOINERS.has(before) && WORD.test(beforeThat) && sticks(before, label, beforeThat);
  const joinsAfter = JOINERS.has(after) && WORD.test(afterThat) && sticks(after, label, afterThat);
  return !joinsBefore && !joinsAfter;
}

/** Colons, equals signs and commas join digits only; the other joiners join everything. */
function sticks(joiner: string, label: string, neighbour: string): boolean {
  return ![':', '=', ','].includes(joiner) || (/^\p{N}/u.test(label) && /\p{N}/u.test(neighbour));
}

/** A lone half of a surrogate pair belongs to a letter outside the basic plane as often as not. */
function isWord(char: string, line: string, index: number): boolean {
  if (char === '' || char === '_') return char === '_' && !isMarkup(line, index);
  return WORD.test(char) || (char >= '\ud800' && char <= '\udfff');
}

/** An underscore beside a label is emphasis when it stands at the edge of a word: `__NO__`. */
function isMarkup(line: string, index: number): boolean {
  let left = index;
  let right = index;
  while (line.charAt(left - 1) === '_') left--;
  while (line.charAt(right + 1) === '_') right++;
  return (
    !/[\p{L}\p{N}]/u.test(line.charAt(left - 1)) || !/[\p{L}\p{N}]/u.test(line.charAt(right + 1))
  );
}

/** Whether a label is followed by the line's end or by punctuation, rather than by more words. */
function isSetOff(line: string, end: number): boolean {
  const rest = line.slice(end).trimStart();
  return rest === '' || !WORD.test(rest.charAt(0));
}

const NEGATIONS = new Set([
  'not',
  'never',
  'neither',
  'nor',
  'without',
  'cannot',
  "isn't",
  "wasn't",
  "can't",
  "don't",
  "doesn't",
  'isnt',
  'hardly',
]);

/** Whether a negation stands before the label in its own part of the sentence. */
function isNegated(line: string, start: number): boolean {
  const clause = line
    .slice(Math.max(0, start - 120), start)
    .toLowerCase()
    .replaceAll('’', "'");
  const part = clause.split(/[.:;,!?—]/).at(-1) ?? '';
  return part.split(/[^\p{L}']+/u).some((word) => NEGATIONS.has(word));
}
