import { readOverrides } from '../../../src/config/overrides.ts';
import { sweepNotice, sweepExtent, withoutFixed } from '../../../src/config/sweep.ts';
import { OWN_SETTINGS } from '../../stand-ins/features.ts';
import { PROMPT, problemsOf, read, suiteFiles } from './tree.ts';

const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => String(index + 1)).join(',');

describe('sweep', () => {
  test('reports its number of combinations as a product', () => {
    expect(sweepExtent({ model: ['a', 'b'], temperature: [0, 0.7, 1] })).toEqual({
      combinations: 6,
      words: '2 model × 3 temperature = 6 combinations',
    });
    expect(sweepExtent({})).toBeNull();
    expect(sweepNotice({ model: ['a'] }, [])).toEqual([]);
  });

  test('runs only the requested value of a key, if one is requested', async () => {
    const { project } = await read(
      { ...suiteFiles(), 'evaldiff.yaml': 'sweep:\n  temperature: [0, 1]\n  seed: [1, 2]\n' },
      { configRequired: true },
    );
    const { overrides } = readOverrides([], OWN_SETTINGS);
    expect(
      withoutFixed(project.settings, { ...overrides, only: { temperature: 1 } }).sweep,
    ).toEqual({
      temperature: [1],
      seed: [1, 2],
    });
    expect(withoutFixed(project.settings, overrides).sweep).toEqual(project.settings.sweep);
  });

  test('of ten thousand combinations is rejected with its size', async () => {
    const lines = [`temperature=${numbers(100)}`, `top_k=${numbers(100)}`];
    expect((await read(suiteFiles(), { configRequired: true }, lines)).problems).toEqual([
      'the sweep has 100 temperature × 100 top_k = 10,000 combinations; the limit is 200. Use fewer values per sweep',
    ]);
    const settings = {
      'evaldiff.yaml': `seed: 1\nsweep:\n  temperature: [${numbers(100)}]\n  top_k: [${numbers(100)}]\n`,
    };
    expect(await problemsOf({ ...suiteFiles(), ...settings }, { configRequired: true })).toEqual([
      'evaldiff.yaml:3: the sweep has 100 temperature × 100 top_k = 10,000 combinations; the limit is 200. Use fewer values per sweep',
    ]);
    expect(
      (
        await read({ ...suiteFiles(), ...settings }, { configRequired: true }, [
          'temperature=0',
          'top_k=1,2',
        ])
      ).problems,
    ).toEqual([]);
  });

  test('over an unknown key is an error at its line', async () => {
    expect(
      await problemsOf(
        { ...suiteFiles(), 'evaldiff.yaml': 'seed: 1\nsweep:\n  frobnication: [1, 2]\n' },
        { configRequired: true },
      ),
    ).toEqual([
      'evaldiff.yaml:3: sweep over "frobnication": no prompt has this key, and no vendor accepts it',
    ]);
    expect(
      (await read(suiteFiles(), { configRequired: true }, ['custom_knob=1,2'])).problems,
    ).toEqual(['sweep over "custom_knob": no prompt has this key, and no vendor accepts it']);
    expect(
      (
        await read(suiteFiles(`${PROMPT}custom_knob: 5\n`), { configRequired: true }, [
          'custom_knob=1,2',
        ])
      ).problems,
    ).toEqual([]);
    expect(
      (await read(suiteFiles(), { configRequired: true }, ['top_p=0.1,0.9', 'model=a,b'])).problems,
    ).toEqual([]);
  });
});
