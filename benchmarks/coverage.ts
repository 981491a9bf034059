/**
 * How often evaldiff tells rightly which lines tests hold, on simulated prompts with planted lines.
 * Uses evaldiff's own search. Writes benchmarks/coverage.md; the result is deterministic.
 *
 *   npx node benchmarks/coverage.ts [--runs N] [--only LAW] [--seed TEXT] [--print]
 */
import { writeFileSync } from 'node:fs';
import { LAWS, type Law } from './coverage/laws.ts';
import { measureLaw, measureTwo } from './coverage/measure.ts';
import { pageOf, type TwoLines } from './coverage/page.ts';

const RUNS = 200;

/** Not a seed with which the search's constants were chosen. */
const SEED = 'measured';

const CAPS = { cover: 250, base: 40, other: 80 };

const value = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};
const only = value('--only');
const seed = value('--seed') ?? SEED;
const runs = Number(value('--runs') ?? RUNS);
const laws = LAWS.filter(({ name }) => only === undefined || name === only);
const named = (...names: string[]): Law[] => laws.filter(({ name }) => names.includes(name));
const runsOf = (law: Law): number => (law.isLarge ? Math.ceil(runs / 8) : runs);

async function inOrder<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const found: R[] = [];
  for (const item of items) found.push(await work(item));
  return found;
}

const whole = await inOrder(laws, async (law) => {
  console.error(law.name);
  return measureLaw(law, runsOf(law), seed);
});
const capped = await inOrder(named('plain', 'noise 0.8'), (law) =>
  measureLaw(law, runs, seed, CAPS.cover),
);
const two: TwoLines[] = [];
for (const law of named('plain', 'sure', 'noise 0.8', 'hinted', 'narrow'))
  for (const isBase of [true, false])
    for (const most of [Infinity, isBase ? CAPS.base : CAPS.other])
      two.push({ isBase, most, tally: await measureTwo(law, { isBase, most }, runs, seed) });
const page = pageOf({ whole, capped, two, cap: CAPS.cover });
if (only !== undefined || process.argv.includes('--print')) console.log(page);
else writeFileSync(new URL('coverage.md', import.meta.url), page);
