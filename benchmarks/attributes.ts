/**
 * How often evaldiff names the attributes that got worse, on simulated pull requests with planted
 * causes. Uses evaldiff's own verdicts. Writes benchmarks/attributes.md; the result is
 * deterministic.
 *
 *   npx node benchmarks/attributes.ts [--runs N] [--only TEXT] [--seed TEXT] [--print]
 */
import { writeFileSync } from 'node:fs';
import { measure, type Measured } from './attributes/measure.ts';
import { pageOf } from './attributes/page.ts';
import { realTruth } from './attributes/real.ts';
import { REAL, SCENARIOS } from './attributes/rows.ts';
import type { Scenario, Truth } from './attributes/suites.ts';

const RUNS = 200;

/** Not a seed with which the model's constants were chosen. */
const SEED = 'measured';

const value = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};
const only = value('--only') ?? '';
const runs = Number(value('--runs') ?? RUNS);
const seed = value('--seed') ?? SEED;

function measureAll(
  scenarios: readonly Scenario[],
  truthOf: (references: number) => { truth?: Truth },
): Measured[] {
  return scenarios
    .filter(({ name, references }) => `${name}, ${String(references)}`.includes(only))
    .map((scenario) => {
      const row = measure(scenario, runs, { seed, ...truthOf(scenario.references) });
      console.error(JSON.stringify(row));
      return row;
    });
}

const page = pageOf({
  simulated: process.argv.includes('--real') ? [] : measureAll(SCENARIOS, () => ({})),
  real: measureAll(REAL, (references) => ({ truth: realTruth(references) })),
});
if (only !== '' || process.argv.includes('--print')) console.log(page);
else writeFileSync(new URL('attributes.md', import.meta.url), page);
