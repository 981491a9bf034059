import { closeSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { BATCHES_SCHEMA, batchesOf, type Batches } from './batches.ts';
import type { Entry } from './entry.ts';
import { RECORDS_SCHEMA, recordsOf, type Records } from './records.ts';

/** Of the tables below; a file says which one it has. */
export const STORE_VERSION = 1;
/** "evdf", by which SQLite's own header tells our files from anybody else's. */
const APPLICATION_ID = 0x65_76_64_66;
/** How long another process may hold the file, in milliseconds. */
const BUSY_MS = 5000;
/** What a row takes beside its body: key, digest, model, counts. */
const ROW_BYTES = 200;

export type StoreAccess = 'read-write' | 'read';

/** Why a file cannot be used: `damaged` is no database any more, `foreign` is somebody else's, `absent` is not there. */
export type StoreTrouble = 'damaged' | 'newer' | 'foreign' | 'absent' | 'unavailable';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly trouble: StoreTrouble;

  constructor(trouble: StoreTrouble, message: string) {
    super(message);
    this.trouble = trouble;
  }
}

export interface Totals { entries: number; bytes: number; oldest: number | null; newest: number | null; models: { model: string; entries: number; bytes: number }[] }

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
  totals(): Totals;
  bytes(): number;
  /** Removes rows last used before a time; the number removed. */
  removeUnusedSince(time: number): number;
  /** Removes least recently used rows until at most `bytes` are left; the number removed. */
  shrink(bytes: number): number;
  /** Gives freed pages back to the disk. */
  compact(): void;
  /** Writes a compact copy that is whole in itself, without a log beside it. */
  copyTo(file: string): void;
  close(): void;
}

/** Opens a file, and makes one where there is none and it may be written. */
export function openDatabase(file: string, access: StoreAccess): Database {
  return told(() => {
    const known = inspect(file);
    if (known === 'absent' && access === 'read') throw new StoreError('absent', 'does not exist');
    if (access === 'read-write') mkdirSync(dirname(file), { recursive: true });
    const { DatabaseSync: Sqlite } = loadSqlite();
    const db = new Sqlite(file, { readOnly: access === 'read', timeout: BUSY_MS });
    try {
      prepareFile(db, access);
      return rowsOf(db);
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** Older versions of Node 24 print a warning when its SQLite is loaded; users can do nothing about it. */
function loadSqlite(): Pick<typeof sqlite, 'DatabaseSync'> {
  const emit = process.emitWarning;
  const quiet = (warning: string | Error, ...rest: unknown[]): void => {
    if (!String(warning).includes('SQLite')) Reflect.apply(emit, process, [warning, ...rest]);
  };
  process.emitWarning = quiet;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emit;
  }
}

/** The first bytes say whether it is a database at all, before SQLite could take a lock or write a log. */
function inspect(file: string): 'absent' | 'empty' | 'database' {
  const head = Buffer.alloc(16);
  let read = 0;
  try {
    const handle = openSync(file, 'r');
    try {
      read = readSync(handle, head, 0, 16, 0);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (member(error, 'code') === 'ENOENT') return 'absent';
    throw error;
  }
  if (read === 0) return 'empty';
  if (head.toString('latin1', 0, read) !== 'SQLite format 3\0') throw new StoreError('damaged', 'is no database');
  return 'database';
}

function prepareFile(db: DatabaseSync, access: StoreAccess): void {
  const version = pragma(db, 'user_version');
  const application = pragma(db, 'application_id');
  const tables = Number(db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n']);
  if (application !== APPLICATION_ID && tables > 0) throw new StoreError('foreign', 'is a database of another program');
  if (version > STORE_VERSION) throw new StoreError('newer', `has store version ${String(version)}; this evaldiff knows ${String(STORE_VERSION)}`);
  const active = Number(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE type IN ('view', 'trigger')").get()?.['n']);
  // Whoever made them could have a query go on for ever.
  if (active > 0) throw new StoreError('damaged', 'has views or triggers, and no store has any');
  if (access === 'read') {
    if (tables === 0) throw new StoreError('absent', 'is empty');
    return;
  }
  if (tables === 0) {
    db.exec('PRAGMA auto_vacuum = INCREMENTAL');
    db.exec(`PRAGMA application_id = ${String(APPLICATION_ID)}`);
  }
  // With the log, an answer outlives the process the moment it is written, without waiting for the disk.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  if (tables > 0) {
    db.exec(RECORDS_SCHEMA + BATCHES_SCHEMA);
    return;
  }
  db.exec(`
    BEGIN IMMEDIATE;${RECORDS_SCHEMA}${BATCHES_SCHEMA}
    CREATE TABLE IF NOT EXISTS completions (key TEXT NOT NULL PRIMARY KEY, model TEXT NOT NULL, body TEXT NOT NULL, digest TEXT NOT NULL, bytes INTEGER NOT NULL, used INTEGER NOT NULL) STRICT;
    PRAGMA user_version = ${String(STORE_VERSION)};
    COMMIT`);
}

function pragma(db: DatabaseSync, name: 'user_version' | 'application_id'): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function rowsOf(db: DatabaseSync): Database {
  const select = db.prepare('SELECT body, digest FROM completions WHERE key = ?');
  const sum = db.prepare('SELECT count(*) AS entries, coalesce(sum(bytes), 0) AS bytes, min(used) AS oldest, max(used) AS newest FROM completions');
  const statement = (sql: string): ((...values: (string | number)[]) => number) => {
    let prepared: ReturnType<DatabaseSync['prepare']> | null = null;
    return (...values) => told(() => Number((prepared ??= db.prepare(sql)).run(...values).changes));
  };
  const insert = statement('INSERT OR REPLACE INTO completions (key, model, body, digest, bytes, used) VALUES (?, ?, ?, ?, ?, ?)');
  const use = statement('UPDATE completions SET used = max(used, ?) WHERE key = ?');
  const remove = statement('DELETE FROM completions WHERE key = ?');
  const unused = statement('DELETE FROM completions WHERE used < ?');
  const bytes = (): number => told(() => Number(sum.get()?.['bytes']));
  const put = (entry: Entry, now: number): number => {
    const size = Buffer.byteLength(entry.body) + ROW_BYTES;
    insert(entry.key, entry.model, entry.body, entry.digest, size, now);
    return size;
  };
  const records = recordsOf(db, (work) => { transaction(db, work); });
  const batches = batchesOf(db);
  return {
    outcomes: (keys) => told(() => records.outcomes(keys)),
    addOutcomes: (rows, now) => { told(() => { records.addOutcomes(rows, now); }); },
    note: (name) => told(() => records.note(name)),
    setNote: (name, body) => { told(() => { records.setNote(name, body); }); },
    batches: () => told(() => batches.batches()),
    addBatch: (batch) => { told(() => { batches.addBatch(batch); }); },
    endBatch: (id) => { told(() => { batches.endBatch(id); }); },
    get: (key) => told(() => {
      const row = select.get(key);
      return row === undefined ? null : { body: String(row['body']), digest: String(row['digest']) };
    }),
    put,
    putAll(entries, now) {
      let written = 0;
      transaction(db, () => { for (const entry of entries) { put(entry, now); written += 1; } });
      return written;
    },
    entries: () => entriesOf(db),
    remove: (key) => void remove(key),
    touch: (keys, now) => transaction(db, () => { for (const key of keys) use(now, key); }),
    totals: () => told(() => totalsOf(db, sum.get() ?? {})),
    bytes,
    removeUnusedSince: (time) => unused(time),
    shrink: (limit) => removeOldest(db, bytes() - limit, remove),
    compact: () => told(() => {
      records.trim();
      db.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)');
    }),
    copyTo: (file) => told(() => { db.prepare('VACUUM INTO ?').run(file); }),
    close: () => told(() => { db.close(); }),
  };
}

function* entriesOf(db: DatabaseSync): IterableIterator<Entry> {
  const rows = told(() => db.prepare('SELECT key, model, body, digest FROM completions ORDER BY key').iterate());
  for (;;) {
    const row = told(() => rows.next());
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
  const models = db.prepare('SELECT model, count(*) AS entries, sum(bytes) AS bytes FROM completions GROUP BY model ORDER BY bytes DESC, model').all();
  const time = (value: unknown): number | null => (value === null ? null : Number(value));
  return {
    entries: Number(row['entries']), bytes: Number(row['bytes']), oldest: time(row['oldest']), newest: time(row['newest']),
    models: models.map((one) => ({ model: String(one['model']), entries: Number(one['entries']), bytes: Number(one['bytes']) })),
  };
}

function transaction(db: DatabaseSync, work: () => void): void {
  told(() => { db.exec('BEGIN IMMEDIATE'); });
  try {
    work();
    told(() => { db.exec('COMMIT'); });
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** SQLite's results for a file that is none any more: SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = new Set([11, 26]);

function told<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const message = String(member(error, 'message') ?? error);
    // The upper bits only say more about the same result.
    const result = Number(member(error, 'errcode')) & 0xff;
    const damaged = DAMAGED.has(result) || message.startsWith('no such table') || message.startsWith('no such column');
    throw new StoreError(damaged ? 'damaged' : 'unavailable', message);
  }
}

function member(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null && name in error ? (error as Record<string, unknown>)[name] : undefined;
}
