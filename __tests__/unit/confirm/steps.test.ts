import { claimAbout } from '../../../src/confirm/claims.ts';
import {
  createConfirmation,
  maxNewAnswers,
  newTriesOf,
  nextConfirmationStep,
  wholeTry,
  type Claim,
  type NewTries,
  type NewTry,
} from '../../../src/confirm/steps.ts';
import { restsOn, type Confirmation } from '../../../src/kernel/judge/confirmation.ts';
import {
  type ReferenceRun,
  type SuiteComparison,
  type Try,
} from '../../../src/kernel/plan/suite-run.ts';
import type { Generation } from '../../../src/kernel/select/affected-suite.ts';
import { createRandom, nextFloat } from '../../../src/kernel/statistics/random.ts';
import type { Outcome } from '../../../src/types/metric.ts';
import type { Target } from '../../../src/types/model.ts';
import { comparedSuite, reference, tryResult } from '../app/run/builders.ts';

/** Pass rates (0–1) of one reference: in base's stored answers, and of both prompts today. */
interface Rates {
  stored: number;
  base: number;
  head: number;
}

const SETTINGS = { alpha: 0.05, gate_on: 'suite+references', churn: 'gate', claims: 1 } as const;
const TRIES = 3;

type Draw = (rate: number) => Outcome;

function drawer(seed: string): Draw {
  const random = createRandom(seed);
  return (rate) => (nextFloat(random) < rate ? 'pass' : 'fail');
}

interface Compared {
  /** How many tries of base are stored. Default: all. */
  stored?: number;
  made?: number;
  cluster?: string;
  critical?: boolean;
}

function comparison(
  rates: readonly Rates[],
  draw: Draw,
  { stored = Infinity, made = TRIES, cluster, critical }: Compared = {},
) {
  const references = rates.map((_, i) => ({
    ...reference(`r${i}`),
    ...(cluster === undefined ? {} : { cluster }),
    tags: critical && i === 0 ? ['critical'] : [],
  }));
  const tries = (rates: Rates, side: 'base' | 'head'): Try[] =>
    Array.from({ length: made }, (_, i) =>
      side === 'base' && i < stored
        ? { byHead: { ...tryResult(draw(rates.stored), i), stored: true }, byBase: null }
        : { byHead: tryResult(draw(rates[side]), i), byBase: null },
    );
  return comparedSuite({ references }, (index, side) => tries(rates[index]!, side), {
    policy: { kind: 'fixed', tries: TRIES },
  });
}

/** Runs all confirmation steps, with outcomes drawn at today's rates. */
function confirmed(
  rates: readonly Rates[],
  seed: string,
  settings: Parameters<typeof claimAbout>[3] = SETTINGS,
  own: Compared = {},
): Followed {
  const draw = drawer(seed);
  const suite = comparison(rates, draw, own);
  const rateOf = new Map(
    suite.compared.map(({ affected }, i) => [affected.reference.id, rates[i]!]),
  );
  return follow(claimOf(suite, settings), ({ run, side }) =>
    draw(rateOf.get(run.affected.reference.id)![side]),
  );
}

function claimOf(suite: SuiteComparison, settings: Parameters<typeof claimAbout>[3] = SETTINGS) {
  return claimAbout(suite, suite.compared, wholeTry, settings);
}

interface Followed {
  found: Confirmation;
  asked: number;
}

function follow(
  claim: Claim,
  tryOf: (wanted: NewTry) => Outcome,
  made = new Map<ReferenceRun, NewTries>(),
): Followed {
  let asked = 0;
  for (;;) {
    const step = nextConfirmationStep(claim, made);
    if (step.kind !== 'ask') return { found: createConfirmation(claim, made, step, null), asked };
    for (const wanted of step.tries) {
      const own = { byHead: tryResult(tryOf(wanted), wanted.try), byBase: null };
      made.set(wanted.run, newTriesOf(made.get(wanted.run), wanted, own));
      asked += 1;
    }
  }
}

function shares(
  rates: readonly Rates[],
  runs: number,
  own?: Compared,
): Record<Confirmation['status'] | 'asked', number> {
  const counts = { confirmed: 0, model: 0, unconfirmed: 0, asked: 0 };
  for (let i = 0; i < runs; i += 1) {
    const { found, asked } = confirmed(rates, `today ${i}`, SETTINGS, own);
    counts[found.status] += 1 / runs;
    counts.asked += asked / runs;
  }
  return counts;
}

const fifty = (broken: number, loss: number): Rates[] =>
  Array.from({ length: 50 }, (_, i) => ({
    stored: 0.95,
    base: 0.95 - loss,
    head: i < broken ? 0 : 0.95 - loss,
  }));

describe('a regression against stored answers', () => {
  test('is not confirmed if only the model got worse since then', () => {
    const found = shares(fifty(0, 0.1), 200);
    expect(found.confirmed).toBeLessThanOrEqual(0.06);
    expect(found.model).toBeGreaterThanOrEqual(0.7);
  });

  test('is rarely blamed on the model if neither the prompt nor the model changed', () => {
    const found = shares(fifty(0, 0), 200);
    expect(found.confirmed).toBeLessThanOrEqual(0.06);
    expect(found.model).toBeLessThanOrEqual(0.1);
  });

  test('is confirmed if the prompt broke three of fifty references and the model got worse too', () => {
    expect(shares(fifty(3, 0.1), 200).confirmed).toBeGreaterThanOrEqual(0.95);
  });

  test('needs at most a tenth of the planned calls if three of fifty references broke', () => {
    const asked = Array.from({ length: 200 }, (_, i) => confirmed(fifty(3, 0.1), `c${i}`));
    const mean = asked.reduce((sum, run) => sum + run.asked, 0) / asked.length;
    expect(mean).toBeLessThanOrEqual(0.1 * 2 * TRIES * 50);
  });

  test('is confirmed with few calls for suspicious references if one reference broke', () => {
    const { status, by, suspects, all } = confirmed(fifty(1, 0), 'one').found;
    expect({ status, by }).toEqual({ status: 'confirmed', by: 'references' });
    expect(suspects.length).toBeLessThanOrEqual(5);
    expect([suspects[0]?.id, all]).toEqual(['r0', null]);
  });

  const critical = (today: number, head: number): Rates[] =>
    [0, ...Array<number>(19).fill(1)].map((rate) => ({
      stored: 1,
      base: today,
      head: rate === 0 ? head : today,
    }));

  test.each([
    ['is usually confirmed for half', 1, 0.5, { made: 3 }, [0.8, 1], 60],
    ['counts later tries of the run for half', 1, 0.5, { made: 14, stored: 2 }, [0.5, 1], 40],
    ['is confirmed without new calls for all', 1, 0, { made: 6, stored: 2 }, [1, 1], 0],
    ['is not confirmed if base falls, too', 0.5, 0.5, { made: 14, stored: 2 }, [0, 0.06], 150],
  ])('of a critical test %s', (_, today, head, made, [least, most], asked) => {
    const found = shares(critical(today, head), 100, { ...made, critical: true });
    expect(found.confirmed).toBeGreaterThanOrEqual(least! - 1e-9);
    expect(found.confirmed).toBeLessThanOrEqual(most! + 1e-9);
    expect(found.asked).toBeLessThanOrEqual(asked);
  });

  test('is confirmed by all references together if the gate judges only whole suites', () => {
    const fallen = fifty(0, 0).map((rates) => ({ ...rates, head: 0.5 }));
    const { found } = confirmed(fallen, 'all', { ...SETTINGS, gate_on: 'suite' });
    expect(found).toMatchObject({ status: 'confirmed', by: 'all', all: { references: 50 } });
  });
});

test('a regression stays unconfirmed if a limit stops the new calls', () => {
  const suite = comparison(fifty(0, 0), drawer('cap'));
  const claim = { ...claimOf(suite), judged: 'none' as const };
  const step = nextConfirmationStep(claim, new Map());
  const made = new Map(
    suite.compared.map((run) => {
      const failed = { byHead: tryResult('fail', 0), byBase: null };
      return [run, newTriesOf(undefined, { set: 'again', side: 'base' }, failed)];
    }),
  );
  const cut = createConfirmation(claim, made, step, 'max_calls');
  expect(cut).toMatchObject({ status: 'unconfirmed', limit: 'max_calls' });
  expect(cut.drift?.today).toBe(0);
});

test("a regression of a metric's mean is confirmed in one step that may use the whole false-alarm rate (alpha)", () => {
  const suite = comparison(fifty(0, 0), drawer('mean'));
  const claim: Claim = {
    ...claimOf(suite),
    metric: 'words',
    minDrop: null,
    // The first look may spend at most a quarter of alpha.
    measure: {
      test: () => ({ p: 0.24 * SETTINGS.alpha, base: 10, head: 20 }),
      outcome: null,
      isPaired: false,
      isRolledUp: false,
    },
  };
  const { found, asked } = follow(claim, () => 'pass');
  expect(found).toMatchObject({ status: 'confirmed', by: 'all' });
  expect(asked).toBe(50);
});

describe('several regressions to confirm in one run', () => {
  /**
   * Follows one claim about each of two suites, then one about both. No new try confirms a claim.
   */
  const askedByThree = (seed: string) => {
    const draw = drawer(seed);
    const suites = [1, 2].map(() => comparison(fifty(0, 0.05), draw));
    const made = new Map<ReferenceRun, NewTries>();
    const once = ({ set, side }: NewTry): Outcome =>
      set === 'pairs' && side === 'head' ? 'fail' : draw(0.9);
    const claims = suites.map((suite) => claimOf(suite));
    const pool: Claim = {
      ...claims[0]!,
      suites: claims.flatMap((claim) => claim.suites),
      judged: 'none',
    };
    const asked = [...claims, pool].map((claim) => follow(claim, once, made).asked);
    const most = suites.reduce((sum, suite) => sum + maxNewAnswers(suite, true), 0);
    return { asked, most };
  };

  test('use the same new tries, and together do not exceed the planned number of calls', () => {
    for (let i = 0; i < 20; i += 1) {
      const { asked, most } = askedByThree(`several ${i}`);
      expect(asked.reduce((sum, own) => sum + own, 0)).toBeLessThanOrEqual(most);
    }
  });

  test('reuse calls that were made to confirm another one', () => {
    const suite = comparison(fifty(0, 0.2), drawer('again'));
    const made = new Map<ReferenceRun, NewTries>();
    const answers = drawer('answers');
    const first = follow(claimOf(suite), () => answers(0.75), made);
    const second = follow(claimOf(suite), () => answers(0.75), made);
    expect(first.asked).toBeGreaterThan(0);
    expect(second).toEqual({ found: first.found, asked: 0 });
  });
});

describe('suspicious references', () => {
  const worst = [
    { stored: 1, base: 1, head: 0 },
    { stored: 1, base: 1, head: 0 },
    { stored: 1, base: 1, head: 1 },
  ];
  const asked = (rates: readonly Rates[], cluster?: string) => {
    const made = comparison(rates, drawer('x'), cluster === undefined ? {} : { cluster });
    const step = nextConfirmationStep(claimOf(made), new Map());
    return step.kind === 'ask'
      ? step.tries.map(({ run, set, side }) => `${set} ${run.affected.reference.id} ${side}`)
      : [];
  };

  test('are the references that dropped, and get new tries on both sides', () => {
    expect(asked(worst)).toEqual([
      'pairs r0 head',
      'pairs r0 base',
      'pairs r1 head',
      'pairs r1 base',
    ]);
  });

  test('include only one reference of each cluster', () => {
    expect(asked(worst, 'template')).toEqual(['pairs r0 head', 'pairs r0 base']);
  });
});

function answeredBy(target: Partial<Target>, made: SuiteComparison): SuiteComparison {
  const side = (generation: Generation | null) => ({ ...generation, target }) as Generation;
  const compared = made.compared.map((run) => {
    const { base, head } = run.affected;
    return { ...run, affected: { ...run.affected, base: side(base), head: side(head) } };
  });
  return { ...made, compared };
}

describe('a regression whose answers come from one session of a program', () => {
  /**
   * Share of 10-point drops that are confirmed if the second session has a drop of `again` (0–1).
   */
  const confirmedShare = (again: number, runs: number) => {
    const rates = Array.from({ length: 50 }, () => ({ stored: 0.9, base: 0.9, head: 0.8 }));
    const found = Array.from({ length: runs }, (_, i) => {
      const draw = drawer(`session ${again} ${i}`);
      const made = comparison(rates, draw, { stored: 0 });
      const suite = answeredBy({ provider: 'program' }, made);
      return follow(claimOf(suite), ({ side }) => draw(side === 'head' ? 0.9 - again : 0.9)).found;
    });
    return found.filter(({ status }) => status === 'confirmed').length / runs;
  };

  test('is usually confirmed if a second session also shows it', () => {
    expect(confirmedShare(0.1, 100)).toBeGreaterThanOrEqual(0.75);
  });

  test('is rarely confirmed if a second session does not show it', () => {
    expect(confirmedShare(0, 100)).toBeLessThanOrEqual(0.3);
  });
});

describe('restsOn', () => {
  const rates = [{ stored: 1, base: 1, head: 0 }];
  const fresh = comparison(rates, drawer('x'), { stored: 0 });

  test('returns "stored" if any answer is stored', () => {
    expect(restsOn(comparison(rates, drawer('x')).compared)).toBe('stored');
  });

  test('returns "session" if one program process gave all answers', () => {
    expect(restsOn(answeredBy({ provider: 'program' }, fresh).compared)).toBe('session');
    expect(restsOn(answeredBy({ provider: 'program', process: 'try' }, fresh).compared)).toBeNull();
  });

  test('returns null otherwise', () => {
    expect(restsOn(fresh.compared)).toBeNull();
  });
});
