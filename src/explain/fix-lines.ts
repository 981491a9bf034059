import { readYaml } from '../documents/yaml.ts';
import type { CauseUnit, Fix } from '../result/causes.ts';
import type { Json, JsonMap } from '../types/plain.ts';

/** Lines of a file on head, and what takes their place. */
type Edit = Pick<Fix, 'file' | 'lines' | 'replaced' | 'replacement'>;

/**
 * The edit of head's file that puts `text` in the place of a unit, or takes the unit out (null);
 * null where the file writes the unit otherwise than the prompt reads it, so that nobody could say
 * what the edit would make of it. Of a YAML or JSON file the edit is read back: no other value may
 * change, and of this one nothing but the unit.
 */
export function editOf(unit: CauseUnit, text: string | null, file: readonly string[]): Edit | null {
  if (unit.kind !== 'line' && unit.kind !== 'sentence' && unit.kind !== 'hunk') return null;
  const edit = unit.side === 'base' ? insertion(unit, text, file) : replacement(unit, text, file);
  return edit !== null && isExact(unit, text, file.join('\n'), edit) ? edit : null;
}

function isExact({ head_text }: CauseUnit, text: string | null, file: string, edit: Edit): boolean {
  if (!/\.(?:ya?ml|json)$/i.test(edit.file)) return true;
  const before = readYaml(edit.file, file);
  const after = readYaml(edit.file, withEdit(file, edit) ?? '');
  if (!before.ok || !after.ok) return false;
  const changed = differences(before.value.value, after.value.value);
  return changed.length > 0 && changed.every((one) => becomes(one, head_text ?? '', text ?? ''));
}

/** A value on both sides of an edit; null: it is no text there. */
interface Difference {
  before: string | null;
  after: string | null;
}

function differences(one: Json | undefined, other: Json | undefined): Difference[] {
  if (isTree(one) && isTree(other) && Array.isArray(one) === Array.isArray(other)) {
    const [before, after] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) =>
      differences(before.get(key), after.get(key)),
    );
  }
  if (one === other) return [];
  const textOf = (value: Json | undefined): string | null =>
    typeof value === 'string' ? value : null;
  return [{ before: textOf(one), after: textOf(other) }];
}

function isTree(value: Json | undefined): value is Json[] | JsonMap {
  return typeof value === 'object' && value !== null;
}

/** Whether a text becomes the other by writing `text` for `own` once, blanks aside. */
function becomes({ before, after }: Difference, own: string, text: string): boolean {
  if (before === null || after === null) return false;
  const [part, put] = [withoutBlanks(own), withoutBlanks(text)];
  // What is put in out of nothing is what taking it out again would leave.
  if (part === '') return put !== '' && becomes({ before: after, after: before }, text, own);
  const [whole, wanted] = [withoutBlanks(before), withoutBlanks(after)];
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1))
    if (`${whole.slice(0, at)}${put}${whole.slice(at + part.length)}` === wanted) return true;
  return false;
}

function withoutBlanks(text: string): string {
  return text.replace(/\s+/g, '');
}

/** What head only took away comes back before the line that it stood before. */
function insertion(
  { head: { file: path, line } }: CauseUnit,
  text: string | null,
  file: readonly string[],
): Edit | null {
  const next = file[line - 1];
  if (next === undefined || text === null) return null;
  const indent = next.slice(0, next.length - next.trimStart().length);
  const lines = indented(text, indent);
  return {
    file: path,
    lines: { from: line, to: line },
    replaced: next,
    replacement: [...lines, next].join('\n'),
  };
}

function replacement(
  { file: path, lines: { from, to }, head_text }: CauseUnit,
  text: string | null,
  file: readonly string[],
): Edit | null {
  const written = file.slice(from - 1, to);
  const own = (head_text ?? '').split('\n');
  const edit = (lines: readonly string[]): Edit => ({
    file: path,
    lines: { from, to },
    replaced: written.join('\n'),
    replacement: lines.join('\n'),
  });
  const isBlock =
    written.length === own.length && own.every((line, i) => isWhole(line, written[i]));
  const [line = ''] = written;
  const [part = ''] = own;
  if (isBlock) return edit(text === null ? [] : indented(text, indentOf(line, part)));
  const isOne = written.length === 1 && own.length === 1 && isPlain(`${text ?? ''}${part}`);
  return isOne ? within(line, part.trim(), (text ?? '').trim(), edit) : null;
}

/** A part of a line in other words. */
function within(
  line: string,
  part: string,
  text: string,
  edit: (lines: readonly string[]) => Edit,
): Edit | null {
  const at = part === '' ? -1 : line.indexOf(part);
  if (at < 0) return null;
  return edit([`${line.slice(0, at)}${text}${line.slice(at + part.length)}`.trimEnd()]);
}

function indented(text: string, indent: string): string[] {
  return text.split('\n').map((line) => (line.trim() === '' ? '' : `${indent}${line}`));
}

function isWhole(own: string, written: string | undefined): boolean {
  return written?.trim() === own.trim();
}

/** Within a line only plain words are sure to mean themselves, whatever quotes stand around them. */
function isPlain(text: string): boolean {
  return !/["'\\:#{}[\]&*!|>%@`\n]/.test(text);
}

/** The blanks of the file's line before those of the text itself. */
function indentOf(line: string, own: string): string {
  const blanks = (of: string): number => of.length - of.trimStart().length;
  return line.slice(0, Math.max(0, blanks(line) - blanks(own)));
}

/** The file with the edit made; null: these lines are not what the edit was made for. */
export function withEdit(
  text: string,
  { lines: { from, to }, replaced, replacement: own }: Edit,
): string | null {
  const lines = text.split('\n');
  const ending = (lines[from - 1] ?? '').endsWith('\r') ? '\r' : '';
  const there = lines.slice(from - 1, to).map((line) => line.replace(/\r$/, ''));
  if (there.join('\n') !== replaced) return null;
  const put = own === '' ? [] : own.split('\n').map((line) => `${line}${ending}`);
  return [...lines.slice(0, from - 1), ...put, ...lines.slice(to)].join('\n');
}
