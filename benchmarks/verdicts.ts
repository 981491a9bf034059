/**
 * How often evaldiff is red, green and grey on simulated pull requests, and how many calls it
 * makes. Runs its own rounds and verdicts over many distributions and sizes, in two processes.
 * Writes benchmarks/verdicts.md and the short table of docs/statistics.md; the result is
 * deterministic.
 *
 *   npx node benchmarks/verdicts.ts [--runs N] [--only TEXT] [--seed TEXT] [--print]
 */
import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DEFAULT_GATE } from '../src/kernel/suite/gate-settings.ts';
import { FIXES } from './verdicts/fix-rows.ts';
import type { Outcome } from './verdicts/goals.ts';
import { LEDGER } from './verdicts/ledger-rows.ts';
import {
  pageOf,
  withShortTable,
  type Measured,
  type Page,
  type Reported,
} from './verdicts/page.ts';
import { FALLEN, PROMISES, UNCHANGED, type Row } from './verdicts/rows.ts';
import { randomOf } from './verdicts/scenarios.ts';
import { SCORES, type ReportedRow } from './verdicts/scores.ts';
import { simulate } from './verdicts/simulate.ts';
import { SPEED } from './verdicts/speed-rows.ts';
import { DRIFT, EROSION } from './verdicts/time-rows.ts';

/** Simulated pull requests per row, except in expensive rows. */
const RUNS = 2000;

/**
 * The random seed of the page; `--seed` sets another. The verdict's constants were tuned with other
 * seeds, so they are not fitted to these simulations.
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

function measure({ name, goals, shown, tries, part = 1, draw, gate, falls, heals }: Row): Measured {
  const random = seedOf(name);
  const rounds = Math.max(20, Math.round(runs * part));
  const count = { red: 0, green: 0, grey: 0, calls: 0, wrong: 0, named: 0, fixed: 0, single: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const found = simulate(draw(random), tries, random, { ...DEFAULT_GATE, ...gate });
    count[found.colour] += 1;
    count.calls += found.calls;
    count.single += found.single;
    count.wrong += found.wrongBounds;
    count.named += falls !== undefined && found.fell.includes(falls) ? 1 : 0;
    count.fixed += found.healed.length >= (heals ?? 1) ? 1 : 0;
  }
  const { single, ...shares } = count;
  const mean = (of: keyof typeof count): number => count[of] / rounds;
  const figures = Object.fromEntries(
    Object.keys(shares).map((key) => [key, mean(key as keyof typeof shares)]),
  ) as Measured['figures'];
  return logged({
    name,
    goals,
    shown: shown === true,
    runs: rounds,
    figures,
    single: single / rounds,
  });
}

async function measureReported({ name, goals, part = 1, run }: ReportedRow): Promise<Reported> {
  const random = seedOf(name);
  const rounds = Math.max(5, Math.round(runs * part));
  const figures = { reported: 0, calls: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const { reported, calls } = await run(random);
    figures.reported += (reported ? 1 : 0) / rounds;
    figures.calls += calls / rounds;
  }
  return logged({ name, goals, runs: rounds, figures });
}

const chosen = <Row extends { name: string }>(rows: readonly Row[]): Row[] =>
  rows.filter(({ name }) => name.includes(only));

const judged = (rows: readonly Row[]) => chosen(rows).map((row) => () => measure(row));

const reported = (rows: readonly ReportedRow[]) =>
  chosen(rows).map((row) => () => measureReported(row));

/** All rows as work items. The process that runs a row does not affect its result. */
const tables = {
  promises: judged(PROMISES),
  ledger: judged(LEDGER),
  unchanged: judged(UNCHANGED),
  fallen: judged(FALLEN),
  scores: reported(SCORES),
  drift: reported(DRIFT),
  erosion: reported(EROSION),
  fixes: reported(FIXES),
  speed: reported(SPEED),
} satisfies Record<keyof Page, readonly (() => unknown)[]>;

const work: (() => unknown)[] = Object.values(tables).flat();

const PROCESSES = 2;

async function measureAll(): Promise<unknown[]> {
  const results: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    const child = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), '--worker']);
    await new Promise<void>((resolve, reject) => {
      const give = (): void => {
        if (next < work.length) child.send(next++);
        else child.disconnect();
      };
      child.on('message', (reply) => {
        const { at, result } = reply as { at: number; result: unknown };
        results[at] = result;
        give();
      });
      child.on('exit', (code) => {
        if (code === 0) resolve();
        else reject(new Error(`a process ended with ${String(code)}`));
      });
      give();
    });
  };
  await Promise.all(Array.from({ length: PROCESSES }, worker));
  return results;
}

if (process.argv.includes('--worker'))
  process.on('message', (at) => {
    void Promise.resolve(work[Number(at)]?.()).then((result) => process.send?.({ at, result }));
  });
else await writePage();

async function writePage(): Promise<void> {
  const results = await measureAll();
  const measured = Object.entries(tables).map(([name, rows]) => [
    name,
    results.splice(0, rows.length),
  ]);
  const page = pageOf(Object.fromEntries(measured) as Page);
  if (only !== '' || process.argv.includes('--print')) {
    console.log(page);
    return;
  }
  writeFileSync(new URL('verdicts.md', import.meta.url), page);
  const docs = new URL('../docs/statistics.md', import.meta.url);
  writeFileSync(docs, withShortTable(readFileSync(docs, 'utf8'), page));
}
