import type { Command } from 'commander';
import { exitCode } from '../exit-code.ts';
import { renderTerminal } from '../report/terminal.ts';
import { formatProblem } from '../errors.ts';
import { logJson, logLine } from '../text/log.ts';
import { evaluateOptions, type EvaluateOptions, type Terminal } from './options.ts';
import { currentFiles, planOnly } from './session.ts';
import { plural } from '../text/amounts.ts';

export function validateCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
  evaluateOptions(program.command('validate'), {})
    .description('checks every file and tells all errors at once, with lines; asks nobody')
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff validate\n  evaldiff validate --directory services/chat --json',
    )
    .action(async (options: EvaluateOptions) => {
      const { planned } = await planOnly('sweep', currentFiles, [], options, terminal);
      if (!planned.ready) {
        terminal.out(
          options.json === true
            ? `${logJson(planned.result)}\n`
            : renderTerminal(planned.result, {
                width: terminal.width,
                colour: terminal.isTerminal,
              }),
        );
        done(exitCode(planned.result.conclusion));
        return;
      }
      const {
        prepared: { plan },
        blank,
      } = planned;
      for (const notice of blank.notices) terminal.err(`note: ${logLine(formatProblem(notice))}\n`);
      if (options.json === true)
        terminal.out(
          `${logJson({ prompts: plan.suites, references: plan.references, notices: blank.notices, problems: [] })}\n`,
        );
      else
        terminal.out(
          `${plural(plan.suites, 'prompt')} with ${plural(plan.references, 'reference')}: no errors\n`,
        );
      done(0);
    });
}
