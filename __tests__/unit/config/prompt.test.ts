import { PROMPT, problemsOf, read, suiteFiles, suiteOf } from './tree.ts';

describe('prompt', () => {
  test('is read with its roles, its variables and the line of each key', async () => {
    const { prompt } = await suiteOf(
      suiteFiles(`defaults: [tests/p]
name: p
model: gpt-4o
variables: [a, { name: b }]
messages:
  - { role: system, content: s }
  - { role: human, content: "{a}" }
  - { role: ai, content: "{{b}} {b}" }
  - { role: user, content: u }
  - { role: assistant, content: '{"json": {"x": {}}}' }
`),
    );
    expect(prompt.messages.map(({ role, content, place }) => [role, content, place.line])).toEqual([
      ['system', 's', 6],
      ['user', '{a}', 7],
      ['assistant', '{{b}} {b}', 8],
      ['user', 'u', 9],
      ['assistant', '{"json": {"x": {}}}', 10],
    ]);
    expect(prompt.variables.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(prompt.places).toMatchObject(
      Object.fromEntries(
        ['defaults', 'name', 'model', 'variables', 'messages'].map((key, at) => [
          key,
          { file: 'prompts/p.yaml', line: at + 1 },
        ]),
      ),
    );
    expect(prompt.code).toBeNull();
  });

  test('passes keys that it does not define to the vendor unchanged', async () => {
    const extra = [
      'top_p: 0',
      'logprobs: false',
      'user: "007"',
      'x_custom: ja',
      'repetition_penalty: 1.1',
      'stop: [a, b]',
      'response_format: { type: json_object }',
      'tools: [{ type: function, function: { name: f, parameters: { type: object } } }]',
      'thinking: { type: enabled, budget_tokens: 1024 }',
      'logit_bias: { "50256": -100 }',
      'guided_json: { type: object }',
      'max_tokens: 16',
    ].join('\n');
    const { prompt } = await suiteOf(suiteFiles(PROMPT + extra));
    expect(prompt.parameters).toEqual({
      temperature: 0,
      top_p: 0,
      logprobs: false,
      user: '007',
      x_custom: 'ja',
      repetition_penalty: 1.1,
      stop: ['a', 'b'],
      response_format: { type: 'json_object' },
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      thinking: { type: 'enabled', budget_tokens: 1024 },
      logit_bias: { 50256: -100 },
      guided_json: { type: 'object' },
      max_tokens: 16,
    });
  });

  test('written as plain text, or as text under prompt.content, becomes one user message', async () => {
    for (const body of ['prompt:\n  content: "Say {a}"\n', 'prompt: "Say {a}"\n']) {
      const { prompt } = await suiteOf(
        suiteFiles(PROMPT.slice(0, PROMPT.indexOf('messages:')) + body),
      );
      expect(prompt.messages.map(({ role, content }) => [role, content])).toEqual([
        ['user', 'Say {a}'],
      ]);
    }
  });

  test('with code needs no model and no message', async () => {
    const text =
      'defaults: [tests/p]\nname: p\nvariables: [a]\ncode: |\n  output = {a}\nlanguage: javascript\n';
    const { project, problems, notices } = await read(suiteFiles(text));
    expect([problems, notices]).toEqual([[], []]);
    expect(project.suites[0]?.prompt).toMatchObject({
      model: null,
      messages: [],
      parameters: {},
      code: { source: 'output = {a}\n', language: 'javascript', place: { line: 4 } },
    });
  });

  test('with code may also have messages, as in llmeval', async () => {
    const { prompt } = await suiteOf(
      suiteFiles(
        'defaults: [tests/p]\nmodel: gpt-4o\nmessages: [{ role: human, content: "{a}?" }]\ncode: |\n  output = "x"\n',
      ),
    );
    expect(prompt).toMatchObject({
      messages: [{ role: 'user', content: '{a}?' }],
      code: { source: 'output = "x"\n' },
    });
  });

  test('without code treats the key language as a model parameter', async () => {
    const { prompt } = await suiteOf(suiteFiles(`${PROMPT}language: fr\n`));
    expect(prompt.parameters).toEqual({ temperature: 0, language: 'fr' });
  });

  test('may contain its tests', async () => {
    const text = `${PROMPT.replace('defaults: [tests/p]\n', '')}tests:\n  metrics: [{ uses: exact_match }]\n  references:\n    - { input: { a: 1 }, expected: x }\n`;
    const { tests } = await suiteOf({ 'prompts/p.yaml': text });
    expect(tests.file).toBe('prompts/p.yaml');
    expect(tests.references[0]?.place).toEqual({ file: 'prompts/p.yaml', line: 12 });
    expect(tests.metrics[0]?.name).toBe('exact_match');
  });

  test('without tests is not evaluated and causes a notice', async () => {
    const { project, problems, notices } = await read({
      'prompts/p.yaml': PROMPT.replace('defaults: [tests/p]\n', ''),
    });
    expect([problems, project.suites]).toEqual([[], []]);
    expect(notices).toEqual([
      'prompts/p.yaml: the prompt "p" has no tests, so it is not evaluated; add metrics and ' +
        'references to it, or write them into tests/p.yaml next to it',
    ]);
  });
});

describe('single-file suite', () => {
  const FILE = 'prompts/greet.yaml';
  const SUITE = `model: gpt-4o
prompt: Greet {who} in {language}.
metrics:
  - uses: contains
references:
  - { input: { who: Ada, language: French, note: x }, expected: Bonjour }
  - { input: { who: Bob, language: Danish }, expected: Hej }
`;

  test('takes its name and variables from the file, and its tests from top-level keys', async () => {
    const { prompt, tests } = await suiteOf({ [FILE]: SUITE });
    expect(prompt).toMatchObject({ name: 'greet', parameters: {} });
    expect(prompt.variables).toEqual([
      { name: 'who', place: { file: FILE, line: 2 } },
      { name: 'language', place: { file: FILE, line: 2 } },
    ]);
    expect(tests.file).toBe(FILE);
    expect(tests.metrics).toMatchObject([{ name: 'contains', place: { file: FILE, line: 4 } }]);
    expect(tests.references.map(({ place, problem }) => [place.line, problem])).toEqual([
      [6, null],
      [7, null],
    ]);
  });

  test('reports a placeholder without an input and suggests the nearest input', async () => {
    const { problems } = await read({ [FILE]: SUITE.replace('{language}', '{langage}') });
    expect(problems).toEqual([
      `${FILE}:2: no reference has an input "langage"; add it to one, or write {{langage}} if you mean the literal text; did you mean "language"?`,
    ]);
  });

  test('reports a reference without an input that other references have', async () => {
    const { project, problems } = await read({
      [FILE]: SUITE.replace(', language: Danish', ''),
    });
    expect(problems).toEqual([]);
    expect(project.suites[0]?.tests.references.map(({ problem }) => problem)).toEqual([
      null,
      'the reference has no value for {language}: add it to its input, or remove it from the prompt',
    ]);
  });

  test("rejects a variable that appears only in another tool's syntax", async () => {
    const { problems } = await read({ [FILE]: SUITE.replace('{who}', '{{who}}') });
    expect(problems).toEqual([
      `${FILE}:2: {{who}} sends the text {who} to the model, not the value; write {who} to insert the variable`,
    ]);
  });

  test('uses columns of data files as inputs', async () => {
    const [head = ''] = SUITE.split('references:');
    const { prompt, tests } = await suiteOf({
      [FILE]: `${head}references_from: { file: cases.jsonl }\n`,
      'prompts/cases.jsonl': '{"who": "Ada", "language": "French", "expected": "Bonjour"}\n',
    });
    expect(prompt.variables.map(({ name }) => name)).toEqual(['who', 'language']);
    expect(tests.references).toMatchObject([
      { input: { who: 'Ada', language: 'French' }, problem: null },
    ]);
  });

  test('gets missing keys from tests/NAME.yaml and from its defaults', async () => {
    const [head = '', references = ''] = SUITE.split('metrics:\n  - uses: contains\n');
    const { prompt, tests } = await suiteOf({
      [FILE]: `defaults: shared/base\n${head}`,
      'prompts/shared/base.yaml': 'temperature: 0\nmetrics: [{ uses: exact_match }]\nn_tries: 4\n',
      'prompts/tests/greet.yml': `${references}n_tries: 3\n`,
      'prompts/tests/other.yaml': 'skip: true\n',
    });
    expect(prompt).toMatchObject({ name: 'greet', parameters: { temperature: 0 } });
    expect(tests).toMatchObject({ skip: false, metrics: [{ name: 'exact_match' }] });
    expect(tests.references).toHaveLength(2);
  });

  test('ignores tests/NAME.yaml if its defaults name a test file', async () => {
    const { tests } = await suiteOf({
      [FILE]: `defaults: tests/other\n${SUITE}`,
      'prompts/tests/greet.yaml': 'skip: true\n',
      'prompts/tests/other.yaml': 'n_tries: 3\n',
    });
    expect(tests).toMatchObject({ skip: false, n_tries: 3 });
  });

  test('merges its top-level tests with those under the key tests', async () => {
    const { tests } = await suiteOf({ [FILE]: `${SUITE}tests: { n_tries: 3 }\n` });
    expect(tests).toMatchObject({ n_tries: 3, metrics: [{ name: 'contains' }] });
  });
});

describe("variable in another tool's syntax", () => {
  const notices = async (content: string, variables = '[a, country]') => {
    const { notices: found } = await read(
      suiteFiles(
        `defaults: [tests/p]\nname: p\nmodel: gpt-4o\nvariables: ${variables}\nprompt: |\n  {a} {country}\n  ${content}\n`,
      ),
    );
    return found;
  };
  const LINE = 'prompts/p.yaml:7: ';
  const INSERT = '; write {country} to insert the variable';

  test.each([
    ['{{country}}', 'sends the text {country} to the model, not the value'],
    ['{{ country }}', 'is sent to the model as it is written'],
    ['{{$country}}', 'is sent to the model as it is written'],
    ['{{ country | upper }}', 'is sent to the model as it is written'],
    ['{{vars.country}}', 'is sent to the model as it is written'],
    ['{{#if country}}', 'is sent to the model as it is written'],
    ['{% if country == "x" %}', 'is sent to the model as it is written'],
    ['${country}', 'sends a $ before the value to the model'],
    ['$country', 'is sent to the model as it is written'],
  ])('is reported once at its line: %s', async (form, words) => {
    expect(await notices(`x ${form} ${form}`)).toEqual([`${LINE}${form} ${words}${INSERT}`]);
  });

  test.each([
    '{{other}}',
    '{{ other }}',
    '{{{country}}}',
    '{{"country": "x"}}',
    'country',
    '{%x%}',
    '$countries <country>{a}</country> [country]',
  ])('is not detected in %s', async (content) => {
    expect(await notices(content)).toEqual([]);
  });

  test.each(['{{ a }}', '$a', '<a>', '%a%', '[a]'])(
    "is an error if no message inserts the variable in evaldiff's syntax, only %s",
    async (form) => {
      const { problems } = await read(
        suiteFiles(
          `defaults: [tests/p]\nname: p\nmodel: gpt-4o\nvariables: [a]\nprompt: |\n  Hi ${form}\n`,
        ),
      );
      expect(problems).toEqual([
        `prompts/p.yaml:6: ${form} is sent to the model as it is written; write {a} to insert the variable`,
      ]);
    },
  );

  describe('with a misspelt name', () => {
    const suite = (line: string, content: string) =>
      problemsOf({
        'prompts/p.yaml': `model: gpt-4o\nmetrics: [{ uses: exact_match }]\n${line}\nprompt: |\n  ${content}\nreferences: [{ input: { ticket: x, who: y }, expected: z }]\n`,
      });
    const DECLARED = 'variables: [ticket, who]';
    const INFERRED = '# none';

    test.each([
      [DECLARED, '{who} {{Tickt}}', '{{Tickt}} sends the text {Tickt} to the model, not the value'],
      [DECLARED, '{who} {{ tickets }}', '{{ tickets }} is sent to the model as it is written'],
      [INFERRED, '{{ Ticket }}', '{{ Ticket }} is sent to the model as it is written'],
    ])(
      'is an error if no message inserts the intended variable (%s): %s',
      async (line, content, words) => {
        expect(await suite(line, content)).toEqual([
          `prompts/p.yaml:5: ${words}; write {ticket} to insert the variable`,
        ]);
      },
    );

    test.each([
      [DECLARED, '{who} {{whom}} {{other}} {{ {"tickets": 1} }}'],
      [DECLARED, '{who} {ticket} {{tickets}}'],
      [INFERRED, '{who} {{tickets}}'],
    ])('is not reported for a prompt with %s and the message %s', async (line, content) => {
      expect(await suite(line, content)).toEqual([]);
    });
  });
});

describe('defaults', () => {
  test("add keys of other files with their files and lines, but the file's own keys take precedence", async () => {
    const { prompt, tests } = await suiteOf({
      'prompts/p.yaml': `defaults: [shared/base, tests/common, tests/p, _self_]\n${PROMPT.replace('defaults: [tests/p]\n', '').replace('temperature: 0\n', '')}tests:\n  n_tries: 3\n`,
      'prompts/shared/base.yaml': 'model: other\ntemperature: 0.7\n\nmax_tokens: 5\n',
      'prompts/tests/common.yaml': 'metrics: [{ uses: is_json }]\nn_tries: 9\nskip: true\n',
      'prompts/tests/p.yaml':
        'metrics: [{ uses: exact_match }]\nreferences: [{ input: { a: 1 }, expected: x }]\n',
    });
    expect(prompt).toMatchObject({
      model: 'gpt-4o',
      parameters: { temperature: 0.7, max_tokens: 5 },
    });
    expect(prompt.places).toMatchObject({
      model: { file: 'prompts/p.yaml' },
      temperature: { file: 'prompts/shared/base.yaml', line: 2 },
      max_tokens: { file: 'prompts/shared/base.yaml', line: 4 },
    });
    expect(tests).toMatchObject({
      n_tries: 3,
      skip: true,
      metrics: [{ name: 'exact_match', place: { file: 'prompts/tests/p.yaml', line: 1 } }],
    });
  });

  test('in a test file are relative to that file', async () => {
    const { tests } = await suiteOf({
      ...suiteFiles(
        PROMPT,
        'defaults: [metrics/usual, ../shared/other]\nreferences: [{ input: { a: 1 }, expected: x }]\n',
      ),
      'prompts/tests/metrics/usual.yaml': 'metrics: [{ uses: exact_match }]\n',
      'prompts/shared/other.yml': 'n_tries: 4\n',
    });
    expect(tests).toMatchObject({
      file: 'prompts/tests/p.yaml',
      n_tries: 4,
      metrics: [{ name: 'exact_match' }],
    });
  });
});
