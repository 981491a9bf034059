import { resolve } from 'node:path';
import type { Command } from 'commander';
import { UserError, formatProblem, problem } from '../errors.ts';
import { exitCode } from '../judge/outcome.ts';
import { planJson, planLines } from '../report/plan.ts';
import type { Planned, RunInput } from '../run/input.ts';
import { planRun } from '../run/plan-run.ts';
import type { TrustDecision } from '../select/trust.ts';
import { runInput, withEdges } from '../session/session.ts';
import { WORKTREE, findLocalSides } from '../session/sides.ts';
import { watchFiles } from '../session/watch.ts';
import { counted } from '../text/amounts.ts';
import { logJson, logLine } from '../text/log.ts';
import { factsOf, vendorNames } from '../types/vendors.ts';
import { projectFolder } from './find-project.ts';
import { evaluateOptions, SWEEPS, type EvaluateOptions } from './options.ts';
import {
  currentFiles,
  currentState,
  ended,
  evaluateSides,
  type FindSides,
  print,
  withProject,
} from './project.ts';
import { runPart, type ShardOptions } from './shards.ts';
import type { Terminal } from './terminal.ts';

interface SidesOptions {
  base?: string;
  head: string;
}

/** Base and head as a person names them. */
function sidesFrom({ base, head }: SidesOptions): FindSides {
  return ({ repository }) =>
    findLocalSides(repository, { base: base ?? null, head, workingDirectory: '' });
}

/** Adds `--base` and `--head`. */
function sidesOptions(command: Command): Command {
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
    .argument(
      '[overrides...]',
      'key=value, such as n_tries=5, prompts=capitals, references=refund* or tags=critical',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff diff\n  evaldiff diff --base origin/main --head HEAD\n  evaldiff diff prompts=capitals n_tries=5',
    )
    .action(async (overrides: string[], options: EvaluateOptions & SidesOptions) => {
      const result = await withProject(options, terminal, { overrides }, (session) =>
        evaluateSides('diff', sidesFrom(options), session, options, terminal),
      );
      done(ended(result, terminal));
    });
}

/** What a run would do, without a model call. */
function planOnly(
  mode: 'diff' | 'sweep',
  find: FindSides,
  {
    overrides,
    options,
    terminal,
    ...strictness
  }: {
    overrides: readonly string[];
    options: EvaluateOptions;
    terminal: Terminal;
  } & Pick<RunInput, 'strict'>,
): Promise<{ planned: Planned; trust: TrustDecision }> {
  return withProject(options, terminal, { overrides, role: 'plan' }, async (session) => {
    const sides = await find(session);
    const planned = await withEdges(session, sides, (edges) =>
      planRun({ ...runInput(session, mode, sides), ...strictness }, edges),
    );
    return { planned, trust: session.trust };
  });
}

export function planCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
  evaluateOptions(sidesOptions(program.command('plan')), { answers: true, caps: true, trust: true })
    .description(
      'what diff would run and why, and how many calls; with --verbose what comes from which side; makes no model calls',
    )
    .option('--verbose', 'also name every reference, and what comes from which side')
    .argument('[overrides...]', 'key=value')
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff plan\n  evaldiff plan --base origin/main --head HEAD prompts=capitals\n  evaldiff plan --untrusted --verbose',
    )
    .action(
      async (
        overrides: string[],
        options: EvaluateOptions & SidesOptions & { verbose?: boolean },
      ) => {
        const { planned, trust } = await planOnly('diff', sidesFrom(options), {
          overrides,
          options,
          terminal,
        });
        if (!planned.ready) {
          print(planned.result, options, terminal);
          done(exitCode(planned.result.conclusion));
          return;
        }
        const { prepared, blank, forecast } = planned;
        const view = {
          trust,
          prepared,
          notices: blank.notices,
          forecast,
          verbose: options.verbose === true,
        };
        terminal.out(
          options.json === true
            ? `${logJson(planJson(view))}\n`
            : `${planLines(view).join('\n')}\n`,
        );
        done(0);
      },
    );
}

export function runCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
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
        throw new UserError([
          problem(
            null,
            '--shard-to: is the folder of one part; name the part with --shard i/n, like 2/4',
          ),
        ]);
      const { code } = await runOnce(overrides, options, terminal);
      done(code);
    });
}

interface WatchOptions {
  watch?: boolean;
}

/** One run of the files as they are; `files` are all that it could read. */
function runOnce(
  overrides: readonly string[],
  options: EvaluateOptions,
  terminal: Terminal,
): Promise<{ code: number; files: string[]; root: string; interrupted: boolean }> {
  return withProject(options, terminal, { overrides }, async (session) => {
    const sides = await currentState(session);
    const result = await evaluateSides(
      'sweep',
      () => Promise.resolve(sides),
      session,
      options,
      terminal,
    );
    return {
      code: ended(result, terminal),
      files: [...sides.head.files.keys()],
      root: session.directory,
      interrupted: session.halting.halted()?.title === 'Interrupted',
    };
  });
}

/**
 * The same after each edit. A mistake in a file is told, and the next edit tried; what is asked
 * already is stored, so a run asks what the edit changed. The last run's exit code.
 */
async function runWatched(
  overrides: readonly string[],
  options: EvaluateOptions & ShardOptions,
  terminal: Terminal,
): Promise<number> {
  if (options.shard !== undefined)
    throw new UserError([problem(null, '--watch: watches a whole run; leave --shard out')]);
  const root = projectFolder(options, { ...terminal, err: () => undefined });
  const { store, report, record } = options;
  const own = [store, report, record].flatMap((path) => (typeof path === 'string' ? path : []));
  const watch = watchFiles(
    root,
    own.map((path) => resolve(terminal.cwd, path)),
  );
  const stop = (): void => {
    watch.end();
  };
  terminal.until?.addEventListener('abort', stop);
  try {
    for (;;) {
      const { code, files, interrupted } = await runOnce(overrides, options, terminal);
      watch.follow(files);
      if (interrupted) return code;
      terminal.err('watching the files; Ctrl-C ends\n');
      if ((await watch.next()) === null) return code;
    }
  } finally {
    watch.end();
    terminal.until?.removeEventListener('abort', stop);
  }
}

export function validateCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
  evaluateOptions(program.command('validate'), {})
    .description('checks every file and tells all errors at once, with lines; makes no model calls')
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff validate\n  evaldiff validate --directory services/chat --json',
    )
    .action(async (options: EvaluateOptions) => {
      const { planned } = await planOnly('sweep', currentFiles, {
        overrides: [],
        options,
        terminal,
        strict: true,
      });
      if (!planned.ready) {
        print(planned.result, options, terminal);
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
          `${counted(plan.suites, 'prompt')} with ${counted(plan.references, 'reference')}: no errors\n`,
        );
      done(0);
    });
}
