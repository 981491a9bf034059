import { stringify } from 'csv-stringify/sync';
import { onlySavedResult } from '../../app/commands/files.ts';
import type { Rendered, Terminal } from '../../app/commands/terminal.ts';
import { userError } from '../../errors.ts';
import { exitCode } from '../../kernel/result/outcome.ts';
import type { FlatRow } from '../../report/test-rows.ts';
import type { Json } from '../../types/plain.ts';

export interface CsvOptions {
  format: string;
  table?: string;
  history?: string | true;
}

/** Spreadsheets run a cell as a formula if it starts with one of these characters. */
const FORMULA_START = /^[=+\-@\t\r]/;

const DEFAULT_TABLE = 'tests';

export async function renderCsv(
  paths: readonly string[],
  { format, table = DEFAULT_TABLE, history }: CsvOptions,
  terminal: Terminal,
): Promise<Rendered> {
  if (format !== 'csv') throw userError(null, '--table: works only with --format csv');
  if (history !== undefined)
    throw userError(null, '--format csv renders one result.json; omit --history');
  const tables = Object.assign({}, ...terminal.features.map((row) => row.tables ?? {})) as Partial<
    Record<string, NonNullable<Terminal['features'][number]['tables']>[string]>
  >;
  const rowsOf = Object.hasOwn(tables, table) ? tables[table] : undefined;
  if (rowsOf === undefined)
    throw userError(null, `--table: must be ${Object.keys(tables).sort().join(' or ')}`);
  const result = await onlySavedResult(
    paths,
    '--format csv renders one result.json (npx evaldiff report out/result.json --format csv)',
    terminal,
  );
  const { columns, rows } = await rowsOf(result);
  return { text: csvOf(columns, rows), code: exitCode(result.conclusion) };
}

function csvOf(columns: readonly string[], rows: readonly FlatRow[]): string {
  const cells = rows.map((row) => columns.map((column) => csvCell(row[column] ?? null)));
  return stringify([[...columns], ...cells], { quoted_match: /[\r\n]/ });
}

/** Numbers keep their sign. Other cells that look like a formula start with an apostrophe. */
function csvCell(value: Json): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value !== 'number' && FORMULA_START.test(text) ? `'${text}` : text;
}
