import type { DatabaseSync } from 'node:sqlite';
import type { Entry } from './entry.ts';
import { openFile, withStoreErrors, type StoreAccess } from './file.ts';
import { batchRows, recordsOf } from './records.ts';

const BUSY_MS = 5000;

export const SIDE_SUFFIXES = ['-wal', '-shm'] as const;

const ROW_BYTES = 200;

export interface Totals {
  entries: number;
  bytes: number;
  oldest: number | null;
  newest: number | null;
  models: { model: string; entries: number; bytes: number }[];
}

export type Database = ReturnType<typeof wrapDatabase>;

export function openDatabase(file: string, access: StoreAccess, busyMs = BUSY_MS): Database {
  return openFile(file, { access, busyMs }, wrapDatabase);
}

function wrapDatabase(db: DatabaseSync) {
  const records = recordsOf(db, (work) => transaction(db, work));
  const rows = withStoreErrorsIn({
    ...answerRows(db),
    ...batchRows(db),
    ...records,
    compact() {
      records.trim();
      db.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)');
    },
    copyTo: (file: string) => void db.prepare('VACUUM INTO ?').run(file),
    close: () => db.close(),
  });
  return {
    ...rows,
    entries: () => storedEntries(db),
    // `entries` may read another file, whose errors must not look like errors of this file.
    putAll(entries: Iterable<Entry>, now: number): number {
      let written = 0;
      transaction(db, () => {
        for (const entry of entries) {
          rows.put(entry, now);
          written += 1;
        }
      });
      return written;
    },
  };
}

function withStoreErrorsIn<T extends object>(functions: T): T {
  return Object.fromEntries(
    Object.entries(functions).map(([name, work]: [string, (...given: unknown[]) => unknown]) => [
      name,
      (...given: unknown[]) => withStoreErrors(() => work(...given)),
    ]),
  ) as T;
}

function answerRows(db: DatabaseSync) {
  const select = db.prepare(`SELECT ${COLUMNS} FROM completions WHERE key = ?`);
  const sum = db.prepare(
    'SELECT count(*) AS entries, coalesce(sum(bytes), 0) AS bytes, ' +
      'min(used) AS oldest, max(used) AS newest FROM completions',
  );
  const insert = changing(
    db,
    `INSERT OR REPLACE INTO completions (key, label, ${COLUMNS}, bytes, used) ` +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const use = changing(db, 'UPDATE completions SET used = max(used, ?) WHERE key = ?');
  const remove = changing(db, 'DELETE FROM completions WHERE key = ?');
  const bytes = (): number => Number(sum.get()?.['bytes']);
  return {
    get(key: string): Omit<Entry, 'key' | 'model'> | null {
      const row = select.get(key);
      return row === undefined ? null : entryIn(row);
    },
    put({ key, model: label, served, body, digest }: Entry, now: number): number {
      const size = Buffer.byteLength(body) + ROW_BYTES;
      const { model, fingerprint, at } = served;
      insert(key, label, body, digest, model, fingerprint, at, size, now);
      return size;
    },
    touch: (keys: Iterable<string>, now: number) =>
      transaction(db, () => {
        for (const key of keys) use(now, key);
      }),
    totals: () => totalsOf(db, sum.get() ?? {}),
    bytes,
    shrink: (limit: number) => removeOldest(db, bytes() - limit, remove),
  };
}

const COLUMNS = 'body, digest, model, fingerprint, at';

function entryIn(row: Record<string, unknown>): Omit<Entry, 'key' | 'model'> {
  const { body, digest, model, fingerprint, at } = row;
  const text = (value: unknown): string | null => (value === null ? null : String(value));
  return {
    body: String(body),
    digest: String(digest),
    served: {
      model: text(model),
      fingerprint: text(fingerprint),
      at: at === null ? null : Number(at),
    },
  };
}

function changing(
  db: DatabaseSync,
  sql: string,
): (...values: (string | number | null)[]) => number {
  let prepared: ReturnType<DatabaseSync['prepare']> | null = null;
  return (...values) => Number((prepared ??= db.prepare(sql)).run(...values).changes);
}

function* storedEntries(db: DatabaseSync): IterableIterator<Entry> {
  const rows = withStoreErrors(() =>
    db.prepare(`SELECT key, label, ${COLUMNS} FROM completions ORDER BY key`).iterate(),
  );
  for (;;) {
    const row = withStoreErrors(() => rows.next());
    if (row.done === true) return;
    const { key, label } = row.value;
    yield { key: String(key), model: String(label), ...entryIn(row.value) };
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
      'SELECT label, count(*) AS entries, sum(bytes) AS bytes FROM completions ' +
        'GROUP BY label ORDER BY bytes DESC, label',
    )
    .all();
  const time = (value: unknown): number | null => (value === null ? null : Number(value));
  return {
    entries: Number(row['entries']),
    bytes: Number(row['bytes']),
    oldest: time(row['oldest']),
    newest: time(row['newest']),
    models: models.map((counts) => ({
      model: String(counts['label']),
      entries: Number(counts['entries']),
      bytes: Number(counts['bytes']),
    })),
  };
}

function transaction(db: DatabaseSync, work: () => void): void {
  withStoreErrors(() => db.exec('BEGIN IMMEDIATE'));
  try {
    work();
    withStoreErrors(() => db.exec('COMMIT'));
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
