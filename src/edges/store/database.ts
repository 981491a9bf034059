import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { BatchRecord } from '../../types/model.ts';
import { parsedJson } from '../../types/plain.ts';
import { vendorNames } from '../../types/vendors.ts';
import type { Entry } from './entry.ts';
import { openFile, withStoreErrors, type StoreAccess } from './file.ts';

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
  const insert = db.prepare(
    `INSERT OR REPLACE INTO completions (key, label, ${COLUMNS}, bytes, used) ` +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const use = db.prepare(
    'UPDATE completions SET used = max(used, ?) WHERE key IN (SELECT value FROM json_each(?))',
  );
  const remove = db.prepare(
    'DELETE FROM completions WHERE key IN (SELECT key FROM (SELECT key, ' +
      'sum(bytes) OVER (ORDER BY used, key) - bytes AS older FROM completions) WHERE older < ?)',
  );
  const bytes = () => Number(sum.get()?.['bytes']);
  return {
    get(key: string): Omit<Entry, 'key' | 'model'> | null {
      const row = select.get(key);
      return row === undefined ? null : entryIn(row);
    },
    put({ key, model: label, served, body, digest }: Entry, now: number): number {
      const size = Buffer.byteLength(body) + ROW_BYTES;
      const { model, fingerprint, at } = served;
      insert.run(key, label, body, digest, model, fingerprint, at, size, now);
      return size;
    },
    touch: (keys: Iterable<string>, now: number) => void use.run(now, JSON.stringify([...keys])),
    totals: () => totalsOf(db, sum.get() ?? {}),
    bytes,
    /** Removes the answers whose last use is the longest ago. */
    shrink: (limit: number) => Number(remove.run(bytes() - limit).changes),
  };
}

const COLUMNS = 'body, digest, model, fingerprint, at';

function entryIn(row: Record<string, unknown>): Omit<Entry, 'key' | 'model'> {
  const { body, digest, model, fingerprint, at } = row;
  const text = (value: unknown) => (value === null ? null : String(value));
  return {
    body: String(body),
    digest: String(digest),
    served: { model: text(model), fingerprint: text(fingerprint), at: numberOrNull(at) },
  };
}

function numberOrNull(value: unknown): number | null {
  return value === null ? null : Number(value);
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

function totalsOf(db: DatabaseSync, row: Record<string, unknown>): Totals {
  const models = db
    .prepare(
      'SELECT label, count(*) AS entries, sum(bytes) AS bytes FROM completions ' +
        'GROUP BY label ORDER BY bytes DESC, label',
    )
    .all();
  return {
    entries: Number(row['entries']),
    bytes: Number(row['bytes']),
    oldest: numberOrNull(row['oldest']),
    newest: numberOrNull(row['newest']),
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

const batchRow = z.object({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,200}$/),
  body: z
    .string()
    .transform(parsedJson)
    .pipe(
      z.strictObject({
        batch_version: z.literal(1),
        vendor: z.enum(vendorNames()),
        model: z.string(),
        submitted_at: z.int().nonnegative(),
        requests: z.array(
          z
            .tuple([z.string().regex(/^[0-9a-f]{64}$/), z.string().nullable()])
            .transform(([key, schema]) => ({ key, schema })),
        ),
      }),
    ),
});

function batchRows(db: DatabaseSync) {
  return {
    batches: () =>
      db
        .prepare('SELECT id, body FROM batches ORDER BY id')
        .all()
        .flatMap((row): BatchRecord[] => {
          const { success, data } = batchRow.safeParse(row);
          if (!success) return [];
          const { batch_version: _, ...batch } = data.body;
          return [{ id: data.id, ...batch }];
        }),
    addBatch({ id, requests, ...batch }: BatchRecord): void {
      const pairs = requests.map(({ key, schema }) => [key, schema]);
      const body = JSON.stringify({ batch_version: 1, ...batch, requests: pairs });
      db.prepare('INSERT OR REPLACE INTO batches (id, body) VALUES (?, ?)').run(id, body);
    },
    endBatch(id: string): void {
      db.prepare('DELETE FROM batches WHERE id = ?').run(id);
    },
  };
}

export interface PassCount {
  passes: number;
  tries: number;
}

export interface RecordRows {
  outcomes: (PassCount & { key: string })[];
  notes: { name: string; body: string }[];
}

/** Each outcome takes about 80 bytes. */
const MOST_OUTCOMES = 100_000;

function recordsOf(db: DatabaseSync, transaction: (work: () => void) => void) {
  const outcomesWhere = (condition: string, ...values: string[]): RecordRows['outcomes'] =>
    db
      .prepare(`SELECT key, passes, tries FROM outcomes WHERE ${condition}`)
      .all(...values)
      .map(({ key, passes, tries }) => ({
        key: String(key),
        passes: Number(passes),
        tries: Number(tries),
      }));
  return {
    outcomes(keys: readonly string[]): Map<string, PassCount> {
      const among = 'key IN (SELECT value FROM json_each(?))';
      const rows = outcomesWhere(among, JSON.stringify(keys));
      return new Map(rows.map(({ key, ...count }) => [key, count]));
    },
    addOutcomes(rows: readonly (PassCount & { key: string })[], now: number): void {
      const add = db.prepare(
        'INSERT INTO outcomes (key, passes, tries, used) VALUES (?, ?, ?, ?) ' +
          'ON CONFLICT (key) DO UPDATE SET passes = passes + excluded.passes, ' +
          'tries = tries + excluded.tries, used = max(used, excluded.used)',
      );
      transaction(() => {
        for (const { key, passes, tries } of rows) add.run(key, passes, tries, now);
      });
    },
    note(name: string): string | null {
      const row = db.prepare('SELECT body FROM notes WHERE name = ?').get(name);
      return row === undefined ? null : String(row['body']);
    },
    setNote(name: string, body: string): void {
      db.prepare('INSERT OR REPLACE INTO notes (name, body) VALUES (?, ?)').run(name, body);
    },
    everyRecord: (): RecordRows => ({
      outcomes: outcomesWhere('true'),
      notes: db
        .prepare('SELECT name, body FROM notes')
        .all()
        .map((row) => ({ name: String(row['name']), body: String(row['body']) })),
    }),
    trim() {
      db.prepare(
        'DELETE FROM outcomes WHERE key IN ' +
          '(SELECT key FROM outcomes ORDER BY used DESC, key LIMIT -1 OFFSET ?)',
      ).run(MOST_OUTCOMES);
    },
  };
}
