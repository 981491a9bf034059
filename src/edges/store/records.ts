import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { BatchRecord } from '../../types/model.ts';
import { vendorNames } from '../../types/vendors.ts';

const body = z.strictObject({
  batch_version: z.literal(1),
  vendor: z.enum(vendorNames()),
  model: z.string(),
  submitted_at: z.int().nonnegative(),
  requests: z.array(z.tuple([z.string().regex(/^[0-9a-f]{64}$/), z.string().nullable()])),
});

const ID = /^[A-Za-z0-9_-]{1,200}$/;

export function batchRows(db: DatabaseSync) {
  return {
    batches: () =>
      db
        .prepare('SELECT id, body FROM batches ORDER BY id')
        .all()
        .flatMap((row) => parseBatch(String(row['id']), String(row['body'])) ?? []),
    addBatch({ id, vendor, model, submitted_at, requests }: BatchRecord): void {
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
    endBatch(id: string): void {
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

/** Each outcome takes about 80 bytes. */
const MOST_OUTCOMES = 100_000;

export function recordsOf(db: DatabaseSync, transaction: (work: () => void) => void) {
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
