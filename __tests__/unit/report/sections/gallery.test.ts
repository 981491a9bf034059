import type { SuiteCauses } from '../../../../src/features/causes/result.ts';
import type { Reason } from '../../../../src/kernel/result/reason.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import type { SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import { renderGithub } from '../../../stand-ins/github-markdown.ts';
import { inTerminal, renderComment, unscriptedPage } from '../../../stand-ins/reports.ts';
import {
  changeOf,
  referenceOf,
  regression,
  resultOf,
  score,
  sideOf,
  suiteOf,
  tryOf,
  passed,
  failed,
} from '../results.ts';

/** Details that would confuse a reviewer with ten seconds, one situation per test. */

const comment = (result: Result, limit = 65_536) =>
  renderComment(result, { marker: '<!-- m -->', limit });
const shown = (result: Result) => renderGithub(comment(result)).text;

const fell = (id: string, reason: string | null = 'lacks "30 days"') =>
  referenceOf(id, 'fell', {
    base: passed('Within 30 days.'),
    head: sideOf([
      { outcome: 'fail', actual: 'Of course!', scores: [score('fail', 'fact', 0, reason)] },
    ]),
  });
const red = (suites: SuiteResult[]) => resultOf({ conclusion: 'failure', suites });

describe('a suite with only a scoring change', () => {
  const same = failed('x');
  const suite = suiteOf('s', [referenceOf('a', 'unchanged', { base: same, head: same })]);
  const untouched = suiteOf('t', [
    referenceOf('b', 'unchanged', { base: passed('x'), head: passed('y') }),
  ]);
  const [split] = regression().scoring;
  const result = (suites: SuiteResult[]) =>
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

  test('is not called unchanged in the comment, terminal and page', async () => {
    const of = result([suite, untouched]);
    expect(shown(of)).toContain('⚪ scoring changed');
    expect(shown(of)).toContain('base under its own scoring 100.0 %');
    expect(inTerminal(of, 120)).toContain('≠ scoring changed');
    const page = await unscriptedPage(of);
    expect(page).toContain('≠ scoring changed');
    expect(page).toContain('base under its own scoring');
  });

  test('describes the effect of the scoring in the first sentence if nothing was compared', () => {
    const uncompared = {
      ...suite,
      pass_rate: { ...suite.pass_rate, difference: null, low: null, high: null, p: null },
    };
    expect(shown(result([uncompared]))).toContain('100 → 0 % of the same answers pass.');
    expect(shown(result([uncompared]))).toContain(
      'Scoring changed: 1 of 18 answers now fails and 1 now passes (scoring)\n',
    );
    const two = shown(result([uncompared, { ...untouched, pass_rate: uncompared.pass_rate }]));
    expect(two).toMatch(/100\.0\s%\s→\s0\.0\s%\s*same answers, base's → head's scoring/);
    expect(two).not.toContain('under its own scoring');
    expect(shown(result([suite]))).not.toContain(
      'Scoring changed: 1 of 18 answers now fails and 1 now passes (scoring)\n',
    );
    const [split] = result([uncompared]).scoring;
    const warning: Reason = {
      code: 'scoring-moved',
      suite: split!.name,
      base: 1,
      head: 0,
      unit: 'answers',
      judged: 24,
      pass_fail: 3,
      fail_pass: 0,
      fails: false,
    };
    expect(shown({ ...result([uncompared]), reasons: [warning] })).not.toContain('review that');
    expect(shown({ ...result([suite]), reasons: [warning] })).toContain('review that change');
  });
});

test('several green suites are counted in the first line, with the largest drop', () => {
  const green = (name: string, passes: number) => {
    const side = (right: number) =>
      sideOf(
        Array.from({ length: 10 }, (_, at) => ({
          outcome: at < right ? 'pass' : 'fail',
          actual: 'x',
        })),
      );
    return suiteOf(name, [referenceOf('a', 'unchanged', { base: side(10), head: side(passes) })]);
  };
  expect(shown(resultOf({ suites: [green('s', 10), green('t', 10)] }))).toContain(
    'No regression: 2 suites\nNo pass rate is lower.',
  );
  expect(shown(resultOf({ suites: [green('s', 10), green('t', 9)] }))).toContain(
    'Largest drop: t 100 → 90 %.',
  );
  // A green comment is short: identical rows are merged.
  const alike = ['s', 't', 'u', 'v'].map((name) => green(name, 10));
  expect(shown(resultOf({ suites: alike })).match(/no regression/g)).toHaveLength(1);
  const [first, ...others] = alike;
  const open = [{ ...first!, verdict: 'inconclusive' as const }, ...others];
  expect(shown(resultOf({ suites: open })).match(/no regression/g)).toHaveLength(3);
});

test('an identical change of many files is shown once, with the number of files', () => {
  const suites = Array.from({ length: 9 }, (_, at) =>
    suiteOf(`s${at}`, [fell('a')], { verdict: 'regressed' }),
  );
  const changes = suites.map(({ name, path }, at) =>
    changeOf(path, name, 4, 0, [{ sign: 'added', text: at === 8 ? 'Other' : 'Be warm' }]),
  );
  const text = shown({ ...red(suites), changes });
  expect(text.match(/\+ Be warm/g)).toHaveLength(1);
  expect(text).toMatch(/s0\.yaml:4; the same in .*s5\.yaml:4 and 2 more files/);
  expect(text).toContain('+ Other');
});

describe('the cause', () => {
  const lines = (from: string, to: string) => ({
    kind: 'line' as const,
    name: null,
    side: 'head' as const,
    lines: { from: 7, to: 7 },
    base_text: from,
    head_text: to,
  });
  const causeIn = (name: string, text = 'Be warm'): SuiteCauses => ({
    path: `prompts/${name}.yaml`,
    suite: name,
    variant: suiteOf(name, []).variant,
    causes: [
      {
        relation: 'only-change',
        units: [
          {
            ...lines('Name the refund window', text),
            file: `prompts/${name}.yaml`,
            head: { file: `prompts/${name}.yaml`, line: 7 },
          },
        ],
        references: [],
        held: { references: 0, of: 0 },
        p: null,
        calls: 0,
      },
    ],
    explained: { status: 'found', reason: null, units: 1, harmless: [], unexplained: [], calls: 0 },
  });
  const of = (names: string[], causes: SuiteCauses[], changes: Result['changes'] = []) => ({
    ...red(names.map((name) => suiteOf(name, [fell('a')], { verdict: 'regressed' }))),
    causes,
    changes,
  });

  test('is shown once if many suites share it, and at most three different causes are expanded', () => {
    const names = Array.from({ length: 200 }, (_, at) => `s${at}`);
    const text = shown(
      of(
        names,
        names.map((name) => causeIn(name)),
      ),
    );
    expect(text.match(/The only change/g)).toHaveLength(1);
    expect(text).not.toContain('Cause');
    expect(text).toContain('. The same in 199 more suites: s1, s10, s100 and 196 more.');

    const own = comment(
      of(
        names,
        names.slice(0, 5).map((name) => causeIn(name, `Be ${name}`)),
      ),
    );
    expect(own.split('<details>')[0]?.match(/The only change/g)).toHaveLength(3);
    expect(own).toContain('<summary>2 more causes</summary>');
  });

  test('is the only part of a long change that is shown, and the other lines are counted', () => {
    const texts = ['Line 0', 'Line 1', 'Line 2', 'Line 3', 'Line 4', 'Line 5'];
    const long = [...texts, 'Name the refund window', 'Be warm'].map((text, at) => ({
      sign: at % 2 === 0 ? ('removed' as const) : ('added' as const),
      text,
    }));
    const changed = changeOf('prompts/s.yaml', 's', 4, 0, long);
    const text = shown(of(['s'], [causeIn('s')], [changed]));
    expect(text).toContain('The only change: prompts/s.yaml:7');
    expect(text).toContain('- Name the refund window\n+ Be warm\n  … 6 more lines');
    expect(text).not.toContain('Line 0');
  });
});

test('the regressed suite in the first line is also the one that is expanded', () => {
  const deep = suiteOf('tags', [fell('tag', 'is not "sizes"')], {
    verdict: 'regressed',
    pass_rate: { base: 1, head: 0.9, difference: -0.1, low: -0.2, high: 0, p: 0.01 },
  });
  const wide = suiteOf('support', [fell('refund')], {
    verdict: 'regressed',
    pass_rate: { base: 1, head: 0.5, difference: -0.5, low: -0.7, high: -0.3, p: 0.01 },
  });
  const text = shown(red([deep, wide]));
  expect(text).toContain('Regressed: support');
  expect(text).toMatch(/What it did: refund .*of support, 1 of 1 → 0 of 1 passed/);
});

test('an inconclusive result shows the largest drop with both answers', () => {
  const once = { outcome: 'pass' as const, actual: 'Within 30 days.' };
  const reference = referenceOf('a', 'inconclusive', {
    base: sideOf([once, once]),
    head: sideOf([once, { outcome: 'fail', actual: 'With pleasure!' }]),
  });
  const text = shown(
    resultOf({
      conclusion: 'neutral',
      suites: [suiteOf('s', [reference], { verdict: 'inconclusive' })],
    }),
  );
  const [open = ''] = text.split('Tests by status');
  expect(open).toMatch(/What fell most: a .*, 2 of 2 → 1 of 2 passed/);
  expect(open).toContain('With pleasure!');
});

test('at the size limit the worst reference stays expanded and the table is collapsed', () => {
  const suites = Array.from({ length: 200 }, (_, at) =>
    suiteOf(
      `suite-${at}`,
      Array.from({ length: 5 }, (_one, id) => fell(`r${id}`, `lacks ${'x'.repeat(150)} of ${at}`)),
      {
        verdict: 'regressed',
        because: [{ key: `messages[${at}]`, file: `prompts/${at}.yaml` }],
      },
    ),
  );
  for (const limit of [65_536, 30_000, 9_000]) {
    const body = comment(red(suites), limit);
    expect(body.length).toBeLessThanOrEqual(limit);
    expect(body).toContain('<b>What it did:</b>');
    expect(body).toContain('Of course!');
  }
  const { text } = renderGithub(comment(red(suites)));
  expect(text).toContain('200 suites: 200 regressed');
  expect(text).toMatch(/fact failed in 5 tests of suite-/);
});

test('many suites that one parameter made worse in the same way are reported once', () => {
  const suites = Array.from({ length: 40 }, (_, at) =>
    suiteOf(
      `suite-${10 + at}`,
      Array.from({ length: 6 }, (_one, id) => fell(`r${id}`)),
      {
        verdict: 'regressed',
        because: [{ key: 'max_tokens', file: `prompts/${at}.yaml` }],
      },
    ),
  );
  const body = comment(red(suites));
  const { text } = renderGithub(body);
  expect(text).toContain('; 239 more similar');
  expect(text).toContain('fact failed in 240 tests of 40 suites: lacks "30 days"');
  const named = Array.from({ length: 8 }, (_, at) => `suite-${10 + at}`).join(', ');
  expect(text).toContain(`regressed${named} and 32 more`);
  expect(text).toContain('max_tokens in prompts/0.yaml; the same in 39 more files');
  expect(text).toContain(`${named} and 32 more: pass rate 100.0 % → 0.0 %, `);
  expect(text.match(/fact failed in/g)).toHaveLength(1);
  expect(text.match(/max_tokens/g)).toHaveLength(1);
  expect(body.length).toBeLessThan(40_000);
  // Suites with different numbers have separate rows.
  const [first, ...others] = suites;
  const own = { ...first!, pass_rate: { ...first!.pass_rate, head: 0.5, difference: -0.5 } };
  expect(renderGithub(comment(red([own, ...others]))).text).toContain('regressedsuite-10100.0');
});

test('an error that left a test without an answer is reported once, as the cause', () => {
  const error = 'program (assistant): 400 too long';
  const silent = { ...tryOf(0, 'fail', null, [score('fail', 'fact', null, error)]), error };
  const side = { ...failed(''), tries: [silent] };
  const reference = referenceOf('a', 'fell', { base: passed('x'), head: side });
  const text = shown(red([suiteOf('s', [reference], { verdict: 'regressed' })]));
  const [open = ''] = text.split('Tries that ended');
  expect(open.split(error)).toHaveLength(2);

  // An error on both sides does not affect the verdict, but is still shown.
  const both = referenceOf('a', 'unchanged', { base: side, head: side });
  expect(shown(resultOf({ suites: [suiteOf('s', [both])] }))).toContain(`2 × ${error}`);
});

test('a metric that rose in an improved suite is not called noise', () => {
  const rose = referenceOf('a', 'rose', { base: failed('x'), head: passed('y') });
  const text = shown(resultOf({ suites: [suiteOf('s', [rose], { verdict: 'improved' })] }));
  expect(text).toContain('Tests by status: 1 rose');
});

test("a collapsed section shows the pass rate of every metric that affects the gate, unless it equals the suite's rate", () => {
  const metric = (name: string, head: number, gates = true) => ({
    name,
    base: 1,
    head,
    judged_base: 20,
    judged_head: 20,
    gates,
    better: 'higher' as const,
  });
  const shownRates = (...metrics: SuiteResult['metrics']) =>
    inTerminal(resultOf({ suites: [suiteOf('s', [fell('a')], { metrics })] }), 400);
  expect(shownRates(metric('right', 0.97), metric('format', 0.85))).toContain(
    'By metric: right 100.0 % → 97.0 %, format 100.0 % → 85.0 %.',
  );
  expect(shownRates(metric('right', 0), metric('shown', 0.5, false))).not.toContain('By metric');
  expect(shownRates(metric('right', 0.5))).toContain('By metric: right 100.0 % → 50.0 %.');
});
