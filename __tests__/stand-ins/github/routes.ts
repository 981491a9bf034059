/** The stand-in's operations, by their id in GitHub's description. */
import { operations, sampleOf } from './description.ts';
import {
  checkObject,
  commentObject,
  issueObject,
  pullEventObject,
  pullObject,
  reviewCommentObject,
  userObject,
  wholePullObject,
} from './objects.ts';
import { checkRule, commentRule, reviewCommentRule, type ReviewBody } from './rules.ts';
import { addComment, addReviewComment } from './state.ts';
import type {
  Access,
  CheckAnnotation,
  CheckRun,
  Issue,
  Pull,
  Scope,
  State,
  Token,
} from './state.ts';

export interface Call {
  state: State;
  /** Base URL of the API, for links in answers. */
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
/** A list that the server splits into pages; `wrap` puts a page into its envelope. */
export interface List {
  items: unknown[];
  wrap?: (page: unknown[]) => unknown;
}
type Answer = (call: Call) => Reply | List;
export interface Route {
  operation: string;
  method: string;
  path: string;
  /** Any of these permissions is enough. */
  needs: [Scope, Exclude<Access, 'none'>][];
  answer: Answer;
}

const DOCS = 'https://docs.github.com/rest';
export const error = (status: number, message: string): Reply => ({
  status,
  body: { message, documentation_url: DOCS, status: String(status) },
});
const invalid = (message: string): Reply => {
  const errors = [{ code: 'custom', message }];
  return { status: 422, body: { message: 'Validation Failed', documentation_url: DOCS, errors } };
};

/** An answer about an existing object; 404 otherwise. */
const about =
  <T>(find: (call: Call) => T | undefined, answer: (call: Call, found: T) => Reply | List) =>
  (call: Call) => {
    const found = find(call);
    return found === undefined ? error(404, 'Not Found') : answer(call, found);
  };
const byId =
  <T extends { id: number }>(list: (state: State) => T[], param: string) =>
  ({ state, params }: Call) =>
    list(state).find(({ id }) => id === Number(params[param]));
const pullOf = ({ state, params }: Call) =>
  state.pulls.get(Number(params['issue_number'] ?? params['pull_number']));
const commentOf = byId(({ comments }) => comments, 'comment_id');
const remarkOf = byId(({ reviewComments }) => reviewComments, 'comment_id');
const checkOf = byId(({ checkRuns }) => checkRuns, 'check_run_id');

function compare({ state, params }: Call): Reply {
  const [base = '', head = ''] = (params['basehead'] ?? '').split('...');
  const sha = state.mergeBase(base, head);
  const merge_base_commit = { ...sampleOf('commit'), sha };
  return sha === null
    ? error(404, `No common ancestor between ${base} and ${head}.`)
    : { status: 200, body: { ...sampleOf('commit-comparison'), merge_base_commit } };
}

/** GitHub lets a token with write access change anyone's comment, so the client must check. */
function edit(call: Call, comment: { body: string; updatedAt: Date }, shown: () => unknown): Reply {
  const fault = commentRule(call.body);
  if (fault !== null) return invalid(fault);
  Object.assign(comment, { body: String(call.body['body']), updatedAt: call.state.now() });
  return { status: 200, body: shown() };
}

function remove<T>(list: T[], one: T): Reply {
  list.splice(list.indexOf(one), 1);
  return { status: 204 };
}

/** An error if the pull request does not accept comments, otherwise `make`'s answer. */
function inPull(pull: Pull, fault: string | null, make: () => unknown) {
  if (pull.locked) return error(403, 'Unable to create comment because issue is locked.');
  return fault === null ? { status: 201, body: make() } : invalid(fault);
}

const READ_COMMENTS: Route['needs'] = [
  ['pull_requests', 'read'],
  ['issues', 'read'],
];
const WRITE_COMMENTS: Route['needs'] = [
  ['pull_requests', 'write'],
  ['issues', 'write'],
];
const ISSUES: Route['needs'] = [['issues', 'write']];
const READ_PULLS: Route['needs'] = [['pull_requests', 'read']];
const WRITE_PULLS: Route['needs'] = [['pull_requests', 'write']];
const READ_CHECKS: Route['needs'] = [['checks', 'read']];
const WRITE_CHECKS: Route['needs'] = [['checks', 'write']];
/** Metadata. Every token may read it. */
const READ: Route['needs'] = [['contents', 'read']];

const ANSWERS: Readonly<Record<string, [Route['needs'], Answer]>> = {
  'issues/list-comments': [
    READ_COMMENTS,
    about(pullOf, ({ api, state }, { number }) => {
      const comments = state.comments.filter(({ issue }) => issue === number);
      const sorted = comments.sort((a, b) => a.id - b.id);
      return { items: sorted.map((comment) => commentObject(api, state, comment)) };
    }),
  ],
  'issues/create-comment': [
    WRITE_COMMENTS,
    about(pullOf, ({ api, state, token, body }, pull) =>
      inPull(pull, commentRule(body), () => {
        const comment = addComment(state, pull.number, token.account, String(body['body']));
        return commentObject(api, state, comment);
      }),
    ),
  ],
  'issues/update-comment': [
    WRITE_COMMENTS,
    about(commentOf, (call, comment) =>
      edit(call, comment, () => commentObject(call.api, call.state, comment)),
    ),
  ],
  'issues/delete-comment': [
    WRITE_COMMENTS,
    about(commentOf, ({ state }, comment) => remove(state.comments, comment)),
  ],
  'issues/list-events': [
    READ_COMMENTS,
    about(pullOf, (_call, { events = [] }) => ({ items: events.map(pullEventObject) })),
  ],
  'issues/remove-label': [WRITE_COMMENTS, about(pullOf, removeLabel)],
  'issues/list-for-repo': [
    [['issues', 'read']],
    ({ state, query }) => ({
      items: state.issues
        .filter(
          (issue) =>
            issue.state === (query['state'] ?? 'open') &&
            (query['labels'] ?? '').split(',').every((label) => issue.labels.includes(label)),
        )
        .map(issueObject),
    }),
  ],
  'issues/create': [
    ISSUES,
    ({ state, token: { account: user }, body }) => {
      const given = body as unknown as Pick<Issue, 'title' | 'body' | 'labels'>;
      const issue = { ...given, number: state.nextId(), user, state: 'open', edits: 0 };
      state.issues.push(issue);
      return { status: 201, body: issueObject(issue) };
    },
  ],
  'issues/update': [
    ISSUES,
    about(
      ({ state, params }) =>
        state.issues.find(({ number }) => number === Number(params['issue_number'])),
      ({ body }, issue) => {
        Object.assign(issue, body, { edits: issue.edits + 1 });
        return { status: 200, body: issueObject(issue) };
      },
    ),
  ],
  'pulls/get': [
    READ_PULLS,
    about(pullOf, ({ api, state }, pull) => ({
      status: 200,
      body: wholePullObject(api, state, pull),
    })),
  ],
  'pulls/list': [READ_PULLS, listPulls],
  'pulls/list-review-comments': [
    READ_PULLS,
    about(pullOf, ({ api, state }, { number }) => ({
      items: state.reviewComments
        .filter(({ pull }) => pull === number)
        .map((remark) => reviewCommentObject(api, state, remark)),
    })),
  ],
  'pulls/create-review-comment': [
    WRITE_PULLS,
    about(pullOf, ({ api, state, token: { account: user }, body }, pull) =>
      inPull(pull, reviewCommentRule(body, pull), () => {
        const { path = '', line = null, start_line: startLine = null } = body as ReviewBody;
        const place = { pull: pull.number, path, line, startLine };
        const remark = addReviewComment(state, { ...place, user, body: String(body['body']) });
        return reviewCommentObject(api, state, remark);
      }),
    ),
  ],
  'pulls/update-review-comment': [
    WRITE_PULLS,
    about(remarkOf, (call, remark) =>
      edit(call, remark, () => reviewCommentObject(call.api, call.state, remark)),
    ),
  ],
  // Replies to the comment are kept.
  'pulls/delete-review-comment': [
    WRITE_PULLS,
    about(remarkOf, ({ state }, remark) => remove(state.reviewComments, remark)),
  ],
  'repos/compare-commits-with-basehead': [READ, compare],
  'repos/get-collaborator-permission-level': [READ, about(roleOf, permissionOf)],
  'repos/list-pull-requests-associated-with-commit': [READ_PULLS, pullsOfCommit],
  'checks/create': [WRITE_CHECKS, createCheck],
  'checks/update': [WRITE_CHECKS, about(checkOf, updateCheck)],
  'checks/list-for-ref': [READ_CHECKS, listChecks],
};

export const ROUTES: readonly Route[] = Object.entries(ANSWERS).map(
  ([operation, [needs, answer]]) => {
    const { method = '', path = '' } = operations.get(operation) ?? {};
    return { operation, method, path, needs, answer };
  },
);

function roleOf({ state, params }: Call) {
  return state.roles.get(params['username'] ?? '');
}

/** GitHub reports roles such as triage and maintain as the permission they include. */
const RESTS_ON: Record<string, string> = { maintain: 'write', triage: 'read' };

function permissionOf({ params }: Call, role: string): Reply {
  const names = ['pull', 'triage', 'push', 'maintain', 'admin'];
  const user = {
    ...userObject({ login: params['username'] ?? '', id: 2001, type: 'User' }),
    permissions: Object.fromEntries(names.map((name) => [name, false])),
    role_name: role,
  };
  return { status: 200, body: { permission: RESTS_ON[role] ?? role, role_name: role, user } };
}

function removeLabel({ api, state, params }: Call, pull: Pull) {
  const name = params['name'] ?? '';
  if (!pull.labels.includes(name)) return error(404, 'Not Found');
  pull.labels = pull.labels.filter((label) => label !== name);
  return { status: 200, body: pullObject(api, state, pull)['labels'] };
}

function listPulls({ api, state, query }: Call): List {
  const { state: wanted = 'open', head } = query;
  const pulls = [...state.pulls.values()].filter(
    (pull) =>
      (wanted === 'all' || pull.state === wanted) &&
      (head === undefined ||
        head === `${pull.head.repository?.split('/')[0] ?? ''}:${pull.head.ref}`),
  );
  return { items: pulls.map((pull) => pullObject(api, state, pull)) };
}

function pullsOfCommit({ api, state, params }: Call): Reply | List {
  const sha = params['commit_sha'] ?? '';
  const pulls = [...state.pulls.values()].filter(({ head }) => head.sha === sha);
  if (pulls.length === 0) return invalid(`No commit found for SHA: ${sha}`);
  return { items: pulls.map((pull) => pullObject(api, state, pull)) };
}

const NO_APP = error(403, 'You must authenticate via a GitHub App.');

function createCheck({ api, state, token: { app }, body }: Call): Reply {
  if (app === null) return NO_APP;
  const fault = checkRule(body, { creates: true });
  if (fault !== null) return invalid(fault);
  const run: CheckRun = {
    id: state.nextId(),
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
  apply(run, body);
  state.checkRuns.push(run);
  return { status: 201, body: checkObject(api, state, run) };
}

function updateCheck({ api, state, token: { app }, body }: Call, run: CheckRun): Reply {
  if (app === null) return NO_APP;
  const others = `Invalid app_id \`${app.id}\` - check run can only be modified by the GitHub App that created it.`;
  if (app.id !== run.app.id) return error(403, others);
  const status = ['status', 'conclusion', 'completed_at'].some((field) => field in body);
  // GitHub's documented behaviour since March 2025. Reports differ; this is the strict reading.
  if (app.slug === 'github-actions' && !state.statusUpdates && status)
    return error(403, 'A workflow token may not change the status of a check run.');
  const fault = checkRule(body, { creates: false });
  if (fault !== null) return invalid(fault);
  apply(run, body);
  return { status: 200, body: checkObject(api, state, run) };
}

const FIELDS = {
  name: 'name',
  headSha: 'head_sha',
  status: 'status',
  conclusion: 'conclusion',
  externalId: 'external_id',
  detailsUrl: 'details_url',
  startedAt: 'started_at',
  completedAt: 'completed_at',
};

/** Absent fields are unchanged; annotations are appended. */
function apply(run: CheckRun, body: Record<string, unknown>) {
  const { annotations = [], ...output } = (body['output'] ?? {}) as {
    annotations?: CheckAnnotation[];
  };
  for (const [field, name] of Object.entries(FIELDS))
    if (typeof body[name] === 'string') Object.assign(run, { [field]: body[name] });
  Object.assign(run, output, { annotations: [...run.annotations, ...annotations] });
}

function listChecks({ api, state, params, query: { check_name: name } }: Call): List {
  const runs = state.checkRuns.filter(
    (run) => run.headSha === params['ref'] && (name === undefined || name === run.name),
  );
  return {
    items: runs.map((run) => checkObject(api, state, run)),
    wrap: (page) => ({ total_count: runs.length, check_runs: page }),
  };
}
