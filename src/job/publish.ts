import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ChangedFile, EventFacts, Result } from '../types.ts';
import { withheldFrom } from '../core/select/trust.ts';
import { publishCheck } from '../github/check.ts';
import type { Client } from '../github/client.ts';
import { publishComment, type CommentMode } from '../github/comment.ts';
import type { Published } from '../github/published.ts';
import { annotations } from '../report/annotations.ts';
import { renderComment } from '../report/comment.ts';
import { renderHtml } from '../report/html/html.ts';
import { jsonParts } from '../report/json.ts';
import { renderJunit } from '../report/junit.ts';
import type { LlmevalFile } from '../report/runs/llmeval.ts';
import type { Links } from '../report/markdown.ts';
import { checkSummary, checkTitle, renderSummary } from '../report/summary.ts';

/**
 * The hidden first line of our comment; one per name of the check, so that two uses in one
 * repository keep apart.
 */
export function commentMarker(checkName: string): string {
  const key = checkName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50);
  return `<!-- evaldiff comment ${key === '' ? 'default' : key} -->`;
}

/**
 * Writes the files of a report into a folder; everything in them is rendered from the result alone.
 */
export async function writeReports(result: Result, folder: string, marker: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'result.json'), withNewline(jsonParts(result)));
  // One after the other, so that a large one is gone before the next is made.
  await writeFile(join(folder, 'report.html'), inParts(await renderHtml(result)));
  await writeFile(join(folder, 'junit.xml'), inParts(renderJunit(result)));
  await writeFile(join(folder, 'comment.md'), renderComment(result, { marker }));
}

/** A long text in parts: turned into bytes as a whole it would be in memory twice. */
function* inParts(text: string): Generator<string> {
  for (let [start, end] = [0, 0]; start < text.length; start = end) {
    end = start + PART;
    // A character of two units is not taken apart.
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end += 1;
    yield text.slice(start, end);
  }
}

const PART = 1 << 16;

function* withNewline(parts: Iterable<string>): Generator<string> {
  yield* parts;
  yield '\n';
}

/** Writes the files of a run in llmeval's layout below the folder of reports. */
export async function writeRunReports(files: Iterable<LlmevalFile>, folder: string): Promise<void> {
  for (const { path, text } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

export interface PublishJob {
  client: Client;
  facts: EventFacts;
  result: Result;
  changed: readonly ChangedFile[];
  /** The project's folder below the repository's root, POSIX, '' for the root itself. */
  workingDirectory: string;
  comment: CommentMode;
  checkName: string;
  /** Where the job summary goes; null: nowhere. */
  summaryPath: string | null;
  links: Links;
  runId: string;
  startedAt: Date;
  completedAt: Date;
}

export interface PublishedIds {
  commentId: number | null;
  checkRunId: number | null;
  warnings: string[];
}

/** Puts a result everywhere it belongs. A surface that fails is a warning; the verdict stands. */
export async function publish(job: PublishJob): Promise<PublishedIds> {
  const [comment, check, summary] = await Promise.all([
    postComment(job),
    postCheck(job),
    writeSummary(job),
  ]);
  return {
    commentId: idOf(comment),
    checkRunId: idOf(check),
    warnings: [comment, check]
      .flatMap((published) => (published.ok ? published.warnings : [published.warning]))
      .concat(summary),
  };
}

function idOf(published: Published): number | null {
  return published.ok ? published.id : null;
}

async function postComment({
  client,
  facts,
  result,
  comment,
  checkName,
  links,
}: PublishJob): Promise<Published> {
  if (facts.pullRequest === null || facts.head === null)
    return { ok: true, id: null, warnings: [] };
  const marker = commentMarker(checkName);
  return publishComment(client, {
    repository: facts.repository,
    pullRequest: facts.pullRequest,
    headSha: facts.head,
    marker,
    mode: comment,
    fork: withheldFrom(facts) !== null,
    body: renderComment(result, { marker, links }),
    ran: result.suites.length > 0 || result.graders.length > 0 || result.problems.length > 0,
  });
}

async function postCheck({
  client,
  facts,
  result,
  changed,
  workingDirectory,
  checkName,
  links,
  runId,
  startedAt,
  completedAt,
}: PublishJob): Promise<Published> {
  if (facts.head === null) return { ok: true, id: null, warnings: [] };
  return publishCheck(client, {
    repository: facts.repository,
    headSha: facts.head,
    name: checkName,
    conclusion: result.conclusion,
    title: checkTitle(result),
    summary: checkSummary(result, undefined, links),
    annotations: annotations(result, changed, workingDirectory),
    externalId: `evaldiff-${runId}`,
    detailsUrl: links.run,
    startedAt,
    completedAt,
    fork: withheldFrom(facts) !== null,
  });
}

async function writeSummary({ result, summaryPath, links }: PublishJob): Promise<string[]> {
  if (summaryPath === null) return [];
  try {
    await appendFile(summaryPath, renderSummary(result, undefined, links));
    return [];
  } catch (error) {
    return [
      `The job summary could not be written: ${error instanceof Error ? error.message : String(error)}`,
    ];
  }
}
