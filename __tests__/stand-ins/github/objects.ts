/**
 * Converts state to API objects with the fields that GitHub's description requires and the fields
 * that evaldiff reads.
 */
import { sampleOf } from './description.ts';
import type {
  Account,
  CheckRun,
  Comment,
  Issue,
  Pull,
  PullEvent,
  ReviewComment,
  State,
} from './state.ts';

type Wire = Record<string, unknown>;
const SITE = 'https://github.example';

export const userObject = ({ login, id, type }: Account): Wire => ({
  ...sampleOf('simple-user'),
  login,
  id,
  type,
  node_id: `U_${id}`,
  html_url: `${SITE}/${encodeURIComponent(login)}`,
});

function repositoryObject(state: State, fullName: string): Wire {
  const [owner = '', name = ''] = fullName.split('/');
  return {
    ...sampleOf('repository'),
    name,
    full_name: fullName,
    private: state.private,
    fork: fullName !== state.repository,
    owner: userObject({ login: owner, id: 1000 + owner.length, type: 'Organization' }),
    html_url: `${SITE}/${fullName}`,
    default_branch: 'main',
  };
}

export function pullObject(api: string, state: State, pull: Pull): Wire {
  const { number, title, locked, body = null } = pull;
  const side = ({ ref, sha }: { ref: string; sha: string }, repository: string | null) => ({
    label: `${repository?.split('/')[0] ?? 'unknown'}:${ref}`,
    ref,
    sha,
    user: userObject(pull.user),
    repo: repository === null ? null : repositoryObject(state, repository),
  });
  return {
    ...sampleOf('pull-request-simple'),
    id: 400_000 + number,
    number,
    state: pull.state,
    title,
    locked,
    body,
    user: userObject(pull.user),
    url: `${api}/repos/${state.repository}/pulls/${number}`,
    html_url: `${SITE}/${state.repository}/pull/${number}`,
    base: side(pull.base, state.repository),
    head: side(pull.head, pull.head.repository),
    labels: pull.labels.map((name, index) => ({
      id: 5000 + index,
      node_id: `L_${index}`,
      url: `${api}/labels/${index}`,
      name,
      color: 'ededed',
      default: false,
      description: pull.labelDescriptions?.[name] ?? '',
    })),
  };
}

export const pullEventObject = ({ event, at, actor, label }: PullEvent, index: number): Wire => ({
  id: 9000 + index,
  node_id: `E_${index}`,
  url: `${SITE}/events/${index}`,
  event,
  actor: userObject(actor),
  created_at: at.toISOString(),
  commit_id: null,
  commit_url: null,
  performed_via_github_app: null,
  ...(label === undefined ? {} : { label: { name: label, color: 'ededed' } }),
});

/** Fields that only the answer for a single pull request has. */
export const wholePullObject = (api: string, state: State, pull: Pull): Wire => ({
  ...sampleOf('pull-request'),
  ...pullObject(api, state, pull),
  comments: state.comments.filter(({ issue }) => issue === pull.number).length,
});

const times = ({ createdAt, updatedAt }: Pick<Comment, 'createdAt' | 'updatedAt'>) => ({
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
});

export const commentObject = (api: string, state: State, comment: Comment): Wire => ({
  ...sampleOf('issue-comment'),
  ...times(comment),
  id: comment.id,
  body: comment.body,
  user: userObject(comment.user),
  url: `${api}/repos/${state.repository}/issues/comments/${comment.id}`,
  issue_url: `${api}/repos/${state.repository}/issues/${comment.issue}`,
  html_url: `${SITE}/${state.repository}/pull/${comment.issue}#issuecomment-${comment.id}`,
});

export const issueObject = ({ number, title, body, state, labels, user }: Issue): Wire => ({
  ...sampleOf('issue'),
  ...{ id: number, number, title, body, state, labels },
  user: userObject(user),
});

export function reviewCommentObject(api: string, state: State, comment: ReviewComment): Wire {
  const { id, path, body, line, startLine, inReplyTo, commit } = comment;
  return {
    ...sampleOf('pull-request-review-comment'),
    ...times(comment),
    id,
    path,
    body,
    line,
    start_line: startLine,
    commit_id: commit,
    side: 'RIGHT',
    start_side: startLine === null ? null : 'RIGHT',
    ...(inReplyTo === null ? {} : { in_reply_to_id: inReplyTo }),
    user: userObject(comment.user),
    url: `${api}/repos/${state.repository}/pulls/comments/${id}`,
    html_url: `${SITE}/${state.repository}/pull/${comment.pull}#discussion_r${id}`,
  };
}

export function checkObject(api: string, state: State, run: CheckRun): Wire {
  const { id, name, app, status, conclusion, title, summary, text, annotations } = run;
  const url = `${api}/repos/${state.repository}/check-runs/${id}`;
  const html = `${SITE}/${state.repository}/runs/${id}`;
  return {
    ...sampleOf('check-run'),
    id,
    name,
    status,
    conclusion,
    url,
    html_url: html,
    head_sha: run.headSha,
    external_id: run.externalId,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    // For the workflow's own token, GitHub ignores the requested URL and uses its own page.
    details_url: app.slug === 'github-actions' ? html : (run.detailsUrl ?? html),
    app: { ...sampleOf('nullable-integration'), ...app, name: app.slug },
    pull_requests: [],
    output: {
      title,
      summary,
      text,
      annotations_count: annotations.length,
      annotations_url: `${url}/annotations`,
    },
  };
}
