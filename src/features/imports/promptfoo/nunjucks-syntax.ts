import type { Json } from '../../../types/plain.ts';

/** Code between `{{` and `}}`, and conditions. */
export type Expression =
  | { kind: 'literal'; value: Json }
  | { kind: 'list'; items: Expression[] }
  | { kind: 'name'; name: string }
  | { kind: 'member'; of: Expression; key: Expression }
  | { kind: 'not'; of: Expression }
  | { kind: 'choice'; condition: Expression; yes: Expression; no: Expression | null }
  | { kind: 'filter'; name: string; of: Expression; values: Expression[] }
  | { kind: 'both'; by: Operator; left: Expression; right: Expression };

const LEVELS = [
  ['or'],
  ['and'],
  ['==', '!=', '===', '!==', '<', '>', '<=', '>=', 'in'],
  ['~'],
  ['+', '-'],
  ['*', '/', '%'],
] as const;

type Operator = (typeof LEVELS)[number][number];

export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'output'; value: Expression }
  | { kind: 'set'; name: string; value: Expression }
  | { kind: 'if'; branches: { condition: Expression | null; body: Node[] }[] }
  | { kind: 'for'; names: string[]; over: Expression; body: Node[]; otherwise: Node[] };

type Piece = { kind: 'text' | 'output' | 'tag'; text: string };

/** Unsupported syntax, named in the message. */
class Unread extends Error {}

/** Parses a template, or names the first unsupported part. */
export function parseTemplate(
  text: string,
): { ok: true; nodes: Node[] } | { ok: false; construct: string } {
  try {
    const pieces = piecesOf(text);
    const nodes = readBody(pieces, []);
    if (pieces.length > 0) throw new Unread(construct(pieces[0]));
    return { ok: true, nodes };
  } catch (error) {
    if (error instanceof Unread) return { ok: false, construct: error.message };
    throw error;
  }
}

function construct(piece: Piece | undefined): string {
  const text = piece === undefined ? 'its end' : piece.text.split('\n', 1)[0]?.slice(0, 60);
  return piece?.kind === 'tag' ? `{% ${text ?? ''} %}` : `{{ ${text ?? ''} }}`;
}

/** Text, outputs and tags in order, without comments and trimmed white space. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let trims = false;
  const say = (until: number, dash: boolean): void => {
    const words = text.slice(from, until);
    const begun = trims ? words.trimStart() : words;
    pieces.push({ kind: 'text', text: dash ? begun.trimEnd() : begun });
  };
  for (;;) {
    const open = /\{(?:\{|%|#)-?/g;
    open.lastIndex = from;
    const found = open.exec(text);
    if (found === null) break;
    const [mark] = found;
    const sign = mark.charAt(1);
    const close = text.indexOf(sign === '{' ? '}}' : `${sign}}`, open.lastIndex);
    if (close === -1) throw new Unread(text.slice(found.index, found.index + 60));
    say(found.index, mark.endsWith('-'));
    const inside = text.slice(open.lastIndex, close);
    trims = inside.endsWith('-');
    from = close + 2;
    const words = (trims ? inside.slice(0, -1) : inside).trim();
    if (words === 'raw' && sign === '%') {
      const end = /\{%-?\s*endraw\s*-?%\}/g;
      end.lastIndex = from;
      const ended = end.exec(text);
      if (ended === null) throw new Unread('{% raw %}');
      say(ended.index, ended[0].startsWith('{%-'));
      trims = ended[0].endsWith('-%}');
      from = end.lastIndex;
    } else if (sign !== '#') pieces.push({ kind: sign === '%' ? 'tag' : 'output', text: words });
  }
  say(text.length, false);
  return pieces;
}

const wordOf = ({ text }: Piece): string => text.split(/\s/, 1)[0] ?? '';

/** Reads nodes up to one of `ends`, which is not consumed. */
function readBody(pieces: Piece[], ends: readonly string[]): Node[] {
  const nodes: Node[] = [];
  for (;;) {
    const [piece] = pieces;
    if (piece === undefined || (piece.kind === 'tag' && ends.includes(wordOf(piece)))) return nodes;
    pieces.shift();
    if (piece.kind === 'text') nodes.push({ kind: 'text', text: piece.text });
    else if (piece.kind === 'output')
      nodes.push({ kind: 'output', value: read(piece, piece.text) });
    else nodes.push(readTag(piece, pieces));
  }
}

function readTag(piece: Piece, pieces: Piece[]): Node {
  const { text } = piece;
  const [, name, value] = /^set\s+([A-Za-z_]\w*)\s*=(?!=)([\s\S]+)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined)
    return { kind: 'set', name, value: read(piece, value) };
  const [, condition] = /^if\s([\s\S]+)$/.exec(text) ?? [];
  if (condition !== undefined) return readIf(piece, condition, pieces);
  const [, names, over] =
    /^for\s+([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s+in\s([\s\S]+)$/.exec(text) ?? [];
  if (names === undefined || over === undefined) throw new Unread(construct(piece));
  const body = readBody(pieces, ['else', 'endfor']);
  const otherwise =
    pieces[0]?.text === 'else' ? (pieces.shift(), readBody(pieces, ['endfor'])) : [];
  expectEnd(pieces, piece, 'endfor');
  return { kind: 'for', names: names.split(/\s*,\s*/), over: read(piece, over), body, otherwise };
}

function readIf(piece: Piece, first: string, pieces: Piece[]): Node {
  const branches: { condition: Expression | null; body: Node[] }[] = [];
  let condition: Expression | null = read(piece, first);
  for (;;) {
    const body = readBody(pieces, ['elif', 'elseif', 'else', 'endif']);
    branches.push({ condition, body });
    const [next] = pieces;
    if (next === undefined || wordOf(next) === 'endif' || condition === null) break;
    pieces.shift();
    condition =
      next.text === 'else' ? null : read(next, next.text.replace(/^else?if\s|^elif\s/, ''));
  }
  expectEnd(pieces, piece, 'endif');
  return { kind: 'if', branches };
}

function expectEnd(pieces: Piece[], from: Piece, end: string): void {
  const piece = pieces.shift();
  if (piece?.text !== end) throw new Unread(construct(from));
}

const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?)|("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|([A-Za-z_]\w*)|(===|!==|==|!=|<=|>=|[<>~+\-*/%|.,()[\]]))/y;

interface Tokens {
  /** String tokens keep their quotes. */
  list: string[];
  piece: Piece;
}

function read(piece: Piece, text: string): Expression {
  const list: string[] = [];
  TOKEN.lastIndex = 0;
  const trimmed = text.trim();
  while (TOKEN.lastIndex < trimmed.length) {
    const found = TOKEN.exec(trimmed);
    if (found === null) throw new Unread(construct(piece));
    list.push(found[0].trim());
  }
  const tokens = { list, piece };
  const value = readChoice(tokens);
  if (list.length > 0) throw new Unread(construct(piece));
  return value;
}

function readChoice(tokens: Tokens): Expression {
  const yes = readLevel(tokens, 0);
  if (!takeWord(tokens, 'if')) return yes;
  const condition = readLevel(tokens, 0);
  return {
    kind: 'choice',
    condition,
    yes,
    no: takeWord(tokens, 'else') ? readChoice(tokens) : null,
  };
}

function takeWord({ list }: Tokens, word: string): boolean {
  if (list[0] !== word) return false;
  list.shift();
  return true;
}

function needWord(tokens: Tokens, word: string): void {
  if (!takeWord(tokens, word)) throw new Unread(construct(tokens.piece));
}

function readLevel(tokens: Tokens, level: number): Expression {
  const operators: readonly string[] | undefined = LEVELS[level];
  if (operators === undefined) return readFilters(tokens);
  // `not` binds weaker than a comparison and stronger than `and`.
  if (level === 2 && takeWord(tokens, 'not')) return { kind: 'not', of: readLevel(tokens, level) };
  let left = readLevel(tokens, level + 1);
  for (;;) {
    const negated = level === 2 && tokens.list[0] === 'not' && tokens.list[1] === 'in';
    if (negated) tokens.list.shift();
    const by = tokens.list[0] ?? '';
    if (!operators.includes(by)) return left;
    tokens.list.shift();
    left = { kind: 'both', by: by as Operator, left, right: readLevel(tokens, level + 1) };
    if (negated) left = { kind: 'not', of: left };
  }
}

function readFilters(tokens: Tokens): Expression {
  let value = readMembers(tokens);
  while (takeWord(tokens, '|')) {
    const name = tokens.list.shift() ?? '';
    const values = takeWord(tokens, '(') ? readList(tokens, ')') : [];
    value = { kind: 'filter', name, of: value, values };
  }
  return value;
}

function readList(tokens: Tokens, end: string): Expression[] {
  const items: Expression[] = [];
  while (!takeWord(tokens, end)) {
    if (items.length > 0) needWord(tokens, ',');
    items.push(readChoice(tokens));
  }
  return items;
}

function readMembers(tokens: Tokens): Expression {
  let value = readPlain(tokens);
  for (;;) {
    if (takeWord(tokens, '.')) {
      const name = tokens.list.shift() ?? '';
      if (!/^\w+$/.test(name)) throw new Unread(construct(tokens.piece));
      value = { kind: 'member', of: value, key: { kind: 'literal', value: name } };
    } else if (takeWord(tokens, '[')) {
      const key = readChoice(tokens);
      needWord(tokens, ']');
      value = { kind: 'member', of: value, key };
    } else return value;
  }
}

const CONSTANTS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['true', true],
  ['false', false],
  ['none', null],
  ['null', null],
]);

/** Keywords, and `env`, which depends on the run's environment. */
const NO_NAMES = ['and', 'or', 'not', 'if', 'else', 'in', 'is', 'env'];

function readPlain(tokens: Tokens): Expression {
  const token = tokens.list.shift() ?? '';
  if (token === '(') {
    const value = readChoice(tokens);
    needWord(tokens, ')');
    return value;
  }
  if (token === '[') return { kind: 'list', items: readList(tokens, ']') };
  if (token === '-' && /^\d/.test(tokens.list[0] ?? ''))
    return { kind: 'literal', value: -Number(tokens.list.shift()) };
  if (/^\d/.test(token)) return { kind: 'literal', value: Number(token) };
  if (/^["']/.test(token)) return { kind: 'literal', value: unquote(token) };
  const constant = CONSTANTS.get(token);
  if (constant !== undefined) return { kind: 'literal', value: constant };
  if (!/^[A-Za-z_]/.test(token) || NO_NAMES.includes(token))
    throw new Unread(construct(tokens.piece));
  return { kind: 'name', name: token };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unquote(token: string): string {
  return token.slice(1, -1).replace(/\\([\s\S])/g, (_, char: string) => ESCAPES[char] ?? char);
}
