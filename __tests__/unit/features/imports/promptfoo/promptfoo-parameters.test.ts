import { readFixture } from '../../../../stand-ins/fixture.ts';
import { read } from '../../../config/tree.ts';

const CONFIG = 'promptfooconfig.yaml';

/** Parameters of a configuration's suites, and its problems and notices. */
async function asked(
  providers: unknown,
  files: Record<string, string> = {},
  prompt: unknown = 'Hi {{x}}',
) {
  const { project, problems, notices } = await read({
    [CONFIG]: JSON.stringify({
      prompts: [prompt],
      providers,
      tests: [{ vars: { x: 'a' }, assert: [{ type: 'contains', value: 'a' }] }],
    }),
    ...files,
  });
  return {
    suites: project.suites.map(({ prompt: { model, parameters } }) => [model, parameters]),
    parameters: project.suites[0]?.prompt.parameters,
    said: [...problems, ...notices].join('\n'),
  };
}

const CHAT = { temperature: 0, max_tokens: 1024 };

describe("a provider's configuration", () => {
  test.each(
    readFixture('promptfoo/parameters.yaml') as { id: string; config: object; sent: object }[],
  )('of $id with $config is sent as promptfoo sends it', async ({ id, config, sent }) => {
    expect((await asked([{ id, config }])).parameters).toEqual(sent);
  });

  test('omits keys that promptfoo ignores, with a notice', async () => {
    const { parameters, said } = await asked([
      { id: 'openai:gpt-4o', config: { maxTokens: 5, topP: 0.3, n: 2, max_completion_tokens: 9 } },
    ]);
    expect(parameters).toEqual(CHAT);
    expect(said).toContain(
      'gpt-4o: promptfoo does not send maxTokens, topP, n, max_completion_tokens, so evaldiff does not either',
    );
  });

  test('includes the files it names, at any depth', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const format = { name: 'n', strict: true, schema: 'file://schema.json' };
    const { parameters } = await asked(
      [
        {
          id: 'openai:gpt-4o',
          config: {
            tools: ['file://tools.json', 'file://more/*.yaml'],
            response_format: { type: 'json_schema', json_schema: format },
          },
        },
      ],
      {
        'tools.json': '[{"type": "function", "function": {"name": "f"}}]',
        'more/a.yaml': 'type: function\nfunction: { name: g }\n',
        'schema.json': JSON.stringify(schema),
      },
    );
    expect(parameters).toEqual({
      ...CHAT,
      tools: ['f', 'g'].map((name) => ({ type: 'function', function: { name } })),
      response_format: { type: 'json_schema', json_schema: { ...format, schema } },
    });
  });

  test('is overridden by the configuration of a prompt, which may include files', async () => {
    const { parameters } = await asked(
      ['openai:gpt-4o'],
      { 'f.yaml': 'type: json_object\n' },
      { raw: 'Hi {{x}}', label: 'l', config: { temperature: 1, response_format: 'file://f.yaml' } },
    );
    expect(parameters).toEqual({
      temperature: 1,
      max_tokens: 1024,
      response_format: { type: 'json_object' },
    });
  });

  test.each([
    [{ tools: 'file://t.py:tools' }, 'tools of gpt-4o is not converted: file://t.py:tools is not'],
    [{ tools: ['file://t.js:tools'] }, 'file://t.js:tools is not supported: only JSON and YAML'],
    [
      { response_format: { type: 'json_schema', json_schema: { name: '{{x}}' } } },
      'response_format of gpt-4o is not converted: it is a template that promptfoo fills in',
    ],
  ])('that cannot be converted is reported: %j', async (config, said) => {
    const found = await asked([{ id: 'openai:gpt-4o', config }]);
    expect(found.parameters).toEqual(CHAT);
    expect(found.said).toContain(said);
  });

  test.each([
    ['a list', ['openai:gpt-4.1', 'file://p/more.yaml']],
    ['a single name', 'file://p/all.yaml'],
  ])('can be in a separate file, named by %s', async (_, providers) => {
    const more = '- { id: openai:gpt-4o, config: { seed: 1 } }\n- openai:gpt-4o-mini\n';
    const { suites, said } = await asked(providers, {
      'p/more.yaml': more,
      'p/all.yaml': `- openai:gpt-4.1\n${more}`,
    });
    expect(said).toBe('');
    expect(suites).toEqual([
      ['gpt-4.1', CHAT],
      ['gpt-4o', { ...CHAT, seed: 1 }],
      ['gpt-4o-mini', CHAT],
    ]);
  });

  test('in a missing file is reported where it is named', async () => {
    expect((await asked(['file://gone.yaml'])).said).toContain(`${CONFIG}:1: gone.yaml does not`);
  });
});
