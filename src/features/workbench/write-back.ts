import { access, constants, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../app/session/cached-complete.ts';
import { putFile, visibleErrorMessage } from '../../app/session/safe-writing.ts';
import { readProject } from '../../config/project.ts';
import { rowAsReference } from '../../config/rows.ts';
import { rubricsIn } from '../../config/rubric.ts';
import { isTable } from '../../documents/dataset.ts';
import { editRows, rowAt, type RowEdit } from '../../documents/edit-rows.ts';
import { editYaml, type YamlEdit } from '../../documents/edit-yaml.ts';
import { withText } from '../../documents/files.ts';
import { decodeUtf8 } from '../../documents/text-flaws.ts';
import type { EditResult } from '../../documents/yaml-splices.ts';
import { readYaml } from '../../documents/yaml.ts';
import { UserError, formatProblem } from '../../errors.ts';
import type { Columns } from '../../kernel/suite/suite.ts';
import { metrics } from '../../metrics/index.ts';
import { builtInRubrics } from '../../metrics/rubric.ts';
import { byCodeUnits } from '../../text/order.ts';
import { isMap, type JsonMap, jsonText, type Json } from '../../types/plain.ts';
import type { Wish, NewReference, NewValues } from './changes.ts';
import type { WorkLook, WrittenPrompt } from './evaluate.ts';
import type { OpenProject } from './look.ts';
import { done, refused, type ActionReply } from './server.ts';

export interface WrittenEdit {
  file: string;
  before: string;
  after: string;
  what: string;
}

interface WriteTarget {
  project: Pick<OpenProject, 'root' | 'read' | 'documents' | 'withFiles'>;
  texts: WorkLook['texts'] | undefined;
  prompt: WrittenPrompt;
}

/** Rejects edits that break the file or change more than intended. */
export async function writeBack(
  wish: Wish,
  { project, texts, prompt }: WriteTarget,
  undo: WrittenEdit[],
): Promise<ActionReply> {
  const { file, what } = wish;
  if (prompt.tool !== null)
    return nothing(
      file,
      `it is a file of ${prompt.tool}, which evaldiff cannot edit; edit it ` +
        `by hand, or convert it with "evaldiff import"`,
    );
  const read = texts?.get(file);
  if (read === undefined) return nothing(file, 'the page does not show this file');
  const edit = (text: string): EditResult => changeIn(text, wish, prompt, read);
  return rewrite({ file, what, edit }, project, undo);
}

interface Rewriting {
  file: string;
  what: string;
  edit(text: string): EditResult;
}

/** Edits a file unless it would become invalid. */
export async function rewrite(
  { file, what, edit }: Rewriting,
  project: WriteTarget['project'],
  undo: WrittenEdit[],
): Promise<ActionReply> {
  const { root } = project;
  const path = join(root, file);
  const bytes = await readFile(path).catch((error: unknown) => absenceOf(error));
  if (typeof bytes === 'string') return nothing(file, bytes);
  const before = decodeUtf8(bytes, { ignoreBOM: true });
  if (before === null) return nothing(file, 'it is not UTF-8 text');
  const edited = edit(before);
  if ('refused' in edited) return nothing(file, edited.refused);
  const flaw = await flawOf(file, edited.text, project);
  if (flaw !== null) return nothing(file, `the changed file would be invalid: ${flaw}`);
  const failed = await replaceText(path, root, before, edited.text);
  if (failed !== null) return nothing(file, failed.why);
  undo.push({ file, before, after: edited.text, what });
  return done(`${what}, in ${file}`);
}

export async function takeBack(root: string, undo: WrittenEdit[]): Promise<ActionReply> {
  const last = undo.at(-1);
  if (last === undefined) return refused('There is nothing to undo.');
  const { file, before, after, what } = last;
  const failed = await replaceText(join(root, file), root, after, before);
  // If another program has changed the file, this edit can no longer be undone.
  if (failed?.kind !== 'unwritable') undo.pop();
  return failed === null
    ? done(`undone: ${what}`)
    : refused(`${file}: ${failed.why}; nothing was undone`);
}

function nothing(file: string, why: string): ActionReply {
  return refused(`${file}: ${why}; nothing was written`);
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function absenceOf(error: unknown): string {
  return isAbsent(error)
    ? 'it no longer exists'
    : `it cannot be read: ${visibleErrorMessage(error)}`;
}

async function replaceText(
  path: string,
  root: string,
  expected: string,
  text: string,
): Promise<{ kind: 'changed' | 'unwritable'; why: string } | null> {
  try {
    if (decodeUtf8(await readFile(path), { ignoreBOM: true }) !== expected)
      return { kind: 'changed', why: 'another program changed it meanwhile' };
    if (await isReadOnly(path))
      return { kind: 'unwritable', why: 'it is read-only; make it writable first' };
    await putFile(path, text, { root });
    return null;
  } catch (error) {
    if (isAbsent(error)) return { kind: 'changed', why: absenceOf(error) };
    const why =
      error instanceof UserError
        ? (error.problems[0]?.message ?? 'refused')
        : visibleErrorMessage(error);
    return { kind: 'unwritable', why };
  }
}

/** Checks the mode, too, because a superuser can write a read-only file. */
async function isReadOnly(path: string): Promise<boolean> {
  const refused = await access(path, constants.W_OK).then(
    () => false,
    () => true,
  );
  return refused || ((await stat(path)).mode & 0o222) === 0;
}

function flawOf(
  file: string,
  text: string,
  { read, documents, withFiles }: WriteTarget['project'],
): Promise<string | null> {
  return withFiles(async (files) => {
    const tree = withText(files, file, text, sha256(text));
    const parsed = new Map(documents);
    const tools = { builtInMetrics: metrics, builtInRubrics, hash: sha256, parsed };
    const [first] = (await readProject(tree, read, tools)).problems;
    if (first === undefined) return null;
    return first.place?.file === file ? first.message : formatProblem(first);
  });
}

function changeIn(text: string, wish: Wish, prompt: WrittenPrompt, read: string): EditResult {
  const { file, line, columns, change } = wish;
  if (/\.ya?ml$/.test(file)) {
    const edit = inYaml(text, wish, prompt);
    return 'refused' in edit ? edit : editYaml(text, edit, read);
  }
  const at = { file, read, line, columns, variables: prompt.variables };
  const edit =
    change.kind === 'set'
      ? rowWith(change, at)
      : change.kind === 'add'
        ? rowFor(change, at)
        : { refused: 'only tests can be written to a file of rows' };
  return 'refused' in edit ? edit : editRows(file, text, edit, read);
}

function inYaml(
  text: string,
  { file, line, id, change }: Wish,
  { path }: WrittenPrompt,
): YamlEdit | { refused: string } {
  switch (change.kind) {
    case 'set': {
      const { values, remark } = change;
      const said = remark?.name === 'skip_reason' ? `skipped: ${remark.text}` : remark?.text;
      return { kind: 'set', line, id, values, remark: said ?? null };
    }
    case 'add':
      return { kind: 'append', line, id, value: writtenReference(change) };
    case 'first':
      return {
        kind: 'append-in',
        path:
          file === path && 'tests' in topOf(file, text) ? ['tests', 'references'] : ['references'],
        value: writtenReference(change),
      };
    case 'example': {
      const above = rubricAt(file, text, change.rubric);
      return above === null
        ? { refused: `there is no rubric "${change.rubric}" in it` }
        : { kind: 'append-in', path: [...above, 'examples'], value: change.value };
    }
  }
}

function rubricAt(file: string, text: string, name: string): readonly string[] | null {
  return rubricsIn(file, topOf(file, text)).find(([found]) => found === name)?.[1] ?? null;
}

function topOf(file: string, text: string): JsonMap {
  const reading = readYaml(file, text);
  return reading.ok && isMap(reading.value.value) ? reading.value.value : {};
}

interface DataPlace {
  file: string;
  /** The file's text when the page was drawn. */
  read: string;
  line: number;
  columns: Columns;
  variables: readonly string[];
}

type RowChange = RowEdit | { refused: string };

const UNCLEAR: RowChange = {
  refused: 'the change cannot be written to the columns of this file',
};

const REFERENCE_MOVED: RowChange = {
  refused: 'the reference is no longer at this place in the file',
};

function writtenReference({ input, expected }: NewReference): JsonMap {
  return { input, ...(expected === '' ? {} : { expected }) };
}

/** Rejects the edit if anything else in the reference would change. */
function rowWith({ values, remark }: NewValues, at: DataPlace): RowChange {
  const row = rowAt(at.file, at.read, at.line);
  if (row === null) return REFERENCE_MOVED;
  const set = Object.entries(values).map(([part, value]): [string, Json] => [
    at.columns[part as 'expected' | 'tags' | 'skip'] ?? part,
    cellFor(at, value),
  ]);
  // A file of rows has no comments, so a member stores the remark.
  if (remark !== null && (!isTable(at.file) || Object.hasOwn(row, remark.name)))
    set.push([remark.name, remark.text]);
  if (set.length === 0)
    return { refused: `it has no column "${remark?.name ?? ''}"; add one first` };
  const members = Object.fromEntries(set);
  const [before, after] = [row, { ...row, ...members }].map((candidate) =>
    readRowBy(at, candidate),
  );
  if (typeof before !== 'object' || typeof after !== 'object') return UNCLEAR;
  return isEqualMap(withoutMetadata(after), withoutMetadata({ ...before, ...values }))
    ? { kind: 'set', line: at.line, members }
    : UNCLEAR;
}

/** The metadata of a dialogue contains the remark. */
function withoutMetadata({ metadata: _, ...reference }: JsonMap): JsonMap {
  return reference;
}

/** A table's cell is a text. */
function cellFor({ file }: Pick<DataPlace, 'file'>, value: Json): Json {
  if (!isTable(file)) return value;
  return Array.isArray(value) ? value.map(jsonText).join(', ') : jsonText(value);
}

function rowFor(added: NewReference, at: DataPlace): RowChange {
  const row = rowAt(at.file, at.read, at.line);
  if (row === null) return REFERENCE_MOVED;
  const { tags, skip } = at.columns;
  const isCells = isTable(at.file);
  const blank = isCells ? { tags: '', skip: '' } : { tags: [], skip: false };
  // Every row must have the columns that the suite names.
  const value = {
    ...(isCells ? Object.fromEntries(Object.keys(row).map((name) => [name, ''])) : {}),
    ...rowLike(row, added, at.columns),
    ...(tags === undefined ? {} : { [tags]: blank.tags }),
    ...(skip === undefined ? {} : { [skip]: blank.skip }),
  };
  const found = readRowBy(at, value);
  if (typeof found === 'string')
    return { refused: `a new line with the same keys ${found}; add the line by hand` };
  const wanted = {
    ...writtenReference(added),
    ...(tags === undefined || isCells ? {} : { tags: [] }),
    ...(skip === undefined || isCells ? {} : { skip: false }),
  };
  return isEqualMap(found, wanted) ? { kind: 'append', line: at.line, value } : UNCLEAR;
}

function readRowBy({ file, columns, variables }: DataPlace, row: JsonMap): JsonMap | string {
  return rowAsReference(row, { map: columns, variables, table: isTable(file) });
}

function isEqualMap(left: JsonMap, right: JsonMap): boolean {
  const sorted = (of: JsonMap): string =>
    JSON.stringify(Object.entries(of).sort(([a], [b]) => byCodeUnits(a, b)));
  return sorted(left) === sorted(right);
}

function rowLike(
  row: JsonMap,
  { input, expected }: NewReference,
  { input: column, expected: gold = 'expected' }: Columns,
): JsonMap {
  const answer = expected === '' ? {} : { [gold]: expected };
  if (typeof column === 'object')
    return {
      ...Object.fromEntries(
        Object.entries(input).map(([name, value]) => [column[name] ?? name, value]),
      ),
      ...answer,
    };
  const whole = column ?? 'input';
  if (isMap(Object.hasOwn(row, whole) ? row[whole] : undefined))
    return { [whole]: input, ...answer };
  const [only = ''] = Object.values(input);
  return column === undefined ? { ...input, ...answer } : { [whole]: only, ...answer };
}
