import { problem } from '../errors.ts';
import {
  isMap,
  type Json,
  type JsonMap,
  type Notice,
  type Place,
  type Problem,
  type CodePlace,
} from '../types/plain.ts';

export function deduplicate<T extends Problem | Notice>(entries: readonly T[]): T[] {
  const seen = new Map<string, T>();
  for (const entry of entries) {
    const key = `${entry.place?.file ?? ''}\n${entry.place?.line ?? ''}\n${entry.message}`;
    if (!seen.has(key)) seen.set(key, entry);
  }
  return [...seen.values()];
}

export type Path = readonly (string | number)[];

export interface Document {
  file: string;
  value: Json;
  /** Falls back to the place of the nearest parent that exists. */
  placeOf(path: Path): Place;
  /** `occurrence` counts from 0. Falls back to the place of `path`. */
  placeOfText(path: Path, text: string, occurrence: number): Place;
  textOf?(path: Path): string | null;
}

export type ReadResult<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

export function emptyMap(): JsonMap {
  return Object.create(null) as JsonMap;
}

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

/** A value of a file that is being read. Its problems are reported at its place. */
export class Field {
  readonly document: Document;
  readonly problems: Problem[];
  readonly path: Path;

  constructor(document: Document, problems: Problem[], path: Path = []) {
    this.document = document;
    this.problems = problems;
    this.path = path;
  }

  get value(): Json | undefined {
    return valueAt(this.document.value, this.path);
  }

  get parent(): Field {
    return new Field(this.document, this.problems, this.path.slice(0, -1));
  }

  get isGiven(): boolean {
    return this.value !== undefined;
  }

  get place(): Place {
    return this.document.placeOf(this.path);
  }

  get name(): string {
    return pathText(this.path);
  }

  placeOfText(text: string, occurrence = 0): Place {
    return this.document.placeOfText(this.path, text, occurrence);
  }

  at(...steps: Path): Field {
    return new Field(this.document, this.problems, [...this.path, ...steps]);
  }

  refuse(message: string, place: Place | string = this.place): void {
    this.problems.push(problem(place, message));
  }

  /** The value as the file spells it, such as `1.0` or `0012`, if its spelling may matter. */
  spelled<T extends Json | undefined>(value: T): T | string {
    const textAt = (...steps: Path) => this.document.textOf?.([...this.path, ...steps]);
    if (!Array.isArray(value)) return textAt() ?? value;
    const texts = value.map((member, index) => textAt(index) ?? member);
    return texts.some((text, index) => text !== value[index]) ? (texts as T) : value;
  }
}

/** A document whose parts come from others. `originOf` says where a path is written. */
export function derivedDocument(
  file: string,
  value: Json,
  originOf: (path: Path) => readonly [Document, Path],
): Document {
  return {
    file,
    value,
    placeOf: (path) => {
      const [from, at] = originOf(path);
      return from.placeOf(at);
    },
    placeOfText: (path, text, occurrence) => {
      const [from, at] = originOf(path);
      return from.placeOfText(at, text, occurrence);
    },
    textOf: (path) => {
      const [from, at] = originOf(path);
      return from.textOf?.(at) ?? null;
    },
  };
}

export function below(document: Document, path: Path): Document {
  const value = valueAt(document.value, path) ?? null;
  const { file } = document.placeOf(path);
  return derivedDocument(file, value, (rest) => [document, [...path, ...rest]]);
}

/** Finds the file's lines for embedded code: a YAML block scalar or a single line. */
export function codePlaceOf(field: Field, code: string): CodePlace {
  const lines = code.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const whole = field.place;
  const { file, line } = field.placeOfText((lines[first] ?? '').trim());
  const several = lines.slice(first + 1).some((rest) => rest.trim() !== '');
  return several && line === whole.line
    ? { ...whole, linewise: false }
    : { file, line: line - Math.max(0, first), linewise: true };
}
