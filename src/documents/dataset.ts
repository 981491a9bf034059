import { CsvError, parse } from 'csv-parse/sync';
import { problem } from '../errors.ts';
import { counted, tooManyBytes } from '../text/amounts.ts';
import { isMap, type Json, type Place, type Problem, type JsonMap } from '../types/plain.ts';
import { type Document, emptyMap, valueAt } from './document.ts';
import { FILE_LIMITS, MAX_PROBLEMS } from './limits.ts';
import { FORBIDDEN_KEYS, decodeUtf8, fileFlaw, valueFlaw } from './text-flaws.ts';
import { readYaml } from './yaml.ts';

export interface DataRow {
  line: number;
  value: JsonMap;
  /** The source text of numbers that JavaScript would print differently, such as `12.50`. */
  written?: JsonMap;
}

const READERS_BY_ENDING: Readonly<
  Record<string, (file: string, text: string, problems: Problem[]) => DataRow[]>
> = {
  jsonl: readJsonLines,
  ndjson: readJsonLines,
  json: readJsonList,
  csv: (file, text, problems) => readTable(file, text, ',', problems),
  tsv: (file, text, problems) => readTable(file, text, '\t', problems),
};

export function isTable(file: string): boolean {
  return /\.(csv|tsv)$/i.test(file);
}

export function readRows(file: string, content: Uint8Array, problems: Problem[]): DataRow[] {
  const fail = (line: number, message: string): DataRow[] => {
    problems.push(problem({ file, line }, message));
    return [];
  };
  const read = READERS_BY_ENDING[file.slice(file.lastIndexOf('.') + 1).toLowerCase()];
  if (read === undefined) return fail(0, 'must be a .jsonl, .json, .csv or .tsv file');
  if (content.length > FILE_LIMITS.dataBytes)
    return fail(0, tooManyBytes(content.length, FILE_LIMITS.dataBytes));
  const text = decodeUtf8(content);
  if (text === null) return fail(0, 'is not UTF-8 text');
  const flaw = fileFlaw(text, 'data');
  if (flaw !== null) return fail(text.slice(0, flaw.index).split('\n').length, flaw.message);
  const found: Problem[] = [];
  const rows = read(file, text, found);
  problems.push(...found.slice(0, MAX_PROBLEMS));
  if (rows.length > FILE_LIMITS.dataRows)
    return fail(0, `has ${rows.length} rows; the limit is ${FILE_LIMITS.dataRows}`);
  return rows;
}

function readJsonLines(file: string, text: string, problems: Problem[]): DataRow[] {
  return text.split('\n').flatMap((source, index) => {
    if (source.trim() === '') return [];
    const row = readJsonRow(source);
    if (typeof row === 'string') problems.push(problem({ file, line: index + 1 }, row));
    return typeof row === 'string'
      ? []
      : [{ line: index + 1, value: row, ...(ODD_NUMBER.test(source) ? writtenRow(source) : {}) }];
  });
}

/** Keys of a map whose list has the rows. */
const ROW_LISTS = ['data', 'rows', 'examples', 'samples'];

/** A list of rows, also in a map. The limits are those of YAML files; lines have larger ones. */
function readJsonList(file: string, text: string, problems: Problem[]): DataRow[] {
  const read = readYaml(file, text);
  if (!read.ok) {
    problems.push(...read.problems);
    return [];
  }
  const { value, placeOf } = read.value;
  if (isMap(value) && value['has_more'] === true) {
    const message = 'is one page of several (has_more); write the rows of all pages into one list';
    problems.push(problem({ file, line: placeOf(['has_more']).line }, message));
  }
  const key = isMap(value) ? ROW_LISTS.filter((each) => Array.isArray(value[each])) : [];
  return [valueAt(value, key) ?? []].flat().flatMap((row, index) => {
    const { line } = placeOf([...key, index]);
    if (isMap(row)) return [{ line, value: row }];
    problems.push(problem({ file, line }, 'must be a JSON object'));
    return [];
  });
}

/** A document whose values all have the same place, such as a row of a table. */
export function rowDocument(place: Place, value: Json, written?: JsonMap): Document {
  return {
    file: place.file,
    value,
    placeOf: () => place,
    placeOfText: () => place,
    textOf: (path) => {
      const text = written && valueAt(written, path);
      return typeof text === 'string' && typeof valueAt(value, path) === 'number' ? text : null;
    },
  };
}

const ODD_NUMBER = /\d[.eE]|-0/;

function writtenRow(source: string): { written: JsonMap } {
  const asText = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== String(value)
      ? (context?.source ?? value)
      : value;
  return { written: JSON.parse(source, asText) as JsonMap };
}

function readJsonRow(source: string): JsonMap | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch {
    return 'is not valid JSON; every line must be one object';
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return 'must be a JSON object';
  const copy = plainCopy(parsed, FILE_LIMITS.depth);
  if (typeof copy === 'string') return copy;
  // JSON.parse keeps only the last of equal keys, so equal keys leave fewer members than colons.
  return copy.members === colons(source)
    ? (copy.value as JsonMap)
    : 'has the same key twice in one object';
}

function plainCopy(value: unknown, depth: number): { value: Json; members: number } | string {
  if (typeof value !== 'object' || value === null)
    return scalarFlaw(value) ?? { value: value as Json, members: 0 };
  if (depth === 0) return 'is nested too deep';
  const list: Json[] = [];
  const map = emptyMap();
  let members = 0;
  for (const [key, member] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.has(key)) return `the key "${key}" is not allowed`;
    const copy = plainCopy(member, depth - 1);
    if (typeof copy === 'string') return copy;
    members += copy.members + (Array.isArray(value) ? 0 : 1);
    list.push(copy.value);
    map[key] = copy.value;
  }
  return { value: Array.isArray(value) ? list : map, members };
}

function scalarFlaw(value: unknown): string | null {
  if (typeof value === 'string') return valueFlaw(value, 'data');
  if (typeof value !== 'number') return null;
  if (!Number.isFinite(value)) return 'has a number that is not finite';
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? 'has a number that is too large to be exact; quote it if it is text'
    : null;
}

function colons(json: string): number {
  let count = 0;
  let inside = false;
  for (let at = 0; at < json.length; at += 1) {
    const letter = json[at];
    if (letter === '"') inside = !inside;
    else if (letter === '\\') at += 1;
    else if (letter === ':' && !inside) count += 1;
  }
  return count;
}

function readTable(
  file: string,
  text: string,
  delimiter: ',' | '\t',
  problems: Problem[],
): DataRow[] {
  let records: { record: string[]; info: { lines: number } }[];
  try {
    // The CSV library counts a CR LF inside quotes as two lines.
    records = parse(text.replaceAll('\r\n', '\n'), {
      delimiter,
      bom: true,
      info: true,
      skip_empty_lines: true,
      max_record_size: FILE_LIMITS.yamlBytes,
    }) as unknown as typeof records;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    problems.push(tableProblem(file, error, otherSeparator(text, delimiter)));
    return [];
  }
  const names = (records[0]?.record ?? []).map((name) => name.trim());
  const separator = names.length > 1 ? null : otherSeparator(text, delimiter);
  if (separator !== null) problems.push(problem({ file, line: 1 }, separator));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    problems.push(problem({ file, line: 1 }, `has the column "${twice}" twice`));
  const forbidden = names.find((name) => FORBIDDEN_KEYS.has(name));
  if (forbidden !== undefined)
    problems.push(problem({ file, line: 1 }, `the column "${forbidden}" is not allowed`));
  if (problems.length > 0) return [];
  return records.slice(1).map(({ record, info }) => {
    const value = emptyMap();
    names.forEach((name, index) => {
      value[name] = record[index] ?? '';
    });
    // The CSV library reports the row's last line.
    const breaks = record.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0);
    return { line: info.lines - breaks, value };
  });
}

const SEPARATORS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' } as const;

function otherSeparator(text: string, delimiter: ',' | '\t'): string | null {
  const [header = ''] = text.replaceAll(/"[^"]*"/g, '').split('\n', 1);
  const count = (sign: string) => header.split(sign).length;
  const written = ([',', ';', '\t'] as const).find((sign) => count(sign) > count(delimiter));
  if (written === undefined) return null;
  const wanted = SEPARATORS[delimiter];
  return (
    `is separated by ${SEPARATORS[written]}; write ${wanted}, and put cells that contain ` +
    `${wanted} into double quotes`
  );
}

function tableProblem(file: string, error: CsvError, separator: string | null): Problem {
  const line: unknown = separator === null ? Reflect.get(error, 'lines') : 1;
  const place = { file, line: typeof line === 'number' ? line : 0 };
  return problem(place, separator ?? tableFlaw(error));
}

function tableFlaw({ code, message }: CsvError): string {
  const [, wanted = '', got = ''] = /expect (\d+), got (\d+)/.exec(message) ?? [];
  if (got !== '')
    return (
      `has ${counted(Number(got), 'cell')} where the first row has ${wanted}; put a cell that ` +
      'contains a separator into double quotes'
    );
  return code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'has a double quote that is not closed'
    : `is not a valid table: ${message.split('\n', 1)[0] ?? ''}`;
}
