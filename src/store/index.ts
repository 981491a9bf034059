import { visibleLine } from '../text/visible.ts';
import type { BatchRecord, Complete, Completion, Request, Target } from '../types/model.ts';
import { createAnswers } from './answers.ts';
import { createConnection, type Connection, type StoreOptions } from './connection.ts';
import type { Totals } from './database.ts';
import type { Entry } from './entry.ts';
import type { StoreAccess } from './file.ts';
import { type KeptRecords, createRecords } from './kept-records.ts';
import type { Recorded } from './records.ts';

export interface StoreStats extends Totals {
  file: string;
  /**
   * Of this opening: answers given from the file, answers written, entries that did not hold and
   * were ignored.
   */
  found: number;
  written: number;
  refused: number;
  /** Batches written down or forgotten in this opening. */
  batched: number;
}

/** What to remove; nothing named: only what is over the size cap. */
export interface Prune {
  /** Last used before this time, milliseconds since 1970. */ unusedSince?: number;
  /** Down to so many bytes. */ maxBytes?: number;
}

export interface Store extends KeptRecords {
  /**
   * Answers from the file what it has by `keyOf`, and writes what `complete` had to be asked for
   * before handing it on.
   */
  wrap(complete: Complete, keyOf: (request: Request) => string): Complete;
  /** Whether an answer lies in the file; it is not marked as used. */
  has(key: string): boolean;
  /** Batches that wait to be fetched. */
  batches(): BatchRecord[];
  /** False when it could not be written. */
  addBatch(batch: BatchRecord): boolean;
  endBatch(id: string): void;
  /** Keeps an answer that no caller waits for; only for this run where it cannot be written. */
  keep(key: string, target: Target, completion: Completion): void;
  stats(): StoreStats;
  /**
   * A number that changes with each change by another process; null: the file is no longer used
   * as it was opened.
   */
  version(): number | null;
  /** The number of answers removed. */
  prune(what: Prune): number;
  /**
   * Takes over answers from another file, those that hold against their key; called once or, after
   * damage, again. Null: nothing could be written.
   */
  import(entries: () => Iterable<Entry>): { written: number; refused: number } | null;
  /**
   * Takes over what another file, which began as this one did, has and this one has not: answers
   * that hold against their key, batches that were not ended here, how its own tries came out, and
   * notes that were not made here.
   */
  join(
    entries: () => Iterable<Entry>,
    beside: Recorded & { batches: readonly BatchRecord[] },
  ): void;
  /** Writes a compact copy of the file. False when that was not possible, which has been told. */
  copyTo(file: string): boolean;
  close(): void;
}

const NO_TOTALS: Totals = { entries: 0, bytes: 0, oldest: null, newest: null, models: [] };

/**
 * Opens the store of answers, which are found by the content of their requests. A fault of the file
 * costs reuse, never a run: a damaged file is renamed and a new one begun, a file that cannot be
 * used is reported and done without.
 *
 * @throws UserError when the file was written by a newer evaldiff, or belongs to another program.
 */
export function openStore(options: StoreOptions): Store {
  const { file, access } = options;
  const connection = createConnection(options);
  const answers = createAnswers(options, connection);
  const batches = batchLedger(connection, access);
  const { records, join: joinRecords } = createRecords(connection, options);
  return {
    ...records,
    wrap: (complete, keyOf) => async (request) => {
      const key = keyOf(request);
      const found = answers.find(key, request);
      if (found !== null) return found;
      const completion = await complete(request);
      answers.keep(key, request, completion);
      return completion;
    },
    has: answers.has,
    version: connection.version,
    batches: batches.all,
    addBatch: batches.add,
    endBatch: batches.end,
    keep: (key, target, completion) => {
      answers.keep(key, { target }, completion);
    },
    stats: () => ({
      file,
      ...connection.read((db) => db.totals(), NO_TOTALS),
      ...answers.counts,
      batched: batches.changes(),
    }),
    prune({ unusedSince, maxBytes }) {
      const old =
        unusedSince === undefined
          ? 0
          : connection.change((db) => db.removeUnusedSince(unusedSince), 0);
      const removed = old + answers.shrink(maxBytes ?? options.maxBytes);
      connection.change(({ compact }) => compact(), undefined);
      return removed;
    },
    import: (entries) => answers.import(entries, 'all'),
    join(entries, { batches: theirs, outcomes, notes }) {
      answers.import(entries, 'absent');
      joinRecords({ outcomes, notes });
      batches.join(theirs);
    },
    copyTo(target) {
      answers.flush();
      connection.settle();
      return connection.read((db) => {
        db.copyTo(target);
        return true;
      }, false);
    },
    close() {
      if (access === 'read-write') answers.shrink(options.maxBytes);
      tellRefused(answers.counts.refused, options);
      connection.close();
    },
  };
}

/** What is not used is counted, and told once. */
function tellRefused(refused: number, { file, secret, notice }: StoreOptions): void {
  if (refused === 0) return;
  const which =
    secret === null
      ? 'stored answers that did not hold against their key'
      : 'stored answers that this machine did not write, or that were changed since,';
  notice(`${visibleLine(file)}: ${which} were ignored: ${String(refused)}`);
}

interface BatchLedger {
  all(): BatchRecord[];
  add(batch: BatchRecord): boolean;
  end(id: string): void;
  /** Takes over what was neither ended nor written down here. */
  join(batches: readonly BatchRecord[]): void;
  /** Written down or forgotten so far. */
  changes(): number;
}

function batchLedger(connection: Connection, access: StoreAccess): BatchLedger {
  let batched = 0;
  const ended = new Set<string>();
  const all = (): BatchRecord[] => connection.read((db) => db.batches(), []);
  const add = (batch: BatchRecord): boolean =>
    access === 'read-write' &&
    connection.write((db) => {
      db.addBatch(batch);
      batched += 1;
    });
  return {
    all,
    add,
    end(id) {
      ended.add(id);
      if (access === 'read-write')
        connection.write((db) => {
          db.endBatch(id);
          batched += 1;
        });
    },
    join(batches) {
      const known = new Set([...ended, ...all().map(({ id }) => id)]);
      for (const batch of batches) if (!known.has(batch.id)) add(batch);
    },
    changes: () => batched,
  };
}
