import { publishComment, type CommentJob } from '../../../../src/edges/github/comment.ts';
import {
  ACTIONS_BOT,
  addComment,
  personalToken,
  workflowToken,
  type GitHubStandIn,
} from '../../../stand-ins/github/index.ts';
import { HEAD, REPOSITORY, setup } from './setup.ts';

const MARKER = '<!-- evaldiff:report -->';
const mallory = { login: 'mallory-example', id: 666, type: 'User' } as const;
const eve = { login: 'eve-example', id: 667, type: 'User' } as const;
const ada = { login: 'ada-example', id: 2001, type: 'User' } as const;

const BOT = 'github-actions[bot]';
const report = (text: string) => `${MARKER}\n${text}`;
const written = (id: unknown, ...warnings: string[]) => ({ ok: true, id, warnings });
const refused = (why: string) => ({ ok: false, warning: `The comment was not written: ${why}` });
const notOurs = (names: string) =>
  `A comment by ${names} contains the marker of this report, but evaldiff did not write it. It was not changed.`;

function job(more: Partial<CommentJob> = {}): CommentJob {
  return {
    repository: REPOSITORY,
    pullRequest: 12,
    headSha: HEAD,
    marker: MARKER,
    body: report('nothing regressed'),
    mode: 'auto',
    wanted: true,
    fork: false,
    announced: null,
    superseded: report('superseded'),
    ...more,
  };
}

/** A simulated GitHub with pull request 12, and helpers for the tests. */
async function ready(...given: Parameters<typeof setup>) {
  const made = await setup(...given);
  const publish = (more: Partial<CommentJob> = {}) => publishComment(made.client, job(more));
  const add = (user: typeof ACTIONS_BOT | typeof ada, text: string) =>
    addComment(made.github.state, 12, user, text);
  return { ...made, publish, add };
}

const bodies = (github: GitHubStandIn) =>
  github.state.comments.map(({ user, body }) => [user.login, body]);

describe('the sticky comment', () => {
  test('is posted by the first run and updated by the second', async () => {
    const { github, publish } = await ready();
    const first = await publish();
    const second = await publish({ body: report('worse') });
    expect(second).toEqual(first);
    expect(first).toEqual(written(github.state.comments[0]?.id));
    expect(bodies(github)).toEqual([[BOT, report('worse')]]);
    expect(github.state.violations).toEqual([]);
  });

  test('is not sent again if its text is equal, even with different line endings', async () => {
    const { requests, publish, add } = await ready();
    const { id } = add(ACTIONS_BOT, `${MARKER}\r\nnothing regressed\r\n`);
    expect(await publish()).toEqual(written(id));
    expect(requests().filter((request) => !request.startsWith('GET'))).toEqual(['POST /graphql']);
  });

  test("of a personal token is separate from the workflow token's comment", async () => {
    const { github, publish, add } = await ready(personalToken(ada));
    add(ACTIONS_BOT, report('by the workflow'));
    const result = await publish();
    expect(result.ok && result.warnings).toEqual([notOurs('github-actions[bot]')]);
    expect(bodies(github)).toEqual([
      [BOT, report('by the workflow')],
      ['ada-example', job().body],
    ]);
  });

  test('must start with the marker', async () => {
    const { github, publish, add } = await ready();
    add(ACTIONS_BOT, 'coverage is 80 %');
    add(ACTIONS_BOT, `as quoted: ${MARKER}`);
    await publish();
    expect(github.state.comments).toHaveLength(3);
    expect(github.state.comments[2]?.body).toBe(job().body);
  });
});

describe('comment mode', () => {
  test.each(['auto', 'findings'] as const)(
    '"%s" creates no comment that is not wanted, but updates an existing one',
    async (mode) => {
      const { github, publish, add } = await ready();
      expect(await publish({ wanted: false, mode })).toEqual(written(null));
      expect(github.state.comments).toEqual([]);
      const { id } = add(ACTIONS_BOT, report('2 regressed'));
      expect(await publish({ wanted: false, mode })).toEqual(written(id));
      expect(bodies(github)).toEqual([[BOT, job().body]]);
    },
  );

  test('"always" posts a comment, and "never" makes no request', async () => {
    const { github, requests, publish } = await ready();
    expect(await publish({ wanted: false, mode: 'never' })).toEqual(written(null));
    expect(requests()).toEqual([]);
    expect((await publish({ wanted: false, mode: 'always' })).ok).toBe(true);
    expect(github.state.comments).toHaveLength(1);
  });
});

describe("evaldiff's own comment", () => {
  test('is found on page 3, and a forged one is skipped and named', async () => {
    const { github, requests, publish, add } = await ready();
    add(mallory, report('all is well'));
    for (let index = 0; index < 240; index += 1) add(ada, `remark ${index}`);
    const { id } = add(ACTIONS_BOT, report('old'));
    const result = await publish();
    expect(result).toEqual(written(id, notOurs('mallory-example')));
    expect(github.state.comments[0]?.body).toBe(report('all is well'));
    expect(github.state.comments.at(-1)?.body).toBe(job().body);
    expect(requests().filter((request) => request === 'GET /issues/12/comments')).toHaveLength(3);
    expect(github.state.violations).toEqual([]);
  });

  test('is created if all existing ones are forged', async () => {
    const { github, publish, add } = await ready();
    add(mallory, report('1'));
    add(eve, report('2'));
    const result = await publish();
    expect(result.ok && result.warnings).toEqual([notOurs('mallory-example, eve-example')]);
    expect(bodies(github)).toEqual([
      ['mallory-example', report('1')],
      ['eve-example', report('2')],
      [BOT, job().body],
    ]);
  });

  test('is distinguished from many forged ones; the warning omits unsafe account names', async () => {
    const { publish, add } = await ready();
    add({ login: '::error::\u001b[31mx', id: 700, type: 'User' }, MARKER);
    for (let index = 0; index < 4; index += 1)
      add({ login: `spoof-${index}`, id: 701 + index, type: 'User' }, MARKER);
    const result = await publish();
    expect(result.ok && result.warnings).toEqual([
      notOurs('another account, spoof-0, spoof-1 and 2 more'),
    ]);
  });

  test('belongs to the app, not to a user of the same name', async () => {
    const { github, publish, add } = await ready();
    add({ login: 'github-actions', id: 99, type: 'User' }, report('spoof'));
    await publish();
    expect(github.state.comments.map(({ body }) => body)).toEqual([report('spoof'), job().body]);
  });

  test("is recognized by the account's id if the name is spelled differently", async () => {
    const { publish, add } = await ready();
    const { id } = add({ ...ACTIONS_BOT, login: 'github-actions' }, report('old'));
    expect(await publish()).toEqual(written(id));
  });
});

describe('concurrent runs', () => {
  test('update the newest of several comments and delete the others', async () => {
    const { github, publish, add } = await ready();
    for (const text of ['1', '2', '3']) add(ACTIONS_BOT, `${MARKER}\n${text}`);
    const newest = github.state.comments[2]?.id;
    expect(await publish()).toEqual(written(newest));
    expect(github.state.comments.map(({ id, body }) => [id, body])).toEqual([[newest, job().body]]);
  });

  test('delete an older comment that another run made meanwhile', async () => {
    const { github, publish, add } = await ready();
    github.intercept(
      'POST',
      /\/comments$/,
      () => void add(ACTIONS_BOT, report('from the other run')),
    );
    const result = await publish();
    expect(bodies(github)).toEqual([[BOT, job().body]]);
    expect(result).toEqual(written(github.state.comments[0]?.id));
  });

  test('leave exactly one comment', async () => {
    const { github, publish } = await ready();
    await Promise.all([publish({ body: report('A') }), publish({ body: report('B') })]);
    expect(github.state.comments).toHaveLength(1);
    expect(github.state.violations).toEqual([]);
  });

  test('never delete the comment of a newer run', async () => {
    const { github, requests, publish, add } = await ready();
    github.intercept('GET', /\/comments$/, ({ count }) => {
      if (count === 2) add(ACTIONS_BOT, report('from the newer run'));
      return undefined;
    });
    expect((await publish()).ok).toBe(true);
    expect(bodies(github)).toContainEqual([BOT, report('from the newer run')]);
    expect(requests().some((request) => request.startsWith('DELETE'))).toBe(false);
  });

  test('write nothing if the pull request has a newer head', async () => {
    const { github, publish, add } = await ready();
    add(ACTIONS_BOT, report('about the newer head'));
    const result = await publish({ headSha: 'd'.repeat(40) });
    expect(result).toEqual(
      refused('it is about ddddddd, but the pull request is at aaaaaaa by now.'),
    );
    expect(bodies(github)).toEqual([[BOT, report('about the newer head')]]);
  });

  test('remove their comment if a push arrives while they write', async () => {
    const { github, publish, add } = await ready();
    github.intercept('POST', /\/comments$/, () => {
      github.state.pulls.get(12)!.head.sha = 'e'.repeat(40);
      add(ACTIONS_BOT, report('about the newer head'));
      return undefined;
    });
    expect(await publish()).toEqual(
      refused('it is about aaaaaaa, but the pull request is at eeeeeee by now.'),
    );
    expect(bodies(github)).toEqual([[BOT, report('about the newer head')]]);
  });

  test('create the comment again if it was deleted meanwhile', async () => {
    const { github, publish, add } = await ready();
    const { id } = add(ACTIONS_BOT, report('old'));
    github.intercept('PATCH', /\/comments\//, () => void github.state.comments.splice(0));
    const result = await publish();
    expect(result.ok && result.id !== id).toBe(true);
    expect(bodies(github)).toEqual([[BOT, job().body]]);
  });

  test('warn about a duplicate that cannot be deleted', async () => {
    const { github, publish, add } = await ready();
    const old = add(ACTIONS_BOT, report('1'));
    const { id } = add(ACTIONS_BOT, report('2'));
    const body = { message: 'Resource not accessible by integration', documentation_url: 'x' };
    github.intercept('DELETE', /\/comments\//, () => ({ status: 403, body }));
    expect(await publish()).toEqual(
      written(
        id,
        `Our outdated comment ${old.id} was not removed: the token is not allowed to do this (403). Give the job \`permissions: pull-requests: write\`.`,
      ),
    );
  });
});

describe('a failed GitHub request is a warning', () => {
  test('that names the missing permission of the token', async () => {
    const { github, publish } = await ready(workflowToken({ pull_requests: 'read' }));
    expect(await publish()).toEqual(
      refused(
        'the token is not allowed to do this (403). Give the job `permissions: pull-requests: write`.',
      ),
    );
    expect(github.state.violations).toEqual([]);
  });

  test("that explains a fork's read-only token", async () => {
    const { publish } = await ready(workflowToken({ pull_requests: 'read' }));
    expect(await publish({ fork: true })).toEqual(
      refused(
        'the token is not allowed to do this (403). GitHub gives pull requests from forks and by Dependabot a read-only token. Other runs need `permissions: pull-requests: write` for the job.',
      ),
    );
  });

  test.each(['', 'expired'])('for a rejected token: "%s"', async (token) => {
    const { publish } = await ready(undefined, { token });
    const why = 'GitHub does not accept the token (401). Check the input github-token.';
    expect(await publish()).toEqual(refused(why));
  });

  test('for an unknown pull request', async () => {
    const { publish } = await ready();
    const why =
      'GitHub answered "not found" (404). The token may have no access to this repository, or lacks `pull-requests: write`.';
    expect(await publish({ pullRequest: 99 })).toEqual(refused(why));
  });

  test('for a locked conversation', async () => {
    const { github, publish } = await ready();
    github.state.pulls.get(12)!.locked = true;
    expect(await publish()).toEqual(refused('the conversation is locked (403).'));
  });

  test("that quotes and escapes GitHub's message about rejected content", async () => {
    const { github, publish } = await ready();
    const errors = [{ field: 'body', code: 'invalid', message: '\n::error::boo\u001b[31m' }];
    const body = { message: 'Validation Failed', documentation_url: 'x', errors };
    github.intercept('POST', /\/comments$/, () => ({ status: 422, body }));
    expect(await publish()).toEqual(
      refused(
        'GitHub rejects the content (422): Validation Failed; body \\u{a}:\\:error:\\:boo\\u{1b}[31m',
      ),
    );
  });

  test('if a proxy returns a web page instead of the list of comments', async () => {
    const { github, publish } = await ready();
    github.intercept('GET', /\/comments$/, () => 'html');
    expect(await publish()).toEqual(
      refused("GitHub's response does not have the documented form."),
    );
    expect(github.state.comments).toEqual([]);
  });

  test('if the list of comments is cut off twice, which does not count as an empty list', async () => {
    const { github, publish, add } = await ready();
    const { id } = add(ACTIONS_BOT, report('old'));
    github.intercept('GET', /\/comments$/, ({ count }) => (count === 1 ? 'cut' : undefined));
    expect(await publish()).toEqual(written(id));
    github.intercept('GET', /\/comments$/, () => 'cut');
    const result = await publish({ body: report('never arrives') });
    expect(!result.ok && result.warning).toMatch(
      /^The comment was not written: GitHub could not be reached \(/,
    );
    expect(github.state.comments).toHaveLength(1);
  });

  test.each([
    ['no list', { message: 'hello' }],
    ['a list of numbers', [1, 2]],
    ['comments without ids', [{ body: MARKER, user: { login: 'x', id: 1 } }]],
    ['null', null],
  ])('if the list of comments is %s', async (_what, body) => {
    const { github, publish } = await ready();
    github.intercept('GET', /\/comments$/, () => ({ status: 200, body }));
    const result = await publish();
    expect(result.ok).toBe(false);
    expect(!result.ok && result.warning).toMatch(/^The comment was not written: [^\n]+$/);
  });

  test("that the token's account is unknown; nothing is edited or posted", async () => {
    const { github, publish, add } = await ready();
    add(ACTIONS_BOT, report('old'));
    const body = { errors: [{ message: 'no' }] };
    github.intercept('POST', /\/graphql$/, () => ({ status: 200, body }));
    expect((await publish()).ok).toBe(false);
    expect(bodies(github)).toEqual([[BOT, report('old')]]);
  });

  test('and the result still has the id of a comment written before the failure', async () => {
    const { github, publish } = await ready();
    const missing = { status: 404, body: { message: 'Not Found', documentation_url: 'x' } };
    github.intercept('GET', /\/comments$/, ({ count }) => (count > 1 ? missing : undefined));
    const result = await publish();
    expect(result).toMatchObject({ ok: true, id: github.state.comments[0]?.id });
    expect(result.ok && result.warnings[0]).toMatch(
      /^The comment was written, but older comments of evaldiff may remain: /,
    );
  });
});
