import { expect, test } from '@jest/globals';
import { problemsWithout } from '../stand-ins/without-feature.ts';

// `npm run test:full` checks every feature.
test.each(['causes', 'conversations'])(
  'the program compiles without the folder and registration of %s',
  (name) => {
    expect(problemsWithout(name)).toEqual([]);
  },
);
