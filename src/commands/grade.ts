import type { Command } from 'commander';
import type { Project } from '../types.ts';
import { readProject } from '../config/project.ts';
import { problem, UserError } from '../errors.ts';
import { sha256 } from '../world/asking.ts';
import { builtInRubrics } from '../metrics/built-in-rubrics.ts';
import { metrics } from '../metrics/index.ts';
import { suggestion } from '../config/suggest.ts';
import { gradeSuite } from './grade-evaluators.ts';
import { gradeRubric } from './grade-rubric.ts';
import { evaluateOptions, type EvaluateOptions, type Terminal } from './options.ts';
import { currentFiles, withProject } from './session.ts';

interface GradeOptions extends EvaluateOptions {
  repeats: string;
}

const MOST_REPEATS = 100;

export function gradeCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
  evaluateOptions(program.command('grade'), { answers: true, caps: true, asks: true })
    .description(
      "tests those who judge: a rubric's grader on its labelled examples, or a conversation's evaluators on its labelled answers",
    )
    .argument(
      '<name>',
      'a rubric with examples, or a prompt whose conversation has labelled answers',
    )
    .argument('[overrides...]', 'key=value, such as grader.model=gpt-4o')
    .option('--repeats <number>', 'how often each example of a rubric is graded', '3')
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff grade is_polite\n  evaldiff grade is_polite --repeats 5 grader.model=claude-sonnet-4-5 --json\n  evaldiff grade mentor',
    )
    .action(async (name: string, overrides: string[], options: GradeOptions) => {
      const repeats = repeatsOf(options.repeats);
      await withProject('sweep', currentFiles, overrides, options, terminal, async (opened) => {
        const { project, problems } = await readProject(opened.input.head, opened.input.read, {
          builtInMetrics: metrics,
          builtInRubrics,
          hash: sha256,
        });
        if (problems.length > 0) throw new UserError(problems);
        const suite = project.rubrics.has(name)
          ? undefined
          : project.suites.find(({ prompt }) => prompt.name === name || prompt.file === name);
        if (suite !== undefined) await gradeSuite(suite, project, opened, options, terminal);
        else
          await gradeRubric(
            rubricNamed(name, project),
            repeats,
            project,
            opened,
            options,
            terminal,
          );
      });
      done(0);
    });
}

/** A name that is neither a rubric's nor a prompt's is told with the nearest of both. */
function rubricNamed(name: string, { rubrics, suites }: Project): string {
  if (rubrics.has(name) || suites.length === 0) return name;
  const known = [...rubrics.keys(), ...suites.map(({ prompt }) => prompt.name)];
  throw new UserError([
    problem(
      null,
      `there is no rubric "${name}", nor a prompt of that name${suggestion(name, known)}`,
    ),
  ]);
}

function repeatsOf(text: string): number {
  const repeats = Number(text);
  if (!Number.isInteger(repeats) || repeats < 1 || repeats > MOST_REPEATS)
    throw new UserError([
      problem(null, `--repeats must be a whole number from 1 to ${String(MOST_REPEATS)}`),
    ]);
  return repeats;
}
