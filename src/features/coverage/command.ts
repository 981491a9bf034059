import { Option } from 'commander';
import { offerEdits } from '../../app/commands/edits.ts';
import { evaluateOptions, type EvaluateOptions } from '../../app/commands/options.ts';
import { currentState, ownPaths, withProject } from '../../app/commands/project.ts';
import { printBlocks, type AddCommand, type Terminal } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import { planAndRun } from '../../app/run/plan-and-run.ts';
import { runInput, withEdges } from '../../app/session/evaluate.ts';
import { NOT_JUDGED, userError, UserError } from '../../errors.ts';
import type { Result } from '../../kernel/result/result.ts';
import { list } from '../../report/sections/document.ts';
import { problemLine } from '../../report/sections/notices.ts';
import { logJson } from '../../text/log.ts';
import { coverFile } from './cover-file.ts';
import type { CallLimits } from './cover-suite.ts';
import { badgeOf, lcovOf } from './formats.ts';
import { wholeCover } from './plans.ts';
import { coverageBlocks } from './report.ts';

interface CoverOptions extends EvaluateOptions {
  draft?: boolean;
  apply?: boolean;
  format: 'text' | 'json' | 'badge' | 'lcov';
}

export const coverCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(program.command('cover'), { answers: true, caps: true, asks: true })
    .description('find the lines of a prompt that no test holds')
    .argument('[overrides...]', 'names of prompts (default: all), and key=value')
    .addOption(
      new Option('-f, --format <format>', 'what to print')
        .choices(['text', 'json', 'badge', 'lcov'])
        .default('text'),
    )
    .option('--draft', 'draft a test for untested lines, and show it if it passes its trial')
    .addOption(new Option('--apply', 'write the drafted tests').conflicts(['format', 'json']))
    .addHelpText(
      'after',
      '\nTakes lines away and asks again. Prints the number of calls and their price before the ' +
        'first call.\n\nExample: evaldiff cover support --max-cost 1',
    )
    .action(async (words: string[], options: CoverOptions) => {
      if (options.apply === true && options.draft !== true)
        throw userError(null, '--apply: writes the tests that --draft drafts; also set --draft');
      const overrides = options.draft === true ? [...words, 'coverage.draft=true'] : words;
      const result = await runOnly(wholeCover, overrides, options, terminal);
      await printCover(result, options, terminal);
      done(result.coverage?.some(({ lines }) => lines.length > 0) === true ? 0 : NOT_JUDGED);
    });
};

/** Runs the current files with this feature instead of the project's own. */
export function runOnly(
  feature: Feature<CallLimits>,
  overrides: readonly string[],
  options: EvaluateOptions,
  terminal: Terminal,
): Promise<Result> {
  return withProject(options, terminal, { overrides: [...overrides] }, async (session) => {
    const sides = await currentState(session, ownPaths(options, terminal));
    const input = { ...runInput(session, 'sweep', sides), features: [feature] };
    return session.redact(await withEdges(session, sides, (edges) => planAndRun(input, edges)));
  });
}

async function printCover(
  result: Result,
  options: CoverOptions,
  terminal: Terminal,
): Promise<void> {
  const { coverage = [], problems, notices } = result;
  const format = options.json === true ? 'json' : options.format;
  if (format === 'json') terminal.out(`${logJson(coverFile(result))}\n`);
  if (problems.length > 0) throw new UserError(problems);
  if (format === 'badge') terminal.out(`${logJson(badgeOf(coverage))}\n`);
  if (format === 'lcov') terminal.out(lcovOf(coverage));
  if (format !== 'text') return;
  const blocks = [...coverage.flatMap(coverageBlocks), ...list(notices.map(problemLine))];
  await printBlocks(blocks, terminal);
  const drafts = coverage.flatMap(({ lines }) => lines.flatMap(({ fix }) => fix ?? []));
  await offerEdits(drafts, { ...options, command: 'npx evaldiff cover --draft --apply' }, terminal);
}
