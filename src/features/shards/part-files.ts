import { createReadStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnswerExchange } from '../../app/session/cached-complete.ts';
import type { OwnFolder } from '../../app/session/safe-writing.ts';
import type { Store } from '../../edges/store/index.ts';
import {
  PartError,
  answersIn,
  createPartWriter,
  holdsSeal,
  openPart,
  othersIn,
} from '../../edges/store/part.ts';
import { UserError, problem } from '../../errors.ts';
import type { Halt } from '../../kernel/plan/halt.ts';
import { counted } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';
import { type Completion, isAbandoned } from '../../types/model.ts';
import type { Problem } from '../../types/plain.ts';
import { PART_FILES, PART_VERSION, partName, readManifest, type Manifest } from './manifest.ts';
import { shardName, type Shard } from './part.ts';

export interface PartPlace {
  name: string;
  folder: string;
  shard: Shard | null;
}

export interface ShardPart {
  manifest: Manifest;
  folder: string;
}

interface ShardExchange extends AnswerExchange {
  finish(
    folder: OwnFolder,
    said: Omit<Manifest, 'part_version' | 'files' | 'counts'> & {
      counts: Pick<Manifest['counts'], 'references' | 'of'>;
    },
  ): Promise<Manifest>;
  close(): void;
}

export async function createShardExchange(temporaryFolder: string): Promise<ShardExchange> {
  const writer = createPartWriter(
    await mkdtemp(join(temporaryFolder, 'evaldiff-part-')),
    PART_FILES,
  );
  return {
    given: () => null,
    keep: writer.keep,
    async finish(folder, said) {
      const { answers, others, counts } = await writer.finish(async (name, file) => {
        await folder.write(name, createReadStream(file));
      }, folder.path);
      const manifest: Manifest = {
        part_version: PART_VERSION,
        ...said,
        counts: { ...said.counts, ...counts },
        files: { answers, others },
      };
      await folder.write(PART_FILES.manifest, `${JSON.stringify(manifest, null, 1)}\n`);
      return manifest;
    },
    close: writer.close,
  };
}

export async function readParts(
  places: readonly PartPlace[],
): Promise<{ parts: ShardPart[]; problems: Problem[] }> {
  const parts: ShardPart[] = [];
  const problems: Problem[] = [];
  for (const place of places) {
    const read = await readPart(place);
    if ('flaw' in read)
      problems.push(problem(null, `${place.name} ${read.flaw}.`.replace(/\.\.$/, '.')));
    else parts.push(read);
  }
  return { parts, problems };
}

async function readPart({ folder, shard }: PartPlace): Promise<ShardPart | { flaw: string }> {
  const opened = await openPart(folder, PART_FILES);
  if ('flaw' in opened) return opened;
  const read = readManifest(opened.manifest);
  if ('flaw' in read) return read;
  const { manifest } = read;
  if (shard !== null && shardName(shard) !== shardName(manifest.shard))
    return {
      flaw: `contains the part of shard ${shardName(manifest.shard)}, not of ${shardName(shard)}`,
    };
  for (const file of ['answers', 'others'] as const) {
    if (!(await holdsSeal(join(folder, PART_FILES[file]), manifest.files[file])))
      return {
        flaw:
          `is damaged: ${PART_FILES[file]} is not what shard ${shardName(manifest.shard)} wrote. ` +
          'Run that shard again',
      };
  }
  return { manifest, folder };
}

/** If the shards' answers differ, the answer of the shard with the lowest number counts. */
export async function createMergeExchange(parts: readonly ShardPart[]) {
  const others = new Map<string, { completion: Completion; part: ShardPart }>();
  for (const part of fromTheLast(parts)) {
    const read = await othersIn(join(part.folder, PART_FILES.others));
    if ('flaw' in read) throw unusable(part, `${PART_FILES.others}: ${read.flaw}`);
    for (const [key, completion] of read.others) others.set(key, { completion, part });
  }
  let halted: Halt | null = null;
  return {
    given(key: string) {
      const found = others.get(key);
      if (found === undefined) return null;
      if (isAbandoned(found.completion)) halted ??= haltOf(found.part);
      return found.completion;
    },
    keep: () => undefined,
    halted: () => halted,
  };
}

function haltOf({ manifest }: ShardPart): Halt | null {
  const { halted } = manifest;
  return halted === null
    ? null
    : { code: halted.code, why: `${partName(manifest)}: ${halted.why}` };
}

/** @throws UserError if an answer does not match its key or cannot be stored */
export function importParts(store: Store | undefined, parts: readonly ShardPart[]): void {
  for (const part of fromTheLast(parts)) {
    const { answers } = part.manifest.counts;
    let taken: number | null;
    try {
      taken = store?.import(() => answersIn(join(part.folder, PART_FILES.answers))) ?? null;
    } catch (error) {
      if (!(error instanceof PartError)) throw error;
      throw unusable(part, `${PART_FILES.answers}: ${error.message}`);
    }
    if (taken === null)
      throw new UserError([
        problem(
          null,
          `${visibleLine(store?.stats().file ?? 'the temporary folder')}: the answers of ${partName(part.manifest)} could not ` +
            'be stored, so the merge would pay for them again. Free space or use another file ' +
            '(--store, or --no-store), then merge again.',
        ),
      ]);
    if (taken !== answers)
      throw unusable(part, `only ${taken} of ${counted(answers, 'answer')} match their key`);
  }
}

function fromTheLast(parts: readonly ShardPart[]): ShardPart[] {
  return [...parts].sort((a, b) => b.manifest.shard.index - a.manifest.shard.index);
}

function unusable({ manifest }: ShardPart, what: string): UserError {
  return new UserError([
    problem(null, `${partName(manifest)} cannot be used (${what}). Run that shard again.`),
  ]);
}
