import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { lstat, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { UserError, problem, errorMessage } from '../errors.ts';
import { tooManyBytes } from '../text/amounts.ts';
import { visibleLine } from '../text/visible.ts';
import type { BatchRecord, Completion, ErrorKind, Request } from '../types/model.ts';
import { parsedJson } from '../types/plain.ts';
import { openDatabase } from './database.ts';
import { storedEntryOf, isLasting, plainDigest, type Entry } from './entry.ts';
import { StoreError } from './file.ts';
import type { Recorded } from './records.ts';

/** Largest files that are read of a part, in bytes. */
const MOST_BYTES = { manifest: 1024 * 1024, data: 4 * 1024 * 1024 * 1024 };

interface PartNames {
  manifest: string;
  answers: string;
  others: string;
}

/** A file as it was written. */
interface Seal {
  bytes: number;
  sha256: string;
}

/** Writes what one shard of a sweep was answered. */
interface PartWriter {
  /** One answer under its key; `lasting`: it may serve other runs. */
  keep(key: string, request: Request, completion: Completion, lasting: boolean): void;
  /**
   * Makes the files whole, hands each to `place` under its name, and seals it.
   *
   * @param where names the place in messages
   * @throws UserError when an answer could not be written.
   */
  finish(
    place: (name: string, file: string) => Promise<void>,
    where: string,
  ): Promise<{ answers: Seal; others: Seal; counts: { answers: number; others: number } }>;
  close(): void;
}

/**
 * Begins a part below a folder of its own. Answers that a store keeps go into a store's file;
 * errors, empty and withheld answers, and answers that serve no other run, into a file of lines, so
 * that a merge sees them and makes no model call again.
 */
export function createPartWriter(work: string, names: PartNames): PartWriter {
  const [answers, others] = [join(work, names.answers), join(work, names.others)];
  const db = openDatabase(answers, 'read-write');
  const lines = openSync(others, 'wx');
  const known = new Set<string>();
  const counts = { answers: 0, others: 0 };
  let failure: string | null = null;
  let open = true;
  const write = (key: string, request: Request, completion: Completion, lasting: boolean): void => {
    const entry =
      lasting && isLasting(completion, request)
        ? storedEntryOf(key, request, completion, plainDigest)
        : null;
    // What a run is given a second time it has marked as reused; a later answer takes the place of
    // an error.
    if (known.has(key) || (entry === null && completion.status === 'ok' && completion.reused))
      return;
    if (completion.status === 'ok') known.add(key);
    counts[entry === null ? 'others' : 'answers'] += 1;
    if (entry === null)
      writeSync(lines, `${JSON.stringify({ key, completion: withoutCallDetails(completion) })}\n`);
    else db.put(entry, 0);
  };
  const close = (): void => {
    if (!open) return;
    open = false;
    closeSync(lines);
    db.close();
  };
  return {
    keep(key, request, completion, lasting) {
      if (failure !== null || !open) return;
      try {
        write(key, request, completion, lasting);
      } catch (error) {
        failure = errorMessage(error);
      }
    },
    async finish(place, where) {
      const whole = `${answers}.whole`;
      try {
        if (failure === null) db.copyTo(whole);
        close();
        if (failure === null) {
          await place(names.answers, whole);
          await place(names.others, others);
        }
      } catch (error) {
        if (error instanceof UserError) throw error;
        failure = errorMessage(error);
      }
      close();
      if (failure !== null) throw unwrittenError(where, failure);
      return { answers: await sealOf(whole), others: await sealOf(others), counts };
    },
    close,
  };
}

function unwrittenError(where: string, why: string): UserError {
  const message = `${visibleLine(where)}: the answers of this shard could not be written (${visibleLine(why)}). Make room on the disk and run the shard again.`;
  return new UserError([problem(null, message)]);
}

async function sealOf(file: string): Promise<Seal> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file)) {
    const data = chunk as Buffer;
    hash.update(data);
    bytes += data.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/**
 * The text of a part's manifest, if the folder holds the files of a part and nothing else; or what
 * is wrong with it, as a clause.
 */
export async function openPart(
  folder: string,
  names: PartNames,
): Promise<{ manifest: string } | { flaw: string }> {
  const wanted = Object.values(names);
  let found: string[];
  try {
    found = await readdir(folder);
  } catch {
    return { flaw: 'is not a folder that can be read' };
  }
  const missing = wanted.filter((name) => !found.includes(name));
  if (missing.length > 0)
    return { flaw: `is not a part of a sweep: it has no ${missing.join(', ')}` };
  const foreign = found.filter((name) => !wanted.includes(name));
  if (foreign.length > 0)
    return {
      flaw: `holds files that are not part of a sweep: ${foreign.slice(0, 3).map(visibleLine).join(', ')}`,
    };
  for (const name of wanted) {
    const entry = await lstat(join(folder, name));
    const most = name === names.manifest ? MOST_BYTES.manifest : MOST_BYTES.data;
    if (!entry.isFile()) return { flaw: `${name} is not a regular file` };
    if (entry.size > most) return { flaw: `${name} ${tooManyBytes(entry.size, most)}` };
  }
  return { manifest: await readFile(join(folder, names.manifest), 'utf8') };
}

/** Whether a file is still as it was written. */
export async function holdsSeal(file: string, { bytes, sha256 }: Seal): Promise<boolean> {
  const now = await sealOf(file);
  return now.bytes === bytes && now.sha256 === sha256;
}

/**
 * What is wrong with a part's own file, told from what is wrong with the store that it is put into.
 */
export class PartError extends Error {
  override readonly name = 'PartError';
}

/**
 * The stored answers of a part, each to be verified against its key by whoever takes it.
 *
 * @throws PartError for a file that is none of ours, or is damaged.
 */
export function* answersIn(file: string): Generator<Entry> {
  const db = ofPart(() => openDatabase(file, 'read'));
  try {
    const entries = ofPart(() => db.entries());
    for (;;) {
      const next = ofPart(() => entries.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    db.close();
  }
}

/**
 * What a file holds beside answers: the batches that are waited for, how tries came out, and notes.
 */
interface Beside extends Recorded {
  batches: BatchRecord[];
}

/**
 * @throws PartError as {@link answersIn}.
 */
export function besideAnswersIn(file: string): Beside {
  const db = ofPart(() => openDatabase(file, 'read'));
  try {
    return ofPart(() => ({ batches: db.batches(), ...db.everyRecord() }));
  } finally {
    db.close();
  }
}

function ofPart<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw new PartError(error.message);
    throw error;
  }
}

/** Without what is said of a call: who waits for it was told, and the merge has the sum. */
function withoutCallDetails(completion: Completion): Completion {
  if (completion.status === 'ok') {
    const { refused: _, cached: __, attempts: ___, isUnread: ____, ...answer } = completion;
    return answer;
  }
  const { status, kind, message, finish_reason: end } = completion;
  return { status, kind, message, ...(end === undefined ? {} : { finish_reason: end }) };
}

const KINDS = [
  'key',
  'rate-limit',
  'timeout',
  'network',
  'server',
  'request',
  'reply',
  'filtered',
  'too-long',
  'program',
  'program-answer',
  'recording',
  'budget',
  'aborted',
  'code',
  'reference',
] as const satisfies readonly ErrorKind[];

const FINISHES = ['stop', 'length', 'filter', 'tool', 'other'] as const;

const count = z.int().nonnegative();

const line = z.strictObject({
  key: z.string().regex(/^[0-9a-f]{64}$/),
  completion: z.discriminatedUnion('status', [
    z.strictObject({
      status: z.literal('ok'),
      output: z.string(),
      finish_reason: z.enum(FINISHES),
      tool_calls: z.array(z.strictObject({ name: z.string(), arguments: z.string() })),
      usage: z.strictObject({ input_tokens: count, output_tokens: count }).nullable(),
      latency_ms: z.number().nonnegative().nullable(),
      reused: z.boolean(),
      served: z.string().exactOptional(),
      ended: z.string().exactOptional(),
    }),
    z.strictObject({
      status: z.literal('error'),
      kind: z.enum(KINDS),
      message: z.string(),
      finish_reason: z.enum(FINISHES).exactOptional(),
    }),
  ]),
});

/**
 * What a part holds besides stored answers, by key, the last word of each; or the first line that
 * cannot be read.
 */
export async function othersIn(
  file: string,
): Promise<{ others: Map<string, Completion>; lines: number } | { flaw: string }> {
  const others = new Map<string, Completion>();
  let lines = 0;
  for await (const text of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    lines += 1;
    const parsed = line.safeParse(parsedJson(text));
    if (!parsed.success) return { flaw: `line ${String(lines)} is not an answer` };
    others.set(parsed.data.key, parsed.data.completion);
  }
  return { others, lines };
}
