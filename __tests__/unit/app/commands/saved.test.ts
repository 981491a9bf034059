import { readSaved } from '../../../../src/app/commands/files.ts';
import { formatProblem } from '../../../../src/errors.ts';
import { FEATURES } from '../../../stand-ins/features.ts';
import { green, regression } from '../../report/results.ts';

const read = (value: unknown, file = 'x.json') =>
  readSaved(file, typeof value === 'string' ? value : JSON.stringify(value), FEATURES);

const problemsOf = (value: unknown) => {
  const saved = read(value);
  return 'problems' in saved ? saved.problems.map(formatProblem) : [];
};

describe('a saved file', () => {
  test('is recognized as a result by its content', () => {
    for (const result of [green(), regression()])
      expect(read(result, 'saved.json')).toEqual({ kind: 'result', result });
  });

  test.each<[string, unknown, string]>([
    [
      'not JSON',
      '{"a": ',
      'x.json: is not JSON, or is incomplete; give the result.json that a run wrote',
    ],
    ['a result from before 1.0', { schema_version: 1 }, 'x.json: was made before 1.0: run again'],
    [
      'a result of another version',
      { schema_version: 3 },
      'x.json: is a result of version 3; this evaldiff reads version 2. Render it with the evaldiff that wrote it, or run again',
    ],
    [
      'a list',
      [],
      'x.json: is not a result of evaldiff (Invalid input: expected object, received array)',
    ],
    [
      'null',
      'null',
      'x.json: is not a result of evaldiff (Invalid input: expected object, received null)',
    ],
  ])('that is %s is rejected', (_, value, message) => {
    expect(problemsOf(value)).toEqual([message]);
  });
});
