import { escapeMarkup, visible } from './visible.ts';

/** Shorter than any secret, so that redacted text never grows. */
const REDACTED = '***';

/** Shorter values also occur in ordinary text. */
const SHORTEST_SECRET = 4;

/** Vendors print the ends of keys, so the ends of secrets of at least this length are redacted. */
const MIN_KEY_LENGTH = 16;

const END = 8;

/** Prefixes of vendors' keys, longer ones first. At least `rest` characters follow. */
const KEY_SHAPES: readonly { prefix: string; rest: number }[] = [
  { prefix: 'github_pat_', rest: 20 },
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => ({ prefix, rest: 20 })),
  { prefix: 'sk-', rest: 20 },
  ...'xoxb- xoxa- xoxp- xoxr- xoxs- glpat- gsk_ hf_ npm_ xai- r8_'
    .split(' ')
    .map((prefix) => ({ prefix, rest: 18 })),
  { prefix: 'AKIA', rest: 16 },
  { prefix: 'ASIA', rest: 16 },
  { prefix: 'AIza', rest: 30 },
];

/** Includes `*`, because vendors mask keys with it. */
const TOKEN = /[\w.*-]{8,}/g;

export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets.flatMap(secretParts))];
  const exact = secretPattern(secrets);
  const ends = known
    .filter((secret) => secret.length >= MIN_KEY_LENGTH)
    .flatMap((key) => [key.slice(0, END), key.slice(-END)]);
  const partial = anyLiteral(ends);
  const telling = anyLiteral([...ends, ...KEY_SHAPES.map(({ prefix }) => prefix)]);
  return (text) => {
    const whole = exact === null ? text : text.replace(exact, REDACTED);
    if (telling === null || whole.search(telling) < 0) return whole;
    const words = whole.replace(TOKEN, (word) =>
      ends.some((end) => word.includes(end)) || keyShape(word) !== undefined ? REDACTED : word,
    );
    return partial === null ? words : words.replace(partial, REDACTED);
  };
}

export interface SecretRegister {
  add(values: readonly string[]): void;
  redact(text: string): string;
}

/** @param mask tells the runner to mask a new secret in the log. */
export function createSecretRegister(
  mask: (secret: string) => void = () => undefined,
): SecretRegister {
  const known = new Set<string>();
  let redact: ((text: string) => string) | null = null;
  return {
    add(values) {
      const fit = values.filter((value) => value.trim().length >= SHORTEST_SECRET);
      for (const value of fit.filter((each) => !known.has(each))) {
        known.add(value);
        mask(value);
        redact = null;
      }
    },
    redact(text) {
      redact ??= createRedactor([...known]);
      return redact(text);
    },
  };
}

export function redactAll<T>(value: T, redact: (text: string) => string): T {
  const names = new Map<string, string>();
  const nameOf = (name: string): string => {
    const known = names.get(name);
    if (known !== undefined) return known;
    const redacted = redact(name);
    if (names.size < MOST_NAMES) names.set(name, redacted);
    return redacted;
  };
  return redactValue(value, redact, nameOf) as T;
}

const MOST_NAMES = 1000;

function redactValue(
  value: unknown,
  redact: (text: string) => string,
  nameOf: (name: string) => string,
): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  const inside = (item: unknown): unknown => redactValue(item, redact, nameOf);
  return Array.isArray(value)
    ? walkList(value, inside)
    : walkRecord(value as Record<string, unknown>, inside, nameOf);
}

function walkList(list: unknown[], inside: (item: unknown) => unknown): unknown[] {
  let copy: unknown[] | null = null;
  for (const [index, own] of list.entries()) {
    const item = inside(own);
    if (item !== own) copy ??= list.slice(0, index);
    copy?.push(item);
  }
  return copy ?? list;
}

function walkRecord(
  record: Record<string, unknown>,
  inside: (item: unknown) => unknown,
  nameOf: (name: string) => string,
): Record<string, unknown> {
  const names = Object.keys(record);
  let copy: [string, unknown][] | null = null;
  for (const [index, name] of names.entries()) {
    const [own, shown] = [record[name], nameOf(name)];
    const item = inside(own);
    if (shown !== name || item !== own)
      copy ??= names.slice(0, index).map((earlier) => [earlier, record[earlier]]);
    copy?.push([shown, item]);
  }
  return copy === null ? record : Object.fromEntries(copy);
}

/** Each line of a private key is a secret too. */
function secretParts(secret: string): string[] {
  const whole = secret.trim();
  const lines = whole.split(/\r?\n/).map((line) => line.trim());
  return [
    whole,
    ...(lines.length > 1 ? lines.filter((line) => line.length >= MIN_KEY_LENGTH) : []),
  ].filter((part) => part.length >= SHORTEST_SECRET);
}

/** Matches secrets in every form in which they are redacted. Null: there is no secret. */
export function secretPattern(secrets: readonly string[]): RegExp | null {
  const known = [...new Set(secrets.flatMap(secretParts))];
  const literals = anyLiteral(known.flatMap(secretSpellings));
  if (literals === null) return null;
  const long = known.filter((secret) => secret.length >= MIN_KEY_LENGTH).map(escapedPattern);
  return new RegExp([...long, literals.source].join('|'), 'gi');
}

/** Matches each character as it is, or escaped for JSON, a URL or HTML, even several times. */
function escapedPattern(secret: string): string {
  const escaped = [...secret.toWellFormed()].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    const bytes = [...new TextEncoder().encode(character)].map(hexOf);
    return [
      escapeLiteral(character),
      `u${hex.padStart(4, '0')}`,
      bytes.map((byte) => `%(?:25){0,3}${byte}`).join(''),
      `&(?:amp;){0,3}#(?:0{0,4}${code}|x0{0,4}${hex});?`,
    ].join('|');
  });
  return escaped.map((forms) => `(?:${forms})`).join('\\\\{0,7}');
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

function secretSpellings(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = [...bytes].map(hexOf).join('');
  const url = encodeURIComponent(secret.toWellFormed());
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    hex,
    json,
    json.replaceAll('/', '\\/'),
    visible(secret),
    escapeMarkup(secret),
    url,
    url.replaceAll('%20', '+'),
    ...base64Spellings(bytes),
  ];
}

/**
 * In base64, a secret looks different at each of three offsets. Keeps only characters that the
 * secret alone determines.
 */
function base64Spellings(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded =
      '\0'.repeat(before) + [...bytes].map((byte) => String.fromCharCode(byte)).join('');
    const fixed = btoa(padded).slice(
      Math.ceil((8 * before) / 6),
      Math.floor((8 * padded.length) / 6),
    );
    const lines = before === 0 ? LINE_PATTERNS.flatMap((line) => fixed.match(line) ?? []) : [];
    return [fixed, ...lines]
      .filter((text) => text.length >= END)
      .flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
  });
}

/** Lines as in PEM and MIME. */
const LINE_PATTERNS = [/.{1,64}/g, /.{1,76}/g];

/** Longer literals first, so that a whole secret matches before its parts. */
function anyLiteral(literals: readonly string[]): RegExp | null {
  const distinct = [...new Set(literals)]
    .filter((literal) => literal !== '')
    .sort((a, b) => b.length - a.length);
  if (distinct.length === 0) return null;
  return new RegExp(distinct.map(escapeLiteral).join('|'), 'g');
}

function escapeLiteral(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function keyShape(word: string): string | undefined {
  return KEY_SHAPES.find(({ prefix, rest }) => {
    for (let at = word.indexOf(prefix); at >= 0; at = word.indexOf(prefix, at + prefix.length)) {
      const tail = word.slice(at + prefix.length, at + prefix.length + 200);
      const starts = at === 0 || !/[A-Za-z0-9]/.test(word.charAt(at - 1));
      if (starts && tail.length >= rest && /\d/.test(tail) && /[A-Za-z]/.test(tail)) return true;
    }
    return false;
  })?.prefix;
}

/** Names the first secret in a text: a private key, or a key with a vendor's prefix. */
export function secretKind(text: string): string | null {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return 'a private key';
  const prefix = text
    .match(TOKEN)
    ?.map(keyShape)
    .find((each) => each !== undefined);
  return prefix === undefined ? null : `an API key (${prefix}…)`;
}
