import { Option } from 'commander';
import { evaluateOptions, type EvaluateOptions } from '../../app/commands/options.ts';
import { writeOwnReports } from '../../app/commands/print-result.ts';
import { currentState, ownPaths, withProject } from '../../app/commands/project.ts';
import { printBlocks, type AddCommand, type Terminal } from '../../app/commands/terminal.ts';
import { planAndRun } from '../../app/run/plan-and-run.ts';
import { runInput, withEdges } from '../../app/session/evaluate.ts';
import type { Session } from '../../app/session/session.ts';
import { NOT_JUDGED, UserError } from '../../errors.ts';
import type { Result } from '../../kernel/result/result.ts';
import { list } from '../../report/sections/document.ts';
import { problemLine } from '../../report/sections/notices.ts';
import { logJson } from '../../text/log.ts';
import type { CoverResult } from './cover-file.ts';
import { wholeCover } from './cover.ts';
import { badgeOf, lcovOf } from './formats.ts';
import { coverageBlocks } from './lines-report.ts';

const FORMATS = ['text', 'json', 'badge', 'lcov'] as const;

interface CoverOptions extends EvaluateOptions {
  format: (typeof FORMATS)[number];
}

export const coverCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(program.command('cover'), {
    answers: true,
    caps: true,
    asks: true,
    report: 'cover.json, cover.lcov and badge.json',
  })
    .description('find the lines of a prompt that no test holds')
    .argument('[prompts...]', 'prompts to examine (default: all), and key=value')
    .addOption(new Option('--format <format>', 'what to print').choices(FORMATS).default('text'))
    .addHelpText(
      'after',
      '\nTakes lines away and asks again. Prints the number of calls and their price before the ' +
        'first call.\n\nExamples:\n  evaldiff cover support\n' +
        '  evaldiff cover support coverage.max_calls=200 --max-cost 1\n' +
        '  evaldiff cover --format lcov > cover.lcov',
    )
    .action(async (words: string[], options: CoverOptions) => {
      const prompts = words.filter((word) => !word.includes('='));
      const overrides = [
        ...words.filter((word) => word.includes('=')),
        ...(prompts.length === 0 ? [] : [`prompts=${prompts.join(',')}`]),
      ];
      const result = await withProject(options, terminal, { overrides }, async (session) => {
        const found = session.redact(await examine(session, options, terminal));
        await show(found, session, options, terminal);
        return found;
      });
      done(result.coverage === undefined ? NOT_JUDGED : 0);
    });
};

async function examine(
  session: Session,
  options: CoverOptions,
  terminal: Terminal,
): Promise<Result> {
  const sides = await currentState(session, ownPaths(options, terminal));
  return withEdges(session, sides, (edges) =>
    planAndRun({ ...runInput(session, 'sweep', sides), features: [wholeCover] }, edges),
  );
}

async function show(
  result: Result,
  session: Session,
  options: CoverOptions,
  terminal: Terminal,
): Promise<void> {
  const { coverage = [], problems, notices } = result;
  const { format, json } = options;
  if (json === true || format === 'json') terminal.out(`${logJson(coverResult(result))}\n`);
  else if (problems.length > 0) throw new UserError(problems);
  else if (format === 'badge') terminal.out(`${logJson(badgeOf(coverage))}\n`);
  else if (format === 'lcov') terminal.out(lcovOf(coverage));
  else
    await printBlocks(
      [...coverage.flatMap(coverageBlocks), ...list(notices.map(problemLine))],
      terminal,
    );
  await writeOwnReports(session, options, terminal, 'cover.json', async (folder) => {
    await folder.write('cover.json', `${JSON.stringify(coverResult(result), null, 1)}\n`);
    await folder.write('cover.lcov', lcovOf(coverage));
    await folder.write('badge.json', `${JSON.stringify(badgeOf(coverage))}\n`);
  });
}

function coverResult({ head, coverage = [], notices, problems, usage }: Result): CoverResult {
  return { cover_version: 1, head, coverage, notices, problems, usage };
}
