import { checkCaps, projectPrice } from '../../app/commands/caps.ts';
import { evaluateOptions, type EvaluateOptions } from '../../app/commands/options.ts';
import { asking, type Opened, withCurrentProject } from '../../app/commands/project.ts';
import { printBlocks, type AddCommand, type Terminal } from '../../app/commands/terminal.ts';
import type { Edges } from '../../app/run/input.ts';
import { sha256 } from '../../app/session/cached-complete.ts';
import { gradersOf } from '../../config/targets.ts';
import { userError, problem } from '../../errors.ts';
import type { Suite } from '../../kernel/suite/suite.ts';
import type { Project } from '../../project/settings.ts';
import { logJson } from '../../text/log.ts';
import { didYouMean } from '../../text/suggest.ts';
import type { Rubric } from '../../types/metric.ts';
import type { Problem } from '../../types/plain.ts';
import { factsOf } from '../../types/vendors.ts';
import { graderSetsOf } from './grader-sets.ts';
import { rubricTestBlocks } from './rubric-test.ts';
import { repeatRubricTest, type RepeatedRubricTest } from './rubric-tests.ts';

function gradeSuite(
  suite: Suite,
  opened: Opened,
  { code, json }: EvaluateOptions,
  terminal: Terminal,
): Promise<void> {
  const { project, tree, session } = opened;
  return asking(opened, async (edges) => {
    const context = { settings: project.settings, tree, hash: sha256 };
    const found = await Promise.all(
      terminal.features.map(async (row) => (await row.grade?.(suite, context, code)) ?? null),
    );
    const tests = found.filter((each) => each !== null);
    if (tests.length === 0)
      throw userError(
        { file: suite.tests.file, line: 0 },
        `the prompt "${suite.prompt.name}" has no labels; add examples under its conversation, or ` +
          'labels in the attributes file',
      );
    const certain = tests.flatMap((test) => test.certain);
    const problems = tests.flatMap((test) => test.problems);
    const calls = certain.reduce((sum, each) => sum + each.calls, 0);
    const targets = certain.map(({ target }) => target);
    await holdGradingToCaps({ calls, targets, problems }, opened, edges);
    const { complete, random } = edges;
    const tested = session.redact(
      await Promise.all(tests.map((test) => test.run({ complete, random }))),
    );
    const blocks = tested.flatMap((each) => each.blocks);
    if (json === true) for (const each of tested) terminal.out(`${logJson(each.json)}\n`);
    else await printBlocks(blocks, terminal);
  });
}

function gradeRubric(
  name: string,
  repeats: number,
  opened: Opened,
  options: EvaluateOptions,
  terminal: Terminal,
): Promise<void> {
  return asking(opened, async (edges) => {
    const rubric = rubricNamed(name, opened.project);
    const test = opened.session.redact(await testRubric(rubric, repeats, opened, options, edges));
    if (options.json === true) terminal.out(`${logJson(test)}\n`);
    else await printBlocks(rubricTestBlocks(test), terminal);
  });
}

function rubricNamed(name: string, { rubrics }: Project): Rubric {
  const rubric = rubrics.get(name);
  if (rubric === undefined)
    throw userError(null, `there is no rubric "${name}"${didYouMean(name, [...rubrics.keys()])}`);
  const [label = ''] = rubric.choice_scores.keys();
  if (rubric.examples.length === 0) {
    throw userError(
      rubric.place,
      `the rubric "${name}" has no labelled examples to test it; add some: examples: [{ ` +
        `content: "…", expected: ${JSON.stringify(label)} }]`,
    );
  }
  return rubric;
}

async function testRubric(
  rubric: Rubric,
  repeats: number,
  opened: Opened,
  { code }: EvaluateOptions,
  edges: Edges,
): Promise<RepeatedRubricTest> {
  const { project, tree, session } = opened;
  const { settings } = project;
  const problems: Problem[] = [];
  const side = { project, context: { settings, tree, hash: sha256 } };
  const named = session.inputs.read.overrides.settings.some(({ path }) => path[0] === 'grader');
  const graders = named
    ? gradersOf(side, problems)
    : (graderSetsOf(rubric.name, side, problems)[0] ?? []);
  if (graders.length === 0 && problems.length === 0)
    problems.push(
      problem(
        { file: settings.file ?? 'evaldiff.yaml', line: 0 },
        'has no grader; set grader: { model: … }',
      ),
    );
  if (code !== 'host' && graders.some(({ target }) => target.provider === 'program')) {
    problems.push(
      problem(
        settings.grader?.place ?? null,
        'a grader is a program of this repository. It runs only with --code host.',
      ),
    );
  }
  const calls = rubric.examples.length * graders.length * repeats;
  const targets = graders.map(({ target }) => target);
  await holdGradingToCaps({ calls, targets, problems }, opened, edges);
  return repeatRubricTest({ rubric, graders }, repeats, {
    complete: edges.complete,
    random: edges.random,
  });
}

/** The cost of grading cannot be forecast, so the cap applies during the run. */
async function holdGradingToCaps(
  asked: Pick<Parameters<typeof checkCaps>[0], 'calls' | 'targets' | 'problems'>,
  opened: Opened,
  edges: Edges,
): Promise<void> {
  const price = await projectPrice(opened, edges, asked.targets);
  checkCaps({ ...asked, price, forecast: null }, opened, edges);
}

const MOST_REPEATS = 100;

export const gradeCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(program.command('grade'), { answers: true, caps: true, asks: true })
    .description('measure a grader or evaluators on labelled examples')
    .argument('<name>', 'a rubric with examples, or a prompt with labelled answers or attributes')
    .argument('[overrides...]', `key=value, such as grader.model=${factsOf('openai').starterModel}`)
    .option('--repeats <number>', 'how often each example of a rubric is graded', '3')
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff grade is_polite\n  evaldiff grade is_polite --repeats 5 ' +
        `grader.model=${factsOf('anthropic').starterModel} --json\n  evaldiff grade mentor`,
    )
    .action(
      async (name: string, overrides: string[], options: EvaluateOptions & { repeats: string }) => {
        const repeats = repeatsOf(options.repeats);
        await withCurrentProject(options, terminal, overrides, async (opened) => {
          const { project } = opened;
          const suite = project.rubrics.has(name)
            ? undefined
            : project.suites.find(({ prompt }) => prompt.name === name || prompt.file === name);
          const known = suite === undefined ? knownName(name, project) : name;
          if (suite !== undefined) await gradeSuite(suite, opened, options, terminal);
          else await gradeRubric(known, repeats, opened, options, terminal);
        });
        done(0);
      },
    );
};

function knownName(name: string, { rubrics, suites }: Project): string {
  if (rubrics.has(name) || suites.length === 0) return name;
  const known = [...rubrics.keys(), ...suites.map(({ prompt }) => prompt.name)];
  throw userError(
    null,
    `there is no rubric "${name}", nor a prompt of that name${didYouMean(name, known)}`,
  );
}

function repeatsOf(text: string): number {
  const repeats = Number(text);
  if (!Number.isInteger(repeats) || repeats < 1 || repeats > MOST_REPEATS)
    throw userError(null, `--repeats must be a whole number from 1 to ${String(MOST_REPEATS)}`);
  return repeats;
}
