import { singleLine } from '../../trials/grader-question.ts';
import type { AttributeResult, Insight } from './result.ts';
import { areCompared, figureChanges, unsignedNumbers, signedNumbersOf } from './tables.ts';

export type InsightFinding = Omit<Insight, 'path' | 'suite' | 'variant'>;

const TEXT_LENGTH = 600;

interface WrittenInsight {
  text: string;
  attributes: readonly string[];
  references: readonly string[];
}

/** Accepts an insight only if its names, numbers and directions agree with the tables. */
export function checkInsight(
  given: WrittenInsight,
  attributes: readonly AttributeResult[],
): InsightFinding | string {
  const text = singleLine(given.text, TEXT_LENGTH);
  if (text === '') return 'it says nothing';
  const references = new Set(attributes.flatMap((attribute) => attribute.references));
  const attribute = given.attributes.find((id) => !attributes.some((known) => known.id === id));
  if (attribute !== undefined)
    return `it names the attribute ${quote(attribute)}, which does not exist`;
  const reference = given.references.find((id) => !references.has(id));
  if (reference !== undefined)
    return `it names the reference ${quote(reference)}, which does not exist`;
  if (given.attributes.length + given.references.length === 0)
    return 'it rests on no attribute and no reference';
  // A number in a text is a reference's name only where the insight lists it.
  const names = [...references].filter(
    (id) => !/^[\p{N}.,]+$/u.test(id) || given.references.includes(id),
  );
  const number = foreignNumber(bareOf(text, attributes, names), unsignedNumbers(attributes));
  if (number !== null)
    return `it states the number ${quote(number)}, which is in none of the tables`;
  const wrong = wrongClause(text, given, attributes, names);
  if (wrong !== null) return wrong;
  return {
    text,
    attributes: [...new Set(given.attributes)],
    references: [...new Set(given.references)],
    generated: true,
  };
}

function quote(text: string): string {
  return JSON.stringify(singleLine(text, 60));
}

/** Removes names, so that their digits are not read as figures. */
function bareOf(
  text: string,
  attributes: readonly AttributeResult[],
  references: readonly string[],
): string {
  return [...attributes.flatMap(({ id, name }) => [id, name]), ...references]
    .filter((name) => /\p{N}/u.test(name))
    .sort((a, b) => b.length - a.length)
    .reduce(
      (rest, name) => (rest.includes(name) ? rest.replace(wholeWord(name), ' ') : rest),
      text,
    );
}

function foreignNumber(bare: string, known: ReadonlySet<number>): string | null {
  const numbers = bare.match(NUMBER) ?? [];
  return numbers.find((number) => !readings(number).some((value) => known.has(value))) ?? null;
}

const NUMBER = /\p{N}+(?:[.,]\p{N}+)*/gu;

/** Not within a longer word or decimal: `7` does not match in `17`, `7.5` or `r7`. */
function wholeWord(name: string, flags = 'gu'): RegExp {
  const literal = name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}]|\\p{N}[.,])${literal}(?![\\p{L}\\p{N}]|[.,]\\p{N})`, flags);
}

/** What a number may mean: `1,234` with a thousands separator, `12,5` with a decimal comma. */
function readings(number: string): number[] {
  const ascii = number.normalize('NFKC');
  return [ascii, ascii.replaceAll(',', ''), ascii.replace(',', '.')]
    .map(Number)
    .filter((value) => !Number.isNaN(value));
}

interface Clause {
  text: string;
  about: readonly AttributeResult[];
  /** False: it continues about the attributes of the clause before it. */
  named: boolean;
}

function wrongClause(
  text: string,
  given: WrittenInsight,
  attributes: readonly AttributeResult[],
  references: readonly string[],
): string | null {
  for (const clause of clausesOf(text, given, attributes)) {
    const bare = bareOf(clause.text, attributes, references);
    const found =
      foreignFigure(bare, clause) ??
      wrongChange(bare, clause) ??
      wrongDirection(bare, clause, references);
    if (found !== null) return found;
  }
  return null;
}

const BETWEEN_CLAUSES = /[.;:!?](?=\s|$)|,(?=\s)|\b(?:while|whereas|but)\b/u;

/** A clause that names no attribute is about the previous ones, else about the listed ones. */
function clausesOf(
  text: string,
  given: WrittenInsight,
  attributes: readonly AttributeResult[],
): Clause[] {
  const listed = attributes.filter(
    ({ id, references }) =>
      given.attributes.includes(id) ||
      (given.attributes.length === 0 &&
        references.some((reference) => given.references.includes(reference))),
  );
  let current: Omit<Clause, 'text'> = { about: listed, named: listed.length === 1 };
  return text.split(BETWEEN_CLAUSES).map((part) => {
    const called = calledIn(part, attributes);
    if (called.length > 0) current = { about: called, named: true };
    return { text: part, ...current };
  });
}

/** Attributes by the longest of their names, so that "rivers" is not found in "big rivers". */
function calledIn(text: string, attributes: readonly AttributeResult[]): AttributeResult[] {
  const names = attributes
    .flatMap((attribute) => [
      { name: attribute.name, attribute },
      { name: attribute.id, attribute },
    ])
    .filter(({ name }) => name.trim() !== '')
    .sort((a, b) => b.name.length - a.name.length);
  const called = new Set<AttributeResult>();
  let rest = text;
  for (const { name, attribute } of names) {
    const without = rest.replace(wholeWord(name, 'giu'), ' ');
    if (without !== rest) called.add(attribute);
    rest = without;
  }
  return [...called];
}

function foreignFigure(bare: string, { about }: Clause): string | null {
  const number = foreignNumber(bare, unsignedNumbers(about));
  if (number !== null)
    return `it states the number ${quote(number)}, which is not a figure of ${quotedNames(about)}`;
  const known = signedNumbersOf(about);
  const signed = bare.matchAll(/(?<![\p{L}\p{N}])([+\-−])(\p{N}+(?:[.,]\p{N}+)*)/gu);
  for (const [whole, sign = '', digits = ''] of signed) {
    const values = readings(digits).map((value) => (sign === '+' ? value : -value));
    if (!values.some((value) => known.has(value)))
      return `it states ${quote(whole)}, which is not a figure of ${quotedNames(about)}`;
  }
  return null;
}

const CHANGE =
  /([+\-−]?\p{N}+(?:[.,]\p{N}+)*)(?:\s*%|\s+percent|\s+points?)?\s*(?:→|->|\bto\b)\s*([+\-−]?\p{N}+(?:[.,]\p{N}+)*)/gu;

/** Every "from … to …" of a clause; which of several readings is meant follows from the tables. */
function changesIn(bare: string): { text: string; from: number[]; to: number[] }[] {
  return [...bare.matchAll(CHANGE)].map(([text, from = '', to = '']) => ({
    text,
    from: signedReadings(from),
    to: signedReadings(to),
  }));
}

function signedReadings(number: string): number[] {
  const sign = /^[-−]/u.test(number) ? -1 : 1;
  return readings(number.replace(/^[+\-−]/u, '')).map((value) => sign * value);
}

function wrongChange(bare: string, { about }: Clause): string | null {
  const known = figureChanges(about);
  const wrong = changesIn(bare).find(
    ({ from, to }) => !known.some((change) => from.includes(change.from) && to.includes(change.to)),
  );
  return wrong === undefined
    ? null
    : `it says ${quote(wrong.text)}, which is not a change of ${quotedNames(about)}`;
}

const CLAIM_PATTERNS = {
  up: /\b(?:rose|rises|increased|increases|climbed|gained|grew)\b/iu,
  down: /\b(?:fell|falls|dropped|declined|declines|decreased|decreases|lost|sank)\b/iu,
  better: /\b(?:improved|improves|recovered|(?:got|gets|is|are|became|performs?) better)\b/iu,
  worse:
    /\b(?:regressed|regresses|worsened|worsens|degraded|deteriorated|(?:got|gets|is|are|became|performs?) worse)\b/iu,
  /** More of these is worse. */
  bad: /\b(?:errors?|fail(?:s|ed|ures?|ing)?|mistakes?|other skills|otherwise)\b/iu,
};

/** Words for a direction, against the changes that the clause states, else against the verdicts. */
function wrongDirection(
  bare: string,
  clause: Clause,
  references: readonly string[],
): string | null {
  const { text, about, named } = clause;
  const stated = statedChanges(bare, about);
  const [up, down] = [CLAIM_PATTERNS.up.test(bare), CLAIM_PATTERNS.down.test(bare)];
  if (stated.length > 0 && up !== down) {
    const fits = stated.some(({ from, to }) => (up ? to > from : to < from));
    return fits ? null : `it calls a change of ${quotedNames(about)} the wrong way round`;
  }
  const said = saidOf(bare, { up, down });
  const all = (way: 'better' | 'worse'): boolean => {
    const holds = (attribute: AttributeResult): boolean => directionOf(attribute) === way;
    return named ? about.every(holds) : about.some(holds);
  };
  if (said.better && !all('better'))
    return `it says that ${quotedNames(about)} got better, which the tables do not`;
  // A single reference may fall in an attribute that did not.
  const isSampled = (): boolean =>
    about.some(({ samples }) => samples.some(({ kind }) => kind === 'drop')) &&
    references.some((id) => text.includes(id) && wholeWord(id, 'u').test(text));
  return said.worse && !all('worse') && !isSampled()
    ? `it says that ${quotedNames(about)} got worse, which the tables do not`
    : null;
}

function statedChanges(
  bare: string,
  about: readonly AttributeResult[],
): ReturnType<typeof figureChanges> {
  const known = figureChanges(about);
  return changesIn(bare).flatMap(({ from, to }) =>
    known.filter((change) => from.includes(change.from) && to.includes(change.to)),
  );
}

function saidOf(
  bare: string,
  { up, down }: { up: boolean; down: boolean },
): { better: boolean; worse: boolean } {
  const bad = CLAIM_PATTERNS.bad.test(bare);
  return {
    better: CLAIM_PATTERNS.better.test(bare) || (bad ? down : up),
    worse: CLAIM_PATTERNS.worse.test(bare) || (bad ? up : down),
  };
}

/** The verdict; for an attribute explained by another, the sign of its difference. */
function directionOf(attribute: AttributeResult): 'better' | 'worse' | null {
  const { verdict, explained_by: others, difference } = attribute;
  if (verdict === 'regressed') return 'worse';
  if (verdict === 'improved') return 'better';
  if (!areCompared([attribute]) || others.length === 0) return null;
  return (difference ?? 0) < 0 ? 'worse' : 'better';
}

function quotedNames(attributes: readonly AttributeResult[]): string {
  return attributes.map(({ name }) => quote(name)).join(', ');
}
