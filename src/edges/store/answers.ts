import type { Completion, Request } from '../../types/model.ts';
import type { Connection, StoreOptions } from './connection.ts';
import type { Database } from './database.ts';
import {
  ANSWER_KEY,
  parseEntry,
  placedBy,
  storedEntryOf,
  isReusable,
  keyedDigest,
  plainDigest,
  type Digest,
  type Entry,
} from './entry.ts';

/** Times of last use are written in batches, because otherwise each read would cost a write. */
const USE_MARKS = 1000;

/** Share of the size limit that remains after eviction, so that the next answers fit. */
const EVICT_TO = 0.9;

export function createAnswers(
  { maxBytes, access, now, secret }: StoreOptions,
  connection: Connection,
) {
  const digest = secret === null ? plainDigest : keyedDigest(secret);
  const kept = new Map<string, Completion>();
  const counts = { found: 0, written: 0, refused: 0 };
  let size = connection.read((db) => db.bytes(), 0);
  const { mark, flush } = useMarks(connection, { access, now });
  const shrink = (bytes: number) => {
    flush();
    const removed = connection.change((db) => db.shrink(bytes), 0);
    size = connection.read((db) => db.bytes(), 0);
    return removed;
  };
  const write = (entry: Entry) =>
    connection.change((db) => {
      size += db.put(entry, now());
      counts.written++;
      return true;
    }, false);
  return {
    counts,
    flush,
    shrink,
    has(key: string): boolean {
      const entry = connection.read((db) => db.get(key), null);
      return entry !== null && entry.digest === digest(key, entry);
    },
    find(key: string, request: Pick<Request, 'usable'>): Completion | null {
      const entry = connection.read((db) => db.get(key), null);
      if (entry === null) return kept.get(key) ?? null;
      const answer = parseEntry(key, entry, digest);
      if (answer === null) counts.refused++;
      if (answer === null || !isReusable(answer, request)) return kept.get(key) ?? null;
      counts.found++;
      mark(key);
      return answer;
    },
    import(entries: () => Iterable<Entry>, which: WantedAnswer) {
      const how = { now: now(), which, digest, placeOf: placedBy(secret) };
      const taken = connection.change((db) => importInto(db, entries(), how), null);
      counts.written += taken ?? 0;
      size = connection.read((db) => db.bytes(), 0);
      return taken;
    },
    keep(key: string, request: Pick<Request, 'target' | 'usable'>, completion: Completion): void {
      if (completion.status === 'error' || completion.reused) return;
      const there =
        access === 'read-write' &&
        isReusable(completion, request) &&
        write(storedEntryOf(key, request, completion, digest));
      if (!there) kept.set(key, { ...completion, reused: true });
      if (size > maxBytes) shrink(maxBytes * EVICT_TO);
    },
  };
}

function useMarks(connection: Connection, { access, now }: Pick<StoreOptions, 'access' | 'now'>) {
  const marks = new Set<string>();
  const flush = () => {
    if (marks.size > 0 && access === 'read-write')
      connection.change((db) => {
        db.touch(marks, now());
      }, undefined);
    marks.clear();
  };
  return {
    flush,
    mark(key: string): void {
      marks.add(key);
      if (marks.size >= USE_MARKS) flush();
    },
  };
}

type WantedAnswer = 'all' | 'absent';

function importInto(
  db: Database,
  entries: Iterable<Entry>,
  {
    now,
    which,
    digest,
    placeOf,
  }: { now: number; which: WantedAnswer; digest: Digest; placeOf(key: string): string },
): number {
  function* holding(): Generator<Entry> {
    for (const entry of entries) {
      const key = placeOf(entry.key);
      if (which === 'absent' && db.get(key) !== null) continue;
      if (ANSWER_KEY.test(entry.key) && parseEntry(entry.key, entry, plainDigest) !== null)
        yield { ...entry, key, digest: digest(key, entry) };
    }
  }
  return db.putAll(holding(), now);
}
