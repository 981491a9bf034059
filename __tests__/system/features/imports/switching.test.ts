import { clock } from '../../../stand-ins/clock.ts';
import { commandIn, withoutKeys } from '../../../stand-ins/command-line.ts';
import { createRepository, filesBelow } from '../../../stand-ins/repository.ts';
import { read } from '../../../unit/config/tree.ts';

const FROM = ['init', '--from', 'acme/evaldiff@v1.0.0'];

const config = (provider: string, more = '') => `prompts: ['Say {{x}}']
providers: [${provider}]
${more}tests: [{ vars: { x: one }, assert: [{ type: contains, value: one }] }]
`;

/** After the end of the models below. */
const LATE = { ...clock, now: () => Date.parse('2026-11-29') };

function project(files: Record<string, string>) {
  const repository = createRepository();
  repository.write(files);
  const run = (...argv: string[]) =>
    commandIn(repository.directory, argv, { ...withoutKeys(), testOverrides: { clock: LATE } });
  return { run, files: () => filesBelow(repository.directory) };
}

describe('a project of promptfoo', () => {
  test.each([
    ['openai:gpt-3.5-turbo', 'gpt-5.4-mini'],
    [
      '{ id: openai:chat:gpt-3.5-turbo, config: { temperature: 0.2, max_tokens: 9 } }',
      'gpt-5.4-mini',
    ],
    ['anthropic:messages:claude-sonnet-4-20250514', 'claude-sonnet-5-5'],
    ['groq:llama-3.1-8b-instant', 'openai/gpt-oss-20b'],
  ])(
    'whose model has ended, in a folder of any name, is valid after init: %s',
    async (provider, successor) => {
      const { run, files } = project({ 'quality/shop/promptfooconfig.yaml': config(provider) });
      const { code, out } = await run(...FROM);
      expect(out).toContain('1 prompt with 1 reference: no errors\n');
      expect(out).toContain(`ended on 2026-`);
      expect(out).toContain(`evaldiff.yaml replaces it by ${successor}.`);
      expect([code, (await run('validate')).code]).toEqual([0, 0]);
      const { project: found, problems } = await read(files());
      const [model] = [...found.settings.models].filter(([name]) => name === successor);
      expect([problems, model?.[1].replaces.length]).toEqual([[], 1]);
    },
  );

  test('gets a workflow that runs its code, and no code runs before that', async () => {
    const { run, files } = project({
      'evals/promptfooconfig.yaml': config(
        'file://provider.js',
        'defaultTest: { options: { provider: openai:gpt-3.5-turbo } }\n',
      ),
      'evals/provider.js': 'throw new Error("it ran");',
      'package-lock.json': '{}',
    });
    const { code, out } = await run(...FROM);
    expect([code, out]).toEqual([0, expect.stringContaining('no errors')]);
    expect(out).toContain('npx evaldiff validate --code host  checks the files');
    const { 'evaldiff.yaml': settings, '.github/workflows/evaldiff.yml': workflow } = files();
    expect(settings).toContain('command: [evaldiff-promptfoo], setup: [npm, ci]');
    expect(workflow).toContain('code: host');
    expect((await run('validate', '--code', 'host')).code).toBe(0);
    const made = project({
      'promptfooconfig.yaml': config('openai:gpt-5.4-mini').replace("'Say {{x}}'", 'file://p.js'),
      'p.js': 'throw new Error("it ran");',
    });
    const said = await made.run(...FROM);
    expect(said.out).toContain(
      'npx evaldiff validate --code host was not run, because it runs p.js\n',
    );
  });

  test('that has other files, too, starts with those that can be read', async () => {
    const { run, files } = project({
      'a/promptfooconfig.models.yaml': config('openai:gpt-5.4-mini'),
      'b/promptfooconfig.yaml': config('openai:gpt-5.4-mini').replace('prompts: ', 'prompts: ['),
      'c/promptfooconfig.yaml': config('openai:gpt-5.4-mini').replace("['Say {{x}}']", 'p.txt'),
      'c/p.txt': 'Say {{x}}',
      'd/promptfoo.yaml': config('openai:gpt-5.4-mini').replace("['Say {{x}}']", 'p.txt'),
      'd/p.txt': 'Say {{x}} again',
    });
    const { out } = await run(...FROM);
    expect(out).toContain(
      'left  b/promptfooconfig.yaml: b/promptfooconfig.yaml:2: is not valid YAML',
    );
    expect(out).toContain('3 prompts with 3 references: no errors\n');
    const { project: found } = await read(files());
    expect(found.suites.map(({ prompt }) => prompt.name)).toEqual(['a', 'p', 'p (d/promptfoo)']);
  });
});

describe('an import from promptfoo', () => {
  test.each([
    ['temperature and JSON mode', '{ temperature: 0.7, response_format: { type: json_object } }'],
    ['an unknown option', '{ colour: red }'],
  ])(
    'asks tests with other parameters among their options in a suite of their own: %s',
    async (_, options) => {
      const {
        project: found,
        problems,
        notices,
      } = await read({
        'promptfooconfig.yaml': `prompts: ['Say {{x}}']
providers: [openai:gpt-4o]
defaultTest: { options: ${options}, assert: [{ type: contains, value: a }] }
tests: [{ vars: { x: a } }, { vars: { x: b }, options: { temperature: 0.1 } }, { vars: { x: c } }]
`,
      });
      const [suite] = found.suites;
      const wanted = options.includes('0.7')
        ? { temperature: 0.7, max_tokens: 1024, response_format: { type: 'json_object' } }
        : { temperature: 0, max_tokens: 1024 };
      expect([problems, suite?.prompt.parameters]).toEqual([[], wanted]);
      expect(
        found.suites.map(({ prompt: { parameters }, tests: own }) => [
          parameters['temperature'],
          own.references.length,
        ]),
      ).toEqual([
        [wanted.temperature, 2],
        [0.1, 1],
      ]);
      expect(notices).toEqual([]);
    },
  );

  test('loses a row that cannot be read, and keeps the others', async () => {
    const {
      project: found,
      problems,
      notices,
    } = await read({
      'promptfooconfig.yaml': config('openai:gpt-4o').replace(/tests: .*/, 'tests: rows.jsonl'),
      'rows.jsonl': '{"vars": {"x": "a"}}\n{"vars": {"x": "\\u0000"}}\n{"vars": {"x": "c"}}\n',
    });
    expect([problems, found.suites[0]?.tests.references.length]).toEqual([[], 2]);
    expect(notices.join('\n')).toContain(
      'rows.jsonl:2: a test is not converted: has the control character U+0000',
    );
  });

  test('does not count keys as lost that promptfoo does not read, or that are settings', async () => {
    const { run } = project({
      'promptfooconfig.yaml': config('openai:gpt-5.4-mini', 'version: 2\noutputPath: x.json\n')
        .replace('value: one', 'value: one, weight: 2, output: x, provider: openai:gpt-5.4')
        .replace('vars:', 'expected: y, vars:'),
    });
    const { code, out, err } = await run('import', 'promptfooconfig.yaml');
    expect(err.split('\n')).toEqual([
      "note: promptfooconfig.yaml:5: provider of the assertion contains: the settings' grader gives all grades",
      '',
    ]);
    expect([code, out]).toEqual([0, expect.stringContaining('1 of 1 assertion carried over. ')]);
  });

  test('judges a variable by a rubric for assertions about the context', async () => {
    const { project: found, notices } = await read({
      'evaldiff.yaml': 'grader: gpt-4o',
      'promptfooconfig.yaml': config('openai:gpt-4o').replace(
        /tests: .*/,
        'tests: [{ vars: { x: a, context: Returns within 30 days }, assert: [{ type: context-faithfulness, threshold: 0.8 }, { type: context-recall, value: 30 days }] }, { vars: { x: b }, assert: [{ type: context-relevance }] }]',
      ),
    });
    const [first] = found.suites[0]?.tests.references ?? [];
    expect(first?.metrics?.map(({ source }) => source)).toEqual([
      {
        kind: 'built-in',
        uses: 'llm_rubric',
        with: {
          criteria:
            'The context supports every claim of the answer.\n\nContext:\nReturns within 30 days',
        },
      },
      {
        kind: 'built-in',
        uses: 'llm_rubric',
        with: {
          criteria:
            'The context contains everything that this statement says: 30 days\n\nContext:\nReturns within 30 days',
        },
      },
    ]);
    expect(notices.join('\n')).toContain('its test has no variable context');
  });
});
