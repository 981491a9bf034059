import { byCodeUnits } from '../text/order.ts';
import type { Json, JsonMap, Problem } from '../types/plain.ts';
import { isTable, readRows, type DataRow } from './dataset.ts';
import { escapeCodePoints } from './text-flaws.ts';
import { applySplices, type EditResult, type Splice } from './yaml-splices.ts';

/** An edit of a row in a JSON Lines or CSV file; `line` is the row's first line. */
export type RowEdit =
  | { kind: 'set'; line: number; members: JsonMap }
  | { kind: 'append'; line: number; value: JsonMap };

/** Changes only the edited cells. Rejects the edit if the row is no longer as in `read`. */
export function editRows(file: string, text: string, edit: RowEdit, read: string): EditResult {
  if (/\.json$/i.test(file))
    return { refused: 'rows of a .json file are not edited here; write them as .jsonl' };
  const { rows } = rowsIn(file, text);
  const row = rows.find(({ line }) => line === edit.line)?.value;
  if (row === undefined) return { refused: 'the reference is no longer at this place in the file' };
  if (JSON.stringify(rowAt(file, read, edit.line)) !== JSON.stringify(row))
    return {
      refused: 'the file has changed since it was read: another reference is on this line now',
    };
  const splices = isTable(file) ? tableSplices(file, text, edit) : jsonSplices(text, edit);
  if ('refused' in splices) return splices;
  const edited = applySplices(text, splices);
  const values = rows.map(({ value }) => value);
  const wanted =
    edit.kind === 'append'
      ? [...values, edit.value]
      : values.map((value) => (value === row ? { ...value, ...edit.members } : value));
  const after = rowsIn(file, edited);
  // The caller reports what is wrong with the new text.
  const isKept =
    after.isBroken || rowsKey(after.rows.map(({ value }) => value)) === rowsKey(wanted);
  return isKept ? { text: edited } : { refused: 'the formatting of this line cannot be kept' };
}

export function rowAt(file: string, text: string, line: number): JsonMap | null {
  return rowsIn(file, text).rows.find((row) => row.line === line)?.value ?? null;
}

function rowsIn(file: string, text: string): { rows: DataRow[]; isBroken: boolean } {
  const problems: Problem[] = [];
  const rows = readRows(file, new TextEncoder().encode(text), problems);
  return { rows, isBroken: problems.length > 0 };
}

function rowsKey(rows: readonly JsonMap[]): string {
  return JSON.stringify(
    rows.map((row) => Object.entries(row).sort(([a], [b]) => byCodeUnits(a, b))),
  );
}

type Splices = Splice[] | { refused: string };

function jsonSplices(text: string, edit: RowEdit): Splices {
  const source = text.split('\n')[edit.line - 1] ?? '';
  const start = offsetOfLine(text, edit.line);
  const spell = /^\s*\{[^"]*"(?:[^"\\]|\\.)*":\s/.test(source) ? spacedJson : compactJson;
  if (edit.kind === 'append') return [appendedLine(text, spell(edit.value))];
  const found = jsonMembers(source);
  const end = source.lastIndexOf('}');
  return Object.entries(edit.members).map(([key, value]) => {
    const range = found.get(key);
    if (range !== undefined)
      return { from: start + range.from, to: start + range.to, put: spell(value) };
    const member = spell({ [key]: value }).slice(1, -1);
    const separator = found.size === 0 ? '' : spell === spacedJson ? ', ' : ',';
    const last = source.slice(0, end).trimEnd().length;
    return { from: start + last, to: start + last, put: separator + member };
  });
}

const DEPTHS: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 };

/** Where the values of the outermost object are, in a line of valid JSON. */
function jsonMembers(source: string): Map<string, { from: number; to: number }> {
  const found = new Map<string, { from: number; to: number }>();
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of source.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/g)) {
    const step = DEPTHS[token] ?? 0;
    if (depth === 1 && (token === ',' || step < 0)) {
      const member = source.slice(start, index).trimEnd();
      const [lead = '', key] = /^\s*("(?:[^"\\]|\\.)*")\s*:\s*/.exec(member) ?? [];
      if (key !== undefined)
        found.set(JSON.parse(key) as string, {
          from: start + lead.length,
          to: start + member.length,
        });
    }
    if (depth + Math.max(0, step) === 1 && (token === ',' || step > 0)) start = index + 1;
    depth += step;
  }
  return found;
}

function compactJson(value: Json): string {
  return escapeCodePoints(JSON.stringify(value));
}

/** As Python writes it. */
function spacedJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (value !== null && typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, each]) => `${compactJson(key)}: ${spacedJson(each)}`)
      .join(', ')}}`;
  return compactJson(value);
}

function tableSplices(file: string, text: string, edit: RowEdit): Splices {
  const separator = file.toLowerCase().endsWith('.tsv') ? '\t' : ',';
  const names = cellsAt(text, text.search(/\S/), separator).map(({ cell }) => cell.trim());
  const given = edit.kind === 'append' ? edit.value : edit.members;
  const missing = Object.keys(given).find((name) => !names.includes(name));
  if (missing !== undefined) return { refused: `it has no column "${missing}"; add one first` };
  const spelled = (value: Json | undefined, isQuoted: boolean) => {
    const cell = String(value ?? '');
    return (isQuoted && cell !== '') || cell.includes(separator) || /["\r\n]/.test(cell)
      ? `"${cell.replaceAll('"', '""')}"`
      : cell;
  };
  const cells = cellsAt(text, offsetOfLine(text, edit.line), separator);
  if (edit.kind === 'append') {
    const row = names.map((name, at) => spelled(edit.value[name], cells[at]?.isQuoted === true));
    return [appendedLine(text, row.join(separator))];
  }
  return Object.entries(edit.members).flatMap(([name, value]) => {
    const old = cells[names.indexOf(name)];
    return old === undefined
      ? []
      : [{ from: old.from, to: old.to, put: spelled(value, old.isQuoted) }];
  });
}

interface CsvCell {
  from: number;
  to: number;
  cell: string;
  isQuoted: boolean;
}

/** The cells of the record that begins at `start`. */
function cellsAt(text: string, start: number, separator: string): CsvCell[] {
  const cells: CsvCell[] = [];
  for (let from = start; ;) {
    const quoted = /"(?:[^"]|"")*"/y;
    quoted.lastIndex = from;
    const found = quoted.exec(text)?.[0];
    const plain = text.slice(from).search(separator === ',' ? /[,\r\n]|$/ : /[\t\r\n]|$/);
    const to = from + (found?.length ?? plain);
    const cell = found?.slice(1, -1).replaceAll('""', '"') ?? text.slice(from, to);
    cells.push({ from, to, cell, isQuoted: found !== undefined });
    if (text[to] !== separator) return cells;
    from = to + 1;
  }
}

function offsetOfLine(text: string, line: number): number {
  let offset = 0;
  for (let at = 1; at < line; at += 1) offset = text.indexOf('\n', offset) + 1;
  return offset;
}

function appendedLine(text: string, line: string): Splice {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const filled = text.trimEnd().length;
  const put = `${newline}${line}${filled === text.length ? newline : ''}`;
  return { from: filled, to: filled, put };
}
