import { z } from 'zod';
import { firstWords } from '../../text/amounts.ts';
import { listAll, tokenIdentity, type Client, type Identity } from './client.ts';
import {
  NOT_WANTED,
  account,
  publishFailureLine,
  hasStatus,
  type PublishResult,
} from './published.ts';
import { currentHead, ownerAndName } from './pull.ts';

const PERMISSION = 'pull-requests: write';

export interface CommentJob {
  repository: string;
  pullRequest: number;
  /** A comment about a different commit is never overwritten. */
  headSha: string;
  marker: string;
  body: string;
  /** Only `always` creates a comment that is not `wanted`. An existing one is always updated. */
  mode: 'auto' | 'findings' | 'always' | 'never';
  wanted: boolean;
  fork: boolean;
  announced: OwnComments | null;
  /** Replaces the "running" comment if the pull request has a newer head commit. */
  superseded: string;
}

export interface OwnComments {
  self: Identity;
  own: Comment[];
  body: string;
}

export async function announceRun(
  client: Client,
  job: Pick<CommentJob, 'repository' | 'pullRequest' | 'marker' | 'body'>,
  isCurrent: boolean,
): Promise<OwnComments | null> {
  try {
    const self = await tokenIdentity(client);
    const { own } = await find(client, job, self);
    const [newest, ...older] = own;
    if (newest === undefined || !isCurrent) return { self, own, body: job.body };
    await update(client, job, newest);
    return { self, own: [{ ...newest, body: job.body }, ...older], body: job.body };
  } catch {
    return null;
  }
}

export const Comment = z.object({
  id: z.number().int(),
  body: z.string().nullish(),
  user: z.object({ login: z.string(), id: z.number() }).nullish(),
});

type Comment = z.infer<typeof Comment>;

const CreatedComment = z.object({ id: z.number().int() });

/** A comment is ours only if the token's account wrote it, because anyone can write the marker. */
export async function publishComment(client: Client, job: CommentJob): Promise<PublishResult> {
  if (job.mode === 'never') return NOT_WANTED;
  try {
    return await upsert(client, job);
  } catch (error) {
    const failed = 'The comment was not written';
    return { ok: false, warning: publishFailureLine(failed, PERMISSION, error, job.fork) };
  }
}

async function upsert(client: Client, job: CommentJob): Promise<PublishResult> {
  const { announced } = job;
  const self = announced?.self ?? (await tokenIdentity(client));
  const { own, warnings } =
    announced !== null && announced.own.length > 0
      ? { own: announced.own, warnings: [] }
      : await find(client, job, self);
  const [newest] = own;
  if (newest === undefined && job.mode !== 'always' && !job.wanted)
    return { ok: true, id: null, warnings };
  const head = await currentHead(client, job.repository, job.pullRequest);
  if (head !== job.headSha) {
    await supersede(client, job, self);
    return { ok: false, warning: staleWarning(job, head) };
  }
  const updated = newest === undefined ? null : await update(client, job, newest);
  if (updated === null) return createComment(client, job, self, warnings);
  const left = await remove(client, job, own.slice(1));
  return { ok: true, id: updated, warnings: [...warnings, ...left] };
}

async function supersede(client: Client, job: CommentJob, self: Identity): Promise<void> {
  if (job.announced === null) return;
  const [newest] = (await find(client, job, self)).own;
  if (newest !== undefined && sameText(newest.body ?? '', job.announced.body))
    await update(client, { ...job, body: job.superseded }, newest);
}

function staleWarning(job: CommentJob, head: string): string {
  const now = /^[0-9a-f]+$/.test(head) ? head.slice(0, 7) : 'another commit';
  return (
    `The comment was not written: it is about ${job.headSha.slice(0, 7)}, ` +
    `but the pull request is at ${now} by now.`
  );
}

async function find(
  { octokit }: Client,
  job: Pick<CommentJob, 'repository' | 'pullRequest' | 'marker'>,
  self: Identity,
): Promise<{ own: Comment[]; warnings: string[] }> {
  const of = { ...ownerAndName(job.repository), issue_number: job.pullRequest };
  const marked = await listAll(
    Comment,
    (page) => octokit.rest.issues.listComments({ ...of, ...page }),
    ({ body }) => body?.trimStart().startsWith(job.marker) === true,
  );
  const own = marked.filter((comment) => isOwn(comment, self)).sort((a, b) => b.id - a.id);
  const others = marked
    .filter((comment) => !isOwn(comment, self))
    .map(({ user }) => (user ? account(user.login) : 'a deleted account'));
  if (others.length === 0) return { own, warnings: [] };
  const warning =
    `A comment by ${firstWords([...new Set(others)], 3)} contains the marker of this report, but ` +
    'evaldiff did not write it. It was not changed.';
  return { own, warnings: [warning] };
}

/** Apps have logins such as `name[bot]`. A user's login cannot contain brackets. */
export function isOwn({ user }: Pick<Comment, 'user'>, self: Identity): boolean {
  if (!user) return false;
  return user.login.toLowerCase() === self.login.toLowerCase() || user.id === self.id;
}

async function update(
  { octokit }: Client,
  job: Pick<CommentJob, 'repository' | 'body'>,
  comment: Comment,
): Promise<number | null> {
  if (sameText(comment.body ?? '', job.body)) return comment.id;
  try {
    await octokit.rest.issues.updateComment({
      ...ownerAndName(job.repository),
      comment_id: comment.id,
      body: job.body,
    });
    return comment.id;
  } catch (error) {
    if (hasStatus(error, 404)) return null;
    throw error;
  }
}

export function sameText(a: string, b: string): boolean {
  return a.replaceAll('\r\n', '\n').trimEnd() === b.replaceAll('\r\n', '\n').trimEnd();
}

/**
 * A concurrent run may create a comment, too. Each run removes only comments older than its own.
 */
async function createComment(
  client: Client,
  job: CommentJob,
  self: Identity,
  warnings: string[],
): Promise<PublishResult> {
  const reply = await client.octokit.rest.issues.createComment({
    ...ownerAndName(job.repository),
    issue_number: job.pullRequest,
    body: job.body,
  });
  const { id } = CreatedComment.parse(reply.data);
  try {
    const { own } = await find(client, job, self);
    const others = own.filter((comment) => comment.id !== id);
    if (others.length === 0) return { ok: true, id, warnings };
    const head = await currentHead(client, job.repository, job.pullRequest);
    if (head !== job.headSha) {
      await remove(client, job, [{ id }]);
      return { ok: false, warning: staleWarning(job, head) };
    }
    const left = await remove(
      client,
      job,
      others.filter((comment) => comment.id < id),
    );
    return { ok: true, id, warnings: [...warnings, ...left] };
  } catch (error) {
    const failed = 'The comment was written, but older comments of evaldiff may remain';
    const warning = publishFailureLine(failed, PERMISSION, error, job.fork);
    return { ok: true, id, warnings: [...warnings, warning] };
  }
}

async function remove(
  { octokit }: Client,
  job: CommentJob,
  comments: { id: number }[],
): Promise<string[]> {
  const warnings: string[] = [];
  for (const { id } of comments) {
    try {
      await octokit.rest.issues.deleteComment({ ...ownerAndName(job.repository), comment_id: id });
    } catch (error) {
      const failed = `Our outdated comment ${id} was not removed`;
      if (!hasStatus(error, 404))
        warnings.push(publishFailureLine(failed, PERMISSION, error, job.fork));
    }
  }
  return warnings;
}

const Issue = Comment.omit({ id: true }).extend({ number: z.number().int() });

/** GitHub creates a missing label. */
const LABEL = 'evaldiff-drift';

interface OwnIssue {
  repository: string;
  marker: string;
  title: string;
  /** `open`: the open issue's, or empty. */
  body(open: string): string;
}

/** Changes the open issue with the marker. Adds no comment, because GitHub would send mail about it. */
export async function upsertIssue(
  client: Client,
  { repository, marker, title, body }: OwnIssue,
): Promise<PublishResult> {
  const { issues } = client.octokit.rest;
  const of = ownerAndName(repository);
  try {
    const self = await tokenIdentity(client);
    const [open] = await listAll(
      Issue,
      (page) => issues.listForRepo({ ...of, state: 'open', labels: LABEL, ...page }),
      (issue) => isOwn(issue, self) && issue.body?.startsWith(marker) === true,
    );
    const own = { ...of, title, body: body(open?.body ?? '') };
    const { data } =
      open === undefined
        ? await issues.create({ ...own, labels: [LABEL] })
        : await issues.update({ ...own, issue_number: open.number });
    return { ok: true, id: data.number, warnings: [] };
  } catch (error) {
    const failed = 'The issue about the change was not written';
    return { ok: false, warning: publishFailureLine(failed, 'issues: write', error, false) };
  }
}
