import { Option } from 'commander';
import { offerEdits } from '../../app/commands/edits.ts';
import { savedResult } from '../../app/commands/files.ts';
import type { AddCommand } from '../../app/commands/terminal.ts';
import { loadReports, proposalsIn } from '../../report/sections/feature-report.ts';

const NO_FIX =
  'This run proved no fix. A run looks for fixes with: npx evaldiff diff explain.fix=true ' +
  '--report evaldiff-report';

interface FixOptions {
  directory: string;
  write?: boolean;
  json?: boolean;
}

export const fixCommand: AddCommand = (program, terminal, done) => {
  program
    .command('fix')
    .description('show the tested fixes of a run and write them to prompt files')
    .argument('[result]', 'result.json of a run with explain.fix (default: the newest run)')
    .option('-C, --directory <folder>', 'root of the evaluated project', '.')
    .option('--write', 'write all fixes without a prompt')
    .addOption(new Option('--json', 'print them as JSON').conflicts('write'))
    .addHelpText('after', '\nExample: evaldiff fix evaldiff-report/result.json')
    .action(
      async (file: string | undefined, { json, directory, write: apply = false }: FixOptions) => {
        const result = await savedResult(file, terminal);
        const fixes = proposalsIn(result, await loadReports(terminal.features)).map(
          ({ fix }) => fix,
        );
        if (json === true) terminal.out(`${JSON.stringify(fixes, null, 2)}\n`);
        else if (fixes.length > 0)
          await offerEdits(
            fixes,
            { directory, apply, command: 'npx evaldiff fix --write' },
            terminal,
          );
        else terminal.out(`${NO_FIX}\n`);
        done(0);
      },
    );
};
