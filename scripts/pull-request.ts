/** Runs the action on an example pull request, against a simulated GitHub. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { makeDemoRepository } from '../src/app/commands/demo.ts';
import { packageRoot } from '../src/app/session/installation.ts';
import { InternalError } from '../src/errors.ts';

export interface DemoOutcome {
  comment: string;
  summary: string;
  check: { conclusion: string; title: string; annotations: number };
  folder: string;
  reports: string;
  conclusion: string;
}

export function runDemo(log: (text: string) => void): Promise<DemoOutcome> {
  const inPackage = (path: string): string => join(packageRoot(), path);
  const given = { fixture: inPackage('fixtures/demo'), action: inPackage('dist/action/index.js') };
  return runPullRequest(given, log);
}

interface PullRequest {
  fixture: string;
  action: string;
  fork?: boolean | undefined;
  description?: string | undefined;
}

export async function runPullRequest(
  { fixture, action, fork = false, description = '' }: PullRequest,
  log: (text: string) => void,
): Promise<DemoOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'evaldiff-demo-'));
  const workspace = join(folder, 'shop');
  await mkdir(workspace);
  const { base, head } = makeDemoRepository(fixture, workspace);
  const github = await startDemoGitHub(head, description);
  try {
    const runner = await runnerFiles(folder, { base, head, fork, body: description });
    const env = actionEnvironment(runner, workspace, github.url);
    const code = await runScript(action, env, workspace, log);
    const summary = await readFile(runner.summary, 'utf8');
    const comment = github.comment() ?? summary;
    const check = github.check();
    if (comment === '' || check === null)
      throw new InternalError(`the action ended with code ${code} and published no report`);
    const outputs = await readFile(runner.output, 'utf8');
    const conclusion = /^conclusion<<(\S+)\r?\n(.*)\r?\n\1/m.exec(outputs)?.[2] ?? 'unknown';
    return {
      comment,
      summary,
      check,
      folder,
      reports: join(workspace, 'evaldiff-report'),
      conclusion,
    };
  } finally {
    await github.close();
  }
}

type RunnerFiles = Awaited<ReturnType<typeof runnerFiles>>;

async function runnerFiles(
  folder: string,
  { base, head, fork, body }: { base: string; head: string; fork: boolean; body: string },
) {
  const files = {
    event: join(folder, 'event.json'),
    output: join(folder, 'output'),
    summary: join(folder, 'summary.md'),
    state: join(folder, 'state'),
    temp: join(folder, 'temp'),
  };
  const repository = { full_name: 'example/shop', fork: false, default_branch: 'main' };
  const from = fork ? { full_name: 'someone/shop', fork: true } : repository;
  const payload = {
    action: 'synchronize',
    number: 1,
    repository,
    sender: { login: 'someone' },
    pull_request: {
      number: 1,
      body,
      user: { login: 'someone' },
      base: { sha: base, ref: 'main', repo: repository },
      head: { sha: head, ref: 'friendlier', repo: from },
    },
  };
  await Promise.all([
    mkdir(files.temp),
    writeFile(files.event, JSON.stringify(payload)),
    ...[files.output, files.summary, files.state].map((file) => writeFile(file, '')),
  ]);
  return files;
}

function actionEnvironment(runner: RunnerFiles, workspace: string, url: string): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, SystemRoot, NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    HOME,
    LANG,
    SystemRoot,
    NODE_COMPILE_CACHE,
    GITHUB_ACTIONS: 'true',
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: runner.event,
    GITHUB_REPOSITORY: 'example/shop',
    GITHUB_WORKSPACE: workspace,
    GITHUB_API_URL: url,
    GITHUB_GRAPHQL_URL: `${url}/graphql`,
    GITHUB_SERVER_URL: url,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${pathToFileURL(workspace).href}.insteadOf`,
    GIT_CONFIG_VALUE_0: `${url}/example/shop`,
    GITHUB_RUN_ID: '1',
    GITHUB_OUTPUT: runner.output,
    GITHUB_STEP_SUMMARY: runner.summary,
    GITHUB_STATE: runner.state,
    RUNNER_TEMP: runner.temp,
    'INPUT_GITHUB-TOKEN': 'demo-token',
    INPUT_CODE: 'host',
    INPUT_CACHE: 'false',
  };
}

function runScript(
  script: string,
  env: NodeJS.ProcessEnv,
  cwd: string,
  log: (text: string) => void,
): Promise<number | null> {
  return new Promise((ended, failed) => {
    const child = spawn(process.execPath, [script], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.setEncoding('utf8').on('data', log);
    child.stderr.setEncoding('utf8').on('data', log);
    child.on('error', failed).on('close', ended);
  });
}

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

async function startDemoGitHub(head: string, description: string): Promise<DemoGitHub> {
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
  { path: /\/issues\/(?:\d+\/)?comments(\/\d+)?$/, answer: comments },
  { path: /\/pulls\/\d+\/comments$/, answer: suggestions },
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

function suggestions(_: DemoState, method: string | undefined, body: JsonBody): Reply {
  return method === 'GET' ? ok([]) : { status: 201, body: { id: 1, ...body, user: BOT } };
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
