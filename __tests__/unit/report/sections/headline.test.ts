import type { Result } from '../../../../src/kernel/result/result.ts';
import { lineText } from '../../../../src/report/sections/document.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import { inTerminal, headline } from '../../../stand-ins/reports.ts';
import {
  green,
  referenceOf,
  regression,
  resultOf,
  score,
  sideOf,
  suiteOf,
  sweep,
  passed,
  failed,
} from '../results.ts';

const linesOf = (result: Result) => {
  const { rows, note } = headline(result);
  return [...rows, ...(note.length === 0 ? [] : [note])].map(lineText).join(' | ');
};
const words = (result: Result) => {
  const { sign, outcome, subject } = headline(result);
  return `${sign} ${[outcome, lineText(subject), linesOf(result)].filter((part) => part !== '').join(': ')}`;
};
const fallen = (...statuses: ('regressed' | 'fell')[]) =>
  resultOf({
    conclusion: 'failure',
    outcome: regression().outcome,
    suites: [
      suiteOf(
        'capitals',
        statuses.map((status, i) =>
          referenceOf(`r${i}`, status, { base: passed('x'), head: failed('y') }),
        ),
        { verdict: 'regressed' },
      ),
    ],
  });

const silent = (name: string) =>
  suiteOf(
    name,
    [referenceOf('a', 'unchanged', { base: failed('**30 days**'), head: failed('Hi!') })],
    { half: 0.25 },
  );

describe('headline', () => {
  test('does not name a drop that could go unnoticed if nothing passes on base', () => {
    const { suites } = green();
    expect(words(resultOf({ suites: [silent('shop')] }))).toBe(
      '✓ Nothing could break: shop 0 → 0 %: Nothing passes on base, so nothing could break.',
    );
    expect(words(resultOf({ suites: [...suites, silent('shop')] }))).toContain(
      'A drop of 9 points or less could go unnoticed in any suite.',
    );
  });

  test("shows the rates under base's scoring if the prompt got worse and its scoring also changed", () => {
    const suite = {
      ...silent('shop'),
      verdict: 'inconclusive' as const,
      reason: {
        by: 'scoring' as const,
        p: null,
        references: ['a'],
        metrics: [],
        tolerance: 0.1,
        under_base: { base: 1, head: 0, excused: false },
      },
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
      /^\? Inconclusive: shop: shop: under base's scoring 100 → 0 %; the scoring changed too$/,
    );
    const terminal = inTerminal(result);
    expect(terminal).toContain("What it did: a (prompts/tests/capitals.yaml:12), under base's");
    expect(terminal).toMatch(/Base ✓ +\*\*30 days\*\*\n +Head ✗ +Hi!\n +fact +lacks "30 days"/);
  });

  test('names the regressed attributes that most broken references share', () => {
    const result = fallen('regressed', 'regressed', 'regressed');
    const [attribute] = regression().attributes;
    const shared = (ids: string[], changes: object = {}) => {
      const attributes = [{ ...attribute!, references: ids, ...changes }];
      return linesOf({ ...result, attributes });
    };
    const place = 'countries with a former capital (96 → 70 %)';
    expect(shared(['r0', 'r1', 'r2'])).toContain(`broke, all in ${place}`);
    const other = { ...attribute!, id: 'domain-2', name: 'islands', base: 1, head: 0 };
    const two = [
      { ...attribute!, references: ['r0', 'r1'] },
      { ...other, references: ['r2'] },
    ];
    expect(linesOf({ ...result, attributes: two })).toContain(
      `broke, all in ${place} and islands (100 → 0 %)`,
    );
    expect(shared(['r0', 'r1'])).toContain(`broke, 2 in ${place}`);
    expect(shared(['r0'])).not.toContain(' in ');
    expect(shared(['r0', 'r1', 'r2'], { verdict: 'improved' })).not.toContain(' in ');
    expect(shared(['r0', 'r1', 'r2'], { path: 'prompts/other.yaml' })).not.toContain(' in ');
  });

  test('describes the three worst red suites on a line each and counts the others', () => {
    const one = regression();
    const capitals = one.suites.find(({ verdict }) => verdict === 'regressed')!;
    const called = (...names: string[]) =>
      words(resultOf({ suites: names.map((name) => ({ ...capitals, name })) }));
    const fell = (name: string) => `${name} 92 → 82 %: 3 of 17 tests broke`;
    expect(called('a', 'b')).toBe(`✗ Regressed: a, b: ${fell('a')} | ${fell('b')}`);
    expect(called('a', 'b', 'c', 'd', 'e')).toBe(
      `✗ Regressed: a, b, c and 2 more: ${['a', 'b', 'c'].map(fell).join(' | ')}`,
    );
  });

  test('does not call a variant the highest if another has the same rate', () => {
    const swept = sweep();
    const suites = swept.suites.map((suite) => ({
      ...suite,
      pass_rate: swept.suites[1]!.pass_rate,
    }));
    const references = swept.suites[1]!.references;
    expect(words({ ...swept, suites: suites.map((suite) => ({ ...suite, references })) })).toBe(
      '✓ Evaluated: 2 results, pass rate 100 %. 8 tests.',
    );
  });

  test("reports when more than a tenth of a suite's tries have no readable grade", () => {
    const open = (count: number) => {
      const outcome = (at: number): Outcome => (at < count ? 'ungraded' : 'pass');
      const tries = Array.from({ length: 10 }, (_, at) => ({ outcome: outcome(at), actual: 'y' }));
      const base = passed(...Array<string>(10).fill('x'));
      const reference = referenceOf('a', 'unchanged', { base, head: sideOf(tries) });
      return resultOf({ suites: [suiteOf('capitals', [reference])] });
    };
    expect(words(open(3))).toMatch(
      /^✓ No regression: .* 3 of 20 answers have no readable grade\.$/,
    );
    expect(words(open(2))).not.toContain('readable');
    expect(
      words(
        resultOf({
          suites: open(3).suites,
          conclusion: 'failure',
          reasons: [{ code: 'words', text: 'a floor' }],
        }),
      ),
    ).toBe('✗ Failed: a floor. 3 of 20 answers have no readable grade.');
  });

  test('shortens a reason of any length', () =>
    expect(
      words(
        resultOf({ conclusion: 'error', reasons: [{ code: 'words', text: '😀'.repeat(100_000) }] }),
      ).length,
    ).toBeLessThan(450));
});
