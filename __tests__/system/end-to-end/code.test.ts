import { README, WORSE, below, changeOf, obedient, quiz, testsOf } from './projects.ts';
import {
  MODEL_KEY,
  onPullRequest,
  onlyComment,
  pullRequest,
  stage,
  type StepOptions,
} from './stage.ts';

const METRICS = `metrics:
  - name: in python
    code: |
      import os, math
      metric = {"length": len(actual), "keys": [name for name in os.environ if "KEY" in name or "TOKEN" in name], "pi": math.floor(math.pi)}
      result = actual == expected and input["question"] in prompt
  - name: in javascript
    language: javascript
    code: |
      metric = typeof process + typeof fetch + typeof require;
      result = actual === expected;
metrics_rollup:
  name: most
  code: |
    result = num_passes > num_fails and num_tries * num_metrics == num_passes + num_fails`;

/** Runs the action on a pull request that adds one question with these metrics. */
const adding = (metrics: string, options?: StepOptions) =>
  pullRequest(README, { ...quiz(), ...testsOf(1, metrics) }, options);
const problem = (line: number, message: unknown) => ({
  place: { file: 'prompts/tests/quiz.yaml', line },
  message,
});

describe("a project's own code", () => {
  test('scores in Python and JavaScript, in a sandbox without keys, processes and network', async () => {
    const base = { ...quiz(), ...testsOf(6, METRICS) };
    const { run } = await pullRequest(base, WORSE, { shipped: true });
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3', errors: '0' });
    const [first] = run.result.suites[0]!.references;
    expect(first).toMatchObject({ id: 'q1', base: { rollup: 'pass' }, head: { rollup: 'fail' } });
    const { scores } = first!.base!.tries[0]!;
    expect(scores.map(({ metric, status, value }) => [metric, status, value])).toEqual([
      ['in python', 'pass', { length: 8, keys: [], pi: 3 }],
      ['in javascript', 'pass', 'undefinedundefinedundefined'],
    ]);
  });

  test('that fails on every answer makes the run an error that shows the failing lines', async () => {
    const { at, run } = await adding(`n_tries: 1
metrics:
  - { name: raises, code: "x = 1\\nmetric = result = int(actual)" }
  - { name: forgets, code: "metric = 1\\nif actual == '': result = True" }
  - { name: number, code: "metric = 1\\nresult = 2" }
  - { name: file, code: "metric = open('/etc/passwd').read()\\nresult = True" }
  - { name: js, language: javascript, code: "metric = result = nothing.here" }`);
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error', 'pass-rate-head': '' } });
    const breaks = 'raises an error on every answer of both sides, so it has no scores:';
    const said = [
      'ValueError at prompts/tests/quiz.yaml:3',
      'did not set result',
      'result must be True or False, not int',
      'PermissionError at prompts/tests/quiz.yaml:6',
      'ReferenceError at prompts/tests/quiz.yaml:7',
    ];
    expect(run.result.problems).toEqual(
      said.map((words, at) => problem(3 + at, expect.stringContaining(`${breaks} ${words}`))),
    );
    expect(at.models.requests.length).toBeGreaterThan(0);
  });

  test('that never sets its result variable is reported before any model call', async () => {
    const { at, run } = await adding(`metrics:
  - { name: forgets, code: "metric = len(actual)" }
  - { name: bounded, code: "metric = len(actual)", max: 5 }
  - { name: shown, code: "metric = len(actual)", skip: true }
  - { name: silent, code: "result = len(actual) > 3 # metric = 1" }
  - { name: reads, code: "result = metric > 3", skip: true }
  - { name: script, language: javascript, code: "result = actual.length > 3" }
  - { name: several, code: "metric, result = len(actual), True" }
  - { name: apart, language: javascript, code: "({ metric, result } = { metric: 1, result: true })" }
  - { name: made, code: "exec('metric = 1; result = True')" }
  - { name: quoted, code: 'result = "#" in actual; metric = 7 // 2' }
metrics_rollup: { name: odd, code: "passes = num_passes" }`);
    expect(run.result.problems).toEqual([
      problem(
        2,
        'metric "forgets" never sets result, which says whether it passes; add a line like result = metric > 0.5',
      ),
      ...['silent', 'reads', 'script'].map((name, index) =>
        problem(
          5 + index,
          `metric "${name}" never sets metric, its value; add a line like metric = ${name === 'script' ? 'result ? 1 : 0' : '1 if result else 0'}`,
        ),
      ),
      problem(
        12,
        'metrics_rollup "odd" never sets result, which says whether it passes; add a line like result = num_fails == 0',
      ),
    ]);
    expect(at.models.requests).toEqual([]);
  });

  test('can read its folder and environment variables that the workflow names', async () => {
    const at = await stage(obedient);
    const metric = `n_tries: 1\nmetrics:\n  - name: sees\n    code: |\n      import os\n      metric = sorted(name for name in os.environ if name.startswith(("LOCAL", "TEAM", "INPUT", "GITHUB")))\n      result = True`;
    const change = changeOf(README, { ...quiz(), ...testsOf(1, metric) });
    const value = async (inputs: Record<string, string>) => {
      const env = { TEAM_NAME: 'a', TEAM_SECRET: 'b' };
      const { result } = await onPullRequest(at, change, { inputs, env });
      return result.suites[0]?.references[0]?.head?.tries[0]?.scores[0];
    };
    const host = await value({ code: 'host', 'code-env': 'TEAM_NAME' });
    expect(host).toMatchObject({ status: 'pass', value: ['TEAM_NAME'] });
    const off = { status: 'error', reason: expect.stringMatching(/code: off/) };
    expect(await value({ code: 'off' })).toMatchObject(off);
  });
});

describe('values of code-env', () => {
  const TOKEN = 'pc-71f0ca9a-canary';
  // As some SDKs do, the code repeats the token in an error, in its output and in a value.
  const leaks = `n_tries: 1\nmetrics:\n  - name: leaks\n    code: |\n      import os, sys\n      token = os.environ['PINECONE_TOKEN']\n      result = actual == expected\n      metric = 1\n      `;

  test.each([
    [
      'an exception',
      'if input["question"].startswith("Question 2"): raise RuntimeError("401 bad token " + token)',
    ],
    ['what it prints', 'print("connected with " + token); sys.stderr.write(token)'],
    ['a value', 'metric = { "token": token }'],
  ])('are masked and do not appear in any output: %s', async (_, what) => {
    const files = { ...quiz(), ...testsOf(2, leaks + what) };
    const { at, run } = await pullRequest(README, files, {
      inputs: { code: 'host', 'code-env': 'PINECONE_TOKEN', comment: 'always' },
      env: { PINECONE_TOKEN: TOKEN },
    });
    expect(run.result.suites).toHaveLength(1);
    const mask = `::add-mask::${TOKEN}`;
    expect(run.log).toContain(mask);
    expect(run.log.replaceAll(mask, '')).not.toContain(TOKEN);
    const { comments, checkRuns } = at.github.state;
    const published = JSON.stringify([run.reports, comments, checkRuns, run.outputs]);
    expect(published).not.toContain(TOKEN);
    expect(run.log + JSON.stringify(run.reports)).toContain('***');
  });

  test.each([
    ['LOCAL_KEY', {}],
    ['OPENAI_API_KEY', { OPENAI_API_KEY: 'sk-1' }],
    ['ALIAS', { ALIAS: MODEL_KEY }],
    ['ACTIONS_ID_TOKEN_REQUEST_TOKEN', {}],
    ['actions_id_token_request_url', {}],
    ['ALIAS', { ALIAS: 'runner-token-1', ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'runner-token-1' }],
  ])('are rejected when they are a model key or request identity tokens: %s', async (name, env) => {
    const inputs = { code: 'host', 'code-env': name };
    const { at, run } = await pullRequest(README, quiz(), { inputs, env });
    expect(run.code).toBe(1);
    const refusal = new RegExp(`^code-env: (${name} is the key of a model|remove ${name};)`);
    expect(run.messages).toContainEqual(expect.stringMatching(refusal));
    expect(at.models.requests).toEqual([]);
  });
});

const APP = `import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
const style = readFileSync(new URL('./style.txt', import.meta.url), 'utf8').trim();
process.stderr.write('::error::the app is up\\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { id, messages, model, parameters } = JSON.parse(line);
  const n = /Question (\\d+)/.exec(messages.at(-1).content)[1];
  if (process.env.LOCAL_KEY !== undefined) throw new Error('the key is in reach');
  if (model !== 'app' || parameters.temperature !== 0.5 || process.cwd().startsWith(process.env.GITHUB_WORKSPACE ?? '-')) throw new Error('not as asked');
  process.stdout.write(JSON.stringify({ id, output: style === 'vague' && n < 4 ? 'no idea' : 'answer ' + n, usage: { input_tokens: 7, output_tokens: 2 } }) + '\\n');
}
`;

describe("a team's own application", () => {
  const settings =
    'models:\n  app: { provider: program, command: [node, app/main.mjs], files: ["app/**"] }\n';
  const base = {
    ...quiz({ settings, model: 'app' }),
    'app/main.mjs': APP,
    'app/style.txt': 'exact\n',
  };

  const vague = { 'app/style.txt': 'vague\n' };

  test("runs from each side's own commit without keys, and is judged like a model", async () => {
    const { at, run } = await pullRequest(base, vague, { inputs: { code: 'host' } });
    const red = { conclusion: 'failure', regressed: '3', errors: '0', 'cost-usd': '' };
    expect(run.outputs).toMatchObject(red);
    const because = [{ key: expect.any(String), file: 'app/style.txt' }];
    expect(run.result.suites[0]?.because).toEqual(because);
    expect(onlyComment(at)).toContain('`quiz` 100 → 50 %: 3 of 6 tests broke');
    expect([run.annotations, at.models.requests]).toEqual([[], []]);
  });

  test('is found when the project is in a subfolder of its repository', async () => {
    const inputs = { code: 'host', 'working-directory': 'apps/quiz' };
    const [there, changed] = [below('apps/quiz', base), below('apps/quiz', vague)];
    const { run } = await pullRequest(there, changed, { inputs });
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3', errors: '0' });
  });

  test('is rejected and not run unless the workflow allows code on the host', async () => {
    const { run } = await pullRequest(base, vague);
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error', calls: '0' } });
    const message =
      'prompts/quiz.yaml:3: the model "app" is a program of this repository. It runs only with code: host (input code, or --code host).';
    expect(run.annotations).toMatchObject([
      { properties: 'file=prompts/quiz.yaml,line=3', message },
    ]);
    expect(run.log).not.toContain('the app is up');
  });
});
