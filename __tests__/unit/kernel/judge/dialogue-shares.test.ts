import { compareSuite } from '../../../../src/kernel/judge/compare.ts';
import { decide } from '../../../../src/kernel/judge/gate.ts';
import { judgeMeasured, measureSuites } from '../../../../src/kernel/judge/verdict.ts';
import type { SuiteComparison, Try, TryPolicy } from '../../../../src/kernel/plan/suite-run.ts';
import { nextTries } from '../../../../src/kernel/plan/tries.ts';
import { createRandom, nextFloat } from '../../../../src/kernel/statistics/random.ts';
import type { GateSettings } from '../../../../src/kernel/suite/gate-settings.ts';
import { tryOutcomeOf } from '../../../../src/kernel/suite/gate.ts';
import { scoreOfObjects } from '../../../../src/metrics/objects.ts';
import type { Metric } from '../../../../src/types/metric.ts';
import { reasonWords } from '../../../../src/wording/reasons.ts';
import {
  comparedSuite,
  gate,
  gateInput,
  metric,
  reference,
  tryResult,
} from '../../app/run/builders.ts';

/** Turns that pass (✓) or fail, one string for each try. */
interface Dialogue {
  base: string[];
  head: string[];
}

interface Setting {
  metric?: Partial<Metric>;
  gate?: Partial<GateSettings>;
  /** The default is as many tries as the dialogues have. */
  policy?: TryPolicy;
}

/** A suite of dialogues whose turns one metric judges. */
function dialogues(all: readonly Dialogue[], setting: Setting = {}) {
  const kind = metric('kind', { every: 0.5, ...setting.metric });
  const made = (turns: string, index: number): Try => {
    const objects = [...turns].map((sign, at) => {
      const passes = sign === '✓';
      const status = passes ? ('pass' as const) : ('fail' as const);
      return { at, status, value: passes, reason: passes ? null : 'rude' };
    });
    const score = scoreOfObjects(kind, objects);
    const outcome = tryOutcomeOf([score]);
    return { byHead: { ...tryResult(outcome, index), scores: [score] }, byBase: null };
  };
  return comparedSuite(
    { references: all.map((_, at) => reference(`d${at}`)), metrics: [kind] },
    (at, side) => all[at]![side].map(made),
    {
      policy: setting.policy ?? { kind: 'fixed', tries: all[0]!.base.length },
      gate: gate(setting.gate),
    },
  );
}

function decided(comparison: SuiteComparison) {
  const { suites: verdicts } = judgeMeasured(measureSuites([comparison], gate()));
  const suite = compareSuite(comparison, verdicts.get(comparison) ?? null, new Map());
  const counts = { affected: 6, counted: 6 };
  const { outcome, reasons } = decide(gateInput({ suites: [suite], ...counts }));
  return { suite, outcome, reasons: reasons.map((reason) => reasonWords(reason, [suite])) };
}

const row = ({ metrics }: ReturnType<typeof compareSuite>) =>
  metrics.find(({ name }) => name === 'kind')!;

const times = (count: number, dialogue: Dialogue) => Array.from({ length: count }, () => dialogue);

const fallen = times(6, { base: ['✓✗✗✗'], head: ['✗✗✗✗'] });

describe('the share of turns that pass', () => {
  test('fails a run if it drops from 6 of 24 turns to 0 of 24 in 6 dialogues', () => {
    const { suite, outcome, reasons } = decided(dialogues(fallen));
    expect(outcome).toMatchObject({ kind: 'failed', fails: true });
    expect(row(suite)).toMatchObject({
      better: 'higher',
      values: { base: 0.25, head: 0, p: 1 / 128, gate: 'fail', moved: 'worse', share: 'Turn' },
      objects: { base: { passes: 6, judged: 24 }, head: { passes: 0, judged: 24 } },
    });
    expect(reasons).toEqual(['p: turns that pass kind fell, 25 → 0 %, over 6 tests']);
  });

  test('gives each dialogue the same weight, whatever its length', () => {
    const long = '✓'.repeat(40);
    const { suite, outcome } = decided(
      dialogues([
        { base: [long], head: ['✗'.repeat(40)] },
        ...times(5, { base: ['✓✓'], head: ['✓✓'] }),
      ]),
    );
    expect(outcome.kind).toBe('inconclusive');
    expect(row(suite).values).toMatchObject({ p: 0.25, moved: null });
    expect(row(suite).values?.difference).toBeCloseTo(-1 / 6, 9);
  });

  test('does not fail a dialogue of 16 turns of which 90 % pass', () => {
    const good = '✓✓✓✓✓✓✓✗✓✓✓✓✓✓✓✗';
    const { suite, outcome } = decided(
      dialogues(times(6, { base: [good, good], head: [good, good] })),
    );
    expect(suite.pass_rate).toMatchObject({ base: 1, head: 1 });
    expect(suite.references.map(({ head }) => [head?.passes, head?.tries_judged])).toEqual(
      suite.references.map(() => [2, 2]),
    );
    expect(outcome.kind).toBe('no-regression');
  });

  test('prevents a green verdict if it dropped and a larger drop cannot be ruled out', () => {
    const { suite, outcome } = decided(
      dialogues([
        ...times(2, { base: ['✓✓✓✓'], head: ['✓✓✓✗'] }),
        ...times(4, { base: ['✓✓✓✓'], head: ['✓✓✓✓'] }),
      ]),
    );
    expect(suite.pass_rate).toMatchObject({ base: 1, head: 1 });
    expect(suite).toMatchObject({ verdict: 'inconclusive', reason: { by: 'unsettled' } });
    expect(outcome.kind).toBe('inconclusive');
  });

  test("is checked in addition to the metric's mean value, so a drop of the mean is still reported", () => {
    const long = dialogues(times(8, { base: ['✓✓✓✓'], head: ['✓✓✓✓'] }));
    const runs = long.run.runs.map((run) => {
      const measured = (tries: readonly Try[], value: number): Try[] =>
        tries.map(({ byHead, ...own }) => {
          const scores = byHead.scores.map((score) => ({
            ...score,
            objects: {
              level: 'Turn' as const,
              scores: (score.objects?.scores ?? []).map((object) => ({ ...object, value })),
            },
          }));
          return { ...own, byHead: { ...byHead, scores } };
        });
      return { ...run, base: measured(run.base, 9), head: measured(run.head, 3) };
    });
    const all = (one: (typeof long.compared)[number]) => runs[long.run.runs.indexOf(one)]!;
    const { suite, reasons } = decided({
      ...long,
      run: { ...long.run, runs },
      compared: long.compared.map(all),
    });
    expect(row(suite).values).toMatchObject({ base: 1, head: 1, share: 'Turn' });
    const mean = suite.metrics.find(({ name }) => name === 'kind.mean');
    expect(mean?.values).toMatchObject({ base: 9, head: 3, moved: 'worse', gate: 'warn' });
    expect(reasons.join()).toContain('kind.mean');
  });

  test('is not reported as missing if the suite is new', () => {
    const all = dialogues(times(6, { base: [], head: ['✓✓✓✗'] }));
    const { reasons } = decided({ ...all, compared: [] });
    expect(reasons.join()).not.toContain('no answer has a value');
  });

  test('is not compared if the metric requires all turns to pass, and some dialogue of base passes', () => {
    const all = [...fallen, { base: ['✓✓✓✓'], head: ['✓✓✓✓'] }];
    const { suite, outcome } = decided(dialogues(all, { metric: { every: 1 } }));
    expect(row(suite).values).toMatchObject({ gate: 'warn' });
    expect(row(suite).values).not.toHaveProperty('share');
    expect(outcome.kind).toBe('no-regression');
  });

  test('is compared as a value if the metric requires all turns to pass, and no dialogue of base passes', () => {
    const { suite, outcome } = decided(dialogues(fallen, { metric: { every: 1 } }));
    expect(suite.pass_rate).toMatchObject({ base: 0, head: 0 });
    expect(row(suite).values).toMatchObject({ gate: 'fail', base: 0.25, head: 0 });
    expect(outcome.kind).toBe('regressed');
  });

  test("causes only a warning if the gate's settings say so", () => {
    const { suite, outcome } = decided(dialogues(fallen, { gate: { metrics: { kind: 'warn' } } }));
    expect(row(suite).values).toMatchObject({ gate: 'warn', moved: 'worse' });
    expect(outcome.kind).not.toBe('failed');
  });

  test('fails the run only for a drop of at least min_drop', () => {
    const { outcome } = decided(dialogues(fallen, { gate: { min_drop: 0.3 } }));
    expect(outcome.kind).not.toBe('failed');
  });

  test('counts as better if it rises, even if lower values of the metric are better', () => {
    const { outcome } = decided(dialogues(fallen, { metric: { better: 'lower', max: 1 } }));
    expect(outcome.kind).toBe('failed');
  });

  test('makes at most 5 % of the runs red if dialogues are noisy but unchanged', () => {
    const runs = 200;
    const rates = [0.25, 0.6, 0.9];
    const red = Array.from({ length: runs }, (_, run) => {
      const seed = createRandom(`unchanged dialogues ${run}`);
      const random = () => nextFloat(seed);
      const rate = rates[run % rates.length]!;
      const turns = (mood: number) =>
        Array.from({ length: 4 + Math.floor(12 * random()) }, () =>
          random() < mood ? '✓' : '✗',
        ).join('');
      // Turns of one try are correlated: each try has its own pass rate.
      const made = () => turns(Math.min(1, Math.max(0, rate + 0.4 * (random() - 0.5))));
      const all = Array.from({ length: 12 }, () => ({
        base: [made(), made(), made()],
        head: [made(), made(), made()],
      }));
      return decided(dialogues(all)).outcome.kind === 'failed';
    });
    expect(red.filter(Boolean).length / runs).toBeLessThanOrEqual(0.05);
  });
});

describe('dialogues with adaptive tries', () => {
  const wanted = (all: readonly Dialogue[], metrics?: GateSettings['metrics']) => {
    const gate = metrics === undefined ? {} : { metrics };
    const suite = dialogues(all, { gate, policy: { kind: 'adaptive' } });
    return [...new Set(nextTries([suite], suite.gate)(suite.run).values())];
  };
  const same = { base: ['✓✓✓✓', '✓✓✓✓'], head: ['✓✓✓✓', '✓✓✓✓'] };
  const lower = { base: ['✓✓✓✓', '✓✓✓✓'], head: ['✓✓✓✗', '✓✓✗✓'] };

  const lowered = [...times(8, lower), ...times(16, same)];

  test('get another try while the share may have dropped by more than the tolerance', () => {
    expect(wanted(lowered)).toEqual([3]);
  });

  test('do not get further tries if the share is not lower', () => {
    expect(wanted(times(24, same))).toEqual([]);
  });

  test('do not get further tries if the settings ignore the share', () => {
    expect(wanted(lowered, { kind: 'ignore' })).toEqual([]);
  });

  test('get another try if only the pool, with its lower tolerance, can make the suite green', () => {
    const policy = { kind: 'adaptive' } as const;
    const noisy = { base: ['✓✓✓✓✓✓✓✓', '✓✓✓✓✓✓✓✗'], head: ['✓✓✓✓✓✓✗✗', '✓✓✓✓✓✓✓✗'] };
    const steady = { base: ['✓✓✓✓✓✓✓✗', '✓✓✓✓✓✓✓✗'], head: ['✓✓✓✓✓✓✓✗', '✓✓✓✓✓✓✓✗'] };
    const suite = dialogues([...times(5, noisy), ...times(7, steady)], { policy });
    const other = dialogues(times(60, same), { policy });
    const next = nextTries([suite, other], gate());
    expect([[...new Set(next(suite.run).values())], [...next(other.run)]]).toEqual([[3], []]);
  });
});
