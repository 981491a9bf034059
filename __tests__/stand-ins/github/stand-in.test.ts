import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  addComment,
  addPull,
  personalToken,
  startValidatingGitHub,
  workflowToken,
} from './index.ts';
import type { GitHubStandIn } from './index.ts';

const ada = { login: 'ada-example', id: 2001, type: 'User' } as const;
const HEAD = 'a'.repeat(40);
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
  addPull(github.state, {
    number: 12,
    diff: {
      'prompts/a.yaml': [
        [2, 8],
        [20, 26],
      ],
    },
  });
});
afterEach(() => github.close());

async function call(method: string, path: string, body?: unknown, token = 'writer') {
  const response = await fetch(`${github.apiUrl}/repos/acme/prompts${path}`, {
    method,
    headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    link: response.headers.get('link'),
  };
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

describe("what the stand-in takes and gives is what GitHub's description says", () => {
  test('comments are written, read, changed and removed without a violation', async () => {
    const created = await call('POST', '/issues/12/comments', { body: 'x'.repeat(65_536) });
    expect(created.status).toBe(201);
    expect(
      (await call('PATCH', `/issues/comments/${created.body.id}`, { body: 'two' })).body.body,
    ).toBe('two');
    expect((await call('GET', '/issues/12/comments')).body).toHaveLength(1);
    expect((await call('GET', `/issues/comments/${created.body.id}`)).body.user.login).toBe(
      'github-actions[bot]',
    );
    expect((await call('DELETE', `/issues/comments/${created.body.id}`)).status).toBe(204);
    expect((await call('DELETE', `/issues/comments/${created.body.id}`)).status).toBe(404);
    expect(github.state.violations).toEqual([]);
  });

  test('review comments on lines of the diff are written, read, changed, outdated and removed', async () => {
    const created = await call(
      'POST',
      '/pulls/12/comments',
      remark({ start_line: 3, start_side: 'RIGHT' }),
    );
    expect(created.status).toBe(201);
    const at = `/pulls/comments/${created.body.id}`;
    expect((await call('PATCH', at, { body: 'two' })).body.body).toBe('two');
    github.state.reviewComments[0]!.line = null;
    expect((await call('GET', '/pulls/12/comments')).body).toMatchObject([
      { path: 'prompts/a.yaml', line: null, start_line: 3, user: { login: 'github-actions[bot]' } },
    ]);
    expect((await call('DELETE', at)).status).toBe(204);
    expect((await call('DELETE', at)).status).toBe(404);
    expect(github.state.violations).toEqual([]);
  });

  test('pull requests, also of deleted forks, and their labels', async () => {
    addPull(github.state, {
      number: 13,
      head: { ref: 'x', sha: 'c'.repeat(40), repository: null },
      labels: ['approved'],
    });
    expect((await call('GET', '/pulls/13')).body.head.repo).toBeNull();
    expect((await call('GET', '/pulls')).body).toHaveLength(2);
    expect((await call('GET', '/pulls?head=acme:topic')).body).toHaveLength(1);
    expect((await call('GET', `/commits/${'c'.repeat(40)}/pulls`)).body[0].number).toBe(13);
    expect((await call('DELETE', '/issues/13/labels/approved')).body).toEqual([]);
    expect(github.state.violations).toEqual([]);
  });

  test('check runs: annotations are appended, and 50 are taken at once', async () => {
    const created = await call(
      'POST',
      '/check-runs',
      check({}, { annotations: Array.from({ length: 50 }, () => annotation()) }),
    );
    expect(created.status).toBe(201);
    await call('PATCH', `/check-runs/${created.body.id}`, {
      output: {
        title: 't',
        summary: 's',
        annotations: [annotation({ start_column: 1, end_column: 4 })],
      },
    });
    expect(
      (await call('GET', `/check-runs/${created.body.id}`)).body.output.annotations_count,
    ).toBe(51);
    expect(
      (await call('GET', `/check-runs/${created.body.id}/annotations?per_page=100`)).body,
    ).toHaveLength(51);
    expect((await call('GET', `/commits/${HEAD}/check-runs`)).body.total_count).toBe(1);
    expect(github.state.violations).toEqual([]);
  });

  test('lists come in pages of at most 100, with links', async () => {
    for (let index = 0; index < 70; index += 1) addComment(github.state, 12, ada, `c${index}`);
    const first = await call('GET', '/issues/12/comments');
    expect(first.body).toHaveLength(30);
    expect(first.link).toContain('page=2>; rel="next"');
    const last = await call('GET', '/issues/12/comments?page=3');
    expect(last.body).toHaveLength(10);
    expect(last.link).not.toContain('rel="next"');
    await call('GET', '/issues/12/comments?per_page=101');
    expect(github.state.violations).toEqual(['issues/list-comments: per_page is 101.']);
  });

  test('the own identity is asked by GraphQL', async () => {
    const ask = async (query: string) =>
      (
        await fetch(github.graphqlUrl, {
          method: 'POST',
          headers: { authorization: 'bearer writer' },
          body: JSON.stringify({ query }),
        })
      ).json();
    expect(await ask('query { viewer { login databaseId } }')).toEqual({
      data: { viewer: { login: 'github-actions[bot]', databaseId: 41898282 } },
    });
    expect(await ask('{ viewer { shoeSize } }')).toHaveProperty('errors');
  });
});

describe('what GitHub refuses, the stand-in refuses', () => {
  test.each<[string, string, unknown, RegExp]>([
    [
      '/check-runs',
      'more than 50 annotations',
      check({}, { annotations: Array.from({ length: 51 }, () => annotation()) }),
      /annotations must NOT have more than 50 items/,
    ],
    [
      '/check-runs',
      'an annotation without its end',
      check({}, { annotations: [{ ...annotation(), end_line: undefined }] }),
      /must have required property 'end_line'/,
    ],
    [
      '/check-runs',
      'an unknown level',
      check({}, { annotations: [annotation({ annotation_level: 'error' })] }),
      /annotation_level must be equal to one of/,
    ],
    [
      '/check-runs',
      'a summary of 65,536 characters',
      check({}, { summary: 's'.repeat(65_536) }),
      /summary must NOT have more than 65535 characters/,
    ],
    [
      '/check-runs',
      'no summary',
      check({ output: { title: 't' } }),
      /must have required property 'summary'/,
    ],
    [
      '/check-runs',
      'a misspelt field',
      check({ conclussion: 'x' }),
      /conclussion is not a field of the API/,
    ],
    [
      '/check-runs',
      'a misspelt field within an annotation',
      check({}, { annotations: [annotation({ startLine: 3 })] }),
      /annotations\/0\/startLine is not a field of the API/,
    ],
    ['/issues/12/comments', 'a comment that is not text', { body: 7 }, /body must be string/],
  ])('%s with %s is a violation of the description', async (path, _what, body, expected) => {
    expect((await call('POST', path, body)).status).toBe(422);
    expect(github.state.violations.join('\n')).toMatch(expected);
  });

  test.each<[string, string, unknown, RegExp]>([
    [
      '/issues/12/comments',
      'a body over 65,536 UTF-16 units',
      { body: `${'😀'.repeat(32_768)}x` },
      /too long/,
    ],
    ['/issues/12/comments', 'an empty body', { body: ' ' }, /blank/],
    ['/pulls/12/comments', 'an empty body', remark({ body: ' ' }), /blank/],
    ['/pulls/12/comments', 'another commit', remark({ commit_id: 'c'.repeat(40) }), /commit_id/],
    ['/pulls/12/comments', 'a file outside the diff', remark({ path: 'b.yaml' }), /path diff/],
    ['/pulls/12/comments', 'no line', remark({ line: undefined }), /line is missing/],
    ['/pulls/12/comments', 'a line outside the diff', remark({ line: 9 }), /part of the diff/],
    [
      '/pulls/12/comments',
      'a first line that is the last',
      remark({ start_line: 4, start_side: 'RIGHT' }),
      /must precede/,
    ],
    [
      '/pulls/12/comments',
      'lines of two hunks',
      remark({ start_line: 7, start_side: 'RIGHT', line: 21 }),
      /same hunk/,
    ],
    [
      '/check-runs',
      'completed without conclusion',
      check({ conclusion: undefined }),
      /conclusion is missing/,
    ],
    [
      '/check-runs',
      'a branch in place of a commit',
      check({ head_sha: 'main' }),
      /No commit found/,
    ],
    [
      '/check-runs',
      'a summary of too many bytes',
      check({}, { summary: 'é'.repeat(40_000) }),
      /65535/,
    ],
    [
      '/check-runs',
      'columns over several lines',
      check({}, { annotations: [annotation({ end_line: 2, start_column: 1 })] }),
      /columns need equal/,
    ],
    [
      '/check-runs',
      'line 0',
      check({}, { annotations: [annotation({ start_line: 0, end_line: 0 })] }),
      /not a range/,
    ],
    [
      '/check-runs',
      'a long title',
      check({}, { annotations: [annotation({ title: 't'.repeat(256) })] }),
      /title is too long/,
    ],
    [
      '/check-runs',
      'a message over 64 KB',
      check({}, { annotations: [annotation({ message: 'm'.repeat(65_537) })] }),
      /64 KB/,
    ],
    [
      '/check-runs',
      'a path out of the repository',
      check({}, { annotations: [annotation({ path: '../x' })] }),
      /relative to the repository/,
    ],
  ])('%s with %s is refused by a rule', async (path, _what, body, expected) => {
    const { status, body: reply } = await call('POST', path, body);
    expect(status).toBe(422);
    expect(JSON.stringify(reply)).toMatch(expected);
    expect(github.state.violations).toEqual([]);
  });

  test('permissions are those of the token', async () => {
    expect((await call('POST', '/issues/12/comments', { body: 'x' }, 'reader')).status).toBe(403);
    expect((await call('POST', '/check-runs', check(), 'reader')).status).toBe(403);
    expect((await call('POST', '/pulls/12/comments', remark(), 'reader')).status).toBe(403);
    expect((await call('POST', '/check-runs', check(), 'person')).status).toBe(403);
    expect((await call('GET', '/issues/12/comments', undefined, 'nobody')).status).toBe(401);
    github.state.private = true;
    expect((await call('GET', '/pulls/12', undefined, 'other')).status).toBe(403);
    expect((await call('GET', '/pulls/12', undefined, 'reader')).status).toBe(200);
    addPull(github.state, { number: 14, locked: true });
    expect((await call('POST', '/issues/14/comments', { body: 'x' })).body.message).toContain(
      'locked',
    );
  });

  test("a check run belongs to the app that made it, and the workflow's token completes it once", async () => {
    const { body } = await call('POST', '/check-runs', check());
    expect(
      (await call('PATCH', `/check-runs/${body.id}`, { output: { summary: 's' } }, 'other')).body
        .message,
    ).toContain('Invalid app_id');
    expect(
      (
        await call('PATCH', `/check-runs/${body.id}`, {
          status: 'completed',
          conclusion: 'failure',
        })
      ).status,
    ).toBe(403);
    expect(github.state.checkRuns[0]?.conclusion).toBe('success');
  });

  test('an operation it does not know is a violation, not an empty answer', async () => {
    expect((await call('GET', '/issues')).status).toBe(404);
    expect(github.state.violations).toEqual([
      'GET /repos/acme/prompts/issues is not an operation of this stand-in',
    ]);
  });
});
