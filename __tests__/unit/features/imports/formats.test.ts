import { formatByPath, detectFormat, placesOf } from '../../../../src/config/formats.ts';
import { createFiles } from '../../../../src/documents/files.ts';
import { compileGlob } from '../../../../src/documents/paths.ts';
import { IMPORT_FORMATS, READ_FORMATS } from '../../../../src/features/imports/formats.ts';
import { problemsOf, read, suiteFiles, treeOf } from '../../config/tree.ts';

const PROMPTFOO =
  "prompts: ['Say {{x}}']\nproviders: [openai:gpt-4o]\ntests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]\n";

const PROMPT_YML =
  "model: openai/gpt-4o\nmessages: [{ role: user, content: 'say {{x}}' }]\ntestData: [{ x: a }]\nevaluators: [{ name: e, string: { contains: a } }]\n";

const namesOf = async (files: Record<string, string>) => {
  const { project, problems } = await read(files);
  return [problems, project.suites.map(({ prompt: { file, name } }) => [file, name])];
};

describe('import formats', () => {
  const PATHS = [
    'promptfooconfig.yaml',
    'a/promptfoo.json',
    'a/b.prompt.yml',
    'skills/pdf/evals/evals.json',
    'flexeval.yaml',
    'a/b.flexeval.yml',
    'a/chat.prompty',
    'a/chat.prompt',
    'a/chat.baml',
    'a/skprompt.txt',
  ];

  test.each(PATHS)('include exactly one that reads the path %s', (file) => {
    const rows = Object.values(IMPORT_FORMATS).filter(({ path }) => path?.test(file));
    expect(rows).toHaveLength(1);
  });

  test("read the default paths of each format with that format's reader", () => {
    for (const [name, { places }] of Object.entries(READ_FORMATS))
      for (const place of places) {
        const { matches } = compileGlob(place);
        const found = PATHS.filter((path) => matches(path));
        for (const file of found) expect(formatByPath(file, IMPORT_FORMATS)?.name).toBe(name);
      }
    const all = Object.values(READ_FORMATS).flatMap(({ places }) => places);
    expect(placesOf(IMPORT_FORMATS)).toEqual(all);
  });

  test('can be extended with another format', async () => {
    const { promptfoo } = READ_FORMATS;
    const formats = {
      echo: { ...promptfoo, path: /\.echo$/, holds: (value: object) => 'echo' in value },
    };
    const files = createFiles(treeOf({ 'a.yaml': 'echo: 1\n', 'b.yaml': 'x: 1\n' }));
    const names = ['a.yaml', 'b.yaml', 'c.echo'].map(
      async (file) => (await detectFormat(file, files, formats))?.name,
    );
    expect(await Promise.all(names)).toEqual(['echo', undefined, 'echo']);
  });
});

describe("another tool's file with a custom name", () => {
  test.each([
    ['evals/checkout.yaml', PROMPTFOO, 'checkout'],
    [
      'evals/checkout.json',
      JSON.stringify({ prompts: ['Say hi'], providers: ['openai:gpt-4o'] }),
      'checkout',
    ],
    [
      'evals/only-scenarios.yml',
      "prompts: ['Say {{x}}']\nproviders: openai:gpt-4o\nscenarios: [{ config: [{ vars: { x: a } }], tests: [{ assert: [{ type: contains, value: a }] }] }]\n",
      'only-scenarios',
    ],
    ['models/say.yml', PROMPT_YML, 'say'],
    ['models/greet_prompt.yml', "messages: [{ role: user, content: 'hi' }]\n", 'greet'],
    [
      'tests/skill.json',
      JSON.stringify({ skill_name: 'pdf', cases: [{ prompt: 'a', assertions: ['x'] }] }),
      'pdf',
    ],
  ])('%s is recognized by its content if it is listed under prompts', async (file, text, name) => {
    expect(
      await namesOf({
        'evaldiff.yaml': `prompts: [${file}]\ngrader: gpt-4o\n`,
        'skills/pdf/SKILL.md': 'Read.',
        [file]: text,
      }),
    ).toEqual([[], [[file, name]]]);
  });

  test('named *_prompt.yml is found automatically, unless it is an evaldiff prompt', async () => {
    expect(await namesOf({ 'a/greet_prompt.yml': PROMPT_YML })).toEqual([
      [],
      [['a/greet_prompt.yml', 'greet']],
    ]);
    const { 'prompts/p.yaml': prompt = '', ...tests } = suiteFiles();
    expect(await namesOf({ 'prompts/my_prompt.yaml': prompt, ...tests })).toEqual([
      [],
      [['prompts/my_prompt.yaml', 'p']],
    ]);
  });

  test('is read as an evaldiff prompt if its content is unknown, and its errors are reported', async () => {
    expect(
      await problemsOf({ 'evaldiff.yaml': 'prompts: [a.yaml]\n', 'a.yaml': 'prompts: [hi]\n' }),
    ).toEqual(expect.arrayContaining([expect.stringContaining('a.yaml: "model" is missing')]));
  });
});

describe('evaluations of agents in the formats of other tools', () => {
  const SKILLGRADE =
    'version: "1"\ndefaults: { agent: gemini, trials: 5 }\ntasks: [{ name: fix, instruction: Fix it., graders: [{ type: deterministic, run: sh a.sh }] }]\n';
  const VALLY =
    'name: notes\nconfig: { runs: 3 }\nstimuli: [{ name: a, prompt: Write., graders: [{ type: file-exists }] }]\ngraders: [{ type: prompt }]\n';
  const HARBOR =
    'schema_version = "1.1"\n[task]\nname = "a/b"\n[verifier]\ntimeout_sec = 120.0\n[environment]\ncpus = 2\n';
  const OWN = 'model: gpt-4o\nprompt: Say {q}\n';
  const TESTS = 'tests: { references: [{ input: { q: a }, expected: b }] }\n';

  const said = async (file: string, text: string, settings = `prompts: [${file}]\n`) => {
    const { project, problems } = await read({ 'evaldiff.yaml': settings, [file]: text });
    const notices = project.notices.map(({ place, message }) => `${place?.file ?? ''} ${message}`);
    return { suites: project.suites.length, told: [...problems, ...notices].join('\n') };
  };

  test.each([
    ['evals/eval.yaml', SKILLGRADE, 'skillgrade'],
    ['skills/pdf/checks.yml', SKILLGRADE.replace('version: "1"\n', ''), 'skillgrade'],
    ['a.json', JSON.stringify({ tasks: [{ name: 'a', graders: [] }] }), 'skillgrade'],
    ['evals/pdf/eval.yaml', VALLY, 'Vally'],
    ['pdf.yaml', 'stimuli: [{ prompt: Write. }]\nenvironment: { files: [] }\n', 'Vally'],
    ['tasks/pdf/task.toml', HARBOR, 'Harbor'],
    ['other.toml', '[metadata]\n[verifier]\n[agent]\n', 'Harbor'],
  ])('are recognised in %s by their content', async (file, text, name) => {
    for (const settings of [undefined, 'prompts: ["**/*"]\n']) {
      const { suites, told } = await said(file, text, settings);
      expect(suites).toBe(0);
      expect(told).toContain(`is a file of ${name}, which evaldiff cannot read. Write a suite for`);
    }
  });

  test('cause a notice if evaldiff looks for suites of agents where they are', async () => {
    const formats = {
      ...IMPORT_FORMATS,
      own: { ...READ_FORMATS.flexeval, places: ['evals/*.yaml'] },
    };
    const { project } = await read({ 'evals/eval.yaml': SKILLGRADE }, { formats });
    expect(project.notices.map(({ message }) => message).join()).toContain('a file of skillgrade');
  });

  test.each([
    ['evals/x/eval.yaml', OWN + TESTS],
    ['eval.yaml', `${OWN}tasks: [{ instruction: sent to the model }]\n${TESTS}`],
    ['evals/eval.yaml', `${OWN}stimuli: [{ prompt: sent to the model }]\n${TESTS}`],
    ['task.yaml', `${OWN}verifier: x\nenvironment: y\n${TESTS}`],
  ])('are not confused with a prompt of evaldiff in %s', async (file, text) => {
    expect((await said(file, text)).suites).toBe(1);
  });
});

describe('promptfoo scenarios', () => {
  const of = (scenarios: string, more: Record<string, string> = {}) =>
    read({
      'promptfooconfig.yaml': `prompts: ['{{greeting}} {{x}} {{y}}']\nproviders: [openai:gpt-4o]\ndefaultTest: { vars: { greeting: hello }, assert: [{ type: contains, value: d }] }\n${scenarios}`,
      ...more,
    });
  const rows = ({ project }: Awaited<ReturnType<typeof of>>) =>
    project.suites[0]?.tests.references.map(({ input, metrics = [] }) => [
      ...Object.values(input),
      ...metrics.map(({ source }) => (source.kind === 'built-in' ? source.with['value'] : null)),
    ]);

  const SCENARIO = `config: [{ vars: { x: a }, assert: [{ type: contains, value: s }] }, { vars: { x: b } }]\n    tests: [{ vars: { y: 1 }, assert: [{ type: contains, value: t }] }, { vars: { y: 2 } }]\n`;

  test('combine every config entry with every test, including inherited values', async () => {
    const found = await of(`scenarios:\n  - ${SCENARIO}`);
    expect(found.problems).toEqual([]);
    expect(rows(found)).toEqual([
      ['hello', 'a', 1, 'd', 's', 't'],
      ['hello', 'a', 2, 'd', 's'],
      ['hello', 'b', 1, 'd', 't'],
      ['hello', 'b', 2, 'd'],
    ]);
    expect(found.notices).toEqual([]);
  });

  test('can appear with or without tests, and in files that a pattern names', async () => {
    const found = await of(
      'tests: [{ vars: { x: o, y: 0 } }]\nscenarios: file://scenarios/*.yaml\n',
      {
        'scenarios/a.yaml': `- ${SCENARIO.replaceAll('\n    ', '\n  ')}`,
        'scenarios/b.yaml': 'config: [{ vars: { x: z, y: 9 } }]\n',
      },
    );
    expect(found.problems).toEqual([]);
    expect(rows(found)?.map((row) => row.slice(1, 3))).toEqual([
      ['o', 0],
      ['a', 1],
      ['a', 2],
      ['b', 1],
      ['b', 2],
      ['z', 9],
    ]);
  });

  test.each([
    ['scenarios: [{ tests: [] }]', 'a scenario is not converted: its config is not a list'],
    ['scenarios: [nothing.yaml]', 'nothing.yaml does not exist'],
    ['scenarios: [{ config: [text] }]', 'an entry of a scenario is not converted: it is not a map'],
    ['scenarios: 7', 'a scenario is not converted: its config is not a list'],
  ])('written as %s are reported', async (scenarios, message) => {
    const { problems, notices } = await of(`${scenarios}\ntests: [{ vars: { x: a, y: b } }]\n`);
    expect([...problems, ...notices].join('\n')).toContain(message);
  });
});
