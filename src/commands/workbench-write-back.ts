import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRows } from '../documents/dataset.ts';
import { editJsonLines } from '../documents/edit-json-lines.ts';
import { editYaml, type Edited, type YamlEdit } from '../documents/edit-yaml.ts';
import { DEFAULT_LIMITS } from '../documents/limits.ts';
import { readYaml } from '../documents/yaml.ts';
import { UserError } from '../errors.ts';
import { idealText } from '../metrics/rubric.ts';
import type { ReferenceResult } from '../result/reference-result.ts';
import { putFile, reasonOf } from '../session/safe-writing.ts';
import type { Columns } from '../suite/suite.ts';
import type { Json, Problem } from '../types/plain.ts';
import { acceptable, rubricKey } from './workbench-acts.ts';
import {
  rowFor,
  rowWith,
  writtenReference,
  type NewReference,
  type NewValue,
} from './workbench-data-row.ts';
import type { WorkLook, WrittenPrompt } from './workbench-engine.ts';
import type { Action, ActionReply } from './workbench-server.ts';

/** What was written last, and how to take it back. */
export interface WrittenEdit {
  file: string;
  before: string;
  after: string;
  what: string;
}

/** Where an action writes. */
interface Place {
  root: string;
  /** The files as the look read them whose rows the page shows. */
  texts: WorkLook['texts'];
  prompt: WrittenPrompt;
}

/** What of a reference an action changes, or a reference that it adds, or an example. */
type Change =
  | ({ kind: 'set' } & NewValue)
  | ({ kind: 'add' | 'first' } & NewReference)
  | { kind: 'example'; rubric: string; value: Json };

/** A change of a file that an action asks for. */
interface Wish {
  file: string;
  /** Of the reference in it; 0: it is about none. */
  line: number;
  columns: Columns;
  change: Change;
  what: string;
}

/**
 * Carries out an action on the project's files: read afresh, changed in one place, and written only
 * while they are what was read. Nothing is written that would change more, and nothing into a file
 * that is another tool's.
 *
 * @param of the reference that it is about, and the side whose answers it names; null: it adds the
 *   first one of its prompt
 */
export async function writeBack(
  action: Action,
  of: { reference: ReferenceResult; side: 'base' | 'head' } | null,
  { root, texts, prompt }: Place,
  undo: WrittenEdit[],
): Promise<ActionReply> {
  const wish = of === null ? firstOne(action, prompt) : wishOf(action, of, prompt);
  if (typeof wish === 'string') return { said: wish, bad: true };
  const { file, what } = wish;
  if (prompt.tool !== null)
    return nothing(
      file,
      `it is read as ${prompt.tool} writes it, and what we would add means nothing there; change it there, or make files of ours of it with "evaldiff import"`,
    );
  const path = join(root, file);
  const bytes = await readFile(path).catch(() => null);
  const read = texts.get(file);
  if (bytes === null || read === undefined) return nothing(file, 'it cannot be read');
  const before = utf8(bytes);
  if (before === null) return nothing(file, 'it is not UTF-8 text');
  const edited = changed(before, wish, prompt, read);
  if ('refused' in edited) return nothing(file, edited.refused);
  const flaw = flawOf(file, edited.text);
  if (flaw !== null) return nothing(file, `it could not be read then: ${flaw}`);
  const failed = await replaced(path, root, before, edited.text);
  if (failed !== null) return nothing(file, failed.why);
  undo.push({ file, before, after: edited.text, what });
  return { said: `${what}, in ${file}`, bad: false };
}

/** Takes the last change back, unless the file was changed since. */
export async function takeBack(root: string, undo: WrittenEdit[]): Promise<ActionReply> {
  const last = undo.at(-1);
  if (last === undefined) return { said: 'There is nothing to undo.', bad: true };
  const { file, before, after, what } = last;
  const failed = await replaced(join(root, file), root, after, before);
  // What cannot be written now may be written later; what others changed is theirs for good.
  if (failed?.kind !== 'unwritable') undo.pop();
  return failed === null
    ? { said: `undone: ${what}`, bad: false }
    : { said: `${file}: ${failed.why}; nothing is undone`, bad: true };
}

function nothing(file: string, why: string): ActionReply {
  return { said: `${file}: ${why}; nothing is written`, bad: true };
}

/** The text, with the mark at its start if there is one, so that all of it is written back; null: it is none. */
function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Null: it was written. */
async function replaced(
  path: string,
  root: string,
  expected: string,
  text: string,
): Promise<{ kind: 'changed' | 'unwritable'; why: string } | null> {
  try {
    if (utf8(await readFile(path)) !== expected)
      return { kind: 'changed', why: 'it was changed by another program meanwhile' };
    await putFile(path, text, { root });
    return null;
  } catch (error) {
    const why =
      error instanceof UserError ? (error.problems[0]?.message ?? 'refused') : reasonOf(error);
    return { kind: 'unwritable', why };
  }
}

/** What the loader says of a file's new text; null: it takes it. */
function flawOf(file: string, text: string): string | null {
  const problems: Problem[] = [];
  if (/\.ya?ml$/.test(file)) {
    const reading = readYaml(file, text);
    if (!reading.ok) problems.push(...reading.problems);
  } else readRows(file, new TextEncoder().encode(text), DEFAULT_LIMITS, problems);
  const [first] = problems;
  return first?.message ?? null;
}

function changed(text: string, wish: Wish, prompt: WrittenPrompt, read: string): Edited {
  if (/\.ya?ml$/.test(wish.file)) return editYaml(text, inYaml(wish, prompt), read);
  if (!/\.(?:jsonl|ndjson)$/.test(wish.file))
    return { refused: 'only YAML and JSON Lines are written back; edit this file yourself' };
  const { change, line, columns } = wish;
  const at = { read, line, columns, variables: prompt.variables };
  const edit =
    change.kind === 'set'
      ? rowWith(change, at)
      : change.kind === 'add'
        ? rowFor(change, at)
        : { refused: 'nothing but references is written into JSON Lines' };
  return 'refused' in edit ? edit : editJsonLines(text, edit, read);
}

function inYaml({ file, line, change }: Wish, { path }: WrittenPrompt): YamlEdit {
  switch (change.kind) {
    case 'set': {
      const { part, value, reason } = change;
      return {
        kind: 'set',
        line,
        key: part,
        value,
        remark: reason === null ? null : `skipped: ${reason}`,
      };
    }
    case 'add':
      return { kind: 'append', line, value: writtenReference(change) };
    case 'first':
      return {
        kind: 'append-in',
        path: file === path ? ['tests', 'references'] : ['references'],
        value: writtenReference(change),
      };
    case 'example':
      return { kind: 'append-in', path: [change.rubric, 'examples'], value: change.value };
  }
}

type Asked = (
  action: Action,
  of: { reference: ReferenceResult; side: 'base' | 'head' },
  prompt: WrittenPrompt,
) => { change: Change; what: string; file?: string } | string;

const WISHES: ReadonlyMap<string, Asked> = new Map<string, Asked>([
  ['accept', acceptance],
  ['tag', tagging],
  ['skip', skipping],
  ['add', addition],
  ['label', labelling],
]);

/** The change, or why there is none. */
function wishOf(action: Action, of: Parameters<Asked>[1], prompt: WrittenPrompt): Wish | string {
  const found = WISHES.get(action.kind)?.(action, of, prompt) ?? 'This is not an action.';
  if (typeof found === 'string') return found;
  const { file, line, id } = of.reference;
  const { change, what } = found;
  return {
    file: found.file ?? file,
    line: found.file === undefined ? line : 0,
    columns: prompt.columns.get(id) ?? {},
    change,
    what: change.kind === 'set' ? `${id}: ${what}` : what,
  };
}

function wordOf(action: Action, name: string): string {
  const value = action[name];
  return typeof value === 'string' ? value.trim() : '';
}

/** The answer is named by what it says: one that a newer look has in its place is another. */
function answerNamed(
  action: Action,
  { reference, side }: Pick<Parameters<Asked>[1], 'reference' | 'side'>,
): string | null {
  const named = acceptable(reference, { side }).find(({ name }) => name === action['answer']);
  return named?.answer ?? null;
}

function acceptance(action: Action, { reference, side }: Parameters<Asked>[1]): ReturnType<Asked> {
  const answer = answerNamed(action, { reference, side });
  return answer === null
    ? 'There is no such answer any more.'
    : {
        change: { kind: 'set', part: 'expected', value: answer, reason: null },
        what: 'its answer is accepted as expected',
      };
}

function tagging(action: Action, { reference }: Parameters<Asked>[1]): ReturnType<Asked> {
  const tag = wordOf(action, 'tag');
  return tag === '' || reference.tags.includes(tag)
    ? 'Give a tag that it does not have.'
    : {
        change: { kind: 'set', part: 'tags', value: [...reference.tags, tag], reason: null },
        what: `tagged ${tag}`,
      };
}

function skipping(action: Action): ReturnType<Asked> {
  const reason = wordOf(action, 'reason');
  return reason === ''
    ? 'Say why it is skipped; others will ask.'
    : { change: { kind: 'set', part: 'skip', value: true, reason }, what: 'skipped' };
}

/** What the loader would refuse of the example, it refuses first. */
function labelling(
  action: Action,
  { reference, side }: Parameters<Asked>[1],
  { rubrics }: WrittenPrompt,
): ReturnType<Asked> {
  const label = wordOf(action, 'label');
  const rubric = rubrics.find((one) => rubricKey(one) === action['rubric']);
  if (rubric === undefined || label === '') return 'Give a rubric and a label.';
  const content = answerNamed(action, { reference, side });
  if (content === null) return 'There is no such answer any more.';
  if (content.trim() === '') return 'An answer without words is no example.';
  const { expected } = reference;
  const { name, file, labels, showsExpected, examples } = rubric;
  if (!labels.includes(label)) return `${name} has no label ${label}, but ${labels.join(', ')}.`;
  if (showsExpected && expected === null)
    return `${name} shows what is expected, and this reference has nothing expected; give it that first.`;
  const ideal = showsExpected ? idealText(expected) : null;
  const earlier = examples.find(
    (one) => one.content === content && one.context === null && one.ideal === ideal,
  );
  if (earlier !== undefined)
    return `This answer is an example of ${name} already, labelled ${earlier.expected}.`;
  return {
    file,
    change: {
      kind: 'example',
      rubric: name,
      value: { content, ...(ideal === null ? {} : { ideal }), expected: label },
    },
    what: `an example of ${name} is labelled ${label}`,
  };
}

/** A new reference beside this one: a value for each of its variables. */
function addition(action: Action, { reference }: Parameters<Asked>[1]): ReturnType<Asked> {
  const names = Object.keys(reference.input);
  if (names.length === 0) return 'Its input is a dialogue; write a new one into the file.';
  const added = referenceIn(action, names);
  return typeof added === 'string'
    ? added
    : { change: { kind: 'add', ...added }, what: 'a reference is added' };
}

/** The first reference of a prompt, where its tests stand. */
function firstOne(action: Action, { variables, tests }: WrittenPrompt): Wish | string {
  const added = action.kind === 'first' ? referenceIn(action, variables) : 'This is not an action.';
  return typeof added === 'string'
    ? added
    : {
        file: tests,
        line: 0,
        columns: {},
        change: { kind: 'first', ...added },
        what: 'the first reference is added',
      };
}

function referenceIn(
  action: Action,
  names: readonly string[],
): { input: Record<string, string>; expected: string } | string {
  const valueOf = (name: string): string => {
    const given = action[name];
    return typeof given === 'string' ? given : '';
  };
  const input = Object.fromEntries(names.map((name) => [name, valueOf(`input:${name}`)]));
  return Object.values(input).every((value) => value === '')
    ? 'Give the new reference an input.'
    : { input, expected: valueOf('expected') };
}
