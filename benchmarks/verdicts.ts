/**
 * How often evaldiff is red, green and grey on simulated pull requests, and what that costs: its
 * own rounds and verdicts over many laws and sizes. Writes benchmarks/verdicts.md and the short
 * table of docs/verdicts.md and README.md, the same every time.
 *
 *   npx node benchmarks/verdicts.ts [--runs N] [--only TEXT] [--seed TEXT] [--print]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { ATTRIBUTE_ROWS, measureAttributes } from './verdicts/attributes.ts';
import type { Outcome } from './verdicts/goals.ts';
import { pageOf, withShortTable, type Measured } from './verdicts/page.ts';
import { FALLEN, PROMISES, UNCHANGED, type Row } from './verdicts/rows.ts';
import { randomOf } from './verdicts/scenarios.ts';
import { isReported, SCORES } from './verdicts/scores.ts';
import { simulate } from './verdicts/simulate.ts';

/** Simulated pull requests of a cheap row. */
const RUNS = 2000;

/** Share of them that attributes are tried in: each takes thousands of permutations. */
const ATTRIBUTE_PART = 0.25;

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

const seedOf = (name: string) => randomOf(`${value('--seed') ?? SEED} ${name}`);

function logged<Row extends Pick<Outcome, 'name' | 'runs'>>(row: Row): Row {
  console.error(JSON.stringify(row));
  return row;
}

function measure({ name, goals, shown, tries, part = 1, draw }: Row): Measured {
  const random = seedOf(name);
  const rounds = Math.max(20, Math.round(runs * part));
  const count = { red: 0, green: 0, grey: 0, calls: 0, wrong: 0, single: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const { colour, calls, single, wrongBounds } = simulate(draw(random), tries, random);
    count[colour] += 1;
    count.calls += calls;
    count.single += single;
    count.wrong += wrongBounds;
  }
  const { red, green, grey, wrong, calls, single } = count;
  return logged({
    name,
    goals,
    shown: shown === true,
    runs: rounds,
    figures: {
      red: red / rounds,
      green: green / rounds,
      grey: grey / rounds,
      wrong: wrong / rounds,
      calls: calls / rounds,
    },
    single: single / rounds,
  });
}

const chosen = <Row extends { name: string }>(rows: readonly Row[]): Row[] =>
  rows.filter(({ name }) => name.includes(only));

const page = pageOf({
  promises: chosen(PROMISES).map(measure),
  unchanged: chosen(UNCHANGED).map(measure),
  fallen: chosen(FALLEN).map(measure),
  scores: chosen(SCORES).map((row) => {
    const random = seedOf(row.name);
    const found = Array.from({ length: runs }, () => isReported(row, random)).filter(Boolean);
    return logged({
      name: row.name,
      goals: row.goals,
      runs,
      figures: { reported: found.length / runs },
    });
  }),
  attributes: chosen(ATTRIBUTE_ROWS).map((row) =>
    logged(measureAttributes(row, Math.ceil(runs * ATTRIBUTE_PART), seedOf(row.name))),
  ),
});
if (only !== '' || process.argv.includes('--print')) console.log(page);
else {
  writeFileSync(new URL('verdicts.md', import.meta.url), page);
  for (const name of ['../docs/verdicts.md', '../README.md']) {
    const file = new URL(name, import.meta.url);
    writeFileSync(file, withShortTable(readFileSync(file, 'utf8'), page));
  }
}
