import type { SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import { renderGithub, withoutFolds } from '../../../stand-ins/github-markdown.ts';
import { inTerminal, renderComment } from '../../../stand-ins/reports.ts';
import { failed, passed, referenceOf, resultOf, suiteOf } from '../results.ts';

const fresh = (id: string, head = failed(`Hello from ${id}`, `Hello from ${id}`)) =>
  referenceOf(id, 'added', {
    base: null,
    head: { ...head, rollup: head.passes > 0 ? 'pass' : 'fail' },
  });

const comment = (...suites: SuiteResult[]) => {
  const body = renderComment(resultOf({ suites }), { marker: '' });
  const open = withoutFolds(renderGithub(body).html, '').replace(/<[^>]+>/g, '');
  return { body, open, folds: [...body.matchAll(/<summary>(.*?)<\/summary>/g)].map(([, w]) => w) };
};

describe('new tests', () => {
  const three = ['n1', 'n2', 'n3'].map((id) => fresh(id));

  test('are expanded with answer and reason if they fail, up to two; the others are collapsed', () => {
    const { open, body, folds } = comment(suiteOf('route', [...three, fresh('ok', passed('Hi'))]));
    for (const words of ['New, fails: n1', 'Hello from n1', 'Hello from n2'])
      expect(open).toContain(words);
    expect(open).not.toContain('Hello from n3');
    expect(folds).toContain('2 more new tests');
    expect(renderGithub(body).text).toMatch(/Hello from n3[^]*Pass: ok/);
  });

  test('that failed once are not said to fail', () => {
    const { open, body } = comment(suiteOf('route', [fresh('n1'), fresh('once', failed('Hm'))]));
    expect(open).toContain('New: 2 tests, 1 fails (n1), 1 failed once (once)');
    expect(open).not.toContain('New, fails: once');
    expect(renderGithub(body).text).toContain('Failed some tries: once');
  });

  test('of a first pull request are expanded with their suites', () => {
    const { open } = comment(
      suiteOf('order', [fresh('mug')], { verdict: 'new' }),
      suiteOf('route', [fresh('ok', passed('Hi'))], { verdict: 'new' }),
    );
    expect(open).toContain('New, fails: mug');
    expect(open).toContain('of order, 0 of 2 passed');
  });

  test('are collapsed if an existing test broke, which is expanded instead', () => {
    const broke = referenceOf('old', 'regressed', { base: passed('yes'), head: failed('no') });
    const { open, folds } = comment(suiteOf('s', [broke, ...three], { verdict: 'regressed' }));
    expect(open).toContain('What it did: old');
    expect(open).not.toContain('Hello from');
    expect(folds).toContain('3 new tests');
  });
});

test('deleted tests are listed once, critical ones first', () => {
  const gone = (id: string, tags: string[]) =>
    referenceOf(id, 'removed', { base: null, head: null, tags });
  const notices = [
    { kind: 'removed' as const, place: null, message: 'answer: 2 references removed: wash, cone6' },
  ];
  const suites = [
    suiteOf('answer', [gone('wash', []), gone('cone6', ['critical'])], { verdict: 'removed' }),
  ];
  const shown = inTerminal(resultOf({ suites, notices }), 200);
  expect(shown).toMatch(/2 deleted tests\n +- answer: cone6 \(.*\) \(critical\); wash/);
  expect(shown.split('wash')).toHaveLength(2);
});
