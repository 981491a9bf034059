import { readProject } from '../../../src/config/project.ts';
import { formatProblem, problem, UserError } from '../../../src/errors.ts';
import { PROMPT, TESTS, problemsOf, read, suiteFiles, treeOf, optionsOf, tools } from './tree.ts';

const prompt = (change: (text: string) => string) => suiteFiles(change(PROMPT));
const swap = (from: string, to: string) => prompt((text) => text.replace(from, to));
const tests = (text: string) => suiteFiles(PROMPT, text);
const withLine = (line: string) => swap('temperature: 0\n', `temperature: 0\n${line}\n`);
const settings = (text: string) => ({ ...suiteFiles(), 'evaldiff.yaml': text });
const metric = (lines: string) => tests(`metrics:\n  - ${lines}\nreferences: []\n`);
const RUBRICS = {
  'evaldiff.yaml': 'grader: gpt-4o',
  'rubrics/r.yaml':
    'yea: { prompt: "{content}", choice_scores: { F: 1, C: 0.5, A: 0 }, better: lower }',
};
const untilMessages = PROMPT.slice(0, PROMPT.indexOf('messages:'));

describe('prompt file', () => {
  const undeclared =
    '{country} is not in variables; declare it, or write {{country}} if you mean the literal text';
  const variableName =
    ':6: variables[0]: a variable name may contain only letters, digits and _, and must not start with a digit';

  test.each([
    ['that is text', suiteFiles('hello'), ':1: must be a map with model and messages'],
    ['that is a list', suiteFiles('\n- a'), ':2: must be a map with model and messages'],
    [
      'with braces without quotes',
      swap('"Say {a}."', '{a}'),
      ':9: messages[0].content must be text; put {a} in quotes',
    ],
    [
      'with a misspelt key',
      swap('messages:', 'mesages:'),
      ':7: unknown key "mesages"; did you mean "messages"?',
    ],
    [
      'with a misspelt key that must not be missing',
      swap('model: gpt', 'modle: gpt'),
      ':3: unknown key "modle"; did you mean "model"?',
    ],
    [
      'with a misspelt key of a message',
      swap('role: human', 'rol: human'),
      ':8: unknown key "rol" in messages[0]; did you mean "role"?',
    ],
    ['with an empty name', swap('name: p\n', 'name: ""\n'), ':2: name must not be empty'],
    [
      'with metrics under tests and at the top level',
      withLine('metrics: [{ uses: is_json }]\ntests: { metrics: [{ uses: exact_match }] }'),
      ':5: metrics is also under tests, on line 6; keep one of them',
    ],
    [
      'with a misspelt key of the tests',
      withLine('referencs: []'),
      ':5: unknown key "referencs"; did you mean "references"?',
    ],
    [
      'with a parameter that resembles "model" only a little',
      swap('model: gpt', 'moxxl: gpt'),
      ': "model" is missing',
    ],
    ['without a model', swap('model: gpt-4o\n', ''), ': "model" is missing'],
    [
      'with a temperature that is text',
      swap('temperature: 0', 'temperature: "hot"'),
      ':4: temperature must be a number',
    ],
    [
      'with an unknown role',
      swap('role: human', 'role: robot'),
      ':8: messages[0].role must be one of system, human, user, ai, assistant',
    ],
    [
      'with both prompt and messages',
      withLine('prompt: { content: x }'),
      ': needs messages or prompt (not both), or code',
    ],
    [
      'with nothing to send',
      suiteFiles(untilMessages),
      ': needs messages or prompt (not both), or code',
    ],
    [
      'without a message',
      suiteFiles(`${untilMessages}messages: []\n`),
      ':7: messages must not be empty',
    ],
    ['with an undeclared variable', swap('Say {a}.', 'Say {a} in {country}.'), `:9: ${undeclared}`],
    [
      'with an undeclared variable inside a block',
      swap('"Say {a}."', '|\n      {a}\n      {{country}}\n      {country}'),
      `:12: ${undeclared}`,
    ],
    [
      'with a variable called a.b',
      prompt((text) => text.replace('- name: a', '- name: a.b').replace('{a}', 'a')),
      variableName,
    ],
    [
      'with a variable called 0',
      prompt((text) => text.replace('- name: a', '- name: "0"').replace('{a}', 'a')),
      variableName,
    ],
    [
      'with a variable called a-b',
      prompt((text) => text.replace('- name: a', '- a-b').replace('{a}', 'a')),
      variableName,
    ],
    [
      'with a duplicate variable',
      swap('  - name: a\n', '  - name: a\n  - a\n'),
      ':7: the variable "a" is already on line 6',
    ],
  ])('%s is rejected', async (_, files, problem) => {
    expect(await problemsOf(files)).toEqual([`prompts/p.yaml${problem}`]);
  });

  const address = 'may only be set in the workflow (input endpoints)';
  const key =
    'may only be set in the workflow (inputs openai-api-key, anthropic-api-key, … and endpoints)';
  test.each([
    ['temprature: 1', 'unknown key "temprature"; did you mean "temperature"?'],
    [
      'options_of_ours: { a: 1 }',
      'unknown key "options_of_ours": if this is a model parameter, it must be text, a number or true/false; maps and lists are allowed only for stop, stop_sequences, stop_token_ids, response_format, tools, tool_choice, functions, function_call and similar parameters',
    ],
    ['max_tokens:', 'max_tokens has no value; give it one or remove the key'],
    [
      'tools: [{ function: { name: f, description: Give it in, lower case } }]',
      'tools[0].function: "lower case" has no value; put text with a comma into quotes',
    ],
    ['base_url: https://evil.example/v1', `"base_url" ${address}`],
    ['apiBase: https://evil.example/v1', `"apiBase" ${address}`],
    ['headers: { Authorization: x }', `"headers" ${address}`],
    ['organization: org-1', `"organization" ${address}`],
    ['https_proxy: http://evil.example', `"https_proxy" ${address}`],
    ['api_key: sk-1', `"api_key" ${key}`],
    ['api_key_env: OTHER_KEY', `"api_key_env" ${key}`],
    ['provider: anthropic', '"provider" belongs in the settings file, under models'],
    ['stream: true', '"stream" must be false, because evaldiff does not stream answers'],
    ['user: ${oc.env:KEY}', '${oc.env:...} is not supported; evaldiff does not replace it'],
  ])('with the line %j is rejected', async (line, problem) => {
    expect(await problemsOf(withLine(line))).toEqual([`prompts/p.yaml:5: ${problem}`]);
  });

  test('may contain null values and keys of several words in its tools', async () => {
    const tools =
      'tools: [{ strict: null, properties: { first name: { type: string, default: null } } }]';
    expect(await problemsOf(withLine(tools))).toEqual([]);
  });

  test('with an unused variable still runs but causes a notice', async () => {
    expect(await read(swap('  - name: a\n', '  - name: a\n  - name: b\n'))).toMatchObject({
      problems: [],
      notices: ['prompts/p.yaml:7: the variable "b" is declared but no message uses it'],
    });
  });

  const notAllowed = 'is not in allowed-models';
  const another = `model "gpt-4o" stands for "gpt-9-large", which ${notAllowed}`;
  const elsewhere = (at: string) =>
    `model "gpt-4o" calls "gpt-4o" at ${at}, but "gpt-4o" in allowed-models allows it only at openai; to allow this call, add ${at}:gpt-4o to allowed-models in the workflow`;
  test.each([
    ['a model that is not allowed', '', ['gpt-4o-mini'], `model "gpt-4o" ${notAllowed}`],
    ['a model that is allowed', '', ['gpt-4o'], null],
    [
      'another model under an allowed name',
      'gpt-4o: { provider: openai, model: gpt-9-large }',
      ['gpt-4o'],
      another,
    ],
    [
      'a model under the name of one that it replaces',
      'dear: { provider: openai, model: gpt-9-large, replaces: gpt-4o }',
      ['gpt-4o'],
      another,
    ],
    ["a vendor's model at that vendor", 'gpt-4o: { provider: openai }', ['gpt-4o'], null],
    [
      'an allowed endpoint and name',
      'gpt-4o: { provider: openai, endpoint: azure }',
      ['azure:gpt-4o'],
      null,
    ],
    [
      'a different endpoint',
      'gpt-4o: { provider: openai }',
      ['azure:gpt-4o'],
      `model "gpt-4o" ${notAllowed}`,
    ],
    [
      "a vendor's model at a custom endpoint",
      'gpt-4o: { provider: openai, endpoint: azure }',
      ['gpt-4o'],
      elsewhere('azure'),
    ],
    [
      "a vendor's model at another vendor",
      'gpt-4o: { provider: anthropic }',
      ['gpt-4o'],
      elsewhere('anthropic'),
    ],
    [
      'recordings under an allowed name',
      'gpt-4o: { provider: replay, file: invented.jsonl }',
      ['gpt-4o'],
      'model "gpt-4o" is a recording, and replay:gpt-4o is not in allowed-models',
    ],
    [
      'recordings that are allowed',
      'gpt-4o: { provider: replay, file: r.jsonl }',
      ['replay:gpt-4o'],
      null,
    ],
    [
      'a program under an allowed name',
      'gpt-4o: { provider: program, command: [node, app.mjs] }',
      ['gpt-4o'],
      'model "gpt-4o" is a program, and program:gpt-4o is not in allowed-models',
    ],
    [
      'a custom model at one endpoint',
      'gpt-4o: { provider: openai, endpoint: local, model: llama3 }',
      ['llama3'],
      null,
    ],
    [
      'a custom model at several endpoints',
      'gpt-4o: { provider: openai, endpoint: local, model: llama3 }\n  b: { provider: openai, endpoint: far, model: llama3 }',
      ['llama3'],
      'model "gpt-4o": "llama3" in allowed-models could mean any of local:llama3, far:llama3; replace it in the workflow with the one that you mean',
    ],
  ])(
    'is accepted only if allowed-models includes its model and the provider of that model: %s',
    async (_what, entry, allowedModels, message) => {
      const files = entry === '' ? suiteFiles() : settings(`models:\n  ${entry}\n`);
      expect(await problemsOf(files, { allowedModels })).toEqual(
        message === null ? [] : [`prompts/p.yaml:3: ${message}`],
      );
    },
  );

  test("with another prompt's name is rejected at the line of the name", async () => {
    expect(await problemsOf({ ...suiteFiles(), 'prompts/q.yaml': PROMPT })).toEqual([
      'prompts/q.yaml:2: the name "p" is already used by prompts/p.yaml; give one of them another name',
    ]);
  });
});

describe('n_tries', () => {
  const message =
    /^(?:evaldiff\.yaml:2|prompts\/tests\/p\.yaml:1): n_tries must be a whole number from 1 to 50/;
  test.each(['0', '-1', '1.5', '1000', '"3"', '[1]', 'often'])(
    '%s is rejected in the settings and in a test file',
    async (value) => {
      for (const files of [
        settings(`seed: 1\nn_tries: ${value}\n`),
        tests(`n_tries: ${value}\n${TESTS}`),
      ])
        expect(await problemsOf(files)).toEqual([expect.stringMatching(message)]);
    },
  );

  test.each(['1', '50', 'adaptive'])('%s is accepted', async (value) => {
    expect(await problemsOf(settings(`n_tries: ${value}\n`))).toEqual([]);
  });

  test('is suggested for the misspelt key ntries', async () => {
    expect(await problemsOf(settings('ntries: 3\n'))).toEqual([
      'evaldiff.yaml:1: unknown key "ntries"; did you mean "n_tries"?',
    ]);
  });
});

describe('gate', () => {
  const gated = (lines: string, more = METRIC) => ({
    ...suiteFiles(PROMPT, `${more}references: []\n`),
    'evaldiff.yaml': `seed: 1\ngate:\n${lines}\n`,
  });
  const METRIC =
    'metrics: [{ name: tone, code: "metric = 1\\nresult = True" }, { uses: latency }, { uses: rouge_l, name: near }]\n';

  const direction = (name: string) =>
    `gate.metrics: it is unknown which values of "${name}" are better; add better: higher or better: lower to the metric`;
  const single =
    'gate.unit is references, which combines several tries of each reference, but n_tries is 1: set n_tries to 2 or more, or unit to tries';
  test.each([
    [
      'with an unknown metric',
      gated('  metrics:\n    latncy: fail'),
      'evaldiff.yaml:4: gate.metrics: there is no metric "latncy"; did you mean "latency"?',
    ],
    [
      'with a map entry without a direction',
      gated('  metrics: { tone.user: fail }'),
      `evaldiff.yaml:3: ${direction('tone.user')}`,
    ],
    [
      'with a metric without a direction',
      gated('  metrics: { latency: fail, tone: fail }'),
      `evaldiff.yaml:3: ${direction('tone')}`,
    ],
    [
      'with an unknown action for a metric',
      gated('  metrics: { near: error }'),
      'evaldiff.yaml:3: gate.metrics.near must be one of fail, warn, ignore',
    ],
    [
      'of a suite with an unknown metric',
      gated('  alpha: 0.05', `${METRIC}gate: { metrics: { nera: warn } }\n`),
      'prompts/tests/p.yaml:2: gate.metrics: there is no metric "nera"; did you mean "near"?',
    ],
    [
      'that compares roll-ups of a single try',
      { ...gated(''), 'evaldiff.yaml': 'n_tries: 1\ngate:\n  unit: references\n' },
      `evaldiff.yaml:3: ${single}`,
    ],
    [
      'of a suite that compares roll-ups of a single try',
      gated('  alpha: 0.05', `${METRIC}n_tries: 1\ngate: { unit: references }\n`),
      `prompts/tests/p.yaml:3: ${single}`,
    ],
    [
      'with an unknown unit',
      gated('  unit: refs'),
      'evaldiff.yaml:3: gate.unit must be one of tries, references',
    ],
  ])('%s is rejected', async (_, files, problem) => {
    expect(await problemsOf(files)).toEqual([problem]);
  });

  test('may ignore a metric where neither higher nor lower is better, and may count references instead of tries', async () => {
    expect(
      await problemsOf(gated('  metrics: { tone: ignore, latency: fail, near: warn }')),
    ).toEqual([]);
    expect(await problemsOf(gated('  unit: references'))).toEqual([]);
  });
});

describe('test file', () => {
  test('with an unknown rubric is reported unless the rubric file itself is invalid', async () => {
    const problems = (rubric: string) =>
      problemsOf({
        ...metric('{ name: m, rubric: polite }'),
        'evaldiff.yaml': 'grader: g',
        'prompts/z.yaml': 'name: [',
        'rubrics/r.yaml': rubric,
      });
    expect(await problems('other: { prompt: "{content}", choice_scores: { A: 1 } }')).toEqual([
      expect.stringContaining('prompts/z.yaml'),
      expect.stringContaining('there is no rubric "polite"'),
    ]);
    expect(await problems('polite: { prompt: "{content}" }')).toEqual([
      expect.stringContaining('rubrics/r.yaml:1'),
      expect.stringContaining('prompts/z.yaml'),
    ]);
  });

  const flaky = (id: string, until: string) =>
    `${TESTS}quarantine:\n  - { id: ${id}, reason: flaky, until: ${until} }\n`;
  test.each([
    ['that is a list', '- a', ':1: must be a map with metrics and references'],
    [
      "with a map as a reference's value",
      TESTS.replace('{ a: one }', '{ a: { b: 1 } }'),
      ':4: references[0].input.a must be text, a number or true/false',
    ],
    [
      "with a list as a reference's value",
      TESTS.replace('{ a: one }', '{ a: [1] }'),
      ':4: references[0].input.a must be text, a number or true/false',
    ],
    [
      'with an unknown key in a reference',
      TESTS.replace('expected: one', 'expect: one'),
      ':5: unknown key "expect" in references[0]; did you mean "expected"?',
    ],
    [
      'with a duplicate id',
      `${TESTS.replace('- input', '- id: x\n    input')}  - { id: x, input: { a: two }, expected: two }\n`,
      ':7: the reference id "x" is already on line 4',
    ],
    [
      'with an unknown roll-up',
      `metrics_rollup: { name: majorety }\n${TESTS}`,
      ':1: metrics_rollup: there is no roll-up "majorety"; did you mean "majority"?; for your own rule, add code',
    ],
    [
      'with at_least without k',
      `metrics_rollup: { name: at_least }\n${TESTS}`,
      ':1: metrics_rollup: at_least needs k, the number of passes',
    ],
    [
      'with a pass rate in percent',
      `metrics_rollup: { name: pass_rate, min: 80 }\n${TESTS}`,
      ':1: metrics_rollup.min must be a number from 0 to 1',
    ],
    [
      'with k beside code',
      `metrics_rollup: { name: mine, k: 2, code: "result = True" }\n${TESTS}`,
      ':1: metrics_rollup: k is only for at_least',
    ],
    [
      'without a metric',
      'references: [{ input: { a: 1 } }]',
      ': needs at least one metric, because nothing is judged otherwise',
    ],
    [
      'with an unknown key',
      `${TESTS}metric: []\n`,
      ':6: unknown key "metric"; did you mean "metrics"?',
    ],
    [
      'with a quarantine of an unknown reference',
      flaky('x', '2026-12-01'),
      ':7: quarantine[0]: there is no reference "x"; known are fef5a0a1b5',
    ],
    [
      'with a quarantine until an invalid date',
      flaky('x', '2026-02-30'),
      ':7: quarantine[0].until must be a date like 2026-01-31',
    ],
  ])('%s is rejected', async (_, text, problem) => {
    const found = await problemsOf(tests(text));
    expect(
      found.map((line) => line.replace(/known are [0-9a-f]{10}/, 'known are fef5a0a1b5')),
    ).toEqual([`prompts/tests/p.yaml${problem}`]);
  });

  const shown = 'to show a metric without an effect on the verdict, write skip: true';
  const NO_PARAMETERS =
    'parameters are only for uses; write threshold, min, max, better, pass or grader beside the rubric or the code';
  const needsOne = '2: metric "m": needs exactly one of uses, rubric and code';
  test.each<[string, string, Record<string, string>?]>([
    [
      '{ name: m, uses: exact_match }\n  - { name: n, uses: exact_match }\n  - { name: m, uses: is_json }',
      '4: the metric "m" is already on line 2',
    ],
    ['{ name: m, uses: exact_match, code: "result = True" }', needsOne],
    ['{ name: m }', needsOne],
    [
      '{ name: m, uses: exact_mach }',
      '2: metric "m": there is no built-in metric "exact_mach"; did you mean "exact_match"?',
    ],
    [
      'name: m\n    uses: exact_match\n    with:\n      ignore_cases: true',
      '5: metric "m": with.ignore_cases is not a parameter of exact_match; did you mean "ignore_case"?',
    ],
    ['name: m\n    rubric: yea\n    kwargs:\n      treshold: 1', `4: metric "m": ${NO_PARAMETERS}`],
    [
      'name: m\n    code: "result = True"\n    with: { limit: 3 }',
      `4: metric "m": ${NO_PARAMETERS}`,
    ],
    [
      '{ name: m, uses: latency, better: higher }',
      '2: metric "m": for latency, lower values are always better; remove this key',
    ],
    [
      '{ name: m, uses: is_json, pass: [A] }',
      '2: metric "m": pass is only for the labels of a rubric; for numbers, use min, max or threshold',
    ],
    [
      '{ name: m, rubric: yea, pass: [A], max: 0.5 }',
      '2: metric "m": pass and max both define what passes; keep one of them',
    ],
    [
      '{ name: m, rubric: yea, threshold: 0.5, min: 0.5 }',
      '2: metric "m": threshold cannot be combined with min or max; keep one of them',
    ],
    [
      '{ name: m, uses: levenshtein, threshold: 80 }',
      `2: metric "m": threshold: every value fails (values: 0 to 1); ${shown}`,
    ],
    [
      'name: m\n    uses: levenshtein\n    threshold: -1',
      `4: metric "m": threshold: every value passes (values: 0 to 1); ${shown}`,
    ],
    [
      '{ name: m, uses: exact_match, min: 0.2, max: 0.8 }',
      `2: metric "m": min: every value fails (values: 0 or 1); ${shown}`,
    ],
    [
      '{ name: m, uses: latency, max: -1 }',
      `2: metric "m": max: every value fails (values: 0 and up, milliseconds); ${shown}`,
    ],
    [
      '{ name: m, uses: finish_reason, threshold: 0.5 }',
      '2: metric "m": threshold: its values are one of the six words, so it cannot have a bound',
    ],
    [
      '{ name: m, rubric: yea, min: 80 }',
      `2: metric "m": every value fails (values: 1 or 0.5 or 0); ${shown}`,
    ],
    [
      '{ name: m, rubric: yea, min: 1, max: 0 }',
      '2: metric "m": max 0 is below min 1, so nothing can pass',
    ],
    [
      '{ name: m, rubric: yea, pass: [a] }',
      '2: metric "m": pass names "a", which is not a label; did you mean "A"?',
    ],
    [
      '{ name: m, rubric: yea, pass: [F] }',
      '2: metric "m": better: lower contradicts pass: "F" (1) passes, but "A" (0), which is better, does not',
    ],
    ['{ type: equals }', '2: unknown key "type" in metrics[0]; write uses: exact_match'],
    ['{ type: icontains }', '2: unknown key "type" in metrics[0]; write uses: contains'],
    ['{ type: is-json }', '2: unknown key "type" in metrics[0]; write uses: is_json'],
    [
      '{ type: webhook }',
      '2: unknown key "type" in metrics[0]; name the metric with uses, rubric or code',
    ],
    ['{ name: m, rubric: yae }', '2: metric "m": there is no rubric "yae"; did you mean "yea"?'],
    [
      '{ name: m, rubric: yea }',
      '2: metric "m" needs a grader: name a model in the settings file, grader: { model: … }',
      { 'evaldiff.yaml': 'seed: 1' },
    ],
  ])('with the metric %j is rejected', async (lines, problem, more = {}) => {
    const files = { ...metric(lines), ...RUBRICS, ...more };
    expect(await problemsOf(files)).toEqual([`prompts/tests/p.yaml:${problem}`]);
  });

  test("with a regular expression that the engine does not support is reported at the metric's line", async () => {
    expect(
      await problemsOf(metric('name: m\n    uses: regex\n    with: { pattern: "a(?=b)" }')),
    ).toEqual([expect.stringMatching(/^prompts\/tests\/p\.yaml:4: metric "m": .*\(\?=/)]);
  });

  test.each([
    [
      '{ input: { b: 2 }, expected: two }',
      'the reference has no value for {a}: add it to its input, or remove it from the prompt',
    ],
    ['{ input: { a: two } }', 'the reference has no expected value, but metric exact needs one'],
  ])('with the invalid reference %s keeps its other references', async (written, problem) => {
    const { project, problems } = await read(tests(`${TESTS}  - ${written}\n`));
    expect(problems).toEqual([]);
    expect(project.suites[0]?.tests.references).toMatchObject([
      { place: { line: 4 }, problem: null },
      { place: { line: 6 }, problem },
    ]);
  });

  test('with more references than the limit is rejected', async () => {
    const METRICS = 'metrics: [{ name: m, uses: is_json }]\n';
    const list = (count: number) =>
      tests(`${METRICS}references:\n${'  - { input: { a: 1 } }\n'.repeat(count)}`);
    expect(await problemsOf(list(5000))).toEqual([]);
    expect(await problemsOf(list(6000))).toEqual([
      'prompts/tests/p.yaml: has 6000 references; the limit is 5000. Move them into a JSONL or CSV file (references_from)',
    ]);
  });
});

describe('defaults entry', () => {
  const to = (entry: string, more: Record<string, string> = {}) => ({
    ...prompt((text) => text.replace('tests/p', entry)),
    ...more,
  });

  test.each([
    ['"../../.git/config"', '../../.git/config'],
    ['../other/tests/p', '../other/tests/p'],
    ['tests/../../x', 'tests/../../x'],
  ])('%s is rejected because it leaves the prompts folder', async (entry, shown) => {
    expect(
      await problemsOf(to(entry, { 'other/tests/p.yaml': TESTS, '.git/config': 'a: 1' })),
    ).toEqual([`prompts/p.yaml:1: ${shown} is outside the prompts folder`]);
  });

  test.each([
    '/etc/passwd',
    "'C:\\x'",
    'C:/x',
    'https://evil.example/x',
    'pkg://x',
    '"%2e%2e/x"',
    '"tests/\\u0085p"'.replace('\\u0085', '\\t'),
    '~/x',
    '"{a: 1}"'.slice(1, -1),
    'tests//p',
    '""',
    '3',
    'null',
    '[tests/p]',
  ])('%s is rejected because it is not a relative path', async (entry) => {
    expect(await problemsOf(to(entry))).toEqual([
      'prompts/p.yaml:1: defaults must be a relative path like tests/name',
    ]);
  });

  test('with backslashes is rejected with the correct spelling', async () => {
    expect(await problemsOf(to("'tests\\p'"))).toEqual([
      'prompts/p.yaml:1: defaults must be a relative path like tests/name; write it with forward slashes: tests/p',
    ]);
  });

  test('to a missing file is an error that names the commit', async () => {
    expect(await problemsOf(to('tests/math'))).toEqual([
      'prompts/p.yaml:1: prompts/tests/math.yaml does not exist at abc1234',
    ]);
  });

  test('in a cycle is reported with the whole cycle', async () => {
    const files = {
      'prompts/a.yaml': 'defaults: [b]\nname: a',
      'prompts/b.yaml': 'defaults: [a]\nname: b',
    };
    expect(await problemsOf(files)).toEqual([
      'prompts/b.yaml:1: defaults form a cycle: prompts/a.yaml -> prompts/b.yaml -> prompts/a.yaml',
      'prompts/a.yaml:1: defaults form a cycle: prompts/b.yaml -> prompts/a.yaml -> prompts/b.yaml',
    ]);
    expect(
      await problemsOf(to('tests/p', { 'prompts/tests/p.yaml': `defaults: p\n${TESTS}` })),
    ).toEqual([
      'prompts/tests/p.yaml:1: defaults form a cycle: prompts/tests/p.yaml -> prompts/tests/p.yaml',
    ]);
  });

  test('can include up to 100 files', async () => {
    const chain = (length: number) => {
      const files = Array.from({ length }, (_, index): [string, string] => [
        `prompts/tests/${index === 0 ? 'p' : String(index)}.yaml`,
        index === length - 1 ? TESTS : `defaults: ["${index + 1}"]\n`,
      ]);
      return { 'prompts/p.yaml': PROMPT, ...Object.fromEntries(files) };
    };
    expect(await problemsOf(chain(100))).toEqual([]);
    expect(await problemsOf(chain(101))).toEqual([
      'prompts/tests/99.yaml:1: defaults include more than 100 files',
    ]);
  });

  test.each<[Record<string, 'symbolic link' | 'submodule'>, string]>([
    [
      { 'prompts/tests/p.yaml': 'symbolic link' },
      'prompts/p.yaml:1: prompts/tests/p.yaml is a symbolic link; only regular files are read',
    ],
    [
      { 'prompts/tests': 'submodule' },
      'prompts/p.yaml:1: prompts/tests/p.yaml is below prompts/tests, a submodule; only regular files are read',
    ],
  ])('to a symbolic link or submodule is rejected: %j', async (links, problem) => {
    const found = async (irregular: typeof links) =>
      (
        await readProject(treeOf({ 'prompts/p.yaml': PROMPT }, irregular), optionsOf(), tools)
      ).problems.map(formatProblem);
    expect(await found(links)).toEqual([problem]);
    expect(await found({ 'prompts/x.yaml': 'symbolic link', ...links })).toContain(
      'prompts/x.yaml: is a symbolic link; only regular files are read',
    );
  });
});

describe('rubric file', () => {
  const rubric = (text: string) => ({ ...suiteFiles(), 'rubrics/r.yaml': text });
  const body = (text: string, more = '  choice_scores: { YES: 1, NO: 0 }') =>
    rubric(`polite:\n  prompt: |\n    Judge this.\n    ${text}\n${more}\n`);

  const noScores = 'the rubric "polite": choice_scores must map at least one label to a number';
  const key =
    'may only be set in the workflow (inputs openai-api-key, anthropic-api-key, … and endpoints)';
  test.each([
    ['without choice_scores', body('{content}', '  notes: x'), `1: ${noScores}`],
    ['with an empty choice_scores', body('{content}', '  choice_scores: {}'), `5: ${noScores}`],
    [
      'with a score that is text',
      body('{content}', '  choice_scores: { YES: good }'),
      '5: polite.choice_scores.YES must be a number',
    ],
    [
      'with {turn} and {completion}',
      body('{turn} {completion}'),
      '4: {turn} and {completion} cannot be used together',
    ],
    [
      'with {conversation} and {context}',
      body('{context}\n    {conversation}'),
      '5: {conversation} and {context} cannot be used together',
    ],
    [
      'with an unknown keyword',
      body('{contents}'),
      '4: {contents} is not a keyword; did you mean "content"?; write {{contents}} if you mean the literal text',
    ],
    [
      'without a prompt',
      rubric('polite:\n  choice_scores: { YES: 1 }'),
      '1: polite: "prompt" is missing',
    ],
    [
      'with an unknown key',
      rubric(
        'polite:\n  prompt: "{content}"\n  choice_score: { YES: 1 }\n  choice_scores: { YES: 1 }',
      ),
      '3: unknown key "choice_score" in polite; did you mean "choice_scores"?',
    ],
    [
      'with an API key',
      rubric('polite:\n  prompt: "{content}"\n  api_key: x\n  choice_scores: { YES: 1 }'),
      `3: "api_key" ${key}`,
    ],
    [
      'that is text',
      rubric('polite'),
      '1: must be a map of rubric name to prompt and choice_scores',
    ],
    [
      'with a rubric that is text',
      rubric('polite: yes'),
      '1: polite must be a map with prompt and choice_scores',
    ],
  ])('%s is rejected', async (_, files, problem) => {
    const found = (await problemsOf(files)).filter((each) => !each.includes('one of prompt'));
    expect(found).toEqual([`rubrics/r.yaml:${problem}`]);
  });

  const of = 'the rubric "polite":';
  test.each([
    ['better: up', '6: polite.better must be one of higher, lower, none'],
    ['pass: [YSE]', `6: ${of} pass names "YSE", which is not a label; did you mean "YES"?`],
    [
      'better: lower\n  pass: YES',
      `7: ${of} better: lower contradicts pass: "YES" (1) passes, but "NO" (0), which is better, does not`,
    ],
    [
      'pass: YES\n  threshold: 1',
      `7: ${of} pass and threshold both define what passes; keep one of them`,
    ],
    ['threshold: 2', `6: ${of} with threshold 2 no label passes; the scores are 1, 0`],
    [
      'better: lower\n  threshold: 1',
      `7: ${of} with threshold 1 every label passes; the scores are 1, 0`,
    ],
    [
      'examples:\n    - { content: hi, expected: MAYBE }',
      '7: the example\'s expected "MAYBE" is not a label of the rubric (YES, NO)',
    ],
  ])('with the line %j is rejected', async (line, problem) => {
    const files = body('{content}', `  choice_scores: { YES: 1, NO: 0 }\n  ${line}`);
    expect(await problemsOf(files)).toEqual([`rubrics/r.yaml:${problem}`]);
  });

  test('with the name of another rubric is rejected', async () => {
    const text = '\npolite: { prompt: "{content}", choice_scores: { YES: 1 } }';
    const files = { ...suiteFiles(), 'rubrics/a.yaml': text, 'rubrics/b.yaml': text };
    expect(await problemsOf(files)).toEqual([
      'rubrics/b.yaml:2: the rubric "polite" is already in rubrics/a.yaml, line 2',
    ]);
  });
});

describe('files and patterns', () => {
  const relative = 'must be a relative pattern like prompts/*.yaml';
  test.each([
    [
      "prompts: ['.\\prompts\\*.yaml']",
      `.\\prompts\\*.yaml ${relative}; write it with forward slashes: prompts/*.yaml`,
    ],
    ["prompts: ['C:\\prompts\\*.yaml']", `C:\\prompts\\*.yaml ${relative}`],
    ['prompts: [../x/*.yaml]', '../x/*.yaml is outside the repository'],
    ['rubrics: /etc/*.yaml', `/etc/*.yaml ${relative}`],
    ['prompts: "*a*a*a*a*a.yaml"', '*a*a*a*a*a.yaml has too many wildcards'],
    ['prompts: prompts/q.yaml', 'prompts/q.yaml does not exist at abc1234'],
  ])('in the settings are rejected if invalid: %s', async (text, problem) => {
    expect(await problemsOf(settings(text))).toEqual([`evaldiff.yaml:1: ${problem}`]);
  });

  test('without a matching file cause a notice', async () => {
    expect(await read(settings('prompts: other/*.yaml'))).toMatchObject({
      problems: [],
      notices: ['evaldiff.yaml:1: other/*.yaml matches no file'],
    });
  });

  test('of several megabytes are rejected without reading them', async () => {
    const large = {
      ...treeOf(suiteFiles()),
      // Like git trees, which do not load files above the limit.
      read: (path: string, most = Infinity) =>
        Promise.reject(
          most < 3_000_000
            ? new UserError([
                problem({ file: path, line: 0 }, `is 3000000 bytes; the limit is ${most}`),
              ])
            : new Error('read'),
        ),
    };
    const { problems } = await readProject(large, optionsOf(), tools);
    expect(problems.map(formatProblem)).toEqual([
      'prompts/p.yaml: is 3000000 bytes; the limit is 1048576',
    ]);
  });
});

test('all problems of all files are reported together', async () => {
  const problems = await problemsOf({
    'evaldiff.yaml': 'n_tries: 0\ngates: {}\nrubrics: ../r\n',
    'prompts/a.yaml':
      'name: a\nmessages: [{ role: robot, content: "{x}" }]\ndefaults: [tests/none]\n',
    'prompts/b.yaml': 'name: [\n',
    'prompts/c.yaml': PROMPT.replace('name: p', 'name: c').replace('tests/p', 'tests/c'),
    'prompts/tests/c.yaml':
      'metrics: [{ name: m, uses: nope_at_all }]\nreferences: [{ input: 3 }, { inputs: {} }]\nn_tries: 99\n',
  });
  expect(problems).toEqual([
    expect.stringContaining('evaldiff.yaml:2: unknown key "gates"; did you mean "gate"?'),
    expect.stringContaining('evaldiff.yaml:1: n_tries must be'),
    'evaldiff.yaml:3: ../r is outside the repository',
    'prompts/a.yaml:3: prompts/tests/none.yaml does not exist at abc1234',
    expect.stringContaining('prompts/b.yaml:2: is not valid YAML'),
    expect.stringContaining('prompts/tests/c.yaml:3: n_tries must be'),
    expect.stringContaining(
      'prompts/tests/c.yaml:2: references[0].input must be a map of variables',
    ),
    expect.stringContaining(
      'prompts/tests/c.yaml:2: unknown key "inputs" in references[1]; did you mean "input"?',
    ),
    expect.stringContaining(
      'prompts/tests/c.yaml:1: metric "m": there is no built-in metric "nope_at_all"',
    ),
  ]);
});
