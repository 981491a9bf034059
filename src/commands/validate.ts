import type { Command } from 'commander';
import { exitCode } from '../exit-code.ts';
import { renderTerminal } from '../report/terminal.ts';
import { logLine } from '../text/log.ts';
import { evaluateOptions, type EvaluateOptions, type Terminal } from './options.ts';
import { currentFiles, planOnly } from './session.ts';
import { plural } from '../core/compare/wording.ts';

export function validateCommand(program: Command, terminal: Terminal, done: (code: number) => void): void {
  evaluateOptions(program.command('validate'))
    .description('checks every file and tells all errors at once, with lines; asks nobody')
    .action(async (options: EvaluateOptions) => {
      const { planned } = await planOnly('sweep', currentFiles, [], options, terminal);
      if (!planned.ready) {
        terminal.out(renderTerminal(planned.result, { width: terminal.width, colour: terminal.isTerminal }));
        done(exitCode(planned.result.conclusion));
        return;
      }
      const { prepared: { plan }, blank } = planned;
      for (const { message } of blank.notices) terminal.err(`note: ${logLine(message)}\n`);
      terminal.out(`${plural(plan.suites, 'prompt')} with ${plural(plan.references, 'reference')}: no errors\n`);
      done(0);
    });
}
