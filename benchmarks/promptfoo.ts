/**
 * Compares evaldiff with promptfoo: the same references, exact match, loopback server and
 * concurrency, in turns. promptfoo is installed once from npm into the temporary folder; it is not
 * a dependency.
 *
 *   npx node benchmarks/promptfoo.ts [references…]
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filePathsBelow } from '../scripts/entries-below.ts';
import { median, rounded, spread, table } from './measure/markdown.ts';
import { EVALDIFF, measured, type Measured } from './measure/process.ts';
import { createProject, removeProject, type Files } from './measure/project.ts';
import { installPromptfoo, PROMPTFOO_ALONE } from './measure/promptfoo.ts';
import { startServer } from './measure/server.ts';

const LATENCY_MS = 100;
/** evaldiff starts with 8 concurrent calls and grows to this; promptfoo starts with it. */
const CONCURRENCY = 64;
const REPETITIONS: Readonly<Record<number, number>> = { 1000: 3, 4000: 2 };
const given = process.argv.slice(2).map(Number);
const sizes = given.length > 0 ? given : [1000, 4000];
interface Tool {
  name: string;
  run(folder: string): Promise<Measured & { passed: number }>;
}

const installed = installPromptfoo();
const server = await startServer('successor', LATENCY_MS);
const tools: Tool[] = [
  {
    name: 'evaldiff run',
    async run(folder) {
      for (const made of ['.evaldiff', 'report'])
        rmSync(join(folder, made), { recursive: true, force: true });
      const run = await measured(
        EVALDIFF,
        [
          'run',
          '--store',
          '.evaldiff/answers.sqlite',
          '--report',
          'report',
          '--endpoint',
          `local=${server.url}`,
        ],
        { cwd: folder },
      );
      const { suites } = JSON.parse(readFileSync(join(folder, 'report/result.json'), 'utf8')) as {
        suites: { references: { head: { passes: number } }[] }[];
      };
      return {
        ...run,
        passed: suites
          .flatMap(({ references }) => references)
          .reduce((sum, { head }) => sum + head.passes, 0),
      };
    },
  },
  {
    name: 'promptfoo eval',
    async run(folder) {
      rmSync(join(folder, 'out.json'), { force: true });
      const run = await measured(
        installed.script,
        [
          'eval',
          '--no-cache',
          '--no-write',
          '--no-table',
          '--no-progress-bar',
          '-j',
          String(CONCURRENCY),
          '-o',
          'out.json',
        ],
        {
          cwd: folder,
          env: { ...PROMPTFOO_ALONE, PROMPTFOO_CONFIG_DIR: join(folder, 'home') },
        },
      );
      const { results } = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')) as {
        results: { stats: { successes: number } };
      };
      return { ...run, passed: results.stats.successes };
    },
  },
];

const rows: string[][] = [];
for (const [index, references] of sizes.entries())
  rows.push(...(await compare(references, index === 0 ? 1 : 0)));
server.stop();
console.log(
  [
    `Both tools evaluate one prompt with one exact match and one try per reference. A server on loopback answers after ${String(LATENCY_MS)} ms, and every tenth answer is wrong. Both`,
    `tools make at most ${String(CONCURRENCY)} calls at a time and report the same failures. After one run of each as a warm-up, the tools take turns: ${sizes.map((size) => `${String(REPETITIONS[size] ?? 1)} runs each with ${rounded(size)} references`).join(' and\n')}.`,
    `evaldiff writes its store and all its reports. promptfoo ${installed.version} runs with`,
    '`--no-cache --no-write` and a JSON file as output; its telemetry, update check and remote generation are off. The ideal time is references × latency / concurrency.',
    '"Above ideal" is the time beyond that, as a share of promptfoo\'s.',
    '',
    table(
      ['', 'references', 'ideal, s', 'took, s', 'processor, s', 'peak memory, MB', 'above ideal'],
      rows,
    ),
    '',
    table(
      ['', 'packages installed', 'size, MB'],
      [
        ['evaldiff (`npm install evaldiff`)', '1', rounded(sizeOfPackage() / 1e6)],
        [
          `promptfoo ${installed.version} (\`npm install promptfoo\`)`,
          rounded(installed.packages),
          rounded(sizeOf(installed.folder) / 1e6),
        ],
      ],
    ),
  ].join('\n'),
);

/** `warm`: number of rounds that do not count, at the start. */
async function compare(references: number, warm: number): Promise<string[][]> {
  const folder = createProject(filesFor(references));
  const runs = tools.map((tool) => ({ tool, measurements: [] as Measured[] }));
  for (let round = -warm; round < (REPETITIONS[references] ?? 1); round++) {
    for (const { tool, measurements } of runs) {
      await server.counted();
      const { passed, ...usage } = await tool.run(folder);
      const { calls, peak } = await server.counted();
      const right = references - Math.floor(references / 10);
      if (calls !== references || passed !== right)
        throw new Error(
          `${tool.name}: ${String(calls)} calls, ${String(passed)} passed of ${String(right)}\n${usage.out}${usage.err}`,
        );
      process.stderr.write(
        `${tool.name}: ${usage.seconds.toFixed(1)} s, ${usage.cpuSeconds.toFixed(1)} s of processor, ${usage.peakMb.toFixed(0)} MB, ${String(peak)} at a time\n`,
      );
      if (round >= 0) measurements.push(usage);
    }
  }
  removeProject(folder);
  const ideal = (references * LATENCY_MS) / CONCURRENCY / 1000;
  const above = (all: readonly Measured[]): number =>
    median(all.map(({ seconds }) => seconds)) - ideal;
  return runs.map(({ tool, measurements }) => [
    tool.name,
    rounded(references),
    rounded(ideal),
    ...(['seconds', 'cpuSeconds', 'peakMb'] as const).map((key) =>
      spread(measurements.map((measured) => measured[key])),
    ),
    rounded(above(measurements) / above(runs.at(-1)?.measurements ?? [])),
  ]);
}

function filesFor(references: number): Files {
  const numbers = Array.from({ length: references }, (_, index) => index + 1);
  const lines = (of: (number: number) => unknown): string =>
    numbers.map((number) => `${JSON.stringify(of(number))}\n`).join('');
  return {
    'evaldiff.yaml':
      'n_tries: 1\nbudget: { max_calls: null, max_cost_usd: null }\nmodels:\n  m: { provider: openai, endpoint: local, model: model }\n',
    'prompts/next.yaml':
      'name: next\nmodel: m\ntemperature: 0\ndefaults: [tests/next]\nvariables: [{ name: n }]\nmessages: [{ role: user, content: "Which number comes after {n}?" }]\n',
    'prompts/tests/next.yaml':
      'metrics:\n  - { name: right, uses: exact_match }\nreferences_from: { file: data/next.jsonl, map: { input: input, expected: expected } }\n',
    'data/next.jsonl': lines((number) => ({
      input: { n: String(number) },
      expected: String(number + 1),
    })),
    'promptfooconfig.yaml': [
      'prompts: ["Which number comes after {{n}}?"]',
      'providers:',
      '  - id: openai:chat:model',
      `    config: { apiBaseUrl: "${server.url}", apiKey: key, temperature: 0 }`,
      'defaultTest:',
      '  assert: [{ type: equals, value: "{{expected}}" }]',
      'tests: tests.jsonl',
      '',
    ].join('\n'),
    'tests.jsonl': lines((number) => ({
      vars: { n: String(number), expected: String(number + 1) },
    })),
  };
}

/** The size of an installed evaldiff in `node_modules`, in bytes. */
function sizeOfPackage(): number {
  const told = execFileSync('npm', ['pack', '--dry-run', '--json'], {
    cwd: new URL('..', import.meta.url),
    encoding: 'utf8',
  });
  const [packed] = JSON.parse(told) as { unpackedSize: number }[];
  return packed?.unpackedSize ?? NaN;
}

/** The size of all files in a folder, in bytes. */
function sizeOf(folder: string): number {
  return filePathsBelow(folder).reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);
}
