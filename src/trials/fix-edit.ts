import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import type { Prompt } from '../kernel/suite/suite.ts';
import type { SourceTree } from '../types/repository.ts';
import type { ChangeUnit } from './change-unit.ts';
import { fileLines, linePlaces } from './unit-places.ts';

export interface Edit {
  file: string;
  lines: { from: number; to: number };
  replaced: string;
  replacement: string;
}

type PromptContent = Pick<Prompt, 'messages' | 'code'>;

/** A part of head's file. */
type Passage = Pick<ChangeUnit, 'kind' | 'side' | 'lines' | 'head_text'> & {
  head: { file: string };
};

/** Check the returned edit with {@link exactEdit} before showing it. */
export function editOf(
  unit: Passage,
  text: string | null,
  { head, wanted }: { head: PromptContent; wanted: PromptContent },
  file: readonly string[],
): Edit | null {
  const change = isText(unit) ? changedText(head, wanted) : null;
  if (change === null) return null;
  return ofLines(unit.head.file, change, file) ?? ofWords(unit, text, file);
}

/** `after` is the text that was tested. */
export function fileEdit(
  path: string,
  { before, after }: { before: string; after: string },
  file: readonly string[],
): Edit | null {
  const edit = ofLines(path, { line: 1, before, after }, file);
  const ended = (text: string | null) => text?.replace(/\n$/, '') ?? null;
  const made = edit === null ? null : ended(withEdit(file.join('\n'), edit));
  return made === ended(after) ? edit : null;
}

export function isText({ kind }: Pick<ChangeUnit, 'kind'>): boolean {
  return kind === 'line' || kind === 'sentence' || kind === 'hunk';
}

/** Head's files, in which a fix is written. */
export interface HeadFiles {
  lines(file: string): Promise<readonly string[]>;
  /** Reads the project as if the file had this text. Null if it then has not head's prompt. */
  reread(file: string, text: string): Promise<{ own: Prompt; others: readonly Prompt[] } | null>;
}

export function headFiles(
  { file, name }: Prompt,
  edges: {
    sources?: { head: SourceTree };
    reread?(file: string, text: string): Promise<readonly Prompt[]>;
  },
): HeadFiles {
  return {
    lines: (path) => fileLines(edges.sources?.head ?? null, path),
    async reread(path, text) {
      const prompts = (await edges.reread?.(path, text)) ?? [];
      const own = prompts.find((prompt) => prompt.file === file && prompt.name === name);
      return own === undefined ? null : { own, others: prompts.filter((each) => each !== own) };
    },
  };
}

/** Null unless the edit of head's file gives exactly the prompt to try, and changes no other. */
export async function exactEdit(
  passage: Passage,
  text: string | null,
  prompts: { head: PromptContent; wanted: PromptContent },
  files: HeadFiles,
): Promise<Edit | null> {
  const lines = await files.lines(passage.head.file);
  const edit = editOf(passage, text, prompts, lines);
  const written = lines.join('\n');
  const edited = edit && withEdit(written, edit);
  if (edit === null || edited === null) return null;
  const before = await files.reread(edit.file, written);
  const after = await files.reread(edit.file, edited);
  if (before === null || after === null) return null;
  const isAlone =
    before.others.length === after.others.length &&
    after.others.every((other, i) => {
      const { [i]: was } = before.others;
      return was !== undefined && isWhatRan(other, was, was);
    });
  return isAlone && isWhatRan(after.own, prompts.wanted, before.own) ? edit : null;
}

export function isWhatRan(after: Prompt, wanted: PromptContent, before: Prompt): boolean {
  const sent = ({ messages, code }: PromptContent) =>
    canonicalJson([
      messages.map(({ role, content }) => [role, content]),
      code === null ? null : [code.language, code.source],
    ]);
  const rest = ({ model, parameters, variables, made }: Prompt) =>
    canonicalJson([model, parameters, variables.map(({ name }) => name), made !== undefined]);
  return sent(after) === sent(wanted) && rest(after) === rest(before);
}

interface TextEdit {
  line: number;
  before: string;
  after: string;
}

function changedText(head: PromptContent, wanted: PromptContent): TextEdit | null {
  if (head.code !== null && wanted.code !== null)
    return {
      line: head.code.place.line,
      before: head.code.source,
      after: wanted.code.source,
    };
  if (head.messages.length !== wanted.messages.length) return null;
  const changed = head.messages.flatMap(({ content, written, place: { line } }, i) => {
    const { [i]: other } = wanted.messages;
    const [before, after] =
      written === undefined || other?.written === undefined
        ? [content, other?.content]
        : [written, other.written];
    return after === undefined || after === before ? [] : [{ line, before, after }];
  });
  return changed.length === 1 ? (changed[0] ?? null) : null;
}

/** Null if the file's lines and the text differ in more than indentation. */
function ofLines(
  path: string,
  { line, before: text, after: wanted }: TextEdit,
  file: readonly string[],
): Edit | null {
  const [before, after] = [text.split('\n'), wanted.split('\n')];
  const places = linePlaces(file, line, text).map(({ from }) => from);
  const found = places.map((place) => file[place - 1] ?? null);
  const isWhole = (i: number) => before[i] !== undefined && found[i]?.trim() === before[i].trim();
  const isWords = (i: number) => isWhole(i) && before[i]?.trim() !== '';
  const region = changedSpan(before, after, isWords);
  const near = [...before.keys()]
    .filter(isWords)
    .sort((a, b) => Math.abs(a - region.start) - Math.abs(b - region.start))[0];
  const replaced = [...before.keys()].slice(region.start, before.length - region.end);
  const [from = 0, to = 0] = [places[region.start], places[before.length - region.end - 1]];
  const isThere =
    replaced.length > 0 && replaced.every(isWhole) && to - from + 1 === replaced.length;
  if (near === undefined || region.start < 0 || !isThere) return null;
  const indent = indentOf(found[near] ?? '', before[near] ?? '');
  return {
    file: path,
    lines: { from, to },
    replaced: file.slice(from - 1, to).join('\n'),
    replacement: after
      .slice(region.start, after.length - region.end)
      .map((own) => (own.trim() === '' ? '' : `${indent}${own}`))
      .join('\n'),
  };
}

function changedSpan(
  before: readonly string[],
  after: readonly string[],
  isWords: (line: number) => boolean,
) {
  let [start, end] = [0, 0];
  const shortest = Math.min(before.length, after.length);
  while (start < shortest && before[start] === after[start]) start += 1;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const put = after.slice(start, after.length - end);
  // A single blank line as replacement would look like a removal.
  if (start + end < before.length && (put.length !== 1 || put[0] !== '')) return { start, end };
  return end > 0 && isWords(before.length - end)
    ? { start, end: end - 1 }
    : { start: start - 1, end };
}

function ofWords(
  { head: { file: path }, side, lines: { from, to }, head_text }: Passage,
  text: string | null,
  file: readonly string[],
): Edit | null {
  const [line, part, put] = [file[from - 1], (head_text ?? '').trim(), (text ?? '').trim()];
  if (side === 'base' || from !== to || line === undefined) return null;
  const at = part === '' ? -1 : line.indexOf(part);
  if (at < 0) return null;
  return {
    file: path,
    lines: { from, to },
    replaced: line,
    replacement: `${line.slice(0, at)}${put}${line.slice(at + part.length)}`.trimEnd(),
  };
}

function indentOf(line: string, own: string): string {
  const blanks = (of: string) => of.length - of.trimStart().length;
  return line.slice(0, Math.max(0, blanks(line) - blanks(own)));
}

/** Null if the lines have changed since the run. */
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
