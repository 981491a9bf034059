import {
  below,
  emptyMap,
  Field,
  layerDocuments,
  type Document,
  under,
  valueAt,
} from '../documents/document.ts';
import type { Files } from '../documents/files.ts';
import { folderOf, isBelow, isPlainRelative, join, slashHint, stemOf } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import { isMap, type Problem } from '../types/plain.ts';

const MAX_DEFAULTS_DEPTH = 8;

/**
 * Limits the files that one prompt includes, because each file in `defaults` may have its own
 * `defaults`.
 */
const MAX_FILES = 100;

interface Composition {
  files: Files;
  root: string;
  testKeys: readonly string[];
  problems: Problem[];
  count: number;
}

type Level = 'prompt' | 'tests';

/** Later files in `defaults` override earlier ones, and the prompt file overrides all of them. */
export async function composePrompt(
  file: string,
  state: Omit<Composition, 'count'>,
): Promise<Document | null> {
  return compose({ ...state, count: 0 }, file, 'prompt', [file]);
}

interface Layers {
  prompt: Document[];
  tests: Document[];
}

async function compose(
  state: Composition,
  file: string,
  level: Level,
  trail: readonly string[],
): Promise<Document | null> {
  const document = await state.files.document(file, state.problems);
  if (document === null || !isMap(document.value)) return document;
  const layers: Layers = { prompt: [], tests: [] };
  const written = defaultsEntries(document, state.problems);
  const namesTests = level === 'tests' || written.some(({ entry }) => isInTests(entry));
  const implied =
    namesTests || trail.length > 1
      ? []
      : testsByName(state, new Field(document, state.problems, ['defaults']));
  for (const entry of [...implied, ...written]) {
    const brought = await composeEntry(state, entry, level, trail);
    if (brought === null) return null;
    layers.prompt.push(...brought.prompt);
    layers.tests.push(...brought.tests);
  }
  const own = splitTests(document, level, state);
  return assemble(document, {
    prompt: [...layers.prompt, ...own.prompt],
    tests: [...layers.tests, ...own.tests],
  });
}

export function isInTests(entry: string): boolean {
  return entry.split('/').slice(0, -1).includes('tests');
}

async function composeEntry(
  state: Composition,
  { entry, field }: DefaultsEntry,
  level: Level,
  trail: readonly string[],
): Promise<Layers | null> {
  const found = findEntry(state, folderOf(field.document.file), entry, trail);
  if (typeof found !== 'string') {
    field.refuse(found.message);
    return null;
  }
  const isTests = level === 'prompt' && isInTests(entry);
  const part = await composeMap(state, found, isTests ? 'tests' : level, [...trail, found]);
  if (part === null) return null;
  return isTests ? { prompt: [], tests: [part] } : splitTests(part, level, state);
}

function testsByName({ files }: Composition, field: Field): DefaultsEntry[] {
  const { file } = field.document;
  const entry = `tests/${stemOf(file)}`;
  const path = join(folderOf(file), entry);
  return isPlainRelative(entry) &&
    [`${path}.yaml`, `${path}.yml`].some((each) => files.absence(each) === null)
    ? [{ entry, field }]
    : [];
}

function splitTests(document: Document, level: Level, { testKeys, problems }: Composition): Layers {
  const nested = valueAt(document.value, ['tests']);
  if (level === 'tests' || !isMap(document.value) || (nested !== undefined && !isMap(nested)))
    return { prompt: [document], tests: [] };
  const keys = Object.keys(document.value).filter((key) => testKeys.includes(key));
  for (const key of keys.filter((key) => valueAt(document.value, ['tests', key]) !== undefined)) {
    const { line } = document.placeOf(['tests', key]);
    const message = `${key} is also under tests, on line ${line}; keep one of them`;
    problems.push(problem(document.placeOf([key]), message));
  }
  const own = new Set(['tests', ...keys]);
  return {
    prompt: [withKeys(document, (key) => !own.has(key))],
    tests: [
      ...(nested === undefined ? [] : [below(document, ['tests'])]),
      ...(keys.length === 0 ? [] : [withKeys(document, (key) => keys.includes(key))]),
    ],
  };
}

function withKeys(document: Document, has: (key: string) => boolean): Document {
  const value = emptyMap();
  for (const [key, member] of Object.entries(document.value ?? {}))
    if (has(key)) value[key] = member;
  return { ...document, value };
}

function assemble(document: Document, { prompt, tests }: Layers): Document {
  const last = tests.at(-1);
  const brought = last && under('tests', tests.length === 1 ? last : layerDocuments(tests, last));
  return layerDocuments([...prompt, ...(brought === undefined ? [] : [brought])], document);
}

async function composeMap(
  state: Composition,
  file: string,
  level: Level,
  trail: readonly string[],
): Promise<Document | null> {
  const document = await compose(state, file, level, trail);
  if (document === null || isMap(document.value)) return document;
  const wanted = level === 'tests' ? 'metrics and references' : 'model and messages';
  state.problems.push(problem(document.placeOf([]), `must be a map with ${wanted}`));
  return null;
}

function findEntry(
  state: Composition,
  folder: string,
  entry: string,
  trail: readonly string[],
): string | { message: string } {
  if (!isPlainRelative(entry))
    return { message: `defaults must be a relative path like tests/name${slashHint(entry)}` };
  const path = join(folder, entry);
  if (path === null || !isBelow(path, state.root))
    return { message: `${entry} is outside the prompts folder` };
  const candidates = /\.ya?ml$/.test(path) ? [path] : [`${path}.yaml`, `${path}.yml`];
  const file =
    candidates.find((each) => state.files.absence(each) === null) ?? candidates[0] ?? path;
  const absence = state.files.absence(file);
  if (absence !== null) return { message: `${file} ${absence}` };
  if (trail.includes(file))
    return {
      message: `defaults form a cycle: ${[...trail.slice(trail.indexOf(file)), file].join(' -> ')}`,
    };
  if (trail.length > MAX_DEFAULTS_DEPTH)
    return {
      message: `files in defaults have defaults themselves, more than ${MAX_DEFAULTS_DEPTH} levels deep`,
    };
  state.count += 1;
  return state.count > MAX_FILES
    ? { message: `defaults include more than ${MAX_FILES} files` }
    : file;
}

interface DefaultsEntry {
  entry: string;
  field: Field;
}

function defaultsEntries(document: Document, problems: Problem[]): DefaultsEntry[] {
  const field = new Field(document, problems).at('defaults');
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
