import type { ForeignFile, ForeignSuite } from '../../../config/formats.ts';
import { valueAt, type Document, type Path } from '../../../documents/document.ts';
import { counted } from '../../../text/amounts.ts';
import { isMap, type Json, type JsonMap, type Place } from '../../../types/plain.ts';
import { factsOf } from '../../../types/vendors.ts';
import type { Losses, Node } from './node.ts';

export type ImportLosses = Losses & Pick<Imported, 'carried'>;

export interface Imported extends Losses, Omit<ForeignFile, 'prompts' | 'notices' | 'tasks'> {
  tasks?: { document: Document; imported: ImportLosses };
  prompts: ImportedPrompt[];
  /** Counts of converted items. Outer kinds (such as prompts) come before inner ones (tests). */
  carried: Share[];
  /** All tests and their assertions, even if the file has no prompt. */
  judged?: { tests: DraftFile; rows: { given: JsonMap; vars: JsonMap; assertions: JsonMap[] }[] };
}

export interface Share {
  /** Singular, in the other tool's words, such as `assertion`. */
  unit: string;
  of: number;
  carried: number;
}

export function nothingImported(): Imported {
  return { prompts: [], models: {}, grader: null, left: [], remarks: [], carried: [] };
}

/** Prompts with the same tests share the `tests` object. */
interface ImportedPrompt extends Pick<ForeignSuite, 'made'> {
  prompt: DraftFile;
  tests: DraftFile | null;
}

export interface DraftFile {
  value: JsonMap;
  /** The place of all values whose own place is unknown. */
  place: Place;
  /** The messages in the other tool's template syntax, if it differs from evaldiff's. */
  written?: readonly string[];
}

const WRITTEN_AT = new WeakMap<object, { place: Place; keys: Readonly<Record<string, Place>> }>();

/** Notes where a map of a draft is written, and those of its keys that are written elsewhere. */
export function placed(place: Place, value: JsonMap, keys: Record<string, Place> = {}): JsonMap {
  WRITTEN_AT.set(value, { place, keys });
  return value;
}

export function draftPlace(draft: DraftFile, path: Path): Place {
  let { place }: { place: Place } = draft;
  let value: Json = draft.value;
  for (const step of path) {
    place = (isMap(value) ? WRITTEN_AT.get(value)?.keys[step] : undefined) ?? place;
    value = valueAt(value, [step]) ?? null;
    place = (isMap(value) ? WRITTEN_AT.get(value)?.place : undefined) ?? place;
  }
  return place;
}

export function documentOf(file: string, { prompt, tests }: ImportedPrompt): Document {
  const value: JsonMap = { ...prompt.value };
  if (tests !== null) value['tests'] = tests.value;
  const placeOf = (path: Path): Place =>
    path[0] === 'tests' && tests !== null
      ? draftPlace(tests, path.slice(1))
      : draftPlace(prompt, path);
  // If code was read from a file, its line numbers are those of the file.
  const placeOfText = (path: Path): Place => {
    const place = placeOf(path);
    const text = valueAt(value, path);
    if (place.line > 0 || path.at(-1) !== 'code' || typeof text !== 'string') return place;
    const first = text.split('\n').findIndex((line) => line.trim() !== '');
    return { file: place.file, line: Math.max(0, first) + 1 };
  };
  return { file, value, placeOf, placeOfText };
}

export const A_PROMPT = 'a prompt';
export const A_TEST = 'a test';

export function uniqueNames(): (wanted: string) => string {
  const taken = new Set<string>();
  return (wanted) => {
    let name = wanted;
    for (let ordinal = 2; taken.has(name); ordinal += 1) name = `${wanted}-${ordinal}`;
    taken.add(name);
    return name;
  };
}

export const variablesEntry = (names: ReadonlySet<string>): JsonMap =>
  names.size === 0 ? {} : { variables: [...names].map((name) => ({ name })) };

export function isScalar(value: Json | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

export function lastSteps(path: string): { folder: string; name: string } {
  const steps = path.split('/');
  return { folder: steps.at(-2) ?? '', name: steps.at(-1) ?? path };
}

/** Unlikely to equal the name of a metric in the imported file. */
const PREFERENCE = 'preference';
const PLACEHOLDER_METRIC = 'shown';

/**
 * Adds a metric to references that have none, and to the `rows` of data files. With a grader, it
 * compares head's answers with base's. It affects the verdict only if there are no other metrics.
 */
export function judgeTheRest(tests: DraftFile, written: Node, hasGrader: boolean, rows = 0): void {
  const references = (tests.value['references'] ?? []) as JsonMap[];
  const bare = references.filter((reference) => !('metrics' in reference));
  const count = bare.length + rows;
  if (count === 0 || 'metrics' in tests.value) return;
  const alone = bare.length === references.length;
  const metric = hasGrader
    ? { name: PREFERENCE, uses: 'pairwise_preference', ...(alone ? {} : { skip: true }) }
    : { name: PLACEHOLDER_METRIC, uses: 'word_count', skip: true };
  if (alone) tests.value['metrics'] = [placed(written.place, metric)];
  else for (const reference of bare) reference['metrics'] = [metric];
  const who = `no metric judges the answers to ${counted(count, 'test')}`;
  const compared = "the grader compares head's answers with base's";
  written.remark(
    hasGrader
      ? `${who}: ${compared}${alone ? '' : ', without affecting the verdict'}`
      : `${who}: they are shown and do not affect the verdict. Set a grader in the settings (grader: ` +
          `${factsOf('openai').starterModel}, for example) to compare head's with base's`,
  );
}
