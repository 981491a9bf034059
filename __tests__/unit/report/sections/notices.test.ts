import { expect, test } from '@jest/globals';
import type { Notice } from '../../../../src/types/plain.ts';
import { inTerminal } from '../../../stand-ins/reports.ts';
import { resultOf, suiteOf } from '../results.ts';

test('what suites say alike is one notice that names them, and kinds are counted where there are several', () => {
  const repeats = (name: string): Notice => ({
    kind: 'repeats',
    place: null,
    message: `${name}: every try of a reference gave the same answer`,
  });
  const notices: Notice[] = [
    repeats('capitals'),
    repeats('capitals'),
    repeats('people'),
    { kind: 'repeats', place: null, message: 'a model repeats itself' },
    { kind: 'added', place: { file: 'a.yaml', line: 3 }, message: 'capitals: 1 reference added' },
  ];
  const suites = ['capitals', 'people'].map((name) => suiteOf(name, []));
  const lines = inTerminal(resultOf({ suites, notices }), 120).split('\n');
  const start = lines.findIndex((line) => line.startsWith('  3 notices'));
  expect(lines.slice(start, start + 4)).toEqual([
    '  3 notices: repeated answers (2), added',
    '  - repeated answers: capitals, people: every try of a reference gave the same answer',
    '  - repeated answers: a model repeats itself',
    '  - added: capitals: 1 reference added (a.yaml:3)',
  ]);
});
