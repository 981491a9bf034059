import { describe, expect, test } from '@jest/globals';
import {
  needsNewHead,
  nextConfirmationStep,
  restsOn,
  confirmationOf,
  confirmationPolicy,
  confirmationRows,
  type Confirmation,
  type ConfirmationRow,
} from '../../../../src/kernel/judge/confirmation.ts';
import {
  suiteComparison,
  type SuiteComparison,
  type Try,
} from '../../../../src/kernel/plan/suite-run.ts';
import type { Generation } from '../../../../src/kernel/select/generation.ts';
import { createRandom, nextFloat } from '../../../../src/kernel/statistics/random.ts';
import type { Tries } from '../../../../src/kernel/statistics/table.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import type { Target } from '../../../../src/types/model.ts';
import type { Side } from '../../../../src/types/plain.ts';
import {
  gate,
  prompt,
  reference,
  startedSuite,
  suite,
  suiteSide,
  tryResult,
} from '../../app/run/builders.ts';

/** Pass rates (0–1) of one reference: by base's stored answers, and of both prompts today. */
interface Rates {
  stored: number;
  base: number;
  head: number;
}

const POLICY = { level: 0.05, single: true };
const TRIES = 3;

type Draw = (rate: number) => Outcome;

function drawer(seed: string): Draw {
  const random = createRandom(seed);
  return (rate) => (nextFloat(random) < rate ? 'pass' : 'fail');
}

function comparison(
  rates: readonly Rates[],
  draw: Draw,
  { isStored = true, cluster }: { isStored?: boolean; cluster?: string } = {},
): SuiteComparison {
  const references = rates.map((_, i) => ({
    ...reference(`r${String(i)}`),
    ...(cluster === undefined ? {} : { cluster }),
  }));
  const [before, after] = ['Say {q}', 'Tell {q}'].map((content) =>
    suite({ prompt: { messages: [{ ...prompt().messages[0]!, content }] }, tests: { references } }),
  );
  const started = startedSuite(suiteSide('base', before!), suiteSide('head', after!));
  const tries = (rate: number, stored: boolean): Try[] =>
    Array.from({ length: TRIES }, (_, i) => ({
      byHead: { ...tryResult(draw(rate), i), ...(stored ? { stored: true as const } : {}) },
      byBase: null,
    }));
  const runs = started.runs.map((run, i) => ({
    ...run,
    base: tries(rates[i]!.stored, isStored),
    head: tries(rates[i]!.head, false),
  }));
  return suiteComparison(
    { ...started, runs },
    { kind: 'fixed', tries: TRIES },
    { run: gate(), own: {} },
    () => false,
  );
}

/** Follows the steps, with tries drawn at today's rates. */
function confirmed(rates: readonly Rates[], seed: string, policy = POLICY): Confirmation {
  const draw = drawer(seed);
  const suite = comparison(rates, draw);
  const rateOf = new Map(
    suite.compared.map(({ affected }, i) => [affected.reference.id, rates[i]!]),
  );
  return steps(suite, policy, (row, side) =>
    draw(rateOf.get(row.run.affected.reference.id)![side]),
  );
}

function steps(
  suite: SuiteComparison,
  policy: Parameters<typeof nextConfirmationStep>[1],
  tryOf: (row: ConfirmationRow, side: Side) => Outcome,
): Confirmation {
  let rows: ConfirmationRow[] = confirmationRows(suite, TRIES, ({ outcome }) => outcome);
  for (;;) {
    const step = nextConfirmationStep(rows, policy);
    if (step.kind === 'confirmed' || step.kind === 'refuted')
      return confirmationOf(rows, step, null);
    rows = rows.map((row): ConfirmationRow => {
      const more = ({ base, head }: Tries, withHead: boolean): Tries => ({
        base: [...base, tryOf(row, 'base')],
        head: withHead ? [...head, tryOf(row, 'head')] : head,
      });
      if (step.kind === 'whole') return { ...row, whole: more(row.whole, needsNewHead(row)) };
      return step.rows.includes(row) ? { ...row, pairs: more(row.pairs, true) } : row;
    });
  }
}

function shares(rates: readonly Rates[], runs: number): Record<Confirmation['status'], number> {
  const counts = { confirmed: 0, model: 0, unconfirmed: 0 };
  for (let i = 0; i < runs; i += 1)
    counts[confirmed(rates, `today ${String(i)}`).status] += 1 / runs;
  return counts;
}

const fifty = (broken: number, loss: number): Rates[] =>
  Array.from({ length: 50 }, (_, i) => ({
    stored: 0.95,
    base: 0.95 - loss,
    head: i < broken ? 0 : 0.95 - loss,
  }));

describe('a fall that rests on stored answers', () => {
  test('is not confirmed if only the model fell since', () => {
    const found = shares(fifty(0, 0.1), 200);
    expect(found.confirmed).toBeLessThanOrEqual(0.06);
    expect(found.model).toBeGreaterThanOrEqual(0.7);
  });

  test('is rarely blamed on the model if nothing changed', () => {
    const found = shares(fifty(0, 0), 200);
    expect(found.confirmed).toBeLessThanOrEqual(0.06);
    expect(found.model).toBeLessThanOrEqual(0.1);
  });

  test('is confirmed if the prompt broke three of fifty references and the model fell too', () => {
    expect(shares(fifty(3, 0.1), 100).confirmed).toBeGreaterThanOrEqual(0.9);
  });

  test('is confirmed by the suspects with few calls if one reference broke', () => {
    const { status, by, suspects, all } = confirmed(fifty(1, 0), 'one');
    expect({ status, by }).toEqual({ status: 'confirmed', by: 'references' });
    expect(suspects.length).toBeLessThanOrEqual(5);
    expect([suspects[0]?.id, all]).toEqual(['r0', null]);
  });

  test('is confirmed by all references together if single ones may not convict', () => {
    const fallen = fifty(0, 0).map((rates) => ({ ...rates, head: 0.5 }));
    const found = confirmed(fallen, 'all', { level: 0.05, single: false });
    expect(found).toMatchObject({ status: 'confirmed', by: 'all', all: { references: 50 } });
  });
});

describe('suspects', () => {
  const worst = [
    { stored: 1, base: 1, head: 0 },
    { stored: 1, base: 1, head: 0 },
    { stored: 1, base: 1, head: 1 },
  ];
  const firstStep = (rates: readonly Rates[], cluster?: string) => {
    const made = comparison(rates, drawer('x'), cluster === undefined ? {} : { cluster });
    return nextConfirmationStep(
      confirmationRows(made, TRIES, ({ outcome }) => outcome),
      POLICY,
    );
  };

  test('are the references that fell', () => {
    expect(firstStep(worst)).toMatchObject({
      kind: 'pairs',
      rows: [
        { run: { affected: { reference: { id: 'r0' } } } },
        { run: { affected: { reference: { id: 'r1' } } } },
      ],
    });
  });

  test('are one of each cluster', () => {
    expect(firstStep(worst, 'template')).toMatchObject({ kind: 'pairs', rows: [{}] });
  });
});

function answeredBy(target: Partial<Target>, made: SuiteComparison): SuiteComparison {
  const side = (generation: Generation | null): Generation =>
    ({ ...generation, target }) as Generation;
  const compared = made.compared.map((run) => {
    const { base, head } = run.affected;
    return { ...run, affected: { ...run.affected, base: side(base), head: side(head) } };
  });
  return { ...made, compared };
}

describe('a fall within one session of a program', () => {
  /** Shares of confirmed falls by 10 points, of which the second session shows `again`. */
  const confirmedShare = (again: number, runs: number): number => {
    const rates = Array.from({ length: 50 }, () => ({ stored: 0.9, base: 0.9, head: 0.8 }));
    const found = Array.from({ length: runs }, (_, i) => {
      const draw = drawer(`session ${String(again)} ${String(i)}`);
      const made = comparison(rates, draw, { isStored: false });
      const suite = answeredBy({ provider: 'program' }, made);
      const policy = confirmationPolicy(suite, { alpha: 0.05, gate_on: 'suite+references' }, 1);
      return steps(suite, policy, (_row, side) => draw(side === 'head' ? 0.9 - again : 0.9));
    });
    return found.filter(({ status }) => status === 'confirmed').length / runs;
  };

  test('is confirmed as a rule if the second session shows it too', () => {
    expect(confirmedShare(0.1, 100)).toBeGreaterThanOrEqual(0.75);
  });

  test('is rarely confirmed if the second session does not show it', () => {
    expect(confirmedShare(0, 100)).toBeLessThanOrEqual(0.3);
  });
});

describe('a comparison rests on', () => {
  const rates = [{ stored: 1, base: 1, head: 0 }];
  const fresh = comparison(rates, drawer('x'), { isStored: false });

  test('stored answers, if there is one', () => {
    expect(restsOn(comparison(rates, drawer('x')))).toBe('stored');
  });

  test('one session, if one process of a program answers all tries', () => {
    expect(restsOn(answeredBy({ provider: 'program' }, fresh))).toBe('session');
    expect(restsOn(answeredBy({ provider: 'program', process: 'try' }, fresh))).toBeNull();
  });

  test('nothing else', () => {
    expect(restsOn(fresh)).toBeNull();
  });
});
