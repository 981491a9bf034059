import { compareSuite } from '../../../../src/kernel/judge/compare.ts';
import { decide } from '../../../../src/kernel/judge/gate.ts';
import { unseenReasons } from '../../../../src/kernel/judge/unseen.ts';
import { judgeMeasured, measureSuites } from '../../../../src/kernel/judge/verdict.ts';
import {
  type SuiteComparison,
  type Try,
  type TryPolicy,
} from '../../../../src/kernel/plan/suite-run.ts';
import { familySize, nextTries } from '../../../../src/kernel/plan/tries.ts';
import type { GateSettings } from '../../../../src/kernel/suite/gate-settings.ts';
import type { Metric, Rubric, Score } from '../../../../src/types/metric.ts';
import type { Json } from '../../../../src/types/plain.ts';
import { reasonWords } from '../../../../src/wording/reasons.ts';
import { blindWords, suiteSentence } from '../../../../src/wording/verdicts.ts';
import { plainWords } from '../../../../src/wording/words.ts';
import {
  comparedSuite,
  gate,
  gateInput,
  metric,
  reference,
  tryResult,
} from '../../app/run/builders.ts';

type Numbers = { base: Json[]; head: Json[] }[];

interface Setting {
  metric?: Partial<Metric>;
  policy?: TryPolicy;
  gate?: Partial<GateSettings>;
  clusters?: string[];
  reused?: boolean;
  rubrics?: ReadonlyMap<string, Rubric>;
  score?: Partial<Score>;
  name?: string;
}

/** A suite in which every try passes and a metric returned these values, in order of the tries. */
function valued(values: Numbers, setting: Setting = {}) {
  const { policy = { kind: 'fixed', tries: 2 }, clusters = [], rubrics = new Map() } = setting;
  const one = metric('tone', {
    source: { kind: 'code', language: 'python', code: 'metric = 1' },
    ...(setting.metric ?? { better: 'higher' }),
  });
  const references = values.map((_, index) =>
    reference(`r${index}`, {
      ...(clusters[index] === undefined ? {} : { cluster: clusters[index] }),
    }),
  );
  const attempts = (side: Json[]): Try[] =>
    side.map((value, index) => {
      const result = { ...tryResult('pass', index), reused: setting.reused ?? false };
      const score = { metric: 'tone', status: 'pass', value, reason: null, skip: false };
      return {
        byHead: { ...result, scores: [...result.scores, { ...score, ...setting.score } as Score] },
        byBase: null,
      };
    });
  return comparedSuite(
    { references, metrics: [metric('has'), one] },
    (index, side) => attempts(values[index]![side]),
    {
      policy,
      gate: gate(setting.gate),
      scoring: { rubrics },
      ...(setting.name === undefined ? {} : { name: setting.name }),
    },
  );
}

function shown(comparisons: SuiteComparison[]) {
  const { suites: verdicts } = judgeMeasured(measureSuites(comparisons, gate()));
  return comparisons.map((suite) => compareSuite(suite, verdicts.get(suite) ?? null, new Map()));
}

const rowNamed = (comparison: SuiteComparison, named: string) =>
  shown([comparison])[0]!.metrics.find(({ name }) => name === named)!;

const rowOf = (comparison: SuiteComparison) => rowNamed(comparison, 'tone');

const fell: Numbers = Array.from({ length: 10 }, (_, i) => ({
  base: [0.95, 0.94 + i / 1000],
  head: [0.55, 0.54 + i / 1000],
}));
const same: Numbers = fell.map(({ base }) => ({ base, head: [...base].reverse() }));

const decided = (comparisons: SuiteComparison[], settings: Partial<GateSettings> = {}) => {
  const suites = shown(comparisons);
  const pairs = comparisons.flatMap((comparison, i) => {
    const result = suites[i];
    return result === undefined ? [] : [{ comparison, result }];
  });
  const unseen = unseenReasons(pairs, gate().alpha);
  const decision = decide(
    gateInput({ suites, unseen, settings: gate(settings), affected: 10, counted: 10 }),
  );
  return { ...decision, reasons: decision.reasons.map((reason) => reasonWords(reason, suites)) };
};

describe('values of a metric', () => {
  test('are compared per reference between base and head, even if every try passes', () => {
    const { values, better, gates } = rowOf(valued(fell));
    expect([better, gates]).toEqual(['higher', true]);
    expect(values).toMatchObject({ references: 10, gate: 'warn', moved: 'worse' });
    expect(values!.base).toBeCloseTo(0.94725, 9);
    expect(values!.head).toBeCloseTo(0.54725, 9);
    expect(values!.difference).toBeCloseTo(-0.4, 9);
    expect(values!.high).toBeLessThan(-0.3);
    expect(values!.p).toBeLessThan(0.001);
  });

  test('are shown for a metric that does not affect the gate, even if all of them are 0 or 1', () => {
    const ones: Numbers = fell.map(() => ({ base: [1, 1], head: [1, 1] }));
    const skip = { better: 'none' as const, skip: true };
    const length = valued(ones, { metric: skip, score: { skip: true } });
    expect(rowOf(length).values).toMatchObject({ base: 1, head: 1, moved: null });
    const flags: Numbers = fell.map(() => ({ base: [false, false], head: [false, false] }));
    expect(rowOf(valued(flags, { metric: skip, score: { skip: true } })).values).toMatchObject({
      base: 0,
      head: 0,
    });
    expect(rowOf(valued(ones)).values).toBeUndefined();
  });

  test('cause a warning if they got worse, and fail only if the gate names the metric', () => {
    const warned = decided([valued(fell)]);
    expect(warned.outcome.kind).not.toBe('failed');
    expect(warned.reasons.join('\n')).toContain(
      'p: the mean of tone fell, 0.95 → 0.55, in 10 of 10 tests',
    );
    const metrics = { tone: 'fail' } as const;
    const failed = decided([valued(fell, { gate: { metrics } })], { metrics });
    expect(failed.outcome).toMatchObject({ kind: 'failed', fails: true });
    expect(failed.reasons[0]).toBe(
      'p: the mean of tone fell, 0.95 → 0.55, in 10 of 10 tests; gate.metrics is fail',
    );
    const ignored = { tone: 'ignore' } as const;
    expect(decided([valued(fell, { gate: { metrics: ignored } })]).reasons.join()).not.toContain(
      'tone',
    );
  });

  test('are reported as better if they fell and lower is better', () => {
    expect(rowOf(valued(fell, { metric: { better: 'lower' } })).values).toMatchObject({
      moved: 'better',
    });
  });

  test('are reported but do not fail the run if they moved and the metric has no better direction', () => {
    const metrics = { tone: 'fail' } as const;
    const undirected = valued(fell, { metric: { better: 'none' }, gate: { metrics } });
    const { p, moved, way, gate: word } = rowOf(undirected).values!;
    expect([moved, way, word]).toEqual(['lower', 'fell', 'warn']);
    // The test is two-sided without a better direction.
    expect(p).toBeLessThan(0.002);
    const { outcome, reasons } = decided([undirected], { metrics });
    expect(outcome.kind).toBe('no-regression');
    expect(reasons).toEqual([
      'p: the mean of tone fell, 0.95 → 0.55, in 10 of 10 tests; ' +
        'neither direction is better, so it does not count',
    ]);
    const ignored = { metrics: { tone: 'ignore' } } as const;
    expect(decided([valued(fell, { metric: { better: 'none' }, gate: ignored })]).reasons).toEqual(
      [],
    );
    expect(decided([valued(same, { metric: { better: 'none' } })]).reasons).toEqual([]);
  });

  test('are reported as worse if most tries dropped although the mean rose', () => {
    const values: Numbers = fell.map((own, i) => (i === 0 ? { base: [1, 1], head: [90, 1] } : own));
    expect(rowOf(valued(values)).values).toMatchObject({
      moved: 'worse',
      way: 'fell',
      by: 'ranks',
    });
    expect(decided([valued(values)]).reasons).toEqual([
      'p: tone fell in 9 of 10 tests (mean 0.95 → 5.04)',
    ]);
  });

  test('are reported for one reference that moved far beyond the others', () => {
    const values: Numbers = Array.from({ length: 20 }, (_, i) => ({
      base: [100 + i, 104, 101, 103],
      head: i === 3 ? [100_000, 90_000, 95_000, 99_000] : [102, 101 + i, 104, 100],
    }));
    const policy = { kind: 'adaptive' } as const;
    const both = (numbers: Numbers) => valued(numbers, { policy, metric: { better: 'lower' } });
    const exploded = [{ reference: 'r3', base: 103, head: 97_000 }];
    expect(rowOf(both(values)).values).toMatchObject({ exploded });
    const { outcome, reasons } = decided([both(values)]);
    expect(outcome.kind).toBe('no-regression');
    expect(reasons).toContain(
      'p: tone of r3 rose far more than that of the other references, 103 → 97,000; ' +
        'it does not count for the verdict',
    );
    // Under this policy, two tries a side are not enough, so the reference gets more.
    const few = values.map(({ base, head }) => ({
      base: base.slice(0, 2),
      head: head.slice(0, 2),
    }));
    const started = both(few);
    expect(rowOf(started).values).not.toHaveProperty('exploded');
    expect([...nextTries([started], gate())(started.run)]).toEqual([[3, 3]]);
    expect([...nextTries([both(values)], gate())(both(values).run)]).toEqual([]);
  });

  test('are not reported if unchanged', () => {
    expect(rowOf(valued(same)).values).toMatchObject({ moved: null });
    expect(decided([valued(same)]).reasons).toEqual([]);
  });

  test('are compared at a stricter level if there are more suites, to keep the total false-alarm rate', () => {
    const metrics = { tone: 'fail' } as const;
    // Five references with equal differences: p = 1/64.
    const five: Numbers = Array.from({ length: 5 }, () => ({ base: [1], head: [0.5] }));
    const policy = { kind: 'fixed', tries: 1 } as const;
    const one = (values: Numbers, name: string) =>
      valued(values, { policy, gate: { metrics }, name });
    const calm = Array.from({ length: 5 }, () => ({ base: [0.5], head: [0.5] }));
    expect(familySize([one(five, 'a')])).toBe(2);
    const moved = (suites: SuiteComparison[]) =>
      shown(suites)[0]!.metrics.find(({ name }) => name === 'tone')!.values!;
    expect(moved([one(five, 'a')])).toMatchObject({ moved: 'worse', p: 1 / 64 });
    expect(moved([one(five, 'a'), one(calm, 'b')])).toMatchObject({ moved: null, p: 1 / 64 });
  });

  test('need stronger evidence in a suite that is tested repeatedly as tries are added', () => {
    const metrics = { tone: 'fail' } as const;
    const policy = { kind: 'adaptive' } as const;
    expect(rowOf(valued(fell, { policy, gate: { metrics } })).values).toMatchObject({
      moved: 'worse',
    });
    // After two tries p = 1/40 is below the final level but not below the level of the first look.
    const few: Numbers = [
      { base: [1, 1], head: [0, 0] },
      { base: [0.5, 0.5], head: [0.5, 0.5] },
    ];
    expect(rowOf(valued(few, { policy, gate: { metrics } })).values!.moved).toBeNull();
  });

  test('are shuffled together in the permutation test for references of one cluster', () => {
    const { values } = rowOf(valued(fell, { clusters: fell.map(() => 'template') }));
    expect(values).toMatchObject({ p: 1 / 12, moved: null });
  });

  test('are compared for latency only if the answers of both sides were made in this run', () => {
    const latency = {
      source: { kind: 'built-in', uses: 'latency', with: {} },
    } satisfies Partial<Metric>;
    const ms: Numbers = fell.map((_, i) => ({ base: [100 + i, 110], head: [300, 310 + i] }));
    expect(rowOf(valued(ms, { metric: latency })).values).toMatchObject({
      moved: 'worse',
      references: 10,
    });
    const stored = valued(ms, { metric: latency, reused: true });
    expect(rowOf(stored).values).toMatchObject({ references: 0, difference: null, p: null });
  });

  test('include the count of each label on both sides for a rubric', () => {
    const rubric: Rubric = {
      name: 'yea',
      prompt: '{content}',
      choice_scores: new Map(Object.entries({ F: 1, C: 0.5, A: 0 })),
      eval_type: 'classify',
      examples: [],
      place: { file: 'rubrics/r.yaml', line: 1 },
    };
    const own = { source: { kind: 'rubric', rubric: 'yea' } } as const;
    const comparison = valued(
      fell.map(() => ({ base: [0], head: [1] })),
      { metric: own, rubrics: new Map([['yea', rubric]]) },
    );
    for (const { base, head } of comparison.run.runs)
      for (const [side, label] of [
        [base, 'A'],
        [head, 'F'],
      ] as const)
        for (const { byHead } of side) Object.assign(byHead.scores[1]!, { label });
    const row = shown([comparison])[0]!.metrics.find(({ name }) => name === 'tone')!;
    expect(row.labels).toEqual([
      { label: 'F', base: 0, head: 10 },
      { label: 'C', base: 0, head: 0 },
      { label: 'A', base: 10, head: 0 },
    ]);
    // Without a threshold, the metric has a null pass rate.
    expect(row).toMatchObject({ base: null, head: null });
  });

  describe('that are maps', () => {
    const counts = (values: Numbers): Numbers =>
      values.map(({ base, head }) => ({
        base: base.map((user) => ({ user, assistant: 3, note: 'x' })),
        head: head.map((user) => ({ user, assistant: 3, note: 'x' })),
      }));
    const rows = (comparison: SuiteComparison) =>
      shown([comparison])[0]!.metrics.filter(({ values }) => values !== undefined);

    test('are listed entry by entry, as if each entry were a metric', () => {
      const found = rows(valued(counts(fell)));
      expect(found.map(({ name }) => name)).toEqual(['tone.user', 'tone.assistant']);
      expect(found[0]).toMatchObject({ base: null, head: null, judged_head: 20 });
      const { base, head, p, moved } = rowOf(valued(fell)).values!;
      expect(found[0]!.values).toMatchObject({ base, head, p, moved, references: 10 });
      expect(found[1]!.values).toMatchObject({ base: 3, head: 3, difference: 0, moved: null });
    });

    test('fail the suite if an entry that the gate names got worse', () => {
      const failed = (name: string) => {
        const metrics = { [name]: 'fail' } as const;
        const one = valued(counts(fell), { gate: { metrics } });
        expect(familySize([one])).toBe(2);
        return decided([one], { metrics });
      };
      expect(failed('tone.user').outcome).toMatchObject({ kind: 'failed', fails: true });
      expect(failed('tone.user').reasons[0]).toBe(
        'p: the mean of tone.user fell, 0.95 → 0.55, in 10 of 10 tests; gate.metrics is fail',
      );
      expect(failed('tone.assistant').outcome.kind).not.toBe('failed');
    });

    test('prevent a green verdict if head lacks an entry that the gate names', () => {
      const wants = (name: string, values: Numbers) => {
        const metrics = { [name]: 'fail' } as const;
        return decided([valued(values, { gate: { metrics } })], { metrics });
      };
      const same = fell.map(() => ({ base: [1, 2], head: [1, 2] }));
      expect(wants('tone.user', counts(same)).outcome.kind).toBe('no-regression');
      expect(wants('tone.usr', counts(same))).toMatchObject({
        outcome: { kind: 'no-verdict' },
        reasons: ['p: tone.usr must not get worse, but no answer has a value'],
      });
      const lost = counts(same).map(({ base, head }, at) => ({
        base,
        head: at < 4 ? head.map(() => ({ assistant: 3, note: 'x' })) : head,
      }));
      expect(wants('tone.user', lost)).toMatchObject({
        outcome: { kind: 'no-verdict' },
        reasons: [
          'p: tone.user must not get worse, but 6 of 10 tests have a value on head, 10 on base',
        ],
      });
    });

    test('are not listed if the map has more than twenty entries, except entries that the gate names', () => {
      const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, at]));
      const values: Numbers = fell.map(() => ({ base: [many], head: [many] }));
      expect(rows(valued(values))).toEqual([]);
      expect(
        rows(valued(values, { gate: { metrics: { 'tone.k7': 'warn' } } })).map(({ name }) => name),
      ).toEqual(['tone.k7']);
    });
  });

  test('are counted as labels if they are text', () => {
    const row = rowOf(valued([{ base: ['stop', 'stop'], head: ['length', 'stop'] }]));
    expect(row.labels).toEqual([
      { label: 'stop', base: 2, head: 1 },
      { label: 'length', base: 0, head: 1 },
    ]);
    expect(row.values).toBeUndefined();
  });
});

describe('values that decide', () => {
  const FAILS = {
    source: { kind: 'code', language: 'python', code: 'result = metric > 1' },
  } as const;
  const ALWAYS = {
    source: { kind: 'code', language: 'python', code: 'metric = 1\nresult = True' },
  } as const;

  interface Gated extends Partial<Metric> {
    values: Numbers;
    passes?: (value: Json) => boolean;
  }

  /** One try per side and reference passes only if each metric's value does. */
  function decidedBy(metrics: Record<string, Gated>, name = 'p') {
    const names = Object.entries(metrics);
    const attempts = (at: number, side: 'base' | 'head'): Try[] =>
      names[0]![1].values[at]![side].map((_, index) => {
        const scores = names.map(([metric, { values, passes = () => false }]): Score => {
          const value = values[at]![side][index] ?? null;
          const status = passes(value) ? 'pass' : 'fail';
          return { metric, status, value, reason: null, skip: false };
        });
        const passed = scores.every(({ status }) => status === 'pass');
        return {
          byHead: { ...tryResult(passed ? 'pass' : 'fail', index), scores },
          byBase: null,
        };
      });
    return comparedSuite(
      {
        references: names[0]![1].values.map((_, index) => reference(`r${index}`)),
        metrics: names.map(([id, { values: _, passes: _passes, ...own }]) => metric(id, own)),
      },
      attempts,
      { policy: { kind: 'fixed', tries: 1 }, name },
    );
  }

  const from = (...pairs: [number, number][]): Numbers =>
    pairs.map(([base, head]) => ({ base: [base], head: [head] }));
  const many = (count: number, pair: (at: number) => [number, number]): Numbers =>
    from(...Array.from({ length: count }, (_, at) => pair(at)));
  const verdictOf = (suite: SuiteComparison, settings: SuiteComparison[] = [suite]) => {
    const { verdict, reason } = shown(settings)[0]!;
    return `${verdict} by ${String(reason?.by)}`;
  };
  const higher = { ...FAILS, better: 'higher' } as const;
  const lower = { ...FAILS, better: 'lower' } as const;
  const always = (better: 'higher' | 'lower', values: Numbers) => ({
    near: { ...ALWAYS, better, values, passes: () => true },
  });

  test.each([
    ['equally in all of four tests', { near: { ...higher, values: many(4, () => [0.67, 0]) } }],
    [
      'in all of four tests, by different amounts',
      { near: { ...higher, values: many(4, (at) => [0.6 + at / 50, at / 100]) } },
    ],
    [
      'in three of four tests',
      { near: { ...higher, values: from([0.7, 0], [0.6, 0], [0.5, 0.1], [0.4, 0.45]) } },
    ],
    ['in the only test', { near: { ...higher, values: many(1, () => [0.67, 0]) } }],
    [
      'upwards where lower is better',
      { near: { ...lower, values: from([2, 9], [3, 8], [2, 7], [4, 12]) } },
    ],
    [
      'although no answer can fail',
      always(
        'higher',
        many(4, () => [8, 1]),
      ),
    ],
    [
      'although no answer can fail, and lower is better',
      always(
        'lower',
        many(3, () => [1, 8]),
      ),
    ],
    [
      'in three of 24 tests, and nowhere else',
      { near: { ...higher, values: many(24, (at) => [0.67, at < 3 ? 0 : 0.67]) } },
    ],
  ])('are not green if they got worse %s, too few to call', (_what, metrics) => {
    expect(verdictOf(decidedBy(metrics))).toBe('inconclusive by unsettled');
  });

  test('name the metric and the number of tests if these are too few to call', () => {
    const [suite] = shown([decidedBy({ near: { ...higher, values: many(4, () => [0.67, 0]) } })]);
    expect(plainWords(suiteSentence(suite!, { isOnly: true }))).toBe(
      'near 0.67 → 0.00: 4 tests are too few to tell whether it got worse',
    );
  });

  test('are not green beside a large calm suite', () => {
    const small = decidedBy({ near: { ...higher, values: many(4, () => [0.67, 0]) } }, 'small');
    const calm = { ok: { ...FAILS, values: many(60, () => [2, 2]), passes: () => true } };
    expect(verdictOf(small, [small, decidedBy(calm, 'calm')])).toBe('inconclusive by unsettled');
  });

  test('are not improved by one metric if another fell too far for so few tests', () => {
    const rose = many(8, () => [1, 9]);
    const fell = many(8, (at) => [0.67, at < 3 ? 0 : 0.67]);
    const both = { up: { ...higher, values: rose }, down: { ...higher, values: fell } };
    expect(verdictOf(decidedBy(both))).toBe('inconclusive by unsettled');
  });

  test.each([
    ['are equal', { near: { ...higher, values: many(4, () => [0.67, 0.67]) } }],
    ['rose a little', { near: { ...higher, values: from([0.6, 0.7], [0.6, 0.65]) } }],
    [
      'fell by less than a hundredth',
      { near: { ...higher, values: many(4, (at) => [0.7, at < 1 ? 0.69 : 0.7]) } },
    ],
    [
      'scatter in both directions',
      { near: { ...higher, values: many(40, (at) => [0.5, at % 2 === 0 ? 0.6 : 0.38]) } },
    ],
  ])('are green if they %s', (_what, metrics) => {
    expect(verdictOf(decidedBy(metrics))).toMatch(/^unchanged/);
  });

  test.each([
    [24, 1],
    [12, 1],
    [40, 4],
  ])('decide although, of %i tests, %i pass on base', (count, passing) => {
    const values = many(count, (at) => (at < passing ? [0.9, 0.9] : [0.67, 0]));
    const passes = (value: Json) => Number(value) > 0.75;
    const suite = decidedBy({ near: { ...higher, values, passes } });
    expect(verdictOf(suite)).toBe('regressed by values');
    expect(plainWords(blindWords(shown([suite])[0]!) ?? [])).toMatch(
      /^Hardly any answer passes on base/,
    );
  });

  test('do not decide if a fifth of the tests pass on base', () => {
    const values = many(20, (at) => (at < 4 ? [0.9, 0.9] : [0.67, 0]));
    const passes = (value: Json) => Number(value) > 0.75;
    expect(verdictOf(decidedBy({ near: { ...higher, values, passes } }))).toBe(
      'unchanged by not-lower',
    );
  });

  test.each(['higher', 'lower'] as const)(
    'do not decide if the metric itself passes, whatever fails the tries (%s is better)',
    (better) => {
      const moved = many(12, () => (better === 'lower' ? [50, 54] : [54, 50]));
      const found = many(12, () => [0, 0]);
      const suite = decidedBy({
        found: { ...FAILS, values: found },
        size: { ...FAILS, better, values: moved, passes: () => true },
      });
      expect(verdictOf(suite)).toBe('unchanged by not-lower');
      expect(rowNamed(suite, 'size').values).toMatchObject({ gate: 'warn', moved: 'worse' });
    },
  );

  test('decide for the one of two metrics that passes nowhere', () => {
    const suite = decidedBy({
      near: { ...higher, values: many(12, () => [0.67, 0]) },
      size: { ...lower, values: many(12, () => [50, 54]), passes: () => true },
    });
    const [result] = shown([suite]);
    expect(result).toMatchObject({ verdict: 'regressed', reason: { metrics: ['near'] } });
  });
});
