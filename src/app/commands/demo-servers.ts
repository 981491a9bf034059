import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

interface DemoGitHub {
  url: string;
  comment(): string | null;
  check(): { conclusion: string; title: string; annotations: number } | null;
  close(): Promise<void>;
}

interface DemoState {
  head: string;
  description: string;
  comment: string | null;
  check: { conclusion: string; title: string; annotations: number } | null;
}

interface Reply {
  status: number;
  body: unknown;
}

export async function startDemoGitHub(head: string, description: string): Promise<DemoGitHub> {
  const state: DemoState = { head, description, comment: null, check: null };
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const { status, body: answer } = reply(
        state,
        request,
        body === '' ? {} : (JSON.parse(body) as Record<string, unknown>),
      );
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    comment: () => state.comment,
    check: () => state.check,
    close: () =>
      new Promise((closed) => {
        server.close(() => {
          closed();
        });
        server.closeAllConnections();
      }),
  };
}

const BOT = { login: 'github-actions[bot]', id: 41_898_282 };

const COMMENT_ID = 1;

type JsonBody = Record<string, unknown>;

interface Route {
  path: RegExp;
  answer(state: DemoState, method: string | undefined, body: JsonBody): Reply;
}

const ROUTES: readonly Route[] = [
  {
    path: /\/graphql$/,
    answer: () => ok({ data: { viewer: { login: BOT.login, databaseId: BOT.id } } }),
  },
  {
    path: /\/pulls\/\d+$/,
    answer: ({ head, description }) =>
      ok({
        number: 1,
        body: description,
        state: 'open',
        base: { sha: head, ref: 'main' },
        head: { sha: head, ref: 'friendlier', repo: { full_name: 'example/shop' } },
      }),
  },
  { path: /\/comments(\/\d+)?$/, answer: comments },
  { path: /\/check-runs(\/\d+)?$/, answer: checkRuns },
];

function reply(state: DemoState, { method, url = '' }: IncomingMessage, body: JsonBody): Reply {
  const path = url.split('?')[0] ?? '';
  const route = ROUTES.find((candidate) => candidate.path.test(path));
  return route?.answer(state, method, body) ?? { status: 404, body: { message: 'Not Found' } };
}

function comments(state: DemoState, method: string | undefined, body: JsonBody): Reply {
  if (method === 'GET')
    return ok(state.comment === null ? [] : [{ id: COMMENT_ID, body: state.comment, user: BOT }]);
  state.comment = String(body['body']);
  return {
    status: method === 'POST' ? 201 : 200,
    body: { id: COMMENT_ID, body: state.comment, user: BOT },
  };
}

interface CheckBody {
  conclusion?: string;
  output?: { title: string; annotations?: unknown[] };
}

function checkRuns(state: DemoState, method: string | undefined, body: JsonBody): Reply {
  if (method === 'GET') return ok({ total_count: 0, check_runs: [] });
  const { conclusion, output } = body as CheckBody;
  const before = state.check ?? { conclusion: 'unknown', title: '', annotations: 0 };
  state.check = {
    conclusion: conclusion ?? before.conclusion,
    title: output?.title ?? before.title,
    annotations: before.annotations + (output?.annotations?.length ?? 0),
  };
  return { status: method === 'POST' ? 201 : 200, body: { id: 1 } };
}

function ok(body: unknown): Reply {
  return { status: 200, body };
}

const GIT_SETTINGS = [
  'user.name=evaldiff demo',
  'user.email=demo@example.invalid',
  'commit.gpgsign=false',
  'core.autocrlf=false',
];

const DATE = '2026-01-01T12:00:00Z';

export function makeDemoRepository(
  fixture: string,
  folder: string,
  files: Readonly<Record<string, string>> = {},
) {
  const git = (...args: string[]): string =>
    execFileSync('git', [...GIT_SETTINGS.flatMap((setting) => ['-c', setting]), ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, GIT_AUTHOR_DATE: DATE, GIT_COMMITTER_DATE: DATE },
    }).trim();
  const commit = (from: string, message: string): string => {
    cpSync(join(fixture, from), folder, { recursive: true });
    git('add', '--all');
    git('commit', '--quiet', '--no-verify', '--message', message);
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet', '--initial-branch', 'main');
  for (const [to, from] of Object.entries(files))
    cpSync(from, join(folder, to), { recursive: true });
  const base = commit('base', 'Prompts of the shop');
  git('switch', '--quiet', '--create', 'friendlier');
  const head = commit('head', 'Friendlier answers, and a fairer check of summaries');
  return { folder, base, head };
}
