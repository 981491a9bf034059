import { checkCaps, projectPrice } from '../../app/commands/caps.ts';
import { evaluateOptions, wholeOption, type EvaluateOptions } from '../../app/commands/options.ts';
import { asking, withCurrentProject, type Opened } from '../../app/commands/project.ts';
import {
  printBlocks,
  type AddCommand,
  type LabelledTest,
  type Terminal,
} from '../../app/commands/terminal.ts';
import { sha256 } from '../../app/session/cached-complete.ts';
import { gradersOf } from '../../config/targets.ts';
import { userError, problem } from '../../errors.ts';
import type { Suite } from '../../kernel/suite/suite.ts';
import type { Project } from '../../project/settings.ts';
import {
  code,
  paragraph,
  list,
  place,
  strong,
  table,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import type { Interval } from '../../report/sections/intervals.ts';
import { rateInterval } from '../../report/sections/phrases.ts';
import { twoDecimals, percent, counted } from '../../text/amounts.ts';
import { logJson } from '../../text/log.ts';
import { didYouMean } from '../../text/suggest.ts';
import { judgeCalls } from '../../trials/labelled-tests.ts';
import type { Rubric } from '../../types/metric.ts';
import type { Problem } from '../../types/plain.ts';
import { factsOf } from '../../types/vendors.ts';
import { graderSetsOf, repeatRubricTest, type RepeatedRubricTest } from './rubric-tests.ts';

function gradeLabelled(
  test: LabelledTest,
  opened: Opened,
  { json, code }: EvaluateOptions,
  terminal: Terminal,
): Promise<void> {
  return asking(opened, async (edges) => {
    const { certain } = test;
    const programs = certain.filter(({ target }) => target.provider === 'program');
    const problems = [
      ...test.problems,
      ...(code === 'host' ? [] : programs).map(({ place, target: { model } }) =>
        problem(
          place,
          `"${model}" is a program of this repository. It runs only with --code host.`,
        ),
      ),
    ];
    const calls = certain.reduce((sum, each) => sum + each.calls, 0);
    const targets = certain.map(({ target }) => target);
    const price = await projectPrice(opened, edges, targets);
    // The cost of grading cannot be forecast, so the cap applies during the run.
    checkCaps({ calls, targets, problems, price, forecast: null }, opened, edges);
    const { complete, random } = edges;
    const tested = opened.session.redact(await test.run({ complete, random }));
    if (json === true) terminal.out(`${logJson(tested.json)}\n`);
    else await printBlocks(tested.blocks, terminal);
  });
}

async function labelledTestOf(
  suite: Suite,
  { project, tree }: Opened,
  { features }: Terminal,
): Promise<LabelledTest> {
  const context = { settings: project.settings, tree, hash: sha256 };
  for (const row of features) {
    const test = await row.grade?.(suite, context);
    if (test) return test;
  }
  throw userError(
    { file: suite.tests.file, line: 0 },
    `the prompt "${suite.prompt.name}" has no labels; add examples under its conversation`,
  );
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

function rubricTest(
  rubric: Rubric,
  repeats: number,
  { project, tree, session }: Opened,
): LabelledTest {
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
  return {
    certain: judgeCalls(
      graders,
      rubric.examples.length * repeats,
      'grader',
      settings.grader?.place ?? rubric.place,
    ),
    problems,
    async run(tools) {
      const test = await repeatRubricTest({ rubric, graders }, repeats, tools);
      return { json: { ...test }, blocks: rubricTestBlocks(test) };
    },
  };
}

const MOST_REPEATS = 100;

export const gradeCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(program.command('grade'), { answers: true, caps: true, asks: true })
    .description('measure a grader or evaluators on labelled examples')
    .argument('<name>', 'a rubric with examples, or a prompt with labelled answers')
    .argument('[overrides...]', `key=value, such as grader.model=${factsOf('openai').starterModel}`)
    .option('--repeats <number>', 'how often each example of a rubric is graded', '3')
    .addHelpText('after', '\nExample: evaldiff grade is_polite --repeats 5')
    .action(
      async (name: string, overrides: string[], options: EvaluateOptions & { repeats: string }) => {
        const repeats = wholeOption('--repeats', options.repeats, 1, MOST_REPEATS);
        await withCurrentProject(options, terminal, overrides, async (opened) => {
          const { project } = opened;
          const suite = project.rubrics.has(name)
            ? undefined
            : project.suites.find(({ prompt }) => prompt.name === name || prompt.file === name);
          const known = suite === undefined ? knownName(name, project) : name;
          const test =
            suite === undefined
              ? rubricTest(rubricNamed(known, project), repeats, opened)
              : await labelledTestOf(suite, opened, terminal);
          await gradeLabelled(test, opened, options, terminal);
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

function rubricTestBlocks(test: RepeatedRubricTest): Block[] {
  const { rubric, graders, repeats, examples } = test;
  return [
    paragraph([
      strong(rubric),
      `: ${counted(examples.length, 'example')}, graded ` +
        `${repeats === 1 ? 'once' : `${repeats} times`} by ${graders.join(', ')}`,
    ]),
    ...list([agreement(test), ...(repeats === 1 ? [] : [consistency(test)])]),
    ...table(
      ['Example', 'Label', repeats === 1 ? 'Grade' : 'Grades', 'Content'],
      [...examples]
        .sort((a, b) => right(a) - right(b))
        .map((example) => [
          place(example.file, example.line),
          code(example.expected),
          labelCountWords(example),
          code(example.content, 120),
        ]),
    ),
  ];
}

type RepeatedExample = RepeatedRubricTest['examples'][number];

function right({ expected, labels }: RepeatedExample): number {
  return labels.filter((label) => label === expected).length / Math.max(1, labels.length);
}

function agreement({
  agreement: { judged, agreement: share, kappa, base_rate, ...rates },
  examples,
  repeats,
}: RepeatedRubricTest): Line {
  const good = withInterval(rates.true_positive_rate, rates.true_positive_interval);
  const bad = withInterval(rates.true_negative_rate, rates.true_negative_interval);
  const unread = examples.length * repeats - judged;
  return [
    `agrees with the labels in ${percent(share)} of ${counted(judged, 'grade')}: accepts ` +
      `${good} of the good, rejects ${bad} of the bad; ` +
      `Cohen's κ ${twoDecimals(kappa)} with ${percent(base_rate)} ` +
      `good${unread === 0 ? '' : `; ${counted(unread, 'grade')} could not be read`}`,
  ];
}

function withInterval(rate: number | null, interval: Interval | null | undefined): string {
  return `${percent(rate)}${interval ? ` (${rateInterval(interval)})` : ''}`;
}

function consistency({ consistency: { share, unanimous, compared } }: RepeatedRubricTest): Line {
  return [
    `agrees with itself in ${percent(share)} of the grades: ${unanimous} of ` +
      `${counted(compared, 'example')} got the same label every time`,
  ];
}

/** For example `✓ YES`, or `✓ YES 2, ✗ NO 1` if some grades are wrong. */
function labelCountWords({ expected, labels }: RepeatedExample): string {
  const names = [...new Set(labels.map((label) => label ?? 'unread'))];
  const parts = names
    .map((name) => ({ name, count: labels.filter((label) => (label ?? 'unread') === name).length }))
    .sort((a, b) => b.count - a.count);
  return parts
    .map(
      ({ name, count }) =>
        `${name === expected ? '✓' : '✗'} ${name}${labels.length === 1 ? '' : ` ${count}`}`,
    )
    .join(', ');
}
