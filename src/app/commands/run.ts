import { NOT_JUDGED, userError } from '../../errors.ts';
import { afterEachEdit, filesNamed } from '../session/watch.ts';
import {
  addVariants,
  projectFolder,
  evaluateOptions,
  SWEEPS,
  type EvaluateOptions,
} from './options.ts';
import { printEnd, evaluateSides } from './print-result.ts';
import { currentState, ownPaths, withProject } from './project.ts';
import type { AddCommand, Terminal } from './terminal.ts';

type RunCommandOptions = EvaluateOptions & { watch?: boolean; sample?: string; seed?: string };

export const runCommand: AddCommand = (program, terminal, done) => {
  const command = evaluateOptions(program.command('run'), SWEEPS).description(
    'evaluate the current files, with overrides and sweeps',
  );
  const variants = addVariants(command, terminal);
  command
    .option('--sample <number>', 'run only this many references, drawn at random')
    .option('--seed <seed>', 'another sample for each seed (default: 0)')
    .option('--watch', 'run again after each edit, until interrupted')
    .argument('[overrides...]', 'prompts, and key=value (a,b: each value)')
    .addHelpText('after', '\nExample: evaldiff run prompts=capitals n_tries=1')
    .action(async (words: string[], options: RunCommandOptions) => {
      const overrides = [...words, ...sampleOverride(options)];
      const variant = variants.find(options);
      if (variant !== undefined) {
        const { text, code } = await variant.run(overrides, options, terminal);
        terminal.out(text);
        done(code);
        return;
      }
      done(
        options.watch === true
          ? await runWatched(overrides, options, terminal)
          : (await runOnce(overrides, options, terminal)).code,
      );
    });
};

function sampleOverride({ sample, seed }: RunCommandOptions): string[] {
  if (sample !== undefined)
    return [`sample=${[sample, ...(seed === undefined ? [] : [seed])].join(',')}`];
  if (seed === undefined) return [];
  throw userError(null, '--seed: chooses the sample; also set --sample, like --sample 50');
}

function runOnce(overrides: readonly string[], options: EvaluateOptions, terminal: Terminal) {
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
      interrupted: session.halting.halted()?.code === 'interrupted',
    };
  });
}

async function runWatched(
  overrides: readonly string[],
  options: EvaluateOptions,
  terminal: Terminal,
): Promise<number> {
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
