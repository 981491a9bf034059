/**
 * How often the interval of a corrected pass rate contains the truth: the correction that reports
 * use, and prediction-powered inference. Writes benchmarks/graders.md; the result is deterministic.
 *
 *   npx node benchmarks/graders.ts [--runs N] [--print]
 */
import { writeFileSync } from 'node:fs';
import { pageOf } from './graders/page.ts';

const at = process.argv.indexOf('--runs');
const page = pageOf(at < 0 ? 4000 : Number(process.argv[at + 1]));
if (process.argv.includes('--print')) console.log(page);
else writeFileSync(new URL('graders.md', import.meta.url), page);
