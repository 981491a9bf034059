import type { Json, Rubric } from '../../types.ts';
import { fenced } from '../measures/json-text.ts';
import { exactLabel, labelInLine } from './label.ts';

export interface Reply {
  label: string;
  reasons: string | null;
}

/** Longer replies of a grader are not read. */
const MAX_LENGTH = 1_048_576;

/**
 * The label of a grader's reply, or null when it gives no single one. JSON with a `choice` counts
 * by that field alone; other text by its last line that holds more than markup (the first one where
 * the label was asked for first).
 */
export function readReply(
  output: string,
  labels: readonly string[],
  order: Rubric['eval_type'],
): Reply | null {
  if (output.length > MAX_LENGTH) return null;
  const parsed = trailingObject(output, (value) => Object.hasOwn(value, 'choice'));
  if (parsed !== null) return fromJson(parsed, labels);
  // Broken or foreign JSON: its last line may be anything, the middle of a reason say.
  if (/^\s*(?:```\w*\s*)?\{/.test(output.slice(0, 200))) return null;
  return fromLines(output.split(/\r\n|[\n\r\u2028\u2029]/), labels, order);
}

function fromJson(
  { choice, reasons }: Record<string, Json>,
  labels: readonly string[],
): Reply | null {
  const label =
    typeof choice === 'string' || typeof choice === 'number'
      ? exactLabel(String(choice), labels)
      : null;
  return label === null
    ? null
    : {
        label,
        reasons: typeof reasons === 'string' && reasons.trim() !== '' ? reasons.trim() : null,
      };
}

function fromLines(
  lines: readonly string[],
  labels: readonly string[],
  order: Rubric['eval_type'],
): Reply | null {
  const index =
    order === 'classify_cot' ? lines.findIndex(holdsText) : lines.findLastIndex(holdsText);
  const label = labelInLine(lines[index] ?? '', labels);
  if (label === null) return null;
  const rest = lines
    .filter((_, other) => other !== index)
    .join('\n')
    .trim();
  return { label, reasons: rest === '' ? null : rest };
}

/** Anything but white space, markup and punctuation; a label may be a sign or an emoji. */
function holdsText(line: string): boolean {
  return /[^\s*_`#>~=|"'.:;,()[\]{}\u2013\u2014\u200b-]/u.test(line);
}

/**
 * The object that a reply consists of or ends with, of those that `fits` accepts. JSON in the
 * middle of a text may be quoted from the material under judgement, so it decides nothing.
 */
export function trailingObject(
  output: string,
  fits: (value: Record<string, Json>) => boolean,
): Record<string, Json> | null {
  const text = output.trim();
  const body =
    text.startsWith('```') && text.endsWith('```') ? (fenced(text) ?? text).trim() : text;
  const whole = objectOf(body, fits);
  if (whole !== null) return whole;
  const inner = body.endsWith('```') ? body.slice(0, -3).trimEnd() : body;
  if (!inner.endsWith('}')) return null;
  let start = inner.length;
  for (let attempts = 0; attempts < 10; attempts++) {
    start = inner.lastIndexOf('\n{', start - 1);
    if (start === -1) return null;
    const found = objectOf(inner.slice(start + 1), fits);
    if (found !== null) return found;
    if (start === 0) return null;
  }
  return null;
}

function objectOf(
  text: string,
  fits: (value: Record<string, Json>) => boolean,
): Record<string, Json> | null {
  if (!text.startsWith('{') || !text.endsWith('}')) return null;
  try {
    const value = JSON.parse(text) as Json;
    return value !== null && typeof value === 'object' && !Array.isArray(value) && fits(value)
      ? value
      : null;
  } catch {
    return null;
  }
}
