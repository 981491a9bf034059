import type { Verdict } from '../../../../src/kernel/result/suite-result.ts';
import type { Notice } from '../../../../src/types/plain.ts';
import { inTerminal, renderSummary } from '../../../stand-ins/reports.ts';
import { resultOf, suiteOf } from '../results.ts';

test('a notice that several suites share is shown once with their names, and notices are counted by kind', () => {
  const edited = (name: string): Notice => ({
    kind: 'edited',
    place: null,
    message: `${name}: 1 reference edited`,
  });
  const notices: Notice[] = [
    edited('capitals'),
    edited('capitals'),
    edited('people'),
    { kind: 'edited', place: null, message: 'a rubric' },
    { kind: 'added', place: { file: 'a.yaml', line: 3 }, message: 'capitals: 1 reference added' },
  ];
  const suites = ['capitals', 'people'].map((name) => suiteOf(name, []));
  const lines = inTerminal(resultOf({ suites, notices }), 120).split('\n');
  const start = lines.findIndex((line) => line.startsWith('3 notices'));
  expect(lines.slice(start, start + 4)).toEqual([
    '3 notices: expectation edited (2), added',
    '  - expectation edited: capitals, people: 1 reference edited',
    '  - expectation edited: a rubric',
    '  - added: capitals: 1 reference added (a.yaml:3)',
  ]);
});

test('the advice about repeated answers is shown only for new suites', () => {
  const notices: Notice[] = [
    { kind: 'repeats', place: null, message: 'capitals: every try gave the same answer' },
  ];
  const advice = (verdict: Verdict) =>
    inTerminal(resultOf({ suites: [suiteOf('capitals', [], { verdict })], notices }), 120);
  expect(advice('new')).toContain('repeated answers: capitals: every try gave the same answer');
  expect(advice('unchanged')).not.toContain('repeated answers');
});

test('a setting in a notice is shown as code', () => {
  const message = 'if this model repeats itself, set `n_tries: 1` or `gate.churn: accept`';
  const notices: Notice[] = [{ kind: 'settings', place: null, message }];
  const shown = 'set <code>n_tries: 1</code> or <code>gate.churn: accept</code>';
  expect(renderSummary(resultOf({ notices }))).toContain(shown);
});
