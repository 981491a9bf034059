/**
 * Packs the npm package and uses it like a new user: with `npx evaldiff`, exactly as in the README,
 * in an empty folder, on the oldest supported Node and on this one. npx finds the package in a
 * loopback registry that has nothing else. Fails if a command misbehaves, if the package needs
 * another one, or if it is too large.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { factsOf } from '../src/types/vendors.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const LARGEST = 5_300_000;

interface Manifest {
  name: string;
  version: string;
  engines: { node: string };
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

type Step = [command: string[], code: number, says: RegExp];

/** Matches the output of `--version`. A modified dist/ has no commit. */
function versionSaid(): RegExp {
  const stamp = join(root, 'dist', 'commit.txt');
  const commit = existsSync(stamp)
    ? ` \\(commit ${readFileSync(stamp, 'utf8').split('\n')[0] ?? ''}\\)`
    : '';
  return new RegExp(`^${manifest.version.replaceAll('.', '\\.')}${commit}$`, 'm');
}

const stepsOf = (): Step[] => [
  [['--version'], 0, versionSaid()],
  [['init'], 0, /wrote prompts\/support\.yaml/],
  [['validate'], 0, /no errors/],
  [['run', '--report', 'report'], 0, /support/],
  [['report', 'report'], 0, /support/],
  [['diff', '--base', 'HEAD'], 1, /Regressed: support/],
  [['demo'], 0, /check run failure/],
  [['demo', 'agents'], 0, /Regressed: shop/],
];

interface Server {
  url: string;
  close(): void;
}

function serve(answer: RequestListener): Promise<Server> {
  const server = createServer(answer);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({ url: `http://127.0.0.1:${String(port)}`, close: () => server.close() });
    });
  });
}

/** A model whose answers get worse with a changed prompt. */
function startModel(): Promise<Server> {
  return serve((request, response) => {
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
}

/** A registry that has only this package, so npx finds no other. */
function startRegistry(tarball: string): Promise<Server> {
  const bytes = readFileSync(tarball);
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  return serve((request, response) => {
    if (request.url === `/${manifest.name}.tgz`) {
      response.end(bytes);
      return;
    }
    if (request.url !== `/${manifest.name}`) {
      response.statusCode = 404;
      response.end('{}');
      return;
    }
    const at = `http://${request.headers.host ?? ''}/${manifest.name}.tgz`;
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        name: manifest.name,
        'dist-tags': { latest: manifest.version },
        versions: { [manifest.version]: { ...manifest, dist: { tarball: at, integrity } } },
      }),
    );
  });
}

/** Packs into a folder and returns the tarball's path. */
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

/** The `bin` folder of this Node version, installed from npm. Null: the running Node. */
function nodeOf(version: string | null, place: string): string {
  if (version === null) return dirname(process.execPath);
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  execFileSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', place, `${name}@${version}`],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  return join(place, 'node_modules', name, 'bin');
}

function git(folder: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

interface Shell {
  folder: string;
  env: NodeJS.ProcessEnv;
}

/** Runs one command with npx; throws with its output if it is not as expected. */
async function take({ folder, env }: Shell, [command, code, says]: Step): Promise<void> {
  const [ended, said] = await new Promise<[number, string]>((resolve) => {
    execFile('npx', [manifest.name, ...command], { cwd: folder, env }, (error, out, err) => {
      resolve([error === null ? 0 : Number(error.code ?? 1), `${out}${err}`]);
    });
  });
  if (ended !== code || !says.test(said))
    throw new Error(
      `npx evaldiff ${command.join(' ')} exited with ${String(ended)}; expected ${String(code)} and output that matches ${String(says)}:\n${said}`,
    );
}

/** Starts the workbench, requests its page and data, and stops it with Ctrl-C. */
async function openWorkbench({ folder, env }: Shell): Promise<void> {
  const child = spawn('npx', [manifest.name, 'dev', '--base', 'HEAD'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  // Resolves when npx, its shell and the program have all exited.
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let said = '';
      child.stdout.on('data', (part: Buffer) => {
        said += part.toString('utf8');
        const found = /^workbench: (\S+)\n/m.exec(said)?.[1];
        if (found !== undefined) resolve(found);
      });
      void ended.then((code) => {
        reject(new Error(`npx evaldiff dev ended with ${String(code)}: ${said}`));
      });
    });
    for (const [path, says] of [
      ['', '<title>evaldiff dev</title>'],
      ['view', '"spend"'],
    ] as const) {
      const answer = await fetch(new URL(path, url));
      if (!answer.ok || !(await answer.text()).includes(says))
        throw new Error(
          `npx evaldiff dev: ${path === '' ? 'the page' : path} answers ${String(answer.status)}`,
        );
    }
  } finally {
    // Signals the whole process group, as a terminal does.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
    await ended;
  }
}

/** Goes from an empty folder to a red verdict. npx keeps its files in `place`. */
async function tryOut(bin: string, registry: string, place: string): Promise<void> {
  const folder = join(place, 'empty');
  mkdirSync(folder);
  const model = await startModel();
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
    npm_config_registry: registry,
    npm_config_cache: join(place, 'npm'),
    npm_config_update_notifier: 'false',
    npm_config_yes: 'true', // Otherwise npx asks before it installs.
    OPENAI_API_KEY: 'none',
    EVALDIFF_ENDPOINTS: `local=${model.url}/v1`,
    XDG_CACHE_HOME: join(place, 'cache'),
  };
  const shell = { folder, env };
  const steps = stepsOf();
  try {
    git(folder, 'init', '--quiet', '--initial-branch', 'main');
    const started = performance.now();
    for (const step of steps) {
      if (step[0][0] === 'run')
        appendFileSync(
          join(folder, 'evaldiff.yaml'),
          `models: { ${factsOf('openai').starterModel}: { provider: openai, endpoint: local, model: any, price: { input: 1, output: 1 } } }\n`,
        );
      if (step[0][0] === 'diff') {
        git(folder, 'add', 'evaldiff.yaml', 'prompts');
        git(folder, 'commit', '--quiet', '--message', 'Prompts');
        const prompt = join(folder, 'prompts', 'support.yaml');
        writeFileSync(
          prompt,
          readFileSync(prompt, 'utf8').replace(
            /^prompt: \|\n/m,
            '$&  Say nothing else than hello.\n',
          ),
        );
      }
      await take(shell, step);
    }
    await openWorkbench(shell);
    const node = execFileSync('node', ['--version'], { encoding: 'utf8', env }).trim();
    process.stdout.write(
      `Node ${node}: npx evaldiff ${steps.map(([command]) => command[0]).join(', ')}, dev in ${((performance.now() - started) / 1000).toFixed(1)} s\n`,
    );
  } finally {
    model.close();
  }
}

const oldest = `${manifest.engines.node.replace('>=', '')}.0`;
const place = mkdtempSync(join(tmpdir(), 'evaldiff-package-'));
const tarball = pack(place);
const registry = await startRegistry(tarball);
try {
  process.stdout.write(`${(statSync(tarball).size / 1e6).toFixed(1)} MB packed\n`);
  for (const version of [oldest, null]) {
    const own = join(place, version ?? 'this');
    mkdirSync(own);
    await tryOut(nodeOf(version, own), registry.url, own);
  }
} finally {
  registry.close();
  rmSync(place, { recursive: true, force: true });
}
