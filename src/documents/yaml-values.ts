import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Alias,
  type LineCounter,
  type Node,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { problem } from '../errors.ts';
import { isMap as isJsonMap, type Json, type JsonMap, type Problem } from '../types/plain.ts';
import { emptyMap, pathText } from './document.ts';
import { FILE_LIMITS, MAX_PROBLEMS } from './limits.ts';
import { FORBIDDEN_KEYS, foreignSpace, valueFlaw } from './text-flaws.ts';

/**
 * Positions are -1 if unknown. `text` is the source of a scalar that JavaScript would print
 * differently.
 */
interface Spot {
  line: number;
  start: number;
  end: number;
  text?: string;
}

export type Spots = WeakMap<object, Map<string | number, Spot>>;

interface Walk {
  file: string;
  lines: LineCounter;
  problems: Problem[];
  spots: Spots;
  path: (string | number)[];
  anchors: Map<string, Node>;
  /** Keeps each alias's node, because a later anchor may have the same name. */
  targets: Map<Alias, Node>;
  open: Set<Node>;
  expanding: number;
  values: number;
  characters: number;
}

class TooLargeError extends Error {}

export function walk(
  root: Node,
  file: string,
  lines: LineCounter,
): { value: Json; problems: Problem[]; spots: Spots; line: number } {
  const state: Walk = {
    file,
    lines,
    problems: [],
    spots: new WeakMap(),
    path: [],
    anchors: new Map(),
    targets: new Map(),
    open: new Set(),
    expanding: 0,
    values: 0,
    characters: 0,
  };
  const line = nodeLine(state, root) ?? 1;
  let value: Json = null;
  try {
    value = readNode(state, root, 0, line);
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
  }
  return { value, problems: state.problems, spots: state.spots, line };
}

function readNode(state: Walk, node: Node | null, depth: number, line: number): Json {
  state.values += 1;
  if (state.values > FILE_LIMITS.values)
    giveUp(state, line, `expands to more than ${FILE_LIMITS.values} values`);
  if (depth > FILE_LIMITS.depth)
    return addProblem(state, line, `is nested deeper than ${FILE_LIMITS.depth} levels`);
  if (node === null) return null;
  if (isAlias(node)) return readAlias(state, node, depth, line);
  if (node.anchor !== undefined && state.expanding === 0) state.anchors.set(node.anchor, node);
  if (isScalar(node)) return readScalar(state, node.value, line);
  state.open.add(node);
  let value: Json = null;
  if (isSeq(node)) value = readList(state, node, depth);
  else if (isMap(node)) value = readMap(state, node, depth);
  state.open.delete(node);
  return value;
}

function readAlias(state: Walk, alias: Alias, depth: number, line: number): Json {
  const target = state.targets.get(alias) ?? state.anchors.get(alias.source);
  if (target === undefined)
    return addProblem(state, line, `uses *${alias.source} before it is defined`);
  if (state.open.has(target)) return addProblem(state, line, `*${alias.source} refers to itself`);
  state.targets.set(alias, target);
  state.expanding += 1;
  const value = readNode(state, target, depth, line);
  state.expanding -= 1;
  return value;
}

function readScalar(state: Walk, value: unknown, line: number): Json {
  if (typeof value === 'number') return readNumber(state, value, line);
  if (typeof value !== 'string') return typeof value === 'boolean' ? value : null;
  countCharacters(state, line, value);
  const flaw = valueFlaw(value);
  if (flaw !== null) return addProblem(state, line, `${pathWords(state)} ${flaw}`);
  return value.includes('${oc.') ? addProblem(state, line, interpolation(value)) : value;
}

function readNumber(state: Walk, value: number, line: number): Json {
  if (!Number.isFinite(value))
    return addProblem(state, line, `${pathWords(state)} is not a finite number`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return addProblem(
      state,
      line,
      `${pathWords(state)} is too large to be an exact number; quote it if it is text`,
    );
  }
  return value;
}

function readList(state: Walk, list: YAMLSeq, depth: number): Json {
  const spots = new Map<number, Spot>();
  const value: Json[] = [];
  const listLine = nodeLine(state, list) ?? 0;
  for (const item of list.items as (Node | null)[]) {
    const line = nodeLine(state, item) ?? listLine;
    state.path.push(value.length);
    const member = readNode(state, item, depth + 1, line);
    state.path.pop();
    spots.set(value.length, spot(state, item, line));
    value.push(member);
  }
  state.spots.set(value, spots);
  return value;
}

function readMap(state: Walk, map: YAMLMap, depth: number): Json {
  const spots = new Map<string, Spot>();
  const value = emptyMap();
  const mapLine = nodeLine(state, map) ?? 0;
  let merged: { maps: JsonMap[]; spot: Spot } | null = null;
  for (const pair of map.items as { key: unknown; value: Node | null }[]) {
    const key = readKey(state, pair.key, spots, mapLine);
    if (key === null) continue;
    state.path.push(key.text);
    const member = readNode(state, pair.value, depth + 1, key.line);
    state.path.pop();
    spots.set(key.text, spot(state, pair.value, key.line));
    if (key.text === MERGE_KEY)
      merged = {
        maps: mapsToMerge(state, member, key.line),
        spot: { line: key.line, start: -1, end: -1 },
      };
    else value[key.text] = member;
  }
  // The map's own keys win over merged ones, and the first merged map over later ones.
  for (const map of merged?.maps ?? []) {
    for (const [key, member] of Object.entries(map)) {
      if (merged === null || Object.hasOwn(value, key)) continue;
      value[key] = member;
      spots.set(key, { ...state.spots.get(map)?.get(key), ...merged.spot });
    }
  }
  spots.delete(MERGE_KEY);
  state.spots.set(value, spots);
  return value;
}

const MERGE_KEY = '<<';

function mapsToMerge(state: Walk, value: Json, line: number): JsonMap[] {
  const maps = Array.isArray(value) ? value : [value];
  if (maps.every(isJsonMap)) return maps;
  addProblem(state, line, 'a merge key (<<) takes a map, or a list of maps');
  return [];
}

function readKey(
  state: Walk,
  key: unknown,
  seen: Map<string, Spot>,
  mapLine: number,
): { text: string; line: number } | null {
  if (!isScalar(key)) return addProblem(state, mapLine, 'has a key that is not plain text');
  const line = nodeLine(state, key) ?? mapLine;
  // Keeps the source text, because the label `1.0` must not become `1`.
  const text = key.source ?? String(key.value);
  countCharacters(state, line, text);
  const space = key.type === 'PLAIN' ? foreignSpace(text) : null;
  if (space !== null) return addProblem(state, line, space);
  const flaw = valueFlaw(text);
  const earlier = seen.get(text);
  if (flaw !== null) return addProblem(state, line, `a key ${flaw}`);
  if (FORBIDDEN_KEYS.has(text)) return addProblem(state, line, `the key "${text}" is not allowed`);
  if (earlier !== undefined)
    return addProblem(state, line, `the key "${text}" is already on line ${earlier.line}`);
  return { text, line };
}

function spot(state: Walk, node: Node | null, line: number): Spot {
  const written = node !== null && isAlias(node) ? state.targets.get(node) : node;
  const place = { line, start: written?.range?.[0] ?? -1, end: written?.range?.[1] ?? -1 };
  const text = isScalar(written) ? sourceText(written) : null;
  return text === null ? place : { ...place, text };
}

function sourceText({ value, source }: Scalar): string | null {
  const isPrinted = typeof value !== 'number' && typeof value !== 'boolean';
  return isPrinted || source === undefined || source === String(value) ? null : source;
}

function countCharacters(state: Walk, line: number, text: string): void {
  state.characters += text.length;
  const limit = FILE_LIMITS.characters;
  if (state.characters > limit) giveUp(state, line, `expands to more than ${limit} characters`);
}

function nodeLine(state: Walk, node: Node | null): number | null {
  return node?.range ? state.lines.linePos(node.range[0]).line : null;
}

function pathWords(state: Walk): string {
  return state.path.length === 0 ? 'the file' : pathText(state.path);
}

function addProblem(state: Walk, line: number, message: string): null {
  if (state.problems.length < MAX_PROBLEMS)
    state.problems.push(problem({ file: state.file, line }, message));
  return null;
}

function giveUp(state: Walk, line: number, message: string): never {
  addProblem(state, line, message);
  throw new TooLargeError();
}

function interpolation(text: string): string {
  const from = text.indexOf('${oc.');
  const name = text.slice(from + 5, from + 25).split(/[:}]/, 1)[0] ?? '';
  return `\${oc.${name}:...} is not supported; evaldiff does not replace it`;
}
