/**
 * What the seeds published, computed again by the code that runs in a pull request. Writes
 * benchmarks/seeds.md, the same every time; ends with 1 where a figure is not the seed's.
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
