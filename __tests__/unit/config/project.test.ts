import { readProject } from '../../../src/config/project.ts';
import { formatProblem } from '../../../src/errors.ts';
import fc, { draws } from '../../fuzz.ts';
import {
  PROMPT,
  TESTS,
  optionsOf,
  problemsOf,
  read,
  suiteFiles,
  tools,
  treeOf,
  treeOfFolder,
} from './tree.ts';

const load = async (folder: string) => {
  const { project, problems } = await readProject(
    treeOfFolder(folder),
    optionsOf({ configRequired: true }),
    tools,
  );
  return {
    project,
    problems: problems.map(formatProblem),
    notices: project.notices.map(formatProblem),
  };
};

describe('fixtures', () => {
  test("in llmeval's layout load without problems", async () => {
    const { project, problems, notices } = await load('fixtures/repos/llmeval-examples');
    expect(problems).toEqual([]);
    expect(notices).toEqual([
      'llmeval.yaml:2: version has no effect; you can remove it',
      'llmeval.yaml:4: defaults in the settings file have no effect: all prompts are read',
      'llmeval.yaml:6: hydra has no effect; write a sweep as sweep: { model: [a, b] }',
    ]);
    expect(project.settings).toMatchObject({
      file: 'llmeval.yaml',
      n_tries: 2,
      sweep: {},
    });
    expect(
      project.suites.map(({ prompt, tests }) => [
        prompt.name,
        tests.file,
        tests.references.length,
        tests.rollup.kind,
      ]),
    ).toEqual([
      ['capitals', 'prompts/tests/capitals.yaml', 2, 'named'],
      ['code', 'prompts/tests/code.yaml', 2, 'code'],
      ['math', 'prompts/tests/math.yaml', 2, 'named'],
      ['ping', 'prompts/tests/ping.yaml', 2, 'named'],
      ['summary', 'prompts/tests/summary.yaml', 1, 'named'],
    ]);
    const [capitals, code, math, ping, summary] = project.suites;
    expect(capitals?.prompt.parameters).toEqual({ temperature: 0.9, max_tokens: 40 });
    expect(capitals?.tests.metrics.map(({ skip }) => skip)).toEqual([false, true]);
    expect(code?.tests.references.map(({ skip }) => skip)).toEqual([false, true]);
    expect(math?.tests.references[1]).toMatchObject({
      input: { a: 2048, b: 96 },
      expected: '2144',
      place: { file: 'prompts/tests/math.yaml', line: 11 },
    });
    expect(ping?.prompt).toMatchObject({ messages: [], code: { language: 'python' } });
    expect(summary?.prompt).toMatchObject({
      messages: [{ role: 'user', content: 'Sum up in one line: {text}' }],
      parameters: { stop: ['END'] },
    });
  });

  test("in FlexEval's rubric format load without problems", async () => {
    const { project, problems, notices } = await load('fixtures/repos/flexeval-rubrics');
    // FlexEval's files do not define which label is better, so none of their rubrics gates.
    expect(problems).toEqual([]);
    expect(notices.map((notice) => notice.replace(/, because neither.*/, ''))).toEqual([
      'prompts/tests/tutor.yaml:5: metric "asks_for_drawing" is shown, but does not affect the verdict',
      'prompts/tests/tutor.yaml:8: metric "hint_quality" is shown, but does not affect the verdict',
    ]);
    expect(project.suites[0]?.tests.metrics.map(({ skip }) => skip)).toEqual([false, true, true]);
    expect(
      [...project.rubrics.values()].map(({ name, choice_scores, examples }) => [
        name,
        [...choice_scores].flat(),
        examples.length,
      ]),
    ).toEqual([
      ['asks_for_drawing', ['YES', 1, 'NO', 0], 0],
      ['hint_quality', ['A', 1, 'B', 0.5, 'C', 0], 2],
    ]);
  });

  test.each(['demo', 'program'])('in fixtures/%s load without problems', async (name) => {
    expect((await load(`fixtures/${name}/base`)).problems).toEqual([]);
  });
});

describe('project', () => {
  test('without files is empty and valid', async () => {
    expect(await read({})).toMatchObject({ problems: [], notices: [], project: { suites: [] } });
  });

  test('uses prompts in a tests folder only as defaults, unless a path in the settings names them', async () => {
    const files = {
      ...suiteFiles(),
      'evaldiff.yaml': 'prompts: prompts/**/*.yaml',
      'prompts/deep/q.yaml': PROMPT.replace('name: p', 'name: q').replace('tests/p', '../tests/p'),
    };
    const { project, problems } = await read(files);
    expect([problems, project.suites.map(({ prompt }) => prompt.name)]).toEqual([[], ['q', 'p']]);
    const named = await read({
      'evaldiff.yaml': 'prompts: tests/x.yaml',
      'tests/x.yaml': PROMPT.replace('tests/p', 'p'),
      'tests/p.yaml': 'max_tokens: 3',
    });
    expect(named.project.suites).toEqual([]);
  });

  test('reports an error in a shared test file once', async () => {
    const files = {
      ...suiteFiles(PROMPT, `${TESTS}n_trys: 1\n`),
      'prompts/q.yaml': PROMPT.replace('name: p', 'name: q'),
    };
    expect(await problemsOf(files)).toEqual([
      'prompts/tests/p.yaml:6: unknown key "n_trys"; did you mean "n_tries"?',
    ]);
  });

  test('does not report follow-up errors if the settings are unreadable', async () => {
    const graded = suiteFiles(
      PROMPT,
      'metrics: [{ name: m, uses: llm_rubric, with: { criteria: kind } }]\nreferences: [{ input: { a: 1 } }]\n',
    );
    const problem =
      'prompts/tests/p.yaml:1: metric "m" needs a grader: name a model in the settings file, grader: { model: … }';
    expect(await problemsOf({ ...graded, 'evaldiff.yaml': 'seed: 1\n' })).toEqual([problem]);
    expect(await problemsOf({ ...graded, 'evaldiff.yaml': 'grader: g\ngrader: h\n' })).toEqual([
      'evaldiff.yaml:2: the key "grader" is already on line 1',
    ]);
    expect(await problemsOf(graded, { config: 'gone.yaml', configRequired: true })).toEqual([
      'gone.yaml: does not exist at abc1234',
    ]);
  });

  test('reports llmeval.yaml as unused if evaldiff.yaml exists', async () => {
    const files = { ...suiteFiles(), 'llmeval.yaml': 'n_tries: 2\n' };
    const asked = { configRequired: true };
    expect((await read(files, asked)).notices).toEqual([]);
    expect((await read({ ...files, 'evaldiff.yaml': 'seed: 1\n' }, asked)).notices).toEqual([
      'llmeval.yaml: is not read, because evaldiff.yaml exists; move its content into evaldiff.yaml',
    ]);
  });

  test('reports a misspelt "critical" tag once', async () => {
    const tagged = (tag: string) => {
      const reference = (n: number) => `  - { input: { a: ${n} }, expected: x, tags: [${tag}] }\n`;
      const [start = ''] = TESTS.split('references:');
      return read(suiteFiles(PROMPT, `${start}references:\n${reference(1)}${reference(2)}`));
    };
    for (const tag of ['critcal', 'Critical', 'critical_', 'criticle', 'crtiical'])
      expect((await tagged(tag)).notices).toEqual([
        expect.stringContaining(
          `the tag "${tag}" does not affect the verdict; did you mean "critical"?`,
        ),
      ]);
    for (const tag of ['critical', 'clinical', 'political', 'critics', 'critique'])
      expect((await tagged(tag)).notices).toEqual([]);
  });

  test('reports file names that differ only by case', async () => {
    const { notices } = await read({ ...suiteFiles(), 'prompts/tests/P.yaml': 'never read' });
    expect(notices).toEqual([
      'prompts/tests/p.yaml: prompts/tests/p.yaml and prompts/tests/P.yaml differ only by case or Unicode form; on some systems they are the same file',
    ]);
  });

  test('includes built-in rubrics that a metric uses, unless the user defines the same name', async () => {
    const rubric = (text: string) => ({
      name: 'polite',
      prompt: text,
      choice_scores: new Map([['YES', 1]]),
      eval_type: 'classify' as const,
      examples: [],
      place: { file: '', line: 0 },
    });
    const builtInRubrics = new Map([
      ['polite', rubric('{content}')],
      ['other', rubric('{content}')],
    ]);
    const files = {
      'evaldiff.yaml': 'grader: g',
      ...suiteFiles(PROMPT, 'metrics: [{ rubric: polite }]\nreferences: []\n'),
    };
    const withBuiltIns = (all: Record<string, string>) =>
      readProject(treeOf(all), optionsOf(), { ...tools, builtInRubrics });
    expect([...(await withBuiltIns(files)).project.rubrics.keys()]).toEqual(['polite']);
    const own = await withBuiltIns({
      ...files,
      'rubrics/r.yaml': 'polite: { prompt: "own {content}", choice_scores: { YES: 1 } }',
    });
    expect([own.problems, own.project.rubrics.get('polite')?.prompt]).toEqual([
      [],
      'own {content}',
    ]);
  });

  test('also checks graders and evaluators against allowed-models', async () => {
    const files = {
      'evaldiff.yaml':
        'models:\n  app: { provider: program, command: [x] }\ngrader: g\nsweep: { model: [app, s] }\n',
      ...suiteFiles(
        PROMPT.replace('gpt-4o', 'app'),
        'conversation: { evaluators: [e] }\nreferences: [{ input: { a: 1 } }]\n',
      ),
    };
    expect(await problemsOf(files, { allowedModels: ['x', 'program:app'] })).toEqual([
      'prompts/tests/p.yaml:1: model "e" is not in allowed-models',
      'evaldiff.yaml:3: model "g" is not in allowed-models',
      'evaldiff.yaml:4: model "s" is not in allowed-models',
    ]);
  });

  test('reads each file once, and only the files it needs', async () => {
    const tree = treeOf({
      ...suiteFiles(),
      'prompts/q.yaml': PROMPT.replace('name: p', 'name: q'),
      'src/app.py': 'x',
      'secrets.yaml': 'x: 1',
    });
    const paths: string[] = [];
    await readProject(
      {
        ...tree,
        read: (path) => {
          paths.push(path);
          return tree.read(path);
        },
      },
      optionsOf(),
      tools,
    );
    expect(paths.sort()).toEqual(['prompts/p.yaml', 'prompts/q.yaml', 'prompts/tests/p.yaml']);
  });

  test('never throws for any file content', async () => {
    const KEYS = `
      name model messages role content variables defaults tests metrics uses with code rubric
      depends_on references input a expected references_from file map conversation evaluators
      criteria metrics_rollup quarantine id prompt choice_scores choice_strings examples gate
      models grader sweep toString api_key
    `;
    const key = fc.constantFrom(...KEYS.trim().split(/\s+/));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, 0, 1, -1, 1.5, true, '', 'x', '{a}', 'tests/t', 'all', '../x', 'gpt'),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(key, tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    const map = fc.dictionary(key, value, { maxKeys: 6 });
    await fc.assert(
      fc.asyncProperty(map, map, map, map, async (settings, prompt, tests, rubrics) => {
        const files = {
          'evaldiff.yaml': JSON.stringify(settings),
          'prompts/p.yaml': JSON.stringify({ defaults: ['tests/t'], ...prompt }),
          'prompts/tests/t.yaml': JSON.stringify(tests),
          'rubrics/r.yaml': JSON.stringify(rubrics),
        };
        const { project, problems } = await readProject(
          treeOf(files),
          optionsOf({ allowedModels: ['gpt'] }),
          tools,
        );
        expect(project.suites.length).toBeLessThanOrEqual(1);
        for (const { message } of problems) expect(message).not.toMatch(/undefined|\[object|NaN/);
      }),
      { numRuns: draws(400) },
    );
  });
});
