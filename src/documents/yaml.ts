import {
  Composer,
  Lexer,
  LineCounter,
  Parser,
  Schema,
  isScalar,
  type CST,
  type Document as YamlDocument,
} from 'yaml';
import { problem } from '../errors.ts';
import { tooManyBytes } from '../text/amounts.ts';
import type { Json, Problem } from '../types/plain.ts';
import { type Document, type Path, type ReadResult, valueAt } from './document.ts';
import { FILE_LIMITS } from './limits.ts';
import { decodeUtf8, fileFlaw, foreignSpace } from './text-flaws.ts';
import { type Spots, walk } from './yaml-values.ts';

type Syntax =
  | { ok: true; document: YamlDocument; lines: LineCounter }
  | { ok: false; line: number; message: string };

/** The YAML library would take seconds for more tokens. */
const MAX_TOKENS = 600_000;

const SCALAR_MARK = '\u001f';

const PARSE_OPTIONS = {
  version: '1.2',
  // All reads share one schema, because creating it takes as long as reading a small file.
  schema: new Schema({ schema: 'core', merge: false, resolveKnownTags: false }),
  strict: true,
  prettyErrors: false,
  // The library needs quadratic time for this check, so yaml-values.ts finds duplicates.
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

const EMPTY = 'is empty; write it, or delete the file';

/** Stops at the first error, so that reading takes linear time. Warnings count as errors. */
function parseSyntax(text: string): Syntax {
  const lines = new LineCounter();
  try {
    const document = composeDocument(text, lines);
    return document === null
      ? { ok: false, line: 0, message: EMPTY }
      : { ok: true, document, lines };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const line = error.offset < 0 ? 0 : lines.linePos(Math.min(error.offset, text.length)).line;
    const start = lines.lineStarts[line - 1] ?? text.length;
    const [written = ''] = text.slice(start).split('\n', 1);
    return { ok: false, line, message: syntaxErrorText(error, written) };
  }
}

function composeDocument(text: string, lines: LineCounter): YamlDocument | null {
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer(PARSE_OPTIONS);
  let first: Stop | null = null;
  // Stops at the first error, because collecting half a million takes seconds. If the library
  // renames this private member, reading is only slower.
  Reflect.set(composer, 'onError', (source: unknown, code: string, message: string) => {
    first ??= new Stop(code, offsetOf(source), message);
    throw first;
  });
  let document: YamlDocument | null = null;
  let documents = 0;
  const feed = (token: CST.Token) => {
    if (token.type === 'document') documents += 1;
    checkToken(token, documents);
    for (const done of composer.next(token)) document = requireValid(done);
  };
  lines.addNewLine(0);
  for (const lexeme of guardedPieces(text)) {
    for (const token of parser.next(lexeme)) feed(token);
  }
  for (const token of parser.end()) feed(token);
  for (const done of composer.end()) document = requireValid(done);
  return document;
}

function checkToken(token: CST.Token, documents: number): void {
  if (token.type === 'error') throw new Stop('UNEXPECTED_TOKEN', token.offset, token.message);
  if (token.type === 'directive')
    throw new Stop('DIRECTIVE', 'offset' in token ? token.offset : 0, token.source);
  if (token.type !== 'document') return;
  if (documents > 1) throw new Stop('MULTIPLE_DOCS', token.offset, '');
  const deep = tooDeep(token);
  if (deep !== null) throw new Stop('RESOURCE_EXHAUSTION', deep, '');
}

/** The library's composer is recursive, so deep nesting would overflow the stack. */
function tooDeep(document: CST.Document): number | null {
  const open: { token: CST.Token | undefined; depth: number }[] = [
    { token: document.value, depth: 0 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (token === undefined || !('items' in token)) continue;
    if (depth > FILE_LIMITS.depth) return token.offset;
    for (const { key, value } of token.items)
      open.push({ token: key ?? undefined, depth: depth + 1 }, { token: value, depth: depth + 1 });
  }
  return null;
}

function requireValid(document: YamlDocument): YamlDocument {
  const bad = document.errors[0] ?? document.warnings[0];
  if (bad !== undefined) throw new Stop(bad.code, bad.pos[0], bad.message);
  return document;
}

const LEXER_MARKS = new Set(['\u0002', '\u0018', SCALAR_MARK]);

const OPENS: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 };

function* guardedPieces(text: string): Generator<string> {
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
    if (flow + inLine > FILE_LIMITS.depth) throw new Stop('RESOURCE_EXHAUSTION', offset, '');
    count += 1;
    if (count > MAX_TOKENS) throw new Stop('TOKENS', -1, '');
    if (!LEXER_MARKS.has(lexeme)) offset += lexeme.length;
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

function syntaxErrorText({ code, message }: Stop, written: string): string {
  const firstLine = message.split('\n', 1)[0] ?? '';
  switch (code) {
    case 'MULTIPLE_DOCS':
      return 'has more than one YAML document';
    case 'TAB_AS_INDENT':
      return 'is indented with a tab; YAML needs spaces';
    case 'RESOURCE_EXHAUSTION':
      return `is nested deeper than ${FILE_LIMITS.depth} levels`;
    case 'TOKENS':
      return (
        `has more than ${MAX_TOKENS} tokens; move references into a JSONL or CSV file ` +
        '(references_from)'
      );
    case 'DIRECTIVE':
      return `has the directive ${firstLine.slice(0, 40)}; remove it, files are YAML 1.2`;
    case 'TAG_RESOLVE_FAILED':
      return `uses a tag that is not allowed (${tagIn(firstLine)})`;
    case 'BLOCK_AS_IMPLICIT_KEY':
      return (
        foreignSpace(written) ??
        'is not valid YAML: check the indent; a value with ": " in it needs quotes or a | block'
      );
    default:
      return foreignSpace(written) ?? `is not valid YAML: ${firstLine}`;
  }
}

function tagIn(message: string): string {
  const name = message.startsWith('Unresolved tag: ')
    ? message.slice('Unresolved tag: '.length)
    : message;
  return name.replace('tag:yaml.org,2002:', '!!').slice(0, 80);
}

export function readYaml(file: string, content: string | Uint8Array): ReadResult<Document> {
  const bytes =
    typeof content === 'string' ? new TextEncoder().encode(content).length : content.length;
  if (bytes > FILE_LIMITS.yamlBytes)
    return parseFailure(file, 0, tooManyBytes(bytes, FILE_LIMITS.yamlBytes));
  const text = typeof content === 'string' ? content.replace(/^\uFEFF/, '') : decodeUtf8(content);
  if (text === null) return parseFailure(file, 0, 'is not UTF-8 text');
  const flaw = fileFlaw(text);
  if (flaw !== null) return parseFailure(file, lineAt(text, flaw.index), flaw.message);
  const syntax = parseSyntax(text);
  if (!syntax.ok) return parseFailure(file, syntax.line, syntax.message);
  const root = syntax.document.contents;
  if (root === null || (isScalar(root) && root.value === null && root.source === ''))
    return parseFailure(file, 0, EMPTY);

  const { value, problems, spots, line } = walk(root, file, syntax.lines);
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, value: createDocument(file, text, value, line, spots) };
}

function parseFailure(
  file: string,
  line: number,
  message: string,
): { ok: false; problems: Problem[] } {
  return { ok: false, problems: [problem({ file, line }, message)] };
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1))
    line += 1;
  return line;
}

function createDocument(
  file: string,
  text: string,
  value: Json,
  rootLine: number,
  spots: Spots,
): Document {
  const spotOf = (path: Path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const parent = valueAt(value, path.slice(0, length - 1));
      const last = path[length - 1];
      if (typeof parent !== 'object' || parent === null || last === undefined) continue;
      const spot = spots.get(parent)?.get(last);
      if (spot !== undefined) return spot;
    }
    return undefined;
  };
  const placeOf = (path: Path) => ({ file, line: spotOf(path)?.line ?? rootLine });
  return {
    file,
    value,
    placeOf,
    placeOfText: (path, needle, occurrence) => {
      const spot = valueAt(value, path) === undefined ? undefined : spotOf(path);
      if (spot === undefined || spot.start < 0) return placeOf(path);
      const source = text.slice(spot.start, spot.end);
      let at = source.indexOf(needle);
      for (let skip = occurrence; skip > 0 && at !== -1; skip -= 1)
        at = source.indexOf(needle, at + 1);
      return at === -1 ? placeOf(path) : { file, line: lineAt(text, spot.start + at) };
    },
    textOf: (path) => {
      const parent = valueAt(value, path.slice(0, -1));
      const last = path.at(-1);
      return typeof parent !== 'object' || parent === null || last === undefined
        ? null
        : (spots.get(parent)?.get(last)?.text ?? null);
    },
  };
}
