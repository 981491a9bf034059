import { MOST_CAUSE_CALLS } from '../../src/features/causes/calls.ts';
import { nextFloat, type Random } from '../../src/kernel/statistics/random.ts';
import { findCauses } from '../../src/trials/experiment.ts';
import { fallenReferences, hasFallen, stableReferences } from '../../src/trials/fallen.ts';
import { experimentCalls } from '../../src/trials/tries.ts';
import { compareOne } from '../verdicts/simulate.ts';
import type { Row } from './rows.ts';

const REFERENCES = 20;

export interface Examined {
  /** All causes were named, and nothing else. */
  right: boolean;
  wrong: boolean;
  calls: number;
}

/** Runs evaldiff's own comparison and experiment on one pull request. Null: nothing got worse. */
export async function examine(
  { units, rate, culprits, references = REFERENCES, always = false }: Row,
  maxCalls: number | null,
  random: Random,
): Promise<Examined | null> {
  const all = [...Array(references).keys()];
  const suite = {
    base: all.map((reference) => rate(reference, () => false)),
    head: all.map((reference) => rate(reference, () => true)),
  };
  const { result, calls } = await compareOne(suite, random);
  const fallen = fallenReferences(result);
  if (fallen.length === 0 || !(always || hasFallen(result))) return null;
  const held = stableReferences(result);
  const examined = [...fallen, ...held].map(({ id }) => Number(id.slice(1)));
  const countsOf = (side: { passes: number; tries_judged: number } | null) => ({
    passes: side?.passes ?? 0,
    tries: side?.tries_judged ?? 0,
  });
  const { causes, tries } = await findCauses(
    {
      units,
      fell: fallen.map(({ base, head }) => ({ base: countsOf(base), head: countsOf(head) })),
      stable: held.length,
      tries: maxCalls ?? experimentCalls(calls, MOST_CAUSE_CALLS),
      alpha: 0.05,
    },
    (draws) =>
      Promise.resolve(
        draws.map(
          ({ units: own, reference }) =>
            nextFloat(random) < rate(examined[reference] ?? 0, (unit) => own.has(unit)),
        ),
      ),
  );
  const named = new Set(causes.flatMap((cause) => cause.units));
  const wrong = [...named].some((unit) => !culprits.includes(unit));
  return { right: !wrong && culprits.every((unit) => named.has(unit)), wrong, calls: tries };
}
