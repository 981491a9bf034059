import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { member } from '../../types/plain.ts';
import { makeFolders } from './make-folders.ts';

type StoreTrouble = 'damaged' | 'older' | 'newer' | 'foreign' | 'absent' | 'unavailable';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly trouble: StoreTrouble;

  constructor(trouble: StoreTrouble, message: string) {
    super(message);
    this.trouble = trouble;
  }
}

const DAMAGED = new Set([11, 26]);

export function withStoreErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const message = String(member(error, 'message') ?? error);
    const result = Number(member(error, 'errcode')) & 0xff;
    const damaged =
      DAMAGED.has(result) ||
      message.startsWith('no such table') ||
      message.startsWith('no such column');
    throw new StoreError(damaged ? 'damaged' : 'unavailable', message);
  }
}

export const STORE_VERSION = 3;

/** "evdf": SQLite's application id, which identifies our files. */
const APPLICATION_ID = 0x65_76_64_66;

export type StoreAccess = 'read-write' | 'read';

export function openFile<T>(
  file: string,
  { access, busyMs }: { access: StoreAccess; busyMs: number },
  prepare: (db: DatabaseSync) => T,
): T {
  return withStoreErrors(() => {
    if (!isThere(file) && access === 'read') throw new StoreError('absent', 'does not exist');
    if (access === 'read-write') makeFolders(dirname(file));
    const { DatabaseSync: Sqlite } = withoutWarning('SQLite', () =>
      process.getBuiltinModule('node:sqlite'),
    );
    const open = (path: string | URL): T => {
      const db = new Sqlite(path, { readOnly: access === 'read', timeout: busyMs });
      try {
        prepareFile(db, access);
        return prepare(db);
      } catch (error) {
        db.close();
        throw error;
      }
    };
    if (access === 'read-write') return open(file);
    try {
      return withStoreErrors(() => open(file));
    } catch (error) {
      if (!(error instanceof StoreError) || error.trouble !== 'unavailable') throw error;
      // For read-only folders, where SQLite cannot create its log and locks.
      const url = pathToFileURL(file);
      url.searchParams.set('immutable', '1');
      return open(url);
    }
  });
}

/** Hides the warning of Node that `about` is experimental. */
export function withoutWarning<T>(about: string, work: () => T): T {
  const emit = process.emitWarning;
  const quiet = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).includes(about)) Reflect.apply(emit, process, [warning, ...rest]);
  };
  process.emitWarning = quiet;
  try {
    return work();
  } finally {
    process.emitWarning = emit;
  }
}

/** Reads the first bytes without SQLite, which would lock the file or write a log. */
function isThere(file: string): boolean {
  const head = Buffer.alloc(16);
  let read = 0;
  try {
    // Unlike a damaged store, a device or folder must not be renamed. Opening a named pipe hangs.
    if (!statSync(file).isFile()) throw new StoreError('foreign', 'is not a regular file');
    const handle = openSync(file, 'r');
    try {
      read = readSync(handle, head, 0, 16, 0);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (member(error, 'code') === 'ENOENT') return false;
    throw error;
  }
  if (read > 0 && head.toString('latin1', 0, read) !== 'SQLite format 3\0')
    throw new StoreError('damaged', 'is not a database');
  return true;
}

function prepareFile(db: DatabaseSync, access: StoreAccess): void {
  const version = pragma(db, 'user_version');
  const application = pragma(db, 'application_id');
  const tables = countIn(db, 'sqlite_schema');
  if (application !== APPLICATION_ID && tables > 0)
    throw new StoreError('foreign', 'is a database of another program');
  if (tables > 0 && version > STORE_VERSION)
    throw new StoreError(
      'newer',
      `has store version ${version}; this evaldiff knows ${STORE_VERSION}`,
    );
  if (tables > 0 && version < STORE_VERSION)
    throw new StoreError('older', 'was written by an earlier version of evaldiff and is not read');
  const active = countIn(db, "sqlite_schema WHERE type IN ('view', 'trigger')");
  if (active > 0)
    throw new StoreError('damaged', 'has views or triggers, so evaldiff did not create it');
  if (access === 'read') {
    if (tables === 0) throw new StoreError('absent', 'is empty');
    return;
  }
  if (tables === 0) {
    db.exec('PRAGMA auto_vacuum = INCREMENTAL');
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  }
  // A write-ahead log keeps answers after a crash, without waiting for the disk.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  if (tables > 0) return;
  db.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS outcomes (key TEXT NOT NULL PRIMARY KEY, passes INTEGER NOT NULL, tries INTEGER NOT NULL, used INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS notes (name TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS batches (id TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS completions (key TEXT NOT NULL PRIMARY KEY, label TEXT NOT NULL, model TEXT, fingerprint TEXT, at INTEGER, body TEXT NOT NULL, digest TEXT NOT NULL, bytes INTEGER NOT NULL, used INTEGER NOT NULL) STRICT;
    PRAGMA user_version = ${STORE_VERSION};
    COMMIT`);
}

function countIn(db: DatabaseSync, rows: string): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${rows}`).get()?.['n']);
}

function pragma(db: DatabaseSync, name: 'user_version' | 'application_id'): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}
