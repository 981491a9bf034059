import { describe, expect, test } from '@jest/globals';
import { renderComment } from '../../../../src/report/comment.ts';
import { renderHtml } from '../../../../src/report/page/page.ts';
import { renderTerminal } from '../../../../src/report/terminal.ts';
import type { Result } from '../../../../src/result/result.ts';
import type { SuiteResult } from '../../../../src/result/suite-result.ts';
import { renderGithub } from '../../../stand-ins/github-markdown.ts';
import { referenceOf, regression, resultOf, score, sideOf, suiteOf, tryOf } from '../results.ts';

/** What a reviewer with ten seconds stumbles over, one situation each. */

const comment = (result: Result, limit = 65_536): string =>
  renderComment(result, { marker: '<!-- m -->', limit });
const shown = (result: Result): string => renderGithub(comment(result)).text;

const fell = (id: string, reason: string | null = 'lacks "30 days"') =>
  referenceOf(id, 'fell', {
    base: sideOf([{ outcome: 'pass', actual: 'Within 30 days.' }]),
    head: sideOf([
      { outcome: 'fail', actual: 'Of course!', scores: [score('fail', 'fact', 0, reason)] },
    ]),
  });
const red = (suites: SuiteResult[]): Result => resultOf({ conclusion: 'failure', suites });

describe('a suite in which nothing but the scoring changed', () => {
  const same = sideOf([{ outcome: 'fail', actual: 'x' }]);
  const suite = suiteOf('s', [referenceOf('a', 'unchanged', { base: same, head: same })]);
  const untouched = suiteOf('t', [
    referenceOf('b', 'unchanged', {
      base: sideOf([{ outcome: 'pass', actual: 'x' }]),
      head: sideOf([{ outcome: 'pass', actual: 'y' }]),
    }),
  ]);
  const [split] = regression().scoring;
  const result = (suites: SuiteResult[]): Result =>
    resultOf({
      suites,
      scoring: [
        {
          ...split!,
          path: 'prompts/s.yaml',
          name: 's',
          rates: { base_base: 1, base_head: 0, head_base: 1, head_head: 0 },
          scoring_effect: -1,
          flipped: [{ id: 'a', from: 'pass', to: 'fail' }],
        },
      ],
    });

  test('is not called unchanged, in the comment, a terminal and on the page', async () => {
    const of = result([suite, untouched]);
    expect(shown(of)).toContain('⚪ scoring changed');
    expect(shown(of)).toContain('base under its own scoring 100.0 %');
    expect(renderTerminal(of, { width: 120, colour: false })).toContain('≠ scoring changed');
    const page = await renderHtml(of);
    expect(page).toContain('<span class="chip open">≠ scoring changed</span>');
    expect(page).toContain('base under its own scoring 100.0 %');
  });

  test('says in the first sentence what the scoring did, where nothing was compared', () => {
    const uncompared = {
      ...suite,
      pass_rate: { ...suite.pass_rate, difference: null, low: null, high: null, p: null },
    };
    expect(shown(result([uncompared]))).toContain(
      'Only the scoring changed: the same answers pass 100.0 % of the time under base’s and 0.0 % under head’s.',
    );
  });
});

test('several green suites are counted in the first line, with the largest drop if there is one', () => {
  const green = (name: string, passes: number): SuiteResult => {
    const side = (right: number) =>
      sideOf(
        Array.from({ length: 10 }, (_, at) => ({
          outcome: at < right ? ('pass' as const) : ('fail' as const),
          actual: 'x',
        })),
      );
    return suiteOf(name, [referenceOf('a', 'unchanged', { base: side(10), head: side(passes) })]);
  };
  expect(shown(resultOf({ suites: [green('s', 10), green('t', 10)] }))).toContain(
    'No regression: 2 suites\nNo pass rate is lower.',
  );
  expect(shown(resultOf({ suites: [green('s', 10), green('t', 9)] }))).toContain(
    'Largest drop: t 100.0 % → 90.0 %, −10.0 points',
  );
});

test('the same change in many files is shown once, and all of them are counted', () => {
  const suites = Array.from({ length: 9 }, (_, at) =>
    suiteOf(`s${String(at)}`, [fell('a')], { verdict: 'regressed' }),
  );
  const changes = suites.map(({ name, path }, at) => ({
    file: path,
    base_file: path,
    suites: [name],
    hunks: [
      {
        base: 4,
        head: 4,
        lines: [{ sign: 'added' as const, text: at === 8 ? 'Other' : 'Be warm' }],
      },
    ],
    more: 0,
  }));
  const text = shown({ ...red(suites), changes });
  expect(text.match(/\+ Be warm/g)).toHaveLength(1);
  expect(text).toMatch(/s0\.yaml:4; the same in .*s5\.yaml:4 and 2 more files/);
  expect(text).toContain('+ Other');
});

test('at the size limit the worst reference stays open, and a long table is folded', () => {
  const suites = Array.from({ length: 200 }, (_, at) =>
    suiteOf(
      `suite-${String(at)}`,
      Array.from({ length: 5 }, (_one, id) => fell(`r${String(id)}`, `lacks ${'x'.repeat(150)}`)),
      { verdict: 'regressed', because: [{ key: 'messages', file: `prompts/${String(at)}.yaml` }] },
    ),
  );
  for (const limit of [65_536, 30_000, 9_000]) {
    const body = comment(red(suites), limit);
    expect(body.length).toBeLessThanOrEqual(limit);
    expect(body).toContain('<b>What it did:</b>');
    expect(body).toContain('Of course!');
  }
  const { text } = renderGithub(comment(red(suites)));
  expect(text).toContain('180 more suites');
  expect(text).toMatch(/fact fails in 5 references of suite-/);
});

test('an answer that never came is said once, and is the cause', () => {
  const error = 'program (assistant): 400 too long';
  const silent = { ...tryOf(0, 'fail', null, [score('fail', 'fact', null, error)]), error };
  const side = { ...sideOf([{ outcome: 'fail', actual: '' }]), tries: [silent] };
  const reference = referenceOf('a', 'fell', {
    base: sideOf([{ outcome: 'pass', actual: 'x' }]),
    head: side,
  });
  const text = shown(red([suiteOf('s', [reference], { verdict: 'regressed' })]));
  const [open = ''] = text.split('Suite');
  expect(open.split(error)).toHaveLength(2);

  // On both sides it changes no verdict, and is not hidden for that.
  const both = referenceOf('a', 'unchanged', { base: side, head: side });
  expect(shown(resultOf({ suites: [suiteOf('s', [both])] }))).toContain(`2 × ${error}`);
});

test('what rose in an improved suite is not called noise', () => {
  const rose = referenceOf('a', 'rose', {
    base: sideOf([{ outcome: 'fail', actual: 'x' }]),
    head: sideOf([{ outcome: 'pass', actual: 'y' }]),
  });
  const text = shown(resultOf({ suites: [suiteOf('s', [rose], { verdict: 'improved' })] }));
  expect(text).toContain('Other references: 1 rose with the suite');
});
