import type { Result } from '../../kernel/result/result.ts';
import { loadReports, type ReportRow } from '../../report/sections/feature-report.ts';
import type { Evaluated } from './evaluate.ts';
import { openFolder, visibleErrorMessage, type OwnFolder } from './safe-writing.ts';
import type { Session } from './session.ts';

/** Each write has a fixed cost, so small texts are combined. */
const CHUNK_CHARS = 1 << 16;

const MAX_SPLIT_DEPTH = 6;

const SMALL_LIST = { level: 4, items: 64 };

/**
 * Yields the pieces of `JSON.stringify(value, null, 1)`, because the whole text may not fit in
 * memory.
 */
export function* jsonParts(value: unknown): Generator<string> {
  let part = '';
  for (const piece of pieces(value, 0)) {
    part += piece;
    if (part.length < CHUNK_CHARS) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
}

function* pieces(value: unknown, level: number): Generator<string> {
  const entries =
    level < MAX_SPLIT_DEPTH && value !== null && typeof value === 'object' && isLarge(value, level)
      ? memberEntries(value)
      : [];
  if (entries.length === 0) {
    yield (JSON.stringify(value, null, 1) ?? 'null').replaceAll('\n', `\n${' '.repeat(level)}`);
    return;
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  let before = `${open ?? ''}\n`;
  for (const [name, member] of entries) {
    yield `${before}${' '.repeat(level + 1)}${name === null ? '' : `${JSON.stringify(name)}: `}`;
    yield* pieces(member, level + 1);
    before = ',\n';
  }
  yield `\n${' '.repeat(level)}${close ?? ''}`;
}

function isLarge(value: object, level: number): boolean {
  if (level < SMALL_LIST.level) return true;
  if (Array.isArray(value)) return value.length > SMALL_LIST.items;
  return Object.values(value).some(
    (member) => member !== null && typeof member === 'object' && isLarge(member as object, level),
  );
}

function memberEntries(value: object): [string | null, unknown][] {
  if (Array.isArray(value)) return value.map((item): [null, unknown] => [null, item]);
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** `identity` distinguishes uses of the action in one repository. */
export function commentMarker(checkName: string, identity = ''): string {
  return markerOf('comment', checkName, identity);
}

export function suggestionMarker(checkName: string, identity: string): string {
  return markerOf('fix', checkName, identity);
}

function markerOf(kind: 'comment' | 'fix', checkName: string, identity: string): string {
  const key = checkName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50);
  const words = ['evaldiff', kind, key === '' ? 'default' : key, identity].filter(Boolean);
  return `<!-- ${words.join(' ')} -->`;
}

export async function writeReports(
  result: Result,
  features: readonly ReportRow[],
  folder: OwnFolder,
  marker: string,
): Promise<void> {
  await folder.write('result.json', withNewline(jsonParts(result)));
  const { renderHtml } = await import('../../report/html.ts');
  const { renderJunit } = await import('../../report/junit.ts');
  const { renderComment } = await import('../../report/comment.ts');
  const reports = await loadReports(features);
  // Renders one report at a time, to save memory.
  await folder.write('report.html', inParts(await renderHtml(result, reports)));
  await folder.write('junit.xml', inParts(renderJunit(result, reports)));
  await folder.write('comment.md', renderComment(result, { marker, reports }));
}

function* inParts(text: string): Generator<string> {
  for (let start = 0, end; start < text.length; start = end) {
    end = start + CHUNK_CHARS;
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end += 1;
    yield text.slice(start, end);
  }
}

function* withNewline(parts: Iterable<string>): Generator<string> {
  yield* parts;
  yield '\n';
}

export async function writeRun(
  session: Pick<Session, 'features' | 'startedAt' | 'redact'>,
  { result, suites }: Evaluated,
  { folder, marker }: { folder: OwnFolder; marker: string },
): Promise<void> {
  const { features, startedAt, redact } = session;
  await writeReports(result, features, folder, marker);
  if (result.mode !== 'sweep') return;
  const { llmevalFiles } = await import('../../report/llmeval.ts');
  for (const { path, text } of llmevalFiles(result, redact(suites), startedAt))
    await folder.write(path, text);
}

/** If writing fails, returns null, so that the paid result can still be used. */
export async function fillFolder(
  path: string,
  { workTree }: Session,
  write: (folder: OwnFolder) => Promise<void>,
  failed: (reason: string) => void,
): Promise<string | null> {
  try {
    await write(await openFolder(path, workTree));
    return path;
  } catch (error) {
    failed(visibleErrorMessage(error));
    return null;
  }
}
