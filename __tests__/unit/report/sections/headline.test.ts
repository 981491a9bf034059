import { describe, expect, test } from '@jest/globals';
import type { Result } from '../../../../src/kernel/result/result.ts';
import type { Line } from '../../../../src/report/sections/document.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import { inTerminal, headline } from '../../../stand-ins/reports.ts';
import {
  fork,
  green,
  neutral,
  nothingAffected,
  referenceOf,
  regression,
  resultOf,
  score,
  sideOf,
  suiteOf,
  sweep,
  withProblems,
  passed,
  failed,
} from '../results.ts';

const words = (result: Result): string => {
  const { sign, outcome, subject, line } = headline(result);
  const said = (parts: Line) => parts.map((part) => ('text' in part ? part.text : '')).join('');
  return `${sign} ${[outcome, said(subject), said(line)].filter((part) => part !== '').join(': ')}`;
};
const better = suiteOf(
  'capitals',
  [referenceOf('a', 'improved', { base: failed('x'), head: passed('y') })],
  { verdict: 'improved' },
);
const fallen = (...statuses: ('regressed' | 'fell')[]) =>
  resultOf({
    conclusion: 'failure',
    outcome: regression().outcome,
    suites: [
      suiteOf(
        'capitals',
        statuses.map((status, i) =>
          referenceOf(`r${String(i)}`, status, { base: passed('x'), head: failed('y') }),
        ),
        { verdict: 'regressed' },
      ),
    ],
  });
const fresh = suiteOf('capitals', [referenceOf('a', 'added', { head: passed('y') })], {
  verdict: 'new',
  compared: { references: 0, tries: 0 },
});

const silent = (name: string) =>
  suiteOf(
    name,
    [referenceOf('a', 'unchanged', { base: failed('**30 days**'), head: failed('Hi!') })],
    { half: 0.25 },
  );

describe('headline', () => {
  test('rules no drop out where nothing passes on base', () => {
    const { suites } = green();
    expect(words(resultOf({ suites: [silent('shop')] }))).toBe(
      '✓ No regression: shop 0.0 % → 0.0 %: 0.0 points, 90 % interval −25.0 to +25.0; 1 reference × 1 try. Nothing passes on base, so nothing could fall.',
    );
    expect(words(resultOf({ suites: [...suites, silent('shop')] }))).toContain(
      'points is ruled out in each suite in which something passes on base.',
    );
  });

  test("says what base's scoring says where the scoring of a broken prompt changed too", () => {
    const suite = {
      ...silent('shop'),
      verdict: 'inconclusive' as const,
      reason: { by: 'scoring' as const, p: null, references: ['a'], metrics: [], tolerance: 0.1 },
    };
    const fail = { ...score('fail', 'fact', 0, 'lacks "30 days"') };
    const scoring = [
      {
        ...regression().scoring[0]!,
        path: suite.path,
        name: suite.name,
        rates: { base_base: 1, base_head: 0, head_base: 0, head_head: 0 },
        fell: [{ id: 'a', base_try: 0, head_try: 0, scores: [fail] }],
      },
    ];
    const result = resultOf({ suites: [suite], scoring, conclusion: 'neutral' });
    expect(words(result)).toMatch(
      /^\? Inconclusive: shop 0\.0 % → 0\.0 %: Under base's scoring 100\.0 % → 0\.0 %; the scoring changed too\. /,
    );
    const terminal = inTerminal(result);
    expect(terminal).toContain("What it did: a (prompts/tests/capitals.yaml:12), under base's");
    expect(terminal).toMatch(
      /Base ✓ +\*\*30 days\*\*\n +Head ✗ +Hi!\n +fact +fail: lacks "30 days"/,
    );
  });

  test('counts what fell apart from what is named', () => {
    const words = (result: Result) =>
      headline(result)
        .line.flatMap((part) => ('text' in part ? [part.text] : []))
        .join('');
    expect(words(fallen('fell', 'fell'))).toMatch(/^2 references fell\. −/);
    expect(words(fallen('regressed', 'fell'))).toMatch(
      /^1 reference clearly got worse, 1 more fell\. −/,
    );
  });

  test('names the attribute that most of the fallen references share, with its rates, and no other', () => {
    const result = fallen('regressed', 'regressed', 'regressed');
    const [attribute] = regression().attributes;
    const shared = (ids: string[], changes: object = {}) => {
      const { line } = headline({
        ...result,
        attributes: [{ ...attribute!, references: ids, ...changes }],
      });
      return line.flatMap((part) => ('text' in part ? [part.text] : [])).join('');
    };
    const rates = 'countries with a former capital (96.3 % → 70.4 %)';
    expect(shared(['r0', 'r1', 'r2'])).toContain(`got worse, all in ${rates}.`);
    expect(shared(['r0', 'r1'])).toContain(`got worse, 2 of them in ${rates}.`);
    expect(shared(['r0'])).not.toContain(' in ');
    expect(shared(['r0', 'r1', 'r2'], { verdict: 'improved' })).not.toContain(' in ');
    expect(shared(['r0', 'r1', 'r2'], { path: 'prompts/other.yaml' })).not.toContain(' in ');
  });

  test('says of how many suites the references are that it counts', () => {
    const one = regression();
    const capitals = one.suites.find(({ verdict }) => verdict === 'regressed');
    const two = resultOf({ suites: [...one.suites, { ...capitals!, name: 'towns' }] });
    expect(words(two)).toContain('7 references clearly got worse, in 2 suites. −9.8 points');
    expect(words(one)).not.toMatch(/in \d suites/);
  });

  test.each<[string, Result, string]>([
    [
      'a regression',
      regression(),
      '✗ Regressed: capitals 92.2 % → 82.4 %: 4 references clearly got worse, 3 of them in countries with a former capital (96.3 % → 70.4 %). −9.8 points, 90 % interval −21.2 to +1.6; 17 references × 3 tries. 1 of 3 suites regressed.',
    ],
    [
      'nothing worse',
      green(),
      '✓ No regression: capitals 100.0 % → 98.0 %: −2.0 points, 90 % interval −8.7 to +4.7; 17 references × 3 tries. A drop above 8.7 points is ruled out.',
    ],
    [
      'an open question',
      neutral(),
      '? Inconclusive: capitals 100.0 % → 91.7 %: −8.3 points, 90 % interval −24.1 to +7.5; 8 references × 3 tries. A drop of up to 24.1 points is not ruled out. More references would narrow that.',
    ],
    [
      'an improvement',
      resultOf({ suites: [better] }),
      '✓ Improved: capitals 0.0 % → 100.0 %: +100.0 points, 90 % interval +95.6 to +104.4; 1 reference × 1 try.',
    ],
    [
      'a new suite',
      resultOf({ suites: [fresh] }),
      '✓ Nothing compared: capitals 100.0 %: 1 new suite, nothing to compare with.',
    ],
    [
      'several new suites, by all their rates',
      resultOf({
        suites: [fresh, { ...fresh, name: 'rivers', pass_rate: { ...fresh.pass_rate, head: 0 } }],
      }),
      '✓ Nothing compared: 2 new suites: Nothing to compare with; pass rates from 0.0 % to 100.0 %.',
    ],
    [
      'several new suites of one rate, by that',
      resultOf({ suites: [fresh, { ...fresh, name: 'rivers' }] }),
      '✓ Nothing compared: 2 new suites: Nothing to compare with; pass rate 100.0 %.',
    ],
    [
      'nothing affected',
      nothingAffected(),
      '✓ Nothing affected: No prompt, rubric or test changed: nothing to run.',
    ],
    [
      'a fork without a key',
      fork(),
      '· Not evaluated: No model key is available to pull requests from forks. Changes were checked, nothing was sent to a model.',
    ],
    [
      'files to fix',
      withProblems(),
      '! Not judged: 4 problems to fix. Nothing was sent to a model.',
    ],
    [
      'too many errors',
      resultOf({
        conclusion: 'error',
        reasons: [{ code: 'errors', errors: 12, of: 40 }],
      }),
      '! Not judged: 12 of 40 tries ended in an error, so nothing was judged',
    ],
    [
      'a floor',
      resultOf({
        conclusion: 'failure',
        reasons: [{ code: 'below-floor', suite: 'capitals', rate: 0.7, floor: 0.8 }],
        suites: [better],
      }),
      '✗ Failed: capitals: pass rate 70.0 % is below min_pass_rate 80.0 %',
    ],
    [
      'a sweep',
      sweep(),
      '✓ Evaluated: 2 results, pass rates from 91.7 % to 100.0 %. 1 of 8 references failed. Highest: capitals 100.0 % with claude-sonnet, temperature 0.7.',
    ],
  ])('for %s says outcome, numbers and size', (_what, result, expected) =>
    expect(words(result)).toBe(expected),
  );

  test('calls no variant the highest where another has its rate', () => {
    const swept = sweep();
    const suites = swept.suites.map((suite) => ({
      ...suite,
      pass_rate: swept.suites[1]!.pass_rate,
    }));
    const references = swept.suites[1]!.references;
    expect(words({ ...swept, suites: suites.map((suite) => ({ ...suite, references })) })).toBe(
      '✓ Evaluated: 2 results, pass rate 100.0 %. 8 references.',
    );
  });

  test("says when more than a tenth of a suite's tries have no readable grade, beside whatever else there is to say", () => {
    const open = (count: number): Result => {
      const outcome = (at: number): Outcome => (at < count ? 'ungraded' : 'pass');
      const tries = Array.from({ length: 10 }, (_, at) => ({ outcome: outcome(at), actual: 'y' }));
      const base = passed(...Array<string>(10).fill('x'));
      const reference = referenceOf('a', 'unchanged', { base, head: sideOf(tries) });
      return resultOf({ suites: [suiteOf('capitals', [reference])] });
    };
    expect(words(open(3))).toMatch(/^✓ No regression: .* 3 of 20 tries have no readable grade\.$/);
    expect(words(open(2))).not.toContain('readable');
    expect(
      words(
        resultOf({
          suites: open(3).suites,
          conclusion: 'failure',
          reasons: [{ code: 'words', text: 'a floor' }],
        }),
      ),
    ).toBe('✗ Failed: a floor; 3 of 20 tries have no readable grade.');
  });

  test('calls a regression one even where the gate may not fail', () =>
    expect(words(resultOf({ suites: regression().suites, conclusion: 'neutral' }))).toMatch(
      /^✗ Regressed: /,
    ));

  test('cuts a reason of any length', () =>
    expect(
      words(
        resultOf({ conclusion: 'error', reasons: [{ code: 'words', text: '😀'.repeat(100_000) }] }),
      ).length,
    ).toBeLessThan(450));
});
