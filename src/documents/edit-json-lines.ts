import { type Json, type JsonMap, parseMap } from '../types/plain.ts';
import type { EditResult } from './edit-yaml.ts';
import { escapeCodePoints } from './text-flaws.ts';

export type JsonLinesEdit =
  | { kind: 'set'; line: number; members: JsonMap }
  | { kind: 'append'; line: number; value: JsonMap };

/** Rejects the edit if the line no longer equals `read`, or if its formatting cannot be kept. */
export function editJsonLines(text: string, edit: JsonLinesEdit, read: string): EditResult {
  const lines = text.split('\n');
  const old = lines[edit.line - 1]?.trim() ?? '';
  const value = parseMap(old);
  if (value === null) return { refused: 'the reference is no longer at this place in the file' };
  const before = parseMap(read.split('\n')[edit.line - 1]?.trim() ?? '');
  if (JSON.stringify(before) !== JSON.stringify(value))
    return {
      refused: 'the file has changed since it was read: another reference is on this line now',
    };
  const spelling = [compact, pythonJson].find((spell) => spell(value) === old);
  if (edit.kind === 'append') return { text: withLine(text, (spelling ?? compact)(edit.value)) };
  if (spelling === undefined) return { refused: 'the formatting of this line cannot be kept' };
  lines[edit.line - 1] = (lines[edit.line - 1] ?? '').replace(old, () =>
    spelling({ ...value, ...edit.members }),
  );
  return { text: lines.join('\n') };
}

export function jsonAtLine(text: string, line: number): JsonMap | null {
  return parseMap(text.split('\n')[line - 1]?.trim() ?? '');
}

function withLine(text: string, line: string): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const filled = text.trimEnd();
  const rest = text.slice(filled.length);
  return `${filled}${newline}${line}${rest === '' ? newline : rest}`;
}

function compact(value: Json): string {
  return escapeCodePoints(JSON.stringify(value));
}

function pythonJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (value !== null && typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, each]) => `${compact(key)}: ${pythonJson(each)}`)
      .join(', ')}}`;
  return compact(value);
}
