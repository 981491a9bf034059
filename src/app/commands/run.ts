import { NOT_JUDGED } from '../../errors.ts';
import { runPart, type ShardOptions } from '../../features/shards/command.ts';
import { factsOf, vendorNames } from '../../types/vendors.ts';
import { afterEachEdit, filesNamed } from '../session/watch.ts';
import { projectFolder, evaluateOptions, SWEEPS, type EvaluateOptions } from './options.ts';
import { printEnd, evaluateSides } from './print-result.ts';
import { currentState, ownPaths, withProject } from './project.ts';
import type { AddCommand, Terminal } from './terminal.ts';
import { userError } from './user-error.ts';

export const runCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(program.command('run'), SWEEPS)
    .description('evaluates the current files: every reference, in every combination that is swept')
    .option('--shard <i/n>', 'evaluate one part of n and write it to a folder for evaldiff merge')
    .option('--shard-to <folder>', 'the folder of the part (default: evaldiff-shard-<i>-of-<n>)')
    .option('--watch', 'run again after each edit, until it is ended')
    .argument('[overrides...]', 'key=value; a comma list is a sweep')
    .addHelpText(
      'after',
      `\nExamples:\n  evaldiff run prompts=capitals n_tries=1\n  evaldiff run model=${vendorNames()
        .map((vendor) => factsOf(vendor).starterModel)
        .slice(0, 2)
        .join(',')}\n  evaldiff run --shard 2/3`,
    )
    .action(async (overrides: string[], options: EvaluateOptions & ShardOptions & WatchOptions) => {
      if (options.watch === true) {
        done(await runWatched(overrides, options, terminal));
        return;
      }
      if (options.shard !== undefined) {
        await runPart({ ...options, shard: options.shard }, overrides, options, terminal);
        done(0);
        return;
      }
      if (options.shardTo !== undefined)
        throw userError(
          null,
          '--shard-to: is the folder of one part; name the part with --shard i/n, like 2/4',
        );
      const { code } = await runOnce(overrides, options, terminal);
      done(code);
    });
};

interface WatchOptions {
  watch?: boolean;
}

function runOnce(
  overrides: readonly string[],
  options: EvaluateOptions,
  terminal: Terminal,
): Promise<{ code: number; files: string[]; interrupted: boolean }> {
  return withProject(options, terminal, { overrides }, async (session) => {
    const sides = await currentState(session, ownPaths(options, terminal));
    const result = await evaluateSides(
      'sweep',
      () => Promise.resolve(sides),
      session,
      options,
      terminal,
    );
    return {
      code: printEnd(result, terminal),
      files: [...sides.head.files.keys(), ...filesNamed(result.problems)],
      interrupted: session.halting.halted()?.title === 'Interrupted',
    };
  });
}

/** Runs again after each edit, even after errors. Returns the last exit code. */
async function runWatched(
  overrides: readonly string[],
  options: EvaluateOptions & ShardOptions,
  terminal: Terminal,
): Promise<number> {
  if (options.shard !== undefined)
    throw userError(null, '--watch: watches a whole run; leave --shard out');
  const root = projectFolder(options, { ...terminal, err: () => undefined });
  const written = ownPaths(options, terminal);
  let last = NOT_JUDGED;
  await afterEachEdit({ root, written, until: terminal.until }, async () => {
    const { code, files, interrupted } = await runOnce(overrides, options, terminal);
    last = code;
    if (!interrupted) terminal.err('watching the files; Ctrl-C ends\n');
    return { files, over: interrupted };
  });
  return last;
}
