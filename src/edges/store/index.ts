import { visibleLine } from '../../text/visible.ts';
import type { BatchRecord, Complete, Completion, Request, Target } from '../../types/model.ts';
import { createAnswers } from './answers.ts';
import { createConnection, type StoreOptions } from './connection.ts';
import type { Totals } from './database.ts';
import { placedBy, type Entry } from './entry.ts';
import { createRecords, type StoreRecords } from './kept-records.ts';
import type { RecordRows } from './records.ts';

export interface StoreStats extends Totals {
  file: string;
  found: number;
  written: number;
  refused: number;
  batched: number;
}

export interface Store extends StoreRecords {
  wrap(complete: Complete, keyOf: (request: Request) => string): Complete;
  has(key: string): boolean;
  /** If the file cannot be written, keeps the answer in memory. */
  keep(key: string, target: Target, completion: Completion): void;
  stats(): StoreStats;
  prune(to: { maxBytes: number }): number;
  /**
   * If the file is damaged, creates a new one and calls `entries` again. Null if nothing could be
   * written.
   */
  /** Returns the number of stored answers. Omits those that do not match their key. */
  import(entries: () => Iterable<Entry>): number | null;
  join(
    entries: () => Iterable<Entry>,
    beside: RecordRows & { batches: readonly BatchRecord[] },
  ): void;
  copyTo(file: string): boolean;
  close(): void;
}

const NO_TOTALS: Totals = { entries: 0, bytes: 0, oldest: null, newest: null, models: [] };

/**
 * If the file is unusable, the run continues without stored answers.
 * @throws UserError if a newer version or another program wrote the file.
 */
export function openStore(options: StoreOptions): Store {
  const { file, access, secret } = options;
  const placeOf = placedBy(secret);
  const connection = createConnection(options);
  const answers = createAnswers(options, connection);
  const { records, join: joinRecords, batchChanges } = createRecords(connection, options);
  return {
    ...records,
    wrap: (complete, keyOf) => async (request) => {
      const key = placeOf(keyOf(request));
      const found = request.anew === true ? null : answers.find(key, request);
      if (found !== null) return found;
      const completion = await complete(request);
      answers.keep(key, request, completion);
      return completion;
    },
    has: (key) => answers.has(placeOf(key)),
    keep: (key, target, completion) => {
      answers.keep(placeOf(key), { target }, completion);
    },
    stats: () => ({
      file,
      ...connection.read((db) => db.totals(), NO_TOTALS),
      ...answers.counts,
      batched: batchChanges(),
    }),
    prune({ maxBytes }) {
      const removed = answers.shrink(maxBytes);
      connection.change(({ compact }) => compact(), undefined);
      return removed;
    },
    import: (entries) => answers.import(entries, 'all'),
    join(entries, beside) {
      answers.import(entries, 'absent');
      joinRecords(beside);
    },
    copyTo(target) {
      answers.flush();
      return connection.read((db) => {
        db.copyTo(target);
        return true;
      }, false);
    },
    close() {
      if (access === 'read-write') answers.shrink(options.maxBytes);
      reportRefused(answers.counts.refused, options);
      connection.close();
    },
  };
}

function reportRefused(refused: number, { file, secret, notice }: StoreOptions): void {
  if (refused === 0) return;
  const which =
    secret === null
      ? 'stored answers with an invalid digest'
      : 'answers that this machine did not store, or that were changed since,';
  notice(`${visibleLine(file)}: ${which} were ignored: ${refused}`);
}
