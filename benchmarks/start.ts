/**
 * Time from process start to the first model call, for the bundle on a project with many prompt
 * files. Prints each run and the median.
 *
 *   npx node benchmarks/start.ts [prompts] [runs]
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [prompts = 100, runs = 5] = process.argv.slice(2).map(Number);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'evaldiff-start-'));

function write(variant: string): void {
  for (let index = 0; index < prompts; index += 1) {
    const name = `p${String(index)}`;
    writeFileSync(
      join(folder, 'prompts', `${name}.yaml`),
      `defaults: [tests/${name}]\nname: ${name}\nmodel: local\ntemperature: 0\nvariables:\n  - name: q\nmessages:\n  - role: human\n    content: "${variant} {q}"\n`,
    );
    const references = Array.from(
      { length: 10 },
      (_, at) => `  - { id: r${String(at)}, input: { q: question ${String(at)} }, expected: ok }\n`,
    ).join('');
    writeFileSync(
      join(folder, 'prompts', 'tests', `${name}.yaml`),
      `metrics:\n  - { name: has, uses: contains }\nreferences:\n${references}`,
    );
  }
}

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@example.invalid', ...args], {
    cwd: folder,
    stdio: 'ignore',
  });
}

/** Milliseconds from spawning the bundle until its first request arrives. */
async function once(): Promise<number> {
  let first: (ms: number) => void = () => undefined;
  const arrived = new Promise<number>((resolve) => {
    first = resolve;
  });
  const started = performance.now();
  const server = createServer((_request, response) => {
    first(performance.now() - started);
    response.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
  const child = spawn(
    process.execPath,
    [
      join(root, 'dist/cli/index.js'),
      'diff',
      '--base',
      'HEAD',
      '--endpoint',
      `local=${url}`,
      '--max-calls',
      '1000000',
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ms = await Promise.race([
    arrived,
    new Promise<number>((_resolve, reject) => {
      child.once('exit', () => {
        reject(new Error('no call was made'));
      });
    }),
  ]);
  child.kill('SIGKILL');
  server.close();
  server.closeAllConnections();
  return ms;
}

mkdirSync(join(folder, 'prompts', 'tests'), { recursive: true });
writeFileSync(
  join(folder, 'evaldiff.yaml'),
  'models:\n  local: { provider: openai, endpoint: local, model: m }\n',
);
write('Say');
git('init', '--quiet', '--initial-branch', 'main');
git('add', '--all');
git('commit', '--quiet', '-m', 'base');
write('Tell');
const times: number[] = [];
for (let run = 0; run < runs; run += 1) times.push(await once());
rmSync(folder, { recursive: true, force: true });
times.sort((a, b) => a - b);
process.stdout.write(
  `${String(prompts)} prompt files with ${String(prompts * 10)} references are changed in the working tree. The first model call is made after ${times.map((ms) => ms.toFixed(0)).join(', ')} ms; the median is ${(times[Math.floor(times.length / 2)] ?? 0).toFixed(0)} ms.\n`,
);
