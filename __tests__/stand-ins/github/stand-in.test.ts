import {
  addComment,
  addPull,
  personalToken,
  startValidatingGitHub,
  workflowToken,
  type GitHubStandIn,
} from './index.ts';

const ada = { login: 'ada-example', id: 2001, type: 'User' } as const;
const HEAD = 'a'.repeat(40);
const OTHER = 'c'.repeat(40);
let github: GitHubStandIn;

beforeEach(async () => {
  github = await startValidatingGitHub({
    repository: 'acme/prompts',
    tokens: {
      writer: workflowToken({ pull_requests: 'write', checks: 'write' }),
      reader: workflowToken({ pull_requests: 'read', checks: 'read' }),
      other: { ...workflowToken({ checks: 'write' }), app: { id: 7, slug: 'another-app' } },
      person: personalToken(ada),
    },
  });
  const hunks = [[2, 8] as const, [20, 26] as const];
  addPull(github.state, { number: 12, diff: { 'prompts/a.yaml': hunks } });
});
afterEach(() => github.close());

async function call(method: string, path: string, body?: unknown, token = 'writer') {
  const response = await fetch(`${github.apiUrl}/repos/acme/prompts${path}`, {
    method,
    headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const link = response.headers.get('link');
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), link };
}

const annotation = (more: object = {}) => ({
  path: 'prompts/a.yaml',
  start_line: 1,
  end_line: 1,
  annotation_level: 'failure',
  message: 'm',
  ...more,
});
const remark = (more: object = {}) => ({
  body: 'b',
  commit_id: HEAD,
  path: 'prompts/a.yaml',
  side: 'RIGHT',
  line: 4,
  ...more,
});
const check = (more: object = {}, output: object = {}) => ({
  name: 'evaldiff',
  head_sha: HEAD,
  status: 'completed',
  conclusion: 'success',
  output: { title: 't', summary: 's', ...output },
  ...more,
});
const checkWith = (...annotations: object[]) => check({}, { annotations });

describe("requests and replies of the fake GitHub server match GitHub's API description", () => {
  afterEach(() => expect(github.state.violations).toEqual([]));

  test('for lists in pages of at most 100, with links', async () => {
    for (let index = 0; index < 70; index += 1) addComment(github.state, 12, ada, `c${index}`);
    const first = await call('GET', '/issues/12/comments');
    expect(first.body).toHaveLength(30);
    expect(first.link).toContain('page=2>; rel="next"');
    const last = await call('GET', '/issues/12/comments?page=3');
    expect(last.body).toHaveLength(10);
    expect(last.link).not.toContain('rel="next"');
    await call('GET', '/issues/12/comments?per_page=101');
    expect(github.state.violations.splice(0)).toEqual(['issues/list-comments: per_page is 101.']);
  });
});

describe('the fake GitHub server rejects what GitHub rejects:', () => {
  const COMMENTS = '/issues/12/comments';
  const REMARKS = '/pulls/12/comments';
  const CHECKS = '/check-runs';

  test.each([
    ['a summary of 65,536 characters', check({}, { summary: 's'.repeat(65_536) }), /65535/],
    ['a misspelt field', check({ conclussion: 'x' }), /conclussion is not a field of the/],
  ])('a check run with %s violates the API description', async (_what, body, expected) => {
    expect((await call('POST', CHECKS, body)).status).toBe(422);
    expect(github.state.violations.join('\n')).toMatch(expected);
  });

  const long = `${'😀'.repeat(32_768)}x`;
  const from = (start_line: number, more = {}) => ({ start_line, start_side: 'RIGHT', ...more });
  test.each([
    [COMMENTS, 'a body over 65,536 UTF-16 units', { body: long }, /too long/],
    [COMMENTS, 'an empty body', { body: ' ' }, /blank/],
    [REMARKS, 'an empty body', remark({ body: ' ' }), /blank/],
    [REMARKS, 'another commit', remark({ commit_id: OTHER }), /commit_id/],
    [REMARKS, 'a file outside the diff', remark({ path: 'b.yaml' }), /path diff/],
    [REMARKS, 'no line', remark({ line: undefined }), /line is missing/],
    [REMARKS, 'a line outside the diff', remark({ line: 9 }), /part of the diff/],
    [REMARKS, 'a first line that is the last', remark(from(4)), /must precede/],
    [REMARKS, 'lines of two hunks', remark(from(7, { line: 21 })), /same hunk/],
    [CHECKS, 'no conclusion', check({ conclusion: undefined }), /conclusion is missing/],
    [CHECKS, 'a branch instead of a commit', check({ head_sha: 'main' }), /No commit found/],
    [CHECKS, 'too many bytes', check({}, { summary: 'é'.repeat(40_000) }), /65535/],
    [
      CHECKS,
      'columns over several lines',
      checkWith(annotation({ end_line: 2, start_column: 1 })),
      /columns need equal/,
    ],
    [CHECKS, 'line 0', checkWith(annotation({ start_line: 0, end_line: 0 })), /not a range/],
    [
      CHECKS,
      'a long title',
      checkWith(annotation({ title: 't'.repeat(256) })),
      /title is too long/,
    ],
    [CHECKS, 'over 64 KB', checkWith(annotation({ message: 'm'.repeat(65_537) })), /64 KB/],
    [
      CHECKS,
      'a path out of the repository',
      checkWith(annotation({ path: '../x' })),
      /relative to/,
    ],
  ])('%s with %s breaks a rule outside the description', async (path, _what, body, expected) => {
    const { status, body: reply } = await call('POST', path, body);
    expect(status).toBe(422);
    expect(JSON.stringify(reply)).toMatch(expected);
    expect(github.state.violations).toEqual([]);
  });

  test.each([
    ['reader', 'POST', COMMENTS, { body: 'x' }, 403],
    ['reader', 'POST', CHECKS, check(), 403],
    ['reader', 'POST', REMARKS, remark(), 403],
    ['person', 'POST', CHECKS, check(), 403],
    ['nobody', 'GET', COMMENTS, undefined, 401],
    ['other', 'GET', '/pulls/12', undefined, 403],
    ['reader', 'GET', '/pulls/12', undefined, 200],
  ])('what a token does not permit: %s %s %s', async (token, method, path, body, status) => {
    github.state.private = path === '/pulls/12';
    expect((await call(method, path, body, token)).status).toBe(status);
  });

  test('a comment on a locked pull request', async () => {
    addPull(github.state, { number: 14, locked: true });
    const { body } = await call('POST', '/issues/14/comments', { body: 'x' });
    expect(body.message).toContain('locked');
  });

  test("another app's change of a check run, and a change after its completion", async () => {
    const { body } = await call('POST', CHECKS, check());
    const at = `${CHECKS}/${body.id}`;
    const other = await call('PATCH', at, { output: { summary: 's' } }, 'other');
    expect(other.body.message).toContain('Invalid app_id');
    const failed = { status: 'completed', conclusion: 'failure' };
    expect((await call('PATCH', at, failed)).status).toBe(403);
    expect(github.state.checkRuns[0]?.conclusion).toBe('success');
  });

  test('an operation that it does not know, which it also records as a violation', async () => {
    expect((await call('GET', '/milestones')).status).toBe(404);
    expect(github.state.violations).toEqual([
      'GET /repos/acme/prompts/milestones is not an operation of this stand-in',
    ]);
  });
});
