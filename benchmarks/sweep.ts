/**
 * A whole run of the bundled command line, including start and reports, against a server that
 * answers each call after a fixed time. Compares its time with the ideal `calls × latency /
 * concurrency`, and measures processor time and peak memory. Then repeats the run with all answers
 * stored.
 *
 *   npx node benchmarks/sweep.ts [calls…]
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { median, rounded, spread, table } from './measure/markdown.ts';
import { EVALDIFF, measured, type Measured } from './measure/process.ts';
import { createProject, removeProject } from './measure/project.ts';
import { startServer } from './measure/server.ts';

const LATENCY_MS = 100;
/** The most concurrent calls that evaldiff makes to one server. */
const CONCURRENCY = 64;
const TRIES = 50;
const REPETITIONS: Readonly<Record<number, number>> = { 100: 5, 1000: 5, 10_000: 2, 100_000: 1 };

interface Run {
  asked: Measured;
  stored: Measured;
  resultMb: number;
  storeMb: number;
  peak: number;
}

const given = process.argv.slice(2).map(Number);
const sizes = given.length > 0 ? given : Object.keys(REPETITIONS).map(Number);
const server = await startServer('prose', LATENCY_MS);
const measurements: { calls: number; runs: Run[] }[] = [];
for (const calls of sizes) {
  const folder = sweepProject(calls);
  const runs: Run[] = [];
  for (let run = 0; run < (REPETITIONS[calls] ?? 1); run++) runs.push(await sweep(folder, calls));
  removeProject(folder);
  measurements.push({ calls, runs });
}
server.stop();
print();

function sweepProject(calls: number): string {
  return createProject({
    'evaldiff.yaml': `n_tries: ${String(Math.min(TRIES, calls))}\nbudget: { max_calls: null, max_cost_usd: null }\nmodels:\n  m: { provider: openai, endpoint: local, model: model }\n`,
    'prompts/ask.yaml':
      'name: ask\nmodel: m\ndefaults: [tests/ask]\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "Answer in one sentence: {q}" }]\n',
    'prompts/tests/ask.yaml':
      'metrics:\n  - { name: has, uses: contains, with: { value: "5" } }\nreferences_from: { file: data/ask.jsonl, map: { input: input } }\n',
    'data/ask.jsonl': Array.from(
      { length: Math.ceil(calls / TRIES) },
      (_, index) => `{"input": {"q": "What is ${String(index)} plus 5 minus ${String(index)}?"}}\n`,
    ).join(''),
  });
}

async function sweep(folder: string, calls: number): Promise<Run> {
  for (const made of ['.evaldiff', 'report'])
    rmSync(join(folder, made), { recursive: true, force: true });
  await server.counted();
  const asked = await evaldiff(folder);
  const { calls: came, peak } = await server.counted();
  if (came !== calls) throw new Error(`${String(came)} calls came for ${String(calls)}`);
  const stored = await evaldiff(folder);
  if ((await server.counted()).calls !== 0) throw new Error('stored answers were asked for again');
  const size = (path: string): number => statSync(join(folder, path)).size / 1e6;
  return {
    asked,
    stored,
    resultMb: size('report/result.json'),
    storeMb: size('.evaldiff/answers.sqlite'),
    peak,
  };
}

async function evaldiff(folder: string): Promise<Measured> {
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
  if (run.code !== 0) throw new Error(`exit ${String(run.code)}\n${run.out}${run.err}`);
  process.stderr.write(
    `${run.seconds.toFixed(1)} s, ${run.cpuSeconds.toFixed(1)} s of processor, ${run.peakMb.toFixed(0)} MB\n`,
  );
  return run;
}

function print(): void {
  const { calls: fewest = 0, runs: first = [] } =
    measurements.toSorted((a, b) => a.calls - b.calls)[0] ?? {};
  const start = median(first.map(({ asked }) => asked.cpuSeconds));
  const rows = measurements.map(({ calls, runs }) => {
    const ideal = (calls * LATENCY_MS) / CONCURRENCY / 1000;
    const of = (value: (run: Run) => number): string => spread(runs.map(value));
    return {
      time: [
        rounded(calls),
        String(runs.length),
        rounded(ideal),
        of(({ asked }) => asked.seconds),
        of(({ asked }) => asked.seconds - ideal),
        of(({ asked }) => asked.seconds / ideal),
        of(({ asked }) => (asked.cpuSeconds * 1000) / calls),
        calls === fewest
          ? ''
          : of(({ asked }) => ((asked.cpuSeconds - start) * 1000) / (calls - fewest)),
        of(({ stored }) => stored.seconds),
      ],
      memory: [
        rounded(calls),
        String(runs.length),
        of(({ asked }) => asked.peakMb),
        of(({ stored }) => stored.peakMb),
        of(({ resultMb }) => resultMb),
        of(({ storeMb }) => storeMb),
      ],
    };
  });
  console.log(
    [
      `Each row is \`evaldiff run\` on one prompt with one metric, up to ${String(TRIES)} tries of each reference and all reports. A server on loopback answers each call with 200`,
      `characters after ${String(LATENCY_MS)} ms. The ideal time is calls × ${String(LATENCY_MS)} ms / ${String(CONCURRENCY)}, because evaldiff makes at most ${String(CONCURRENCY)} calls at a time. "Beyond the start" is the processor time per`,
      'additional call, compared with the smallest run. "Again" is the time of the same run when every answer is stored.',
      '',
      table(
        [
          'calls',
          'runs',
          'ideal, s',
          'took, s',
          'more than ideal, s',
          'times ideal',
          'processor per call, ms',
          'beyond the start, ms',
          'again, s',
        ],
        rows.map(({ time }) => time),
      ),
      '',
      'Peak memory (resident set) of the same runs, in MB of 1,000,000 bytes:',
      '',
      table(
        ['samples', 'runs', 'peak, all asked', 'peak, all stored', 'result.json', 'store'],
        rows.map(({ memory }) => memory),
      ),
    ].join('\n'),
  );
}
