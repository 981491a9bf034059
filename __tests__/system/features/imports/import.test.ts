import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from '../../../../src/project/settings.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { createRepository, filesBelow } from '../../../stand-ins/repository.ts';
import { read } from '../../../unit/config/tree.ts';

async function run(args: readonly string[], files: Record<string, string>) {
  const repository = createRepository();
  repository.write(files);
  const said = await commandIn(repository.directory, args);
  return { ...said, directory: repository.directory, files: filesBelow(repository.directory) };
}

const CONFIG = `prompts: ['Say {{word}} {x} to {{who.name}}', 'Shout {{word}}']
providers: [{ id: 'openai:gpt-4o', config: { temperature: 0 } }, 'deepinfra:meta/llama']
defaultTest: { options: { provider: openai:gpt-4o-mini }, assert: [{ type: not-contains, value: sorry }] }
evaluateOptions: { repeat: 3 }
tests:
  - { description: one, vars: { word: hi, who: { name: Ada } }, assert: [{ type: javascript, value: "const n = output.length;\\nreturn n > 2" }, { type: llm-rubric, value: 'greets {{who.name}}' }] }
  - { vars: { word: ["yes: no", '# x', '08', '{a}'], who: { name: Bo } }, assert: [{ type: classifier, value: x }, { type: similar, value: x }, { type: is-json, value: { type: object, required: [a] } }] }
`;

const SAYING =
  'prompts: ["Say {{word}}"]\nproviders: [openai:gpt-4o]\ntests: [{ vars: { word: hi }, assert: [{ type: equals, value: Hi }] }]\n';
const LESSON = {
  'data/d.jsonl':
    '{"input": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Why?"}]}\n',
  'my/r.yaml': 'asks: { prompt: "{content}", choice_scores: { YES: 1, NO: 0 } }\n',
};

/** A project's content without places and without source templates. */
function meaning({ suites, settings }: Project): unknown {
  const stripped = {
    suites: suites.map(
      ({
        prompt: { places: _, file: _file, ...prompt },
        tests: { file: _tests, tool: _tool, ...tests },
      }) => ({ prompt, tests }),
    ),
    grader: settings.grader,
    models: [...settings.models],
  };
  return JSON.parse(
    JSON.stringify(stripped, (key, value: unknown) =>
      ['place', 'codeAt', 'written'].includes(key) ? undefined : value,
    ),
  );
}

const byName = (project: Project): Project => ({
  ...project,
  suites: [...project.suites].sort((a, b) => (a.prompt.name < b.prompt.name ? -1 : 1)),
});

describe('evaldiff import', () => {
  test('writes evaldiff files that mean the same as the imported file', async () => {
    const { code, out, err, files } = await run(['import', 'promptfooconfig.yaml'], {
      'promptfooconfig.yaml': CONFIG,
    });
    expect(err.split('\n')).toEqual([
      'lost: 4 × the assertion classifier: this type is not supported (promptfooconfig.yaml:7)',
      expect.stringMatching(
        /^note: promptfooconfig\.yaml:2: deepinfra:meta\/llama: the server URL comes from the run/,
      ),
      '',
    ]);
    expect(out).toMatch(
      /\n4 prompt files: 5 of 5 tests, 15 of 19 assertions carried over; 4 lost\. /,
    );
    expect(code).toBe(1);
    expect(Object.keys(files).sort()).toEqual([
      'evaldiff.yaml',
      'promptfooconfig.yaml',
      'prompts/promptfooconfig-1-deepinfra-meta-llama.yaml',
      'prompts/promptfooconfig-1-gpt-4o.yaml',
      'prompts/promptfooconfig-2-deepinfra-meta-llama.yaml',
      'prompts/promptfooconfig-2-gpt-4o.yaml',
      'prompts/tests/promptfooconfig-1-gpt-4o.yaml',
    ]);
    expect(out).toContain('wrote prompts/tests/promptfooconfig-1-gpt-4o.yaml\n');
    const before = await read({ 'promptfooconfig.yaml': CONFIG });
    const { 'promptfooconfig.yaml': _, ...converted } = files;
    const after = await read(converted);
    expect([before.problems, after.problems]).toEqual([[], []]);
    expect(after.project.suites).toHaveLength(4);
    expect(meaning(byName(after.project))).toEqual(meaning(byName(before.project)));
  });

  test.each([
    ['promptfooconfig.yaml', SAYING, 'promptfooconfig'],
    ['promptfoo.yaml', SAYING, 'promptfoo'],
    [
      'runs.yaml',
      'data_sources: [{ type: file, path: d.jsonl }]\neval: { name: flexeval, do_completion: true, metrics: { function: [{ name: string_length }] }, completion_llm: { function_name: open_ai_completion, kwargs: { model_name: gpt-4o } } }\n',
      'flexeval',
    ],
  ])(
    'names the new files so that they are not mistaken for the source format: %s with one prompt',
    async (file, text, name) => {
      const data = { 'd.jsonl': '{"input": [{"role": "user", "content": "Hi"}]}\n' };
      const { code, files } = await run(['import', file], { [file]: text, ...data });
      expect([
        code,
        Object.keys(files)
          .filter((path) => path.startsWith('prompts/'))
          .sort(),
      ]).toEqual([0, [`prompts/${name}-1.yaml`, `prompts/tests/${name}-1.yaml`]]);
      const { problems, project } = await read(files);
      expect([problems, project.suites.map(({ prompt }) => [prompt.file, prompt.name])]).toEqual([
        [],
        [[`prompts/${name}-1.yaml`, name]],
      ]);
    },
  );

  test("also converts a .prompt.yml file and a skill's evals", async () => {
    const prompt = await run(['import', '.github/prompts/sum.prompt.yml'], {
      '.github/prompts/sum.prompt.yml':
        'model: openai/gpt-4o\nmessages: [{ role: user, content: "Sum {{input}}" }]\ntestData: [{ input: a, expected: b }]\nevaluators: [{ name: has, string: { contains: "{{expected}}" } }]\n',
    });
    expect(prompt.out).toContain('Check with: npx evaldiff validate\n');
    expect([prompt.code, Object.keys(prompt.files).sort()]).toEqual([
      0,
      ['.github/prompts/sum.prompt.yml', 'prompts/sum.yaml', 'prompts/tests/sum.yaml'],
    ]);
    expect(prompt.files['prompts/sum.yaml']).toMatch(
      /^# From \.github\/prompts\/sum\.prompt\.yml\n/,
    );
    const evals = {
      'SKILL.md': 'Be kind.',
      'evals/evals.json':
        '{"skill_name": "Kind One", "evals": [{"id": 1, "prompt": "hi", "assertions": ["is kind"]}]}',
    };
    const skill = await run(['import', 'evals/evals.json'], {
      ...evals,
      'evaldiff.yaml': 'grader: gpt-4o\nmodels: { default: { provider: openai, model: gpt-4o } }\n',
    });
    expect([skill.code, Object.keys(skill.files)]).toEqual([
      0,
      expect.arrayContaining(['prompts/kind-one.yaml', 'prompts/tests/kind-one.yaml']),
    ]);
    const unnamed = await run(['import', 'evals/evals.json'], evals);
    expect([unnamed.code, unnamed.err]).toEqual([
      1,
      expect.stringMatching(/^lost: evaldiff validate: metric "checks" needs a grader/m),
    ]);
  });

  test('converts a FlexEval run and leaves its rubric files in place', async () => {
    const written = {
      'lesson.yaml':
        'data_sources: [{ path: data/d.jsonl }]\nrubric_paths: [my/r.yaml]\neval:\n  name: Lessons one\n  metrics:\n    function: [{ name: is_role, kwargs: { role: assistant } }, { name: own_code }]\n    rubric: [{ name: asks, depends_on: [{ name: is_role, metric_name: assistant, metric_min_value: 1 }] }]\n  grader_llm: { function_name: open_ai_completion, kwargs: { model_name: gpt-4o, temperature: 0.5 } }\n',
      ...LESSON,
    };
    const { code, err, out, files } = await run(['import', 'lesson.yaml'], written);
    expect([code, Object.keys(files).sort()]).toEqual([
      1,
      [
        'data/d.jsonl',
        'evaldiff.yaml',
        'lesson.yaml',
        'my/r.yaml',
        'prompts/lessons-one.yaml',
        'prompts/tests/lessons-one.yaml',
      ],
    ]);
    expect(err).toContain(
      'lost: the function own_code: no built-in metric or function module has this name',
    );
    expect(out).toContain('1 prompt file: 1 of 1 eval, 2 of 3 metrics carried over; 1 lost.');
    const before = await read({ ...written, 'evaldiff.yaml': 'prompts: lesson.yaml\n' });
    const { 'lesson.yaml': _, ...converted } = files;
    const after = await read(converted);
    expect([before.problems, after.problems]).toEqual([[], []]);
    expect(meaning(after.project)).toEqual(meaning(before.project));
    expect(after.project.rubrics.get('asks')?.place.file).toBe('my/r.yaml');
    expect(after.project.suites[0]?.tests.metrics[1]?.graders).toMatchObject([
      { model: 'gpt-4o', parameters: { temperature: 0.5 } },
    ]);
  });

  describe('followed by evaldiff validate', () => {
    const WORD = 'tests: [{ vars: { word: hi }, assert: [{ type: contains, value: hi }] }]\n';
    const prompted = (row: string, message = 'Say {{input}} {{expected}}') =>
      `model: openai/gpt-4o\nmessages: [{ role: user, content: '${message}' }]\ntestData:\n${row}evaluators: [{ name: e, string: { contains: a } }]\n`;

    test.each([
      [
        'a prompt that shows what is expected',
        'a.prompt.yml',
        prompted('  - { input: a, expected: b }\n'),
        0,
        /^$/,
      ],
      [
        'rows of one text',
        'a.prompt.yml',
        prompted('  - input: |\n      listing: "a"\n', 'See {{listing}}'),
        1,
        /^lost: a row of testData: its input is one text, .* remove the \| after input:/,
      ],
      [
        'a model that has ended',
        'promptfooconfig.yaml',
        `prompts: ['Say {{word}}']\nproviders: [openai:gpt-4-32k]\n${WORD}`,
        1,
        /^lost: evaldiff validate: gpt-4-32k ended on 2025-06-06: name its successor here/,
      ],
      [
        'a check that does not compile',
        'promptfooconfig.yaml',
        "prompts: ['Say {{word}}']\nproviders: [openai:gpt-4o]\ntests: [{ vars: { word: hi }, assert: [{ type: javascript, value: 'return output.length > 3' }, { type: python, value: 'len(output' }, { type: contains, value: hi }] }]\n",
        1,
        /^lost: evaldiff validate: metric "javascript": SyntaxError .*\nlost: evaldiff validate: metric "python"/,
      ],
    ])('accepts or rejects %s', async (_, file, text, code, said) => {
      const imported = await run(['import', file], { [file]: text });
      expect([imported.code, imported.err]).toEqual([code, expect.stringMatching(said)]);
      const { [file]: _source, ...converted } = imported.files;
      expect((await run(['validate'], converted)).code === 0).toBe(code === 0);
    });

    test.each([
      ['chat.prompty', '---\nname: x\n---\nsystem:\nHi {{a}}\n', 'Prompty'],
      ['ask.prompt', '---\nmodel: x\n---\nHi {{a}}\n', 'dotprompt'],
      ['x.baml', 'function A() -> string {}\n', 'BAML'],
      ['skprompt.txt', 'Say {{$input}}', 'Semantic Kernel'],
      [
        'synonym.yaml',
        '_type: prompt\ninput_variables: [word]\ntemplate: Say {word}\n',
        'LangChain',
      ],
      ['eval.json', '{"testing_criteria": [{ "type": "multi" }]}', "OpenAI's hosted Evals"],
      ['any.toml', 'version = "1.0"\n[verifier]\ntimeout_sec = 9\n[environment]\n', 'Harbor'],
    ])('reports %s as an unsupported format, with its name', async (file, text, label) => {
      const said = `is a file of ${label}, which evaldiff cannot read. Write a `;
      const imported = await run(['import', file], { [file]: text });
      expect([imported.code, imported.err]).toEqual([2, expect.stringContaining(said)]);
      const named = { 'evaldiff.yaml': `prompts: ['${file}']\n`, [file]: text };
      const validated = await run(['validate'], named);
      expect([validated.code, validated.out]).toEqual([2, expect.stringContaining(label)]);
    });
  });

  test('overwrites nothing and writes all files or none', async () => {
    const { code, err, files } = await run(['import', 'promptfooconfig.yaml'], {
      'promptfooconfig.yaml': CONFIG,
      'prompts/promptfooconfig-2-gpt-4o.yaml': 'mine',
    });
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(
        'prompts/promptfooconfig-2-gpt-4o.yaml: exists already and is not overwritten',
      ),
    ]);
    expect(Object.keys(files).sort()).toEqual([
      'promptfooconfig.yaml',
      'prompts/promptfooconfig-2-gpt-4o.yaml',
    ]);
    expect(files['prompts/promptfooconfig-2-gpt-4o.yaml']).toBe('mine');
    // A file where a folder is needed: the first files were written and are removed again.
    const blocked = await run(['import', 'promptfooconfig.yaml'], {
      'promptfooconfig.yaml': CONFIG,
      'prompts/tests': 'a file',
    });
    expect([blocked.code, Object.keys(blocked.files).sort()]).toEqual([
      2,
      ['promptfooconfig.yaml', 'prompts/tests'],
    ]);
  });

  test('keeps existing settings unchanged, and prints what to add', async () => {
    const { code, out, files } = await run(['import', 'promptfooconfig.yaml'], {
      'promptfooconfig.yaml': CONFIG,
      'evaldiff.yaml': 'seed: 7\n',
    });
    expect([code, files['evaldiff.yaml']]).toEqual([1, 'seed: 7\n']);
    expect(out).toContain(
      'Add to evaldiff.yaml, unless it is already there:\n\nmodels:\n  deepinfra:meta/llama:\n    provider: openai\n    endpoint: deepinfra\n    model: meta/llama\ngrader:\n  model: gpt-4o-mini\n',
    );
  });

  test.each([
    [
      'promptfooconfig.yaml',
      { 'promptfooconfig.yaml': 'jobs: {}\n' },
      /^promptfooconfig\.yaml: is not a promptfoo configuration: it has neither prompts, providers nor tests\n$/,
    ],
    ['x.yaml', { 'x.yaml': 'jobs: {}\n' }, /is in no format that evaldiff reads: promptfoo/],
    ['gone.yaml', {}, /^gone\.yaml: does not exist/],
    ['promptfooconfig.yaml', {}, /^promptfooconfig\.yaml: does not exist/],
    ['../promptfooconfig.yaml', {}, /is outside the project/],
    [
      'promptfooconfig.yaml',
      { 'promptfooconfig.yaml': 'prompts: [file://a.js]\nproviders: [openai:gpt-4o]\n' },
      /nothing can be converted/,
    ],
  ])('refuses %s in %j', async (file, files, said) => {
    const { code, err, directory } = await run(['import', file], files);
    expect([code, err]).toEqual([2, expect.stringMatching(said)]);
    expect(existsSync(join(directory, 'prompts'))).toBe(false);
  });

  test("detects a format by the file's content", async () => {
    expect((await run(['import', 'x.yaml'], { 'x.yaml': CONFIG })).code).toBe(1);
  });

  test('writes a prompt whose tests read the rows of another tool from their file', async () => {
    const rows = [
      { inputs: { q: 'Who?' }, outputs: { answer: 'Ada' } },
      { inputs: { q: 'Where?' }, outputs: { answer: 'Paris' }, attachments: { a: 'b' } },
    ];
    const { code, out, err, files } = await run(['import', 'data/rows.json'], {
      'data/rows.json': JSON.stringify(rows, null, 2),
      'evaldiff.yaml': 'models: { default: { provider: openai, model: gpt-4o } }\n',
    });
    expect(err).toContain(
      'lost: attachments of 1 row: evaldiff has no equivalent (data/rows.json:10)\n',
    );
    expect(err).toContain('the rows are read as those of LangSmith');
    expect([code, out]).toEqual([1, expect.stringContaining('2 of 2 rows carried over; 1 lost')]);
    const { project, problems } = await read(files);
    expect(problems).toEqual([]);
    expect(project.suites[0]?.tests.references).toMatchObject([
      { input: { q: 'Who?' }, expected: 'Ada', problem: null },
      { input: { q: 'Where?' }, expected: 'Paris', problem: null },
    ]);
  });

  test.each<[row: string, prompt: string, input: unknown]>([
    ['{"input":"Who?","ideal":"Ada"}', '{input}', { input: 'Who?' }],
    ['{"item":{"q":"Who?","answer":"Ada"}}', '{q}', { q: 'Who?' }],
    ['{"datasource_item":{"q":"Who?","label":"Ada"}}', '{q}', { q: 'Who?' }],
    ['{"q":"Who?","ground_truth":"Ada"}', '{q}', { q: 'Who?' }],
  ])('of %s expect the answer, and the prompt does not contain it', async (row, prompt, input) => {
    const { files } = await run(['import', 'r.jsonl'], { 'r.jsonl': `${row}\n` });
    const { project, problems } = await read({ ...files, 'r.jsonl': `${row}\n` });
    expect(problems).toEqual([]);
    const [suite] = project.suites;
    expect(suite?.prompt.messages.map(({ content }) => content)).toEqual([prompt]);
    expect(suite?.tests.references).toMatchObject([{ input, expected: 'Ada', problem: null }]);
  });

  test.each([
    [
      'two formats',
      'r.jsonl',
      '{"input":"a","target":"b"}\n{"item":{}}\n',
      /^r\.jsonl:2: is a row/,
    ],
    ['no rows', 'r.json', '[]', /no format that evaldiff reads: promptfoo.*Langfuse/],
    ['no JSON', 'r.json', '[{]', /^r\.json:1: /],
    ['another text', 'r.txt', 'a', /no format that evaldiff reads: promptfoo.*Inspect/],
    [
      'too many bytes',
      'r.jsonl',
      'x'.repeat((32 << 20) + 1),
      /is 33554433 bytes; the limit is 33554432/,
    ],
  ])('refuses rows with %s', async (_, file, text, said) => {
    const { code, err } = await run(['import', file], { [file]: text });
    expect([code, err]).toEqual([2, expect.stringMatching(said)]);
  });
});
