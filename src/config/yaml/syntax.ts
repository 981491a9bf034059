import { Composer, Lexer, LineCounter, Parser } from 'yaml';
import type { CST, Document as YamlDocument } from 'yaml';
import type { Limits } from '../limits.ts';

/**
 * The library's document and its line counter, or the first thing wrong with the text. `line` 0:
 * the file as a whole.
 */
export type Syntax =
  | { ok: true; document: YamlDocument; lines: LineCounter }
  | { ok: false; line: number; message: string };

/**
 * Lexical pieces of one file. A file with more takes the library seconds, and holds more values
 * than any limit allows.
 */
const MAX_TOKENS = 600_000;
/** What the lexer puts before the text of a plain scalar. */
const SCALAR_MARK = '\u001f';

const OPTIONS = {
  version: '1.2',
  schema: 'core',
  strict: true,
  prettyErrors: false,
  // Merge keys, binary, sets and foreign tags stay what they are written as, which is then refused.
  merge: false,
  resolveKnownTags: false,
  // The library compares every key with every other: quadratic. The walk in yaml.ts looks for
  // duplicates itself.
  uniqueKeys: false,
} as const;

class Stop extends Error {
  readonly code: string;
  readonly offset: number;
  constructor(code: string, offset: number, message: string) {
    super(message);
    this.code = code;
    this.offset = offset;
  }
}

/**
 * Parses one YAML 1.2 document (core schema). Ends at the first error, so that the time is linear
 * in the size of the text whatever it holds; warnings (unknown tags) are errors.
 */
export function parseSyntax(text: string, limits: Limits): Syntax {
  const lines = new LineCounter();
  try {
    const document = compose(text, lines, limits);
    return document === null
      ? { ok: false, line: 0, message: 'is empty' }
      : { ok: true, document, lines };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const line = error.offset < 0 ? 0 : lines.linePos(Math.min(error.offset, text.length)).line;
    return { ok: false, line, message: wording(error, limits) };
  }
}

function compose(text: string, lines: LineCounter, limits: Limits): YamlDocument | null {
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer(OPTIONS);
  let first: Stop | null = null;
  // Collecting half a million errors takes seconds. Should the library rename this member we lose
  // time, not errors: `checked` reads what the document collected.
  Reflect.set(composer, 'onError', (source: unknown, code: string, message: string) => {
    first ??= new Stop(code, offsetOf(source), message);
    throw first;
  });
  let document: YamlDocument | null = null;
  let documents = 0;
  const feed = (token: CST.Token) => {
    if (token.type === 'document') documents += 1;
    refuse(token, documents, limits);
    for (const done of composer.next(token)) document = checked(done);
  };
  lines.addNewLine(0);
  for (const lexeme of guarded(text, limits)) {
    for (const token of parser.next(lexeme)) feed(token);
  }
  for (const token of parser.end()) feed(token);
  for (const done of composer.end()) document = checked(done);
  return document;
}

function refuse(token: CST.Token, documents: number, limits: Limits): void {
  if (token.type === 'error') throw new Stop('UNEXPECTED_TOKEN', token.offset, token.message);
  if (token.type === 'directive')
    throw new Stop('DIRECTIVE', 'offset' in token ? token.offset : 0, token.source);
  if (token.type !== 'document') return;
  if (documents > 1) throw new Stop('MULTIPLE_DOCS', token.offset, '');
  const deep = tooDeep(token, limits.depth);
  if (deep !== null) throw new Stop('RESOURCE_EXHAUSTION', deep, '');
}

/**
 * Where the syntax tree first nests deeper than `limit`. The parser builds it without recursion,
 * the composer reads it with.
 */
function tooDeep(document: CST.Document, limit: number): number | null {
  const open: { token: CST.Token | undefined; depth: number }[] = [
    { token: document.value, depth: 0 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (token === undefined || !('items' in token)) continue;
    if (depth > limit) return token.offset;
    for (const { key, value } of token.items)
      open.push({ token: key ?? undefined, depth: depth + 1 }, { token: value, depth: depth + 1 });
  }
  return null;
}

function checked(document: YamlDocument): YamlDocument {
  const bad = document.errors[0] ?? document.warnings[0];
  if (bad !== undefined) throw new Stop(bad.code, bad.pos[0], bad.message);
  return document;
}

/** Pieces the lexer makes up; all others are stretches of the text. */
const MARKS = new Set(['\u0002', '\u0018', SCALAR_MARK]);

/**
 * What a piece does to the number of collections that are open; a scalar's text may look like any
 * of them.
 */
const OPENS: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 };

/** The lexer's pieces, ended where they nest too deep for the recursive parser or are too many. */
function* guarded(text: string, limits: Limits): Generator<string> {
  let offset = 0;
  let count = 0;
  let flow = 0;
  let inLine = 0;
  let previous = '';
  for (const lexeme of new Lexer().lex(text)) {
    const syntax = previous === SCALAR_MARK ? '' : lexeme;
    flow += OPENS[syntax] ?? 0;
    if (syntax === '-' || syntax === '?') inLine += 1;
    if (syntax.startsWith('\n') || syntax.startsWith('\r')) inLine = 0;
    if (flow + inLine > limits.depth) throw new Stop('RESOURCE_EXHAUSTION', offset, '');
    count += 1;
    if (count > MAX_TOKENS) throw new Stop('TOKENS', -1, '');
    if (!MARKS.has(lexeme)) offset += lexeme.length;
    previous = lexeme;
    yield lexeme;
  }
}

function offsetOf(source: unknown): number {
  if (typeof source === 'number') return source;
  if (Array.isArray(source)) return typeof source[0] === 'number' ? source[0] : 0;
  const offset: unknown =
    typeof source === 'object' && source !== null ? Reflect.get(source, 'offset') : 0;
  return typeof offset === 'number' ? offset : 0;
}

function wording({ code, message }: Stop, limits: Limits): string {
  const firstLine = message.split('\n', 1)[0] ?? '';
  switch (code) {
    case 'MULTIPLE_DOCS':
      return 'has more than one YAML document';
    case 'TAB_AS_INDENT':
      return 'is indented with a tab; YAML needs spaces';
    case 'RESOURCE_EXHAUSTION':
      return `is nested deeper than ${limits.depth} levels`;
    case 'TOKENS':
      return `has more than ${MAX_TOKENS} pieces; move references into a JSONL or CSV file (references_from)`;
    case 'DIRECTIVE':
      return `has the directive ${firstLine.slice(0, 40)}; remove it, files are YAML 1.2`;
    case 'TAG_RESOLVE_FAILED':
      return `uses a tag that is not allowed (${tagIn(firstLine)})`;
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'is not valid YAML: a value with ": " in it needs quotes or a | block';
    default:
      return `is not valid YAML: ${firstLine}`;
  }
}

/** The tag as people write it: `!!js/function`, not `tag:yaml.org,2002:js/function`. */
function tagIn(message: string): string {
  const name = message.startsWith('Unresolved tag: ')
    ? message.slice('Unresolved tag: '.length)
    : message;
  return name.replace('tag:yaml.org,2002:', '!!').slice(0, 80);
}
