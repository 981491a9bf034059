import type { BatchRecord, KeptRecords } from '../../types/model.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { StoreAccess } from './file.ts';
import type { PassCount, RecordRows } from './records.ts';

export interface StoreRecords extends Required<KeptRecords> {
  batches(): BatchRecord[];
  addBatch(batch: BatchRecord): boolean;
  endBatch(id: string): void;
}

export function createRecords(
  connection: Connection,
  { access, now }: { access: StoreAccess; now(): number },
) {
  const added = new Map<string, PassCount>();
  const noted = new Set<string>();
  const ended = new Set<string>();
  let batchChanges = 0;
  const write = (work: (db: Database) => void): boolean =>
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
          const [all, known] = [addCounts(theirs, added.get(key)), here.get(key) ?? NO_TRIES];
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
