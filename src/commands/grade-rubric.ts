import type { Problem, Project, Rubric } from '../types.ts';
import { sha256 } from '../world/asking.ts';
import { suggestion } from '../config/suggest.ts';
import { tryRubric, type RubricTrial } from '../core/rubrics/rubric-trial.ts';
import { graderSetsOf, gradersOf } from '../core/select/metric-targets.ts';
import { problem, UserError } from '../errors.ts';
import { renderBlocks } from '../report/terminal.ts';
import { rubricTrial } from '../report/rubric-trial.ts';
import type { Edges } from '../run.ts';
import { logJson } from '../text/log.ts';
import { holdToCaps, priceOf } from './caps.ts';
import type { EvaluateOptions, Terminal } from './options.ts';
import { withWorld, type Opened } from './session.ts';

/**
 * Grades the examples of one of the project's rubrics `repeats` times and prints what came of it:
 * by the graders of the first metric that uses the rubric, unless the command line names one.
 */
export function gradeRubric(
  name: string,
  repeats: number,
  project: Project,
  opened: Opened,
  options: EvaluateOptions,
  terminal: Terminal,
): Promise<void> {
  return withWorld(opened, options, terminal, async (edges) => {
    const trial = await tried(rubricNamed(name, project), repeats, project, opened, options, edges);
    if (options.json === true) terminal.out(`${logJson(trial)}\n`);
    else
      terminal.out(
        `${renderBlocks(rubricTrial(trial), { width: terminal.width, colour: terminal.isTerminal })}\n`,
      );
  });
}

/** The rubric, if it can be tested. */
function rubricNamed(name: string, { rubrics }: Project): Rubric {
  const rubric = rubrics.get(name);
  if (rubric === undefined)
    throw new UserError([
      problem(null, `there is no rubric "${name}"${suggestion(name, [...rubrics.keys()])}`),
    ]);
  const [label = ''] = rubric.choice_scores.keys();
  if (rubric.examples.length === 0) {
    throw new UserError([
      problem(
        rubric.place,
        `the rubric "${name}" has no labelled examples to be tested by; add some: examples: [{ content: "…", expected: ${JSON.stringify(label)} }]`,
      ),
    ]);
  }
  return rubric;
}

async function tried(
  rubric: Rubric,
  repeats: number,
  project: Project,
  opened: Opened,
  { code }: EvaluateOptions,
  edges: Edges,
): Promise<RubricTrial> {
  const { input } = opened;
  const { settings } = project;
  const problems: Problem[] = [];
  const side = { project, context: { settings, tree: input.head, hash: sha256 } };
  const named = input.read.overrides.settings.some(({ path }) => path[0] === 'grader');
  const graders = named
    ? gradersOf(side, problems)
    : (graderSetsOf(rubric.name, side, problems)[0] ?? []);
  if (graders.length === 0 && problems.length === 0)
    problems.push(
      problem(
        { file: settings.file ?? 'evaldiff.yaml', line: 0 },
        'names no grader; name a model, grader: { model: … }',
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
  holdToCaps(
    {
      calls,
      targets: graders.map(({ target }) => target),
      price: await priceOf(project, edges),
      forecast: null,
      problems,
    },
    project,
    opened,
    edges,
  );
  return tryRubric({ rubric, graders }, repeats, {
    complete: edges.complete,
    random: edges.random,
  });
}
