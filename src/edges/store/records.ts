import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { z } from 'zod';
import type { BatchRecord } from '../../types/model.ts';
import { vendorNames } from '../../types/vendors.ts';

export interface Batches {
  /** Invalid rows are skipped. */
  batches(): BatchRecord[];
  addBatch(batch: BatchRecord): void;
  endBatch(id: string): void;
}

/** In every writable file; older versions ignore it. */
export const BATCHES_SCHEMA = `
  CREATE TABLE IF NOT EXISTS batches (id TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;`;

const body = z.strictObject({
  batch_version: z.literal(1),
  vendor: z.enum(vendorNames()),
  model: z.string(),
  submitted_at: z.int().nonnegative(),
  requests: z.array(z.tuple([z.string().regex(/^[0-9a-f]{64}$/), z.string().nullable()])),
});

const ID = /^[A-Za-z0-9_-]{1,200}$/;

/** Statements are prepared when used, which is rare. Throws SQLite's errors. */
export function batchRows(db: DatabaseSync): Batches {
  const exists = (): boolean =>
    db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'batches'").get() !== undefined;
  return {
    batches: () =>
      exists()
        ? db
            .prepare('SELECT id, body FROM batches ORDER BY id')
            .all()
            .flatMap((row) => parseBatch(String(row['id']), String(row['body'])) ?? [])
        : [],
    addBatch({ id, vendor, model, submitted_at, requests }) {
      const written = {
        batch_version: 1,
        vendor,
        model,
        submitted_at,
        requests: requests.map(({ key, schema }) => [key, schema]),
      };
      db.prepare('INSERT OR REPLACE INTO batches (id, body) VALUES (?, ?)').run(
        id,
        JSON.stringify(written),
      );
    },
    endBatch(id) {
      db.prepare('DELETE FROM batches WHERE id = ?').run(id);
    },
  };
}

function parseBatch(id: string, text: string): BatchRecord | null {
  if (!ID.test(id)) return null;
  try {
    const { vendor, model, submitted_at, requests } = body.parse(JSON.parse(text));
    return {
      id,
      vendor,
      model,
      submitted_at,
      requests: requests.map(([key, schema]) => ({ key, schema })),
    };
  } catch {
    return null;
  }
}

export interface PassCount {
  passes: number;
  tries: number;
}

export interface RecordRows {
  outcomes: (PassCount & { key: string })[];
  notes: { name: string; body: string }[];
}

export interface Records {
  outcomes(keys: readonly string[]): Map<string, PassCount>;
  /** Adds counts; `now` in milliseconds since 1970. */
  addOutcomes(rows: readonly (PassCount & { key: string })[], now: number): void;
  note(name: string): string | null;
  setNote(name: string, body: string): void;
  everyRecord(): RecordRows;
  trim(): void;
}

/** Of some 80 bytes each. */
const MOST_OUTCOMES = 100_000;

/** In every writable file; a read-only one may be older and lack it. */
export const RECORDS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS outcomes (key TEXT NOT NULL PRIMARY KEY, passes INTEGER NOT NULL, tries INTEGER NOT NULL, used INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS notes (name TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;`;

/** Statements are prepared at first use. Throws SQLite's errors. */
export function recordsOf(db: DatabaseSync, transaction: (work: () => void) => void): Records {
  const exists = (table: 'outcomes' | 'notes'): boolean =>
    db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined;
  const allRows = (table: 'outcomes' | 'notes'): ReturnType<StatementSync['all']> =>
    exists(table) ? db.prepare(`SELECT * FROM ${table}`).all() : [];
  return {
    outcomes(keys) {
      const known = new Map<string, PassCount>();
      if (!exists('outcomes')) return known;
      const rows = db
        .prepare(
          'SELECT key, passes, tries FROM outcomes WHERE key IN (SELECT value FROM json_each(?))',
        )
        .all(JSON.stringify(keys));
      for (const { key, passes, tries } of rows)
        known.set(String(key), { passes: Number(passes), tries: Number(tries) });
      return known;
    },
    addOutcomes(rows, now) {
      const add = db.prepare(
        'INSERT INTO outcomes (key, passes, tries, used) VALUES (?, ?, ?, ?) ' +
          'ON CONFLICT (key) DO UPDATE SET passes = passes + excluded.passes, ' +
          'tries = tries + excluded.tries, used = max(used, excluded.used)',
      );
      transaction(() => {
        for (const { key, passes, tries } of rows) add.run(key, passes, tries, now);
      });
    },
    note(name) {
      const row = exists('notes')
        ? db.prepare('SELECT body FROM notes WHERE name = ?').get(name)
        : undefined;
      return row === undefined ? null : String(row['body']);
    },
    setNote(name, body) {
      db.prepare('INSERT OR REPLACE INTO notes (name, body) VALUES (?, ?)').run(name, body);
    },
    everyRecord: () => ({
      outcomes: allRows('outcomes').map(({ key, passes, tries }) => ({
        key: String(key),
        passes: Number(passes),
        tries: Number(tries),
      })),
      notes: allRows('notes').map((row) => ({
        name: String(row['name']),
        body: String(row['body']),
      })),
    }),
    trim() {
      if (!exists('outcomes')) return;
      db.prepare(
        'DELETE FROM outcomes WHERE key IN ' +
          '(SELECT key FROM outcomes ORDER BY used DESC, key LIMIT -1 OFFSET ?)',
      ).run(MOST_OUTCOMES);
    },
  };
}
