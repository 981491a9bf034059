/** Speed of user code: one metric on 1,000 references, per language. Prints; nothing is asserted. `npx node benchmarks/sandbox.ts` */
import { createSandbox } from '../src/sandbox/index.ts';
import type { CodeJob, CodeLanguage } from '../src/types.ts';

const codes: Record<CodeLanguage, string> = {
  python: 'metric = actual == expected\nresult = metric',
  javascript: 'metric = actual === expected;\nresult = metric;',
};
const references = 1000;
const rounds = 5;

for (const language of ['python', 'javascript'] as const) {
  const sandbox = createSandbox({ mode: 'sandbox', env: {}, timeoutSeconds: 5, log: () => undefined });
  const inputs = Array.from({ length: references }, (_, index) => ({ actual: String(index), expected: String(index % 2 === 1 ? index : -1) }));
  const job: CodeJob = { side: 'head', language, code: codes[language], outputs: ['metric', 'result'], inputs };
  const start = performance.now();
  await sandbox.evaluate({ ...job, inputs: inputs.slice(0, 1) });
  console.log(`${language}: first answer after ${(performance.now() - start).toFixed(0)} ms`);
  for (let round = 0; round < rounds; round += 1) {
    // Another code each time, so that its process or engine is part of the figure.
    const began = performance.now();
    const results = await sandbox.evaluate({ ...job, code: `${job.code}\n${'\n'.repeat(round)}` });
    const took = performance.now() - began;
    const right = results.filter((result, index) => result.status === 'ok' && result.values.result === (index % 2 === 1)).length;
    console.log(`${language}: ${references} evaluations in ${took.toFixed(0)} ms (${Math.round(references / took * 1000)}/s), ${right} right`);
  }
  await sandbox.close();
}
