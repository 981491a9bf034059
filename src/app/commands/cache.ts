import { existsSync, rmSync } from 'node:fs';
import { SIDE_SUFFIXES } from '../../edges/store/database.ts';
import type { StoreStats } from '../../edges/store/index.ts';
import { counted } from '../../text/amounts.ts';
import { logLine, logText } from '../../text/log.ts';
import type { BatchRecord } from '../../types/model.ts';
import { workTreeOf, type WorkTree } from '../session/safe-writing.ts';
import { storePlaceOf, type StorePlace } from '../session/store-place.ts';
import { openLocalStore } from '../session/stores.ts';
import { inRepository } from './project.ts';
import type { AddCommand, Terminal } from './terminal.ts';

interface CacheOptions {
  directory: string;
  store?: string;
  clear?: boolean;
  all?: boolean;
}

export const cacheCommand: AddCommand = (program, terminal, done) => {
  program
    .command('cache')
    .description('show and prune stored answers')
    .option('-C, --directory <folder>', 'root of the evaluated project', '.')
    .option(
      '--store <file>',
      'the file (default: EVALDIFF_STORE, or else a file for the project in your cache folder)',
    )
    .option(
      '--clear',
      'remove all answers, but keep pass counts of past tries, the last measured noise and open batches',
    )
    .option(
      '--all',
      'remove the whole file: answers, pass counts of past tries, measured noise and open batches',
    )
    .addHelpText('after', '\nExample: evaldiff cache --clear')
    .action(async (options: CacheOptions) => {
      await inRepository(options.directory, terminal, async (repository) => {
        const place = await storePlaceOf(repository, options.store, terminal.cwd, terminal.env);
        if (place !== null) await runCacheCommand(place, workTreeOf(repository), options, terminal);
      });
      done(0);
    });
};

async function runCacheCommand(
  place: StorePlace,
  workTree: WorkTree,
  options: CacheOptions,
  terminal: Terminal,
): Promise<void> {
  const { file } = place;
  if (!existsSync(file)) {
    terminal.out(`${logLine(file)}: the store is empty\n`);
    return;
  }
  const store = await openLocalStore(place, {
    workTree,
    maxBytes: Number.MAX_SAFE_INTEGER,
    access: options.clear === true || options.all === true ? 'read-write' : 'read',
    notice: (line) => {
      terminal.err(`${logText(line)}\n`);
    },
  });
  try {
    const removed = options.clear === true ? store.prune({ maxBytes: 0 }) : null;
    if (options.all !== true)
      terminal.out(
        [
          ...(removed === null ? [] : [`${counted(removed, 'answer')} removed`, KEPT_NOTICE]),
          ...lines(store.stats()),
          ...store.batches().map(waiting),
          '',
        ].join('\n'),
      );
  } finally {
    store.close();
  }
  if (options.all !== true) return;
  for (const end of ['', ...SIDE_SUFFIXES]) rmSync(`${file}${end}`, { force: true });
  terminal.out(`${logLine(file)}: removed\n`);
}

const KEPT_NOTICE =
  'kept: pass counts of past tries, the last measured noise and open batches; ' +
  '--all removes them too';

function lines({ file, entries, bytes, oldest, newest, models }: StoreStats): string[] {
  const day = (time: number | null) =>
    time === null ? '' : new Date(time).toISOString().slice(0, 10);
  const used =
    oldest === null
      ? ''
      : `, last used ${day(oldest) === day(newest) ? day(oldest) : `${day(oldest)} to ${day(newest)}`}`;
  return [
    `${logLine(file)}: ${counted(entries, 'answer')}, ${megabytes(bytes)}${used}`,
    ...models.map(
      (model) =>
        `  ${logLine(model.model)}: ${counted(model.entries, 'answer')}, ${megabytes(model.bytes)}`,
    ),
  ];
}

function waiting({ id, vendor, model, submitted_at, requests }: BatchRecord): string {
  return (
    `  batch ${logLine(id)} at ${vendor}: ${counted(requests.length, 'request')} for ` +
    `${logLine(model)} since ${new Date(submitted_at).toISOString().slice(0, 16)}Z; the ` +
    'next sweep that needs their answers collects them'
  );
}

function megabytes(bytes: number): string {
  return bytes < 1e5 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
