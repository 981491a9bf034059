/**
 * Packs the npm package and uses it as a stranger would: installed from the tarball into an empty
 * folder, with nothing else there, on the oldest Node that it names and on this one. Fails when a
 * command does not do what it should, when the package brings other packages, or when it is larger
 * than it should be.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { factsOf } from '../src/types/vendors.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const LARGEST = 5_000_000;

interface Manifest {
  engines: { node: string };
  files: string[];
}

/** One command that a newcomer gives, the exit code it should end with, and what it should say. */
type Step = [command: string[], code: number, says: RegExp];

const STEPS: Step[] = [
  [['--version'], 0, /^\d+\.\d+\.\d+$/m],
  [['init'], 0, /wrote prompts\/support\.yaml/],
  [['validate'], 0, /no errors/],
  [['run', '--report', 'report'], 0, /support/],
  [['report', 'report'], 0, /support/],
  [['diff', '--base', 'HEAD'], 1, /Regressed: support/],
  [['demo'], 0, /Conclusion: failure/],
];

/** Answers as a model that a changed prompt sends astray. */
function startModel(): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const asked = Buffer.concat(parts).toString('utf8');
      const content = asked.includes('Say nothing else than hello')
        ? 'hello'
        : 'Northmail brings it; you have 30 days.';
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          id: 'x',
          object: 'chat.completion',
          created: 0,
          model: 'x',
          choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        }),
      );
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({ url: `http://127.0.0.1:${String(port)}/v1`, close: () => server.close() });
    });
  });
}

/** Packs into a folder; the tarball's path. */
function pack(folder: string): string {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const size = statSync(join(folder, tarball)).size;
  if (size > LARGEST)
    throw new Error(`the package has ${String(size)} bytes, more than ${String(LARGEST)}`);
  return join(folder, tarball);
}

/** An empty git repository with the package installed in it, and the Node that runs it. */
function project(folder: string, tarball: string, version: string | null): string {
  const silent = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] as const };
  const npm = (...args: string[]): void => {
    execFileSync('npm', args, { ...silent, stdio: [...silent.stdio] });
  };
  npm('init', '--yes');
  npm('install', '--no-audit', '--no-fund', tarball);
  const installed = readdirSync(join(folder, 'node_modules')).filter((name) => /^\w/.test(name));
  if (installed.join() !== 'evaldiff')
    throw new Error(`the package brings others along: ${installed.join(', ')}`);
  if (version === null) return process.execPath;
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  npm('install', '--no-audit', '--no-fund', '--no-save', `${name}@${version}`);
  return join(folder, 'node_modules', name, 'bin', 'node');
}

function git(folder: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Runs one command of the installed package; throws with all it said when it is not as it should be. */
async function take(
  node: string,
  folder: string,
  [command, code, says]: Step,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const bin = join(folder, 'node_modules', 'evaldiff', 'dist', 'cli', 'index.js');
  const [ended, said] = await new Promise<[number, string]>((resolve) => {
    execFile(node, [bin, ...command], { cwd: folder, env }, (error, out, err) => {
      resolve([error === null ? 0 : Number(error.code ?? 1), `${out}${err}`]);
    });
  });
  if (ended !== code || !says.test(said))
    throw new Error(
      `evaldiff ${command.join(' ')} ended with ${String(ended)} where ${String(code)} and ${String(says)} are wanted:\n${said}`,
    );
}

/** Starts the workbench, has its page and its board answer, and ends it as Ctrl-C does. */
async function openWorkbench(node: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const bin = join(folder, 'node_modules', 'evaldiff', 'dist', 'cli', 'index.js');
  const child = spawn(node, [bin, 'dev', '--base', 'HEAD'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let said = '';
      child.stdout.on('data', (part: Buffer) => {
        said += part.toString('utf8');
        const found = /^workbench: (\S+)\n/m.exec(said)?.[1];
        if (found !== undefined) resolve(found);
      });
      void ended.then((code) => {
        reject(new Error(`evaldiff dev ended with ${String(code)}: ${said}`));
      });
    });
    for (const [path, says] of [
      ['', '<title>evaldiff dev</title>'],
      ['board', '"spend"'],
    ] as const) {
      const answer = await fetch(new URL(path, url));
      if (!answer.ok || !(await answer.text()).includes(says))
        throw new Error(
          `evaldiff dev: ${path === '' ? 'the page' : path} answers ${String(answer.status)}`,
        );
    }
  } finally {
    child.kill('SIGINT');
  }
  const code = await ended;
  if (code !== 0) throw new Error(`evaldiff dev ended with ${String(code)} where 0 is wanted`);
}

async function tryOut(tarball: string, version: string | null): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'evaldiff-package-'));
  const model = await startModel();
  const env = {
    ...process.env,
    OPENAI_API_KEY: 'none',
    EVALDIFF_ENDPOINTS: `local=${model.url}`,
    XDG_CACHE_HOME: join(folder, '.cache'),
  };
  try {
    git(folder, 'init', '--quiet', '--initial-branch', 'main');
    const node = project(folder, tarball, version);
    const started = performance.now();
    for (const step of STEPS) {
      if (step[0][0] === 'run')
        appendFileSync(
          join(folder, 'evaldiff.yaml'),
          `models: { ${factsOf('openai').starterModel}: { provider: openai, endpoint: local, model: any, price: { input: 1, output: 1 } } }\n`,
        );
      if (step[0][0] === 'diff') {
        git(folder, 'add', 'evaldiff.yaml', 'prompts');
        git(folder, 'commit', '--quiet', '--message', 'Prompts');
        const prompt = join(folder, 'prompts', 'support.yaml');
        appendFileSync(prompt, '  - { role: human, content: Say nothing else than hello }\n');
      }
      await take(node, folder, step, env);
    }
    await openWorkbench(node, folder, env);
    const node_ = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    process.stdout.write(
      `Node ${node_}: ${STEPS.map(([command]) => command[0]).join(', ')}, dev in ${((performance.now() - started) / 1000).toFixed(1)} s\n`,
    );
  } finally {
    model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const oldest = `${manifest.engines.node.replace('>=', '')}.0`;
const place = mkdtempSync(join(tmpdir(), 'evaldiff-tarball-'));
try {
  const tarball = pack(place);
  process.stdout.write(`${(statSync(tarball).size / 1e6).toFixed(1)} MB packed\n`);
  for (const version of [oldest, null]) await tryOut(tarball, version);
} finally {
  rmSync(place, { recursive: true, force: true });
}
