import { readRows, type DataRow } from '../../documents/dataset.ts';
import { emptyMap, valueAt, type Document, type Path } from '../../documents/document.ts';
import type { Files } from '../../documents/files.ts';
import type { Limits } from '../../documents/limits.ts';
import {
  compileGlob,
  globProblem,
  isPlainRelative,
  join,
  slashHint,
} from '../../documents/paths.ts';
import { problem } from '../../errors.ts';
import type { MadePrompt } from '../../suite/suite.ts';
import { counted } from '../../text/amounts.ts';
import type { Json, Notice, Place, Problem, JsonMap } from '../../types/plain.ts';
import { factsOf } from '../../types/vendors.ts';

/**
 * The files beside an imported one, found as the other tool finds them: relative to the file that
 * names them.
 */
export interface ImportFiles {
  /** The texts of a path or pattern, in the order of their names; empty when there are none. */
  texts(path: string, from: Place): Promise<{ file: string; text: string }[]>;
  /**
   * YAML or JSON documents of a path or pattern, found from `folder` where it is given. Syntax errors
   * are the user's to fix.
   */
  documents(path: string, from: Place, folder?: string): Promise<Document[]>;
  /** Rows of CSV or JSONL files. */
  rows(path: string, from: Place): Promise<{ file: string; rows: DataRow[] }[]>;
}

/**
 * The files that another tool's file names, found from `folder`, wherever they are named. A path
 * that leads nowhere goes to
 * `problems`, with the place that names it.
 */
export function importFiles(
  files: Files,
  folder: string,
  limits: Limits,
  problems: Problem[],
): ImportFiles {
  const find = (path: string, from: Place, beside = folder): string[] => {
    const plain = path.replace(/^file:\/\//, '').replace(/^\.\//, '');
    const target = isPlainRelative(plain) ? join(beside, plain) : null;
    if (target === null || globProblem(target) !== null) {
      problems.push(
        problem(
          from,
          `${path.slice(0, 100)} must be a relative path inside the repository${slashHint(plain)}`,
        ),
      );
      return [];
    }
    if (compileGlob(target).exact) {
      const absence = files.absence(target);
      if (absence !== null) problems.push(problem(from, `${target} ${absence}`));
      return absence === null ? [target] : [];
    }
    const found = files.match([target], () => from, problems).matches.map(({ file }) => file);
    if (found.length === 0) problems.push(problem(from, `${target} matches no file`));
    return found;
  };
  const contents = async (
    path: string,
    from: Place,
  ): Promise<{ file: string; content: Uint8Array }[]> => {
    const loaded = await Promise.all(
      find(path, from).map((file) => files.data(file, { file: '', line: 0 }, problems)),
    );
    return loaded.filter((file) => file !== null);
  };
  return {
    texts: async (path, from) =>
      (await contents(path, from)).map(({ file, content }) => ({
        file,
        text: new TextDecoder().decode(content).replaceAll('\r\n', '\n'),
      })),
    documents: async (path, from, beside) =>
      (
        await Promise.all(find(path, from, beside).map((file) => files.document(file, problems)))
      ).filter((document) => document !== null),
    rows: async (path, from) =>
      (await contents(path, from)).map(({ file, content }) => ({
        file,
        rows: readRows(file, content, limits, problems),
      })),
  };
}

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
  /** What could not be carried over, each time that it stands there. */
  left: Loss[];
  /** What a reader should know besides, and what nothing is lost by. */
  remarks: Notice[];
  /** How much of what the file holds came over, the widest unit first. */
  carried: Share[];
  /**
   * The tests, whether or not a prompt of theirs came over, and by reference the variables as given
   * and as checks see them, and the assertion that each of its metrics was.
   */
  judged?: { tests: Draft; rows: { given: JsonMap; vars: JsonMap; assertions: JsonMap[] }[] };
}

/** A part of a file that has no counterpart here: what, and why. */
export interface Loss extends Notice {
  what: string;
  why: string;
  place: Place;
}

/** How many of a kind of thing there are, and how many of them came over. */
export interface Share {
  /** In the singular, as the other tool says: `test`, `assertion`, `evaluator`. */
  unit: string;
  of: number;
  carried: number;
}

/** Nothing yet. */
export function nothingImported(): Imported {
  return { prompts: [], models: {}, grader: null, left: [], remarks: [], carried: [] };
}

/**
 * A prompt file of ours. `tests` is one and the same object for prompts that share their tests;
 * null: there are none.
 */
interface ImportedPrompt {
  prompt: Draft;
  tests: Draft | null;
  /** What is sent for each reference, in their order, where it is made beforehand. */
  made?: MadePrompt[];
}

/** A file of ours in the making: its value, and where its parts come from. */
export interface Draft {
  value: JsonMap;
  /** Each message of a prompt as it is written, where that is a template of another form. */
  written?: readonly string[];
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
  // Code that is all of a file has that file's lines.
  const placeOfText = (path: Path): Place => {
    const place = placeOf(path);
    const text = valueAt(value, path);
    if (place.line > 0 || path.at(-1) !== 'code' || typeof text !== 'string') return place;
    const first = text.split('\n').findIndex((line) => line.trim() !== '');
    return { file: place.file, line: Math.max(0, first) + 1 };
  };
  return { file, value, placeOf, placeOfText };
}

/** What prompts and tests are called among the losses, by which they are counted. */
export const A_PROMPT = 'a prompt';
export const A_TEST = 'a test';

/** A part of the file that has no counterpart here. */
export function leftOut(place: Place, what: string, why: string): Loss {
  return { kind: 'import', place, message: `${what} is not carried over: ${why}`, what, why };
}

/** Something to know about the file, by which nothing is lost. */
export function remark(place: Place, message: string): Notice {
  return { kind: 'import', place, message };
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

/** The folder that holds a file, and what it is called there, for names that tell files apart. */
export function lastSteps(path: string): { folder: string; name: string } {
  const steps = path.split('/');
  return { folder: steps.at(-2) ?? '', name: steps.at(-1) ?? path };
}

/** Names that no metric of an imported file is likely to have. */
const PREFERENCE = 'preference';
const SHOWN = 'shown';

/**
 * Gives the references that nothing judges something to be there for: where a grader is known, head's
 * answer is compared with base's, else it is only shown. Where no reference is judged, the
 * comparison is the suite's and decides; beside judged ones it is advice.
 */
export function judgeTheRest(
  tests: Draft,
  place: Place,
  hasGrader: boolean,
  remarks: Notice[],
): void {
  const references = tests.value['references'];
  if (!Array.isArray(references) || 'metrics' in tests.value) return;
  const bare = (references as JsonMap[]).filter((reference) => !('metrics' in reference));
  if (bare.length === 0) return;
  const alone = bare.length === references.length;
  const metric = hasGrader
    ? { name: PREFERENCE, uses: 'pairwise_preference', ...(alone ? {} : { skip: true }) }
    : { name: SHOWN, uses: 'word_count', skip: true };
  if (alone) {
    tests.value['metrics'] = [metric];
    tests.from(['metrics', 0], place);
  } else for (const reference of bare) reference['metrics'] = [metric];
  const who = `nothing judges the answers to ${counted(bare.length, 'test')}`;
  remarks.push(
    remark(
      place,
      hasGrader
        ? `${who}: the grader compares head's with base's${alone ? ', which decides' : ', which is advice'}`
        : `${who}: they are shown and decide nothing. Name a grader in the settings (grader: ${factsOf('openai').starterModel}, say), and head's are compared with base's`,
    ),
  );
}
