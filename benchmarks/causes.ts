/**
 * How often evaldiff names the lines that made a suite worse, on simulated pull requests with
 * planted causes. Uses evaldiff's own comparison and experiment. Writes benchmarks/causes.md; the
 * result is deterministic.
 *
 *   npx node benchmarks/causes.ts [--runs N] [--only TEXT] [--seed TEXT] [--print]
 */
import { writeFileSync } from 'node:fs';
import { MOST_AGENT_RUNS, MOST_CAUSE_CALLS } from '../src/features/causes/calls.ts';
import { createRandom } from '../src/kernel/statistics/random.ts';
import { pageOf, type Measured } from './causes/page.ts';
import { AGENT_ROWS, HARMLESS, ROWS, type Row } from './causes/rows.ts';
import { examine } from './causes/simulate.ts';

/** Simulated pull requests per row. Harmless edits need more, because few of them are examined. */
const RUNS = { planted: 200, harmless: 1000, always: 200 };

/** Not a seed with which the experiment's constants were chosen. */
const SEED = 'measured';

/** The largest default budget of calls, and half of the smallest. */
const [ROOMY, NARROW] = [MOST_CAUSE_CALLS, 60];

const value = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};
const only = value('--only') ?? '';

async function measure(row: Row, runs: number, maxCalls: number | null): Promise<Measured> {
  const kind = row.always === true ? ' always' : '';
  const random = createRandom(`${value('--seed') ?? SEED} ${row.name} ${String(maxCalls)}${kind}`);
  const sum = { examined: 0, right: 0, wrong: 0, calls: 0 };
  for (let run = 0; run < runs; run += 1) {
    const found = await examine(row, maxCalls, random);
    if (found === null) continue;
    sum.examined += 1;
    sum.right += Number(found.right);
    sum.wrong += Number(found.wrong);
    sum.calls += found.calls;
  }
  const { name, goal } = row;
  console.error(`${name}: ${JSON.stringify(sum)} of ${String(runs)}`);
  return { name, goal, runs, ...sum };
}

async function measureAll(rows: readonly Row[], runs: number, room: number | null) {
  const measured: Measured[] = [];
  for (const row of rows.filter(({ name }) => name.includes(only)))
    measured.push(await measure(row, Number(value('--runs') ?? runs), room));
  return measured;
}

const [seldom, always] = [false, true].map((own) => HARMLESS.filter((row) => row.always === own));
const page = pageOf({
  planted: await measureAll(ROWS, RUNS.planted, null),
  roomy: await measureAll(ROWS, RUNS.planted, ROOMY),
  narrow: await measureAll(ROWS, RUNS.planted, NARROW),
  agents: await measureAll(AGENT_ROWS, RUNS.planted, MOST_AGENT_RUNS),
  harmless: await measureAll(seldom ?? [], RUNS.harmless, null),
  always: await measureAll(always ?? [], RUNS.always, null),
});
if (only !== '' || process.argv.includes('--print')) console.log(page);
else writeFileSync(new URL('causes.md', import.meta.url), page);
