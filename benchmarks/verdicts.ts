/**
 * How often evaldiff is red, green and grey on simulated pull requests, and what that costs: its
 * own rounds and verdicts over many laws and sizes. Writes benchmarks/verdicts.md and the short
 * table of docs/verdicts.md, the same every time.
 *
 *   npx node benchmarks/verdicts.ts [--runs N] [--only TEXT] [--seed TEXT] [--print]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pageOf, withShortTable, type Measured, type Reported } from './verdicts/page.ts';
import { FALLEN, PROMISES, UNCHANGED, type Row } from './verdicts/rows.ts';
import { randomOf } from './verdicts/scenarios.ts';
import { isReported, SCORES } from './verdicts/scores.ts';
import { simulate } from './verdicts/simulate.ts';

/** Simulated pull requests of a cheap row. */
const RUNS = 2000;

/**
 * What the page is measured with. The verdict's constants were chosen with other seeds, so that
 * nothing here is fitted to what it measures; `--seed` gives another.
 */
const SEED = 'measured';

const value = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};
const runs = Number(value('--runs') ?? RUNS);
const only = value('--only') ?? '';

function measure(row: Row): Measured {
  const random = randomOf(`${value('--seed') ?? SEED} ${row.name}`);
  const rounds = Math.max(20, Math.round(runs * (row.part ?? 1)));
  const sum = { red: 0, green: 0, grey: 0, calls: 0, wrong: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const { colour, calls, wrongBounds } = simulate(row.draw(random), row.tries, random);
    sum[colour] += 1 / rounds;
    sum.calls += calls / rounds;
    sum.wrong += wrongBounds / rounds;
  }
  const { name, goal, shown = false } = row;
  console.error(
    `${name}: red ${(100 * sum.red).toFixed(1)}, green ${(100 * sum.green).toFixed(1)}, grey ${(100 * sum.grey).toFixed(1)}, calls ${sum.calls.toFixed(2)}, bound wrong ${(100 * sum.wrong).toFixed(1)} (${String(rounds)})`,
  );
  return { name, goal, shown, runs: rounds, ...sum };
}

function measureScores(): Reported[] {
  return SCORES.filter(({ name }) => name.includes(only)).map((row) => {
    const random = randomOf(`${value('--seed') ?? SEED} ${row.name}`);
    const found = Array.from({ length: runs }, () => isReported(row, random)).filter(Boolean);
    const share = found.length / runs;
    console.error(`${row.name}: ${(100 * share).toFixed(1)} (${String(runs)})`);
    return { name: row.name, goal: row.goal, share, runs };
  });
}

const chosen = (rows: readonly Row[]): Measured[] =>
  rows.filter(({ name }) => name.includes(only)).map(measure);
const page = pageOf(chosen(PROMISES), chosen(UNCHANGED), chosen(FALLEN), measureScores());
if (only !== '' || process.argv.includes('--print')) console.log(page);
else {
  const [own, docs] = ['verdicts.md', '../docs/verdicts.md'].map(
    (name) => new URL(name, import.meta.url),
  );
  if (own === undefined || docs === undefined) throw new TypeError('two files are written');
  writeFileSync(own, page);
  writeFileSync(docs, withShortTable(readFileSync(docs, 'utf8'), page));
}
