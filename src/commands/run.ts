import type { Command } from 'commander';
import { problem, UserError } from '../errors.ts';
import { exitCode } from '../exit-code.ts';
import { evaluateOptions, type EvaluateOptions, type Terminal } from './options.ts';
import { currentState, evaluate } from './session.ts';
import { evaluateShard, type ShardOptions } from './shard.ts';

export function runCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
  evaluateOptions(program.command('run'), {
    answers: true,
    caps: true,
    asks: true,
    trust: true,
    verdict: true,
    report:
      "result.json, report.html, junit.xml, comment.md and (below multirun/) reports in llmeval's layout",
  })
    .description('evaluates the current files: every reference, in every combination that is swept')
    .option('--shard <i/n>', 'evaluate one part of n and write it to a folder for evaldiff merge')
    .option('--shard-to <folder>', 'the folder of the part (default: evaldiff-shard-<i>-of-<n>)')
    .argument('[overrides...]', 'key=value; a comma list is a sweep')
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff run prompts=capitals n_tries=1\n  evaldiff run model=gpt-4o,claude-sonnet-4-5 temperature=0,0.7\n  evaldiff run --shard 2/3',
    )
    .action(async (overrides: string[], options: EvaluateOptions & ShardOptions) => {
      if (options.shard !== undefined) {
        await evaluateShard({ ...options, shard: options.shard }, overrides, options, terminal);
        done(0);
        return;
      }
      if (options.shardTo !== undefined)
        throw new UserError([
          problem(
            null,
            '--shard-to: is the folder of one part; name the part with --shard i/n, like 2/4',
          ),
        ]);
      const result = await evaluate('sweep', currentState, overrides, options, terminal);
      done(exitCode(result.conclusion));
    });
}
