import { z } from 'zod';
import { listAll, tokenIdentity, type Client } from './client.ts';
import { Comment, isOwn, sameText } from './comment.ts';
import { publishFailureLine, hasStatus } from './published.ts';
import { currentHead, ownerAndName } from './pull.ts';

export interface ReviewSuggestion {
  path: string;
  startLine: number;
  endLine: number;
  body: string;
}

export interface SuggestionJob {
  repository: string;
  pullRequest: number;
  headSha: string;
  marker: string;
  suggestions: readonly ReviewSuggestion[];
  fork: boolean;
}

const ReviewComment = Comment.extend({
  path: z.string(),
  line: z.number().int().nullish(),
  start_line: z.number().int().nullish(),
  in_reply_to_id: z.number().int().nullish(),
});

type ReviewComment = z.infer<typeof ReviewComment>;

const PERMISSION = 'pull-requests: write';

/** Never throws; returns warnings. */
export async function publishSuggestions(client: Client, job: SuggestionJob): Promise<string[]> {
  try {
    return await keep(client, job);
  } catch (error) {
    const isClosed = hasStatus(error, 403) || hasStatus(error, 404);
    // If the token may not read comments, it cannot have written suggestions.
    if (job.suggestions.length === 0 && isClosed) return [];
    const failed = 'Suggested fixes were not posted on their lines';
    return [publishFailureLine(failed, PERMISSION, error, job.fork)];
  }
}

async function keep(client: Client, job: SuggestionJob): Promise<string[]> {
  const { marked, replied } = await findRemarks(client, job);
  if (marked.length === 0 && job.suggestions.length === 0) return [];
  const self = await tokenIdentity(client);
  if ((await currentHead(client, job.repository, job.pullRequest)) !== job.headSha) return [];
  const left = marked.filter((comment) => isOwn(comment, self));
  const warnings: string[] = [];
  for (const suggestion of job.suggestions) {
    const at = left.findIndex(
      ({ path, line, start_line: start }) =>
        path === suggestion.path &&
        line === suggestion.endLine &&
        (start ?? line) === suggestion.startLine,
    );
    const [there] = at < 0 ? [] : left.splice(at, 1);
    warnings.push(...(await put(client, job, suggestion, there)));
  }
  for (const comment of left) await withdraw(client, job, comment, replied.has(comment.id));
  return warnings;
}

async function findRemarks(
  { octokit }: Client,
  { repository, pullRequest, marker }: SuggestionJob,
): Promise<{ marked: ReviewComment[]; replied: ReadonlySet<number> }> {
  const of = { ...ownerAndName(repository), pull_number: pullRequest };
  const all = await listAll(ReviewComment, (page) =>
    octokit.rest.pulls.listReviewComments({ ...of, ...page }),
  );
  const marked = all.filter(
    ({ body, in_reply_to_id: answered }) => !answered && body?.trimStart().startsWith(marker),
  );
  const replied = new Set(all.map(({ in_reply_to_id: answered }) => answered ?? 0));
  return { marked: marked.sort((a, b) => b.id - a.id), replied };
}

async function put(
  { octokit }: Client,
  job: SuggestionJob,
  { path, startLine, endLine, body }: ReviewSuggestion,
  there: ReviewComment | undefined,
): Promise<string[]> {
  const of = ownerAndName(job.repository);
  if (there !== undefined) {
    if (!sameText(there.body ?? '', body))
      await octokit.rest.pulls.updateReviewComment({ ...of, comment_id: there.id, body });
    return [];
  }
  try {
    await octokit.rest.pulls.createReviewComment({
      ...of,
      pull_number: job.pullRequest,
      commit_id: job.headSha,
      path,
      side: 'RIGHT',
      line: endLine,
      // GitHub rejects a start line that equals the end line.
      ...(startLine < endLine ? { start_line: startLine, start_side: 'RIGHT' as const } : {}),
      body,
    });
    return [];
  } catch (error) {
    if (!hasStatus(error, 422)) throw error;
    const failed = `A suggested fix is only in the comment, not on line ${endLine} of its file`;
    return [publishFailureLine(failed, PERMISSION, error, job.fork)];
  }
}

/** Keeps suggestions that have replies, because the replies refer to them. */
async function withdraw(
  { octokit }: Client,
  { repository, marker }: SuggestionJob,
  { id, body }: ReviewComment,
  hasReply: boolean,
): Promise<void> {
  const of = { ...ownerAndName(repository), comment_id: id };
  const words = `${marker}\nWithdrawn: this fix no longer applies to the pull request's head.\n`;
  try {
    if (!hasReply) await octokit.rest.pulls.deleteReviewComment(of);
    else if (!sameText(body ?? '', words))
      await octokit.rest.pulls.updateReviewComment({ ...of, body: words });
  } catch (error) {
    // The comment was already deleted.
    if (!hasStatus(error, 404)) throw error;
  }
}
