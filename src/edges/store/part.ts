import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { lstat, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { UserError, errorMessage, userError } from '../../errors.ts';
import { tooManyBytes } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';
import { ENDED } from '../../types/answer.ts';
import {
  ERROR_KINDS,
  withoutRequests,
  type BatchRecord,
  type Completion,
  type Request,
} from '../../types/model.ts';
import { parsedJson } from '../../types/plain.ts';
import { openDatabase, type RecordRows } from './database.ts';
import {
  ANSWER_KEY,
  storedAnswerSchema,
  storedEntryOf,
  isReusable,
  plainDigest,
  type Entry,
} from './entry.ts';
import { StoreError } from './file.ts';

const MAX_PART_BYTES = { manifest: 1024 * 1024, data: 4 * 1024 * 1024 * 1024 };

interface PartNames {
  manifest: string;
  answers: string;
  others: string;
}

interface FileDigest {
  bytes: number;
  sha256: string;
}

/** Writes a shard's answers. Reusable answers go into a store file, the others into JSON lines. */
export function createPartWriter(work: string, names: PartNames) {
  const answers = join(work, names.answers);
  const others = join(work, names.others);
  const db = openDatabase(answers, 'read-write');
  const lines = openSync(others, 'wx');
  const known = new Set<string>();
  const counts = { answers: 0, others: 0 };
  let failure: string | null = null;
  let open = true;
  const write = (key: string, request: Request, completion: Completion, lasting: boolean) => {
    const entry =
      lasting && isReusable(completion, request)
        ? storedEntryOf(key, request, completion, plainDigest)
        : null;
    // Skips an answer that is already written. A later answer replaces an earlier error.
    if (known.has(key) || (entry === null && completion.status === 'ok' && completion.reused))
      return;
    if (completion.status === 'ok') known.add(key);
    counts[entry === null ? 'others' : 'answers'] += 1;
    if (entry === null)
      writeSync(lines, `${JSON.stringify({ key, completion: withoutCallDetails(completion) })}\n`);
    else db.put(entry, 0);
  };
  const close = () => {
    if (!open) return;
    open = false;
    closeSync(lines);
    db.close();
  };
  return {
    keep(...given: Parameters<typeof write>): void {
      if (failure !== null || !open) return;
      try {
        write(...given);
      } catch (error) {
        failure = errorMessage(error);
      }
    },
    async finish(place: (name: string, file: string) => Promise<void>, where: string) {
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
  const message =
    `${visibleLine(where)}: the answers of this shard could not be written ` +
    `(${visibleLine(why)}). Make sure that there is disk space, and run the shard again.`;
  return userError(null, message);
}

async function sealOf(file: string): Promise<FileDigest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file)) {
    const data = chunk as Buffer;
    hash.update(data);
    bytes += data.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** `flaw`: what is wrong, if the folder does not contain exactly the files of one shard. */
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
  if (found.length !== wanted.length || wanted.some((name) => !found.includes(name)))
    return { flaw: `is not a part of a sweep, which has exactly the files ${wanted.join(', ')}` };
  for (const name of wanted) {
    const entry = await lstat(join(folder, name));
    const most = name === names.manifest ? MAX_PART_BYTES.manifest : MAX_PART_BYTES.data;
    if (!entry.isFile()) return { flaw: `${name} is not a regular file` };
    if (entry.size > most) return { flaw: `${name} ${tooManyBytes(entry.size, most)}` };
  }
  return { manifest: await readFile(join(folder, names.manifest), 'utf8') };
}

export async function holdsSeal(file: string, { bytes, sha256 }: FileDigest): Promise<boolean> {
  const now = await sealOf(file);
  return now.bytes === bytes && now.sha256 === sha256;
}

export class PartError extends Error {
  override readonly name = 'PartError';
}

/**
 * Does not check the entries.
 * @throws PartError for a damaged file.
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

export function besideAnswersIn(file: string): RecordRows & { batches: BatchRecord[] } {
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

/** Drops details that the shard has already reported. */
function withoutCallDetails(told: Completion): Completion {
  const completion = withoutRequests(told);
  if (completion.status === 'ok') {
    const { refused: _, cached: __, stored: ___, ...answer } = completion;
    return answer;
  }
  const { status, kind, message, ended } = completion;
  return { status, kind, message, ...(ended === undefined ? {} : { ended }) };
}

const partLineSchema = z.strictObject({
  key: z.string().regex(ANSWER_KEY),
  completion: z.discriminatedUnion('status', [
    storedAnswerSchema.extend({
      status: z.literal('ok'),
      served: z.strictObject({
        model: z.string().nullable(),
        fingerprint: z.string().nullable(),
        at: z.number().nullable(),
      }),
      reused: z.boolean(),
    }),
    z.strictObject({
      status: z.literal('error'),
      kind: z.enum(ERROR_KINDS),
      message: z.string(),
      ended: z.enum(ENDED).exactOptional(),
    }),
  ]),
});

export async function othersIn(
  file: string,
): Promise<{ others: Map<string, Completion> } | { flaw: string }> {
  const others = new Map<string, Completion>();
  let lines = 0;
  for await (const text of createInterface(createReadStream(file))) {
    lines += 1;
    const parsed = partLineSchema.safeParse(parsedJson(text));
    if (!parsed.success) return { flaw: `line ${lines} is not an answer` };
    others.set(parsed.data.key, parsed.data.completion);
  }
  return { others };
}
