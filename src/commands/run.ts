import type { Command } from 'commander';
import { exitCode } from '../exit-code.ts';
import { evaluateOptions, type EvaluateOptions, type Terminal } from './options.ts';
import { currentFiles, evaluate } from './session.ts';

export function runCommand(program: Command, terminal: Terminal, done: (code: number) => void): void {
  evaluateOptions(program.command('run'))
    .description('evaluates the current files: every reference, in every combination that is swept')
    .argument('[overrides...]', 'key=value; a comma list is a sweep')
    .addHelpText('after', '\nExamples:\n  evaldiff run prompts=capitals n_tries=1\n  evaldiff run model=gpt-4o,claude-sonnet-4-5 temperature=0,0.7')
    .action(async (overrides: string[], options: EvaluateOptions) => {
      const result = await evaluate('sweep', currentFiles, overrides, options, terminal);
      done(exitCode(result.conclusion));
    });
}
