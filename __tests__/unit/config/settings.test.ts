import { readProject } from '../../../src/config/project.ts';
import { formatProblem } from '../../../src/errors.ts';
import { vendorNames } from '../../../src/types/vendors.ts';
import { optionsOf, PROMPT, problemsOf, read, suiteFiles, suiteOf, tools, treeOf } from './tree.ts';

const settingsOf = async (text: string, lines: readonly string[] = []) => {
  const { project, problems } = await read({ 'evaldiff.yaml': text }, {}, lines);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return project.settings;
};

const DEFAULTS = {
  agent: null,
  prompts: ['prompts/*.{yaml,yml}'],
  rubrics: ['rubrics/*.{yaml,yml}'],
  n_tries: 'adaptive',
  seed: 1,
  models: new Map(),
  grader: null,
  voters: [],
  embeddings: null,
  sweep: {},
  gate: {
    fail_on: 'regression',
    alpha: 0.05,
    min_drop: 0.01,
    tolerance: 'auto',
    gate_on: 'suite+references',
    churn: 'gate',
    on_inconclusive: 'pass',
    scoring: 'warn',
    removed: 'warn',
    new: 'report',
    untrusted: 'fail',
    anchor: null,
    attributes: 'advise',
    min_pass_rate: null,
  },
  budget: { max_calls: 5000, max_cost_usd: 20, written: {} },
  explain: { max_calls: null, fix: false },
  coverage: { draft: false, lines: 'off', untested: 'advise', max_calls: 400 },
  instructions: null,
  qualeval: {
    enabled: 'auto',
    attributes: 'evaldiff.attributes.yaml',
    max_attributes: 15,
    sample: 500,
    slack: 0.1,
    alignment: false,
    metric: null,
    insight_calls: null,
  },
};

describe('settings', () => {
  test('have a default for every key', async () => {
    const sweepPlace = { file: 'evaldiff.yaml', line: 1 };
    expect(await settingsOf('seed: 1')).toEqual({ file: 'evaldiff.yaml', sweepPlace, ...DEFAULTS });
    expect((await read({})).project.settings).toEqual({
      file: null,
      sweepPlace: { ...sweepPlace, line: 0 },
      ...DEFAULTS,
    });
  });

  test('accept every documented key', async () => {
    const settings = await settingsOf(
      `prompts: prompts/*.yaml
rubrics: r/*.yaml
n_tries: 5
seed: 7
models:
  claude-sonnet: { provider: anthropic, model: claude-sonnet-4-5, price: { input: 3, output: 15 } }
  local: { provider: openai, endpoint: local, model: llama3 }
  our-app: { provider: program, command: [node, app/answer.mjs], files: app/**, setup: [npm, ci], process: try }
  recorded: { provider: replay, file: recordings/demo.jsonl, replaces: [gpt-4o] }
grader: { model: gpt-4o, temperature: 0 }
sweep: { model: [gpt-4o, claude-sonnet], temperature: [0, 0.7], top_p: 1 }
gate: { fail_on: failure, min_pass_rate: 0.9, gate_on: suite }
budget: { max_calls: null, max_cost_usd: 2.5 }
qualeval: { enabled: off, max_attributes: 5 }
`,
    );
    expect(settings).toMatchObject({
      prompts: ['prompts/*.yaml'],
      rubrics: ['r/*.yaml'],
      n_tries: 5,
      seed: 7,
      grader: { model: 'gpt-4o', parameters: { temperature: 0 }, place: { line: 10 } },
      sweep: { model: ['recorded', 'claude-sonnet'], temperature: [0, 0.7], top_p: [1] },
      gate: { fail_on: 'failure', min_pass_rate: 0.9, gate_on: 'suite', alpha: 0.05 },
      budget: { max_calls: null, max_cost_usd: 2.5 },
      qualeval: { enabled: 'off', max_attributes: 5, slack: 0.1, alignment: false, metric: null },
    });
    expect(Object.fromEntries(settings.models)).toMatchObject({
      'claude-sonnet': {
        provider: 'anthropic',
        endpoint: null,
        model: 'claude-sonnet-4-5',
        price: { input: 3, output: 15 },
        place: { line: 6 },
      },
      local: { provider: 'openai', endpoint: 'local', model: 'llama3', price: null },
      'our-app': {
        provider: 'program',
        model: 'our-app',
        command: ['node', 'app/answer.mjs'],
        files: ['app/**'],
        setup: ['npm', 'ci'],
        process: 'try',
      },
      recorded: { provider: 'replay', file: 'recordings/demo.jsonl', replaces: ['gpt-4o'] },
    });
  });

  const key =
    'may only be set in the workflow (inputs openai-api-key, anthropic-api-key, … and endpoints)';
  const address = 'may only be set in the workflow (input endpoints)';
  const batches =
    "; only OpenAI's and Anthropic's own servers offer batches. Remove this key, or write direct";
  test.each([
    [
      'code: host',
      '1: unknown key "code"; set it for a run: --code host, or code: host in the workflow',
    ],
    ['gat: {}', '1: unknown key "gat"; did you mean "gate"?'],
    ['gate: { alfa: 0.1 }', '1: unknown key "alfa" in gate; did you mean "alpha"?'],
    ['gate:\n  alpha: 2', '2: gate.alpha must be a number from 0.0001 to 0.5'],
    ['gate: { fail_on: always }', '1: gate.fail_on must be one of regression, failure, never'],
    [
      'seed: 1\ngate: strct',
      '2: gate must be strict, normal or lenient, or a map like { preset: strict, new: report }',
    ],
    ['gate:\n  preset: harsh', '2: gate.preset must be one of strict, normal, lenient'],
    ['gate: { preset: strict, nwe: fail }', '1: unknown key "nwe" in gate; did you mean "new"?'],
    [
      'gate: { anchor: { since: 99999999999-days } }',
      '1: gate.anchor.since must be 1-days to 3650-days',
    ],
    ['gate: { anchor: { since: 0-days } }', '1: gate.anchor.since must be 1-days to 3650-days'],
    ['gate: { min_pass_rate: 90 }', '1: gate.min_pass_rate must be a number from 0 to 1'],
    ['budget: { max_calls: -1 }', '1: budget.max_calls must be a whole number of at least 0'],
    [
      'models:\n  m: { provider: azzure }',
      `2: models.m.provider must be one of ${vendorNames().join(', ')}, program, replay`,
    ],
    ['models:\n  m: { model: x }', '2: models.m: "provider" is missing'],
    ['models:\n  m: { provider: openai, base_url: "http://x" }', `2: "base_url" ${address}`],
    ['models:\n  m: { provider: openai, api_key: x }', `2: "api_key" ${key}`],
    ['models:\n  m: { provider: program }', '2: models.m: "command" is missing'],
    [
      'models:\n  m: { provider: program, command: [a], process: each }',
      '2: models.m.process must be one of side, try',
    ],
    [
      'models:\n  m: { provider: openai, process: try }',
      '2: models.m: the key "process" has no meaning for provider openai; remove it',
    ],
    [
      'models:\n  m: { provider: program, command: node x }',
      '2: models.m.command must be a list of words like [node, app/answer.mjs]',
    ],
    ['models:\n  m: { provider: replay }', '2: models.m: "file" is missing'],
    [
      'models:\n  m: { provider: openai, command: [node] }',
      '2: models.m: the key "command" has no meaning for provider openai; remove it',
    ],
    [
      'models:\n  m: { provider: openai, transport: bach }',
      '2: models.m.transport must be one of direct, batch',
    ],
    [
      'models:\n  m:\n    provider: openai\n    endpoint: local\n    transport: batch',
      `5: models.m: transport: batch is not available for an endpoint of the workflow${batches}`,
    ],
    [
      'models:\n  m: { provider: program, command: [node], transport: batch }',
      `2: models.m: transport: batch is not available for provider program${batches}`,
    ],
    [
      'models:\n  m: { provider: replay, file: r.jsonl, transport: batch }',
      `2: models.m: transport: batch is not available for provider replay${batches}`,
    ],
    ['transport: slow', '1: transport must be one of direct, batch'],
    ['grader: { temperature: 0 }', '1: grader: "model" is missing'],
    ['grader: { modl: m }', '1: grader: unknown key "modl"; did you mean "model"?'],
    ['grader: { moxxl: m }', '1: grader: "model" is missing'],
    [
      'grader: [a, b]',
      '1: grader has 2 models; name an odd number up to 9, so that there is always a majority',
    ],
    [
      'grader:\n  - a\n  - { model: b }\n  - { model: b, temperature: 0 }\n  - a\n  - c',
      '5: grader: "a" is listed twice with the same parameters; keep one, because each model has one vote',
    ],
    ['grader: [a, b, { temperature: 0 }]', '1: grader[2]: "model" is missing'],
    ['grader: { model: m, headers: { a: b } }', `1: grader: "headers" ${address}`],
    ['sweep: { temperature: [hot] }', '1: sweep: temperature must be a number'],
    ['sweep: { temperature: [] }', '1: sweep.temperature must not be empty'],
    ['sweep: { base_url: [x] }', `1: sweep: "base_url" ${address}`],
    ['api_key: x', `1: "api_key" ${key}`],
    ['- a', '1: must be a map of settings like prompts, n_tries and models'],
    ['seed: 1.5', '1: seed must be a whole number from 0 to 4294967295'],
    ['qualeval: { enabled: sometimes }', '1: qualeval.enabled must be one of auto, on, off'],
    [
      'qualeval: sometimes',
      '1: qualeval must be one of auto, on, off, or a map like { enabled: on, max_attributes: 10 }',
    ],
    [
      'qualeval:\n  attribute: a.yaml',
      '2: unknown key "attribute" in qualeval; did you mean "attributes"?',
    ],
    ['qualeval: { alignment: 2 }', '1: qualeval.alignment must be true or false'],
    ['prompts: 3', '1: prompts must be a pattern like prompts/*.yaml, or a list of them'],
  ])('with %s are rejected', async (text, problem) => {
    expect(await problemsOf({ 'evaldiff.yaml': text })).toEqual([`evaldiff.yaml:${problem}`]);
  });
});

test.each([
  ['off', 'off'],
  ['on', 'on'],
  ['auto', 'auto'],
  ['false', 'off'],
])(
  'the short form qualeval: %s sets only enabled and keeps the other defaults',
  async (word, enabled) => {
    const { qualeval } = await settingsOf(`qualeval: ${word}\n`);
    expect(qualeval).toEqual({ ...DEFAULTS.qualeval, enabled });
  },
);

const STRICT = { on_inconclusive: 'fail', removed: 'fail', scoring: 'fail', new: 'fail' };

test.each([
  ['gate: normal', [], {}],
  ['gate: strict', [], STRICT],
  ['gate: lenient', [], { gate_on: 'suite', churn: 'accept' }],
  ['gate: { new: report, preset: strict }', [], { ...STRICT, new: 'report' }],
  ['gate: strict', ['gate.new=report'], { ...STRICT, new: 'report' }],
  ['gate: { alpha: 0.01 }', ['gate.preset=strict'], { ...STRICT, alpha: 0.01 }],
])('%s with the overrides %j changes only its own keys of the gate', async (text, lines, own) => {
  expect((await settingsOf(text, lines)).gate).toEqual({ ...DEFAULTS.gate, ...own });
});

describe('transport (batch or direct)', () => {
  const MODELS =
    'models:\n  a: { provider: openai, transport: batch }\n  b: { provider: anthropic }\n  c: { provider: openai, endpoint: local, transport: direct }\n';

  const transports = ({ transport, models }: Awaited<ReturnType<typeof settingsOf>>) => [
    transport,
    ...[...models.values()].map((model) => model.transport),
  ];

  test('is set per model or as a default for all models', async () => {
    const settings = await settingsOf(`transport: batch\n${MODELS}`);
    expect(transports(settings)).toEqual(['batch', 'batch', undefined, 'direct']);
    expect((await settingsOf(MODELS)).transport).toBeUndefined();
  });

  test('from an override applies to all models', async () => {
    const settings = await settingsOf(MODELS, ['transport=direct']);
    expect(transports(settings)).toEqual(['direct', undefined, undefined, undefined]);
    expect((await read({ 'evaldiff.yaml': MODELS }, {}, ['transport=fast'])).problems).toEqual([
      'overrides: transport=fast: transport must be one of direct, batch',
    ]);
  });
});

describe('settings file', () => {
  test('must exist on head if it is named explicitly', async () => {
    expect(await problemsOf({}, { config: 'evals.yaml', configRequired: true })).toEqual([
      'evals.yaml: does not exist at abc1234',
    ]);
    expect(await problemsOf({}, { config: 'evals.yaml', configRequired: false })).toEqual([]);
    expect(await problemsOf({}, { config: '../evals.yaml', configRequired: false })).toEqual([
      'config: ../evals.yaml must be a path below the working directory',
    ]);
  });

  test('may be llmeval.yaml, whose version causes a notice', async () => {
    const { project, problems, notices } = await read(
      { 'llmeval.yaml': 'version: 0.3.0\nn_tries: 2\n' },
      { configRequired: true },
    );
    expect([problems, project.settings.file, project.settings.n_tries]).toEqual([
      [],
      'llmeval.yaml',
      2,
    ]);
    expect(notices).toEqual(['llmeval.yaml:1: version has no effect; you can remove it']);
    expect(
      (await read({ 'evaldiff.yaml': 'n_tries: 3', 'llmeval.yaml': 'n_tries: 2' })).project.settings
        .n_tries,
    ).toBe(3);
    expect(
      await problemsOf(
        { 'llmeval.yaml': 'n_tries: 2' },
        { config: 'other.yaml', configRequired: true },
      ),
    ).toEqual(['other.yaml: does not exist at abc1234']);
  });

  test('of llmeval causes notices about unused keys', async () => {
    const text =
      'defaults: [{ prompts: x }]\nlog10: { token: t }\nhydra: { mode: MULTIRUN, sweeper: { params: { prompts.model: "a,b" } } }\n';
    const { project, problems, notices } = await read({ 'llmeval.yaml': text });
    expect(problems).toEqual([]);
    expect(project.settings.sweep).toEqual({});
    expect(notices).toEqual([
      'llmeval.yaml:1: defaults in the settings file have no effect: all prompts are read',
      'llmeval.yaml:2: log10 has no effect; remove it, and if it contains a token, revoke that',
      'llmeval.yaml:3: hydra has no effect; write a sweep as sweep: { model: [a, b] }',
    ]);
  });

  test('must not be a symbolic link', async () => {
    const tree = treeOf({}, { 'evaldiff.yaml': 'symbolic link' });
    const { problems } = await readProject(tree, optionsOf(), tools);
    expect(problems.map(formatProblem)).toEqual([
      'evaldiff.yaml: is a symbolic link; only regular files are read',
    ]);
  });
});

describe('overrides', () => {
  test('of settings have the same effect as keys in the file', async () => {
    const settings = await settingsOf('n_tries: 5\ngate: { alpha: 0.1, min_pass_rate: 0.5 }', [
      'n_tries=1',
      'gate.fail_on=never',
      'gate.min_pass_rate=null',
      'budget.max_calls=10',
      'grader.model=g',
      'seed=9',
    ]);
    expect(settings).toMatchObject({
      n_tries: 1,
      seed: 9,
      gate: { fail_on: 'never', alpha: 0.1, min_pass_rate: null },
      budget: { max_calls: 10, max_cost_usd: 20 },
      grader: { model: 'g', parameters: {} },
    });
    expect((await read({}, {}, ['n_tries=0', 'gate.alpha=7'])).problems).toEqual([
      'overrides: n_tries=0: n_tries must be a whole number from 1 to 50, or adaptive',
      'overrides: gate.alpha=7: gate.alpha must be a number from 0.0001 to 0.5',
    ]);
  });

  test('of one key keep the other keys of its section', async () => {
    const file =
      'gate: { fail_on: never }\nexplain: { max_calls: 7 }\nqualeval: { max_attributes: 3 }';
    expect(
      await settingsOf(file, ['gate.alpha=0.2', 'explain.fix=false', 'qualeval.enabled=off']),
    ).toMatchObject({
      gate: { fail_on: 'never', alpha: 0.2 },
      explain: { max_calls: 7, fix: false },
      qualeval: { max_attributes: 3, enabled: 'off' },
    });
    expect((await settingsOf('seed: 1\nbudget: { max_calls: 3 }', [])).budget).toEqual({
      max_calls: 3,
      max_cost_usd: 20,
      written: { max_calls: { file: 'evaldiff.yaml', line: 2 } },
    });
    expect((await settingsOf('seed: 1', ['budget.max_cost_usd=3'])).budget).toEqual({
      max_calls: 5000,
      max_cost_usd: 3,
      written: { max_cost_usd: { file: 'overrides', line: 0 } },
    });
  });

  test("with one value replace the prompt's value, and with several values become a sweep", async () => {
    const files = { 'evaldiff.yaml': 'sweep: { model: [x, y], top_p: [0, 1] }', ...suiteFiles() };
    const { project } = await read(files, {}, ['model=m', 'temperature=0,0.7', 'max_tokens=5']);
    expect(project.suites[0]?.prompt).toMatchObject({
      model: 'm',
      parameters: { temperature: 0, max_tokens: 5 },
    });
    expect(project.settings.sweep).toEqual({ top_p: [0, 1], temperature: [0, 0.7] });
  });

  test('select prompts by name or file, and errors of other prompts are ignored', async () => {
    const files = {
      ...suiteFiles(),
      'prompts/capitals.yaml': PROMPT.replace('name: p', 'name: Capital cities'),
      'prompts/broken.yaml': 'name: [',
    };
    for (const wanted of ['capitals', 'Capital cities']) {
      const { project, problems } = await read(files, {}, [`prompts=${wanted}`]);
      expect([problems, project.suites.map(({ prompt }) => prompt.name)]).toEqual([
        [],
        ['Capital cities'],
      ]);
    }
    expect((await read(files, {}, ['prompts=p,capitals'])).project.suites).toHaveLength(2);
    const settled = { ...suiteFiles(), 'evaldiff.yaml': 'seed: 1' };
    expect((await read(settled, { configRequired: true }, ['prompts=q'])).problems).toEqual([
      'overrides: there is no prompt "q"; known are p',
    ]);
  });

  test('leave the prompt unchanged if none are given', async () => {
    expect((await suiteOf(suiteFiles())).prompt).toMatchObject({
      model: 'gpt-4o',
      parameters: { temperature: 0 },
    });
  });
});

describe('several graders', () => {
  test('are read as a first grader and others that vote with it', async () => {
    const { grader, voters } = await settingsOf(
      'grader:\n  - gpt-4o\n  - { model: claude, temperature: 0.2 }\n  - local',
    );
    expect([grader, ...voters]).toMatchObject([
      { model: 'gpt-4o', parameters: {}, place: { line: 2 } },
      { model: 'claude', parameters: { temperature: 0.2 }, place: { line: 3 } },
      { model: 'local' },
    ]);
  });

  test('are all replaced by grader.model on the command line, but all keep their models if only a parameter is given there', async () => {
    expect(await settingsOf('grader: [a, b, c]', ['grader.model=d'])).toMatchObject({
      grader: { model: 'd' },
      voters: [],
    });
    expect(await settingsOf('grader: [a, b, c]', ['grader.temperature=1'])).toMatchObject({
      grader: { parameters: { temperature: 1 } },
      voters: [{ model: 'b', parameters: { temperature: 1 } }, { parameters: { temperature: 1 } }],
    });
  });
});
