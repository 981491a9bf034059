import { offerEdits } from '../../app/commands/edits.ts';
import { evaluateOptions, type EvaluateOptions } from '../../app/commands/options.ts';
import { printBlocks, type AddCommand } from '../../app/commands/terminal.ts';
import { NOT_JUDGED, UserError } from '../../errors.ts';
import { list } from '../../report/sections/document.ts';
import { problemLine } from '../../report/sections/notices.ts';
import { logJson, logLine } from '../../text/log.ts';
import { runOnly } from './command.ts';
import { improvement } from './improve.ts';

interface ImproveOptions extends EvaluateOptions {
  shorter?: boolean;
  apply?: boolean;
}

export const improveCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(program.command('improve'), { answers: true, caps: true, asks: true })
    .description('find better or fewer words for a prompt, and prove them')
    .argument('[overrides...]', 'names of prompts (default: all), and key=value')
    .option('--shorter', 'take away the lines without an effect instead of asking the grader')
    .option('--apply', 'write the proven change')
    .addHelpText(
      'after',
      '\nThe grader sees half of the failing tests; its words must repair the other half and break ' +
        'no test that always passes.\n\nExample: evaldiff improve support --shorter',
    )
    .action(async (overrides: string[], options: ImproveOptions) => {
      const isShorter = options.shorter === true;
      const result = await runOnly(improvement(isShorter), overrides, options, terminal);
      const { improved = [], problems, notices } = result;
      if (options.json === true) terminal.out(`${logJson({ improved, notices, problems })}\n`);
      if (problems.length > 0) throw new UserError(problems);
      if (options.json !== true) {
        await printBlocks(list(notices.map(problemLine)), terminal);
        for (const { suite, no_fix } of improved)
          if (no_fix !== undefined)
            terminal.out(`${logLine(`No change of ${suite} is proven: ${no_fix}.`)}\n`);
        const command = `npx evaldiff improve${isShorter ? ' --shorter' : ''} --apply`;
        const edits = improved.flatMap(({ fix }) => fix ?? []);
        await offerEdits(edits, { ...options, command }, terminal);
      }
      const isSettled = improved.length > 0 && improved.every(({ is_settled }) => is_settled);
      done(isSettled ? 0 : NOT_JUDGED);
    });
};
