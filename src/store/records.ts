import type { DatabaseSync } from 'node:sqlite';

/** How often what is asked passed among the tries that were ever judged. */
export interface Counted {
  passes: number;
  tries: number;
}

export interface Recorded {
  outcomes: (Counted & { key: string })[];
  notes: { name: string; body: string }[];
}

/**
 * What a store keeps beside answers: how they were judged, in sums, and single notes under a name.
 */
export interface Records {
  /** Of the keys that are known. */
  outcomes(keys: readonly string[]): Map<string, Counted>;
  /** Adds tries to what is known of their keys; `now` in milliseconds since 1970. */
  addOutcomes(rows: readonly (Counted & { key: string })[], now: number): void;
  note(name: string): string | null;
  setNote(name: string, body: string): void;
  /** All of them. */
  everyRecord(): Recorded;
  /** Forgets the outcomes that were not added to for longest, above what is kept. */
  trim(): void;
}

/** Of some 80 bytes each. */
const MOST_OUTCOMES = 100_000;

/**
 * Part of every file that may be written; a file that may only be read can be older and without
 * them.
 */
export const RECORDS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS outcomes (key TEXT NOT NULL PRIMARY KEY, passes INTEGER NOT NULL, tries INTEGER NOT NULL, used INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS notes (name TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;`;

/**
 * Statements are prepared when first used. The functions throw what SQLite throws; the caller tells
 * it.
 */
export function recordsOf(db: DatabaseSync, transaction: (work: () => void) => void): Records {
  const exists = (table: 'outcomes' | 'notes'): boolean =>
    db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined;
  return {
    outcomes(keys) {
      const known = new Map<string, Counted>();
      if (!exists('outcomes')) return known;
      const select = db.prepare('SELECT passes, tries FROM outcomes WHERE key = ?');
      for (const key of keys) {
        const row = select.get(key);
        if (row !== undefined)
          known.set(key, { passes: Number(row['passes']), tries: Number(row['tries']) });
      }
      return known;
    },
    addOutcomes(rows, now) {
      const add = db.prepare(
        'INSERT INTO outcomes (key, passes, tries, used) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET passes = passes + excluded.passes, tries = tries + excluded.tries, used = max(used, excluded.used)',
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
      outcomes: exists('outcomes')
        ? db
            .prepare('SELECT key, passes, tries FROM outcomes')
            .all()
            .map((row) => ({
              key: String(row['key']),
              passes: Number(row['passes']),
              tries: Number(row['tries']),
            }))
        : [],
      notes: exists('notes')
        ? db
            .prepare('SELECT name, body FROM notes')
            .all()
            .map((row) => ({ name: String(row['name']), body: String(row['body']) }))
        : [],
    }),
    trim() {
      if (!exists('outcomes')) return;
      db.prepare(
        'DELETE FROM outcomes WHERE key IN (SELECT key FROM outcomes ORDER BY used DESC, key LIMIT -1 OFFSET ?)',
      ).run(MOST_OUTCOMES);
    },
  };
}
