import { problemsWithout } from '../stand-ins/without-feature.ts';

// `npm run test:full` checks every feature.
test.each(['causes', 'conversations'])(
  'the program compiles without the folder of feature %s and the lines that register it',
  (name) => {
    expect(problemsWithout(name)).toEqual([]);
  },
);
