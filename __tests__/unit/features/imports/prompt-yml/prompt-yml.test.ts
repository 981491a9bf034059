import { problemsOf, read } from '../../../config/tree.ts';

const FILE = 'prompts/summary.prompt.yml';

const WHOLE = `name: Summary
description: Sums up a text
model: openai/gpt-4o
modelParameters:
  temperature: 0.5
  maxTokens: 80
responseFormat: json_schema
jsonSchema: '{"name": "summary", "schema": {"type": "object"}}'
messages:
  - role: system
    content: Sum up in {"json"} form.
  - role: user
    content: |
      Text: {{input}} ({{ kind }})
testData:
  - { input: The fox jumped., kind: tale, expected: fox }
  - { input: The dog slept., kind: news, expected: dog }
evaluators:
  - name: short
    string: { startsWith: The }
  - name: names it
    string: { contains: '{{expected}}' }
  - name: fine
    uses: github/similarity
  - name: judged
    llm: { modelId: openai/gpt-4o, prompt: 'Is {{completion}} good for {{input}}?', choices: [{ choice: '1', score: 0 }, { choice: '2', score: 1 }] }
  - name: odd
    uses: github/novelty
`;

describe('a .prompt.yml file', () => {
  test('is imported with its messages, parameters, test data and evaluators', async () => {
    const { project, problems, notices } = await read({
      'evaldiff.yaml': 'grader: gpt-4o',
      [FILE]: WHOLE,
    });
    expect(problems).toEqual([]);
    expect(notices).toEqual([
      `${FILE}: 2 of 2 tests, 4 of 5 evaluators carried over; 1 lost: the evaluator odd`,
      `${FILE}:27: the evaluator odd is not converted: github/novelty is unknown`,
    ]);
    const [suite] = project.suites;
    expect(suite?.prompt).toMatchObject({
      file: FILE,
      name: 'Summary',
      model: 'gpt-4o',
      variables: [{ name: 'input' }, { name: 'kind' }],
      parameters: {
        temperature: 0.5,
        max_tokens: 80,
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'summary', schema: { type: 'object' } },
        },
      },
      messages: [
        { role: 'system', content: 'Sum up in {"json"} form.', place: { line: 10 } },
        { role: 'user', content: 'Text: {input} ({kind})\n', place: { line: 12 } },
      ],
    });
    expect(
      suite?.tests.metrics.map(({ name, source, place }) => [name, source, place.line]),
    ).toEqual([
      [
        'short',
        { kind: 'built-in', uses: 'starts_with', with: { value: 'The', ignore_case: true } },
        19,
      ],
      ['fine', { kind: 'built-in', uses: 'factuality', with: {} }, 23],
    ]);
    expect(
      suite?.tests.references.map(({ place, input, expected, metrics }) => [
        place.line,
        input,
        expected,
        metrics?.map(({ name, source }) => [name, source.kind === 'built-in' ? source.with : null]),
      ]),
    ).toEqual([
      [
        16,
        { input: 'The fox jumped.', kind: 'tale' },
        'fox',
        [
          ['names it', { value: 'fox', ignore_case: true }],
          [
            'judged',
            { criteria: expect.stringContaining('Is (the answer) good for The fox jumped.?') },
          ],
        ],
      ],
      [
        17,
        { input: 'The dog slept.', kind: 'news' },
        'dog',
        [
          ['names it', { value: 'dog', ignore_case: true }],
          ['judged', { criteria: expect.stringContaining('1 (0), 2 (1)') }],
        ],
      ],
    ]);
  });

  test("uses its first judge's model as the default grader, and other models only for their own metrics", async () => {
    const judge = (name: string, rest: string) =>
      `  - name: ${name}\n    llm: { prompt: 'Is {{completion}} good?', ${rest} }\n`;
    const file = `model: openai/gpt-4o\nmessages: [{ role: user, content: hi }]\ntestData: [{ input: a }]\nevaluators:\n${judge('one', 'modelId: openai/gpt-4o-mini')}${judge('two', 'modelId: openai/gpt-4.1')}${judge('three', 'modelId: openai/gpt-4o-mini, seed: 1')}${judge('four', 'choices: []')}`;
    const { project, problems, notices } = await read({ [FILE]: file });
    expect([problems, notices]).toEqual([
      [],
      [
        `${FILE}: 1 of 1 test, 4 of 4 evaluators carried over; 1 lost: seed of the evaluator three`,
        `${FILE}:10: seed of the evaluator three is not converted: it is not part of the format`,
      ],
    ]);
    expect(project.settings.grader?.model).toBe('gpt-4o-mini');
    expect(
      project.suites[0]?.tests.metrics.map(({ name, graders }) => [
        name,
        graders?.map(({ model }) => model),
      ]),
    ).toEqual([
      ['one', undefined],
      ['two', ['gpt-4.1']],
      ['three', undefined],
      ['four', undefined],
    ]);
    expect(
      (await read({ 'evaldiff.yaml': 'grader: claude-sonnet-4-5', [FILE]: file })).project.settings
        .grader?.model,
    ).toBe('claude-sonnet-4-5');
  });

  test("without evaluators only shows its answers, or compares head's with base's if there is a grader", async () => {
    const text = `model: openai/gpt-4o\nmessages: [{ role: user, content: 'sum {{input}}' }]\ntestData: [{ input: a }, { input: b }]\nevaluators: []\n`;
    const judgedBy = async (files: Record<string, string>) => {
      const { project, problems, notices } = await read(files);
      const tests = project.suites[0]?.tests;
      return {
        problems,
        notices,
        references: tests?.references.map(({ input, problem }) => [input['input'], problem]),
        metrics: tests?.metrics.map(({ name, source, skip }) => [name, source, skip]),
      };
    };
    const references = [
      ['a', null],
      ['b', null],
    ];
    expect(await judgedBy({ [FILE]: text })).toEqual({
      problems: [],
      notices: [
        `${FILE}:3: no metric judges the answers to 2 tests: they are shown and do not affect the verdict. Set a grader in the settings (grader: gpt-5.4-mini, for example) to compare head's with base's`,
      ],
      references,
      metrics: [['shown', { kind: 'built-in', uses: 'word_count', with: {} }, true]],
    });
    expect(await judgedBy({ 'evaldiff.yaml': 'grader: gpt-4o\n', [FILE]: text })).toEqual({
      problems: [],
      notices: [
        `${FILE}:3: no metric judges the answers to 2 tests: the grader compares head's answers with base's`,
      ],
      references,
      metrics: [
        [
          'preference',
          { kind: 'built-in', uses: 'pairwise_preference', with: expect.anything() },
          false,
        ],
      ],
    });
  });

  test('without test data has one test if it has no variables, and otherwise none', async () => {
    const of = (content: string) => ({
      [FILE]: `messages: [{ role: user, content: '${content}' }]\nmodel: openai/gpt-4o\n`,
    });
    expect((await read(of('hi'))).project.suites[0]?.tests.references).toMatchObject([
      { input: {}, problem: null },
    ]);
    expect((await read(of('hi {{name}}'))).notices).toEqual([
      `${FILE}: the prompt "summary" has no tests, so it is not evaluated`,
    ]);
  });

  test("relies on the settings' models if its model is unknown or missing", async () => {
    const text = (model: string) =>
      `${model}messages: [{ role: user, content: 'say {{input}}' }]\ntestData: [{ input: a }]\nevaluators: [{ name: e, string: { contains: a } }]\n`;
    expect(
      (await read({ [FILE]: text('model: meta/llama-4\n') })).project.suites[0]?.prompt.model,
    ).toBe('meta/llama-4');
    expect((await read({ [FILE]: text('') })).project.suites[0]?.prompt.model).toBe('default');
  });

  test('drops template logic, and reports its line', async () => {
    const { notices, project } = await read({
      [FILE]:
        'messages:\n  - { role: user, content: hi }\n  - { role: user, content: "{% if x %}" }\ntestData: [{ input: a }]\n',
    });
    expect([project.suites, notices]).toEqual([
      [],
      [
        `${FILE}: 0 of 1 test carried over; 1 lost: the prompt`,
        `${FILE}:3: the prompt is not converted: {% if x %} is more than a variable`,
      ],
    ]);
  });

  test('can use every key of its test data as a variable, including expected', async () => {
    const { project, problems, notices } = await read({
      [FILE]:
        "messages: [{ role: user, content: 'Is {{input}} {{expected}}?' }]\nmodel: openai/gpt-4o\ntestData: [{ input: 1 + 1, expected: two }]\nevaluators: [{ name: e, string: { contains: '{{expected}}' } }]\n",
    });
    expect([problems, notices]).toEqual([[], []]);
    expect(project.suites[0]?.tests.references).toMatchObject([
      { input: { input: '1 + 1', expected: 'two' }, expected: 'two', problem: null },
    ]);
  });

  describe('with rows that do not match its variables', () => {
    const file = (row: string) =>
      `messages: [{ role: user, content: 'Look at {{listing}}' }]\nmodel: openai/gpt-4o\ntestData:\n  - { listing: b }\n${row}evaluators: [{ name: e, string: { contains: a } }]\n`;

    test.each([
      [
        'for a text instead of a map',
        '  - input: |\n      listing: "a"\n',
        'its input is one text, which does not define {{listing}}: remove the | after input: to make it a map',
      ],
      ['for a missing column', '  - { input: a }\n', 'it has no value for {{listing}}'],
    ])('drops the rows with a notice %s', async (_, row, why) => {
      const { project, problems, notices } = await read({ [FILE]: file(row) });
      expect([problems, project.suites[0]?.tests.references.length]).toEqual([[], 1]);
      expect(notices).toEqual([
        `${FILE}: 1 of 2 tests, 1 of 1 evaluator carried over; 1 lost: a row of testData`,
        `${FILE}:5: a row of testData is not converted: ${why}`,
      ]);
    });

    test("accepts the row once the notice's advice is followed", async () => {
      const { project, problems, notices } = await read({
        [FILE]: file('  - input:\n      listing: "a"\n'),
      });
      expect([problems, notices]).toEqual([[], []]);
      expect(project.suites[0]?.tests.references[1]).toMatchObject({
        input: { listing: 'a' },
        problem: null,
      });
    });
  });

  test('reports content that it does not support', async () => {
    expect(await problemsOf({ [FILE]: 'on: push\njobs: {}\n' })).toEqual([
      `${FILE}: is not a .prompt.yml: it has no list of messages`,
    ]);
    expect(await problemsOf({ [FILE]: 'messages: [\n' })).toHaveLength(1);
  });
});
