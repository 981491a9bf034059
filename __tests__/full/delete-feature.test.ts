import { FEATURE_NAMES, problemsWithout } from '../stand-ins/without-feature.ts';

test.each(FEATURE_NAMES)(
  'the program compiles without the folder of feature %s and the lines that register it',
  (name) => {
    expect(problemsWithout(name)).toEqual([]);
  },
);
