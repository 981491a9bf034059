/**
 * Memory and time of a whole run: the command line on a real repository, SAMPLES answers from a server on loopback in a
 * process of its own, the store on disk, reports written. The peak is the process's own (maxRSS), and each run has a fresh one.
 *
 * Run: node benchmarks/memory.ts run [samples] [letters per answer]
 */
import { execFileSync, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Figures { run: string; samples: number; seconds: number; peak_rss_mb: number; result_mb: number; store_mb: number; conclusion: string }

const [samples = 100_000, letters = 200] = process.argv.slice(3).map(Number);
const TRIES = 50;

async function serve(): Promise<void> {
  const { startModelServer } = await import('../__tests__/stand-ins/models/server.ts');
  const text = 'The answer is 5, as any calculator would tell you. '.repeat(Math.ceil(letters / 50)).slice(0, letters);
  const server = await startModelServer({ answer: ({ index }) => ({ text: `${text} ${index}` }) });
  setInterval(() => { server.requests.length = 0; }, 100);
  process.send?.(server.openaiUrl);
}

function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'evaldiff-memory-'));
  const write = (path: string, content: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  write('evaldiff.yaml', `n_tries: ${TRIES}\nbudget: { max_calls: null, max_cost_usd: null }\nmodels:\n  m: { provider: openai, endpoint: local, model: model-1 }\n`);
  write('prompts/ask.yaml', 'name: ask\nmodel: m\ndefaults: [tests/ask]\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "Answer in one sentence: {q}" }]\n');
  write('prompts/tests/ask.yaml', 'metrics:\n  - { name: has, uses: contains, with: { value: "5" } }\nreferences_from: { file: data/ask.jsonl, map: { input: input } }\n');
  write('data/ask.jsonl', Array.from({ length: samples / TRIES }, (_, index) => `{"input": {"q": "What is ${index} plus 5 minus ${index}?"}}\n`).join(''));
  execFileSync('sh', ['-c', 'git init -q && git add . && git -c user.name=bench -c user.email=bench@localhost commit -qm begin'], { cwd: folder });
  return folder;
}

/** One run in this process. */
async function measure(folder: string, url: string, run: string): Promise<Figures> {
  const { keepHeapSmall } = await import('../src/world/heap.ts');
  const { main } = await import('../src/commands/program.ts');
  keepHeapSmall();
  const begun = performance.now();
  const report = join(folder, 'report');
  const code = await main(['run', '-C', folder, '--report', report], {
    env: { ...process.env, EVALDIFF_ENDPOINTS: `local=${url} key=KEY`, KEY: 'key' }, cwd: folder, out: () => undefined, err: () => undefined, isTerminal: false, width: 100,
  });
  const size = (path: string): number => Math.round(statSync(path).size / 1e5) / 10;
  return {
    run, samples, seconds: Math.round((performance.now() - begun) / 100) / 10, peak_rss_mb: Math.round(process.resourceUsage().maxRSS / 1024),
    result_mb: size(join(report, 'result.json')), store_mb: size(join(folder, '.evaldiff/answers.sqlite')), conclusion: `exit ${code}`,
  };
}

async function apart(...args: string[]): Promise<unknown> {
  const child = fork(fileURLToPath(import.meta.url), args);
  return await new Promise((resolve) => { child.once('message', resolve); });
}

switch (process.argv[2]) {
  case 'serve':
    await serve();
    break;
  case 'measure': {
    const [folder = '', url = '', run = ''] = process.argv.slice(5);
    process.send?.(await measure(folder, url, run));
    process.disconnect();
    break;
  }
  default: {
    const folder = project();
    const server = fork(fileURLToPath(import.meta.url), ['serve', String(samples), String(letters)]);
    const url = String(await new Promise((resolve) => { server.once('message', resolve); }));
    const figures = [];
    for (const run of ['all asked', 'all stored']) figures.push(await apart('measure', String(samples), String(letters), folder, url, run));
    console.table(figures);
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
