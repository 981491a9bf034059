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

  test('runs a model once under its own name if several names refer to it', async () => {
    const { project, problems } = await read(
      {
        ...suiteFiles(),
        'evaldiff.yaml':
          'models:\n  new: { provider: openai, model: gpt-5.4, replaces: [gpt-4, gpt-3.5-turbo] }\nsweep:\n  temperature: [0, 1]\n  model: [gpt-4, claude-sonnet-5-5, gpt-3.5-turbo, gpt-5.4]\n',
      },
      { configRequired: true },
    );
    expect(problems).toEqual([]);
    expect(Object.entries(project.settings.sweep)).toEqual([
      ['temperature', [0, 1]],
      ['model', ['new', 'claude-sonnet-5-5']],
    ]);
    expect(project.notices).toContainEqual({
      kind: 'settings',
      place: { file: 'evaldiff.yaml', line: 5 },
      message:
        'sweep over "model": gpt-4, gpt-3.5-turbo, gpt-5.4 are the model new, which runs once',
    });
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

  test('with a duplicate value is rejected at its line', async () => {
    expect(
      (await read(suiteFiles(), { configRequired: true }, ['temperature=1,0,1'])).problems,
    ).toEqual([
      'sweep over "temperature": the value 1 is listed more than once; remove one, because the requests would be the same',
    ]);
    expect(
      await problemsOf(
        { ...suiteFiles(), 'evaldiff.yaml': 'sweep:\n  temperature: [0, 1]\n  model: [a, b, a]\n' },
        { configRequired: true },
      ),
    ).toEqual([
      'evaldiff.yaml:3: sweep over "model": the value "a" is listed more than once; remove one, because the requests would be the same',
    ]);
    expect((await read(suiteFiles(), { configRequired: true }, ['user="1",1'])).problems).toEqual(
      [],
    );
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
