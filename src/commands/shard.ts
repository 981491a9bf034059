import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { shardOf } from '../config/inputs.ts';
import { UserError, problem } from '../errors.ts';
import { PART_FILES } from '../plan/manifest.ts';
import type { Shard } from '../plan/shards.ts';
import { shardTitle, shardWords } from '../report/plan.ts';
import type { MergeFacts } from '../session/check-parts.ts';
import { createShardExchange, inputsOf } from '../session/parts.ts';
import { VERSION } from '../session/runtime.ts';
import { groundOf, openFolder } from '../session/safe-writing.ts';
import { runShard } from '../session/shards.ts';
import { logJson, logLine } from '../text/log.ts';
import type { Problem } from '../types/plain.ts';
import type { EvaluateOptions } from './options.ts';
import { refuseUnwritable } from './outputs.ts';
import { accessOf, currentFiles, type Opened, withProject, withWorld } from './project.ts';
import type { Terminal } from './terminal.ts';

export interface ShardOptions {
  shard?: string;
  shardTo?: string;
}

/**
 * What every part of a sweep must have in common, on the command line. The files go by no commit,
 * for the folder of a part may lie among them; that they are the same is seen by the plan.
 */
export function partFacts(
  { input: { read, code, maxCalls, maxCost }, trust }: Opened,
  options: EvaluateOptions,
  env: NodeJS.ProcessEnv,
): MergeFacts {
  const { endpoints } = accessOf(options, env);
  return {
    evaldiff: VERSION,
    head: 'worktree',
    trust: trust.level,
    inputs: inputsOf({
      read,
      workingDirectory: '',
      endpoints,
      code,
      codeEnv: options.codeEnv ?? [],
      maxCalls,
      maxCost,
    }),
  };
}

/** Evaluates one part of a sweep of the current files, and writes it to a folder. */
export async function evaluateShard(
  given: ShardOptions & { shard: string },
  overrides: readonly string[],
  options: EvaluateOptions,
  terminal: Terminal,
): Promise<void> {
  const shard = readShard(given.shard);
  if (options.report !== undefined)
    throw new UserError([
      problem(
        null,
        '--report: a shard judges nothing and has no report; give it to evaldiff merge',
      ),
    ]);
  const folder = resolve(
    terminal.cwd,
    given.shardTo ?? `evaldiff-shard-${String(shard.index)}-of-${String(shard.count)}`,
  );
  await withProject('sweep', currentFiles, overrides, options, terminal, async (opened) => {
    const ground = groundOf(opened.repository);
    await refuseUnwritable([{ option: '--shard-to', path: folder, kind: 'folder' }], ground);
    await refuseForeign(folder);
    const exchange = await createShardExchange(opened.temporaryFolder);
    try {
      await withWorld({ ...opened, exchange }, options, terminal, async (edges, progress) => {
        const outcome = await runShard({
          input: { ...opened.input, shard },
          edges,
          exchange,
          facts: partFacts(opened, options, terminal.env),
          openFolder: () => openFolder(folder, ground),
        });
        progress.end();
        if (outcome.status === 'not-evaluated') throw new UserError(outcome.result.problems);
        const { manifest } = outcome;
        terminal.out(
          options.json === true
            ? `${logJson(manifest)}\n`
            : `${logLine(shardTitle(manifest))}\n${logLine(shardWords(manifest))}\n${logLine(folder)}: give it to evaldiff merge\n`,
        );
      });
    } finally {
      exchange.close();
    }
  });
}

function readShard(value: string): Shard {
  const problems: Problem[] = [];
  const shard = shardOf('--shard', value, (name, message) => {
    problems.push(problem(null, `${name}: ${message}`));
  });
  if (shard === null)
    throw new UserError(
      problems.length > 0 ? problems : [problem(null, '--shard: must be i/n, like 2/4')],
    );
  return shard;
}

/** An earlier part is replaced; anything else in the folder is somebody's. */
async function refuseForeign(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const names: readonly string[] = Object.values(PART_FILES);
  const foreign = (await readdir(folder)).filter((name) => !names.includes(name));
  if (foreign.length > 0)
    throw new UserError([
      problem(
        null,
        `--shard-to: ${folder} holds other files (${foreign.slice(0, 3).join(', ')}); name a folder of its own`,
      ),
    ]);
}
