import { existsSync, renameSync } from 'node:fs';
import { problem, UserError } from '../errors.ts';
import { visibleLine } from '../text/visible.ts';
import { openDatabase, type Database } from './database.ts';
import type { StoreAccess } from './file.ts';
import { StoreError } from './trouble.ts';

export interface Connection {
  /** Works on the file; `without` where there is none that can be worked on. */
  use<T>(work: (db: Database) => T, without: T): T;
  close(): void;
}

export interface ConnectionOptions { file: string; access: StoreAccess; now(): number; notice(message: string): void }

/**
 * The connection to a file, through damage and loss.
 *
 * @throws UserError for a file that is newer than this program or belongs to another one, also later from `use`.
 */
export function createConnection(options: ConnectionOptions): Connection {
  let db: Database | null = null;
  let replaced = false;
  const close = (): void => {
    if (db !== null) letGo(db, options.access);
    db = null;
  };
  const open = (): void => {
    try {
      db = openDatabase(options.file, options.access);
    } catch (error) {
      meet(error);
    }
  };
  /** True when there is a file to go on with. */
  const meet = (error: unknown): boolean => {
    if (!(error instanceof StoreError)) throw error;
    if (error.trouble === 'newer' || error.trouble === 'foreign') throw refusal(options.file, error);
    close();
    if (error.trouble === 'damaged' && !replaced && replace(error.message, options)) {
      replaced = true;
      open();
    } else if (error.trouble !== 'absent') options.notice(loss(error.message, options));
    return db !== null;
  };
  open();
  return {
    use(work, without) {
      for (;;) {
        if (db === null) return without;
        try {
          return work(db);
        } catch (error) {
          if (!meet(error)) return without;
        }
      }
    },
    close,
  };
}

function letGo(db: Database, access: StoreAccess): void {
  for (const step of access === 'read-write' ? [db.compact, db.close] : [db.close]) {
    try {
      step();
    } catch {
      // It is let go of either way; every answer was written when it came.
    }
  }
}

function loss(message: string, { file, access }: ConnectionOptions): string {
  return `${visibleLine(file)}: ${visibleLine(message)}; ${access === 'read-write' ? 'answers are not stored from here on' : 'it is not used'}`;
}

/** Moves a damaged file out of the way, so that a new one can be begun. */
function replace(message: string, { file, access, now, notice }: ConnectionOptions): boolean {
  const aside = access === 'read-write' ? setAside(file, now()) : null;
  if (aside === null) return false;
  notice(`${visibleLine(file)}: damaged (${visibleLine(message)}); it was renamed to ${visibleLine(aside)}, and a new one was begun`);
  return true;
}

function refusal(file: string, { trouble, message }: StoreError): UserError {
  const what = trouble === 'newer' ? `${message}. Update evaldiff, or remove the file` : `${message}, and is left alone`;
  return new UserError([problem(null, `${visibleLine(file)}: ${what}; or name another file with --store.`)]);
}

/** Renames the file with what SQLite keeps beside it; the new name, or null when that failed. */
function setAside(file: string, now: number): string | null {
  const aside = `${file}.damaged-${String(now)}`;
  try {
    for (const end of ['', '-wal', '-shm']) if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${aside}${end}`);
    return aside;
  } catch {
    return null;
  }
}
