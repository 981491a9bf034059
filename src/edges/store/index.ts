import { visibleLine } from '../../text/visible.ts';
import type {
  BatchRecord,
  Complete,
  Completion,
  KeptRecords,
  Request,
  Target,
} from '../../types/model.ts';
import { createAnswers } from './answers.ts';
import { createConnection, type Connection, type StoreOptions } from './connection.ts';
import type { Database, PassCount, RecordRows, Totals } from './database.ts';
import { placedBy, type Entry } from './entry.ts';

export interface StoreStats extends Totals {
  file: string;
  found: number;
  written: number;
  refused: number;
  batched: number;
}

export type Store = ReturnType<typeof openStore>;

const NO_TOTALS: Totals = { entries: 0, bytes: 0, oldest: null, newest: null, models: [] };

/**
 * If the file is unusable, the run continues without stored answers.
 * @throws UserError if a newer version or another program wrote the file.
 */
export function openStore(options: StoreOptions) {
  const { file, access, secret } = options;
  const placeOf = placedBy(secret);
  const connection = createConnection(options);
  const answers = createAnswers(options, connection);
  const { records, join: joinRecords, batchChanges } = createRecords(connection, options);
  return {
    ...records,
    wrap:
      (complete: Complete, keyOf: (request: Request) => string): Complete =>
      async (request) => {
        const key = placeOf(keyOf(request));
        const found = request.anew === true ? null : answers.find(key, request);
        if (found !== null) return found;
        const completion = await complete(request);
        answers.keep(key, request, completion);
        return completion;
      },
    has: (key: string) => answers.has(placeOf(key)),
    /** If the file cannot be written, keeps the answer in memory. */
    keep(key: string, target: Target, completion: Completion): void {
      answers.keep(placeOf(key), { target }, completion);
    },
    stats: (): StoreStats => ({
      file,
      ...connection.read((db) => db.totals(), NO_TOTALS),
      ...answers.counts,
      batched: batchChanges(),
    }),
    prune({ maxBytes }: { maxBytes: number }): number {
      const removed = answers.shrink(maxBytes);
      connection.change(({ compact }) => compact(), undefined);
      return removed;
    },
    /**
     * Returns the number of stored answers, without those that do not match their key. If the file
     * is damaged, creates a new one and calls `entries` again. Null if nothing could be written.
     */
    import: (entries: () => Iterable<Entry>) => answers.import(entries, 'all'),
    join(
      entries: () => Iterable<Entry>,
      beside: RecordRows & { batches: readonly BatchRecord[] },
    ): void {
      answers.import(entries, 'absent');
      joinRecords(beside);
    },
    copyTo(target: string): boolean {
      answers.flush();
      return connection.read((db) => {
        db.copyTo(target);
        return true;
      }, false);
    },
    close(): void {
      if (access === 'read-write') answers.shrink(options.maxBytes);
      const { refused } = answers.counts;
      const which =
        secret === null
          ? 'stored answers with an invalid digest'
          : 'answers that this machine did not store, or that were changed since,';
      if (refused > 0) options.notice(`${visibleLine(file)}: ${which} were ignored: ${refused}`);
      connection.close();
    },
  };
}

interface StoreRecords extends Required<KeptRecords> {
  batches(): BatchRecord[];
  addBatch(batch: BatchRecord): boolean;
  endBatch(id: string): void;
}

function createRecords(connection: Connection, { access, now }: StoreOptions) {
  const added = new Map<string, PassCount>();
  const noted = new Set<string>();
  const ended = new Set<string>();
  let batchChanges = 0;
  const write = (work: (db: Database) => void) =>
    connection.change((db) => (work(db), true), false);
  const records: StoreRecords = {
    outcomes: (keys) => connection.read((db) => db.outcomes(keys), new Map()),
    addOutcomes(rows) {
      if (access === 'read' || rows.length === 0) return;
      for (const row of rows) added.set(row.key, addCounts(row, added.get(row.key)));
      write((db) => db.addOutcomes(rows, now()));
    },
    note: (name) => connection.read((db) => db.note(name), null),
    setNote(name, body) {
      noted.add(name);
      return write((db) => db.setNote(name, body));
    },
    batches: () => connection.read((db) => db.batches(), []),
    addBatch: (batch) =>
      write((db) => {
        db.addBatch(batch);
        batchChanges += 1;
      }),
    endBatch(id) {
      ended.add(id);
      write((db) => {
        db.endBatch(id);
        batchChanges += 1;
      });
    },
  };
  return {
    records,
    batchChanges: () => batchChanges,
    join({ outcomes, notes, batches }: RecordRows & { batches: readonly BatchRecord[] }): void {
      write((db) => {
        const here = db.outcomes(outcomes.map(({ key }) => key));
        // A try that both copies contain must count only once.
        const missing = outcomes.map(({ key, ...theirs }) => {
          const all = addCounts(theirs, added.get(key));
          const known = here.get(key) ?? NO_TRIES;
          return { key, passes: all.passes - known.passes, tries: all.tries - known.tries };
        });
        db.addOutcomes(
          missing.filter(({ tries }) => tries > 0),
          now(),
        );
        for (const { name, body } of notes) if (!noted.has(name)) db.setNote(name, body);
      });
      const known = new Set([...ended, ...records.batches().map(({ id }) => id)]);
      for (const batch of batches) if (!known.has(batch.id)) records.addBatch(batch);
    },
  };
}

const NO_TRIES: PassCount = { passes: 0, tries: 0 };

function addCounts(left: PassCount, right: PassCount = NO_TRIES): PassCount {
  return { passes: left.passes + right.passes, tries: left.tries + right.tries };
}
