/**
 * Speed of user code: one metric on 1,000 references, per language.
 *
 *   npx node benchmarks/sandbox.ts
 */
import { createSandbox } from '../src/edges/sandbox/index.ts';
import type { CodeJob } from '../src/types/model.ts';
import type { CodeLanguage } from '../src/types/plain.ts';
import { rounded, spread, table } from './measure/markdown.ts';

const codes: Record<CodeLanguage, string> = {
  python: 'metric = actual == expected\nresult = metric',
  javascript: 'metric = actual === expected;\nresult = metric;',
};
const references = 1000;
const rounds = 5;

const rows: string[][] = [];
for (const [language, alone] of [
  ['python', false],
  ['python', true],
  ['javascript', false],
  ['javascript', true],
] as const) {
  const sandbox = createSandbox({
    alone,
    mode: 'sandbox',
    env: {},
    timeoutSeconds: 5,
    time: Date.UTC(2026, 0, 2),
    log: () => undefined,
  });
  const inputs = Array.from({ length: references }, (_, index) => ({
    actual: String(index),
    expected: String(index % 2 === 1 ? index : -1),
  }));
  const job: CodeJob = {
    suite: 'p',
    side: 'head',
    language,
    code: codes[language],
    outputs: ['metric', 'result'],
    inputs,
  };
  const start = performance.now();
  await sandbox.evaluate({ ...job, inputs: inputs.slice(0, 1) });
  const first = performance.now() - start;
  const perSecond: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // Different code in each round starts a new process or engine, which the time must include.
    const began = performance.now();
    const results = await sandbox.evaluate({ ...job, code: `${job.code}\n${'\n'.repeat(round)}` });
    perSecond.push((references / (performance.now() - began)) * 1000);
    const right = results.every(
      (result, index) => result.status === 'ok' && result.values['result'] === (index % 2 === 1),
    );
    if (!right) throw new Error(`${language}: a wrong result`);
  }
  await sandbox.close();
  rows.push([
    language,
    alone ? 'each evaluation (untrusted)' : 'each suite and side',
    rounded(first),
    spread(perSecond),
  ]);
}
console.log(
  [
    `One metric scores ${rounded(references)} references in the same sandbox as in a run, including the start of its process or engine. Each row has ${String(rounds)} rounds.`,
    '',
    table(
      ['language', 'a process or engine for', 'first answer after, ms', 'evaluations a second'],
      rows,
    ),
  ].join('\n'),
);
