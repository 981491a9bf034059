import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { editJsonLine, editYaml, type Edited, type YamlEdit } from '../documents/edit-yaml.ts';
import { UserError } from '../errors.ts';
import type { MatrixRow } from '../report/page/workbench.ts';
import type { ReferenceResult } from '../result/reference-result.ts';
import { putFile, reasonOf } from '../session/safe-writing.ts';
import type { Json, Scalar } from '../types/plain.ts';
import type { Action, ActionReply } from './workbench-server.ts';

/** What was written last, and how to take it back. */
export interface WrittenEdit {
  file: string;
  before: string;
  after: string;
  what: string;
}

/** A change of a file that an action asks for. */
interface Wish {
  file: string;
  edit: YamlEdit;
  what: string;
}

/**
 * Carries out an action on the project's files: read afresh, changed in one place, and written only
 * while they are what was read. Nothing is written that would change more.
 */
export async function writeBack(
  action: Action,
  row: MatrixRow,
  root: string,
  undo: WrittenEdit[],
): Promise<ActionReply> {
  const wish = wishOf(action, row);
  if (typeof wish === 'string') return { said: wish, bad: true };
  const { file, edit, what } = wish;
  const path = join(root, file);
  const before = await readFile(path, 'utf8').catch(() => null);
  if (before === null) return nothing(file, 'it cannot be read');
  const edited = changed(file, before, edit);
  if ('refused' in edited) return nothing(file, edited.refused);
  const failed = await replaced(path, root, before, edited.text);
  if (failed !== null) return nothing(file, failed);
  undo.push({ file, before, after: edited.text, what });
  return { said: `${what}, in ${file}`, bad: false };
}

/** Takes the last change back, unless the file was changed since. */
export async function takeBack(root: string, undo: WrittenEdit[]): Promise<ActionReply> {
  const last = undo.pop();
  if (last === undefined) return { said: 'There is nothing to undo.', bad: true };
  const { file, before, after, what } = last;
  const failed = await replaced(join(root, file), root, after, before);
  return failed === null
    ? { said: `undone: ${what}`, bad: false }
    : { said: `${file}: ${failed}; nothing is undone`, bad: true };
}

function nothing(file: string, why: string): ActionReply {
  return { said: `${file}: ${why}; nothing is written`, bad: true };
}

/** Null: it was written. */
async function replaced(
  path: string,
  root: string,
  expected: string,
  text: string,
): Promise<string | null> {
  try {
    if ((await readFile(path, 'utf8')) !== expected)
      return 'it was changed by another program meanwhile';
    await putFile(path, text, { root });
    return null;
  } catch (error) {
    return error instanceof UserError ? (error.problems[0]?.message ?? 'refused') : reasonOf(error);
  }
}

function changed(file: string, text: string, edit: YamlEdit): Edited {
  if (/\.ya?ml$/.test(file)) return editYaml(text, edit);
  if (!/\.jsonl$/.test(file))
    return { refused: 'only YAML and JSON Lines are written back; edit this file yourself' };
  if (edit.kind === 'set' && edit.remark === null)
    return editJsonLine(text, edit.line, edit.key, edit.value);
  return { refused: 'JSON Lines hold no comments and no lists; edit this file yourself' };
}

/** The change, or why there is none. */
function wishOf(action: Action, { cells: [cell] }: MatrixRow): Wish | string {
  const wish = WISHES.get(action.kind);
  if (cell === undefined) return 'This reference is not there any more.';
  return wish === undefined ? 'This is not an action.' : wish(action, cell.reference);
}

const WISHES: ReadonlyMap<string, (action: Action, reference: ReferenceResult) => Wish | string> =
  new Map([
    ['accept', acceptance],
    ['tag', tagging],
    ['skip', skipping],
    ['add', addition],
    ['label', labelling],
  ]);

function wordOf(action: Action, name: string): string {
  const value = action[name];
  return typeof value === 'string' ? value.trim() : '';
}

function setting(
  { file, line, id }: ReferenceResult,
  key: string,
  value: Json,
  { what, remark = null }: { what: string; remark?: string | null },
): Wish {
  return {
    file,
    edit: { kind: 'set', line, id, key, value, remark },
    what: `${id}: ${what}`,
  };
}

function acceptance(action: Action, reference: ReferenceResult): Wish | string {
  const made = reference.head?.tries.find((one) => one.try === action['try']);
  return made === undefined || made.actual === null
    ? 'There is no such answer.'
    : setting(reference, 'expected', made.actual, { what: 'its answer is accepted as expected' });
}

function tagging(action: Action, reference: ReferenceResult): Wish | string {
  const tag = wordOf(action, 'tag');
  return tag === '' || reference.tags.includes(tag)
    ? 'Give a tag that it does not have.'
    : setting(reference, 'tags', [...reference.tags, tag], { what: `tagged ${tag}` });
}

function skipping(action: Action, reference: ReferenceResult): Wish | string {
  const reason = wordOf(action, 'reason');
  return reason === ''
    ? 'Say why it is skipped; others will ask.'
    : setting(reference, 'skip', true, { what: 'skipped', remark: `skipped: ${reason}` });
}

function labelling(action: Action): Wish | string {
  const [, file, name] = /^(.+)\n(.+)$/s.exec(wordOf(action, 'rubric')) ?? [];
  const [label, content] = [wordOf(action, 'label'), action['text']];
  if (file === undefined || name === undefined || label === '' || typeof content !== 'string')
    return 'Give a rubric and a label.';
  return {
    file,
    edit: { kind: 'append-in', name, key: 'examples', value: { content, expected: label } },
    what: `an example of ${name} is labelled ${label}`,
  };
}

/** A new reference beside this one: a value for each of its variables. */
function addition(action: Action, { file, line, input }: ReferenceResult): Wish | string {
  const names = Object.keys(input);
  const values = names.map((name): [string, Scalar] => {
    const given = action[`input:${name}`];
    return [name, typeof given === 'string' ? given : ''];
  });
  if (values.every(([, value]) => value === '')) return 'Give the new reference an input.';
  const { expected } = action;
  return {
    file,
    edit: {
      kind: 'append',
      line,
      value: {
        input: Object.fromEntries(values),
        ...(typeof expected === 'string' && expected !== '' ? { expected } : {}),
      },
    },
    what: 'a reference is added',
  };
}
