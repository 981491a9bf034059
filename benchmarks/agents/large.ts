import { spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { commit } from './measure.ts';

export interface MeasuredTree {
  files: number;
  runs: number;
  /** Processor seconds of all processes, divided by the number of runs. */
  perRun: number;
  /** Seconds from SIGTERM to the end of evaldiff. */
  stopped: number;
}

const RUNS = 48;
const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

const SUITE = `agent: { command: [sh, agent.sh] }
model: claude-sonnet-4-5
tests:
  n_tries: 6
  metrics:
    - { name: notes, uses: files, with: { exist: [NOTES.md] } }
    - { name: text, uses: runs, with: { run: test -s NOTES.md } }
  references:
${['a', 'b', 'c', 'd'].map((id) => `    - { id: ${id}, task: Write NOTES.md about ${id} }`).join('\n')}
`;

/** An agent that only writes a file, so nearly all the time is evaldiff's own. */
export async function measureTree(files: number): Promise<MeasuredTree> {
  const place = mkdtempSync(join(tmpdir(), 'evaldiff-large-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  };
  try {
    const many = Array.from({ length: files }, (_, index) => [
      `src/${index % 100}/${index}.js`,
      `// ${index}\n`.repeat(500).slice(0, 3000),
    ]);
    commit(place, {
      ...(Object.fromEntries(many) as Record<string, string>),
      'evaldiff.yaml':
        'prompts: [evals/*.yaml]\nqualeval: off\nbudget: { max_calls: 10000, max_cost_usd: 1000 }\n',
      'evals/notes.yaml': SUITE,
      'agent.sh': 'echo notes > NOTES.md; echo \'{"type":"end"}\'\n',
      '.gitignore': 'report\nanswers.sqlite\n',
    });
    write('src/new.js', 'edited\n');
    const { seconds } = await diff(place, false);
    const result = readFileSync(join(place, 'report/result.json'), 'utf8');
    if (/"error": ?"/.test(result)) throw new Error(/"error": ?"[^"]*"/.exec(result)?.[0]);
    write('agent.sh', 'echo begun >&2; sleep 1000\n');
    const { stopped } = await diff(place, true);
    return { files, runs: RUNS, perRun: seconds / RUNS, stopped };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Of ended children and their descendants. Linux counts in hundredths of a second. */
function childSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

async function diff(
  place: string,
  isStopped: boolean,
): Promise<{ seconds: number; stopped: number }> {
  const before = childSeconds();
  const temporary = mkdtempSync(join(tmpdir(), 'evaldiff-large-'));
  const words = ['diff', '--base', 'HEAD', '--code', 'host', '--report', 'report'];
  const env = {
    ...{ PATH: process.env['PATH'], HOME: place, ANTHROPIC_API_KEY: 'k' },
    ...{ EVALDIFF_STORE: join(place, 'answers.sqlite'), TMPDIR: temporary },
  };
  const child = spawn(process.execPath, [CLI, ...words], { cwd: place, env, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const isRunning = (): boolean =>
    globSync('evaldiff-agents-*/run-*', { cwd: temporary }).length > 0;
  while (isStopped && !isRunning()) await setTimeout(100);
  const at = performance.now();
  if (isStopped) child.kill('SIGTERM');
  await ended;
  rmSync(temporary, { recursive: true, force: true });
  return { seconds: childSeconds() - before, stopped: (performance.now() - at) / 1000 };
}

if (import.meta.main) console.log(await measureTree(Number(process.argv[2] ?? 5000)));
