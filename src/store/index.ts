import type { BatchRecord, Complete, Completion, Request, Target } from '../types/model.ts';
import { createConnection, type Connection } from './connection.ts';
import {
  answerOf,
  entryOf,
  isLasting,
  type Database,
  type Entry,
  type Totals,
} from './database.ts';
import type { StoreAccess } from './file.ts';
import { createRecords, type KeptRecords } from './kept-records.ts';
import type { Recorded } from './records.ts';

export interface StoreOptions {
  /**
   * Absolute path of the database file. With `read-write` it and its folder are made when absent.
   */
  file: string;
  /** Above this many bytes of answers the least recently used ones go. */
  maxBytes: number;
  /** Milliseconds since 1970. */
  now(): number;
  access: StoreAccess;
  /**
   * How long another process that holds the file is waited for at a time, in milliseconds; absent:
   * 5 s.
   */
  busyMs?: number;
  /**
   * Told, in one line, of what a user should know: a file that was set aside, a disk that is full.
   */
  notice(message: string): void;
}

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
  /** Keeps an answer that nobody waits for; where it cannot be written, for this run. */
  keep(key: string, target: Target, completion: Completion): void;
  stats(): StoreStats;
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

/** Use marks are written together: each on its own would make a read as dear as a write. */
const USE_MARKS = 1000;

/** Where eviction stops, as a share of the cap, so that it is not needed again at once. */
const EVICT_TO = 0.9;

const NO_TOTALS: Totals = { entries: 0, bytes: 0, oldest: null, newest: null, models: [] };

/**
 * Opens the answers that were paid for, by content. Whatever goes wrong with the file costs reuse,
 * never a run: a damaged file is renamed and a new one begun, a file that cannot be used is told of
 * and done without.
 *
 * @throws UserError when the file was written by a newer evaldiff, or belongs to another program.
 */
export function openStore(options: StoreOptions): Store {
  const { file, access } = options;
  const connection = createConnection(options);
  const answers = createAnswers(options, connection);
  let batched = 0;
  const ended = new Set<string>();
  const { records, join: joinRecords } = createRecords(connection, options);
  const add = (batch: BatchRecord): boolean =>
    access === 'read-write' &&
    connection.write((db) => {
      db.addBatch(batch);
      batched += 1;
    });
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
    has: (key) => connection.read((db) => db.get(key) !== null, false),
    batches: () => connection.read((db) => db.batches(), []),
    addBatch: add,
    endBatch: (id) => {
      ended.add(id);
      if (access === 'read-write')
        connection.write((db) => {
          db.endBatch(id);
          batched += 1;
        });
    },
    keep: (key, target, completion) => {
      answers.keep(key, { target }, completion);
    },
    stats: () => ({
      file,
      ...connection.read((db) => db.totals(), NO_TOTALS),
      ...answers.counts,
      batched,
    }),
    prune({ unusedSince, maxBytes }) {
      const old =
        unusedSince === undefined
          ? 0
          : connection.change((db) => db.removeUnusedSince(unusedSince), 0);
      const removed = old + answers.shrink(maxBytes ?? options.maxBytes);
      connection.change((db) => {
        db.compact();
      }, undefined);
      return removed;
    },
    import: (entries) => answers.import(entries, 'all'),
    join(entries, { batches, outcomes, notes }) {
      answers.import(entries, 'absent');
      joinRecords({ outcomes, notes });
      const known = new Set([
        ...ended,
        ...connection.read((db) => db.batches(), []).map(({ id }) => id),
      ]);
      for (const batch of batches) if (!known.has(batch.id)) add(batch);
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
      const { refused } = answers.counts;
      if (refused > 0)
        options.notice(
          `${file}: stored answers that did not hold against their key were ignored: ${String(refused)}`,
        );
      connection.close();
    },
  };
}

interface Answers {
  counts: { found: number; written: number; refused: number };
  find(key: string, request: Pick<Request, 'usable'>): Completion | null;
  keep(key: string, request: Pick<Request, 'target' | 'usable'>, completion: Completion): void;
  import(entries: () => Iterable<Entry>, which: Wanted): ReturnType<Store['import']>;
  /** Writes the use marks that wait. */
  flush(): void;
  shrink(bytes: number): number;
}

function createAnswers({ maxBytes, access, now }: StoreOptions, connection: Connection): Answers {
  /** What the file does not hold but the run itself must not pay for twice. */
  const kept = new Map<string, Completion>();
  const marks = new Set<string>();
  const counts = { found: 0, written: 0, refused: 0 };
  let size = connection.read((db) => db.bytes(), 0);

  const flush = (): void => {
    if (marks.size > 0 && access === 'read-write')
      connection.change((db) => {
        db.touch(marks, now());
      }, undefined);
    marks.clear();
  };
  const shrink = (bytes: number): number => {
    flush();
    const removed = connection.change((db) => db.shrink(bytes), 0);
    size = connection.read((db) => db.bytes(), 0);
    return removed;
  };
  return {
    counts,
    flush,
    shrink,
    find(key, request) {
      const entry = connection.read((db) => db.get(key), null);
      if (entry === null) return kept.get(key) ?? null;
      const answer = answerOf(key, entry);
      if (answer === null) {
        counts.refused++;
        return null;
      }
      if (!isLasting(answer, request)) return kept.get(key) ?? null;
      counts.found++;
      marks.add(key);
      if (marks.size >= USE_MARKS) flush();
      return answer;
    },
    import(entries, which) {
      const taken = connection.change(
        (db) => importInto(db, entries(), { now: now(), which }),
        null,
      );
      counts.written += taken?.written ?? 0;
      size = connection.read((db) => db.bytes(), 0);
      return taken;
    },
    keep(key, request, completion) {
      // What an inner store gave lies in that one; an error is nothing to keep.
      if (completion.status === 'error' || completion.reused) return;
      const entry =
        isLasting(completion, request) && access === 'read-write'
          ? entryOf(key, request, completion)
          : null;
      let there = false;
      if (entry !== null) {
        connection.write((db) => {
          size += db.put(entry, now());
          counts.written++;
          there = true;
        });
      }
      if (!there) kept.set(key, { ...completion, reused: true });
      if (size > maxBytes) shrink(maxBytes * EVICT_TO);
    },
  };
}

const KEY = /^[0-9a-f]{64}$/;

/**
 * Of another file's answers: all, in the place of one's own, or those that one's own file has not.
 */
type Wanted = 'all' | 'absent';

function importInto(
  db: Database,
  entries: Iterable<Entry>,
  { now, which }: { now: number; which: Wanted },
): { written: number; refused: number } {
  let refused = 0;
  function* holding(): Generator<Entry> {
    for (const entry of entries) {
      if (which === 'absent' && db.get(entry.key) !== null) continue;
      if (KEY.test(entry.key) && answerOf(entry.key, entry) !== null) yield entry;
      else refused += 1;
    }
  }
  return { written: db.putAll(holding(), now), refused };
}
