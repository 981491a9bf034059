import type { CodePlace } from '../types/model.ts';
import {
  isMap,
  type Json,
  type JsonMap,
  type Notice,
  type Place,
  type Problem,
} from '../types/plain.ts';

/** Without repeats: what several prompts or tests share is read for each of them. */
export function distinct<T extends Problem | Notice>(entries: readonly T[]): T[] {
  const seen = new Map<string, T>();
  for (const entry of entries) {
    const key = `${entry.place?.file ?? ''}\n${entry.place?.line ?? ''}\n${entry.message}`;
    if (!seen.has(key)) seen.set(key, entry);
  }
  return [...seen.values()];
}

export type Path = readonly (string | number)[];

/**
 * A user's file as plain data, and where each value of it is written. Never handed on beyond
 * `config`.
 */
export interface Document {
  file: string;
  value: Json;
  /**
   * Where the value at `path` is written; the nearest enclosing one where there is no such value.
   */
  placeOf(path: Path): Place;
  /**
   * The place of the `occurrence`-th (from 0) `text` inside the text at `path`; that value's own
   * place when it is not found.
   */
  placeOfText(path: Path, text: string, occurrence: number): Place;
  /**
   * The source text of a number or truth value that prints differently (`12.50`, `True`); null for
   * any other value. Absent: there is no such value.
   */
  textOf?(path: Path): string | null;
}

export type Reading<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

/** A map without a prototype, so that no key can mean anything but itself. */
export function emptyMap(): JsonMap {
  return Object.create(null) as JsonMap;
}

/** `references[2].input.a`. */
export function pathText(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

export function valueAt(value: Json, path: Path): Json | undefined {
  let here: Json | undefined = value;
  for (const step of path) {
    if (Array.isArray(here) && typeof step === 'number') here = here[step];
    else if (isMap(here) && typeof step === 'string' && Object.hasOwn(here, step))
      here = here[step];
    else return undefined;
  }
  return here;
}

/** A scalar that is used as text, or a list of them, with the text that the file has. */
export function asWritten<T extends Json | undefined>(
  document: Document,
  path: Path,
  value: T,
): T | string {
  if (!Array.isArray(value)) return document.textOf?.(path) ?? value;
  const texts = value.map((member, index) => document.textOf?.([...path, index]) ?? member);
  return texts.some((text, index) => text !== value[index]) ? (texts as T) : value;
}

/** The part of `document` below `path`, as a document of its own. */
export function below(document: Document, path: Path): Document {
  return {
    // A part that another file brought in is that file's.
    file: document.placeOf(path).file,
    value: valueAt(document.value, path) ?? null,
    placeOf: (rest) => document.placeOf([...path, ...rest]),
    placeOfText: (rest, text, occurrence) =>
      document.placeOfText([...path, ...rest], text, occurrence),
    textOf: (rest) => document.textOf?.([...path, ...rest]) ?? null,
  };
}

/**
 * One document out of several maps: a key of a later layer replaces the same key of an earlier one,
 * and keeps the place of the file it comes from. `named` gives the document its name, and its place
 * to what stands nowhere.
 */
export function layerDocuments(layers: readonly Document[], named: Document): Document {
  const value = emptyMap();
  const owners = new Map<string, Document>();
  for (const layer of layers) {
    if (!isMap(layer.value)) continue;
    for (const [key, member] of Object.entries(layer.value)) {
      value[key] = member;
      owners.set(key, layer);
    }
  }
  const owner = (path: Path) =>
    (typeof path[0] === 'string' ? owners.get(path[0]) : undefined) ?? named;
  return {
    file: named.file,
    value,
    placeOf: (path) => owner(path).placeOf(path),
    placeOfText: (path, text, occurrence) => owner(path).placeOfText(path, text, occurrence),
    textOf: (path) => owner(path).textOf?.(path) ?? null,
  };
}

/** `document` put below `key`. */
export function under(key: string, document: Document): Document {
  const value = emptyMap();
  value[key] = document.value;
  return {
    file: document.file,
    value,
    placeOf: (path) => document.placeOf(path.slice(1)),
    placeOfText: (path, text, occurrence) => document.placeOfText(path.slice(1), text, occurrence),
    textOf: (path) => document.textOf?.(path.slice(1)) ?? null,
  };
}

/**
 * Where the code at `path` stands. Its lines are lines of the file where it is written as a block,
 * and where it has but one.
 */
export function codePlaceOf(document: Document, path: Path, code: string): CodePlace {
  const lines = code.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const whole = document.placeOf(path);
  const { file, line } = document.placeOfText(path, (lines[first] ?? '').trim(), 0);
  const several = lines.slice(first + 1).some((rest) => rest.trim() !== '');
  // In quotes the first line stands beside its key, and what follows it anywhere.
  return several && line === whole.line
    ? { ...whole, linewise: false }
    : { file, line: line - Math.max(0, first), linewise: true };
}
