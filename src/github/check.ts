import { z } from 'zod';
import { fenceAfter, type OpenFence } from '../text/fences.ts';
import { shorten } from '../text/visible.ts';
import type { Conclusion } from '../types/plain.ts';
import type { Client } from './client.ts';
import { failureLine, hasStatus, type PublishAttempt, type Published } from './published.ts';
import { ownerAndName } from './pull.ts';

const CUT = 'This summary is cut; the whole report is in the job summary and in the report files.';

const bytes = (text: string): number => Buffer.byteLength(text, 'utf8');

/** `text` in at most `limit` bytes of UTF-8, never ending within a character. */
export function fitBytes(text: string, limit: number): string {
  const encoded = Buffer.from(text, 'utf8');
  if (encoded.length <= limit) return text;
  let end = limit;
  // A byte of the form 10xxxxxx continues the character before it.
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.subarray(0, end).toString('utf8');
}

/**
 * Markdown in at most `limit` bytes: `note` (may be empty) goes below it as a paragraph, and what
 * does not fit is left out from the end by whole lines, with a sentence that says so. A code fence
 * that the cut leaves open is closed, else the sentence would be part of the code.
 */
export function fitMarkdown(text: string, note: string, limit: number): string {
  const whole = note === '' ? text : `${text}\n\n${note}`;
  if (bytes(whole) <= limit) return whole;
  const tail = `\n\n${note === '' ? CUT : `${CUT} ${note}`}`;
  const kept: string[] = [];
  let used = bytes(tail);
  let fence: OpenFence | null = null;
  for (const line of text.split('\n')) {
    const next = fenceAfter(fence, line);
    const closing = next === null ? 0 : bytes(next.mark) + 1;
    if (used + bytes(line) + 1 + closing > limit) break;
    used += bytes(line) + 1;
    kept.push(line);
    fence = next;
  }
  if (kept.length === 0)
    return `${fitBytes(text.split('\n', 1)[0] ?? '', limit - bytes(tail))}${tail}`;
  return `${kept.join('\n')}${fence === null ? '' : `\n${fence.mark}`}${tail}`;
}

/**
 * GitHub's limits: annotations of one request, and the size of a summary. It is counted in bytes
 * here, which suits either reading.
 */
const MAX_ANNOTATIONS_PER_REQUEST = 50;

export const MAX_SUMMARY_BYTES = 65_535;

/** Ours: more would cost requests and be read by nobody. */
export const MAX_ANNOTATIONS = 100;

const MAX_FIELD_BYTES = 65_536;

const MAX_TITLE = 255;

/**
 * A remark on lines of a file of the pull request. Columns count from 1 and are given only where
 * the lines are one.
 */
export interface CheckAnnotation {
  /** From the root of the repository. */
  path: string;
  /** From 1, inclusive. */
  startLine: number;
  endLine: number;
  columns?: { start: number; end: number };
  level: 'notice' | 'warning' | 'failure';
  title: string;
  message: string;
  details?: string;
}

export interface CheckJob {
  repository: string;
  /** The pull request's head: where branch protection looks, unlike at the merge commit. */
  headSha: string;
  /** Empty: no check run is wanted. */
  name: string;
  conclusion: Conclusion;
  title: string;
  summary: string;
  annotations: readonly CheckAnnotation[];
  /** Tells our check from one of the same name by another workflow. */
  externalId: string;
  /** The run's page. */
  detailsUrl: string | null;
  startedAt: Date;
  completedAt: Date;
  /** The pull request is from a fork or by Dependabot. */
  fork: boolean;
}

const CONCLUSIONS = {
  success: 'success',
  failure: 'failure',
  neutral: 'neutral',
  error: 'failure',
} as const satisfies Record<Conclusion, string>;

const Created = z.object({ id: z.number().int() });

type Sent = ReturnType<typeof toSend>;

type Output = { title: string; summary: string };

/**
 * Writes a check run on head, completed from its first request on: a run that is left in progress
 * by a lost job blocks the pull request, and the workflow's token may not be able to complete one
 * later. More than 50 annotations follow by requests that carry nothing but output, which GitHub
 * appends. Never throws; `id` is null when no check is wanted.
 */
export async function publishCheck(client: Client, job: CheckJob): Promise<Published> {
  if (job.name === '') return { ok: true, id: null, warnings: [] };
  const attempt = {
    failed: 'The check run was not written',
    permission: 'checks: write',
    fork: job.fork,
  };
  const chosen = job.annotations.slice(0, MAX_ANNOTATIONS);
  const hidden = job.annotations.length - chosen.length;
  const note =
    hidden > 0 ? `${hidden} more annotation${hidden === 1 ? ' is' : 's are'} not shown here.` : '';
  const output = {
    title: shorten(job.title, MAX_TITLE),
    summary: fitMarkdown(job.summary, note, MAX_SUMMARY_BYTES),
  };
  try {
    const { id, sent, warnings } = await create(client, job, output, chosen.map(toSend));
    const left = await append(client, job, output, id, sent.slice(MAX_ANNOTATIONS_PER_REQUEST));
    return { ok: true, id, warnings: [...warnings, ...left] };
  } catch (error) {
    return { ok: false, warning: failureLine(attempt, error) };
  }
}

interface Creation {
  id: number;
  sent: Sent[];
  warnings: string[];
}

/**
 * One annotation that GitHub dislikes makes it refuse the whole check. So a refusal is answered
 * with less: first without characters beyond U+FFFF, which its annotations have refused before,
 * then without annotations.
 */
async function create(
  client: Client,
  job: CheckJob,
  output: Output,
  annotations: Sent[],
): Promise<Creation> {
  const plain = annotations.map(withoutAstral);
  let refusal: unknown = null;
  for (const sent of JSON.stringify(plain) === JSON.stringify(annotations)
    ? [annotations]
    : [annotations, plain]) {
    try {
      return { id: await post(client, job, output, sent), sent, warnings: [] };
    } catch (error) {
      if (!hasStatus(error, 422) || annotations.length === 0) throw error;
      refusal = error;
    }
  }
  return {
    id: await post(client, job, output, []),
    sent: [],
    warnings: [failureLine(annotationsFailed(job, annotations.length), refusal)],
  };
}

async function post(
  { octokit }: Client,
  job: CheckJob,
  output: Output,
  annotations: Sent[],
): Promise<number> {
  const reply = await octokit.rest.checks.create({
    ...ownerAndName(job.repository),
    name: job.name,
    head_sha: job.headSha,
    status: 'completed',
    conclusion: CONCLUSIONS[job.conclusion],
    external_id: job.externalId,
    ...(job.detailsUrl === null ? {} : { details_url: job.detailsUrl }),
    started_at: job.startedAt.toISOString(),
    completed_at: job.completedAt.toISOString(),
    output: {
      ...output,
      ...(annotations.length === 0
        ? {}
        : { annotations: annotations.slice(0, MAX_ANNOTATIONS_PER_REQUEST) }),
    },
  });
  return Created.parse(reply.data).id;
}

/** What cannot be appended is a warning: the check itself stands, with its conclusion. */
async function append(
  { octokit }: Client,
  job: CheckJob,
  output: Output,
  id: number,
  annotations: Sent[],
): Promise<string[]> {
  for (let start = 0; start < annotations.length; start += MAX_ANNOTATIONS_PER_REQUEST) {
    const batch = annotations.slice(start, start + MAX_ANNOTATIONS_PER_REQUEST);
    try {
      await octokit.rest.checks.update({
        ...ownerAndName(job.repository),
        check_run_id: id,
        output: { ...output, annotations: batch },
      });
    } catch (error) {
      return [failureLine(annotationsFailed(job, annotations.length - start), error)];
    }
  }
  return [];
}

function annotationsFailed(job: CheckJob, count: number): PublishAttempt {
  return {
    failed: `${count} annotation${count === 1 ? ' was' : 's were'} not written`,
    permission: 'checks: write',
    fork: job.fork,
  };
}

function toSend(annotation: CheckAnnotation) {
  const { path, startLine, endLine, columns, level, title, message, details } = annotation;
  return {
    path,
    start_line: startLine,
    end_line: endLine,
    ...(columns !== undefined && startLine === endLine
      ? { start_column: columns.start, end_column: columns.end }
      : {}),
    annotation_level: level,
    title: shorten(title, MAX_TITLE),
    message: fitBytes(message, MAX_FIELD_BYTES),
    ...(details === undefined ? {} : { raw_details: fitBytes(details, MAX_FIELD_BYTES) }),
  };
}

function withoutAstral(annotation: Sent): Sent {
  const text = (value: string) =>
    value.replace(
      /[\u{10000}-\u{10FFFF}]/gu,
      (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
    );
  return {
    ...annotation,
    title: shorten(text(annotation.title), MAX_TITLE),
    message: fitBytes(text(annotation.message), MAX_FIELD_BYTES),
    ...(annotation.raw_details === undefined
      ? {}
      : { raw_details: fitBytes(text(annotation.raw_details), MAX_FIELD_BYTES) }),
  };
}
