import { isDeepStrictEqual } from 'node:util';
import { shorten } from '../../text/visible.ts';
import type { Conclusion } from '../../types/plain.ts';
import {
  createCheckRun,
  externalId,
  nameStatus,
  passes,
  type CheckPlace,
  type OwnConclusion,
} from './check-run.ts';
import type { Client } from './client.ts';
import { fitBytes, fitMarkdown } from './fit.ts';
import { NOT_WANTED, publishFailureLine, hasStatus, type PublishResult } from './published.ts';
import { ownerAndName } from './pull.ts';

/** GitHub's limits. The summary's limit is counted in bytes, the stricter interpretation. */
export const MAX_SUMMARY_BYTES = 65_535;

/** GitHub takes this many in one request. The summary counts the others. */
export const MAX_ANNOTATIONS = 50;

const MAX_FIELD_BYTES = 65_536;

export const MAX_TITLE = 255;

const PERMISSION = 'checks: write';

/** Columns start at 1 and are only set for a single line. */
export interface CheckAnnotation {
  path: string;
  startLine: number;
  endLine: number;
  columns?: { start: number; end: number };
  level: 'notice' | 'warning' | 'failure';
  title: string;
  message: string;
  details?: string;
}

/** `headSha`: the head of the pull request, not the merge commit. */
export interface CheckJob extends CheckPlace {
  conclusion: Conclusion | 'cancelled';
  title: string;
  summary: string;
  annotations: readonly CheckAnnotation[];
  opened: OpenedCheck | null;
  detailsUrl: string | null;
  startedAt: Date;
  completedAt: Date;
  fork: boolean;
}

const CONCLUSIONS = {
  success: 'success',
  failure: 'failure',
  neutral: 'neutral',
  error: 'failure',
  cancelled: 'cancelled',
} as const satisfies Record<CheckJob['conclusion'], string>;

type CheckOutput = { title: string; summary: string };

export interface OpenedCheck {
  id: number;
}

type OpeningJob = CheckPlace & Pick<CheckJob, 'detailsUrl' | 'startedAt'>;

export async function openCheck(client: Client, job: OpeningJob): Promise<OpenedCheck | null> {
  if (job.name === '') return null;
  try {
    const id = await createCheckRun(client, {
      ...commonFields(job, 'running'),
      head_sha: job.headSha,
      status: 'in_progress',
      output: { title: 'Running', summary: RUNNING },
    });
    return { id };
  } catch {
    return null;
  }
}

const RUNNING =
  'The verdict appears here when the run ends. If the run stopped without one, run its job again.';

export async function publishCheck(client: Client, job: CheckJob): Promise<PublishResult> {
  if (job.name === '') return NOT_WANTED;
  const chosen = job.annotations.slice(0, MAX_ANNOTATIONS);
  const hidden = job.annotations.length - chosen.length;
  const note =
    hidden > 0 ? `${hidden} more annotation${hidden === 1 ? ' is' : 's are'} not shown here.` : '';
  const output = {
    title: shorten(job.title, MAX_TITLE),
    summary: fitMarkdown(job.summary, note, MAX_SUMMARY_BYTES),
  };
  try {
    const shown = await shownAs(client, job, output);
    return { ok: true, ...(await createWithFallback(client, shown, chosen)) };
  } catch (error) {
    const failed = 'The check run was not written';
    return { ok: false, warning: publishFailureLine(failed, PERMISSION, error, job.fork) };
  }
}

interface CheckDisplay extends CheckJob {
  output: CheckOutput;
  own: OwnConclusion;
  hidden: boolean;
}

/** A passing check run must never hide one that does not pass. */
async function shownAs(client: Client, job: CheckJob, output: CheckOutput): Promise<CheckDisplay> {
  const own = { ...job, output, own: job.conclusion, hidden: false };
  const { newest, blockedBy } = passes(job.conclusion)
    ? await nameStatus(client, job)
    : { newest: 0, blockedBy: null };
  if (blockedBy === null) return { ...own, hidden: newest > (job.opened?.id ?? 0) };
  const title = shorten(`Held back by ${blockedBy}: ${output.title}`, MAX_TITLE);
  const note =
    `On this commit, ${blockedBy} has written a check with the same name, which does not ` +
    'pass. Once it passes, run this job again. Jobs and workflows that evaluate different ' +
    'things need different check-names.';
  const summary = fitMarkdown(`${note}\n\n${output.summary}`, '', MAX_SUMMARY_BYTES);
  return { ...own, conclusion: 'failure', output: { title, summary } };
}

/**
 * GitHub rejects all annotations if one is invalid. If so, this retries without characters above
 * U+FFFF, and finally without annotations.
 */
async function createWithFallback(
  client: Client,
  job: CheckDisplay,
  annotations: readonly CheckAnnotation[],
): Promise<{ id: number; warnings: string[] }> {
  const whole = annotations.map(toSend);
  const plain = annotations.map(withoutAstral).map(toSend);
  let refusal: unknown = null;
  for (const sent of isDeepStrictEqual(plain, whole) ? [whole] : [whole, plain]) {
    try {
      return { id: await post(client, job, sent), warnings: [] };
    } catch (error) {
      if (!hasStatus(error, 422) || annotations.length === 0) throw error;
      refusal = error;
    }
  }
  const count = annotations.length;
  const failed = `${count} annotation${count === 1 ? ' was' : 's were'} not written`;
  return {
    id: await post(client, job, []),
    warnings: [publishFailureLine(failed, PERMISSION, refusal, job.fork)],
  };
}

function commonFields(
  { repository, name, owner, detailsUrl, startedAt }: OpeningJob,
  own: OwnConclusion,
) {
  return {
    ...ownerAndName(repository),
    name,
    external_id: externalId(owner, own),
    ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
    started_at: startedAt.toISOString(),
  };
}

async function post(
  client: Client,
  job: CheckDisplay,
  annotations: ReturnType<typeof toSend>[],
): Promise<number> {
  const body = {
    ...commonFields(job, job.own),
    status: 'completed' as const,
    conclusion: CONCLUSIONS[job.conclusion],
    completed_at: job.completedAt.toISOString(),
    output: { ...job.output, ...(annotations.length > 0 && { annotations }) },
  };
  if (job.opened !== null)
    try {
      await client.octokit.rest.checks.update({ ...body, check_run_id: job.opened.id });
      if (!job.hidden) return job.opened.id;
    } catch (error) {
      if (!hasStatus(error, 403) && !hasStatus(error, 404)) throw error;
    }
  const external_id = externalId(job.owner, job.own, job.opened?.id);
  return createCheckRun(client, { ...body, external_id, head_sha: job.headSha });
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

function withoutAstral({ title, message, details, ...place }: CheckAnnotation): CheckAnnotation {
  const text = (value: string): string =>
    value.replace(
      /[\u{10000}-\u{10FFFF}]/gu,
      (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
    );
  const shown = { ...place, title: text(title), message: text(message) };
  return details === undefined ? shown : { ...shown, details: text(details) };
}
