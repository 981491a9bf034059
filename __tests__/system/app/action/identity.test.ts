import { runIdentity } from '../../../../src/app/action/identity.ts';
import { readInputs } from '../../../../src/config/inputs.ts';
import { OWN_SETTINGS } from '../../../stand-ins/features.ts';

const of = (given: Record<string, string> = {}, env: NodeJS.ProcessEnv = {}) =>
  runIdentity(readInputs(given, OWN_SETTINGS).inputs, { GITHUB_JOB: 'gate', ...env });

describe('the name of the check', () => {
  test.each([
    ['evaldiff', {}],
    ['evaldiff', { 'working-directory': './', config: 'evaldiff.yaml', overrides: 'n_tries=3' }],
    ['evaldiff (services/a)', { 'working-directory': 'services/a' }],
    ['evaldiff (evals-b.yaml)', { config: 'evals-b.yaml' }],
    [
      'evaldiff (services/a, evals-b.yaml)',
      { 'working-directory': './services/a/', config: 'evals-b.yaml' },
    ],
    ['evaldiff (prompts=math)', { overrides: 'prompts=math\ngate.alpha=0.1' }],
    ['evaldiff (model=a,b)', { overrides: '# both\nmodel=a,b' }],
    ['evaldiff (tags=slow, grader.model=x)', { overrides: 'grader.model=x\ntags=slow' }],
    ['Quiz gate', { 'check-name': 'Quiz gate', 'working-directory': 'services/a' }],
    ['', { 'check-name': '' }],
  ])('is %j', (name, given) => expect(of(given).checkName).toBe(name));

  test('is shortened to what GitHub shows if the overrides are long, and stays unique', () => {
    const long = (last: string) => of({ overrides: `prompts=${'a'.repeat(200)}${last}` }).checkName;
    expect(long('x').length).toBeLessThan(130);
    expect(long('x')).not.toBe(long('y'));
  });
});

describe('the identity of a run', () => {
  const workflow = 'acme/prompts/.github/workflows/a.yml';
  test.each([
    ['the workflow', {}, { GITHUB_WORKFLOW_REF: `acme/prompts/.github/workflows/b.yml@x` }],
    ['the job', {}, { GITHUB_JOB: 'other' }],
    ['the folder', { 'working-directory': 'services/a' }, {}],
    ['the settings file', { config: 'evals-b.yaml' }, {}],
    ['the prompts', { overrides: 'prompts=math' }, {}],
    ['the model', { overrides: 'model=second' }, {}],
    ['the name of the check', { 'check-name': 'gate' }, {}],
    ['no check', { 'check-name': '' }, {}],
  ])('depends on %s', (_, given, env) => {
    const usual = of({}, { GITHUB_WORKFLOW_REF: `${workflow}@refs/pull/1/merge` });
    const other = of(given, { GITHUB_WORKFLOW_REF: `${workflow}@refs/pull/1/merge`, ...env });
    expect(other.hash).not.toBe(usual.hash);
    expect(other.markers.comment).not.toBe(usual.markers.comment);
    expect(other.markers.fix).not.toBe(usual.markers.fix);
  });

  test('does not depend on the pull request, the number of tries or the gate', () => {
    const usual = of({}, { GITHUB_WORKFLOW_REF: `${workflow}@refs/pull/1/merge` });
    const given = { overrides: 'n_tries=5\ngate.alpha=0.1' };
    expect(of(given, { GITHUB_WORKFLOW_REF: `${workflow}@refs/pull/2/merge` })).toEqual(usual);
  });
});
