import type { Command } from 'commander';
import { readProject } from '../config/project.ts';
import { problem, UserError } from '../errors.ts';
import { sha256 } from '../asking.ts';
import { builtInRubrics } from '../metrics/built-in-rubrics.ts';
import { metrics } from '../metrics/index.ts';
import { gradeRubric } from './grade-rubric.ts';
import { evaluateOptions, type EvaluateOptions, type Terminal } from './options.ts';
import { currentFiles, withProject } from './session.ts';

interface GradeOptions extends EvaluateOptions { repeats: string }

const MOST_REPEATS = 100;

export function gradeCommand(program: Command, terminal: Terminal, done: (code: number) => void): void {
  evaluateOptions(program.command('grade'))
    .description('tests a rubric: grades its labelled examples, and says how far its grader agrees with people and with itself')
    .argument('<rubric>', 'a rubric of the project that has examples')
    .argument('[overrides...]', 'key=value, such as grader.model=gpt-4o')
    .option('--repeats <number>', 'how often each example is graded', '3')
    .addHelpText('after', '\nExamples:\n  evaldiff grade is_polite\n  evaldiff grade is_polite --repeats 5 grader.model=claude-sonnet-4-5 --json')
    .action(async (name: string, overrides: string[], options: GradeOptions) => {
      const repeats = repeatsOf(options.repeats);
      await withProject('sweep', currentFiles, overrides, options, terminal, async (opened) => {
        const { project, problems } = await readProject(opened.input.head, opened.input.read, { builtInMetrics: metrics, builtInRubrics, hash: sha256 });
        if (problems.length > 0) throw new UserError(problems);
        await gradeRubric(name, repeats, project, opened, options, terminal);
      });
      done(0);
    });
}

function repeatsOf(text: string): number {
  const repeats = Number(text);
  if (!Number.isInteger(repeats) || repeats < 1 || repeats > MOST_REPEATS) throw new UserError([problem(null, `--repeats must be a whole number from 1 to ${String(MOST_REPEATS)}`)]);
  return repeats;
}
