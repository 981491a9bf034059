import { existsSync, renameSync } from 'node:fs';
import { userError } from '../../errors.ts';
import { visibleLine } from '../../text/visible.ts';
import { SIDE_SUFFIXES, openDatabase, type Database } from './database.ts';
import { StoreError, type StoreAccess } from './file.ts';

export type Connection = ReturnType<typeof createConnection>;

export interface StoreOptions {
  file: string;
  maxBytes: number;
  now(): number;
  access: StoreAccess;
  /** Key that signs the entries' digests. Null if only trusted users can write the file. */
  secret: Uint8Array | null;
  busyMs?: number;
  notice(message: string): void;
}

type ConnectionOptions = Omit<StoreOptions, 'maxBytes' | 'secret'>;

interface OpenConnection {
  options: ConnectionOptions;
  db: Database | null;
  access: StoreAccess;
  replaced: boolean;
}

/**
 * Recovers from a damaged or deleted file.
 * @throws UserError if a newer version or another program wrote the file.
 */
export function createConnection(options: ConnectionOptions) {
  const { access } = options;
  const held: OpenConnection = { options, db: null, access, replaced: false };
  openConnection(held);
  const attempt = <T>(kind: StoreAccess, work: (db: Database) => T, without: T): T => {
    while (held.db !== null && (kind === 'read' || held.access === 'read-write')) {
      try {
        return work(held.db);
      } catch (error) {
        if (!handleError(error, kind, held)) return without;
      }
    }
    return without;
  };
  return {
    read: <T>(work: (db: Database) => T, without: T): T => attempt('read', work, without),
    change: <T>(work: (db: Database) => T, without: T): T => attempt('read-write', work, without),
    close: () => closeDatabase(held),
  };
}

function openConnection(held: OpenConnection): void {
  const open = () => {
    held.db = openDatabase(held.options.file, held.access, held.options.busyMs);
  };
  try {
    open();
  } catch (error) {
    const canRead = error instanceof StoreError && error.trouble === 'unavailable';
    if (held.access === 'read' || !canRead) {
      handleError(error, 'read', held);
      return;
    }
    fallBackToReadOnly(error, held);
    try {
      open();
    } catch {
      // The user has already been warned.
    }
  }
}

function handleError(error: unknown, kind: StoreAccess, held: OpenConnection): boolean {
  if (!(error instanceof StoreError)) throw error;
  const { file } = held.options;
  const { trouble } = error;
  if (trouble === 'newer' || trouble === 'foreign') {
    const what =
      trouble === 'newer'
        ? `${error.message}. Update evaldiff, or remove the file`
        : `${error.message}, and was not changed`;
    throw userError(null, `${visibleLine(file)}: ${what}; or name another file with --store.`);
  }
  if (trouble === 'unavailable' && kind === 'read-write') {
    fallBackToReadOnly(error, held);
    return false;
  }
  abandon(error, held);
  return held.db !== null;
}

function abandon({ trouble, message }: StoreError, held: OpenConnection): void {
  closeDatabase(held);
  const isUseless = trouble === 'damaged' || trouble === 'older';
  const isReplaced =
    isUseless &&
    held.access === 'read-write' &&
    !held.replaced &&
    replaceUnusable(trouble, message, held.options);
  if (isReplaced) {
    held.replaced = true;
    openConnection(held);
  } else if (trouble !== 'absent') noticeLoss(message, held);
}

function fallBackToReadOnly({ message }: StoreError, held: OpenConnection): void {
  noticeLoss(message, held);
  held.access = 'read';
}

function noticeLoss(message: string, { access, options }: OpenConnection): void {
  const loss = access === 'read-write' ? 'no further answers are stored' : 'it is not used';
  options.notice(`${visibleLine(options.file)}: ${visibleLine(message)}; ${loss}`);
}

function closeDatabase(held: OpenConnection): void {
  const { db, access } = held;
  held.db = null;
  for (const step of access === 'read-write' ? [db?.compact, db?.close] : [db?.close]) {
    try {
      step?.();
    } catch {
      // An error is harmless, because every answer is already written.
    }
  }
}

function replaceUnusable(
  trouble: 'damaged' | 'older',
  message: string,
  { file, now, notice }: ConnectionOptions,
): boolean {
  const aside = `${file}.${trouble}-${now()}`;
  try {
    for (const suffix of ['', ...SIDE_SUFFIXES])
      if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${aside}${suffix}`);
  } catch {
    return false;
  }
  const what = trouble === 'older' ? message : `damaged (${visibleLine(message)})`;
  notice(
    `${visibleLine(file)}: ${what}; it was renamed to ` +
      `${visibleLine(aside)}, and a new one was created`,
  );
  return true;
}
