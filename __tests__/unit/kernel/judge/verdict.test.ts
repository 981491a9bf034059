import { readFileSync } from 'node:fs';
import { compareSuite } from '../../../../src/kernel/judge/compare.ts';
import { rollUpSuite } from '../../../../src/kernel/judge/roll-up.ts';
import { judgeMeasured, measureSuites } from '../../../../src/kernel/judge/verdict.ts';
import { lookLevels, lookPlan } from '../../../../src/kernel/plan/looks.ts';
import {
  type Try,
  suiteComparison,
  type SuiteComparison,
  type TryPolicy,
} from '../../../../src/kernel/plan/suite-run.ts';
import { visibleDrop } from '../../../../src/kernel/plan/tolerance.ts';
import type { Verdict } from '../../../../src/kernel/result/suite-result.ts';
import type { SuiteGate } from '../../../../src/kernel/suite/gate-settings.ts';
import { suiteSummary } from '../../../../src/wording/suites.ts';
import { comparedSuite, gate, reference, tryResult } from '../../app/run/builders.ts';

type Row = [
  count: number,
  passesBase: number,
  triesBase: number,
  passesHead: number,
  triesHead: number,
];
const fixed = (tries: number): TryPolicy => ({ kind: 'fixed', tries });
const sequential: TryPolicy = { kind: 'adaptive' };
const row = (...numbers: Row) => numbers;
interface VerdictCase {
  name: string;
  rows: Row[];
  references: [count: number, status: string][];
  suite: { verdict: Verdict; delta: number; lower: number; upper: number; midP: number };
}
const file = new URL('../../../../fixtures/statistics/verdicts.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: VerdictCase[] };

function repeated<T>(runs: readonly [number, ...T[]][]) {
  return runs.flatMap(([count, ...rest]) => Array.from({ length: count }, () => rest));
}

/** A finished suite. On each side of a reference, the failed tries come first. */
function compared(rows: readonly Row[], policy: TryPolicy, own: SuiteGate = {}) {
  const tables = repeated(rows);
  const references = tables.map((_, index) => reference(`r${index}`));
  const attempts = (passes: number, tries: number): Try[] =>
    Array.from({ length: tries }, (_, index) => ({
      byHead: tryResult(index < tries - passes ? 'fail' : 'pass', index),
      byBase: null,
    }));
  return comparedSuite(
    { references, rollup: { kind: 'named', policy: 'majority' } },
    (index, side) => {
      const [passesBase, triesBase, passesHead, triesHead] = tables[index]!;
      return side === 'base'
        ? attempts(passesBase!, triesBase!)
        : attempts(passesHead!, triesHead!);
    },
    { policy, ownGate: own },
  );
}

const verdictsOf = (...given: Parameters<typeof measureSuites>) => [
  ...judgeMeasured(measureSuites(...given)).suites.values(),
];

async function judged(suite: SuiteComparison) {
  const [verdict] = verdictsOf([suite], gate());
  const words = await rollUpSuite(suite.run, async () => {
    throw new Error('no code runs here');
  });
  return { verdict: verdict!, suite: compareSuite(suite, verdict ?? null, words) };
}

describe('verdicts in the specification', () => {
  test.each(cases)('reproduce the case "$name"', async ({ rows, references, suite: expected }) => {
    const { verdict, suite: shown } = await judged(compared(rows, fixed(5)));
    expect(shown.verdict).toBe(expected.verdict);
    expect(shown.references.map(({ status }) => status)).toEqual(repeated(references).flat());
    expect(shown.pass_rate.difference).toBeCloseTo(expected.delta, 9);
    expect(shown.pass_rate.low).toBeCloseTo(expected.lower, 9);
    expect(shown.pass_rate.high).toBeCloseTo(expected.upper, 9);
    expect(verdict.look.test.midDown).toBeCloseTo(expected.midP, 9);
  });
});

test('extra tries for a failed reference do not change the pass rates of its suite and metrics', async () => {
  const rows = [row(19, 1, 1, 1, 1), row(1, 40, 40, 0, 40)];
  const { verdict, suite } = await judged(compared(rows, fixed(1)));
  expect(suite.metrics).toMatchObject([{ name: 'has', judged_head: 20, head: 19 / 20 }]);
  expect(suite.pass_rate.head).toBe(19 / 20);
  expect(verdict.upTo).toBe(1);
});

test('the reason of a regressed suite says if head left more tries unanswered than base', () => {
  const suite = compared([row(50, 2, 2, 0, 2)], fixed(2));
  const runs = suite.compared.map((run, index) =>
    index < 12 ? { ...run, head: [{ byHead: tryResult('error', 0), byBase: null }] } : run,
  );
  const [verdict] = verdictsOf([{ ...suite, compared: runs }], gate());
  expect(verdict?.reason).toMatchObject({ by: 'fall', unanswered: true });
  expect(verdictsOf([suite], gate())[0]?.reason).not.toHaveProperty('unanswered');
});

describe('reference that failed on base and passes on head', () => {
  const statusOf = async (storedBase: number | null, storedHead: number | null) => {
    const healed = compared([row(10, 0, 5, 5, 5), row(20, 2, 2, 2, 2)], sequential);
    const stored = (tries: readonly Try[], at: number | null): Try[] =>
      tries.map((own) => {
        const made = { stored: true, served: { model: 'm', fingerprint: null, at } } as const;
        return at === null ? own : { ...own, byHead: { ...own.byHead, ...made } };
      });
    const runs = healed.run.runs.map((run) => ({
      ...run,
      base: stored(run.base, storedBase),
      head: stored(run.head, storedHead),
    }));
    const gates = { run: gate(), own: {} };
    const again = suiteComparison({ ...healed.run, runs }, sequential, gates, () => false);
    return (await judged(again)).suite.references[0]?.status;
  };
  const day = 86_400_000;

  test("is called fixed if base failed in this run, and improved if base's failures come from stored answers", async () => {
    expect(await statusOf(null, null)).toBe('fixed');
    expect(await statusOf(20 * day, null)).toBe('improved');
    expect(await statusOf(20 * day, 21 * day)).toBe('improved');
  });

  test('is still fixed if the run is repeated with its stored answers', async () => {
    expect(await statusOf(20 * day, 20 * day)).toBe('fixed');
  });
});

describe('drop that a suite can detect', () => {
  const rows = [row(18, 2, 2, 2, 2), row(2, 1, 2, 1, 2)];

  test('is computed for all tries that a run may make, even if it stopped after two', async () => {
    const open = await judged(compared(rows, sequential));
    const two = await judged(compared(rows, fixed(2)));
    const ratio = two.suite.visible_drop! / open.suite.visible_drop!;
    expect(ratio).toBeGreaterThan(1.4);
    expect(ratio).toBeLessThan(1.9);
    for (const { suite: shown } of [open, two])
      expect(suiteSummary(shown)).toMatch(
        /20 tests × 2 answers: a comparison of this size finds drops of [\d.]+ points or more 4 times in 5/,
      );
  });

  test('is computed at the significance level of the last interim test if all five tries were made', async () => {
    const { suite: shown } = await judged(compared([row(20, 5, 5, 5, 5)], sequential));
    // Shrunk variance: ten prior tables of 0.05 and twenty references without variance between
    // tries.
    const variance = (10 * 0.05) / 30;
    expect(shown.visible_drop).toBeCloseTo(
      visibleDrop(
        { references: 20, tries: { base: 5, head: 5 }, variance, rate: 1 },
        lookLevels(0.04, lookPlan(20))[3],
      )!,
      2,
    );
  });
});

describe('verdict', () => {
  const verdictOf = async (rows: readonly Row[], policy: TryPolicy, own: SuiteGate = {}) => {
    const { suite: shown } = await judged(compared(rows, policy, own));
    return [shown.verdict, shown.reason?.by];
  };
  const five = fixed(5);

  test('is red with five fixed tries if five references broke while five others were fixed', async () => {
    const mixed = [row(5, 5, 5, 0, 5), row(5, 0, 5, 5, 5), row(40, 5, 5, 5, 5)];
    const { suite: shown } = await judged(compared(mixed, five));
    expect([shown.verdict, shown.reason?.by]).toEqual(['regressed', 'references']);
    expect(shown.reason?.references).toEqual(['r0', 'r1', 'r2', 'r3', 'r4']);
  });

  test('is red if one reference broke while five others were fixed, and names the broken one', async () => {
    const { suite: shown } = await judged(
      compared([row(1, 12, 12, 0, 12), row(5, 0, 2, 2, 2), row(44, 2, 2, 2, 2)], sequential),
    );
    expect([shown.verdict, shown.reason?.by]).toEqual(['regressed', 'references']);
    expect(shown.reason?.references).toEqual(['r0']);
  });

  test('is red if one reference broke in one of ten suites', () => {
    const broke = [row(1, 14, 14, 0, 14), row(19, 2, 2, 2, 2)];
    const fine = [row(20, 2, 2, 2, 2)];
    const verdicts = verdictsOf(
      [compared(broke, sequential), ...Array.from({ length: 9 }, () => compared(fine, sequential))],
      gate(),
    );
    expect(verdicts.map((verdict) => verdict?.verdict)).toEqual([
      'regressed',
      ...Array<string>(9).fill('unchanged'),
    ]);
  });

  test('is green after two tries for 20 perfect references, and after three for 8', async () => {
    expect(await verdictOf([row(20, 2, 2, 2, 2)], sequential, { tolerance: 'auto' })).toEqual([
      'unchanged',
      'bound',
    ]);
    expect(await verdictOf([row(8, 3, 3, 3, 3)], sequential, { tolerance: 'auto' })).toEqual([
      'unchanged',
      'not-lower',
    ]);
    const { suite: small } = await judged(compared([row(8, 3, 3, 3, 3)], sequential));
    expect(suiteSummary(small)).toContain(
      'Head is no lower, but the suite is too small to exclude',
    );
  });

  test('is inconclusive while a reference is suspicious, or if five tries were not enough', async () => {
    expect(await verdictOf([row(1, 4, 4, 0, 4), row(49, 2, 2, 2, 2)], sequential)).toEqual([
      'inconclusive',
      'suspicious',
    ]);
    expect(await verdictOf([row(3, 5, 5, 4, 5), row(7, 5, 5, 5, 5)], sequential)).toEqual([
      'inconclusive',
      'unsettled',
    ]);
  });

  test('is never green if a reference is flagged as broken', async () => {
    const only = [row(1, 5, 5, 0, 5), row(5, 4, 5, 5, 5)];
    const one = compared(only, five);
    const [verdict] = verdictsOf([one], { ...gate(), gate_on: 'suite' });
    expect(verdict?.references[0]?.q.down).toBeLessThan(0.05);
    expect([verdict?.verdict, verdict?.reason.by]).toEqual(['inconclusive', 'named']);
    expect(verdict?.reason.references).toEqual(['r0']);
  });

  test('of a small suite can be green if all suites together rule out a drop', () => {
    const small = [row(9, 5, 5, 5, 5), row(1, 5, 5, 4, 5)];
    const alone = verdictsOf([compared(small, sequential, { tolerance: 0.05 })], gate());
    expect(alone[0]?.verdict).toBe('inconclusive');
    const fine = [row(30, 5, 5, 5, 5)];
    const together = verdictsOf(
      [
        compared(small, sequential, { tolerance: 0.05 }),
        ...Array.from({ length: 4 }, () => compared(fine, sequential)),
      ],
      gate(),
    );
    expect([together[0]?.verdict, together[0]?.reason.by]).toEqual(['unchanged', 'run']);
  });

  test.each([
    ['is not green if all suites only rule out more than its tolerance', 0.02, 'unsettled', 0.02],
    ['is green with a wide tolerance if all suites rule out 5 points', 0.1, 'run', 0.05],
  ])('of one of several suites is as expected: it %s', (_, tolerance, by, stated) => {
    const verdicts = verdictsOf(
      [
        compared([row(9, 5, 5, 5, 5), row(1, 5, 5, 3, 5)], sequential, { tolerance }),
        compared([row(50, 5, 5, 5, 5)], sequential, { tolerance }),
      ],
      gate(),
    );
    expect(verdicts[0]?.reason).toMatchObject({ by, tolerance: stated });
  });

  test('counts references of one cluster once', () => {
    const rows = [row(8, 2, 2, 0, 2), row(40, 2, 2, 2, 2)];
    const apart = compared(rows, fixed(2));
    expect(verdictsOf([apart], gate())[0]?.verdict).toBe('regressed');
    const together = compared(rows, fixed(2));
    together.compared.slice(0, 8).forEach((run) => {
      run.affected.reference.cluster = 'letter';
    });
    expect(verdictsOf([together], { ...gate(), gate_on: 'suite' })[0]?.reason.by).not.toBe('fall');
  });
});

describe('drop of all suites together', () => {
  const broke = () => compared([row(12, 2, 2, 0, 2), row(8, 2, 2, 2, 2)], fixed(2));
  const inOneCluster = (suite: SuiteComparison, count: number) => {
    suite.compared.slice(0, count).forEach((run) => {
      run.affected.reference.cluster = 'letter';
    });
    return suite;
  };
  const fallWith = (other: SuiteComparison[], options = {}) => {
    const { pool, suites } = judgeMeasured(measureSuites([broke(), ...other], gate(), options));
    expect([...suites.values()][0]?.verdict).toBe('regressed');
    return pool;
  };

  test('is reported in addition to one red suite only if the other suites dropped too', () => {
    const fell = () => compared([row(5, 1, 1, 0, 1), row(25, 1, 1, 1, 1)], fixed(1));
    expect(fallWith([fell()])).toEqual({ base: 1, head: (8 + 25) / 50 });
    expect(fallWith([inOneCluster(fell(), 5)])).toBeNull();
  });

  test('excludes suites that combine the tries of each test into one outcome', async () => {
    const rolled = compared([row(5, 3, 3, 0, 3), row(25, 3, 3, 3, 3)], {
      kind: 'references',
      tries: 3,
    });
    const rollUps = await rollUpSuite(rolled.run, async () => {
      throw new Error('no code runs here');
    });
    const fine = compared([row(30, 2, 2, 2, 2)], fixed(2));
    expect(fallWith([fine, rolled], { rollUps })).toBeNull();
  });
});

describe('status of a reference', () => {
  const statuses = async (rows: Row[], tries = 2) =>
    (await judged(compared(rows, fixed(tries)))).suite.references.map(({ status }) => status);

  test('is "fell" if it flipped to fail in a regressed suite, even if it is not flagged itself', async () => {
    expect(
      await statuses([
        row(5, 2, 2, 0, 2),
        row(1, 1, 2, 1, 2),
        row(1, 0, 2, 2, 2),
        row(13, 2, 2, 2, 2),
      ]),
    ).toEqual([
      ...Array<string>(5).fill('fell'),
      'flaky',
      'inconclusive',
      ...Array<string>(13).fill('unchanged'),
    ]);
  });

  test('is "fell" if its pass rate dropped in a regressed suite where no reference flipped to fail', async () => {
    expect(await statuses([row(12, 5, 5, 4, 5), row(8, 5, 5, 5, 5)], 5)).toEqual([
      ...Array<string>(12).fill('fell'),
      ...Array<string>(8).fill('unchanged'),
    ]);
  });

  test('is "inconclusive" if it flipped to fail in a suite that did not regress', async () => {
    expect(await statuses([row(1, 2, 2, 0, 2), row(19, 2, 2, 2, 2)])).toEqual([
      'inconclusive',
      ...Array<string>(19).fill('unchanged'),
    ]);
  });
});

describe('several suites', () => {
  test('share the false-alarm rate alpha, so a weak drop among nine unchanged suites is not reported', () => {
    const worse = [row(5, 1, 1, 0, 1)];
    const [alone] = verdictsOf([compared(worse, fixed(1))], gate());
    expect(alone?.verdict).toBe('regressed');
    const many = verdictsOf(
      [
        compared(worse, fixed(1)),
        ...Array.from({ length: 9 }, () => compared([row(5, 1, 1, 1, 1)], fixed(1))),
      ],
      gate(),
    );
    expect(many[0]).toMatchObject({ verdict: 'inconclusive', alpha: 0.002 });
  });

  test('can have different tolerances', async () => {
    const rows = [row(30, 3, 3, 3, 3), row(1, 3, 3, 2, 3)];
    const { suite: strict } = await judged(compared(rows, fixed(3), { tolerance: 0.001 }));
    const { suite: lenient } = await judged(compared(rows, fixed(3), { tolerance: 0.2 }));
    expect([strict.verdict, lenient.verdict]).toEqual(['inconclusive', 'unchanged']);
    expect(suiteSummary(strict)).toContain(
      'A drop above 0.1 points (gate.tolerance) is still possible.',
    );
    expect(lenient.gate).toEqual({ tolerance: 0.2 });
    const half = [row(20, 3, 3, 2, 3)];
    expect((await judged(compared(half, fixed(3)))).suite.verdict).toBe('regressed');
    expect((await judged(compared(half, fixed(3), { min_drop: 0.4 }))).suite.verdict).not.toBe(
      'regressed',
    );
  });
});
