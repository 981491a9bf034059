import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import { webRequest } from '../../../../src/edges/github/web-request.ts';
import { publishTo } from '../../../../src/features/publish/command.ts';
import { REVIEW_SERVICES } from '../../../../src/features/publish/services.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { ROOT } from '../../../contract/source-graph.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import { FEATURES } from '../../../stand-ins/features.ts';
import { hostileTexts } from '../../../stand-ins/hostile-text.ts';
import { bodyOf, listen } from '../../../stand-ins/loopback.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { green, hostile, regression } from '../../../unit/report/results.ts';

type Name = keyof typeof REVIEW_SERVICES;

const SHA = 'a'.repeat(40);
const TOKEN = 'glpat-0123456789abcdef';

interface Comment {
  id: number;
  author: number;
  text: string;
}
interface State {
  head: string;
  comments: Comment[];
  statuses: Record<string, unknown>[];
  /** Status codes for the next requests by their method and a part of their path. */
  refuses: { method: string; path: RegExp; status: number }[];
}
type Reply = [status: number, body: unknown];
interface Api {
  isAllowed(request: IncomingMessage): boolean;
  answer(state: State, method: string, path: string, body: Record<string, unknown>): Reply;
  env(url: string): Record<string, string>;
}

const ME = 7;

const added = (state: State, text: unknown): Comment => {
  const comment = { id: 100 + state.comments.length, author: ME, text: String(text) };
  state.comments.push(comment);
  return comment;
};
const changed = (state: State, id: string, text: unknown, code = 200): Reply => {
  const comment = state.comments.find((each) => String(each.id) === id);
  if (comment === undefined) return [404, {}];
  if (comment.author !== ME) return [403, { message: 'no' }];
  comment.text = String(text);
  return [code, { id: comment.id }];
};
const said = (state: State, body: Record<string, unknown>): Reply => {
  state.statuses.push(body);
  return [201, {}];
};

/** Each service by its documented paths, headers and fields. */
const APIS: Readonly<Record<Name, Api>> = {
  gitlab: {
    isAllowed: ({ headers }) => headers['private-token'] === TOKEN,
    env: (url) => ({
      CI_API_V4_URL: `${url}/api/v4`,
      CI_PROJECT_ID: '12',
      CI_MERGE_REQUEST_IID: '3',
      CI_COMMIT_SHA: 'c'.repeat(40),
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: SHA,
      CI_PROJECT_URL: 'https://gitlab.example/shop',
      CI_JOB_URL: 'https://gitlab.example/shop/-/jobs/9',
    }),
    answer(state, method, path, body) {
      const request = '/api/v4/projects/12/merge_requests/3';
      const [, page] = /^(?:.*)\/notes\?per_page=100&page=(\d+)$/.exec(path) ?? [];
      if (path === '/api/v4/user') return [200, { id: ME, username: 'bot' }];
      if (method === 'GET' && path === request) return [200, { iid: 3, sha: state.head }];
      if (method === 'GET' && page !== undefined)
        return [
          200,
          state.comments
            .slice((Number(page) - 1) * 100, Number(page) * 100)
            .map(({ id, author, text }) => ({ id, body: text, author: { id: author } })),
        ];
      if (method === 'POST' && path === `${request}/notes`)
        return [201, { id: added(state, body['body']).id }];
      if (method === 'PUT' && path.startsWith(`${request}/notes/`))
        return changed(state, path.split('/').at(-1) ?? '', body['body']);
      const states = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'];
      if (method === 'POST' && path === `/api/v4/projects/12/statuses/${SHA}`)
        return states.includes(String(body['state'])) ? said(state, body) : [400, {}];
      return [404, {}];
    },
  },
  bitbucket: {
    isAllowed: ({ headers }) => headers.authorization === `Bearer ${TOKEN}`,
    env: () => ({
      BITBUCKET_REPO_FULL_NAME: 'team/shop',
      BITBUCKET_PR_ID: '3',
      BITBUCKET_COMMIT: SHA,
      BITBUCKET_BUILD_NUMBER: '5',
    }),
    answer(state, method, path, body) {
      const own = '/2.0/repositories/team/shop';
      const comments = `${own}/pullrequests/3/comments`;
      if (method === 'GET' && path === `${own}/pullrequests/3`)
        return [200, { source: { commit: { hash: state.head.slice(0, 12) } } }];
      if (method === 'GET' && path.startsWith(`${comments}?`)) {
        const page = Number(new URL(path, 'http://x').searchParams.get('page') ?? '1');
        const values = state.comments.slice((page - 1) * 2, page * 2);
        const next = `https://api.bitbucket.org${comments}?pagelen=100&page=${page + 1}`;
        return [
          200,
          {
            values: values.map(({ id, text }) => ({ id, content: { raw: text } })),
            ...(state.comments.length > page * 2 ? { next } : {}),
          },
        ];
      }
      const { raw } = (body['content'] ?? {}) as { raw?: string };
      if (method === 'POST' && path === comments) return [201, { id: added(state, raw).id }];
      if (method === 'PUT' && path.startsWith(`${comments}/`))
        return changed(state, path.split('/').at(-1) ?? '', raw);
      const states = ['SUCCESSFUL', 'FAILED', 'INPROGRESS', 'STOPPED'];
      if (method === 'POST' && path === `${own}/commit/${SHA}/statuses/build`)
        return states.includes(String(body['state'])) && String(body['url']).startsWith('https:')
          ? said(state, body)
          : [400, {}];
      return [404, {}];
    },
  },
  azure: {
    isAllowed: ({ headers }) => headers.authorization === `Bearer ${TOKEN}`,
    env: (url) => ({
      SYSTEM_COLLECTIONURI: `${url}/team/`,
      SYSTEM_TEAMPROJECT: 'Our Shop',
      BUILD_REPOSITORY_ID: 'r-1',
      BUILD_REPOSITORY_NAME: 'shop',
      BUILD_BUILDID: '5',
      SYSTEM_PULLREQUEST_PULLREQUESTID: '3',
      SYSTEM_PULLREQUEST_SOURCECOMMITID: SHA,
    }),
    answer(state, method, path, body) {
      const own = '/team/Our%20Shop/_apis/git/repositories/r-1/pullRequests/3';
      const [route = '', query = ''] = path.split('?');
      if (!/^api-version=7\.1(?:-preview\.1)?$/.test(query)) return [400, {}];
      if (route === '/team/_apis/connectionData')
        return [200, { authenticatedUser: { id: String(ME) } }];
      if (method === 'GET' && route === own)
        return [200, { lastMergeSourceCommit: { commitId: state.head } }];
      if (method === 'GET' && route === `${own}/threads`)
        return [
          200,
          {
            value: state.comments.map(({ id, author, text }) => ({
              id,
              comments: [{ id: 1, content: text, author: { id: String(author) } }],
            })),
          },
        ];
      if (method === 'POST' && route === `${own}/threads`) {
        const [first] = body['comments'] as { content: string }[];
        return [200, { id: added(state, first?.content).id }];
      }
      const [, id] = new RegExp(`^${own}/threads/(\\d+)/comments/1$`).exec(route) ?? [];
      if (method === 'PATCH' && id !== undefined) return changed(state, id, body['content']);
      const states = ['notSet', 'pending', 'succeeded', 'failed', 'error', 'notApplicable'];
      if (method === 'POST' && route === `${own}/statuses`)
        return states.includes(String(body['state'])) ? said(state, body) : [400, {}];
      return [404, {}];
    },
  },
};

async function started(name: Name) {
  const state: State = { head: SHA, comments: [], statuses: [], refuses: [] };
  const api = APIS[name];
  const { url, close } = await listen(
    createServer((request, response) => {
      void bodyOf(request).then((bytes) => {
        const { method = '', url: path = '' } = request;
        const refused = state.refuses.find(
          (each) => each.method === method && each.path.test(path),
        );
        const body = (bytes.length > 0 ? JSON.parse(String(bytes)) : {}) as Record<string, unknown>;
        const [status, reply]: Reply = !api.isAllowed(request)
          ? [401, {}]
          : refused !== undefined
            ? [refused.status, `no, ${TOKEN}`]
            : api.answer(state, method, path, body);
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(reply));
      });
    }),
  );
  afterThisTest(close);
  const env = { ...api.env(url), [REVIEW_SERVICES[name].token]: TOKEN };
  const publish = (result: Result, changes: Record<string, string | undefined> = {}) =>
    publishTo(
      REVIEW_SERVICES[name],
      { result, name: 'evaldiff' },
      { env: { ...env, ...changes }, features: FEATURES },
      (address, request) => webRequest(address.replace('https://api.bitbucket.org', url), request),
    );
  return { state, publish };
}

const NAMES = Object.keys(REVIEW_SERVICES) as Name[];
const WRITTEN = ['The comment was written.', 'The status was written.'];

describe.each(NAMES)('publishing to %s', (name) => {
  test('writes one comment with the verdict, and updates it in the next job', async () => {
    const { state, publish } = await started(name);
    state.comments.push({ id: 1, author: 8, text: 'looks fine' }, { id: 2, author: 8, text: 'x' });
    expect(await publish(regression())).toEqual(WRITTEN);
    expect(await publish(green())).toEqual(WRITTEN);
    const [, , own, ...more] = state.comments;
    expect(more).toEqual([]);
    expect(own?.text).toMatch(/^### ✅ No regression/m);
    expect(own?.text).not.toContain('github.com');
    const states = state.statuses.map((each) => String(each['state']).toLowerCase());
    expect(states).toEqual(['failed', expect.stringMatching(/^success|^succeeded/)]);
    expect(state.statuses[0]).toMatchObject({
      description: expect.stringContaining('regressed') as unknown,
    });
  });

  test("links to the service, and does not change another account's comment", async () => {
    const { state, publish } = await started(name);
    const { marker } = REVIEW_SERVICES[name];
    state.comments.push({ id: 1, author: 8, text: `${marker('evaldiff')}\nfake` });
    expect(await publish(regression())).toEqual(WRITTEN);
    expect(state.comments[0]?.text).toContain('fake');
    expect(state.comments[1]?.text).toMatch(
      { gitlab: /\/-\/blob\//, bitbucket: /\/src\//, azure: /\?path=\// }[name],
    );
  });

  test('does not write about an older commit', async () => {
    const { state, publish } = await started(name);
    state.head = 'b'.repeat(40);
    const [comment] = await publish(green());
    expect(comment).toMatch(
      /^The comment was not written: the \w+ request is at bbbbbbbbbbbb by now/,
    );
    expect(state.comments).toEqual([]);
  });

  test.each([
    [401, /does not accept the token in \w+ \(401\)/],
    [403, /refuses it \(403\)\. The token in \w+ needs /],
    [500, /answers 500: "no, \*\*\*"/],
  ])('says what is wrong if the service answers %i', async (status, words) => {
    const { state, publish } = await started(name);
    state.refuses.push({ method: 'POST', path: /./, status });
    const lines = await publish(green());
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(words);
    expect(lines.join(' ')).not.toContain(TOKEN);
  });

  test('publishes nothing without a token or outside a pull request, and says so', async () => {
    const { state, publish } = await started(name);
    const { token, variables } = REVIEW_SERVICES[name];
    expect(await publish(green(), { [token]: undefined })).toEqual([
      expect.stringMatching(
        `^Nothing was published: set ${token} to .* Jobs of a fork do not get it`,
      ),
    ]);
    expect(await publish(green(), { [variables[1] ?? '']: undefined })).toEqual([
      expect.stringContaining(`${variables[1] ?? ''} is not set`),
    ]);
    expect([state.comments, state.statuses]).toEqual([[], []]);
  });
});

test('a comment on GitLab has no line that GitLab runs as a command', async () => {
  const { state, publish } = await started('gitlab');
  const result = hostile();
  await publish({ ...result, problems: [{ place: null, message: '/merge' }] });
  expect(Object.keys(hostileTexts)).toContain('slash command');
  expect(state.comments[0]?.text).not.toMatch(/^\s*\//m);
});

test('a comment on Bitbucket has no HTML, but the cause and the next step', async () => {
  const { state, publish } = await started('bitbucket');
  await publish(regression());
  expect(state.comments[0]?.text).not.toMatch(/<\/?(?:details|table|sub|p|td|code)\b/);
  expect(state.comments[0]?.text).toContain('**What changed:**');
  expect(state.comments[0]?.text).toContain('**Next**');
});

/** The commands of a CI file's one job, as the service joins them. */
function scriptOf(file: string): string {
  const found: string[] = [];
  const visit = (value: unknown, key: string): void => {
    if (typeof value === 'string' && ['script', 'run'].includes(key)) found.push(value);
    else if (value !== null && typeof value === 'object')
      for (const [name, inner] of Object.entries(value))
        visit(inner, Array.isArray(value) ? key : name);
  };
  const page = readFileSync(join(ROOT, 'docs/other-ci.md'), 'utf8');
  const [, block = ''] = new RegExp(`\`\`\`yaml\\n# ${file}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  visit(parse(block), '');
  return found.join('\n');
}

describe('the CI files of docs/other-ci.md', () => {
  const folder = () => {
    const bin = temporaryFolder('bin');
    writeFileSync(join(bin, 'npm'), '#!/bin/sh\n');
    writeFileSync(
      join(bin, 'npx'),
      '#!/bin/sh\necho "$@" >> "$CALLS"\n[ "$2" = "$FAILS" ] && exit 1\nexit 0\n',
    );
    for (const name of ['npm', 'npx']) chmodSync(join(bin, name), 0o755);
    return bin;
  };
  const run = (script: string, fails: string) => {
    const bin = folder();
    const calls = join(bin, 'calls');
    const env = {
      PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
      CALLS: calls,
      FAILS: fails,
    };
    let code = 0;
    try {
      execFileSync('bash', ['-e', '-c', script], { env });
    } catch (error) {
      code = (error as { status: number }).status;
    }
    return { code, calls: readFileSync(calls, 'utf8').trim().split('\n') };
  };

  test.each([
    ['.gitlab-ci.yml', 'gitlab'],
    ['bitbucket-pipelines.yml', 'bitbucket'],
    ['azure-pipelines.yml', 'azure'],
  ])('%s publishes also after a red run, and ends with its exit code', (file, service) => {
    const both = [
      'evaldiff diff --report evaldiff-report',
      `evaldiff publish --to ${service} evaldiff-report`,
    ];
    expect(run(scriptOf(file), 'diff')).toEqual({ code: 0, calls: both });
    expect(run(scriptOf(file), 'publish')).toEqual({ code: 1, calls: both });
  });

  test('.circleci/config.yml ends with the exit code of the run', () =>
    expect(run(scriptOf('.circleci/config.yml'), 'diff')).toEqual({
      code: 1,
      calls: ['evaldiff diff --base origin/main --report evaldiff-report'],
    }));
});
