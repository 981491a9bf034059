import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Argument } from 'commander';
import { InternalError } from '../../errors.ts';
import { ownKeys } from '../run/feature.ts';
import { packageRoot } from '../session/installation.ts';
import { makeDemoRepository, startDemoGitHub } from './demo-servers.ts';
import { readResultValue } from './read-result.ts';
import { renderResult, type AddCommand, type DemoExample } from './terminal.ts';

export interface DemoOutcome {
  comment: string;
  summary: string;
  check: { conclusion: string; title: string; annotations: number };
  folder: string;
  reports: string;
  conclusion: string;
}

export function runDemo(
  log: (text: string) => void,
  example: DemoFiles = { fixture: 'fixtures/demo' },
): Promise<DemoOutcome> {
  const inPackage = (path: string): string => join(packageRoot(), path);
  const { fixture, files = {}, server } = example;
  const given = {
    fixture: inPackage(fixture),
    files: Object.fromEntries(Object.entries(files).map(([to, from]) => [to, inPackage(from)])),
    ...(server === undefined ? {} : { server: inPackage(server) }),
  };
  return runPullRequest({ ...given, action: inPackage('dist/action/index.js') }, log);
}

type DemoFiles = Partial<Pick<DemoExample, 'files' | 'server'>> & Pick<DemoExample, 'fixture'>;

interface PullRequest extends DemoFiles {
  action: string;
  fork?: boolean | undefined;
  description?: string | undefined;
}

export async function runPullRequest(
  { fixture, files = {}, server, action, fork = false, description = '' }: PullRequest,
  log: (text: string) => void,
): Promise<DemoOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'evaldiff-demo-'));
  const workspace = join(folder, 'shop');
  await mkdir(workspace);
  const { base, head } = makeDemoRepository(fixture, workspace, files);
  const github = await startDemoGitHub(head, description);
  const model = server === undefined ? null : await startServer(server);
  try {
    const runner = await runnerFiles(folder, { base, head, fork, body: description });
    const env = {
      ...actionEnvironment(runner, workspace, github.url),
      ...(model === null ? {} : { INPUT_ENDPOINTS: `demo=${model.url}` }),
    };
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
    model?.close();
    await github.close();
  }
}

/** The server exits when its stdin closes, so also if this process is killed. */
async function startServer(script: string): Promise<{ url: string; close(): void }> {
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (line: string) => {
      resolve(line.trim());
    });
    child.once('close', (code) => {
      reject(new InternalError(`${script} ended with code ${code}`));
    });
  });
  return { url, close: () => child.stdin.end() };
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

const OTHER_REPORTS = ['result.json', 'comment.md', 'junit.xml'];

const RULE = '─'.repeat(72);

export const demoCommand: AddCommand = (program, terminal, done) => {
  const examples = terminal.features.flatMap(({ demo }) => demo ?? []);
  program
    .command('demo')
    .description('run the pull-request job on an example, without key or network')
    .addArgument(
      new Argument('[example]', 'another example').choices(examples.map(({ name }) => name)),
    )
    .addHelpText('after', '\nExample: evaldiff demo agents')
    .option('--verbose', "also show the action's own log")
    .action(async (named: string | undefined, { verbose }: { verbose?: boolean }) => {
      const example = examples.find(({ name }) => name === named);
      const refusal = (await example?.refusal()) ?? null;
      if (refusal !== null) {
        terminal.out(`The demo cannot run on this machine. ${refusal}\n`);
        done(2);
        return;
      }
      const { check, folder, reports, conclusion } = await runDemo(
        verbose === true ? terminal.err : () => undefined,
        example,
      );
      const json = await readFile(join(reports, 'result.json'), 'utf8');
      const { result } = readResultValue(
        'result.json',
        JSON.parse(json),
        ownKeys(terminal.features),
      );
      if (result === null) throw new InternalError('the demo wrote a result that cannot be read');
      terminal.out(
        [
          example?.words ?? "A pull request makes a shop's prompts friendlier.",
          "evaldiff's comment, as a terminal shows it:",
          RULE,
          (await renderResult(result, terminal)).trim(),
          RULE,
          `Check run: ${check.conclusion} – ${check.title} (${check.annotations} annotations)`,
          `Conclusion: ${conclusion}. In a pull request the required check would now be ` +
            `${conclusion === 'failure' ? 'red' : 'green'}.`,
          `Open in a browser: ${join(reports, 'report.html')}`,
          `Further reports:   ${OTHER_REPORTS.map((name) => join(reports, name)).join(', ')}`,
          `The example's git history: ${join(folder, 'shop')}`,
          '',
        ].join('\n'),
      );
      done(0);
    });
};
