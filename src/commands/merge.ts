import { resolve } from 'node:path';
import type { Command } from 'commander';
import { exitCode } from '../exit-code.ts';
import { mergeWords } from '../report/shards.ts';
import { logLine } from '../text/log.ts';
import { gather, startMerging } from '../world/sharding.ts';
import { collect, evaluateOptions, type EvaluateOptions, type Terminal } from './options.ts';
import { currentState, evaluateOpened, withProject } from './session.ts';
import { factsOf } from './shard.ts';

/** Joins the parts of a sweep into the result of the whole. */
export function mergeCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
  evaluateOptions(program.command('merge'), {
    answers: true,
    caps: true,
    asks: true,
    trust: true,
    verdict: true,
    report:
      "result.json, report.html, junit.xml, comment.md and (below multirun/) reports in llmeval's layout",
  })
    .description(
      'joins the parts that evaldiff run --shard wrote into one result, as if the sweep had run on one machine',
    )
    .argument('<folders...>', 'the folders of all parts')
    .option('--override <key=value>', 'an override that the shards were given; repeatable', collect)
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff run --shard 1/2\n  evaldiff run --shard 2/2\n  evaldiff merge evaldiff-shard-1-of-2 evaldiff-shard-2-of-2 --report out',
    )
    .action(async (folders: string[], options: EvaluateOptions & { override?: string[] }) => {
      const result = await withProject(
        'sweep',
        currentState,
        options.override ?? [],
        options,
        terminal,
        async (opened) => {
          const places = folders.map((folder) => ({
            name: folder,
            folder: resolve(terminal.cwd, folder),
            shard: null,
          }));
          const gathered = await gather(places, {
            facts: factsOf(opened, options, terminal.env),
            source: 'folders',
            problems: [],
          });
          const merging = await startMerging(gathered);
          const { exchange, spent } = merging;
          const merged = await evaluateOpened(
            { ...opened, input: { ...opened.input, merged: spent }, exchange, merging },
            options,
            terminal,
            merging.edges,
          );
          terminal.err(`${logLine(mergeWords(gathered.parts.map(({ manifest }) => manifest)))}\n`);
          return merged;
        },
      );
      done(exitCode(result.conclusion));
    });
}
