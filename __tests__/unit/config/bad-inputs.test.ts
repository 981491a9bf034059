import { describe, expect, test } from '@jest/globals';
import { readProject } from '../../../src/config/project.ts';
import { formatProblem, problem, UserError } from '../../../src/errors.ts';
import { PROMPT, TESTS, problemsOf, read, suiteFiles, treeOf, optionsOf, tools } from './tree.ts';

const prompt = (change: (text: string) => string) => suiteFiles(change(PROMPT));
const tests = (text: string) => suiteFiles(PROMPT, text);
const withLine = (line: string) =>
  prompt((text) => text.replace('temperature: 0\n', `temperature: 0\n${line}\n`));
const settings = (text: string) => ({ ...suiteFiles(), 'evaldiff.yaml': text });
const metric = (lines: string, more: Record<string, string> = {}) => ({
  ...tests(`metrics:\n${lines}\nreferences: []\n`),
  ...more,
});
const RUBRICS = {
  'evaldiff.yaml': 'grader: gpt-4o',
  'rubrics/r.yaml':
    'yea: { prompt: "{content}", choice_scores: { F: 1, C: 0.5, A: 0 }, better: lower }',
};

describe('a prompt file', () => {
  test.each<[string, Record<string, string>, string]>([
    [
      'that is text',
      suiteFiles('hello'),
      'prompts/p.yaml:1: must be a map with name, model and messages',
    ],
    [
      'that is a list',
      suiteFiles('\n- a'),
      'prompts/p.yaml:2: must be a map with name, model and messages',
    ],
    [
      'with braces without quotes',
      prompt((text) => text.replace('"Say {a}."', '{a}')),
      'prompts/p.yaml:9: messages[0].content must be text; put {a} in quotes',
    ],
    [
      'with a misspelt key',
      prompt((text) => text.replace('messages:', 'mesages:')),
      'prompts/p.yaml:7: unknown key "mesages"; did you mean "messages"?',
    ],
    [
      'with a misspelt parameter',
      withLine('temprature: 1'),
      'prompts/p.yaml:5: unknown key "temprature"; did you mean "temperature"?',
    ],
    [
      'with a map under an unknown key',
      withLine('options_of_ours: { a: 1 }'),
      'prompts/p.yaml:5: unknown key "options_of_ours": a model parameter is text, a number or true/false; maps and lists are passed on for stop, stop_sequences, stop_token_ids, response_format, tools, tool_choice, functions, function_call and their like',
    ],
    [
      'without a name',
      prompt((text) => text.replace('name: p\n', '')),
      'prompts/p.yaml: "name" is missing',
    ],
    [
      'without a model',
      prompt((text) => text.replace('model: gpt-4o\n', '')),
      'prompts/p.yaml: "model" is missing',
    ],
    [
      'with a temperature in words',
      prompt((text) => text.replace('temperature: 0', 'temperature: "hot"')),
      'prompts/p.yaml:4: temperature must be a number',
    ],
    [
      'with an empty parameter',
      withLine('max_tokens:'),
      'prompts/p.yaml:5: max_tokens has no value; give it one or remove the key',
    ],
    [
      'with an unknown role',
      prompt((text) => text.replace('role: human', 'role: robot')),
      'prompts/p.yaml:8: messages[0].role must be one of system, human, user, ai, assistant',
    ],
    [
      'with both prompt and messages',
      withLine('prompt: { content: x }'),
      'prompts/p.yaml: needs exactly one of messages, prompt and code',
    ],
    [
      'with nothing to send',
      prompt((text) => text.slice(0, text.indexOf('messages:'))),
      'prompts/p.yaml: needs exactly one of messages, prompt and code',
    ],
    [
      'without a message',
      prompt((text) => `${text.slice(0, text.indexOf('messages:'))}messages: []\n`),
      'prompts/p.yaml:7: messages must not be empty',
    ],
    [
      'with an undeclared variable',
      prompt((text) => text.replace('Say {a}.', 'Say {a} in {country}.')),
      'prompts/p.yaml:9: {country} is not in variables; declare it, or write {{country}} where the text itself is meant',
    ],
    [
      'with an undeclared variable deep in a block',
      prompt((text) =>
        text.replace('"Say {a}."', '|\n      {a}\n      {{country}}\n      {country}'),
      ),
      'prompts/p.yaml:12: {country} is not in variables; declare it, or write {{country}} where the text itself is meant',
    ],
    [
      'with a variable called a.b',
      prompt((text) => text.replace('- name: a', '- name: a.b').replace('{a}', 'a')),
      'prompts/p.yaml:6: variables[0]: a variable name is letters, digits and _, and does not start with a digit',
    ],
    [
      'with a variable called 0',
      prompt((text) => text.replace('- name: a', '- name: "0"').replace('{a}', 'a')),
      'prompts/p.yaml:6: variables[0]: a variable name is letters, digits and _, and does not start with a digit',
    ],
    [
      'with a variable called a-b',
      prompt((text) => text.replace('- name: a', '- a-b').replace('{a}', 'a')),
      'prompts/p.yaml:6: variables[0]: a variable name is letters, digits and _, and does not start with a digit',
    ],
    [
      'with a variable twice',
      prompt((text) => text.replace('  - name: a\n', '  - name: a\n  - a\n')),
      'prompts/p.yaml:7: the variable "a" is already on line 6',
    ],
    [
      'with an address',
      withLine('base_url: https://evil.example/v1'),
      'prompts/p.yaml:5: "base_url" may only be set in the workflow (input endpoints)',
    ],
    [
      'with an address in another spelling',
      withLine('apiBase: https://evil.example/v1'),
      'prompts/p.yaml:5: "apiBase" may only be set in the workflow (input endpoints)',
    ],
    [
      'with headers',
      withLine('headers: { Authorization: x }'),
      'prompts/p.yaml:5: "headers" may only be set in the workflow (input endpoints)',
    ],
    [
      'with an organization',
      withLine('organization: org-1'),
      'prompts/p.yaml:5: "organization" may only be set in the workflow (input endpoints)',
    ],
    [
      'with a proxy',
      withLine('https_proxy: http://evil.example'),
      'prompts/p.yaml:5: "https_proxy" may only be set in the workflow (input endpoints)',
    ],
    [
      'with a key',
      withLine('api_key: sk-1'),
      'prompts/p.yaml:5: "api_key" may only be set in the workflow (inputs openai-api-key, anthropic-api-key, … and endpoints)',
    ],
    [
      'with the name of a key',
      withLine('api_key_env: OTHER_KEY'),
      'prompts/p.yaml:5: "api_key_env" may only be set in the workflow (inputs openai-api-key, anthropic-api-key, … and endpoints)',
    ],
    [
      'with a provider',
      withLine('provider: anthropic'),
      'prompts/p.yaml:5: "provider" belongs in the settings file, under models',
    ],
    [
      'with streaming',
      withLine('stream: true'),
      'prompts/p.yaml:5: "stream" must be false: answers are read whole',
    ],
    [
      'with an interpolation',
      withLine('user: ${oc.env:KEY}'),
      'prompts/p.yaml:5: ${oc.env:...} is not supported; values are taken as written',
    ],
  ])('%s', async (_, files, problem) => {
    expect(await problemsOf(files)).toEqual([problem]);
  });

  test('that declares a variable without using it runs, with a notice', async () => {
    const { problems, notices } = await read(
      prompt((text) => text.replace('  - name: a\n', '  - name: a\n  - name: b\n')),
    );
    expect(problems).toEqual([]);
    expect(notices).toEqual([
      'prompts/p.yaml:7: the variable "b" is declared but no message uses it',
    ]);
  });

  test('that names a model outside of allowed-models is refused at its line', async () => {
    expect(await problemsOf(suiteFiles(), { allowedModels: ['gpt-4o-mini'] })).toEqual([
      'prompts/p.yaml:3: model "gpt-4o" is not in allowed-models',
    ]);
    expect(await problemsOf(suiteFiles(), { allowedModels: ['gpt-4o'] })).toEqual([]);
  });

  test('cannot reach another model by giving it an allowed name', async () => {
    const files = settings('models: { gpt-4o: { provider: openai, model: gpt-9-large } }');
    expect(await problemsOf(files, { allowedModels: ['gpt-4o'] })).toEqual([
      'prompts/p.yaml:3: model "gpt-4o" stands for "gpt-9-large", which is not in allowed-models',
    ]);
  });

  test.each<[string, string, string[], string | null]>([
    ["a vendor's name at that vendor", '{ provider: openai }', ['gpt-4o'], null],
    ['a place and a name', '{ provider: openai, endpoint: azure }', ['azure:gpt-4o'], null],
    [
      'another place',
      '{ provider: openai }',
      ['azure:gpt-4o'],
      'model "gpt-4o" is not in allowed-models',
    ],
    [
      "a vendor's name at another server",
      '{ provider: openai, endpoint: azure }',
      ['gpt-4o'],
      'model "gpt-4o" asks "gpt-4o" at azure, and "gpt-4o" in allowed-models covers openai alone; the workflow can allow azure:gpt-4o',
    ],
    [
      "a vendor's name at another vendor",
      '{ provider: anthropic }',
      ['gpt-4o'],
      'model "gpt-4o" asks "gpt-4o" at anthropic, and "gpt-4o" in allowed-models covers openai alone; the workflow can allow anthropic:gpt-4o',
    ],
    [
      'recordings under an allowed name',
      '{ provider: replay, file: invented.jsonl }',
      ['gpt-4o'],
      'model "gpt-4o" is a recording, and allowed-models does not have replay:gpt-4o',
    ],
    ['recordings that are allowed', '{ provider: replay, file: r.jsonl }', ['replay:gpt-4o'], null],
    [
      'a program under an allowed name',
      '{ provider: program, command: [node, app.mjs] }',
      ['gpt-4o'],
      'model "gpt-4o" is a program, and allowed-models does not have program:gpt-4o',
    ],
    [
      'any other name that is asked at one place',
      '{ provider: openai, endpoint: local, model: llama3 }',
      ['llama3'],
      null,
    ],
    [
      'any other name that is asked at several',
      '{ provider: openai, endpoint: local, model: llama3 }\n  b: { provider: openai, endpoint: far, model: llama3 }',
      ['llama3'],
      'model "gpt-4o": "llama3" in allowed-models could be any of local:llama3, far:llama3; the workflow has to name the one that it means',
    ],
  ])(
    'is held to where allowed-models says a model is asked: %s',
    async (_what, entry, allowed, message) => {
      const files = settings(`models:\n  gpt-4o: ${entry}\n`);
      expect(await problemsOf(files, { allowedModels: allowed })).toEqual(
        message === null ? [] : [`prompts/p.yaml:3: ${message}`],
      );
    },
  );

  test('cannot reach a model by the name of one that it replaces', async () => {
    const files = settings(
      'models:\n  dear: { provider: openai, model: gpt-9-large, replaces: gpt-4o }\n',
    );
    expect(await problemsOf(files, { allowedModels: ['gpt-4o'] })).toEqual([
      'prompts/p.yaml:3: model "gpt-4o" stands for "gpt-9-large", which is not in allowed-models',
    ]);
  });

  test('with the name of another is refused at its name', async () => {
    const files = { ...suiteFiles(), 'prompts/q.yaml': PROMPT };
    expect(await problemsOf(files)).toEqual([
      'prompts/q.yaml:2: the name "p" is already used by prompts/p.yaml',
    ]);
  });
});

describe('n_tries', () => {
  test.each(['0', '-1', '1.5', '1000', '"3"', '[1]', 'often'])(
    'of %s is refused in the settings and in a test file',
    async (value) => {
      expect(await problemsOf(settings(`seed: 1\nn_tries: ${value}\n`))).toEqual([
        expect.stringMatching(/^evaldiff\.yaml:2: n_tries must be a whole number from 1 to 50/),
      ]);
      expect(await problemsOf(tests(`n_tries: ${value}\n${TESTS}`))).toEqual([
        expect.stringMatching(
          /^prompts\/tests\/p\.yaml:1: n_tries must be a whole number from 1 to 50/,
        ),
      ]);
    },
  );

  test.each(['1', '50', 'adaptive'])('of %s is accepted', async (value) => {
    expect(await problemsOf(settings(`n_tries: ${value}\n`))).toEqual([]);
  });

  test('is what a file that says ntries is pointed to', async () => {
    expect(await problemsOf(settings('ntries: 3\n'))).toEqual([
      'evaldiff.yaml:1: unknown key "ntries"; did you mean "n_tries"?',
    ]);
  });
});

describe('a gate', () => {
  const gated = (lines: string, more = METRIC) => ({
    ...suiteFiles(PROMPT, `${more}references: []\n`),
    'evaldiff.yaml': `seed: 1\ngate:\n${lines}\n`,
  });
  const METRIC =
    'metrics: [{ name: tone, code: "metric = 1\\nresult = True" }, { uses: latency }, { uses: rouge_l, name: near }]\n';

  test.each<[string, Record<string, string>, string]>([
    [
      'that names a metric which no suite has',
      gated('  metrics:\n    latncy: fail'),
      'evaldiff.yaml:4: gate.metrics: there is no metric "latncy"; did you mean "latency"?',
    ],
    [
      'that names an entry of a map of which nothing says what is worse',
      gated('  metrics: { tone.user: fail }'),
      'evaldiff.yaml:3: gate.metrics: nothing says which way "tone.user" gets worse; say better: higher or better: lower beside the metric',
    ],
    [
      'over a metric of which nothing says what is worse',
      gated('  metrics: { latency: fail, tone: fail }'),
      'evaldiff.yaml:3: gate.metrics: nothing says which way "tone" gets worse; say better: higher or better: lower beside the metric',
    ],
    [
      'that does something else with a metric',
      gated('  metrics: { near: error }'),
      'evaldiff.yaml:3: gate.metrics.near must be one of fail, warn, ignore',
    ],
    [
      'of one suite that names a metric of another',
      gated('  alpha: 0.05', `${METRIC}gate: { metrics: { nera: warn } }\n`),
      'prompts/tests/p.yaml:2: gate.metrics: there is no metric "nera"; did you mean "near"?',
    ],
    [
      'that compares the roll-ups of a single try',
      {
        ...gated('  unit: references'),
        'evaldiff.yaml': 'n_tries: 1\ngate:\n  unit: references\n',
      },
      'evaldiff.yaml:3: gate.unit is references, which compares what the roll-up makes of several tries, and n_tries is 1: set n_tries to 2 or more, or unit: tries',
    ],
    [
      'of one suite that compares the roll-ups of a single try',
      gated('  alpha: 0.05', `${METRIC}n_tries: 1\ngate: { unit: references }\n`),
      'prompts/tests/p.yaml:3: gate.unit is references, which compares what the roll-up makes of several tries, and n_tries is 1: set n_tries to 2 or more, or unit: tries',
    ],
    [
      'with an unknown unit',
      gated('  unit: refs'),
      'evaldiff.yaml:3: gate.unit must be one of tries, references',
    ],
  ])('%s is refused', async (_, files, problem) => {
    expect(await problemsOf(files)).toEqual([problem]);
  });

  test('may say nothing of a metric without a direction, and count roll-ups of several tries', async () => {
    expect(
      await problemsOf(gated('  metrics: { tone: ignore, latency: fail, near: warn }')),
    ).toEqual([]);
    expect(await problemsOf(gated('  unit: references'))).toEqual([]);
  });
});

describe('a test file', () => {
  test('with an unknown rubric says so beside the mistakes of other files, but not when the rubric itself cannot be read', async () => {
    const files = (rubric: string) => ({
      ...metric('  - { name: m, rubric: polite }'),
      'evaldiff.yaml': 'grader: g',
      'prompts/z.yaml': 'name: [',
      'rubrics/r.yaml': rubric,
    });
    expect(
      await problemsOf(files('other: { prompt: "{content}", choice_scores: { A: 1 } }')),
    ).toEqual([
      expect.stringContaining('prompts/z.yaml'),
      expect.stringContaining('there is no rubric "polite"'),
    ]);
    expect(await problemsOf(files('polite: { prompt: "{content}" }'))).toEqual([
      expect.stringContaining('rubrics/r.yaml:1'),
      expect.stringContaining('prompts/z.yaml'),
    ]);
  });

  test.each<[string, Record<string, string>, string]>([
    [
      'that is a list',
      tests('- a'),
      'prompts/tests/p.yaml:1: must be a map with metrics and references',
    ],
    [
      "with a map as a reference's value",
      tests(TESTS.replace('{ a: one }', '{ a: { b: 1 } }')),
      'prompts/tests/p.yaml:4: references[0].input.a must be text, a number or true/false',
    ],
    [
      "with a list as a reference's value",
      tests(TESTS.replace('{ a: one }', '{ a: [1] }')),
      'prompts/tests/p.yaml:4: references[0].input.a must be text, a number or true/false',
    ],
    [
      'with an unknown key in a reference',
      tests(TESTS.replace('expected: one', 'expect: one')),
      'prompts/tests/p.yaml:5: unknown key "expect" in references[0]; did you mean "expected"?',
    ],
    [
      'with an id twice',
      tests(
        `${TESTS.replace('- input', '- id: x\n    input')}  - { id: x, input: { a: two }, expected: two }\n`,
      ),
      'prompts/tests/p.yaml:7: the reference id "x" is already on line 4',
    ],
    [
      'with a metric twice',
      metric(
        '  - { name: m, uses: exact_match }\n  - { name: n, uses: exact_match }\n  - { name: m, uses: is_json }',
      ),
      'prompts/tests/p.yaml:4: the metric "m" is already on line 2',
    ],
    [
      'with a metric that is made of two things',
      metric('  - { name: m, uses: exact_match, code: "result = True" }'),
      'prompts/tests/p.yaml:2: metric "m" needs exactly one of uses, rubric and code',
    ],
    [
      'with a metric that is made of nothing',
      metric('  - { name: m }'),
      'prompts/tests/p.yaml:2: metric "m" needs exactly one of uses, rubric and code',
    ],
    [
      'with an unknown built-in metric',
      metric('  - { name: m, uses: exact_mach }'),
      'prompts/tests/p.yaml:2: metric "m": there is no built-in metric "exact_mach"; did you mean "exact_match"?',
    ],
    [
      'with an unknown parameter of a built-in metric',
      metric('  - name: m\n    uses: exact_match\n    with:\n      ignore_cases: true'),
      'prompts/tests/p.yaml:5: metric "m": with.ignore_cases is not a parameter of exact_match; did you mean "ignore_case"?',
    ],
    [
      'with a parameter of a rubric that stands beside it',
      metric('  - name: m\n    rubric: yea\n    with:\n      max: 0.25', RUBRICS),
      'prompts/tests/p.yaml:5: metric "m": with.max is not read, a rubric has no parameters; write max beside rubric',
    ],
    [
      'with a parameter of a rubric that nobody knows',
      metric('  - name: m\n    rubric: yea\n    kwargs:\n      treshold: 1', RUBRICS),
      'prompts/tests/p.yaml:5: metric "m": kwargs.treshold is not read, a rubric has no parameters; did you mean "threshold"?',
    ],
    [
      'with a parameter of code',
      metric('  - name: m\n    code: "result = True"\n    with: { limit: 3 }'),
      'prompts/tests/p.yaml:4: metric "m": with.limit is not read, code has no parameters; known are better, threshold, min, max',
    ],
    [
      'with a direction that its built-in metric does not have',
      metric('  - { name: m, uses: latency, better: higher }'),
      'prompts/tests/p.yaml:2: metric "m": latency knows its direction: lower is better',
    ],
    [
      'with labels that pass and no rubric',
      metric('  - { name: m, uses: is_json, pass: [A] }'),
      'prompts/tests/p.yaml:2: metric "m": pass names labels of a rubric; a number passes by min, max or threshold',
    ],
    [
      'with two rules for what passes',
      metric('  - { name: m, rubric: yea, pass: [A], max: 0.5 }', RUBRICS),
      'prompts/tests/p.yaml:2: metric "m": pass and max both say what passes; keep one of them',
    ],
    [
      'with a threshold and a bound',
      metric('  - { name: m, rubric: yea, threshold: 0.5, min: 0.5 }', RUBRICS),
      'prompts/tests/p.yaml:2: metric "m": threshold is one bound, and min and max are the same; keep one form',
    ],
    [
      'with a threshold in per cent',
      metric('  - { name: m, uses: levenshtein, threshold: 80 }'),
      'prompts/tests/p.yaml:2: metric "m": threshold: every value fails (values: 0 to 1); to show a metric that does not gate, write skip: true',
    ],
    [
      'with a threshold that everything reaches',
      metric('  - name: m\n    uses: levenshtein\n    threshold: -1'),
      'prompts/tests/p.yaml:4: metric "m": threshold: every value passes (values: 0 to 1); to show a metric that does not gate, write skip: true',
    ],
    [
      'with bounds between two values',
      metric('  - { name: m, uses: exact_match, min: 0.2, max: 0.8 }'),
      'prompts/tests/p.yaml:2: metric "m": min: every value fails (values: 0 or 1); to show a metric that does not gate, write skip: true',
    ],
    [
      'with a bound below every count',
      metric('  - { name: m, uses: latency, max: -1 }'),
      'prompts/tests/p.yaml:2: metric "m": max: every value fails (values: 0 and up, milliseconds); to show a metric that does not gate, write skip: true',
    ],
    [
      'with a bound of words',
      metric('  - { name: m, uses: finish_reason, threshold: 0.5 }'),
      'prompts/tests/p.yaml:2: metric "m": threshold: its values are one of the five words, so that no bound fits',
    ],
    [
      'with a threshold that no label of the rubric reaches',
      metric('  - { name: m, rubric: yea, min: 80 }', RUBRICS),
      'prompts/tests/p.yaml:2: metric "m": every value fails (values: 1 or 0.5 or 0); to show a metric that does not gate, write skip: true',
    ],
    [
      'with bounds that nothing meets',
      metric('  - { name: m, rubric: yea, min: 1, max: 0 }', RUBRICS),
      'prompts/tests/p.yaml:2: metric "m": max 0 is below min 1, so that nothing passes',
    ],
    [
      'with a label that its rubric does not have',
      metric('  - { name: m, rubric: yea, pass: [a] }', RUBRICS),
      'prompts/tests/p.yaml:2: metric "m": pass names "a", which is not a label; did you mean "A"?',
    ],
    [
      'with labels that pass against the direction of its rubric',
      metric('  - { name: m, rubric: yea, pass: [F] }', RUBRICS),
      'prompts/tests/p.yaml:2: metric "m": better: lower contradicts pass: "F" (1) passes and "A" (0), which is better, does not',
    ],
    [
      'with an unknown rubric',
      {
        ...metric('  - { name: m, rubric: is_polite }'),
        'evaldiff.yaml': 'grader: gpt-4o',
        'rubrics/r.yaml': 'is_polit: { prompt: "{content}", choice_scores: { YES: 1 } }',
      },
      'prompts/tests/p.yaml:2: metric "m": there is no rubric "is_polite"; did you mean "is_polit"?',
    ],
    [
      'with a rubric and no grader',
      {
        ...metric('  - { name: m, rubric: is_polite }'),
        'rubrics/r.yaml': 'is_polite: { prompt: "{content}", choice_scores: { YES: 1 } }',
      },
      'prompts/tests/p.yaml:2: metric "m" is judged by a model: name one in the settings file, grader: { model: … }',
    ],
    [
      'with an unknown roll-up',
      tests(`metrics_rollup: { name: majorety }\n${TESTS}`),
      'prompts/tests/p.yaml:1: metrics_rollup: there is no policy "majorety"; did you mean "majority"?; another rule is given as code',
    ],
    [
      'with at_least without k',
      tests(`metrics_rollup: { name: at_least }\n${TESTS}`),
      'prompts/tests/p.yaml:1: metrics_rollup: at_least needs k, the number of passes',
    ],
    [
      'with a pass rate in percent',
      tests(`metrics_rollup: { name: pass_rate, min: 80 }\n${TESTS}`),
      'prompts/tests/p.yaml:1: metrics_rollup.min must be a number from 0 to 1',
    ],
    [
      'with k beside code',
      tests(`metrics_rollup: { name: mine, k: 2, code: "result = True" }\n${TESTS}`),
      'prompts/tests/p.yaml:1: metrics_rollup: k belongs to at_least',
    ],
    [
      'without a metric',
      tests('references: [{ input: { a: 1 } }]'),
      'prompts/tests/p.yaml: needs at least one metric; without one nothing is judged',
    ],
    [
      'with an unknown key',
      tests(`${TESTS}metric: []\n`),
      'prompts/tests/p.yaml:6: unknown key "metric" in tests; did you mean "metrics"?'.replace(
        ' in tests',
        '',
      ),
    ],
    [
      'with a quarantine for no reference',
      tests(`${TESTS}quarantine:\n  - { id: x, reason: flaky, until: 2026-12-01 }\n`),
      'prompts/tests/p.yaml:7: quarantine[0]: there is no reference "x"; known are fef5a0a1b5',
    ],
    [
      'with a quarantine until no day',
      tests(`${TESTS}quarantine:\n  - { id: x, reason: flaky, until: 2026-02-30 }\n`),
      'prompts/tests/p.yaml:7: quarantine[0].until must be a date like 2026-01-31',
    ],
  ])('%s', async (_, files, problem) => {
    const [found, ...others] = await problemsOf(files);
    expect(others).toEqual([]);
    expect(found?.replace(/known are [0-9a-f]{10}/, 'known are fef5a0a1b5')).toBe(problem);
  });

  test('with a pattern that the safe engine does not have says so at its metric', async () => {
    const files = metric('  - name: m\n    uses: regex\n    with: { pattern: "a(?=b)" }');
    expect(await problemsOf(files)).toEqual([
      expect.stringMatching(/^prompts\/tests\/p\.yaml:4: metric "m": .*\(\?=/),
    ]);
  });

  test('with a reference that lacks a variable makes that reference an error and nothing else', async () => {
    const { project, problems } = await read(
      tests(`${TESTS}  - { input: { b: 2 }, expected: two }\n`),
    );
    expect(problems).toEqual([]);
    expect(
      project.suites[0]?.tests.references.map(({ problem, place }) => [place.line, problem]),
    ).toEqual([
      [4, null],
      [6, 'the reference has no value for {a}: add it to its input, or take it out of the prompt'],
    ]);
  });

  test('with a reference that lacks what a metric compares with makes that reference an error', async () => {
    const { project, problems } = await read(tests(`${TESTS}  - input: { a: two }\n`));
    expect(problems).toEqual([]);
    expect(project.suites[0]?.tests.references[1]).toMatchObject({
      place: { line: 6 },
      problem: 'the reference has no expected value, and metric exact uses it',
    });
  });

  test('with more references than a YAML file may hold is refused as a whole', async () => {
    const list = (count: number) =>
      tests(
        `metrics: [{ name: m, uses: is_json }]\nreferences:\n${'  - { input: { a: 1 } }\n'.repeat(count)}`,
      );
    expect(await problemsOf(list(5000))).toEqual([]);
    expect(await problemsOf(list(6000))).toEqual([
      'prompts/tests/p.yaml: has 6000 references; the limit is 5000. Move them into a JSONL or CSV file (references_from)',
    ]);
  });
});

describe('defaults', () => {
  const to = (entry: string, more: Record<string, string> = {}) => ({
    ...prompt((text) => text.replace('tests/p', entry)),
    ...more,
  });

  test.each([
    ['"../../.git/config"', '../../.git/config'],
    ['../other/tests/p', '../other/tests/p'],
    ['tests/../../x', 'tests/../../x'],
  ])('of %s leads out of the prompts folder', async (entry, shown) => {
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
  ])('of %s is not a relative path', async (entry) => {
    expect(await problemsOf(to(entry))).toEqual([
      'prompts/p.yaml:1: defaults must be a relative path like tests/name',
    ]);
  });

  test('as Windows shows it is refused with what to write', async () => {
    expect(await problemsOf(to("'tests\\p'"))).toEqual([
      'prompts/p.yaml:1: defaults must be a relative path like tests/name; write it with forward slashes: tests/p',
    ]);
  });

  test('that point nowhere name the commit', async () => {
    expect(await problemsOf(to('tests/math'))).toEqual([
      'prompts/p.yaml:1: prompts/tests/math.yaml does not exist at abc1234',
    ]);
  });

  test('that go in a circle name the circle', async () => {
    const files = {
      'prompts/a.yaml': 'defaults: [b]\nname: a',
      'prompts/b.yaml': 'defaults: [a]\nname: b',
    };
    expect(await problemsOf(files)).toEqual([
      'prompts/b.yaml:1: defaults go in a circle: prompts/a.yaml -> prompts/b.yaml -> prompts/a.yaml',
      'prompts/a.yaml:1: defaults go in a circle: prompts/b.yaml -> prompts/a.yaml -> prompts/b.yaml',
    ]);
    expect(
      await problemsOf(to('tests/p', { 'prompts/tests/p.yaml': `defaults: p\n${TESTS}` })),
    ).toEqual([
      'prompts/tests/p.yaml:1: defaults go in a circle: prompts/tests/p.yaml -> prompts/tests/p.yaml',
    ]);
  });

  test('may be eight deep and no more', async () => {
    const chain = (length: number) =>
      Object.fromEntries(
        Array.from({ length }, (_, index) =>
          [
            `prompts/tests/${index === 0 ? 'p' : index}.yaml`,
            index === length - 1 ? TESTS : `defaults: [${index + 1}x]\n`.replace('x', ''),
          ].map((text) => text.replace(/\[(\d+)\]/, '["$1"]')),
        ) as [string, string][],
      );
    expect(await problemsOf({ 'prompts/p.yaml': PROMPT, ...chain(8) })).toEqual([]);
    expect(await problemsOf({ 'prompts/p.yaml': PROMPT, ...chain(9) })).toEqual([
      'prompts/tests/7.yaml:1: defaults are nested deeper than 8',
    ]);
  });

  test('that are a symbolic link, or lie below one, are not followed', async () => {
    const problems = async (irregular: Record<string, 'symbolic link' | 'submodule'>) => {
      const read = await readProject(
        treeOf({ 'prompts/p.yaml': PROMPT }, irregular),
        optionsOf(),
        tools,
      );
      return read.problems.map(formatProblem);
    };
    expect(await problems({ 'prompts/tests/p.yaml': 'symbolic link' })).toEqual([
      'prompts/p.yaml:1: prompts/tests/p.yaml is a symbolic link; only regular files are read',
    ]);
    expect(await problems({ 'prompts/tests': 'submodule' })).toEqual([
      'prompts/p.yaml:1: prompts/tests/p.yaml lies below prompts/tests, a submodule; only regular files are read',
    ]);
    expect(
      await problems({
        'prompts/x.yaml': 'symbolic link',
        'prompts/tests/p.yaml': 'symbolic link',
      }),
    ).toContain('prompts/x.yaml: is a symbolic link; only regular files are read');
  });
});

describe('a rubric file', () => {
  const rubric = (text: string) => ({ ...suiteFiles(), 'rubrics/r.yaml': text });
  const body = (text: string, scores = 'choice_scores: { YES: 1, NO: 0 }') =>
    rubric(`polite:\n  prompt: |\n    Judge this.\n    ${text}\n  ${scores}\n`);

  test.each<[string, Record<string, string>, string]>([
    [
      'without choice_scores',
      body('{content}', 'notes: x'),
      'rubrics/r.yaml:1: polite.choice_scores must map at least one answer to a number',
    ],
    [
      'with an empty choice_scores',
      body('{content}', 'choice_scores: {}'),
      'rubrics/r.yaml:5: polite.choice_scores must map at least one answer to a number',
    ],
    [
      'with a score in words',
      body('{content}', 'choice_scores: { YES: good }'),
      'rubrics/r.yaml:5: polite.choice_scores must map at least one answer to a number',
    ],
    [
      'with a direction that nobody knows',
      body('{content}', 'choice_scores: { YES: 1, NO: 0 }\n  better: up'),
      'rubrics/r.yaml:6: polite.better must be one of higher, lower, none',
    ],
    [
      'with a label to pass that it does not have',
      body('{content}', 'choice_scores: { YES: 1, NO: 0 }\n  pass: [YSE]'),
      'rubrics/r.yaml:6: the rubric "polite": pass names "YSE", which is not a label; known are YES, NO',
    ],
    [
      'with a direction that contradicts pass',
      body('{content}', 'choice_scores: { YES: 1, NO: 0 }\n  better: lower\n  pass: YES'),
      'rubrics/r.yaml:7: the rubric "polite": better: lower contradicts pass: "YES" (1) passes and "NO" (0), which is better, does not',
    ],
    [
      'with a threshold beside pass',
      body('{content}', 'choice_scores: { YES: 1, NO: 0 }\n  pass: YES\n  threshold: 1'),
      'rubrics/r.yaml:7: the rubric "polite": pass and threshold both say what passes; keep one of them',
    ],
    [
      'with a threshold that no label reaches',
      body('{content}', 'choice_scores: { YES: 1, NO: 0 }\n  threshold: 2'),
      'rubrics/r.yaml:6: the rubric "polite": with threshold 2 no label passes; the scores are 1, 0',
    ],
    [
      'with a threshold that every label reaches',
      body('{content}', 'choice_scores: { YES: 1, NO: 0 }\n  better: lower\n  threshold: 1'),
      'rubrics/r.yaml:7: the rubric "polite": with threshold 1 every label passes; the scores are 1, 0',
    ],
    [
      'with {turn} and {completion}',
      body('{turn} {completion}'),
      'rubrics/r.yaml:4: {turn} and {completion} cannot be used together',
    ],
    [
      'with {conversation} and {context}',
      body('{context}\n    {conversation}'),
      'rubrics/r.yaml:5: {conversation} and {context} cannot be used together',
    ],
    [
      'with an unknown keyword',
      body('{contents}'),
      'rubrics/r.yaml:4: {contents} is not a keyword; did you mean "content"?; the text itself is written {{contents}}',
    ],
    [
      'without a prompt',
      rubric('polite:\n  choice_scores: { YES: 1 }'),
      'rubrics/r.yaml:1: polite: "prompt" is missing',
    ],
    [
      'with an unknown key',
      rubric(
        'polite:\n  prompt: "{content}"\n  choice_score: { YES: 1 }\n  choice_scores: { YES: 1 }',
      ),
      'rubrics/r.yaml:3: unknown key "choice_score" in polite; did you mean "choice_scores"?',
    ],
    [
      'with a key for the vendor',
      rubric('polite:\n  prompt: "{content}"\n  api_key: x\n  choice_scores: { YES: 1 }'),
      'rubrics/r.yaml:3: "api_key" may only be set in the workflow (inputs openai-api-key, anthropic-api-key, … and endpoints)',
    ],
    [
      'with an example of no answer',
      body(
        '{content}',
        'choice_scores: { YES: 1, NO: 0 }\n  examples:\n    - { content: hi, expected: MAYBE }',
      ),
      'rubrics/r.yaml:7: the example\'s expected "MAYBE" is none of YES, NO',
    ],
    [
      'that is text',
      rubric('polite'),
      'rubrics/r.yaml:1: must be a map of rubric name to prompt and choice_scores',
    ],
    [
      'with a rubric that is text',
      rubric('polite: yes'),
      'rubrics/r.yaml:1: polite must be a map with prompt and choice_scores',
    ],
  ])('%s', async (_, files, problem) => {
    expect((await problemsOf(files)).filter((each) => !each.includes('one of prompt'))).toEqual([
      problem,
    ]);
  });

  test('that names a rubric of another file is refused', async () => {
    const text = '\npolite: { prompt: "{content}", choice_scores: { YES: 1 } }';
    expect(
      await problemsOf({ ...suiteFiles(), 'rubrics/a.yaml': text, 'rubrics/b.yaml': text }),
    ).toEqual(['rubrics/b.yaml:2: the rubric "polite" is already in rubrics/a.yaml, line 2']);
  });
});

describe('files and patterns', () => {
  test('as Windows shows them are refused with what to write', async () => {
    expect(await problemsOf(settings("prompts: ['.\\prompts\\*.yaml']"))).toEqual([
      'evaldiff.yaml:1: .\\prompts\\*.yaml must be a relative pattern like prompts/*.yaml; write it with forward slashes: prompts/*.yaml',
    ]);
    expect(await problemsOf(settings("prompts: ['C:\\prompts\\*.yaml']"))).toEqual([
      'evaldiff.yaml:1: C:\\prompts\\*.yaml must be a relative pattern like prompts/*.yaml',
    ]);
  });

  test('outside of the repository are refused', async () => {
    expect(await problemsOf(settings('prompts: [../x/*.yaml]'))).toEqual([
      'evaldiff.yaml:1: ../x/*.yaml is outside the repository',
    ]);
    expect(await problemsOf(settings('rubrics: /etc/*.yaml'))).toEqual([
      'evaldiff.yaml:1: /etc/*.yaml must be a relative pattern like prompts/*.yaml',
    ]);
  });

  test('that would take too long to match are refused', async () => {
    expect(await problemsOf(settings('prompts: "*a*a*a*a*a.yaml"'))).toEqual([
      'evaldiff.yaml:1: *a*a*a*a*a.yaml has too many wildcards',
    ]);
  });

  test('that are named and missing are refused, that match nothing are told', async () => {
    expect(await problemsOf(settings('prompts: prompts/q.yaml'))).toEqual([
      'evaldiff.yaml:1: prompts/q.yaml does not exist at abc1234',
    ]);
    expect(await read(settings('prompts: other/*.yaml'))).toMatchObject({
      problems: [],
      notices: ['evaldiff.yaml:1: other/*.yaml matches no file'],
    });
  });

  test('of several megabytes are refused by their size alone', async () => {
    const tree = treeOf(suiteFiles());
    const large = {
      ...tree,
      // As git's trees, which keep nothing of a file above the limit.
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

test('every problem of every file comes back at once', async () => {
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
      'prompts/tests/c.yaml:1: metric "m": there is no built-in metric "nope_at_all"',
    ),
    expect.stringContaining(
      'prompts/tests/c.yaml:2: references[0].input must be a map of variables',
    ),
    expect.stringContaining(
      'prompts/tests/c.yaml:2: unknown key "inputs" in references[1]; did you mean "input"?',
    ),
  ]);
});
