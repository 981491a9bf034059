import type { SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import type { Score } from '../../../../src/types/metric.ts';
import {
  annotations,
  inTerminal,
  renderComment,
  renderHtml,
  renderJunit,
} from '../../../stand-ins/reports.ts';
import { referenceOf, resultOf, sideOf, suiteOf, failed } from '../results.ts';

const PLACE = '(prompts/tests/capitals.yaml:12)';
const failing = (id: string, changes: object = {}) =>
  referenceOf(id, 'fail', { base: null, head: failed('Lyon'), p: null, q: null, ...changes });
const titles = (suites: SuiteResult[]) =>
  inTerminal(resultOf({ mode: 'sweep', base: null, suites }), 120)
    .split('\n')
    .filter((line) => line.includes(' › '))
    .map((line) => line.trim());

test('a failed reference is shown with its variant if there are several variants', () => {
  const suite = (model: string) =>
    suiteOf('capitals', [failing('france')], {
      variant: { model, parameters: { temperature: 0 } },
    });
  expect(titles([suite('big'), suite('small')])).toEqual([
    `capitals (big, temperature 0) › france ${PLACE} – 0 of 1 passed`,
    `capitals (small, temperature 0) › france ${PLACE} – 0 of 1 passed`,
  ]);
  expect(titles([suite('big')])).toEqual([`capitals › france ${PLACE} – 0 of 1 passed`]);
});

test('failed references that do not affect the gate come last and are marked', () => {
  const suite = suiteOf('capitals', [
    failing('a', { skip: true }),
    failing('b', { quarantined: true }),
    failing('c'),
  ]);
  expect(titles([suite])).toEqual([
    `capitals › c ${PLACE} – 0 of 1 passed`,
    `capitals › a ${PLACE} – 0 of 1 passed, does not gate`,
    `capitals › b ${PLACE} – 0 of 1 passed, does not gate`,
  ]);
});

test('references that no metric in the gate judges do not count as failed, but errors of their other metrics are shown', () => {
  const shown = (scores: Score[]) =>
    inTerminal(
      resultOf({
        mode: 'sweep',
        base: null,
        suites: [
          suiteOf('plots', [
            failing('a', {
              status: 'error',
              head: sideOf([{ outcome: 'skipped', actual: 'Hi', scores }]),
            }),
          ]),
        ],
      }),
      120,
    );
  const score = { metric: 'length', skip: true };
  const measured = shown([{ ...score, status: 'pass', value: 2, reason: null }]);
  expect(measured).not.toMatch(/failed|judged|No answer/);
  const broken = shown([{ ...score, status: 'error', value: null, reason: 'no tokens' }]);
  expect(broken).toContain('1 test that was not judged');
  expect(broken).toContain('length could not judge 1 test: no tokens');
  expect(broken).not.toMatch(/failed (?:test|in)/);
});

test('the size of a suite in a sweep counts only references that affect the gate, in terminal and page', async () => {
  const result = resultOf({
    mode: 'sweep',
    base: null,
    suites: [suiteOf('capitals', [failing('a', { skip: true }), failing('b'), failing('c')])],
  });
  expect(inTerminal(result, 120)).toMatch(/^capitals +\S+ % +2 × 1$/m);
  expect(await renderHtml(result)).toContain('2 × 1');
});

const worseSuite = (status: 'fell' | 'regressed', failures: number[], isMade = true) =>
  resultOf({
    conclusion: 'failure',
    suites: [
      suiteOf(
        'capitals',
        failures.map((count, at) => {
          const side = (outcome: 'pass' | 'fail', actual: string) =>
            sideOf(Array.from({ length: count }, () => ({ outcome, actual })));
          const head = side('fail', 'Lyon');
          if (!isMade)
            head.tries.forEach((own) => Object.assign(own, { latency_ms: 0, usage: null }));
          return referenceOf(`r${at}`, status, { base: side('pass', 'Paris'), head });
        }),
        { verdict: 'regressed' },
      ),
    ],
  });

test.each<[string, ...Parameters<typeof worseSuite>]>([
  ['failed once', 'fell', [1, 1, 1]],
  ['broke', 'fell', [2, 2, 2]],
  ['broke', 'fell', [1, 1, 1], false],
  ['broke', 'regressed', [1, 1, 1]],
  ['broke or failed once', 'fell', [2, 1, 2]],
])('every report says "%s" of tests with that evidence', async (word, ...given) => {
  const result = worseSuite(...given);
  const terminal = inTerminal(result, 120);
  expect(terminal).toContain(`3 of 3 tests ${word}`);
  expect(terminal).toContain(`2 more tests ${word}`);
  expect(terminal).toContain('exact_match failed in 3 tests');
  expect(terminal).toContain(' passed; 2 more failed exact_match too');
  expect(terminal).toContain(`capitals › r1 ${PLACE} – ${given[1][1] === 1 ? '1 of 1' : '2 of 2'}`);
  const noted = annotations(result, [
    {
      path: 'prompts/tests/capitals.yaml',
      basePath: null,
      deleted: false,
      lines: [{ start: 1, end: 99 }],
    },
  ]);
  expect(noted.map(({ title }) => title)).toContain(`capitals: r0 and 2 more ${word}`);
  const texts = [
    ...[terminal, renderJunit(result), JSON.stringify(noted)],
    ...[
      (await renderHtml(result)).replace(/<(script|style)[^]*?<\/\1>/g, ''),
      renderComment(result),
    ],
  ].join();
  if (word === 'failed once') expect(texts).not.toMatch(/\bbroke|\bbroken tests?\b| fails\b/i);
  expect(renderJunit(result)).toContain('failures="3"');
});

test('a reference without an id in its file is named in JUnit by its input and then its generated id', () => {
  const asked = (id: string) =>
    failing(id, { input: { q: 'What is the capital of the country that lies south of France?' } });
  const result = resultOf({
    mode: 'sweep',
    base: null,
    suites: [suiteOf('capitals', [asked('f1f25a7414'), asked('spain')])],
  });
  const names = [...renderJunit(result).matchAll(/<testcase name="([^"]+)"/g)].map(
    ([, name]) => name,
  );
  expect(names).toEqual(['What is the capital of the country that… – f1f25a7414', 'spain']);
});
