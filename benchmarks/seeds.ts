/**
 * Recomputes the published figures of the seeds (llmeval, FlexEval, code_chat_eval, QualEval) with
 * the code that runs in pull requests. Writes benchmarks/seeds.md; the result is deterministic.
 * Exits with 1 if a figure differs.
 *
 *   npx node benchmarks/seeds.ts [--print]
 */
import { writeFileSync } from 'node:fs';
import { reproduce } from './seeds/index.ts';
import { missed, pageOf } from './seeds/page.ts';

const parts = await reproduce();
const page = pageOf(parts);
if (process.argv.includes('--print')) console.log(page);
else writeFileSync(new URL('seeds.md', import.meta.url), page);
const { of, rows } = missed(parts);
console.error(`${String(of - rows.length)} of ${String(of)} figures are the seed's own`);
for (const { what, seed, ours } of rows) console.error(`${what}: ${seed}, not ${ours}`);
if (rows.length > 0) process.exitCode = 1;
