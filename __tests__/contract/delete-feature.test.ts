import { expect, test } from '@jest/globals';
import { problemsWithout } from '../stand-ins/without-feature.ts';

// `npm run test:full` does the same with every feature.
test.each(['causes', 'conversations'])(
  'the program compiles without the folder and the row of %s',
  (name) => {
    expect(problemsWithout(name)).toEqual([]);
  },
);
