import { unseenReasons } from '../../../../src/kernel/judge/unseen.ts';
import type { MetricResult, MetricValues } from '../../../../src/kernel/result/metric-result.ts';
import type { TryResult } from '../../../../src/kernel/result/reference-result.ts';
import type { Reference } from '../../../../src/kernel/suite/suite.ts';
import type { Score } from '../../../../src/types/metric.ts';
import { reasonWords } from '../../../../src/wording/reasons.ts';
import { comparedSuite, reference, suiteResult, tryResult } from '../../app/run/builders.ts';

const REFERENCES = 20;
const TRIES = [0, 1];

type TryOf = (reference: number, index: number) => TryResult;

/** Unseen reasons for one suite of twenty references with two tries a side; all pass on base. */
function unseen(
  { head, base = (_, index) => tryResult('pass', index) }: { head: TryOf; base?: TryOf },
  metric: Partial<MetricResult> = {},
  own: Partial<Reference> = {},
) {
  const references = Array.from({ length: REFERENCES }, (_, at) => reference(`r${at}`, own));
  const comparison = comparedSuite({ references }, (at, side) =>
    TRIES.map((index) => ({ byHead: { base, head }[side](at, index), byBase: null })),
  );
  const result = suiteResult({
    metrics: [
      {
        name: 'ok',
        judged_base: 40,
        judged_head: 40,
        base: 1,
        head: 1,
        gates: true,
        better: 'higher',
        ...metric,
      },
    ],
  });
  const { blocking, warnings } = unseenReasons([{ comparison, result }], 0.05);
  const words = (reasons: typeof blocking) => reasons.map((reason) => reasonWords(reason, []));
  return { blocking: words(blocking), warnings: words(warnings) };
}

const meanThat = (word: MetricValues['gate']): MetricValues => ({
  base: 4,
  head: 4,
  difference: 0,
  low: 0,
  high: 0,
  p: 1,
  references: 10,
  gate: word,
  moved: null,
});

describe('metric that judged answers of base but none of head', () => {
  const silent = (metric: Partial<MetricResult>) =>
    unseen({ head: (_, index) => tryResult('pass', index) }, { judged_head: 0, ...metric })
      .blocking;

  test('prevents a green verdict, and the reason names the metric', () => {
    expect(silent({})).toEqual(['p: the metric ok judged 40 answers of base and none of head']);
  });

  test('prevents a green verdict only if the gate can fail on its pass rate or its mean', () => {
    expect(silent({ gates: false })).toEqual([]);
    expect(silent({ gates: false, values: meanThat('fail') })).toHaveLength(1);
    expect(silent({ gates: false, values: meanThat('warn') })).toEqual([]);
  });
});

describe('metric that skips more answers of head than of base', () => {
  const skipping = (below: number, own: Partial<Reference> = {}) =>
    unseen(
      { head: (at, index) => tryResult(at < below && index === 1 ? 'skipped' : 'pass', index) },
      { judged_head: 20 },
      own,
    ).blocking;

  test('prevents a green verdict, and the reason has the counts of both sides', () => {
    expect(skipping(REFERENCES)).toEqual([
      "p: ok judged 20 of head's 40 tries, 40 of base's 40; the others were skipped",
    ]);
  });

  test('does not prevent a green verdict if chance explains the difference', () => {
    expect(skipping(1)).toEqual([]);
  });

  test('counts a cluster of references once', () => {
    expect(skipping(REFERENCES, { cluster: 'one text' })).toEqual([]);
  });
});

describe('metric that judges only answers that meet a condition', () => {
  const judged = (score: Score): TryOf => {
    return (_, index) => ({
      ...tryResult('pass', index),
      scores: [...tryResult('pass', index).scores, index === 0 ? passed : score],
    });
  };
  const named = { metric: 'ok', reason: null, skip: false };
  const passed: Score = { ...named, status: 'pass', value: true };
  const skipped: Score = { ...named, status: 'skipped', value: null, reason: 'waits for has' };

  test('causes a warning if fewer answers meet the condition on head than on base', () => {
    expect(unseen({ base: judged(passed), head: judged(skipped) }, { judged_head: 20 })).toEqual({
      blocking: [],
      warnings: [
        "p: ok judged 20 of head's 40 tries, 40 of base's 40; its condition was met less often",
      ],
    });
  });
});

describe('metric whose mean affects the gate and that has fewer values on head than on base', () => {
  const lacking = (has: (at: number, index: number) => boolean, own: Partial<Reference> = {}) => {
    const made =
      (is: typeof has): TryOf =>
      (at, index) => ({
        ...tryResult('pass', index),
        scores: [
          {
            metric: 'tone',
            status: 'pass',
            reason: null,
            skip: true,
            value: is(at, index) ? 4 : null,
          },
        ],
      });
    const tone = { name: 'tone', gates: false, values: meanThat('fail') };
    return unseen({ base: made(() => true), head: made(has) }, tone, own).blocking;
  };
  const wants = 'p: tone must not get worse, but';

  test('prevents a green verdict, and the reason says how many references have a value', () => {
    expect(lacking((at) => at % 2 === 0)).toEqual([
      `${wants} 10 of 20 tests have a value on head, 20 on base`,
    ]);
  });

  test('prevents a green verdict, and the reason says how many tries have a value', () => {
    expect(lacking((_, index) => index === 0)).toEqual([
      `${wants} 20 of head's 40 tries have a value, 40 of base's 40`,
    ]);
  });

  test('counts a cluster of references once', () => {
    expect(lacking((_, index) => index === 0, { cluster: 'one text' })).toEqual([]);
  });

  test('does not prevent a green verdict if nearly all tries have a value', () => {
    expect(lacking((at, index) => at > 0 || index > 0)).toEqual([]);
  });
});
