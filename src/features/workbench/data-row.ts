import { rowAsReference } from '../../config/rows.ts';
import { isTable } from '../../documents/dataset.ts';
import { rowAt, type RowEdit } from '../../documents/edit-rows.ts';
import type { Columns } from '../../kernel/suite/suite.ts';
import { byCodeUnits } from '../../text/order.ts';
import { isMap, jsonText, type Json, type JsonMap } from '../../types/plain.ts';
import type { NewReference, NewValues } from './changes.ts';

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

export function writtenReference({ input, expected }: NewReference): JsonMap {
  return { input, ...(expected === '' ? {} : { expected }) };
}

/** Rejects the edit if anything else in the reference would change. */
export function rowWith({ values, remark }: NewValues, at: DataPlace): RowChange {
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

export function rowFor(added: NewReference, at: DataPlace): RowChange {
  const row = rowAt(at.file, at.read, at.line);
  if (row === null) return REFERENCE_MOVED;
  const { tags, skip } = at.columns;
  const blank = isTable(at.file) ? { tags: '', skip: '' } : { tags: [], skip: false };
  // Every row must have the columns that the suite names.
  const value = {
    ...(isTable(at.file) ? Object.fromEntries(Object.keys(row).map((name) => [name, ''])) : {}),
    ...rowLike(row, added, at.columns),
    ...(tags === undefined ? {} : { [tags]: blank.tags }),
    ...(skip === undefined ? {} : { [skip]: blank.skip }),
  };
  const found = readRowBy(at, value);
  if (typeof found === 'string')
    return { refused: `a new line with the same keys ${found}; add the line by hand` };
  const wanted = {
    ...writtenReference(added),
    ...(tags === undefined || isTable(at.file) ? {} : { tags: [] }),
    ...(skip === undefined || isTable(at.file) ? {} : { skip: false }),
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
