import type { KeptRecords } from '../../types/model.ts';
import type { Connection } from './connection.ts';
import type { StoreAccess } from './file.ts';
import type { PassCount, RecordRows } from './records.ts';

/** `join` merges a copy that was extended elsewhere: its own outcomes, and missing notes. */
export function createRecords(
  connection: Connection,
  { access, now }: { access: StoreAccess; now(): number },
): { records: Required<KeptRecords>; join(other: RecordRows): void } {
  const added = new Map<string, PassCount>();
  const noted = new Set<string>();
  const records: Required<KeptRecords> = {
    outcomes: (keys) => connection.read((db) => db.outcomes(keys), new Map()),
    addOutcomes(rows) {
      if (access === 'read' || rows.length === 0) return;
      for (const row of rows) added.set(row.key, addCounts(row, added.get(row.key)));
      connection.write((db) => {
        db.addOutcomes(rows, now());
      });
    },
    note: (name) => connection.read((db) => db.note(name), null),
    setNote(name, body) {
      noted.add(name);
      return (
        access === 'read-write' &&
        connection.write((db) => {
          db.setNote(name, body);
        })
      );
    },
  };
  return {
    records,
    join({ outcomes, notes }) {
      connection.write((db) => {
        const here = db.outcomes(outcomes.map(({ key }) => key));
        // What both started with counts once.
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
    },
  };
}

const NO_TRIES: PassCount = { passes: 0, tries: 0 };

function addCounts(left: PassCount, right: PassCount = NO_TRIES): PassCount {
  return { passes: left.passes + right.passes, tries: left.tries + right.tries };
}
