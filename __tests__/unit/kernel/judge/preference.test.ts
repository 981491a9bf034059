import { comparePreference, preferenceTries } from '../../../../src/kernel/judge/preference.ts';
import { rowOfAnswers } from '../../../../src/kernel/judge/suite-row.ts';
import { type SuiteComparison, type Try } from '../../../../src/kernel/plan/suite-run.ts';
import { contrast } from '../../../../src/kernel/statistics/look.ts';
import { comparedSuite, metric, reference, tryResult } from '../../app/run/builders.ts';

/** A suite with two tries per reference, in all of which base's answer is preferred. */
function lost(clusters: readonly (string | undefined)[], questions: readonly string[]) {
  const references = clusters.map((cluster, at) =>
    reference(`r${at}`, {
      ...(cluster === undefined ? {} : { cluster }),
      input: { q: questions[at]! },
    }),
  );
  const better = metric('better', {
    source: { kind: 'built-in', uses: 'pairwise_preference', with: {} },
  });
  const tries = (value: number): Try[] =>
    [0, 1].map((at) => ({
      byHead: {
        ...tryResult(value === 1 ? 'pass' : 'fail', at),
        scores: [
          {
            metric: 'better',
            status: value === 1 ? 'pass' : 'fail',
            value,
            reason: null,
            skip: false,
          },
        ],
      },
      byBase: null,
    }));
  return comparedSuite(
    { references, metrics: [better] },
    (_, side) => tries(side === 'base' ? 1 : 0),
    { policy: { kind: 'pairs', tries: 2 } },
  );
}

describe('comparisons of answers', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const alone = names.map(() => undefined);
  const figures = ({ run, compared }: SuiteComparison) => comparePreference(run.scoring, compared);
  const p = (of: SuiteComparison) => [
    rowOfAnswers(of, new Map()).look.test.midDown,
    figures(of)?.p,
    contrast(preferenceTries(of.run.scoring.tests, of.compared)).test.midDown,
  ];

  test('count one by one if their references are unrelated', () =>
    expect(new Set(p(lost(alone, names)))).toEqual(new Set([0.5 ** 11])));

  test('count once per try for all references that are in one cluster or have identical prompts', () => {
    const template = lost(
      names.map(() => 'template'),
      names,
    );
    const same = lost(
      alone,
      names.map(() => 'same'),
    );
    expect(new Set([...p(template), ...p(same)])).toEqual(new Set([0.5 ** 3]));
    expect(figures(template)).toMatchObject({ head: 0, base: 10, ties: 0, difference: -1 });
  });
});
