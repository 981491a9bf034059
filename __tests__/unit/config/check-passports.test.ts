import { readProject } from '../../../src/config/project.ts';
import { formatProblem } from '../../../src/errors.ts';
import { png } from '../../stand-ins/pictures.ts';
import { optionsOf, read, tools, treeOf } from './tree.ts';

const TESTS = `metrics: [{ name: m, uses: exact_match }]
references: [{ id: a, input: {}, expected: x }]
`;

const promptOf = (lines: string) => `defaults: [tests/p]\nname: p\n${lines}\nprompt: hi\n`;

async function check(
  prompt: string,
  {
    settings = '',
    today = '2026-11-22',
    past = 'problem' as 'problem' | 'notice',
    head = true,
  } = {},
) {
  const files = {
    'evaldiff.yaml': settings || '{}\n',
    'prompts/p.yaml': promptOf(prompt),
    'prompts/tests/p.yaml': TESTS,
  };
  const { problems, project } = await readProject(
    treeOf(files),
    optionsOf({ configRequired: head }),
    { ...tools, ends: { today, past } },
  );
  return { problems: problems.map(formatProblem), notices: project.notices.map(formatProblem) };
}

describe('parameter that the model does not support', () => {
  test.each([
    ['claude-opus-4-7\ntemperature: 0', 'temperature other than 1'],
    ['claude-sonnet-5-5\ntop_k: 3', 'top_k'],
    [
      'claude-haiku-4-5\ntop_p: 0.5\ntemperature: 0',
      'top_p (only without temperature): remove line 5 or remove line 4',
    ],
    ['o3\ntemperature: 0.2', 'temperature other than 1'],
    ['gpt-5.5\nmax_tokens: 10', 'max_tokens: write max_completion_tokens instead of max_tokens'],
    ['gpt-6-luna\ntemperature: 0', 'temperature other than 1 (only with reasoning_effort: none)'],
    [
      'gpt-5.4-mini\ntemperature: 0\nreasoning_effort: low',
      'temperature other than 1 (only with reasoning_effort: none or without it): change line 5 or remove line 4',
    ],
    [
      'claude-sonnet-5\nthinking: { type: enabled, budget_tokens: 2000 }',
      'thinking (enabled): write thinking: { type: adaptive } instead of thinking',
    ],
    [
      'claude-opus-5-5\nthinking: { type: disabled }',
      'thinking (enabled or disabled): write thinking: { type: adaptive } instead of thinking',
    ],
    [
      'claude-haiku-4-5\ntemperature: 0\nthinking: { type: enabled, budget_tokens: 2000 }',
      'temperature other than 1 (only with thinking: disabled or without it): change line 5 or remove line 4',
    ],
    ['gpt-5-mini\nreasoning_effort: none', 'reasoning_effort (none)'],
  ])('is an error at its line before any call: %j', async (lines, message) => {
    const advice = /: (write|change|remove) /.test(message) ? '' : ': remove line 4';
    expect((await check(`model: ${lines}`)).problems).toEqual([
      `prompts/p.yaml:4: ${lines.split('\n')[0] ?? ''} does not accept ${message}${advice}`,
    ]);
  });

  test.each([
    'model: claude-sonnet-4-6\ntemperature: 0',
    'model: claude-opus-4-7\ntemperature: 1',
    'model: gpt-5.4-mini\ntemperature: 0',
    'model: gpt-6-luna\ntemperature: 0\nreasoning_effort: none',
    'model: gpt-4o\ntemperature: 0\nmax_tokens: 10',
    'model: claude-sonnet-5\nthinking: { type: disabled }',
    'model: claude-sonnet-4-6\nthinking: { type: enabled, budget_tokens: 2000 }\ntemperature: 1',
    'model: gpt-5-mini\nreasoning_effort: minimal',
    'model: claude-newest-9\ntemperature: 0',
  ])('is not reported if the model supports all parameters: %j', async (prompt) => {
    expect((await check(prompt, { today: '2026-06-01' })).problems).toEqual([]);
  });

  test('is not checked if a custom endpoint serves the model, but is checked if an alias names the model', async () => {
    const settings =
      'models:\n  o3: { provider: openai, endpoint: local }\n  mine: { provider: anthropic, model: claude-opus-5 }\n';
    expect((await check('model: o3\ntemperature: 0', { settings })).problems).toEqual([]);
    expect((await check('model: mine\ntemperature: 0', { settings })).problems).toEqual([
      'prompts/p.yaml:4: mine does not accept temperature other than 1: remove line 4',
    ]);
  });

  test("is not reported for base's version of a prompt", async () => {
    expect((await check('model: o1\ntemperature: 0', { head: false })).problems).toEqual([]);
  });

  test('is omitted in a sweep over models, with a notice', async () => {
    const settings = 'sweep: { model: [gpt-4o, claude-opus-5], temperature: [0, 0.7] }\n';
    const { problems, notices } = await check('model: gpt-4o', { settings, today: '2026-06-01' });
    expect(problems).toEqual([]);
    expect(notices).toEqual([
      'prompts/p.yaml:3: claude-opus-5 does not accept temperature: the sweep leaves it out',
    ]);
  });
});

describe('API of a model', () => {
  const TOOLS = 'tools: [{ type: function, function: { name: f } }]';

  test('is named in an error about a parameter, together with the fix', async () => {
    const luna = (api: string) =>
      `models: { luna: { provider: openai, model: gpt-6-luna, ${api} } }\n`;
    const chat = { settings: luna('api: chat') };
    expect((await check(`model: luna\n${TOOLS}`, chat)).problems).toEqual([
      'prompts/p.yaml:4: luna does not accept tools in chat completions (only with reasoning_effort: none): add reasoning_effort, or write api: responses for this model under models in the settings',
    ]);
    const effort = `model: luna\n${TOOLS}\nreasoning_effort: low`;
    expect((await check(effort, chat)).problems).toEqual([
      'prompts/p.yaml:5: luna does not accept tools in chat completions (only with reasoning_effort: none): change line 5, or write api: responses for this model under models in the settings',
    ]);
    const responses = { settings: luna('api: responses') };
    expect((await check('model: luna\nseed: 7', responses)).problems).toEqual([
      'prompts/p.yaml:4: luna does not accept seed in the Responses API: remove line 4, or write api: chat for this model under models in the settings',
    ]);
  });

  test.each([
    [
      'mistral, api: responses',
      'models.m: api: responses is not available for provider mistral; only',
    ],
    [
      'anthropic, api: chat',
      'models.m: the key "api" has no meaning for provider anthropic; remove it',
    ],
    ['openai, api: grpc', 'models.m.api must be one of chat, responses'],
    [
      'openai, endpoint: azure, is: gtp-5.4',
      'no vendor has a model "gtp-5.4"; did you mean "gpt-5.4"?',
    ],
  ])('is rejected in the settings if the provider does not have it: %s', async (entry, message) => {
    const settings = `models:\n  m: { provider: ${entry} }\n`;
    const { problems } = await check('model: gpt-5.4', { settings });
    expect(problems).toEqual([expect.stringContaining(`evaldiff.yaml:2: `)]);
    expect(problems[0]).toContain(message);
  });

  test("and the model's end date are known if the settings say which model an endpoint serves", async () => {
    const settings =
      'models: { ours: { provider: openai, endpoint: azure, model: dep-1, is: gpt-4.1-nano } }\n';
    const { problems } = await check('model: ours\nreasoning: { effort: low }', { settings });
    expect(problems).toEqual([
      expect.stringContaining(
        'prompts/p.yaml:3: ours stands for gpt-4.1-nano, which ended on 2026-10-23',
      ),
    ]);
  });
});

describe('messages that a model does not support', () => {
  const CAT = `messages:
  - { role: system, content: Be brief. }
  - role: user
    content: [{ image: cat.png }]
`;
  const checkMessages = async (model: string, messages: string) => {
    const files = {
      'evaldiff.yaml': '{}\n',
      'prompts/p.yaml': `model: ${model}\n${messages}metrics: [{ uses: is_json }]\nreferences: [{ input: {} }]\n`,
      'prompts/cat.png': png(),
    };
    const { problems } = await readProject(treeOf(files), optionsOf({ configRequired: true }), {
      ...tools,
      ends: { today: '2026-01-01', past: 'problem' },
    });
    return problems.map(formatProblem);
  };

  test('with images are reported at their line', async () => {
    expect(await checkMessages('gpt-3.5-turbo', CAT)).toEqual([
      'prompts/p.yaml:4: messages[1].content: gpt-3.5-turbo does not accept images; name a model that does, or remove this part of the message',
    ]);
    expect(await checkMessages('gpt-5.4', CAT)).toEqual([]);
  });

  test('are reported for a final assistant message on newer Claude models', async () => {
    const prefill =
      'messages:\n  - { role: user, content: Name a colour as JSON. }\n  - { role: assistant, content: "{" }\n';
    expect(await checkMessages('claude-sonnet-5-5', prefill)).toEqual([
      'prompts/p.yaml:4: claude-sonnet-5-5 does not accept an assistant message at the end: remove it, or say in a user message how the answer must begin',
    ]);
    expect(await checkMessages('claude-haiku-4-5', prefill)).toEqual([]);
  });
});

describe('retiring model', () => {
  test('causes a notice within 90 days and an error from its end date on', async () => {
    const on = (today: string) => check('model: claude-sonnet-4-5', { today });
    expect(await on('2026-08-31')).toEqual({ problems: [], notices: [] });
    expect(await on('2026-09-01')).toEqual({
      problems: [],
      notices: [
        'prompts/p.yaml:3: claude-sonnet-4-5 ends on 2026-11-30, in 90 days; docs/models.md explains how to switch',
      ],
    });
    expect((await on('2026-11-29')).notices.join()).toContain('in 1 day;');
    expect(await on('2026-11-30')).toEqual({
      problems: [
        'prompts/p.yaml:3: claude-sonnet-4-5 ended on 2026-11-30: name its successor here, or in the settings with models: { NEW: { provider: anthropic, replaces: [claude-sonnet-4-5] } }',
      ],
      notices: [],
    });
  });

  test('after its end date causes only a notice in a comparison of base and head', async () => {
    const { problems, notices } = await check('model: claude-sonnet-4-5', {
      today: '2026-11-30',
      past: 'notice',
    });
    expect([problems, notices.length]).toEqual([[], 1]);
    expect(notices[0]).toContain('prompts/p.yaml:3: claude-sonnet-4-5 ended on 2026-11-30: name');
  });

  test('is also reported if it is a grader or has an alias, but not on a custom endpoint', async () => {
    const settings = `grader: { model: judge }
models:
  judge: { provider: openai, model: gpt-4 }
  gpt-4-turbo: { provider: openai, endpoint: local }
`;
    expect((await check('model: gpt-4-turbo', { settings })).problems).toEqual([
      'evaldiff.yaml:1: judge stands for gpt-4, which ended on 2026-10-23: name its successor under models in the settings, where judge is defined',
    ]);
  });

  test('can be replaced by one line in the settings', async () => {
    const settings = 'models: { gpt-5.4-mini: { provider: openai, replaces: [gpt-3.5-turbo] } }\n';
    expect((await check('model: gpt-3.5-turbo', { settings })).problems).toEqual([]);
  });

  describe('in a promptfoo configuration', () => {
    const config = (provider: string, more = '') =>
      `prompts: ['Say {{word}}']\nproviders: [{ id: '${provider}'${more} }]\ntests: [{ vars: { word: hi }, assert: [{ type: contains, value: hi }] }]\n`;

    async function onItsEnd(provider: string, settings: string, more = '') {
      const files = { 'evaldiff.yaml': settings, 'promptfooconfig.yaml': config(provider, more) };
      const ends = { today: '2027-03-01', past: 'problem' as const };
      const { problems, project } = await readProject(
        treeOf(files),
        optionsOf({ configRequired: true }),
        { ...tools, ends },
      );
      return { problems: problems.map(formatProblem), prompt: project.suites[0]?.prompt };
    }

    test.each([
      ['openai:gpt-3.5-turbo', 'gpt-5.4-mini', {}],
      ['openai:chat:gpt-4o-mini', 'gpt-5.4-mini', {}],
      ['openai:chat:gpt-4o', 'gpt-4.1-next', { temperature: 0, max_tokens: 1024 }],
      ['anthropic:messages:claude-sonnet-4-20250514', 'claude-sonnet-5-5', { max_tokens: 1024 }],
      ['groq:llama-3.1-8b-instant', 'openai/gpt-oss-20b', { temperature: 0 }],
    ])(
      'can be replaced as the error message advises: %s by %s',
      async (provider, successor, parameters) => {
        const ended = await onItsEnd(provider, '{}\n');
        const [, advice] = /(models: .+)$/.exec(ended.problems[0] ?? '') ?? [];
        const settled = await onItsEnd(
          provider,
          `${advice?.replace('NEW', `'${successor}'`) ?? ''}\n`,
        );
        expect([settled.problems, settled.prompt?.parameters]).toEqual([[], parameters]);
      },
    );

    test("can be replaced as in the guide's example, by a settings entry under the new model's or the old model's name", async () => {
      const example =
        'models:\n  gpt-5.4-mini: { provider: openai, replaces: [gpt-4o, gpt-4o-mini] }\n';
      expect((await onItsEnd('openai:gpt-4o', example)).problems).toEqual([]);
      const renamed = 'models: { gpt-4o: { provider: openai, model: gpt-5.4-mini } }\n';
      expect((await onItsEnd('openai:gpt-4o', renamed)).problems).toEqual([]);
      const other = 'models: { claude-sonnet-5-5: { provider: anthropic, replaces: [gpt-4o] } }\n';
      expect(await onItsEnd('openai:gpt-4o', other)).toMatchObject({
        problems: [],
        prompt: { parameters: { max_tokens: 1024 } },
      });
    });

    test('keeps its parameters when replaced, and a problem with a parameter is reported at its line', async () => {
      const settings =
        'models: { claude-sonnet-5-5: { provider: anthropic, replaces: [claude-sonnet-4-20250514] } }\n';
      const { problems } = await onItsEnd(
        'anthropic:messages:claude-sonnet-4-20250514',
        settings,
        ', config: { stop_sequences: [x], thinking: { type: enabled, budget_tokens: 2000 } }',
      );
      expect(problems).toEqual([
        expect.stringContaining(
          'promptfooconfig.yaml:2: claude-sonnet-4-20250514 does not accept thinking',
        ),
      ]);
    });
  });

  test('is not checked without a current date', async () => {
    const { problems } = await read({
      'evaldiff.yaml': '{}\n',
      'prompts/p.yaml': promptOf('model: gpt-4'),
      'prompts/tests/p.yaml': TESTS,
    });
    expect(problems).toEqual([]);
  });
});
