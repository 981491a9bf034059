import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  evaluateOptions,
  readOption,
  SWEEPS,
  type EvaluateOptions,
} from '../../app/commands/options.ts';
import { printEnd, showResult } from '../../app/commands/print-result.ts';
import {
  currentFiles,
  currentState,
  folderOutput,
  ownPaths,
  withProject,
} from '../../app/commands/project.ts';
import type { AddCommand, Rendered, Terminal } from '../../app/commands/terminal.ts';
import { WORKTREE } from '../../app/session/sides.ts';
import { shardOf } from '../../config/inputs.ts';
import { userError } from '../../errors.ts';
import { logJson, logLine } from '../../text/log.ts';
import { evaluateShard, gatherParts, mergeParts } from './evaluate-shard.ts';
import { PART_FILES } from './manifest.ts';
import { mergeWords, shardTitle, shardWords } from './words.ts';

export interface ShardOptions {
  shard?: string;
  shardTo?: string;
  watch?: boolean;
}

export async function runPart(
  overrides: readonly string[],
  options: EvaluateOptions & ShardOptions,
  terminal: Terminal,
): Promise<Rendered> {
  if (options.shard === undefined)
    throw userError(
      null,
      '--shard-to: sets the folder of one part; also set --shard i/n, like 2/4',
    );
  if (options.watch === true)
    throw userError(null, '--watch: works only for a whole run; omit --shard');
  const given = options.shard;
  const shard = readOption((refuse) => shardOf('--shard', given, refuse));
  if (shard === null) throw userError(null, '--shard: must be i/n, like 2/4');
  const ofWhole = (['report', 'results'] as const).find((name) => options[name] !== undefined);
  if (ofWhole !== undefined)
    throw userError(null, `--${ofWhole}: a shard has no report; use it with evaldiff merge`);
  const folder = resolve(
    terminal.cwd,
    options.shardTo ?? `evaldiff-shard-${shard.index}-of-${shard.count}`,
  );
  const outputs = [folderOutput('--shard-to', folder)];
  return withProject(options, terminal, { overrides, role: 'part', outputs }, async (session) => {
    await refuseForeign(folder);
    const { head } = await currentFiles(session);
    const manifest = session.redact(await evaluateShard(session, head, shard, folder));
    const text =
      options.json === true
        ? `${logJson(manifest)}\n`
        : `${logLine(shardTitle(manifest))}\n${logLine(shardWords(manifest))}\n` +
          `${logLine(folder)}: pass it to evaldiff merge\n`;
    return { text, code: 0 };
  });
}

/** Only files of an earlier part (a shard's output) may be overwritten. */
async function refuseForeign(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const names: readonly string[] = Object.values(PART_FILES);
  const foreign = (await readdir(folder)).filter((name) => !names.includes(name));
  if (foreign.length > 0)
    throw userError(
      null,
      `--shard-to: ${folder} holds other files (${foreign.slice(0, 3).join(', ')}); choose another folder`,
    );
}

export const mergeCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(program.command('merge'), SWEEPS)
    .description('join the parts that run --shard wrote into one result')
    .argument(
      '<folders...>',
      "the folders of all parts, and key=value (default: the parts' overrides)",
    )
    .addHelpText(
      'after',
      '\nExample: evaldiff merge evaldiff-shard-1-of-2 evaldiff-shard-2-of-2 --report out',
    )
    .action(async (given: string[], options: EvaluateOptions) => {
      const isFolder = (path: string) =>
        !/^[\w.-]+=/.test(path) || existsSync(resolve(terminal.cwd, path));
      const folders = given.filter(isFolder);
      const overrides = given.filter((each) => !folders.includes(each));
      if (folders.length === 0) throw userError(null, 'merge: name the folders of all parts');
      const own = { overrides, role: 'merge' as const };
      const result = await withProject(options, terminal, own, async (session) => {
        const places = folders.map((folder) => ({
          name: folder,
          folder: resolve(terminal.cwd, folder),
          shard: null,
        }));
        const parts = places.map(({ folder }) => folder);
        // Parts (outputs of shards) in the working tree do not count as changes.
        const sides = await currentState(session, [...ownPaths(options, terminal), ...parts]);
        const gathered = await gatherParts(session, WORKTREE, {
          places,
          source: 'folders',
          problems: [],
        });
        const evaluated = await mergeParts(gathered, sides);
        const merged = await showResult(evaluated, session, options, terminal);
        terminal.err(`${logLine(mergeWords(gathered.parts.map(({ manifest }) => manifest)))}\n`);
        return merged;
      });
      done(printEnd(result, terminal));
    });
};
