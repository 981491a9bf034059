import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { fenceAfter, type OpenFence } from '../../text/fences.ts';
import { shorten } from '../../text/visible.ts';
import type { Conclusion } from '../../types/plain.ts';
import { RETRIES, listAll, type Client } from './client.ts';
import {
  NOT_WANTED,
  hasStatus,
  isTransient,
  publishFailureLine,
  type PublishResult,
} from './published.ts';
import { ownerAndName, presentPull } from './pull.ts';

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
  const { newest, blockedBy } = isPassing(job.conclusion)
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
) {
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
  const text = (value: string) =>
    value.replace(
      /[\u{10000}-\u{10FFFF}]/gu,
      (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
    );
  const shown = { ...place, title: text(title), message: text(message) };
  return details === undefined ? shown : { ...shown, details: text(details) };
}

const CUT =
  'This summary is cut off. The whole report is in the job summary and in the report files.';

export function fitBytes(text: string, limit: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= limit) return text;
  let end = limit;
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.subarray(0, end).toString();
}

/** Removes whole lines from the end. Closes an open code fence. */
export function fitMarkdown(text: string, note: string, limit: number): string {
  const whole = note === '' ? text : `${text}\n\n${note}`;
  if (Buffer.byteLength(whole) <= limit) return whole;
  const tail = `\n\n${note === '' ? CUT : `${CUT} ${note}`}`;
  const kept: string[] = [];
  let used = Buffer.byteLength(tail);
  let fence: OpenFence | null = null;
  for (const line of text.split('\n')) {
    const next = fenceAfter(fence, line);
    const closing = next === null ? 0 : Buffer.byteLength(next.mark) + 1;
    if (used + Buffer.byteLength(line) + 1 + closing > limit) break;
    used += Buffer.byteLength(line) + 1;
    kept.push(line);
    fence = next;
  }
  if (kept.length === 0)
    return `${fitBytes(text.split('\n', 1)[0] ?? '', limit - Buffer.byteLength(tail))}${tail}`;
  return `${kept.join('\n')}${fence === null ? '' : `\n${fence.mark}`}${tail}`;
}

/** Stored in the check run's `external_id`, where other runs read it. */
interface CheckOwner {
  identity: string;
  workflowRun: string;
  attempt: string;
  pullRequest: number | null;
  /** The branch that the verdict is about. */
  base: string | null;
}

interface CheckPlace {
  repository: string;
  headSha: string;
  name: string;
  owner: CheckOwner;
  /**
   * True if a maintainer approved this run. It may then replace the check run of another workflow.
   */
  approved: boolean;
}

type OwnConclusion = Conclusion | 'cancelled' | 'running';

const MAX_BRANCH = 100;

/** `replaced`: id of the check run in progress that this one replaces. */
function externalId(owner: CheckOwner, own: OwnConclusion, replaced?: number): string {
  const { identity, workflowRun, attempt, pullRequest, base } = owner;
  const branch = base?.replace(/[^\w./-]/g, '_').slice(0, MAX_BRANCH) ?? '-';
  const parts = ['evaldiff', identity, workflowRun, attempt, pullRequest ?? '-', branch, own];
  return [...parts, ...(replaced === undefined ? [] : [replaced])].join(':');
}

const CheckRun = z.object({
  id: z.number().int(),
  status: z.string(),
  external_id: z.string().nullish(),
  started_at: z.string().nullish(),
});

interface WrittenRun extends CheckOwner {
  id: number;
  own: string;
  replaced: number | null;
  startedAt: string | null;
}

const EXTERNAL_ID =
  /^evaldiff:(?<identity>[^:]*):(?<workflowRun>[^:]*):(?<attempt>[^:]*):(?<pull>[^:]*):(?<base>[^:]*):(?<own>[^:]+)(?::(?<replaced>[^:]*))?/;

type Part = 'identity' | 'workflowRun' | 'attempt' | 'pull' | 'base' | 'own' | 'replaced';

function parseCheckRun(run: z.infer<typeof CheckRun>): WrittenRun | null {
  const found = EXTERNAL_ID.exec(run.external_id ?? '')?.groups;
  if (found === undefined) return null;
  const { pull, replaced, ...text } = found as Record<Part, string>;
  return {
    ...text,
    id: run.id,
    startedAt: run.started_at ?? null,
    pullRequest: /^\d{1,15}$/.test(pull) ? Number(pull) : null,
    replaced: Number(replaced) || null,
  };
}

async function listNamed(
  { octokit }: Client,
  { repository, headSha, name }: Pick<CheckPlace, 'repository' | 'headSha' | 'name'>,
): Promise<z.infer<typeof CheckRun>[]> {
  const of = {
    ...ownerAndName(repository),
    ref: headSha,
    check_name: name,
    filter: 'all' as const,
  };
  return listAll(CheckRun, async (page) => {
    const { data, headers } = await octokit.rest.checks.listForRef({ ...of, ...page });
    return { data: data.check_runs, headers };
  });
}

/** The oldest first. */
export async function checkRunsOf(client: Client, place: CheckPlace): Promise<WrittenRun[]> {
  const runs = (await listNamed(client, place)).flatMap((run) => parseCheckRun(run) ?? []);
  return runs.sort((a, b) => a.id - b.id);
}

/** `blockedBy`: whose check does not pass; null: the name is free. */
async function nameStatus(client: Client, place: CheckPlace & { opened: { id: number } | null }) {
  const runs = await checkRunsOf(client, place);
  const ended = new Set([place.opened?.id, ...runs.map(({ replaced }) => replaced)]);
  const { identity, workflowRun, attempt, pullRequest } = place.owner;
  // Another matrix job with the same identity has not passed. It may be running and still fail.
  const isOpenTwin = (run: WrittenRun) =>
    run.workflowRun === workflowRun &&
    run.attempt === attempt &&
    run.identity === identity &&
    run.pullRequest === pullRequest &&
    !isPassing(run.own);
  const blockedBy = runs.some((run) => !ended.has(run.id) && isOpenTwin(run))
    ? 'another run of this job'
    : await blockerOf(client, runs, place);
  return { newest: runs.at(-1)?.id ?? 0, blockedBy };
}

async function blockerOf(
  client: Client,
  runs: readonly WrittenRun[],
  place: CheckPlace,
): Promise<string | null> {
  const { owner, repository, headSha } = place;
  const latest = new Map(runs.map((run) => [`${run.identity} ${run.pullRequest}`, run]));
  for (const run of latest.values()) {
    const { own, pullRequest: number } = run;
    if (isPassing(own)) continue;
    if (number === null || number === owner.pullRequest) {
      if (run.identity !== owner.identity && !place.approved) return 'another job or workflow';
    } else {
      const { state, head } = await presentPull(client, repository, number);
      if (state === 'open' && head.sha === headSha) return `#${number}`;
    }
  }
  return null;
}

function isPassing(own: string): boolean {
  return own === 'success' || own === 'neutral';
}

type Creation = Parameters<Client['octokit']['rest']['checks']['create']>[0];

const Created = z.object({ id: z.number().int() });

/** If GitHub's answer is lost, looks for the check run before creating another. */
async function createCheckRun(client: Client, given: NonNullable<Creation>): Promise<number> {
  const { octokit } = client;
  const repository = `${given.owner}/${given.repo}`;
  for (let retries = 0; ; retries += 1) {
    try {
      const request = { retries: 0 };
      return Created.parse((await octokit.rest.checks.create({ ...given, request })).data).id;
    } catch (error) {
      if (retries === RETRIES || !isTransient(error)) throw error;
      const place = { repository, headSha: given.head_sha, name: given.name };
      const made = (await listNamed(client, place)).find(
        (run) => run.external_id === given.external_id && run.status === given.status,
      );
      if (made !== undefined) return made.id;
    }
  }
}
