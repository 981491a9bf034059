import { expect, test } from '@jest/globals';
import { FEATURE_NAMES, problemsWithout } from '../stand-ins/without-feature.ts';

test.each(FEATURE_NAMES)(
  'the program compiles without the folder and registration of %s',
  (name) => {
    expect(problemsWithout(name)).toEqual([]);
  },
);
