import type { Json, Notice, Place } from '../../types.ts';
import { emptyMap } from '../document.ts';
import type { Document, JsonMap, Path } from '../document.ts';

/**
 * Someone else's file in the form of ours, so that reading it in place and converting it are the
 * same work.
 */
export interface Imported {
  prompts: ImportedPrompt[];
  /**
   * As under `models:` of the settings, by name; the user's own entries of these names go first.
   */
  models: Record<string, JsonMap>;
  /** The grading model that the file names; used where the settings name none. */
  grader: { model: string; place: Place } | null;
  /** Rubric files that the file names, and where; besides those of the settings. */
  rubrics?: { file: string; place: Place }[];
  /** What could not be carried over, each with its place and reason. */
  left: Notice[];
}

/**
 * A prompt file of ours. `tests` is one and the same object for prompts that share their tests;
 * null: there are none.
 */
export interface ImportedPrompt {
  prompt: Draft;
  tests: Draft | null;
}

/** A file of ours in the making: its value, and where its parts come from. */
export interface Draft {
  value: JsonMap;
  /** Says that the part at `path` was written at `place`. */
  from(path: Path, place: Place): void;
  /** Of the nearest part around `path` of which it was said. */
  placeOf(path: Path): Place;
}

/** An empty draft; what no place is given for stands where `whole` does. */
export function createDraft(whole: Place): Draft {
  const places = new Map<string, Place>();
  return {
    value: emptyMap(),
    from: (path, place) => {
      places.set(JSON.stringify(path), place);
    },
    placeOf: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const place = places.get(JSON.stringify(path.slice(0, length)));
        if (place !== undefined) return place;
      }
      return whole;
    },
  };
}

/** The draft as the readers of our own files take it: the prompt with its tests below `tests`. */
export function documentOf(file: string, { prompt, tests }: ImportedPrompt): Document {
  const value: JsonMap = { ...prompt.value };
  if (tests !== null) value['tests'] = tests.value;
  const placeOf = (path: Path): Place =>
    path[0] === 'tests' && tests !== null ? tests.placeOf(path.slice(1)) : prompt.placeOf(path);
  return { file, value, placeOf, placeOfText: placeOf };
}

/** A notice about a part of the file that has no counterpart here. */
export function leftOut(place: Place, what: string, why: string): Notice {
  return { kind: 'import', place, message: `${what} is not carried over: ${why}` };
}

/** Names that are not taken yet: the second `a` is `a-2`. */
export function uniqueNames(): (wanted: string) => string {
  const taken = new Set<string>();
  return (wanted) => {
    let name = wanted;
    for (let ordinal = 2; taken.has(name); ordinal += 1) name = `${wanted}-${String(ordinal)}`;
    taken.add(name);
    return name;
  };
}

export function isScalar(value: Json | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The record's own entry; a key like `toString` has none. */
export function entryOf<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The folder that holds a file, and what it is called there, for names that tell files apart. */
export function lastSteps(path: string): { folder: string; name: string } {
  const steps = path.split('/');
  return { folder: steps.at(-2) ?? '', name: steps.at(-1) ?? path };
}
