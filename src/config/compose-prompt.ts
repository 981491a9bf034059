import { below, layerDocuments, type Document, under, valueAt } from '../documents/document.ts';
import type { Files } from '../documents/files.ts';
import { folderOf, isBelow, isPlainRelative, join, slashHint } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import { isMap, type Json, type Problem } from '../types/plain.ts';

const MAX_DEFAULTS_DEPTH = 8;

/** Nested lists of `defaults` multiply. */
const MAX_FILES = 100;

interface Composition {
  files: Files;
  root: string;
  problems: Problem[];
  count: number;
}

type Level = 'prompt' | 'tests';

/** Merges a prompt file with its `defaults`; later ones and its own keys win. Null: unreadable. */
export async function composePrompt(
  file: string,
  root: string,
  files: Files,
  problems: Problem[],
): Promise<Document | null> {
  return compose({ files, root, problems, count: 0 }, file, 'prompt', [file]);
}

async function compose(
  state: Composition,
  file: string,
  level: Level,
  trail: readonly string[],
): Promise<Document | null> {
  const document = await state.files.document(file, state.problems);
  if (document === null || !isMap(document.value)) return document;
  const layers: Document[] = [];
  const tests: Document[] = [];
  for (const { entry, index } of defaultsEntries(document, state.problems)) {
    const found = findEntry(state, document, entry, trail);
    if ('message' in found) {
      state.problems.push(
        problem(
          document.placeOf(index === null ? ['defaults'] : ['defaults', index]),
          found.message,
        ),
      );
      return null;
    }
    const nested = level === 'prompt' && entry.split('/').slice(0, -1).includes('tests');
    const part = await composeMap(state, found.file, nested ? 'tests' : level, [
      ...trail,
      found.file,
    ]);
    if (part === null) return null;
    (nested ? tests : layers).push(part);
  }
  return assemble(document, layers, tests);
}

function assemble(
  document: Document,
  layers: readonly Document[],
  brought: readonly Document[],
): Document {
  const own = valueAt(document.value, ['tests']);
  const mixable = own === undefined || isMap(own);
  const tests = own !== undefined && mixable ? [...brought, below(document, ['tests'])] : brought;
  const last = tests.at(-1);
  if (brought.length === 0 || !mixable || last === undefined)
    return layers.length === 0 ? document : layerDocuments([...layers, document], document);
  return layerDocuments(
    [...layers, document, under('tests', tests.length === 1 ? last : layerDocuments(tests, last))],
    document,
  );
}

async function composeMap(
  state: Composition,
  file: string,
  level: Level,
  trail: readonly string[],
): Promise<Document | null> {
  const document = await compose(state, file, level, trail);
  if (document === null || isMap(document.value)) return document;
  const wanted = level === 'tests' ? 'metrics and references' : 'name, model and messages';
  state.problems.push(problem(document.placeOf([]), `must be a map with ${wanted}`));
  return null;
}

function findEntry(
  state: Composition,
  from: Document,
  entry: string,
  trail: readonly string[],
): { file: string } | { message: string } {
  if (!isPlainRelative(entry))
    return { message: `defaults must be a relative path like tests/name${slashHint(entry)}` };
  const path = join(folderOf(from.file), entry);
  if (path === null || !isBelow(path, state.root))
    return { message: `${entry} is outside the prompts folder` };
  const candidates = /\.ya?ml$/.test(path) ? [path] : [`${path}.yaml`, `${path}.yml`];
  const file =
    candidates.find((each) => state.files.absence(each) === null) ?? candidates[0] ?? path;
  const absence = state.files.absence(file);
  if (absence !== null) return { message: `${file} ${absence}` };
  if (trail.includes(file))
    return {
      message: `defaults go in a circle: ${[...trail.slice(trail.indexOf(file)), file].join(' -> ')}`,
    };
  if (trail.length > MAX_DEFAULTS_DEPTH)
    return { message: `defaults are nested deeper than ${MAX_DEFAULTS_DEPTH}` };
  state.count += 1;
  return state.count > MAX_FILES
    ? { message: `defaults bring in more than ${MAX_FILES} files` }
    : { file };
}

/** Hydra's `_self_` has no effect here. */
function defaultsEntries(
  document: Document,
  problems: Problem[],
): { entry: string; index: number | null }[] {
  const written: Json | undefined = valueAt(document.value, ['defaults']);
  if (written === undefined || typeof written === 'string')
    return written === undefined ? [] : [{ entry: written, index: null }];
  if (!Array.isArray(written)) {
    problems.push(
      problem(document.placeOf(['defaults']), 'defaults must be a list of paths like tests/name'),
    );
    return [];
  }
  return written.flatMap((entry, index) => {
    if (entry === '_self_') return [];
    if (typeof entry === 'string') return [{ entry, index }];
    const message = 'defaults must be a relative path like tests/name';
    problems.push(problem(document.placeOf(['defaults', index]), message));
    return [];
  });
}
