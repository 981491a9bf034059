/** The operations of the stand-in, each by the name that GitHub's description gives it. */
import {
  annotationObject,
  checkObject,
  commentObject,
  pullObject,
  reviewCommentObject,
  userObject,
  wholePullObject,
} from './objects.ts';
import { checkRule, commentRule, reviewCommentRule } from './rules.ts';
import type { ReviewBody } from './rules.ts';
import { addComment, addReviewComment } from './state.ts';
import type { Access, CheckAnnotation, CheckRun, Scope, State, Token } from './state.ts';

export interface Call {
  state: State;
  /** Address of the API, for the links in answers. */
  api: string;
  params: Record<string, string>;
  query: Record<string, string>;
  body: Record<string, unknown>;
  token: Token;
}
export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}
/** A list that the server cuts into pages; `wrap` puts a page into its envelope. */
export interface List {
  items: unknown[];
  wrap?: (page: unknown[]) => unknown;
}

export interface Route {
  operation: string;
  method: string;
  path: string;
  /** One of these is enough. */
  needs: [Scope, Exclude<Access, 'none'>][];
  answer(call: Call): Reply | List;
}

const DOCS = 'https://docs.github.com/rest';
export const error = (status: number, message: string): Reply => ({
  status,
  body: { message, documentation_url: DOCS, status: String(status) },
});
const invalid = (message: string): Reply => ({
  status: 422,
  body: {
    message: 'Validation Failed',
    documentation_url: DOCS,
    errors: [{ code: 'custom', message }],
  },
});
const notFound = (): Reply => error(404, 'Not Found');

const COMMENT_WRITE: Route['needs'] = [
  ['pull_requests', 'write'],
  ['issues', 'write'],
];
const PULL_READ: Route['needs'] = [['pull_requests', 'read']];
const PULL_WRITE: Route['needs'] = [['pull_requests', 'write']];

export const ROUTES: readonly Route[] = [
  {
    operation: 'issues/list-comments',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/comments',
    needs: [
      ['pull_requests', 'read'],
      ['issues', 'read'],
    ],
    answer: listComments,
  },
  {
    operation: 'issues/create-comment',
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/comments',
    needs: COMMENT_WRITE,
    answer: createComment,
  },
  {
    operation: 'issues/get-comment',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/comments/{comment_id}',
    needs: [
      ['pull_requests', 'read'],
      ['issues', 'read'],
    ],
    answer: getComment,
  },
  {
    operation: 'issues/update-comment',
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/issues/comments/{comment_id}',
    needs: COMMENT_WRITE,
    answer: updateComment,
  },
  {
    operation: 'issues/delete-comment',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/issues/comments/{comment_id}',
    needs: COMMENT_WRITE,
    answer: deleteComment,
  },
  {
    operation: 'issues/remove-label',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}',
    needs: COMMENT_WRITE,
    answer: removeLabel,
  },
  {
    operation: 'pulls/get',
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}',
    needs: PULL_READ,
    answer: getPull,
  },
  {
    operation: 'pulls/list',
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls',
    needs: PULL_READ,
    answer: listPulls,
  },
  {
    operation: 'pulls/list-review-comments',
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}/comments',
    needs: PULL_READ,
    answer: listReviewComments,
  },
  {
    operation: 'pulls/create-review-comment',
    method: 'POST',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}/comments',
    needs: PULL_WRITE,
    answer: createReviewComment,
  },
  {
    operation: 'pulls/update-review-comment',
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}',
    needs: PULL_WRITE,
    answer: updateReviewComment,
  },
  {
    operation: 'pulls/delete-review-comment',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}',
    needs: PULL_WRITE,
    answer: deleteReviewComment,
  },
  {
    operation: 'repos/get-collaborator-permission-level',
    method: 'GET',
    path: '/repos/{owner}/{repo}/collaborators/{username}/permission',
    // Metadata, which every token may read.
    needs: [['contents', 'read']],
    answer: permissionOf,
  },
  {
    operation: 'repos/list-pull-requests-associated-with-commit',
    method: 'GET',
    path: '/repos/{owner}/{repo}/commits/{commit_sha}/pulls',
    needs: PULL_READ,
    answer: pullsOfCommit,
  },
  {
    operation: 'checks/create',
    method: 'POST',
    path: '/repos/{owner}/{repo}/check-runs',
    needs: [['checks', 'write']],
    answer: createCheck,
  },
  {
    operation: 'checks/get',
    method: 'GET',
    path: '/repos/{owner}/{repo}/check-runs/{check_run_id}',
    needs: [['checks', 'read']],
    answer: getCheck,
  },
  {
    operation: 'checks/update',
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/check-runs/{check_run_id}',
    needs: [['checks', 'write']],
    answer: updateCheck,
  },
  {
    operation: 'checks/list-annotations',
    method: 'GET',
    path: '/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations',
    needs: [['checks', 'read']],
    answer: listAnnotations,
  },
  {
    operation: 'checks/list-for-ref',
    method: 'GET',
    path: '/repos/{owner}/{repo}/commits/{ref}/check-runs',
    needs: [['checks', 'read']],
    answer: listChecks,
  },
];

/** GitHub reports roles such as triage and maintain as the permission they include. */
const RESTS_ON: Record<string, string> = { maintain: 'write', triage: 'read' };

function permissionOf({ state, api, params }: Call): Reply {
  const login = params['username'] ?? '';
  const role = state.roles.get(login);
  if (role === undefined) return notFound();
  const permissions = Object.fromEntries(
    ['pull', 'triage', 'push', 'maintain', 'admin'].map((name) => [name, false]),
  );
  const user = { ...userObject(api, { login, id: 2001, type: 'User' }), permissions };
  return {
    status: 200,
    body: {
      permission: RESTS_ON[role] ?? role,
      role_name: role,
      user: { ...user, role_name: role },
    },
  };
}

function pullOf({ state, params }: Call) {
  return state.pulls.get(Number(params['issue_number'] ?? params['pull_number']));
}
function commentOf({ state, params }: Call) {
  return state.comments.find(({ id }) => id === Number(params['comment_id']));
}
function reviewCommentOf({ state, params }: Call) {
  return state.reviewComments.find(({ id }) => id === Number(params['comment_id']));
}
function checkOf({ state, params }: Call) {
  return state.checkRuns.find(({ id }) => id === Number(params['check_run_id']));
}

function listComments(call: Call): Reply | List {
  const pull = pullOf(call);
  if (pull === undefined) return notFound();
  const comments = call.state.comments
    .filter(({ issue }) => issue === pull.number)
    .sort((a, b) => a.id - b.id);
  return { items: comments.map((comment) => commentObject(call.api, call.state, comment)) };
}

function createComment(call: Call): Reply {
  const pull = pullOf(call);
  if (pull === undefined) return notFound();
  if (pull.locked) return error(403, 'Unable to create comment because issue is locked.');
  const fault = commentRule(call.body);
  if (fault !== null) return invalid(fault);
  const comment = addComment(
    call.state,
    pull.number,
    call.token.account,
    String(call.body['body']),
  );
  return { status: 201, body: commentObject(call.api, call.state, comment) };
}

function getComment(call: Call): Reply {
  const comment = commentOf(call);
  return comment === undefined
    ? notFound()
    : { status: 200, body: commentObject(call.api, call.state, comment) };
}

/**
 * A token that may write can change anybody's comment: GitHub allows it, so the client must not.
 */
function updateComment(call: Call): Reply {
  const comment = commentOf(call);
  if (comment === undefined) return notFound();
  const fault = commentRule(call.body);
  if (fault !== null) return invalid(fault);
  comment.body = String(call.body['body']);
  comment.updatedAt = call.state.now();
  return { status: 200, body: commentObject(call.api, call.state, comment) };
}

function deleteComment(call: Call): Reply {
  const comment = commentOf(call);
  if (comment === undefined) return notFound();
  call.state.comments.splice(call.state.comments.indexOf(comment), 1);
  return { status: 204 };
}

function listReviewComments(call: Call): Reply | List {
  const pull = pullOf(call);
  if (pull === undefined) return notFound();
  const comments = call.state.reviewComments.filter((comment) => comment.pull === pull.number);
  return { items: comments.map((comment) => reviewCommentObject(call.api, call.state, comment)) };
}

function createReviewComment(call: Call): Reply {
  const pull = pullOf(call);
  if (pull === undefined) return notFound();
  if (pull.locked) return error(403, 'Unable to create comment because issue is locked.');
  const body = call.body as ReviewBody;
  const fault = reviewCommentRule(body, pull);
  if (fault !== null) return invalid(fault);
  const comment = addReviewComment(call.state, {
    pull: pull.number,
    user: call.token.account,
    body: String(body.body),
    path: body.path ?? '',
    line: body.line ?? null,
    startLine: body.start_line ?? null,
  });
  return { status: 201, body: reviewCommentObject(call.api, call.state, comment) };
}

function updateReviewComment(call: Call): Reply {
  const comment = reviewCommentOf(call);
  if (comment === undefined) return notFound();
  const fault = commentRule(call.body);
  if (fault !== null) return invalid(fault);
  comment.body = String(call.body['body']);
  comment.updatedAt = call.state.now();
  return { status: 200, body: reviewCommentObject(call.api, call.state, comment) };
}

/** What answers a comment stays when it goes. */
function deleteReviewComment(call: Call): Reply {
  const comment = reviewCommentOf(call);
  if (comment === undefined) return notFound();
  call.state.reviewComments.splice(call.state.reviewComments.indexOf(comment), 1);
  return { status: 204 };
}

function removeLabel(call: Call): Reply {
  const pull = pullOf(call);
  const name = call.params['name'] ?? '';
  if (pull === undefined || !pull.labels.includes(name)) return notFound();
  pull.labels = pull.labels.filter((label) => label !== name);
  return { status: 200, body: pullObject(call.api, call.state, pull)['labels'] };
}

function getPull(call: Call): Reply {
  const pull = pullOf(call);
  return pull === undefined
    ? notFound()
    : { status: 200, body: wholePullObject(call.api, call.state, pull) };
}

function listPulls(call: Call): List {
  const { state = 'open', head } = call.query;
  const pulls = [...call.state.pulls.values()].filter(
    (pull) =>
      (state === 'all' || pull.state === state) &&
      (head === undefined ||
        head === `${pull.head.repository?.split('/')[0] ?? ''}:${pull.head.ref}`),
  );
  return { items: pulls.map((pull) => pullObject(call.api, call.state, pull)) };
}

function pullsOfCommit(call: Call): Reply | List {
  const sha = call.params['commit_sha'];
  const pulls = [...call.state.pulls.values()].filter((pull) => pull.head.sha === sha);
  if (pulls.length === 0) return invalid(`No commit found for SHA: ${sha ?? ''}`);
  return { items: pulls.map((pull) => pullObject(call.api, call.state, pull)) };
}

function createCheck(call: Call): Reply {
  const { app } = call.token;
  if (app === null) return error(403, 'You must authenticate via a GitHub App.');
  const fault = checkRule(call.body, { creates: true });
  if (fault !== null) return invalid(fault);
  const run: CheckRun = {
    id: call.state.nextId(),
    app,
    name: '',
    headSha: '',
    status: 'queued',
    conclusion: null,
    externalId: null,
    detailsUrl: null,
    startedAt: null,
    completedAt: null,
    title: null,
    summary: null,
    text: null,
    annotations: [],
  };
  apply(run, call.body);
  call.state.checkRuns.push(run);
  return { status: 201, body: checkObject(call.api, call.state, run) };
}

function getCheck(call: Call): Reply {
  const run = checkOf(call);
  return run === undefined
    ? notFound()
    : { status: 200, body: checkObject(call.api, call.state, run) };
}

function updateCheck(call: Call): Reply {
  const run = checkOf(call);
  const { app } = call.token;
  if (run === undefined) return notFound();
  if (app === null) return error(403, 'You must authenticate via a GitHub App.');
  if (app.id !== run.app.id)
    return error(
      403,
      `Invalid app_id \`${app.id}\` - check run can only be modified by the GitHub App that created it.`,
    );
  // GitHub has said so since March 2025; reports of it differ, and the strict reading is the one to
  // be safe with.
  if (
    app.slug === 'github-actions' &&
    !call.state.statusUpdates &&
    ['status', 'conclusion', 'completed_at'].some((field) => field in call.body)
  ) {
    return error(403, 'A workflow token may not change the status of a check run.');
  }
  const fault = checkRule(call.body, { creates: false });
  if (fault !== null) return invalid(fault);
  apply(run, call.body);
  return { status: 200, body: checkObject(call.api, call.state, run) };
}

const text = (value: unknown, otherwise: string | null): string | null =>
  typeof value === 'string' ? value : otherwise;

/** What is not named stays; annotations are appended. */
function apply(run: CheckRun, body: Record<string, unknown>): void {
  const output = (body['output'] ?? {}) as {
    title?: string;
    summary?: string;
    text?: string;
    annotations?: CheckAnnotation[];
  };
  Object.assign(run, {
    name: text(body['name'], run.name),
    headSha: text(body['head_sha'], run.headSha),
    status: text(body['status'], run.status),
    conclusion: text(body['conclusion'], run.conclusion),
    externalId: text(body['external_id'], run.externalId),
    detailsUrl: text(body['details_url'], run.detailsUrl),
    startedAt: text(body['started_at'], run.startedAt),
    completedAt: text(body['completed_at'], run.completedAt),
    title: output.title ?? run.title,
    summary: output.summary ?? run.summary,
    text: output.text ?? run.text,
    annotations: [...run.annotations, ...(output.annotations ?? [])],
  });
}

function listAnnotations(call: Call): Reply | List {
  const run = checkOf(call);
  return run === undefined
    ? notFound()
    : { items: run.annotations.map((annotation) => annotationObject(call.state, run, annotation)) };
}

function listChecks(call: Call): List {
  const { check_name: name } = call.query;
  const runs = call.state.checkRuns.filter(
    (run) => run.headSha === call.params['ref'] && (name === undefined || name === run.name),
  );
  return {
    items: runs.map((run) => checkObject(call.api, call.state, run)),
    wrap: (page) => ({ total_count: runs.length, check_runs: page }),
  };
}
