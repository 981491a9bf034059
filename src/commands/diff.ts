import type { Command } from 'commander';
import { exitCode } from '../exit-code.ts';
import { findLocalSides, WORKTREE } from '../job/sides.ts';
import { evaluateOptions, type EvaluateOptions, type Terminal } from './options.ts';
import { evaluate, type FindSides } from './session.ts';

export interface SidesOptions {
  base?: string;
  head: string;
}

/** Base and head as a person names them. */
export function sidesFrom({ base, head }: SidesOptions): FindSides {
  return (repository, workingDirectory) =>
    findLocalSides(repository, { base: base ?? null, head, workingDirectory });
}

/** Adds `--base` and `--head`. */
export function sidesOptions(command: Command): Command {
  return command
    .option(
      '-b, --base <commit>',
      "what to compare with: head's common ancestor with it (default: main, else the default branch)",
    )
    .option(
      '--head <commit>',
      `what to evaluate: a commit, or "${WORKTREE}" for the files as they are`,
      WORKTREE,
    );
}

export function diffCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
  evaluateOptions(sidesOptions(program.command('diff')), {
    answers: true,
    caps: true,
    asks: true,
    trust: true,
    verdict: true,
    report: 'result.json, report.html, junit.xml and comment.md',
  })
    .description(
      'the pull-request job in a terminal: runs what changed since base on both sides and compares',
    )
    .argument('[overrides...]', 'key=value, such as n_tries=5 or prompts=capitals')
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff diff\n  evaldiff diff --base origin/main --head HEAD\n  evaldiff diff prompts=capitals n_tries=5',
    )
    .action(async (overrides: string[], options: EvaluateOptions & SidesOptions) => {
      const result = await evaluate('diff', sidesFrom(options), overrides, options, terminal);
      done(exitCode(result.conclusion));
    });
}
