import type { Result } from '../../kernel/result/result.ts';
import { loadReports, type ReportRow } from '../../report/sections/feature-report.ts';
import { openFolder, visibleErrorMessage, type OwnFolder } from './safe-writing.ts';
import type { Evaluated, Session } from './session.ts';

/**
 * Parts are gathered to about this many letters: one write for each would cost more than the text.
 */
const CHUNK_CHARS = 1 << 16;

/** Levels that are taken apart; what lies below them is small. */
const MAX_SPLIT_DEPTH = 6;

/** From this level on, a reference, only what has a list of more items than these is taken apart. */
const SMALL_LIST = { level: 4, items: 64 };

/**
 * The text of `JSON.stringify(value, null, 1)` in parts, so that a result of a hundred thousand
 * tries is never one text in memory. The same bytes.
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

/**
 * The hidden first line of our comment. `identity` is a hash of what the run is about (`''` outside
 * of a job), so that two uses in one repository keep apart.
 */
export function commentMarker(checkName: string, identity = ''): string {
  return markerOf('comment', checkName, identity);
}

/** What our remarks on the lines of a fix begin with. */
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

/**
 * Writes the files of a report into a folder; everything in them is rendered from the result alone.
 */
export async function writeReports(
  result: Result,
  features: readonly ReportRow[],
  folder: OwnFolder,
  marker: string,
): Promise<void> {
  await folder.write('result.json', withNewline(jsonParts(result)));
  // What renders is loaded when there is something to show: a start is shorter by it.
  const { renderHtml } = await import('../../report/page/page.ts');
  const { renderJunit } = await import('../../report/junit.ts');
  const { renderComment } = await import('../../report/comment.ts');
  const reports = await loadReports(features);
  // One after the other, so that a large one is gone before the next is made.
  await folder.write('report.html', inParts(await renderHtml(result, reports)));
  await folder.write('junit.xml', inParts(renderJunit(result, reports)));
  await folder.write('comment.md', renderComment(result, { marker, reports }));
}

/** A long text in parts: turned into bytes as a whole it would be in memory twice. */
function* inParts(text: string): Generator<string> {
  for (let [start, end] = [0, 0]; start < text.length; start = end) {
    end = start + CHUNK_CHARS;
    // A character of two units is not taken apart.
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end += 1;
    yield text.slice(start, end);
  }
}

function* withNewline(parts: Iterable<string>): Generator<string> {
  yield* parts;
  yield '\n';
}

/** Writes the reports of a run; a sweep's tries in llmeval's layout too. */
export async function writeRun(
  { features, startedAt, redact }: Pick<Session, 'features' | 'startedAt' | 'redact'>,
  { result, suites }: Evaluated,
  folder: OwnFolder,
  marker: string,
): Promise<void> {
  await writeReports(result, features, folder, marker);
  if (result.mode !== 'sweep') return;
  const { llmevalFiles } = await import('../../report/llmeval.ts');
  for (const { path, text } of llmevalFiles(result, redact(suites), startedAt))
    await folder.write(path, text);
}

/**
 * Has `write` fill the folder of reports. What keeps it from that is told to `failed` and costs the
 * files alone: the result was paid for. The folder's path; null where it could not be filled.
 */
export async function fillFolder(
  path: string,
  { ground }: Pick<Session, 'ground'>,
  write: (folder: OwnFolder) => Promise<void>,
  failed: (reason: string) => void,
): Promise<string | null> {
  try {
    await write(await openFolder(path, ground));
    return path;
  } catch (error) {
    failed(visibleErrorMessage(error));
    return null;
  }
}
