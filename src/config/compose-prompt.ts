import {
  derivedDocument,
  emptyMap,
  Field,
  valueAt,
  type Document,
  type Path,
} from '../documents/document.ts';
import type { Files } from '../documents/files.ts';
import { folderOf, isBelow, isPlainRelative, join, slashHint, stemOf } from '../documents/paths.ts';
import { isMap, type Problem } from '../types/plain.ts';

/** Limits the files that one prompt includes, because each of them may have its own `defaults`. */
const MAX_FILES = 100;

/** Where the key of a composed map is written. */
type Origins = Map<string, readonly [Document, Path]>;

interface Composition {
  files: Files;
  root: string;
  testKeys: readonly string[];
  problems: Problem[];
}

interface Composed extends Composition {
  prompt: Origins;
  tests: Origins;
  /** Where the tests themselves are written. */
  testsOrigin: readonly [Document, Path] | null;
  count: number;
}

type Level = 'prompt' | 'tests';

/** Later files in `defaults` override earlier ones, and the prompt file overrides all of them. */
export async function composePrompt(
  file: string,
  composition: Composition,
): Promise<Document | null> {
  const document = await composition.files.document(file, composition.problems);
  if (document === null || !isMap(document.value)) return document;
  const composed: Composed = {
    ...composition,
    prompt: new Map(),
    tests: new Map(),
    testsOrigin: null,
    count: 0,
  };
  const isComplete = await addLayers(composed, document, 'prompt', [file]);
  return isComplete ? composedDocument(document, composed) : null;
}

function composedDocument(document: Document, { prompt, tests, testsOrigin }: Composed): Document {
  const valuesOf = (origins: Origins) => {
    const value = emptyMap();
    for (const [key, [from, path]] of origins) value[key] = valueAt(from.value, path) ?? null;
    return value;
  };
  const value = valuesOf(prompt);
  if (testsOrigin !== null) value['tests'] = valuesOf(tests);
  return derivedDocument(document.file, value, ([key, ...below]) => {
    const isTests = key === 'tests' && testsOrigin !== null;
    const [origins, name, ...rest] = isTests ? [tests, ...below] : [prompt, key, ...below];
    const [from, path] = origins.get(String(name)) ?? (isTests ? testsOrigin : [document, []]);
    return [from, [...path, ...rest]];
  });
}

/** False if a file in `defaults` cannot be read. */
async function addLayers(
  composed: Composed,
  document: Document,
  level: Level,
  trail: readonly string[],
): Promise<boolean> {
  const field = new Field(document, composed.problems);
  if (!isMap(field.value)) {
    const wanted = level === 'tests' ? 'metrics and references' : 'model and messages';
    field.refuse(`must be a map with ${wanted}`);
    return false;
  }
  const written = defaultsEntries(field.at('defaults'));
  const namesTests = level === 'tests' || written.some(({ entry }) => isInTests(entry));
  if (trail.length === 1 && !namesTests) written.unshift(...testsByName(composed, field));
  for (const each of written) {
    const file = findEntry(composed, each, trail);
    const part = file === null ? null : await composed.files.document(file, composed.problems);
    const below = isInTests(each.entry) ? 'tests' : level;
    const isAdded =
      part !== null && (await addLayers(composed, part, below, [...trail, part.file]));
    if (!isAdded) return false;
  }
  addKeys(composed, field, level);
  return true;
}

export function isInTests(entry: string): boolean {
  return entry.split('/').slice(0, -1).includes('tests');
}

/** Keys of tests may also be top-level keys of a prompt file. */
function addKeys(composed: Composed, field: Field, level: Level): void {
  const add = (origins: Origins, path: Path, keys: readonly string[]) => {
    for (const key of keys) origins.set(key, [field.document, [...path, key]]);
    if (origins === composed.tests) composed.testsOrigin = [field.document, path];
  };
  const keys = Object.keys(field.value ?? {});
  const nested = field.at('tests');
  if (level === 'tests') {
    add(composed.tests, [], keys);
    return;
  }
  const isSplit = !nested.isGiven || isMap(nested.value);
  const own = keys.filter((key) => isSplit && composed.testKeys.includes(key));
  const ofPrompt = keys.filter((key) => !own.includes(key) && !(isSplit && key === 'tests'));
  add(composed.prompt, [], ofPrompt);
  for (const key of own.filter((each) => nested.at(each).isGiven)) {
    const { line } = nested.at(key).place;
    field.at(key).refuse(`${key} is also under tests, on line ${line}; keep one of them`);
  }
  if (isMap(nested.value)) add(composed.tests, ['tests'], Object.keys(nested.value));
  if (own.length > 0) add(composed.tests, [], own);
}

interface DefaultsEntry {
  entry: string;
  field: Field;
}

function defaultsEntries(field: Field): DefaultsEntry[] {
  const written = field.value ?? [];
  if (typeof written === 'string') return [{ entry: written, field }];
  if (!Array.isArray(written)) {
    field.refuse('defaults must be a list of paths like tests/name');
    return [];
  }
  return written.flatMap((entry, index) => {
    if (entry === '_self_') return [];
    if (typeof entry === 'string') return [{ entry, field: field.at(index) }];
    field.at(index).refuse('defaults must be a relative path like tests/name');
    return [];
  });
}

function testsByName({ files }: Composed, field: Field): DefaultsEntry[] {
  const { file } = field.document;
  const entry = `tests/${stemOf(file)}`;
  const path = join(folderOf(file), entry);
  return isPlainRelative(entry) &&
    [`${path}.yaml`, `${path}.yml`].some((each) => files.absence(each) === null)
    ? [{ entry, field: field.at('defaults') }]
    : [];
}

function findEntry(
  composed: Composed,
  { entry, field }: DefaultsEntry,
  trail: readonly string[],
): string | null {
  const refuse = (message: string) => {
    field.refuse(message);
    return null;
  };
  if (!isPlainRelative(entry))
    return refuse(`defaults must be a relative path like tests/name${slashHint(entry)}`);
  const { files, root } = composed;
  const path = join(folderOf(field.document.file), entry);
  if (path === null || !isBelow(path, root))
    return refuse(`${entry} is outside the prompts folder`);
  const candidates = /\.ya?ml$/.test(path) ? [path] : [`${path}.yaml`, `${path}.yml`];
  const file = candidates.find((each) => files.absence(each) === null) ?? candidates[0] ?? path;
  const absence = files.absence(file);
  if (absence !== null) return refuse(`${file} ${absence}`);
  if (trail.includes(file)) {
    const cycle = [...trail.slice(trail.indexOf(file)), file];
    return refuse(`defaults form a cycle: ${cycle.join(' -> ')}`);
  }
  composed.count += 1;
  return composed.count > MAX_FILES
    ? refuse(`defaults include more than ${MAX_FILES} files`)
    : file;
}
