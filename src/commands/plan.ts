import type { Command } from 'commander';
import { exitCode } from '../exit-code.ts';
import { planJson, planLines } from '../report/plan.ts';
import { renderTerminal } from '../report/terminal.ts';
import { logJson } from '../text/log.ts';
import { sidesFrom, sidesOptions, type SidesOptions } from './diff.ts';
import { evaluateOptions, type EvaluateOptions, type Terminal } from './options.ts';
import { planOnly } from './session.ts';

export function planCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
  evaluateOptions(sidesOptions(program.command('plan')), { answers: true, caps: true, trust: true })
    .description(
      'what diff would run and why, what comes from which side, and how many calls; asks nobody',
    )
    .argument('[overrides...]', 'key=value')
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff plan\n  evaldiff plan --base origin/main --head HEAD prompts=capitals\n  evaldiff plan --untrusted --json',
    )
    .action(async (overrides: string[], options: EvaluateOptions & SidesOptions) => {
      const { planned, trust } = await planOnly(
        'diff',
        sidesFrom(options),
        overrides,
        options,
        terminal,
      );
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
      const { prepared, blank, forecast } = planned;
      const view = { trust, prepared, notices: blank.notices, forecast };
      terminal.out(
        options.json === true ? `${logJson(planJson(view))}\n` : `${planLines(view).join('\n')}\n`,
      );
      done(0);
    });
}
