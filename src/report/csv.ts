import { stringify } from 'csv-stringify/sync';
import type { Json } from '../types/plain.ts';
import type { FlatTable } from './test-rows.ts';

/** Spreadsheets run a cell as a formula if it starts with one of these characters. */
const FORMULA_START = /^[=+\-@\t\r]/;

export function renderCsv({ columns, rows }: FlatTable): string {
  const cells = rows.map((row) => columns.map((column) => csvCell(row[column] ?? null)));
  return stringify([[...columns], ...cells], { quoted_match: /[\r\n]/ });
}

/** Numbers keep their sign. Other cells that look like a formula start with an apostrophe. */
function csvCell(value: Json): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value !== 'number' && FORMULA_START.test(text) ? `'${text}` : text;
}
