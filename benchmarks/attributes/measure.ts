import { groupVerdicts } from '../../src/features/attributes/verdicts.ts';
import { createRandom } from '../../src/kernel/statistics/random.ts';
import { drawSuite, drawTruth, type Drawn, type Scenario, type Truth } from './suites.ts';

/** Classes of a run's result. `right`: names exactly the planted attributes. */
export const RESULTS = ['right', 'or', 'part', 'silent', 'wrong'] as const;

type Worth = (typeof RESULTS)[number];

export type Measured = Pick<Scenario, 'name' | 'references' | 'isSilenceRight'> & {
  runs: number;
} & Record<Worth, number>;

const MEMBER = 3;

export function measure(
  scenario: Scenario,
  runs: number,
  { seed, truth }: { seed: string; truth?: Truth },
): Measured {
  const random = createRandom(`${seed} ${scenario.name} ${String(scenario.references)}`);
  const worths = { right: 0, or: 0, part: 0, silent: 0, wrong: 0 };
  for (let run = 0; run < runs; run++) {
    const drawn = drawSuite(scenario, truth ?? drawTruth(scenario.references, random), random);
    worths[worthOf(drawn, run, scenario.better === true ? 'improved' : 'regressed')] += 1;
  }
  const { name, references, isSilenceRight } = scenario;
  return {
    name,
    references,
    runs,
    ...worths,
    ...(isSilenceRight === true ? { isSilenceRight } : {}),
  };
}

function worthOf({ rows, ratings, planted }: Drawn, seed: number, word: string): Worth {
  const columns = [...(ratings[0] ?? []).keys()];
  const groups = columns.map((column) =>
    [...ratings.keys()].filter((at) => (ratings[at]?.[column] ?? 0) >= MEMBER),
  );
  const [found = []] = groupVerdicts(rows, [{ positions: [...rows.keys()], groups }], {
    alpha: 0.05,
    seed,
    permutations: 499,
  });
  const named = found.flatMap(({ verdict }, at) => (verdict === word ? at : []));
  const unsure = found.flatMap(({ alternatives }, at) =>
    alternatives.length === 0 ? [] : [[at, ...alternatives.map(({ group }) => group)]],
  );
  const isPlanted = (at: number): boolean => planted.includes(at);
  if (!named.every(isPlanted) || !unsure.every((set) => set.some(isPlanted))) return 'wrong';
  if (named.length + unsure.length === 0) return planted.length === 0 ? 'right' : 'silent';
  const covered = planted.filter(
    (at) => named.includes(at) || unsure.some((set) => set.includes(at)),
  );
  if (covered.length < planted.length) return 'part';
  return unsure.length === 0 ? 'right' : 'or';
}
