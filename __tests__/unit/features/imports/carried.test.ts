import { read } from '../../config/tree.ts';

const CONFIG = 'promptfooconfig.yaml';

const TESTS = `tests:
  - { vars: { x: one }, assert: [{ type: contains, value: a }, { type: icontains, value: b }] }
  - { vars: { x: two }, assert: [{ type: contains, value: c }] }
`;

async function imported(text: string, more: Record<string, string> = {}) {
  const { project, problems, notices } = await read({ [CONFIG]: text, ...more });
  return {
    problems,
    notices,
    settings: project.settings,
    suites: project.suites.map(({ prompt: { name, model, parameters }, tests }) => ({
      name,
      model,
      parameters,
      shared: tests.metrics.map(({ name: metric, skip }) => [metric, skip]),
      references: tests.references.map(({ input, metrics = [], problem }) => [
        input['x'],
        metrics.map(({ name: metric, skip }) => (skip ? `(${metric})` : metric)),
        problem,
      ]),
    })),
  };
}

describe('a configuration with unusable providers', () => {
  test.each([
    [
      'providers in code',
      'providers: [file://own.py, exec:./run.sh]',
      'providers in code run only as',
    ],
    [
      'a custom HTTP request',
      "providers: [{ id: 'https://app.example.com/ask', config: { body: { q: '{{prompt}}' } } }]",
      'a URL with its own protocol is not supported',
    ],
    ['an unknown vendor', 'providers: watsonx:granite', 'the provider "watsonx" is unknown'],
    ['no chat model', 'providers: [openai:embedding:e]', 'names no chat model'],
    ['no provider', 'description: nothing', 'no provider is named'],
  ])(
    'keeps its prompts and tests and uses the model "default" if it has %s',
    async (_, written, why) => {
      const { problems, notices, suites } = await imported(
        `prompts: ['Say {{x}}', 'Shout {{x}}']\n${written}\n${TESTS}`,
      );
      expect(problems).toEqual([]);
      expect(suites.map(({ name, model, references }) => [name, model, references])).toEqual(
        ['promptfooconfig 1', 'promptfooconfig 2'].map((name) => [
          name,
          'default',
          [
            ['one', ['contains', 'icontains'], null],
            ['two', ['contains'], null],
          ],
        ]),
      );
      expect(notices[0]).toContain(why);
      expect(notices.every((line) => line.includes('go to the model "default"'))).toBe(true);
    },
  );

  test('drops the unusable providers if it also has usable ones', async () => {
    const { notices, suites } = await imported(
      `prompts: ['Say {{x}}']\nproviders: [file://own.py, openai:gpt-4o]\n${TESTS}`,
    );
    expect(suites.map(({ model }) => model)).toEqual(['gpt-4o']);
    expect(notices).toEqual([
      `${CONFIG}: 2 of 2 tests, 3 of 3 assertions carried over; 1 lost: the provider file://own.py`,
      expect.stringContaining(`${CONFIG}:2: the provider file://own.py is not converted`),
    ]);
  });
});

test.each([
  ['groq:llama-3.3-70b-versatile', 'groq', 'llama-3.3-70b-versatile'],
  ['togetherai:meta-llama/Llama-3', 'together', 'meta-llama/Llama-3'],
  ['azureopenai:chat:my-deployment', 'azure', 'my-deployment'],
  ['localai:chat:lunademo', 'localai', 'lunademo'],
])('provider %s uses the endpoint or vendor %s', async (id, endpoint, model) => {
  const { problems, notices, settings, suites } = await imported(
    `prompts: ['Say {{x}}']\nproviders: ['${id}']\n${TESTS}`,
  );
  expect(problems).toEqual([]);
  const entry = settings.models.get(suites[0]?.model ?? '');
  // A vendor that evaldiff knows is called at its own host, without an endpoint.
  expect([entry?.endpoint ?? entry?.provider, entry?.model]).toEqual([endpoint, model]);
  expect(notices).toEqual(
    entry?.endpoint === null ? [] : [expect.stringContaining(`--endpoint "${endpoint}=`)],
  );
});

test.each([
  'google:gemini-2.5-flash',
  'deepseek:deepseek-chat',
  'mistral:mistral-large-latest',
  'perplexity:sonar',
  'xai:grok-4',
])('provider %s needs no settings entry, because its name identifies the vendor', async (id) => {
  const { problems, notices, settings, suites } = await imported(
    `prompts: ['Say {{x}}']\nproviders: ['${id}']\n${TESTS}`,
  );
  expect([problems, notices, settings.models.size]).toEqual([[], [], 0]);
  expect(suites.map(({ model }) => model)).toEqual([id.split(':')[1]]);
});

describe('tests without assertions', () => {
  const mixed = `prompts: ['Say {{x}}']\nproviders: [openai:gpt-4o]\n${TESTS}  - { vars: { x: three } }\n`;
  const none = `prompts: ['Say {{x}}']\nproviders: [openai:gpt-4o]\ntests: [{ vars: { x: one } }, { vars: { x: two } }]\n`;

  test('are shown next to tests with assertions, and a grader compares their answers without affecting the verdict', async () => {
    const bare = await imported(mixed);
    expect(bare.suites[0]?.references.at(-1)).toEqual(['three', ['(shown)'], null]);
    expect(bare.notices).toEqual([
      expect.stringMatching(/1 test: they are shown and do not affect the verdict/),
    ]);
    const graded = await imported(mixed, { 'evaldiff.yaml': 'grader: gpt-4o\n' });
    expect(graded.suites[0]?.references.at(-1)).toEqual(['three', ['(preference)'], null]);
    expect(graded.suites[0]?.references[0]).toEqual(['one', ['contains', 'icontains'], null]);
  });

  test("are judged by comparing base's and head's answers if no test has assertions", async () => {
    for (const [text, more] of [
      [none, { 'evaldiff.yaml': 'grader: gpt-4o\n' }],
      [`defaultTest: { options: { provider: openai:gpt-4o } }\n${none}`, {}],
    ] as const) {
      const { problems, suites } = await imported(text, more);
      expect(problems).toEqual([]);
      expect(suites[0]?.shared).toEqual([['preference', false]]);
      expect(suites[0]?.references).toEqual([
        ['one', [], null],
        ['two', [], null],
      ]);
    }
    expect((await imported(none)).suites[0]?.shared).toEqual([['shown', true]]);
  });

  test('include tests whose assertions were all dropped, and the dropped assertions are counted as lost', async () => {
    const { notices, suites } = await imported(
      `prompts: ['Say {{x}}']\nproviders: [openai:gpt-4o]\ntests: [{ vars: { x: one }, assert: [{ type: moderation }, { type: webhook, value: u }] }]\n`,
    );
    expect(suites[0]?.references).toEqual([['one', [], null]]);
    expect(notices[0]).toBe(
      `${CONFIG}: 1 of 1 test, 0 of 2 assertions carried over; 2 lost: the assertion moderation, the assertion webhook`,
    );
  });

  test('include one test for a prompt that has no variables and no tests', async () => {
    const { problems, suites } = await imported('prompts: [Hello]\nproviders: [openai:gpt-4o]\n');
    expect([problems, suites[0]?.references]).toEqual([[], [[undefined, [], null]]]);
    expect(
      (await imported("prompts: ['Say {{x}}']\nproviders: [openai:gpt-4o]\n")).notices,
    ).toEqual([expect.stringContaining('has no tests, so it is not evaluated')]);
  });
});
