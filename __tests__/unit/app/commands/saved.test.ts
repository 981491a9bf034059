import { readSaved } from '../../../../src/app/commands/files.ts';
import { formatProblem } from '../../../../src/errors.ts';
import { FEATURES } from '../../../stand-ins/features.ts';
import { measured } from '../../features/noise/measurement.ts';
import { green, regression } from '../../report/results.ts';

const read = (value: unknown, file = 'x.json') =>
  readSaved(file, typeof value === 'string' ? value : JSON.stringify(value), FEATURES);

const problemsOf = async (value: unknown) => {
  const saved = await read(value);
  return 'problems' in saved ? saved.problems.map(formatProblem) : [];
};

describe('a saved file', () => {
  test('is recognized as a result or a measurement by its content', async () => {
    for (const result of [green(), regression()])
      expect(await read(result, 'noise.json')).toEqual({ kind: 'result', result });
    const saved = measured();
    const of = FEATURES.find(({ key }) => key === 'noise')?.savedFile;
    expect(await read(saved, 'result.json')).toEqual({ kind: 'own', of, saved, code: 0 });
  });

  test.each<[string, unknown, string]>([
    [
      'not JSON',
      '{"a": ',
      'x.json: is not JSON, or is incomplete; give the result.json that a run wrote, or the noise.json of a measurement',
    ],
    ['a result from before 1.0', { schema_version: 1 }, 'x.json: was made before 1.0: run again'],
    [
      'a result of another version',
      { schema_version: 3 },
      'x.json: is a result of version 3; this evaldiff reads version 2. Render it with the evaldiff that wrote it, or run again',
    ],
    [
      'a measurement of another version',
      { ...measured(), noise_version: 7 },
      'x.json: is a measurement of version 7; this evaldiff reads version 1. Render it with the evaldiff that wrote it, or measure again',
    ],
    [
      'a measurement with a share above 1',
      { ...measured(), high: 8.5 },
      'x.json: is not a measurement of evaldiff (field high: Too big: expected number to be <=1)',
    ],
    [
      'a measurement with an unknown field',
      { ...measured(), extra: 1 },
      'x.json: is not a measurement of evaldiff (Unrecognized key: "extra")',
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
  ])('that is %s is rejected', async (_, value, message) => {
    expect(await problemsOf(value)).toEqual([message]);
  });
});
