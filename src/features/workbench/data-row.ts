import { rowAsReference } from '../../config/rows.ts';
import { jsonAtLine, type JsonLinesEdit } from '../../documents/edit-json-lines.ts';
import type { Columns } from '../../kernel/suite/suite.ts';
import { byCodeUnits } from '../../text/order.ts';
import { isMap, type Json, type JsonMap } from '../../types/plain.ts';

export interface NewValue {
  part: 'expected' | 'tags' | 'skip';
  value: Json;
  reason: string | null;
}

export interface NewReference {
  input: JsonMap;
  expected: string;
}

interface DataPlace {
  read: string;
  line: number;
  columns: Columns;
  variables: readonly string[];
}

type RowEdit = JsonLinesEdit | { refused: string };

/** JSON Lines has no comments, so this member stores the reason for a skip. */
const REASON = 'skip_reason';

const UNCLEAR: RowEdit = {
  refused: 'the change cannot be written to the columns of this file',
};

const REFERENCE_MOVED: RowEdit = {
  refused: 'the reference is no longer at this place in the file',
};

export function writtenReference({ input, expected }: NewReference): JsonMap {
  return { input, ...(expected === '' ? {} : { expected }) };
}

/** Rejects the edit if anything else in the reference would change. */
export function rowWith({ part, value, reason }: NewValue, at: DataPlace): RowEdit {
  const row = jsonAtLine(at.read, at.line);
  if (row === null) return REFERENCE_MOVED;
  const members = {
    [at.columns[part] ?? part]: value,
    ...(reason === null ? {} : { [REASON]: reason }),
  };
  const [before, after] = [row, { ...row, ...members }].map((candidate) =>
    readRowBy(at, candidate),
  );
  if (typeof before !== 'object' || typeof after !== 'object') return UNCLEAR;
  return isEqualMap(after, { ...before, [part]: value })
    ? { kind: 'set', line: at.line, members }
    : UNCLEAR;
}

export function rowFor(added: NewReference, at: DataPlace): RowEdit {
  const row = jsonAtLine(at.read, at.line);
  if (row === null) return REFERENCE_MOVED;
  const { tags, skip } = at.columns;
  // Every row must have the columns that the suite names.
  const value = {
    ...rowLike(row, added, at.columns),
    ...(tags === undefined ? {} : { [tags]: [] }),
    ...(skip === undefined ? {} : { [skip]: false }),
  };
  const found = readRowBy(at, value);
  if (typeof found === 'string')
    return { refused: `a new line with the same keys ${found}; add the line by hand` };
  const wanted = {
    ...writtenReference(added),
    ...(tags === undefined ? {} : { tags: [] }),
    ...(skip === undefined ? {} : { skip: false }),
  };
  return isEqualMap(found, wanted) ? { kind: 'append', line: at.line, value } : UNCLEAR;
}

function readRowBy({ columns, variables }: DataPlace, row: JsonMap): JsonMap | string {
  return rowAsReference(row, { map: columns, variables, table: false });
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
