import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { BatchRecord } from '../types.ts';

/** Batches that were submitted and not fetched yet. */
export interface Batches {
  /** Rows that are no batch of ours are left out. */
  batches(): BatchRecord[];
  addBatch(batch: BatchRecord): void;
  endBatch(id: string): void;
}

/**
 * As for {@link RECORDS_SCHEMA}: part of every file that may be written, so that older versions go
 * on with it.
 */
export const BATCHES_SCHEMA = `
  CREATE TABLE IF NOT EXISTS batches (id TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;`;

const body = z.strictObject({
  batch_version: z.literal(1),
  vendor: z.enum(['openai', 'anthropic']),
  model: z.string(),
  submitted_at: z.int().nonnegative(),
  requests: z.array(z.tuple([z.string().regex(/^[0-9a-f]{64}$/), z.string().nullable()])),
});
/** It becomes part of an address at the vendor's. */
const ID = /^[A-Za-z0-9_-]{1,200}$/;

/**
 * Statements are prepared when used, which is rare. The functions throw what SQLite throws; the
 * caller tells it.
 */
export function batchesOf(db: DatabaseSync): Batches {
  const exists = (): boolean =>
    db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'batches'").get() !== undefined;
  return {
    batches: () =>
      exists()
        ? db
            .prepare('SELECT id, body FROM batches ORDER BY id')
            .all()
            .flatMap((row) => read(String(row['id']), String(row['body'])) ?? [])
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

function read(id: string, text: string): BatchRecord | null {
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
