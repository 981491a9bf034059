/**
 * Errors that `validate` finds without a model call, and that a run reports before its first call.
 */
import { commandIn, withoutKeys } from '../../../stand-ins/command-line.ts';
import { createRepository, type FixtureFiles } from '../../../stand-ins/repository.ts';

async function evaldiff(files: FixtureFiles, ...argv: string[]) {
  const repository = createRepository();
  repository.commit('one', files);
  const said = await commandIn(
    repository.directory,
    argv.length === 0 ? ['validate'] : argv,
    withoutKeys(),
  );
  return { ...said, out: said.out.replaceAll(/\s+/g, ' ') };
}

async function refuses(files: FixtureFiles, ...words: string[]) {
  const { code, out } = await evaldiff(files);
  expect(code).toBe(2);
  for (const said of words) expect(out).toContain(said);
}

const PROMPT =
  'name: p\nmodel: gpt-4o\nvariables: [{ name: q }]\nprompt: "{q}"\ndefaults: [tests/p]\n';
const TESTS =
  'metrics: [{ uses: exact_match }]\nreferences:\n  - { input: { q: a }, expected: b }\n';
const RIGHT = { 'prompts/p.yaml': PROMPT, 'prompts/tests/p.yaml': TESTS };

const withMetrics = (metrics: string): FixtureFiles => ({
  'prompts/p.yaml': PROMPT,
  'prompts/tests/p.yaml': `${metrics}references:\n  - { input: { q: a }, expected: b }\n`,
});

describe('validate', () => {
  test('reports nothing for a valid project', async () => {
    const { code, out, err } = await evaldiff(RIGHT);
    expect([code, out, err]).toEqual([0, '1 prompt with 1 reference: no errors ', '']);
  });

  test.each([
    [
      'a metric in Python',
      withMetrics('metrics:\n  - name: m\n    code: |\n      metric = 1\n      result = (\n'),
      'prompts/tests/p.yaml:2: metric "m": SyntaxError at prompts/tests/p.yaml:5: ',
    ],
    [
      'a metric in JavaScript',
      withMetrics(
        'metrics:\n  - name: m\n    language: javascript\n    code: |\n      metric = 1;\n      result = );\n',
      ),
      'prompts/tests/p.yaml:2: metric "m": SyntaxError at prompts/tests/p.yaml:6: ',
    ],
    [
      'a metric in JavaScript without its language',
      withMetrics('metrics: [{ name: m, code: "const x = 1; metric = x; result = x === 1" }]\n'),
      'SyntaxError at prompts/tests/p.yaml:1: invalid syntax. This is javascript: add language: javascript',
    ],
    [
      'a metric that imports a package',
      withMetrics('metrics:\n  - name: m\n    code: |\n      import numpy\n      metric = 1\n'),
      'prompts/tests/p.yaml:2: metric "m": ModuleNotFoundError at prompts/tests/p.yaml:4: numpy. Packages need code: host',
    ],
    [
      'a roll-up',
      withMetrics(
        'metrics: [{ uses: exact_match }]\nmetrics_rollup:\n  name: mine\n  code: |\n    result = num_passes >\n',
      ),
      'prompts/tests/p.yaml:2: metrics_rollup "mine": SyntaxError at prompts/tests/p.yaml:5: ',
    ],
  ])('reports a code error in %s, as a run does before its first call', async (_, files, words) => {
    await refuses(files, words);
    const ran = await evaldiff(files, 'run');
    expect([ran.code, ran.out]).toEqual([2, expect.stringContaining(words)]);
    expect(ran.out).toContain('Nothing was sent to a model.');
  });

  const withRollup = (code: string) =>
    withMetrics(
      `metrics: [{ uses: exact_match }]\nmetrics_rollup:\n  name: mine\n  code: |\n    ${code}\n`,
    );

  test.each([
    ['result = num_pases == num_tries', "NameError at prompts/tests/p.yaml:5: name 'num_pases'"],
    ['result = "yes" if num_passes else "no"', 'result must be True or False, not str'],
    ['result = num_passes + 7', 'result must be True or False, not int'],
    ['result = num_passes.majority() > 0', 'AttributeError'],
    ['result = True if num_fails else wins > 1', "'wins' is not"],
    ['result = num_passes / num_fails > 1', 'zero if num_passes is 1 and num_fails is 0'],
    ['result = 1 / (num_tries - 9) < 0', 'division by zero if num_tries is 9'],
    ['result = [True, False][num_fails]', 'list index out of range if num_fails is 2'],
    ['result = num_passes / num_skip_passes > 0', 'division by zero'],
  ])('runs the roll-up (combined tries) %j on every tally, and refuses it', (code, words) =>
    refuses(withRollup(code), 'prompts/tests/p.yaml:2: metrics_rollup "mine": ', words),
  );

  test.each([
    ['result = num_fails == 0 or num_passes / num_fails > 1', false],
    ['result = num_passes / (num_passes + num_fails) > 0.5', false],
    ['result = num_passes >= 0', true],
    ['result = num_tries > 0', true],
  ])('accepts the roll-up %j; says whether it can never fail: %p', async (code, isLenient) => {
    const { code: exit, err } = await evaldiff(withRollup(code));
    expect(exit).toBe(0);
    const said = 'prompts/tests/p.yaml:2: p: metrics_rollup "mine" can never fail: ';
    expect(err.includes(said)).toBe(isLenient);
  });

  test('finds every reference that a metric cannot judge, with its line', async () => {
    const files = {
      'prompts/p.yaml': PROMPT,
      'prompts/tests/p.yaml':
        'metrics:\n  - { name: near, uses: numeric_diff }\nreferences:\n' +
        '  - { id: a, input: { q: a }, expected: abc }\n' +
        '  - id: b\n    input: { q: b }\n    expected: null\n' +
        '  - { id: c, input: { q: c }, expected: 3, metrics: [{ name: calls, uses: tool_call_match }] }\n' +
        '  - { id: d, input: { q: d }, expected: 12 EUR, metrics: [{ uses: is_json }] }\n' +
        '  - { id: e, input: { q: e }, expected: 5 (, metrics: [{ name: found, uses: regex }] }\n' +
        '  - { id: f, input: { q: f }, expected: 5 (, metrics: [{ name: r, uses: regex, skip: true }] }\n',
    };
    await refuses(
      files,
      'tests/p.yaml:4: metric "near": expected "abc" is not a number',
      'tests/p.yaml:7: metric "near": expected "null" is not a number',
      'tests/p.yaml:8: metric "calls": expected must be tool names, or maps of name and arguments',
      'tests/p.yaml:10: metric "found": expected: the pattern is not valid',
      '4 problems to fix. Nothing was sent to a model.',
    );
    expect((await evaldiff(files, 'plan')).code).toBe(0);
  });

  test('finds a reference without a value for a variable and one without an expected value', () =>
    refuses(
      {
        'prompts/p.yaml': PROMPT,
        'prompts/tests/p.yaml': `${TESTS}  - { input: {}, expected: b }\n  - { input: { q: c } }\n`,
      },
      'prompts/tests/p.yaml:4: the reference has no value for {q}',
      'prompts/tests/p.yaml:5: the reference has no expected value, but metric exact_match needs one',
    ));

  test('finds the same missing values as plan, which reports them even if no test is affected', async () => {
    const tests = `${TESTS}  - { input: {}, expected: b }\n`;
    const { code, out } = await evaldiff(
      { 'prompts/p.yaml': PROMPT, 'prompts/tests/p.yaml': tests },
      'plan',
    );
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('prompts/tests/p.yaml:4: the reference has no value for {q}'),
    ]);
  });

  test('rejects a data file without rows; plan counts the rows that were removed since base', async () => {
    const files = (rows: string): FixtureFiles => ({
      'prompts/p.yaml': PROMPT,
      'prompts/tests/p.yaml': `${TESTS}references_from: { file: c.csv }\n`,
      'c.csv': `q,expected\n${rows}`,
    });
    await refuses(files(''), 'c.csv: has no rows; add some, or remove it from references_from');
    const repository = createRepository();
    repository.commit('one', files('a,b\nc,d\ne,f\n'));
    repository.commit('two', files('a,b\n'));
    const plan = async () => {
      const argv = ['plan', '--base', 'HEAD~1', '--head', 'HEAD'];
      const { code, out } = await commandIn(repository.directory, argv, withoutKeys());
      return [code, out.replaceAll(/\s+/g, ' ')];
    };
    expect(await plan()).toEqual([0, expect.stringContaining("c.csv: has 1 of base's 3 rows")]);
    repository.commit('three', files(''));
    expect(await plan()).toEqual([
      2,
      expect.stringContaining("c.csv: has no rows, and base's has 1; restore them"),
    ]);
  });

  test('reports that the file evaldiff.yml is not read', async () => {
    const lost = { ...RIGHT, 'evaldiff.yml': 'n_tries: 3\n' };
    await refuses(lost, 'evaldiff.yml: is not read; rename it to evaldiff.yaml');
    await refuses(
      { ...lost, 'evaldiff.yaml': 'seed: 2\n' },
      'evaldiff.yml: is not read; move its content into evaldiff.yaml',
    );
    expect((await evaldiff(lost, 'validate', '--config', 'evaldiff.yml')).code).toBe(0);
  });

  test('names a settings file with a misspelt name, but not the errors that result from it', async () => {
    const graded = 'metrics: [{ uses: llm_rubric, with: { criteria: kind } }]\n';
    const files = { ...withMetrics(graded), 'evaldif.yaml': 'grader: gpt-4o\n' };
    await refuses(
      files,
      '1 problem to fix.',
      'evaldif.yaml: is not read; rename it to evaldiff.yaml',
    );
    expect((await evaldiff({ ...files, 'evaldiff.yaml': 'grader: gpt-4o\n' })).code).toBe(0);
  });

  test('names files that no pattern or prompt uses, and patterns without a matching file', async () => {
    const { code, err } = await evaldiff({
      ...RIGHT,
      'evaldiff.yaml': 'prompts: [prompts/*.yaml, agents/*.yaml]\n',
      'prompts/shop/refund.yaml': PROMPT,
      'prompts/chat.yml': PROMPT,
      'prompts/tests/old.yaml': TESTS,
    });
    expect(code).toBe(0);
    for (const file of ['prompts/shop/refund.yaml', 'prompts/chat.yml'])
      expect(err).toContain(
        `note: ${file}: is not read: no pattern under prompts in the settings matches this prompt; write prompts: prompts/**/*.{yaml,yml}`,
      );
    expect(err).toContain(
      'note: prompts/tests/old.yaml: is not read: no pattern under prompts or rubrics in the settings matches it, and no prompt names it in its defaults or tests',
    );
    expect(err).toContain('note: evaldiff.yaml:1: agents/*.yaml matches no file');
    expect(err).not.toContain('prompts/p.yaml: is not read');
  });

  test.each(['jsonl', 'ndjson', 'csv', 'tsv'])(
    'names a .%s file below the prompts only if no test file reads it',
    async (ending) => {
      const row = ending.endsWith('n') || ending === 'jsonl' ? '{"q":"x","expected":"y"}\n' : null;
      const text = row ?? (ending === 'csv' ? 'q,expected\nx,y\n' : 'q\texpected\nx\ty\n');
      const { code, err } = await evaldiff({
        ...RIGHT,
        'prompts/tests/p.yaml': `metrics: [{ uses: exact_match }]\nreferences_from: { file: used.${ending} }\n`,
        [`prompts/tests/used.${ending}`]: text,
        [`prompts/tests/idle.${ending}`]: text,
      });
      expect([code, err]).toEqual([
        0,
        expect.stringContaining(`tests/idle.${ending}: is not read`),
      ]);
      expect(err).not.toContain(`used.${ending}: is not read`);
    },
  );
});
