import { expect, test } from '@jest/globals';
import { renderTerminal } from '../../../../src/report/terminal.ts';
import type { Notice } from '../../../../src/types/plain.ts';
import { resultOf } from '../results.ts';

test('what two variants of a prompt say alike is one notice, and kinds are counted where there are several', () => {
  const repeats = (name: string): Notice => ({
    kind: 'repeats',
    place: null,
    message: `${name}: every try of a reference gave the same answer`,
  });
  const notices: Notice[] = [
    repeats('capitals'),
    repeats('capitals'),
    repeats('people'),
    { kind: 'added', place: { file: 'a.yaml', line: 3 }, message: 'capitals: 1 reference added' },
  ];
  const lines = renderTerminal(resultOf({ notices }), { width: 120, colour: false }).split('\n');
  const start = lines.findIndex((line) => line.startsWith('3 notices'));
  expect(lines.slice(start, start + 4)).toEqual([
    '3 notices: repeated answers (2), added',
    '  - repeated answers: capitals: every try of a reference gave the same answer',
    '  - repeated answers: people: every try of a reference gave the same answer',
    '  - added: capitals: 1 reference added (a.yaml:3)',
  ]);
});
