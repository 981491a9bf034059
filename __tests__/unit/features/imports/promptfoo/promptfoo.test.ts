import type { Reference } from '../../../../../src/kernel/suite/suite.ts';
import type { Project } from '../../../../../src/project/settings.ts';
import type { Metric } from '../../../../../src/types/metric.ts';
import { problemsOf, read } from '../../../config/tree.ts';

const CONFIG = 'promptfooconfig.yaml';

function config(tests: string, more = ''): Record<string, string> {
  return {
    [CONFIG]: `prompts:\n  - 'Translate {{text}} into {{language}}.'\nproviders: [openai:gpt-4o]\n${more}tests:\n${tests}`,
  };
}

/** A configuration with these prompts and tests in flow style. */
const asking = (prompts: string, tests: string, more = '') => ({
  [CONFIG]: `prompts: ${prompts}\nproviders: [openai:gpt-4o]\n${more}tests: ${tests}\n`,
});
/** A configuration with a grader and one test with these assertions. */
const asserting = (assertions: string, files: Record<string, string> = {}) => ({
  'evaldiff.yaml': 'grader: gpt-4o',
  ...config(`  - { vars: { text: hello, language: x }, assert: [${assertions}] }\n`),
  ...files,
});

async function only(files: Record<string, string>) {
  const { project, problems, notices } = await read(files);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const [suite] = project.suites;
  if (suite === undefined) throw new Error(`no suite: ${notices.join('\n')}`);
  const { references } = suite.tests;
  const metrics = references[0]?.metrics ?? [];
  return { suite, notices, references, metrics };
}
const named = (references: readonly Reference[]) =>
  references.map(({ input, metrics }) => [input, metrics?.map(({ name }) => name)]);
const servers = ({ settings }: Project) =>
  [...settings.models].map(([name, { provider, endpoint, model }]) =>
    [name, provider, endpoint, model].join(' '),
  );
const valueOf = ({ source }: Metric) => source.kind === 'built-in' && source.with['value'];

const TEST = `  - description: greets
    vars: { text: hello, language: French }
    assert:
      - { type: icontains, value: bonjour }
`;

describe('a promptfoo configuration', () => {
  test('is imported as prompts whose references have their own metrics', async () => {
    const { suite, notices, references } = await only(config(TEST));
    expect(notices).toEqual([]);
    const content = 'Translate {text} into {language}.';
    expect(suite.prompt).toMatchObject({
      file: CONFIG,
      name: 'promptfooconfig',
      model: 'gpt-4o',
      variables: [{ name: 'text' }, { name: 'language' }],
      messages: [{ role: 'user', content, place: { file: CONFIG, line: 2 } }],
    });
    expect(suite.tests).toMatchObject({ file: CONFIG, metrics: [] });
    const given = { value: 'bonjour', ignore_case: true };
    expect(references).toMatchObject([
      {
        id: 'greets',
        place: { file: CONFIG, line: 5 },
        input: { text: 'hello', language: 'French' },
        problem: null,
        metrics: [
          {
            name: 'icontains',
            source: { kind: 'built-in', uses: 'contains', with: given },
            place: { line: 8 },
          },
        ],
      },
    ]);
  });

  test('gives every pair of prompt and provider a suite with a distinct name', async () => {
    const { project, problems, notices } = await read({
      [CONFIG]: `
prompts:
  - { id: p1, label: short, raw: 'Say {{x}}' }
  - 'Tell me about {{x}}'
providers:
  - { id: 'openai:chat:gpt-4o', label: big, config: { temperature: 0, max_tokens: 50 } }
  - anthropic:messages:claude-sonnet-4-5
tests:
  - vars: { x: rain }
    assert: [{ type: contains, value: rain }]
`,
    });
    expect([problems, notices]).toEqual([[], []]);
    const [big, claude] = [
      ['gpt-4o', { temperature: 0, max_tokens: 50 }],
      ['claude-sonnet-4-5', { temperature: 0, max_tokens: 1024 }],
    ];
    expect(
      project.suites.map(({ prompt: { name, model, parameters } }) => [name, model, parameters]),
    ).toEqual([
      ['short (big)', ...big!],
      ['short (claude-sonnet-4-5)', ...claude!],
      ['promptfooconfig 2 (big)', ...big!],
      ['promptfooconfig 2 (claude-sonnet-4-5)', ...claude!],
    ]);
    expect(project.suites[0]?.prompt.places).toMatchObject({
      model: { line: 6 },
      messages: { line: 3 },
    });
  });

  test('creates endpoints for custom servers, whose addresses the workflow must set', async () => {
    const { project, problems, notices } = await read({
      [CONFIG]: `
prompts: ['{{x}}']
providers:
  - openrouter:meta-llama/llama-3.3-70b
  - ollama:chat:llama3
  - { id: 'openai:chat:local', config: { apiBaseUrl: 'https://models.example.com/v1' } }
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`,
    });
    expect(problems).toEqual([]);
    expect(servers(project)).toEqual([
      'meta-llama/llama-3.3-70b openrouter  meta-llama/llama-3.3-70b',
      'ollama:chat:llama3 openai ollama llama3',
      'models-example-com:local openai models-example-com local',
    ]);
    expect(notices.map((line) => line.replace(/^[^:]*:(\d+): .*"(.*)".*$/, '$1 $2'))).toEqual([
      '5 ollama=http://127.0.0.1:11434/v1',
      '6 models-example-com=https://models.example.com/v1 key=ENV_NAME',
    ]);
    const own = await read({
      'evaldiff.yaml': 'models: { "ollama:chat:llama3": { provider: anthropic } }',
      [CONFIG]:
        "prompts: ['{{x}}']\nproviders: ['ollama:chat:llama3']\ntests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]",
    });
    expect(own.project.settings.models.get('ollama:chat:llama3')?.provider).toBe('anthropic');
  });

  test("distinguishes servers by path and keeps each vendor's API", async () => {
    const { project } = await read({
      [CONFIG]: `
prompts: ['{{x}}']
providers:
  - { id: 'openai:chat:m', config: { apiBaseUrl: 'https://gw.example.com/team-a/v1' } }
  - { id: 'openai:chat:m', config: { apiBaseUrl: 'https://gw.example.com/team-b/v1/' } }
  - { id: 'anthropic:messages:claude-sonnet-4-5', config: { apiBaseUrl: 'https://gw.example.com/' } }
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`,
    });
    expect(servers(project)).toEqual([
      'gw-example-com-team-a:m openai gw-example-com-team-a m',
      'gw-example-com-team-b:m openai gw-example-com-team-b m',
      'gw-example-com:claude-sonnet-4-5 anthropic gw-example-com claude-sonnet-4-5',
    ]);
  });

  test.each([
    [
      'apiHost: api.example.com',
      'api-example-com:gpt-4o',
      'api-example-com=https://api.example.com/v1',
    ],
    [
      "apiBaseUrl: '{{ env.SERVER }}/v1'",
      null,
      'openai:gpt-4o is not converted: its server URL is invalid',
    ],
    ['apiBaseUrl: localhost:8080', null, 'its server URL is invalid'],
    ['apiHost: file://host.py', null, 'its server URL is invalid'],
    ["apiBaseUrl: ''", 'gpt-4o', null],
  ])(
    'sends requests for a custom server only to that server, never to a vendor: %s',
    async (config, model, said) => {
      const { project, notices } = await read({
        [CONFIG]: `
prompts: ['{{x}}']
providers: [{ id: 'openai:gpt-4o', config: { ${config} } }, 'anthropic:messages:claude-sonnet-4-5']
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`,
      });
      expect(project.suites.map(({ prompt }) => prompt.model)).toEqual([
        ...(model === null ? [] : [model]),
        'claude-sonnet-4-5',
      ]);
      expect(notices.join('\n')).toContain(said ?? '');
    },
  );

  test('lists everything that is dropped with line and reason, and keeps the rest', async () => {
    const { project, problems, notices } = await read({
      [CONFIG]: `
description: mixed
outputPath: out.json
prompts: ['Say {{x}}', 'Say {% include "it" %}', 'file://make.js']
providers: [openai:gpt-4o, 'file://own.py', 'watsonx:large', { id: 'openai:gpt-4o-mini', transform: output.trim(), config: { apiKey: sk } }]
defaultTest:
  options: { rubricPrompt: Judge }
  assert: [{ type: moderation, value: x, threshold: 0.8 }]
tests:
  - vars: { x: one }
    threshold: 0.5
    assert:
      - { type: contains, value: '{{missing}}' }
      - { type: regex, value: '(?=a)b' }
      - { type: llm-rubrik, value: fine }
      - { type: contains, value: one, weight: 2, other: output }
  - vars: { x: two }
    assert: [{ type: javascript, value: "require('fs')" }]
  - file://more.js
`,
      'evaldiff.yaml': 'grader: gpt-4o',
    });
    expect(problems).toEqual([]);
    expect(project.suites.map(({ prompt }) => prompt.name)).toEqual(['promptfooconfig']);
    expect(named(project.suites[0]?.tests.references ?? [])).toEqual([
      [{ x: 'one' }, ['regex', 'contains']],
      [{ x: 'two' }, ['preference']],
    ]);
    expect(notices.map((line) => line.replace(`${CONFIG}:`, ''))).toEqual([
      expect.stringMatching(
        /^ 1 of 3 prompts, 2 of 2 tests, 2 of 7 assertions carried over; 14 lost: 2 × the assertion moderation, .* and 10 more$/,
      ),
      expect.stringMatching(/^8: the assertion moderation .* is not supported \(2 times\)/),
      expect.stringMatching(
        /^4: a prompt is not converted: \{% include "it" %\} is not a supported variable/,
      ),
      expect.stringMatching(/^4: a prompt is not converted: prompts in code/),
      expect.stringMatching(/^7: options\.rubricPrompt/),
      expect.stringMatching(/^11: threshold is not converted: a test passes if all/),
      expect.stringMatching(/^19: tests file:\/\/more\.js .* tests from code run only if/),
      expect.stringMatching(/^5: apiKey of gpt-4o-mini .* only be set in the workflow/),
      expect.stringMatching(
        /^5: the provider gpt-4o-mini .*: its transform is not that of gpt-4o$/,
      ),
      expect.stringMatching(
        /^5: the provider file:\/\/own\.py is not converted: providers in code run only as/,
      ),
      expect.stringMatching(
        /^5: the provider watsonx:large is not converted: the provider "watsonx" is unknown/,
      ),
      expect.stringMatching(
        /^13: the assertion contains .* with\.value is empty, so every answer would contain it/,
      ),
      expect.stringMatching(/^15: the assertion llm-rubrik .*did you mean "llm-rubric"/),
      expect.stringMatching(/^18: the assertion javascript .* it uses require/),
      expect.stringMatching(
        /^9: no metric judges the answers to 1 test: .* without affecting the verdict/,
      ),
    ]);
  });

  test('asks the own provider of a test only what that test asks, or loses the test', async () => {
    const contains = 'assert: [{ type: contains, value: a }]';
    const test = (x: string, more: string) => `  - { vars: { x: ${x} }, ${more}, ${contains} }\n`;
    const { project, problems, notices } = await read({
      'evaldiff.yaml': 'grader: gpt-4o',
      [CONFIG]: `prompts: ['Say {{x}}', 'Tell {{x}}']
providers: [openai:gpt-4o]
tests:
${test('a', 'provider: { id: anthropic:messages:claude-sonnet-4-5, config: { top_k: 2 } }')}${test('b', 'metadata: { conversationId: 1 }')}${test('c', 'provider: watsonx:large')}${test('d', 'provider: { openai:gpt-4o: {} }')}${test('e', 'options: { provider: openai:gpt-4.1 }')}`,
    });
    expect(problems).toEqual([]);
    const asked = project.suites.map(({ prompt: { name, model, parameters }, tests }) => [
      name,
      model,
      parameters['top_k'],
      tests.references.map(({ input }) => input['x']).join(),
    ]);
    expect(asked).toEqual([
      ['promptfooconfig 1', 'gpt-4o', undefined, 'b,e'],
      ['promptfooconfig 1 (claude-sonnet-4-5)', 'claude-sonnet-4-5', 2, 'a'],
      ['promptfooconfig 2', 'gpt-4o', undefined, 'b,e'],
      ['promptfooconfig 2 (claude-sonnet-4-5)', 'claude-sonnet-4-5', 2, 'a'],
    ]);
    expect(notices.map((line) => line.replace(`${CONFIG}:`, ''))).toEqual([
      ' 3 of 5 tests, 3 of 3 assertions carried over; 2 lost: a test, a test',
      '7: a test is not converted: its own provider has no id',
      expect.stringMatching(/^6: a test .*: its own provider does not run: .*"watsonx" is unknown/),
      "8: provider of a test's options: the settings' grader gives all grades",
    ]);
    const shared = await only({
      [CONFIG]: `prompts: ['{{x}}']\nproviders: [openai:gpt-4o]\ndefaultTest: { provider: openai:gpt-4.1 }\ntests:\n${test('a', 'threshold: 1')}`,
    });
    expect(shared.suite.prompt.model).toBe('gpt-4.1');
  });

  test.each([
    ['one that shows it', "vars: { x: 'about {{ fruit }}' }", true],
    ['one that shows it in a condition', "vars: { x: '{% if fruit %}a{% endif %}' }", true],
    ['one with a variable of this name', 'vars: { x: a, fruit: b }', true],
    ['an assertion', "vars: { x: a }, assert: [{ type: contains, value: '{{fruit}}' }]", true],
    ['code', "vars: { x: a }, assert: [{ type: javascript, value: 'context.vars.fruit' }]", true],
    ['a file of code', 'vars: { x: a }, assert: [{ type: python, value: file://a.py }]', true],
    ['none', "vars: { x: 'a fruit' }, assert: [{ type: contains, value: fruit }]", false],
  ])('loses tests that read a stored answer of an earlier test: %s', async (_, later, isLost) => {
    const stores = 'options: { storeOutputAs: fruit }, assert: [{ type: contains, value: a }]';
    const { references, notices } = await only({
      ...asking("['Say {{x}}']", `[{ ${later} }, { vars: { x: a }, ${stores} }, { ${later} }]`),
      'evaldiff.yaml': 'grader: gpt-4o',
      'a.py': 'def get_assert(output, context):\n    return True\n',
    });
    expect(references).toHaveLength(isLost ? 2 : 3);
    const why = 'it can contain the answer to an earlier test (storeOutputAs: fruit)';
    expect(notices.join('\n').includes(why)).toBe(isLost);
  });

  test('drops an assertion that gets embeddings from another server', async () => {
    const { metrics, notices } = await only(
      asserting(
        '{ type: equals, value: x }, { type: similar, value: y, provider: { id: "openai:embedding:e", config: { apiBaseUrl: "http://localhost:1234/v1" } } }',
      ),
    );
    expect(metrics).toMatchObject([{ source: { uses: 'exact_match' } }]);
    expect(notices.join()).toContain('its embeddings come from a custom server');
  });

  // The matrix of promptfoo's own verdicts tests the other types.
  test.each<[string, string, Record<string, unknown>]>([
    [
      '{ type: similar, value: "{{text}}" }',
      'embedding_similarity',
      { value: 'hello', model: 'text-embedding-3-large', threshold: 0.75 },
    ],
    [
      '{ type: similar, value: [a, b], threshold: 0.9, provider: "openai:embedding:text-embedding-3-small" }',
      'embedding_similarity',
      { value: ['a', 'b'], model: 'text-embedding-3-small', threshold: 0.9 },
    ],
    ['{ type: latency, threshold: 500 }', 'latency', { max: 500 }],
    ['{ type: cost, threshold: 0.01 }', 'cost', { max: 0.01 }],
    [
      '{ type: llm-rubric, value: "is about {{text}}" }',
      'llm_rubric',
      { criteria: 'is about hello' },
    ],
    ['{ type: not-llm-rubric, value: rude }', 'llm_rubric', { criteria: 'rude', negate: true }],
  ])('converts %s to a metric', async (assertion, uses, given) => {
    const { metrics } = await only(asserting(assertion));
    expect(metrics[0]?.source).toEqual({ kind: 'built-in', uses, with: given });
  });

  test('keeps thresholds and labels, and turns weight 0 into a metric that does not affect the gate', async () => {
    const { metrics } = await only(
      asserting(
        '{ type: g-eval, value: clear, threshold: 0.9, metric: clarity }, { type: contains, value: a, weight: 0 }, { type: contains, value: b }',
      ),
    );
    expect(metrics.map(({ name, threshold, skip }) => [name, threshold, skip])).toEqual([
      ['clarity', 0.9, false],
      ['contains', null, true],
      ['contains-2', null, false],
    ]);
  });

  test('uses the grading model of defaultTest if the settings have no grader', async () => {
    const test =
      '  - { vars: { text: a, language: b }, assert: [{ type: llm-rubric, value: fine }] }\n';
    const files = config(test, 'defaultTest: { options: { provider: openai:gpt-4o-mini } }\n');
    expect((await read(files)).project.settings.grader).toMatchObject({
      model: 'gpt-4o-mini',
      place: { file: CONFIG, line: 4 },
    });
    const settled = await read({ 'evaldiff.yaml': 'grader: gpt-4o', ...files });
    expect(settled.project.settings.grader?.model).toBe('gpt-4o');
    expect(await problemsOf(config(test))).toEqual([
      `${CONFIG}:5: metric "llm-rubric" needs a grader: name a model in the settings file, grader: { model: … }`,
    ]);
  });

  test('gives metrics the transforms of provider, test and assertion, in this order', async () => {
    const { project, problems, notices } = await read({
      'evaldiff.yaml': 'grader: gpt-4o',
      [CONFIG]: `prompts: ['Say {{x}}']
providers: [{ id: openai:gpt-4o, transform: output.trim() }]
tests:
  - vars: { x: one }
    assert:
      - { type: not-contains, value: READ, transform: output.toUpperCase() }
      - { type: contains, value: a, transform: file://own.js }
  - vars: { x: two }
    options: { transform: JSON.parse(output).answer }
    assert: [{ type: equals, value: yes }, { type: latency, threshold: 90 }, { type: python, value: 'True' }]
  - vars: { x: three }
    options: { transform: JSON.parse(output).answer }
`,
    });
    expect(problems).toEqual([]);
    const given = project.suites[0]?.tests.references.map(({ metrics = [] }) =>
      metrics.map(({ name, source }) => [
        name,
        source.kind === 'built-in' ? source.with['transform'] : null,
      ]),
    );
    const step = (code: string) => `output = await (async function () {\nreturn ${code}\n})();\n`;
    expect(given).toEqual([
      [['not-contains', `${step('output.trim()')}${step('output.toUpperCase()')}return output;`]],
      [
        ['equals', `${step('output.trim()')}${step('JSON.parse(output).answer')}return output;`],
        ['latency', undefined],
      ],
      [['preference', undefined]],
    ]);
    expect(notices.slice(0, 4)).toEqual([
      expect.stringContaining('3 of 3 tests, 3 of 5 assertions carried over; 3 lost: '),
      `${CONFIG}:7: the assertion contains is not converted: its transform is not JavaScript in this file`,
      `${CONFIG}:10: the assertion python is not converted: a transform in JavaScript cannot change the answer of a check in Python`,
      `${CONFIG}:11: options.transform is not converted: answers are shown unchanged`,
    ]);
  });

  test('treats similar:cosine as similar, and ignores top-level keys that only define YAML anchors', async () => {
    const { metrics, notices } = await only(
      config(
        '  - { vars: { text: a, language: x }, assert: [*same, { type: unheard-of }] }\n',
        "x-shared: &same { type: 'not-similar:cosine', value: y, provider: openai:embedding:text-embedding-3-small }\n",
      ),
    );
    expect(metrics).toMatchObject([
      { source: { uses: 'embedding_similarity', with: { negate: true } } },
    ]);
    expect(notices).toEqual([
      expect.stringContaining('1 of 2 assertions carried over; 1 lost'),
      expect.stringMatching(/the assertion unheard-of .*: this type is not supported$/),
    ]);
  });

  test('joins a list inside an assertion with commas, like promptfoo', async () => {
    const { metrics } = await only(
      config(
        "  - { vars: { text: { a: 1 }, language: [[1, x], y] }, assert: [{ type: contains, value: 'in {{language}}' }, { type: contains-any, value: ['{% if text %}{{language}}{% endif %}', '{{ text }}'] }] }\n",
      ),
    );
    expect(metrics.map(valueOf)).toEqual(['in 1,x,y', ['1,x,y', '[object Object]']]);
  });

  test.each([
    ['options: { prefix: Please }', 'its options.prefix changes the request'],
    ['options: { suffix: Now }', 'its options.suffix changes the request'],
    ['options: { transformVars: vars }', 'its options.transformVars changes the request'],
    ['prompts: [short]', 'its key prompts restricts it'],
    ['providers: [openai:gpt-4o]', 'its key providers restricts it'],
  ])('drops a test that limits or changes its requests (%s)', async (key, why) => {
    const { project, notices } = await read(
      config(
        `  - { vars: { text: a, language: x }, assert: [{ type: contains, value: a }] }\n  - { vars: { text: b, language: x }, ${key}, assert: [{ type: contains, value: a }] }\n`,
      ),
    );
    expect(project.suites[0]?.tests.references.map(({ input }) => input['text'])).toEqual(['a']);
    expect(notices).toEqual([
      `${CONFIG}: 1 of 2 tests, 1 of 1 assertion carried over; 1 lost: a test`,
      expect.stringContaining(`${CONFIG}:6: a test is not converted: ${why}`),
    ]);
  });

  test('applies defaultTest to every test unless the test disables it', async () => {
    const { references } = await only(
      config(
        '  - { vars: { text: a }, assert: [{ type: contains, value: x }] }\n  - { vars: { text: b, language: Thai }, options: { disableDefaultAsserts: true }, assert: [{ type: contains, value: y }] }\n',
        'defaultTest:\n  vars: { language: French }\n  assert: [{ type: not-contains, value: sorry }]\n',
      ),
    );
    expect(references).toMatchObject([
      {
        input: { language: 'French', text: 'a' },
        metrics: [
          { name: 'not-contains', place: { line: 6 } },
          { name: 'contains', place: { line: 8 } },
        ],
      },
      {
        input: { language: 'Thai', text: 'b' },
        metrics: [{ name: 'contains', place: { line: 9 } }],
      },
    ]);
  });

  test('expands listed values to all combinations, and maps to separate variables', async () => {
    const { suite, references } = await only(
      asking(
        '[\'{{user.name}} of {{user.towns[0]}}: {{a}}{{b}} {"k": "{v}"}\']',
        '\n  - description: all\n    vars: { user: { name: Ada, towns: [Rome] }, a: ["1", "2"], b: [x, y] }\n    assert: [{ type: contains, value: \'{{user.name}} {{a}}\' }]',
      ),
    );
    expect(suite.prompt.messages[0]?.content).toBe(
      '{user_name} of {user_towns_0}: {a}{b} {"k": "{{v}}"}',
    );
    const given = { user_name: 'Ada', user_towns_0: 'Rome' };
    expect(references.map(({ input }) => input)).toMatchObject([
      { ...given, a: '1', b: 'x' },
      { ...given, a: '1', b: 'y' },
      { ...given, a: '2', b: 'x' },
      { ...given, a: '2', b: 'y' },
    ]);
    expect(references[2]?.metrics?.map(valueOf)).toEqual(['Ada 2']);
    expect(new Set(references.map(({ id }) => id)).size).toBe(4);
  });

  test('reads prompts and tests from files, with the line numbers in those files', async () => {
    const { project, problems, notices } = await read({
      'evals/promptfooconfig.yaml':
        'prompts: [file://prompts/chat.json, prompts/two.txt]\nproviders: openai:gpt-4o\ntests:\n  - file://tests/*.yaml\n  - tests/cases.csv\n  - tests/more.jsonl\n',
      'evals/prompts/chat.json':
        '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "{{q}}"}]',
      'evals/prompts/two.txt': 'First {{q}}\n---\nSecond {{q}}\n',
      'evals/tests/a.yaml':
        '- vars: { q: file://tests/note.txt }\n  assert: [{ type: contains, value: a }]\n',
      'evals/tests/note.txt': 'noted\n',
      'evals/tests/cases.csv':
        'q,__expected,__expected2,__description,__metadata:kind\nb,b,"contains-any: x,y",row b,k\nc,levenshtein(3): see,,,\n',
      'evals/tests/more.jsonl': '{"vars": {"q": "d"}, "assert": [{"type": "is-json"}]}\n',
    });
    expect([problems, notices]).toEqual([[], []]);
    expect(
      project.suites.map(({ prompt: { name, messages } }) => [
        name,
        ...messages.map(({ role, content, place: { file, line } }) =>
          [role, content, `${file}:${line}`].join(' '),
        ),
      ]),
    ).toEqual([
      ['chat', 'system Be brief. evals/prompts/chat.json:1', 'user {q} evals/prompts/chat.json:1'],
      ['two 1', 'user First {q} evals/prompts/two.txt:1'],
      ['two 2', 'user Second {q} evals/prompts/two.txt:3'],
    ]);
    const text = (value: unknown) => ({ value, trim: false });
    expect(
      project.suites[0]?.tests.references.map(({ id, place, input, metrics }) => [
        `${place.file.replace('evals/tests/', '')}:${place.line}`,
        input['q'],
        id.length === 10 ? '-' : id,
        ...(metrics ?? []).map(({ name, source }) => [
          name,
          source.kind === 'built-in' && source.with,
        ]),
      ]),
    ).toEqual([
      ['a.yaml:1', 'noted', 'q: evals/tests/note.txt', ['contains', text('a')]],
      ['cases.csv:2', 'b', 'row b', ['equals', text('b')], ['contains-any', text(['x', 'y'])]],
      ['cases.csv:3', 'c', '-', ['levenshtein', { ...text('see'), max_distance: 3 }]],
      ['more.jsonl:1', 'd', '-', ['is-json', {}]],
    ]);
  });

  test('reports an invalid file, and files it names that do not exist', async () => {
    for (const text of ['name: x\nmodel: gpt-4o\n', '- a\n'])
      expect(await problemsOf({ [CONFIG]: text })).toEqual([
        `${CONFIG}: is not a promptfoo configuration: it has neither prompts, providers nor tests`,
      ]);
    expect(
      await problemsOf(config('  - file://gone.yaml\n  - ../../out.csv\n  - t/*.yaml\n')),
    ).toEqual([
      `${CONFIG}:5: gone.yaml does not exist at abc1234`,
      `${CONFIG}:6: ../../out.csv must be a relative path inside the repository`,
      `${CONFIG}:7: t/*.yaml matches no file`,
    ]);
  });

  test('is read only if the settings list it or there are no other prompts', async () => {
    const ours = {
      'prompts/p.yaml':
        'name: p\nmodel: gpt-4o\nprompt: hi\ntests: { metrics: [{ uses: is_json }], references: [{}] }\n',
    };
    const beside = async (files: Record<string, string>) => {
      const { project, notices } = await read({ ...files, ...config(TEST) });
      return [project.suites.map(({ prompt }) => prompt.name), notices];
    };
    expect(await beside(ours)).toEqual([
      ['p'],
      [
        `${CONFIG}: is not read, because this project has evaldiff prompts. To read it, list it under prompts in the settings`,
      ],
    ]);
    const listed = { 'evaldiff.yaml': `prompts: [prompts/*.yaml, ${CONFIG}]\n` };
    expect(await beside({ ...ours, ...listed })).toEqual([['promptfooconfig', 'p'], []]);
    const [unlisted] = await beside({ 'evaldiff.yaml': 'prompts: prompts/*.yaml\n' });
    expect(unlisted).toEqual([]);
  });
});

describe('in a promptfoo configuration', () => {
  const inputs = async (files: Record<string, string>) =>
    (await only(files)).references.map(({ input }) => input);
  const sourceOf = async (assertion: string, files: Record<string, string> = {}) => {
    const { metrics, notices } = await only(asserting(assertion, files));
    return metrics[0]?.source ?? notices;
  };
  const ONE = '[{ vars: { x: a }, assert: [{ type: is-json }] }]';

  test("a prompt's configuration overrides its provider's", async () => {
    const { suite, notices } = await only(
      asking("[{ raw: '{{x}}', label: l, config: { temperature: 0.9 }, function: f }]", ONE),
    );
    expect(suite.prompt.parameters).toEqual({ temperature: 0.9, max_tokens: 1024 });
    expect(notices.join('\n')).toContain('function of a prompt is not converted');
  });

  test.each([
    ['regex', 'regex', { pattern: 'gold' }],
    ['llm-rubric', 'llm_rubric', { criteria: 'gold' }],
    ['factuality', 'factuality', { value: 'gold' }],
  ])('assertion %s compares with the content of its file', async (type, uses, wanted) => {
    const file = { 'g/g.txt': 'gold\n' };
    const found = await sourceOf(`{ type: ${type}, value: 'file://g/g.txt' }`, file);
    expect(found).toMatchObject({ uses, with: wanted });
  });

  test('a list makes several tests only if it contains texts and expansion is enabled', async () => {
    expect(
      await inputs(
        config(
          '  - vars: { text: [{ role: user }, { role: ai }], language: [1, 2] }\n    assert: [{ type: is-json }]\n  - vars: { text: [a, b], language: x }\n    options: { disableVarExpansion: true }\n    assert: [{ type: is-json }]\n  - vars: { text: [a, b], language: x }\n    assert: [{ type: is-json }]\n',
        ),
      ),
    ).toEqual([
      { text: '[{"role":"user"},{"role":"ai"}]', language: '[1,2]' },
      { text: '["a","b"]', language: 'x' },
      { text: 'a', language: 'x' },
      { text: 'b', language: 'x' },
    ]);
  });

  test('paths in any file are relative to the configuration', async () => {
    const files = {
      ...config('  - file://cases/t.yaml\n  - cases/c.csv\n'),
      'cases/t.yaml':
        '- { vars: { text: file://s.txt, language: x }, assert: [{ type: equals, value: file://s.txt }] }\n',
      'cases/c.csv': 'text,language,__expected\nfile://s.txt,y,contains: a\n',
      's.txt': 'root\n',
      'cases/s.txt': 'beside\n',
    };
    expect((await inputs(files)).map(({ text }) => text)).toEqual(['root', 'root']);
  });

  test("a variable can use other variables and the file's env, but not the process environment", async () => {
    const { suite, notices } = await only({
      [CONFIG]: `env: { OWN: own }
prompts: ['{{text}} {{ env.OWN }}']
providers: [openai:gpt-4o]
tests:
  - { vars: { y: abc, text: '{{ y }} {{ y | upper }} {{nothing}} {{ env.OWN }}' }, assert: [{ type: is-json }] }
  - { vars: { text: 'for {{ env.HOME }}' }, assert: [{ type: is-json }] }
`,
    });
    expect(suite.prompt.messages[0]?.content).toBe('{text} own');
    expect(suite.tests.references.map(({ input }) => input['text'])).toEqual([
      'abc {{ y | upper }} {{nothing}} own',
    ]);
    expect(notices.join('\n')).toContain(
      'its variable text takes env.HOME from the environment, which files do not contain',
    );
  });

  test('a missing variable is empty, with a notice', async () => {
    const files = config('  - { vars: { text: a }, assert: [{ type: is-json }] }\n');
    const { references, notices } = await only(files);
    expect(references[0]?.input).toEqual({ text: 'a', language: '' });
    expect(notices).toEqual([
      `${CONFIG}:5: {{language}} has no value in 1 test and is empty there`,
    ]);
  });

  test('a variable in single braces is text', async () => {
    const { suite } = await only(
      asking(
        '[\'Read {text}: {other} {"a": 1}\']',
        '[{ vars: { text: a }, assert: [{ type: is-json }] }]',
      ),
    );
    expect(suite.prompt.messages[0]?.content).toBe('Read {{text}}: {{other}} {"a": 1}');
  });

  test('a file named in a separate test file keeps its last line feed and is rendered as a template', async () => {
    const values = async (files: Record<string, string>) =>
      (await only(files)).references.map(({ metrics }) => metrics?.map(valueOf));
    const asserts =
      '[{ type: equals, value: file://g.txt }, { type: contains-all, value: file://l.json }]';
    const files = { 'g.txt': 'gold {{text}}\n', 'l.json': '["{{text}}", "b"]' };
    const row = `{ vars: { text: a, language: x }, assert: ${asserts} }`;
    expect(
      await values({ ...config(`  - ${row}\n  - t.yaml\n`), ...files, 't.yaml': `- ${row}\n` }),
    ).toEqual([
      ['gold {{text}}', ['{{text}}', 'b']],
      ['gold a\n', ['a', 'b']],
    ]);
  });

  test('a prompt in a JSON or YAML file is a chat, and may name text files', async () => {
    const { project } = await read({
      ...asking(
        '[file://c.yaml, file://c.json]',
        "[{ vars: { x: '{{ y | upper }}', y: b }, assert: [{ type: is-json }] }]",
      ),
      'c.yaml': '- { role: system, content: file://s.md }\n- { role: user, content: "{{x}}" }\n',
      'c.json': '[{"role": "user", "content": "file://s.md"}]',
      's.md': 'Be {{y}}',
    });
    expect(
      project.suites.map(({ prompt }) => prompt.messages.map(({ content }) => content)),
    ).toEqual([['Be {y}', '{x}'], ['Be {y}']]);
    expect(project.suites[0]?.tests.references[0]?.input['x']).toBe('{{ y | upper }}');
  });

  test('the configuration of a prompt in a .txt file is ignored, with a notice', async () => {
    const { suite, notices } = await only({
      ...asking('[{ id: file://p.txt, label: l, config: { temperature: 0.9 } }]', ONE),
      'p.txt': '{{x}}',
    });
    expect(suite.prompt.parameters).toEqual({ temperature: 0, max_tokens: 1024 });
    expect(notices.join()).toContain('promptfoo ignores it for a .txt prompt');
  });

  test("a test that disables default assertions keeps its scenario's assertions", async () => {
    const { references } = await only({
      [CONFIG]: `prompts: ['{{x}}']
providers: [openai:gpt-4o]
defaultTest: { assert: [{ type: contains, value: default }] }
scenarios:
  - config: [{ vars: { x: a }, assert: [{ type: contains, value: scenario }] }]
    tests:
      - { options: { disableDefaultAsserts: true }, assert: [{ type: contains, value: own }] }
      - { assert: [{ type: contains, value: own }] }
`,
    });
    expect(references.map(({ metrics }) => metrics?.map(valueOf))).toEqual([
      ['scenario', 'own'],
      ['default', 'scenario', 'own'],
    ]);
  });

  test('a defaultTest with variables is the only test if there are no others', async () => {
    const files = {
      [CONFIG]:
        "prompts: ['{{x}}']\nproviders: [openai:gpt-4o]\ndefaultTest: { vars: { x: one } }\n",
    };
    expect(await inputs(files)).toEqual([{ x: 'one' }]);
  });

  test.each([
    ['output.length === {{ text | length }}', 'output.length === 5'],
    ['output.includes("{{gone}}")', 'output.includes("")'],
    ['({ a: { b: 1 }}).a', '({ a: { b: 1 }}).a'],
    ['[{{a: 1}}]', '[{{a: 1}}]'],
  ])('code is rendered as a template only if it contains one: %s', async (value, wanted) => {
    const found = await sourceOf(`{ type: javascript, value: '${value}' }`);
    expect(JSON.stringify(found)).toContain(JSON.stringify(`return ${wanted}`).slice(1, -1));
  });

  test('a Markdown file is one prompt even if it contains lines of dashes', async () => {
    const { project } = await read({
      ...asking('[file://p.md, file://p.j2, file://p.txt]', ONE),
      'p.md': '# {{x}}\n\n---\n\nmore',
      'p.j2': '{{x}}\n---\nmore',
      'p.txt': '{{x}}\n---\nmore {{x}}',
    });
    expect(project.suites.map(({ prompt }) => prompt.messages[0]?.content)).toEqual([
      '# {x}\n\n---\n\nmore',
      '{x}\n---\nmore',
      '{x}',
      'more {x}',
    ]);
  });

  test.each([
    ['llm-rubric(0.8): is polite', { uses: 'llm_rubric', with: { criteria: 'is polite' } }],
    ['not-llm-rubric: rude', { with: { criteria: 'rude', negate: true } }],
    ['model-graded-factuality: so', { uses: 'factuality', with: { value: 'so' } }],
    ['contains-any: a, "b, c"', { with: { value: ['a', 'b, c'] } }],
    ['levenshtein(3): see', { with: { value: 'see', max_distance: 3 } }],
    ['levenshtein: see', { with: { value: 'see', max_distance: 0 } }],
    ['file://g.txt', { uses: 'exact_match', with: { value: 'gold' } }],
    ['just: text', { uses: 'exact_match', with: { value: 'just: text' } }],
    ['is-xml', null],
    ['context-recall(0.8): x', null],
    ['gleu(0.1): x', null],
  ])('the assertion %s in a CSV cell is converted or reported', async (cell, wanted) => {
    const { metrics, notices } = await only({
      'evaldiff.yaml': 'grader: gpt-4o',
      ...config('  - c.csv\n'),
      'c.csv': `text,language,__expected\na,b,"${cell.replaceAll('"', '""')}"\n`,
      'g.txt': 'gold',
    });
    const [metric] = metrics;
    if (wanted === null)
      expect(notices.join('\n')).toMatch(/the assertion [a-z-]+ is not converted/);
    else expect(metric?.source).toMatchObject(wanted);
  });

  test.each([
    ["const fs = require('fs');\nmodule.exports = () => true;", 'imports fs', 1],
    [
      "// require('x')\nimport { a } from './a.mjs';\nexport default () => a;",
      'imports ./a.mjs',
      2,
    ],
    ['module.exports = async () =>\n  fetch("https://a.example");', 'uses fetch', 2],
    ['module.exports = (o, { vars }) => process.cwd() !== vars.x;', 'uses process.cwd', 1],
    [
      'module.exports = (o, context) =>\n  context.providerResponse.cost < 1;',
      'uses providerResponse',
      2,
    ],
  ])(
    'code that cannot run in the sandbox is reported at its line: %j',
    async (code, what, line) => {
      const said = await sourceOf('{ type: javascript, value: file://c/x.mjs }', {
        'c/x.mjs': code,
      });
      expect(String(said)).toContain(`it ${what}`);
      expect(String(said)).toContain(`c/x.mjs:${line}`);
    },
  );
});

describe('a promptfoo configuration without prompts', () => {
  test.each(['promptfooconfig.yaml', 'evals/rss.yaml'])(
    "uses each test's variable named prompt, in %s",
    async (file) => {
      const { project, problems, notices } = await read({
        'evaldiff.yaml': `prompts: ['${file}']\n`,
        [file]:
          "providers: ['openai:gpt-4o']\ntests:\n  - { vars: { prompt: Say hi }, assert: [{ type: contains, value: hi }] }\n",
      });
      expect([problems, notices]).toEqual([[], []]);
      expect(project.suites).toMatchObject([
        {
          prompt: { messages: [{ role: 'user', content: '{prompt}' }] },
          tests: { references: [{ input: { prompt: 'Say hi' } }] },
        },
      ]);
    },
  );
});
