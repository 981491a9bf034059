import { execFileSync, spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument } from 'commander';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import { InternalError } from '../../errors.ts';
import { checkTitle } from '../../report/comment.ts';
import { packageRoot } from '../session/installation.ts';
import { REPORT_FOLDERS } from './options.ts';
import { compareSides } from './plain.ts';
import type { AddCommand, DemoExample, Terminal } from './terminal.ts';

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
  const git = (...args: string[]) =>
    execFileSync('git', [...GIT_SETTINGS.flatMap((setting) => ['-c', setting]), ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, GIT_AUTHOR_DATE: DATE, GIT_COMMITTER_DATE: DATE },
    }).trim();
  const commit = (from: string, message: string) => {
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

const PROMPT_EXAMPLE: Omit<DemoExample, 'name' | 'server' | 'refusal'> = {
  words: "A pull request makes a shop's prompts friendlier.",
  fixture: 'fixtures/demo',
  files: {},
};

const OTHER_REPORTS = ['result.json', 'comment.md', 'junit.xml'];

const RULE = '─'.repeat(72);

/** The example's models are programs of its repository, or a server that it starts. */
function exampleEnvironment({ env }: Terminal): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, SystemRoot } = env;
  return { PATH, HOME, LANG, SystemRoot };
}

async function runDemo(
  {
    words,
    fixture,
    files,
    server,
  }: Omit<DemoExample, 'name' | 'refusal' | 'server'> & Partial<DemoExample>,
  terminal: Terminal,
): Promise<void> {
  const { out } = terminal;
  const inPackage = (path: string) => join(packageRoot(), path);
  const folder = join(await mkdtemp(join(tmpdir(), 'evaldiff-demo-')), 'shop');
  await mkdir(folder);
  const from = Object.entries(files).map(([to, path]) => [to, inPackage(path)]);
  const { base, head } = makeDemoRepository(inPackage(fixture), folder, Object.fromEntries(from));
  const model = server === undefined ? null : await startServer(inPackage(server));
  try {
    out(`${words}\nevaldiff's report:\n${RULE}\n`);
    const options = {
      directory: folder,
      config: SETTINGS_FILE,
      code: 'host' as const,
      store: false as const,
      endpoint: model === null ? [] : [`demo=${model.url}`],
      report: join(folder, REPORT_FOLDERS[0]),
    };
    const result = await compareSides({ ...options, base, head }, [], {
      ...terminal,
      cwd: folder,
      env: exampleEnvironment(terminal),
    });
    const reports = (name: string) => join(options.report, name);
    out(
      [
        RULE,
        `In a pull request: check run ${result.conclusion} – ${checkTitle(result)}. ` +
          `A required check would be ${result.conclusion === 'failure' ? 'red' : 'green'}.`,
        `Open in a browser: ${reports('report.html')}`,
        `Further reports:   ${OTHER_REPORTS.map(reports).join(', ')}`,
        `The example's git history: ${folder}`,
        '',
      ].join('\n'),
    );
  } finally {
    model?.close();
  }
}

export const demoCommand: AddCommand = (program, terminal, done) => {
  const examples = terminal.features.flatMap(({ demo }) => demo ?? []);
  program
    .command('demo')
    .description('compare an example pull request with its base, without key or network')
    .addArgument(
      new Argument('[example]', 'another example').choices(examples.map(({ name }) => name)),
    )
    .addHelpText('after', '\nExample: evaldiff demo agents')
    .option('--verbose', 'also show the progress of the run')
    .action(async (named: string | undefined, { verbose }: { verbose?: boolean }) => {
      const example = examples.find(({ name }) => name === named);
      const refusal = (await example?.refusal()) ?? null;
      if (refusal !== null) {
        terminal.out(`The demo cannot run on this machine. ${refusal}\n`);
        done(2);
        return;
      }
      const err = verbose === true ? terminal.err : () => undefined;
      await runDemo(example ?? PROMPT_EXAMPLE, { ...terminal, err });
      done(0);
    });
};
