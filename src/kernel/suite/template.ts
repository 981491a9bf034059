import { partsText } from '../../text/content.ts';
import type { FilePart, MessagePart } from '../../types/media.ts';
import type { Message, PromptText } from '../../types/model.ts';
import { ownEntry, type Scalar } from '../../types/plain.ts';
import type { PromptMessage, Reference, Tests } from './suite.ts';

export function asksNothing(thread: readonly Message[]): boolean {
  return thread.length === 0 || thread.at(-1)?.role === 'assistant';
}

export function bringsAnswer({ thread }: Reference): boolean {
  return thread !== null && asksNothing(thread);
}

export function isRecorded({ references, own }: Tests): boolean {
  return own === null && references.length > 0 && references.every(bringsAnswer);
}

interface Placeholder {
  name: string;
  offset: number;
}

type TemplatePiece =
  { kind: 'text'; text: string } | { kind: 'value'; name: string; offset: number; text: string };

// Takes linear time, because it has no alternation or nested repeats.
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;

/**
 * `{name}` becomes the value, `{{name}}` the text `{name}`, and `{{{name}}}` the value in braces.
 * Other braces stay. Names in inserted text are not replaced.
 */
export function fill(template: string, values: Readonly<Record<string, Scalar>>): string {
  let out = '';
  for (const part of parts(template)) {
    out +=
      part.kind === 'value' && Object.hasOwn(values, part.name)
        ? String(values[part.name])
        : part.text;
  }
  return out;
}

/** `unknown`: a path that the message includes but no file has. */
export function fillMessage(
  { role, content, parts }: PromptMessage,
  { input, shown }: Reference,
): PromptText | { unknown: string } {
  if (parts === undefined) return { role, content: fill(content, input) };
  const filled: MessagePart[] = [];
  for (const part of parts) {
    if (part.type === 'text') filled.push({ type: 'text', text: fill(part.text, input) });
    else if ('id' in part) filled.push(part);
    else {
      const path = fill(part.path, input);
      const file = ownEntry(shown ?? {}, shownKey(part.type, path));
      if (file === undefined) return { unknown: path };
      filled.push(file);
    }
  }
  return { role, content: partsText(filled), parts: filled };
}

export function shownKey(type: FilePart['type'], path: string): string {
  return `${type} ${path}`;
}

export function placeholders(template: string): Placeholder[] {
  const found: Placeholder[] = [];
  for (const part of parts(template)) {
    if (part.kind === 'value') found.push({ name: part.name, offset: part.offset });
  }
  return found;
}

export function isVariableName(name: string): boolean {
  return name !== '' && nameAt(name, 0) === name;
}

function* parts(template: string): Generator<TemplatePiece> {
  let from = 0;
  let open = template.indexOf('{');
  while (open !== -1) {
    const run = braces(template, open, '{');
    const nameStart = open + run;
    const name = nameAt(template, nameStart);
    const closing = name === '' ? 0 : braces(template, nameStart + name.length, '}');
    if (closing > 0) {
      // Uses equally many braces on both sides, at most three. So `{"a": {x}}` keeps its last
      // brace.
      const depth = Math.min(run, closing, 3);
      const start = nameStart - depth;
      const end = nameStart + name.length + depth;
      yield { kind: 'text', text: template.slice(from, start) };
      yield* meaning(name, depth, start);
      from = end;
    }
    open = template.indexOf('{', Math.max(from, nameStart));
  }
  yield { kind: 'text', text: template.slice(from) };
}

function* meaning(name: string, depth: number, start: number): Generator<TemplatePiece> {
  const value: TemplatePiece = {
    kind: 'value',
    name,
    offset: start + depth - 1,
    text: `{${name}}`,
  };
  if (depth === 1) yield value;
  if (depth === 2) yield { kind: 'text', text: `{${name}}` };
  if (depth === 3) {
    yield { kind: 'text', text: '{' };
    yield value;
    yield { kind: 'text', text: '}' };
  }
}

function nameAt(text: string, index: number): string {
  NAME.lastIndex = index;
  return NAME.exec(text)?.[0] ?? '';
}

function braces(text: string, index: number, brace: string): number {
  let end = index;
  while (text[end] === brace) end += 1;
  return end - index;
}
