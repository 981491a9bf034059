import type { DatabaseSync } from 'node:sqlite';
import type { Entry } from './entry.ts';
import { openFile, withStoreErrors, type StoreAccess } from './file.ts';
import { batchesOf, recordsOf, type Batches, type Records } from './records.ts';

/** How long another process that holds a file is usually waited for, in milliseconds. */
export const BUSY_MS = 5000;

/** What SQLite keeps beside a file of ours while it is open: ends of its name. */
export const BESIDE = ['-wal', '-shm'] as const;

/** What a row takes beside its body: key, digest, model, counts. */
const ROW_BYTES = 200;

export interface Totals {
  entries: number;
  bytes: number;
  oldest: number | null;
  newest: number | null;
  models: { model: string; entries: number; bytes: number }[];
}

/** The rows of one file. Every function throws {@link StoreError} only. */
export interface Database extends Omit<Records, 'trim'>, Batches {
  get(key: string): Pick<Entry, 'body' | 'digest'> | null;
  put(entry: Entry, now: number): number;
  /** Writes many at once; the number written. */
  putAll(entries: Iterable<Entry>, now: number): number;
  /** Every row, in the order of the keys. */
  entries(): IterableIterator<Entry>;
  remove(key: string): void;
  /** Marks rows as used at `now`, milliseconds since 1970. */
  touch(keys: Iterable<string>, now: number): void;
  /** Another one after each change that another process, or another opening, has made. */
  version(): number;
  totals(): Totals;
  bytes(): number;
  /** Removes rows last used before a time; the number removed. */
  removeUnusedSince(time: number): number;
  /** Removes least recently used rows until at most `bytes` are left; the number removed. */
  shrink(bytes: number): number;
  /** Gives freed pages back to the disk. */
  compact(): void;
  /** How long another process that holds the file is waited for from now on, in milliseconds. */
  patience(ms: number): void;
  /** Writes a compact copy that is whole in itself, without a log beside it. */
  copyTo(file: string): void;
  close(): void;
}

/** Opens a file, and makes one where there is none and it may be written. */
export function openDatabase(file: string, access: StoreAccess, busyMs = BUSY_MS): Database {
  return openFile(file, { access, busyMs }, rowsOf);
}

function rowsOf(db: DatabaseSync): Database {
  const records = recordsOf(db, (work) => {
    transaction(db, work);
  });
  const version = db.prepare('PRAGMA data_version');
  return {
    ...answerRows(db),
    ...withStoreErrorsIn(batchesOf(db)),
    ...withStoreErrorsIn(records),
    compact: () =>
      withStoreErrors(() => {
        records.trim();
        db.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)');
      }),
    patience: (ms) =>
      withStoreErrors(() => {
        db.exec(`PRAGMA busy_timeout = ${String(ms)}`);
      }),
    copyTo: (file) =>
      withStoreErrors(() => {
        db.prepare('VACUUM INTO ?').run(file);
      }),
    version: () => withStoreErrors(() => Number(version.get()?.['data_version'])),
    close: () =>
      withStoreErrors(() => {
        db.close();
      }),
  };
}

/** Wraps functions so that whatever they throw is a {@link StoreError}. */
function withStoreErrorsIn<T extends object>(functions: T): T {
  return Object.fromEntries(
    Object.entries(functions).map(([name, work]: [string, (...given: unknown[]) => unknown]) => [
      name,
      (...given: unknown[]) => withStoreErrors(() => work(...given)),
    ]),
  ) as T;
}

type AnswerRows = Pick<
  Database,
  | 'get'
  | 'put'
  | 'putAll'
  | 'entries'
  | 'remove'
  | 'touch'
  | 'totals'
  | 'bytes'
  | 'removeUnusedSince'
  | 'shrink'
>;

function answerRows(db: DatabaseSync): AnswerRows {
  const select = db.prepare('SELECT body, digest FROM completions WHERE key = ?');
  const sum = db.prepare(
    'SELECT count(*) AS entries, coalesce(sum(bytes), 0) AS bytes, min(used) AS oldest, max(used) AS newest FROM completions',
  );
  const insert = changing(
    db,
    'INSERT OR REPLACE INTO completions (key, model, body, digest, bytes, used) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const use = changing(db, 'UPDATE completions SET used = max(used, ?) WHERE key = ?');
  const remove = changing(db, 'DELETE FROM completions WHERE key = ?');
  const unused = changing(db, 'DELETE FROM completions WHERE used < ?');
  const bytes = (): number => withStoreErrors(() => Number(sum.get()?.['bytes']));
  const put = (entry: Entry, now: number): number => {
    const size = Buffer.byteLength(entry.body) + ROW_BYTES;
    insert(entry.key, entry.model, entry.body, entry.digest, size, now);
    return size;
  };
  return {
    get: (key) =>
      withStoreErrors(() => {
        const row = select.get(key);
        return row === undefined
          ? null
          : { body: String(row['body']), digest: String(row['digest']) };
      }),
    put,
    putAll(entries, now) {
      let written = 0;
      transaction(db, () => {
        for (const entry of entries) {
          put(entry, now);
          written += 1;
        }
      });
      return written;
    },
    entries: () => entriesOf(db),
    remove: (key) => void remove(key),
    touch: (keys, now) =>
      transaction(db, () => {
        for (const key of keys) use(now, key);
      }),
    totals: () => withStoreErrors(() => totalsOf(db, sum.get() ?? {})),
    bytes,
    removeUnusedSince: (time) => unused(time),
    shrink: (limit) => removeOldest(db, bytes() - limit, remove),
  };
}

/** A statement that changes rows, prepared at its first use; the number of rows it changed. */
function changing(db: DatabaseSync, sql: string): (...values: (string | number)[]) => number {
  let prepared: ReturnType<DatabaseSync['prepare']> | null = null;
  return (...values) =>
    withStoreErrors(() => Number((prepared ??= db.prepare(sql)).run(...values).changes));
}

function* entriesOf(db: DatabaseSync): IterableIterator<Entry> {
  const rows = withStoreErrors(() =>
    db.prepare('SELECT key, model, body, digest FROM completions ORDER BY key').iterate(),
  );
  for (;;) {
    const row = withStoreErrors(() => rows.next());
    if (row.done === true) return;
    const { key, model, body, digest } = row.value;
    yield { key: String(key), model: String(model), body: String(body), digest: String(digest) };
  }
}

function removeOldest(db: DatabaseSync, bytes: number, remove: (key: string) => number): number {
  let [over, removed] = [bytes, 0];
  if (over <= 0) return 0;
  transaction(db, () => {
    for (const row of db.prepare('SELECT key, bytes FROM completions ORDER BY used, key').all()) {
      if (over <= 0) break;
      removed += remove(String(row['key']));
      over -= Number(row['bytes']);
    }
  });
  return removed;
}

function totalsOf(db: DatabaseSync, row: Record<string, unknown>): Totals {
  const models = db
    .prepare(
      'SELECT model, count(*) AS entries, sum(bytes) AS bytes FROM completions GROUP BY model ORDER BY bytes DESC, model',
    )
    .all();
  const time = (value: unknown): number | null => (value === null ? null : Number(value));
  return {
    entries: Number(row['entries']),
    bytes: Number(row['bytes']),
    oldest: time(row['oldest']),
    newest: time(row['newest']),
    models: models.map((counts) => ({
      model: String(counts['model']),
      entries: Number(counts['entries']),
      bytes: Number(counts['bytes']),
    })),
  };
}

function transaction(db: DatabaseSync, work: () => void): void {
  withStoreErrors(() => {
    db.exec('BEGIN IMMEDIATE');
  });
  try {
    work();
    withStoreErrors(() => {
      db.exec('COMMIT');
    });
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
