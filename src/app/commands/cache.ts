import { existsSync, rmSync } from 'node:fs';
import { SIDE_SUFFIXES } from '../../edges/store/database.ts';
import type { Prune, StoreStats } from '../../edges/store/index.ts';
import { userError } from '../../errors.ts';
import { counted, DAY_MS } from '../../text/amounts.ts';
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
  unused?: string;
  maxSize?: string;
  clear?: boolean;
  all?: boolean;
}

const MEGABYTE = 1e6;

export const cacheCommand: AddCommand = (program, terminal, done) => {
  program
    .command('cache')
    .description('show and prune stored answers')
    .option('-C, --directory <folder>', 'root of the evaluated project', '.')
    .option(
      '--store <file>',
      'the file (default: EVALDIFF_STORE, or else a file for the project in your cache folder)',
    )
    .option('--unused <days>', 'remove answers that no run has used for this many days')
    .option(
      '--max-size <megabytes>',
      'evict the least recently used answers until the store is no larger than this',
    )
    .option(
      '--clear',
      'remove all answers, but keep pass counts of past tries, the last measured noise and open batches',
    )
    .option(
      '--all',
      'remove the whole file: answers, pass counts of past tries, measured noise and open batches',
    )
    .addHelpText('after', '\nExample: evaldiff cache --unused 30')
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
  const prune = pruneOf(options);
  if (!existsSync(file)) {
    terminal.out(`${logLine(file)}: the store is empty\n`);
    return;
  }
  const store = await openLocalStore(place, {
    workTree,
    maxBytes: Number.MAX_SAFE_INTEGER,
    access: prune === null && options.all !== true ? 'read' : 'read-write',
    notice: (line) => {
      terminal.err(`${logText(line)}\n`);
    },
  });
  try {
    const removed = prune === null ? null : store.prune(prune);
    if (options.all !== true)
      terminal.out(
        [
          ...(removed === null ? [] : [`${counted(removed, 'answer')} removed`]),
          ...(options.clear === true ? [KEPT_NOTICE] : []),
          ...lines(store.stats()),
          ...store.batches().map(waiting),
          '',
        ].join('\n'),
      );
  } finally {
    store.close();
  }
  if (options.all === true) removeFile(file, terminal);
}

const KEPT_NOTICE =
  'kept: pass counts of past tries, the last measured noise and open batches; ' +
  '--all removes them too';

function removeFile(file: string, terminal: Terminal): void {
  for (const end of ['', ...SIDE_SUFFIXES]) rmSync(`${file}${end}`, { force: true });
  terminal.out(`${logLine(file)}: removed\n`);
}

function pruneOf({ unused, maxSize, clear }: CacheOptions): Prune | null {
  if (clear === true) return { maxBytes: 0 };
  const days = amount('--unused', 'days', unused);
  const size = amount('--max-size', 'megabytes', maxSize);
  if (days === null && size === null) return null;
  return {
    ...(days === null ? {} : { unusedSince: Date.now() - days * DAY_MS }),
    ...(size === null ? {} : { maxBytes: size * MEGABYTE }),
  };
}

function amount(name: string, unit: string, value: string | undefined): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}(\.\d{1,3})?$/.test(value)) return Number(value);
  throw userError(null, `${name}: must be a number of ${unit} of at least 0, not "${value}"`);
}

function lines({ file, entries, bytes, oldest, newest, models }: StoreStats): string[] {
  const day = (time: number | null): string =>
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
  return bytes < 1e5 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / MEGABYTE).toFixed(1)} MB`;
}
