import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { answerText } from '../../../../src/report/answers/text.ts';
import { openShop } from '../../../unit/app/commands/shop.ts';

const SETTINGS =
  '  default: { provider: openai, endpoint: local, model: model-1 }\n  gpt-4o: { provider: openai, endpoint: local, model: model-1 }\nprompts: evals/promptfooconfig.yaml\n';

async function openWith(files: Record<string, string>) {
  const shop = await openShop({ settings: SETTINGS, answer: () => ({ text: 'from the model' }) });
  shop.repository.commit('promptfoo', files);
  return shop;
}

function answersOf({ suites }: Result): unknown[] {
  return suites.flatMap(({ references }) =>
    references.map(({ input, head }) => [
      input['q'],
      answerText({ parts: head?.tries[0]?.parts ?? null }) ?? head?.tries[0]?.error,
      head?.rollup,
    ]),
  );
}

const PROVIDERS: [string, string, Record<string, string>][] = [
  [
    'a class in CommonJS',
    'file://provider.cjs',
    {
      'evals/provider.cjs': `module.exports = class {
  constructor(options) { this.tone = options.config.tone; }
  id() { return 'own'; }
  async callApi(prompt, context) {
    console.log('noise on stdout');
    return { output: [this.tone, prompt, context.vars.q, context.vars.turns?.length].join('|'), tokenUsage: { prompt: 3, completion: 4 } };
  }
};`,
    },
  ],
  [
    'an object in TypeScript',
    'file://provider.ts',
    {
      'evals/tone.ts': "export const tone: string = 'kind';",
      'evals/provider.ts': `import { tone } from './tone.ts';
export default { id: () => 'own', callApi: async (prompt: string, context: { vars: any }) => ({ output: [tone, prompt, context.vars.q, context.vars.turns?.length].join('|') }) };`,
    },
  ],
  [
    'a function in Python',
    'python:provider.py:answer',
    {
      'evals/tone.py': "TONE = 'kind'",
      'evals/provider.py': `from tone import TONE
def answer(prompt, options, context):
    print('noise on stdout')
    return {'output': '|'.join([options['config']['tone'], prompt, context['vars']['q'], str(len(context['vars']['turns']))])}`,
    },
  ],
];

const config = (provider: string) => `prompts: ['Answer: {{q}}']
providers: [{ id: '${provider}', config: { tone: kind } }]
tests:
  - { vars: { q: one, turns: [{ a: 1 }, { a: 2 }] }, assert: [{ type: equals, value: 'kind|Answer: one|one|2' }] }
`;

describe('promptfoo providers written in code', () => {
  test.each(PROVIDERS)(
    'run if `code` is host, and receive prompt, configuration and variables: %s',
    async (_, provider, files) => {
      const { result, server } = await openWith({
        ...files,
        'evals/promptfooconfig.yaml': config(provider),
      }).then((opened) => ({ ...opened }));
      const ran = await result('run', 'n_tries=1', '--code', 'host');
      expect(ran.problems).toEqual([]);
      expect(answersOf(ran)).toEqual([['one', 'kind|Answer: one|one|2', 'pass']]);
      expect(server.requests).toEqual([]);
    },
  );

  test('do not run without code: host: the default model answers, and a notice names the line', async () => {
    const [, provider, files] = PROVIDERS[0]!;
    const { result } = await openWith({
      ...files,
      'evals/promptfooconfig.yaml': config(provider),
    });
    const ran = await result('run', 'n_tries=1');
    expect(answersOf(ran)).toEqual([['one', 'from the model', 'fail']]);
    expect(ran.notices).toContainEqual(
      expect.objectContaining({
        place: { file: 'evals/promptfooconfig.yaml', line: 2 },
        message: expect.stringContaining('code: host'),
      }),
    );
  });

  test('run their tests again if a file that they import changes', async () => {
    const [, provider, files] = PROVIDERS[1]!;
    const { repository, result } = await openWith({
      ...files,
      'evals/promptfooconfig.yaml': config(provider),
    });
    writeFileSync(join(repository.directory, 'evals/tone.ts'), "export const tone = 'rude';");
    const changed = await result('diff', '--base', 'HEAD', 'n_tries=1', '--code', 'host');
    expect(changed.problems).toEqual([]);
    expect(answersOf(changed)).toEqual([['one', 'rude|Answer: one|one|2', 'fail']]);
  });

  test('cause one error of the try if they throw', async () => {
    const { result } = await openWith({
      'evals/provider.js': "export default { callApi() { throw new Error('no database'); } };",
      'evals/promptfooconfig.yaml': config('file://provider.js'),
    });
    const ran = await result('run', 'n_tries=1', '--code', 'host');
    expect(JSON.stringify(answersOf(ran))).toContain('no database');
  });
});

test("promptfoo's code never runs for an outside contributor's pull request", async () => {
  const own = (word: string) =>
    `require('node:fs').writeFileSync(process.env.HOME + '/ran-${word}', ''); module.exports = { id: () => 'own', callApi: async () => ({ output: '${word}' }) };`;
  const { repository, result } = await openWith({
    'evals/provider.cjs': own('base'),
    'evals/promptfooconfig.yaml': config('file://provider.cjs'),
  });
  writeFileSync(join(repository.directory, 'evals/provider.cjs'), own('head'));
  writeFileSync(
    join(repository.directory, 'evals/promptfooconfig.yaml'),
    config('file://provider.cjs').replace('Answer:', 'Tell:'),
  );
  const ran = await result(
    ...['diff', '--base', 'HEAD', 'n_tries=1', '--code', 'host', '--untrusted'],
  );
  expect(answersOf(ran)).toEqual([['one', 'from the model', 'fail']]);
});

const MADE = {
  'evals/promptfooconfig.yaml': `prompts: [file://prompt.mjs:ask, file://prompt.py:ask]
providers: ['openai:chat:gpt-4o']
defaultTest: { assert: [{ type: contains, value: model }] }
tests: [file://tests.py:more, { path: file://tests.mjs, config: { n: 2 } }]
`,
  'evals/words.mjs': "export const words = 'Say';",
  'evals/prompt.mjs': `import { words } from './words.mjs';
export function ask({ vars, provider }) {
  if (vars.q === 'bad') throw new Error('cannot');
  return [{ role: 'system', content: '{% raw %}Keep {{this}}.{% endraw %} ' + provider.id }, { role: 'user', content: words + ' {{q}}!' }];
}`,
  'evals/prompt.py': "def ask(context):\n    return 'Tell ' + context['vars']['q']\n",
  'evals/tests.py': "def more(config):\n    return [{'vars': {'q': 'one'}}]\n",
  'evals/tests.mjs':
    'export default async ({ n }) => Array.from({ length: n }, (_, i) => ({ vars: { q: `q${i}` } }));',
};

test('a template with conditions is compared only for references whose prompt changes', async () => {
  const template = (word: string) => ({
    'evals/p.txt': `{% if q == 'one' %}${word} {{ q | upper }}{% else %}Say {{ q }}{% endif %}`,
    'evals/promptfooconfig.yaml':
      "prompts: [file://p.txt]\nproviders: ['openai:chat:gpt-4o']\ndefaultTest: { assert: [{ type: contains, value: '{{ \"MODEL\" | lower }}' }] }\ntests: [{ vars: { q: one } }, { vars: { q: two } }]\n",
  });
  const { repository, result, server } = await openWith(template('Tell'));
  writeFileSync(join(repository.directory, 'evals/p.txt'), template('Shout')['evals/p.txt']);
  const ran = await result('diff', '--base', 'HEAD', 'n_tries=1');
  expect(ran.problems).toEqual([]);
  expect(
    ran.suites.map(({ because, references }) => [
      because,
      references.map(({ input, base, head }) => [input['q'], base?.rollup, head?.rollup]),
    ]),
  ).toEqual([[[{ key: 'messages', file: 'evals/p.txt' }], [['one', 'pass', 'pass']]]]);
  expect(server.requests.map(({ messages }) => messages[0]?.content).sort()).toEqual([
    'Shout ONE',
    'Tell ONE',
  ]);
});

describe('promptfoo prompts and tests written in code', () => {
  test('are generated if `code` is host, and sent to the model', async () => {
    const { result, server } = await openWith(MADE);
    const ran = await result('run', 'n_tries=1', '--code', 'host');
    expect(ran.problems).toEqual([]);
    expect(answersOf(ran).map((answer) => (answer as unknown[])[0])).toEqual([
      ...['one', 'q0', 'q1'],
      ...['one', 'q0', 'q1'],
    ]);
    expect(
      server.requests.map(({ messages }) => messages.map(({ content }) => content)).sort(),
    ).toEqual(
      [
        ...['one', 'q0', 'q1'].map((q) => ['Keep {{this}}. gpt-4o', `Say ${q}!`]),
        ...['one', 'q0', 'q1'].map((q) => [`Tell ${q}`]),
      ].sort(),
    );
  });

  test('are compared only for references whose generated prompt changes', async () => {
    const { repository, result } = await openWith(MADE);
    writeFileSync(join(repository.directory, 'evals/words.mjs'), "export const words = 'Shout';");
    const imported = await result('diff', '--base', 'HEAD', 'n_tries=1', '--code', 'host');
    expect(imported.problems).toEqual([]);
    expect(imported.suites.map(({ because, references }) => [because, references.length])).toEqual([
      [[{ key: 'messages', file: 'evals/prompt.mjs' }], 3],
    ]);
    writeFileSync(join(repository.directory, 'evals/words.mjs'), MADE['evals/words.mjs']);
    writeFileSync(
      join(repository.directory, 'evals/prompt.py'),
      "def ask(context):\n    q = context['vars']['q']\n    return ('Shout ' if q == 'q1' else 'Tell ') + q\n",
    );
    const edited = await result('diff', '--base', 'HEAD', 'n_tries=1', '--code', 'host');
    expect(
      edited.suites.map(({ because, references }) => [
        because,
        references.map(({ input, base, head }) => [input['q'], base !== null, head !== null]),
      ]),
    ).toEqual([[[{ key: 'messages', file: 'evals/prompt.py' }], [['q1', true, true]]]]);
  });

  test('cause an error only for the test on which they fail', async () => {
    const { result } = await openWith({
      ...MADE,
      'evals/tests.py': "def more(config):\n    return [{'vars': {'q': 'bad'}}]\n",
    });
    const ran = await result('run', 'n_tries=1', '--code', 'host');
    expect(JSON.stringify(answersOf(ran)[0])).toContain('evals/prompt.mjs');
    expect(JSON.stringify(answersOf(ran)[0])).toContain('cannot');
    expect(answersOf(ran)[1]).toEqual(['q0', 'from the model', 'pass']);
  });

  test('are not imported without code: host, and each is reported with its line', async () => {
    const { evaldiff } = await openWith(MADE);
    const { code, err } = await evaldiff('import', 'evals/promptfooconfig.yaml');
    expect(code).toBe(2);
    expect(err).toContain(
      'lost: 2 × a prompt: prompts in code run only if evaldiff reads this file directly, with code: host',
    );
    expect(err).toContain('(evals/promptfooconfig.yaml:1)');
    expect(err).toContain(
      'lost: tests file://tests.py:more: tests from code run only if evaldiff reads this file directly, with code: host',
    );
  });
});
