import type { Plant, Scenario } from './suites.ts';

const one: readonly Plant[] = [{ kind: 'domain', count: 1 }];
const two: readonly Plant[] = [{ kind: 'domain', count: 2 }];
const three: readonly Plant[] = [{ kind: 'domain', count: 3 }];
const mixed: readonly Plant[] = [
  { kind: 'domain', count: 1 },
  { kind: 'subtask', count: 1 },
];

const silent = { plant: one, isSilenceRight: true } as const;

type Sizeless = Omit<Scenario, 'references' | 'name'>;

const at = (references: number, name: string, scenario: Sizeless = {}): Scenario => ({
  name,
  references,
  ...scenario,
});

const atEach = (name: string, scenario: Sizeless = {}, sizes = [20, 50, 150]): Scenario[] =>
  sizes.map((references) => at(references, name, scenario));

export const SCENARIOS: readonly Scenario[] = [
  ...atEach('nothing changed'),
  ...atEach('nothing changed, hard and easy domains', { uneven: true }),
  ...atEach('all lose 10 points', { fall: 0.1 }),
  at(150, '10 % of the tests break, in no attribute', { scattered: 0.1 }),
  ...atEach('one domain', { plant: one }),
  ...atEach('one domain, two tries', { plant: one, tries: 2 }),
  ...atEach('one domain improves', { plant: one, better: true }),
  ...atEach('one domain, to a half', { plant: one, left: 0.5 }),
  ...atEach('one domain beside 10 points everywhere', { plant: one, fall: 0.1 }, [150]),
  ...[0.3, 0.5, 0.7].flatMap((overlap) =>
    atEach(
      `one domain, another attribute shares ${String(100 * overlap)} %`,
      { plant: one, overlap },
      [50, 150],
    ),
  ),
  ...atEach('one domain, another attribute shares 95 %', { plant: one, overlap: 0.95 }, [50, 150]),
  ...atEach('one domain, a narrower one inside it', { plant: one, nested: 'inside' }, [50, 150]),
  ...atEach('one domain, a wider one around it', { plant: one, nested: 'around' }, [50, 150]),
  ...atEach('one domain, ratings 10 % noise', { plant: one, noise: 0.1 }, [50, 150]),
  ...atEach('one domain, ratings 30 % noise', { plant: one, noise: 0.3 }, [50, 150]),
  ...atEach('one domain, 5 % of the ratings refused', { plant: one, refused: 0.05 }),
  ...atEach('two domains', { plant: two }),
  ...atEach('two domains, ratings 10 % noise', { plant: two, noise: 0.1 }, [50, 150]),
  ...atEach('two domains, another attribute shares 50 %', { plant: two, overlap: 0.5 }, [50, 150]),
  ...atEach('a domain and a sub-task', { plant: mixed }),
  ...atEach('a domain and a sub-task, ratings 10 % noise', { plant: mixed, noise: 0.1 }, [50, 150]),
  ...atEach('three domains', { plant: three }, [50, 150]),
  ...atEach('three domains, ratings 10 % noise', { plant: three, noise: 0.1 }, [50, 150]),
  ...atEach('one domain, all ratings equal', { ...silent, rater: 'flat' }),
  ...atEach('one domain, one rating per test', { ...silent, rater: 'one value per test' }, [50]),
  ...atEach(
    'one domain, ratings of other tests',
    { ...silent, rater: 'of other tests' },
    [50, 150],
  ),
  ...atEach('one domain, ratings inverted', { ...silent, rater: 'inverted' }, [50, 150]),
];

/** Simulations that use ratings of real texts. */
export const REAL: readonly Scenario[] = [
  ...atEach('nothing changed', {}, [50, 150]),
  ...atEach('all lose 10 points', { fall: 0.1 }, [50, 150]),
  ...atEach('one domain', { plant: one }, [50, 150]),
  ...atEach('one domain, ratings 10 % noise', { plant: one, noise: 0.1 }, [50, 150]),
  ...atEach('one sub-task', { plant: [{ kind: 'subtask', count: 1 }] }, [50, 150]),
  ...atEach('two domains', { plant: two }, [50, 150]),
  ...atEach('two domains, ratings 10 % noise', { plant: two, noise: 0.1 }, [150]),
  ...atEach('a domain and a sub-task', { plant: mixed }, [50, 150]),
  ...atEach('three domains', { plant: three }, [50, 150]),
];
