import { describe, expect, test } from '@jest/globals';
import { MAX_COMMENT, publishComment } from '../../../../src/edges/github/comment.ts';
import type { CommentJob } from '../../../../src/edges/github/comment.ts';
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

function job(more: Partial<CommentJob> = {}): CommentJob {
  return {
    repository: REPOSITORY,
    pullRequest: 12,
    headSha: HEAD,
    marker: MARKER,
    body: `${MARKER}\nnothing regressed`,
    mode: 'auto',
    ran: true,
    fork: false,
    announced: null,
    superseded: `${MARKER}\nsuperseded`,
    ...more,
  };
}

const bodies = (github: GitHubStandIn) =>
  github.state.comments.map(({ user, body }) => [user.login, body]);

describe('one comment, kept up to date', () => {
  test('the first run posts, the second updates the same comment', async () => {
    const { github, client } = await setup();
    const first = await publishComment(client, job());
    const second = await publishComment(client, job({ body: `${MARKER}\nworse` }));
    expect(second).toEqual(first);
    expect(first).toEqual({ ok: true, id: github.state.comments[0]?.id, warnings: [] });
    expect(bodies(github)).toEqual([['github-actions[bot]', `${MARKER}\nworse`]]);
    expect(github.state.violations).toEqual([]);
  });

  test('an equal body is not sent again, also when GitHub has changed its line ends', async () => {
    const { github, client, requests } = await setup();
    const { id } = addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\r\nnothing regressed\r\n`);
    expect(await publishComment(client, job())).toEqual({ ok: true, id, warnings: [] });
    expect(requests().filter((request) => !request.startsWith('GET'))).toEqual(['POST /graphql']);
  });

  test('a personal token has its own comment, and leaves that of the workflow alone', async () => {
    const { github, client } = await setup(personalToken(ada));
    addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\nby the workflow`);
    const result = await publishComment(client, job());
    expect(result.ok && result.warnings).toEqual([
      'A comment by github-actions[bot] carries the marker of this report. It is not ours and was left alone.',
    ]);
    expect(bodies(github)).toEqual([
      ['github-actions[bot]', `${MARKER}\nby the workflow`],
      ['ada-example', job().body],
    ]);
  });

  test('comments of ours without the marker in front are not the report', async () => {
    const { github, client } = await setup();
    addComment(github.state, 12, ACTIONS_BOT, 'coverage is 80 %');
    addComment(github.state, 12, ACTIONS_BOT, `as quoted: ${MARKER}`);
    await publishComment(client, job());
    expect(github.state.comments).toHaveLength(3);
    expect(github.state.comments[2]?.body).toBe(job().body);
  });
});

describe('when there is nothing to say', () => {
  test('auto posts nothing when nothing ran', async () => {
    const { github, client } = await setup();
    expect(await publishComment(client, job({ ran: false }))).toEqual({
      ok: true,
      id: null,
      warnings: [],
    });
    expect(github.state.comments).toEqual([]);
  });

  test('auto turns an existing comment back to green although nothing ran', async () => {
    const { github, client } = await setup();
    const { id } = addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\n2 regressed`);
    expect(await publishComment(client, job({ ran: false }))).toEqual({
      ok: true,
      id,
      warnings: [],
    });
    expect(bodies(github)).toEqual([['github-actions[bot]', job().body]]);
  });

  test('always posts, never does not even ask', async () => {
    const { github, client, requests } = await setup();
    expect(await publishComment(client, job({ ran: false, mode: 'never' }))).toEqual({
      ok: true,
      id: null,
      warnings: [],
    });
    expect(requests()).toEqual([]);
    expect((await publishComment(client, job({ ran: false, mode: 'always' }))).ok).toBe(true);
    expect(github.state.comments).toHaveLength(1);
  });
});

describe('whose comment it is', () => {
  test('a spoof first, ours on page 3: ours is updated, the spoof is untouched and named', async () => {
    const { github, client, requests } = await setup();
    addComment(github.state, 12, mallory, `${MARKER}\nall is well`);
    for (let index = 0; index < 240; index += 1)
      addComment(github.state, 12, ada, `remark ${index}`);
    const { id } = addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\nold`);
    const result = await publishComment(client, job());
    expect(result).toEqual({
      ok: true,
      id,
      warnings: [
        'A comment by mallory-example carries the marker of this report. It is not ours and was left alone.',
      ],
    });
    expect(github.state.comments[0]?.body).toBe(`${MARKER}\nall is well`);
    expect(github.state.comments.at(-1)?.body).toBe(job().body);
    expect(requests().filter((request) => request === 'GET /issues/12/comments')).toHaveLength(3);
    expect(github.state.violations).toEqual([]);
  });

  test('two spoofs and none of ours: a new comment is made', async () => {
    const { github, client } = await setup();
    addComment(github.state, 12, mallory, `${MARKER}\n1`);
    addComment(github.state, 12, eve, `${MARKER}\n2`);
    const result = await publishComment(client, job());
    expect(result.ok && result.warnings).toEqual([
      'A comment by mallory-example, eve-example carries the marker of this report. It is not ours and was left alone.',
    ]);
    expect(bodies(github)).toEqual([
      ['mallory-example', `${MARKER}\n1`],
      ['eve-example', `${MARKER}\n2`],
      ['github-actions[bot]', job().body],
    ]);
  });

  test('many spoofs are counted, and a name that is none is not repeated', async () => {
    const { github, client } = await setup();
    addComment(github.state, 12, { login: '::error::\u001b[31mx', id: 700, type: 'User' }, MARKER);
    for (let index = 0; index < 4; index += 1)
      addComment(
        github.state,
        12,
        { login: `spoof-${index}`, id: 701 + index, type: 'User' },
        MARKER,
      );
    const result = await publishComment(client, job());
    expect(result.ok && result.warnings).toEqual([
      'A comment by another account, spoof-0, spoof-1 and 2 more carries the marker of this report. It is not ours and was left alone.',
    ]);
  });

  test('a user called like the app without its brackets is not the app', async () => {
    const { github, client } = await setup();
    addComment(
      github.state,
      12,
      { login: 'github-actions', id: 99, type: 'User' },
      `${MARKER}\nspoof`,
    );
    await publishComment(client, job());
    expect(github.state.comments.map(({ body }) => body)).toEqual([`${MARKER}\nspoof`, job().body]);
  });

  test('the account is known by its number where the name is written differently', async () => {
    const { github, client } = await setup();
    const { id } = addComment(
      github.state,
      12,
      { ...ACTIONS_BOT, login: 'github-actions' },
      `${MARKER}\nold`,
    );
    expect(await publishComment(client, job())).toEqual({ ok: true, id, warnings: [] });
  });
});

describe('runs side by side', () => {
  test('of several comments of ours the newest is updated and the others go', async () => {
    const { github, client } = await setup();
    for (const text of ['1', '2', '3'])
      addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\n${text}`);
    const newest = github.state.comments[2]?.id;
    expect(await publishComment(client, job())).toEqual({ ok: true, id: newest, warnings: [] });
    expect(github.state.comments.map(({ id, body }) => [id, body])).toEqual([[newest, job().body]]);
  });

  test('a comment that another run made since we looked is removed when ours is newer', async () => {
    const { github, client } = await setup();
    github.intercept(
      'POST',
      /\/comments$/,
      () => void addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\nfrom the other run`),
    );
    const result = await publishComment(client, job());
    expect(bodies(github)).toEqual([['github-actions[bot]', job().body]]);
    expect(result).toEqual({ ok: true, id: github.state.comments[0]?.id, warnings: [] });
  });

  test('two runs at once leave exactly one comment', async () => {
    const { github, client } = await setup();
    await Promise.all([
      publishComment(client, job({ body: `${MARKER}\nA` })),
      publishComment(client, job({ body: `${MARKER}\nB` })),
    ]);
    expect(github.state.comments).toHaveLength(1);
    expect(github.state.violations).toEqual([]);
  });

  test('the older of two runs does not remove the comment of the newer', async () => {
    const { github, client, requests } = await setup();
    github.intercept('GET', /\/comments$/, ({ count }) => {
      if (count === 2) addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\nfrom the newer run`);
      return undefined;
    });
    expect((await publishComment(client, job())).ok).toBe(true);
    expect(bodies(github)).toContainEqual(['github-actions[bot]', `${MARKER}\nfrom the newer run`]);
    expect(requests().some((request) => request.startsWith('DELETE'))).toBe(false);
  });

  test("a run whose head is no longer the pull request's writes nothing and says so", async () => {
    const { github, client } = await setup();
    addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\nabout the newer head`);
    const result = await publishComment(client, job({ headSha: 'd'.repeat(40) }));
    expect(result).toEqual({
      ok: false,
      warning:
        'The comment was not written: it is about ddddddd, but the pull request is at aaaaaaa by now.',
    });
    expect(bodies(github)).toEqual([['github-actions[bot]', `${MARKER}\nabout the newer head`]]);
  });

  test('a push between looking and writing: ours goes again, that of the newer run stays', async () => {
    const { github, client } = await setup();
    github.intercept('POST', /\/comments$/, () => {
      const pull = github.state.pulls.get(12);
      if (pull !== undefined) pull.head.sha = 'e'.repeat(40);
      addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\nabout the newer head`);
      return undefined;
    });
    const result = await publishComment(client, job());
    expect(result).toEqual({
      ok: false,
      warning:
        'The comment was not written: it is about aaaaaaa, but the pull request is at eeeeeee by now.',
    });
    expect(bodies(github)).toEqual([['github-actions[bot]', `${MARKER}\nabout the newer head`]]);
  });

  test('a comment that was deleted since we looked is made anew', async () => {
    const { github, client } = await setup();
    const { id } = addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\nold`);
    github.intercept('PATCH', /\/comments\//, () => void github.state.comments.splice(0));
    const result = await publishComment(client, job());
    expect(result.ok && result.id !== id).toBe(true);
    expect(bodies(github)).toEqual([['github-actions[bot]', job().body]]);
  });

  test('a duplicate that cannot be removed is a warning beside the report', async () => {
    const { github, client } = await setup();
    const old = addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\n1`);
    const { id } = addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\n2`);
    github.intercept('DELETE', /\/comments\//, () => ({
      status: 403,
      body: { message: 'Resource not accessible by integration', documentation_url: 'x' },
    }));
    expect(await publishComment(client, job())).toEqual({
      ok: true,
      id,
      warnings: [
        `Our outdated comment ${old.id} was not removed: the token may not do this (403). Give the job \`permissions: pull-requests: write\`.`,
      ],
    });
  });
});

describe('what GitHub or the network refuses is a warning', () => {
  test('a token without the right: the permission is named', async () => {
    const { client, github } = await setup(workflowToken({ pull_requests: 'read' }));
    expect(await publishComment(client, job())).toEqual({
      ok: false,
      warning:
        'The comment was not written: the token may not do this (403). Give the job `permissions: pull-requests: write`.',
    });
    expect(github.state.violations).toEqual([]);
  });

  test('a fork: the reason is that forks only read', async () => {
    const { client } = await setup(workflowToken({ pull_requests: 'read' }));
    expect(await publishComment(client, job({ fork: true }))).toEqual({
      ok: false,
      warning:
        'The comment was not written: the token may not do this (403). GitHub gives pull requests from forks and by Dependabot a token that only reads; elsewhere the job needs `permissions: pull-requests: write`.',
    });
  });

  test.each<[string, Parameters<typeof setup>, Partial<CommentJob>, string]>([
    [
      'an empty token',
      [undefined, { token: '' }],
      {},
      'GitHub does not accept the token (401). Check the input github-token.',
    ],
    [
      'a wrong token',
      [undefined, { token: 'expired' }],
      {},
      'GitHub does not accept the token (401). Check the input github-token.',
    ],
    [
      'an unknown pull request',
      [],
      { pullRequest: 99 },
      'GitHub does not find it (404). The token may not see this repository, or lacks `pull-requests: write`.',
    ],
  ])('%s', async (_what, args, more, warning) => {
    const { client } = await setup(...args);
    expect(await publishComment(client, job(more))).toEqual({
      ok: false,
      warning: `The comment was not written: ${warning}`,
    });
  });

  test('a locked conversation', async () => {
    const { client, github } = await setup();
    const pull = github.state.pulls.get(12);
    if (pull !== undefined) pull.locked = true;
    expect(await publishComment(client, job())).toEqual({
      ok: false,
      warning: 'The comment was not written: the conversation is locked (403).',
    });
  });

  test('a content that GitHub refuses: its words, filtered', async () => {
    const { client, github } = await setup();
    github.intercept('POST', /\/comments$/, () => ({
      status: 422,
      body: {
        message: 'Validation Failed',
        documentation_url: 'x',
        errors: [{ field: 'body', code: 'invalid', message: '\n::error::boo\u001b[31m' }],
      },
    }));
    const result = await publishComment(client, job());
    expect(result).toEqual({
      ok: false,
      warning:
        'The comment was not written: GitHub refuses the content (422): Validation Failed; body \\u{a}:\\:error:\\:boo\\u{1b}[31m',
    });
  });

  test('a page of a proxy in place of the list', async () => {
    const { client, github } = await setup();
    github.intercept('GET', /\/comments$/, () => 'html');
    expect(await publishComment(client, job())).toEqual({
      ok: false,
      warning:
        'The comment was not written: GitHub sent an answer that is not what its API describes.',
    });
    expect(github.state.comments).toEqual([]);
  });

  test('a list that breaks off is asked for again, and never taken for an empty one', async () => {
    const { client, github } = await setup();
    const { id } = addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\nold`);
    github.intercept('GET', /\/comments$/, ({ count }) => (count === 1 ? 'cut' : undefined));
    expect(await publishComment(client, job())).toEqual({ ok: true, id, warnings: [] });
    github.intercept('GET', /\/comments$/, () => 'cut');
    const result = await publishComment(client, job({ body: `${MARKER}\nnever arrives` }));
    expect(!result.ok && result.warning).toMatch(
      /^The comment was not written: GitHub could not be reached \(/,
    );
    expect(github.state.comments).toHaveLength(1);
  });

  test.each<[string, unknown]>([
    ['no list', { message: 'hello' }],
    ['a list of numbers', [1, 2]],
    ['comments without ids', [{ body: MARKER, user: { login: 'x', id: 1 } }]],
    ['null', null],
  ])('a list that is %s', async (_what, body) => {
    const { client, github } = await setup();
    github.intercept('GET', /\/comments$/, () => ({ status: 200, body }));
    const result = await publishComment(client, job());
    expect(result.ok).toBe(false);
    expect(!result.ok && result.warning).toMatch(/^The comment was not written: [^\n]+$/);
  });

  test('an unknown own identity: nothing is edited and nothing posted', async () => {
    const { client, github } = await setup();
    addComment(github.state, 12, ACTIONS_BOT, `${MARKER}\nold`);
    github.intercept('POST', /\/graphql$/, () => ({
      status: 200,
      body: { errors: [{ message: 'no' }] },
    }));
    expect((await publishComment(client, job())).ok).toBe(false);
    expect(bodies(github)).toEqual([['github-actions[bot]', `${MARKER}\nold`]]);
  });

  test('a failure after the comment was written does not make it unwritten', async () => {
    const { client, github } = await setup();
    github.intercept('GET', /\/comments$/, ({ count }) =>
      count > 1
        ? { status: 404, body: { message: 'Not Found', documentation_url: 'x' } }
        : undefined,
    );
    const result = await publishComment(client, job());
    expect(result).toMatchObject({ ok: true, id: github.state.comments[0]?.id });
    expect(result.ok && result.warnings[0]).toMatch(
      /^The comment was written, but other comments of ours were not looked for: /,
    );
  });
});

describe('limits', () => {
  test('65,536 characters are sent, 65,537 are refused before anything is sent', async () => {
    const { client, github, requests } = await setup();
    expect(
      await publishComment(client, job({ body: MARKER.padEnd(MAX_COMMENT + 1, 'x') })),
    ).toEqual({
      ok: false,
      warning: 'The comment was not written: it has 65537 characters, and GitHub takes 65536.',
    });
    expect(requests()).toEqual([]);
    expect((await publishComment(client, job({ body: MARKER.padEnd(MAX_COMMENT, 'x') }))).ok).toBe(
      true,
    );
    expect(github.state.violations).toEqual([]);
  });

  test('a body that its own marker would not find again is refused', async () => {
    const { client, requests } = await setup();
    expect((await publishComment(client, job({ body: `text ${MARKER}` }))).ok).toBe(false);
    expect((await publishComment(client, job({ marker: '' }))).ok).toBe(false);
    expect(requests()).toEqual([]);
  });
});
