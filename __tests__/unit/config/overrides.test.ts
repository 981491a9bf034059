import { readOverrides } from '../../../src/config/overrides.ts';
import fc from '../../fuzz.ts';
import { OWN_SETTINGS } from '../../stand-ins/features.ts';

describe('override line', () => {
  test.each([
    ['model=a', { model: ['a'] }],
    ['model=a,b', { model: ['a', 'b'] }],
    ['temperature=0,0.7', { temperature: [0, 0.7] }],
    ['prompts.temperature=0.9', { temperature: [0.9] }],
    ['prompts.seed=3', { seed: [3] }],
    ['prompts.model=m', { model: ['m'] }],
    ['  logprobs = true ', { logprobs: [true] }],
    ['user="a,b"', { user: ['a,b'] }],
    ['user="1", x', { user: ['1', 'x'] }],
    ['user=', null],
    ['user=a,', null],
    ['=a', null],
    ['user', {}],
    ['user="a', null],
    ['user="a"b', null],
    ['prompts.=1', null],
    ['x_version=1.2.3', { x_version: ['1.2.3'] }],
    ['url_like=a=b', { url_like: ['a=b'] }],
    ['big=99999999999999999999', { big: ['99999999999999999999'] }],
  ])('%s is parsed into parameters or rejected', (line, parameters) => {
    const { overrides, problems } = readOverrides([line], OWN_SETTINGS);
    expect(problems.length === 0 ? Object.fromEntries(overrides.parameters) : null).toEqual(
      parameters,
    );
  });

  test.each([
    ['ntries=1', '"ntries" is spelt n_tries, and belongs in the settings file or in the test file'],
    ['prompt=a', 'unknown key "prompt"; did you mean "prompts"?'],
    ['temprature=1', 'unknown key "temprature"; did you mean "temperature"?'],
    ['temperature=hot', 'temperature must be a number'],
    ['gate.alhpa=1', 'unknown key "gate.alhpa"; did you mean "gate.alpha"?'],
    ['budgt.max_calls=3', 'unknown key "budgt.max_calls"; did you mean "budget.max_calls"?'],
    ['n_tries=1,2', 'n_tries takes one value'],
    ['base_url=https://x', '"base_url" may only be set in the workflow (input endpoints)'],
    ['max_calls=3', 'unknown key "max_calls"; did you mean "budget.max_calls"?'],
    ['=nonsense', 'must be key=value'],
  ])('%s is rejected', (line, message) => {
    expect(readOverrides([line], OWN_SETTINGS).problems).toEqual([
      { place: null, message: `overrides: ${line}: ${message}` },
    ]);
  });

  test('without = is the name of a prompt, beside key=value', () => {
    const { overrides, problems } = readOverrides(['mentor', ' n_tries=2', 'tags*'], OWN_SETTINGS);
    expect(problems).toEqual([]);
    expect(overrides.prompts).toEqual(['mentor', 'tags*']);
    expect(overrides.lines).toEqual(['n_tries=2', 'prompts=mentor,tags*']);
    expect(readOverrides(['mentor', 'prompts=tags'], OWN_SETTINGS).problems).toMatchObject([
      { message: 'overrides: prompts=mentor: sets "prompts" a second time' },
    ]);
  });

  test('is rejected if it sets a whole section', () => {
    const [found] = readOverrides(['gate=1'], OWN_SETTINGS).problems;
    expect(found?.message).toContain('overrides: gate=1: unknown key "gate"');
  });

  test('may be empty or a comment, and problems of all lines are reported together', () => {
    const { overrides, problems } = readOverrides(
      ['', '# model=x', 'model=a', 'model=b', '=x', 'prompts=p', 'n_tries=2'],
      OWN_SETTINGS,
    );
    expect(problems.map(({ message }) => message)).toEqual([
      'overrides: model=b: sets "model" a second time',
      'overrides: =x: must be key=value',
    ]);
    expect(overrides).toMatchObject({
      prompts: ['p'],
      settings: [{ path: ['n_tries'], value: 2 }],
    });
  });

  test('never throws for any text', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({
            unit: fc.constantFrom('a', '=', ',', '"', '.', ' ', '1', 'prompts', 'gate'),
          }),
        ),
        (lines) => {
          expect(Array.isArray(readOverrides(lines, OWN_SETTINGS).problems)).toBe(true);
        },
      ),
    );
  });
});
