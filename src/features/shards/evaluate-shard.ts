import { createReadStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { planAndRun } from '../../app/run/plan-and-run.ts';
import type { Edges, PlannedRun } from '../../app/run/record.ts';
import { serverName, sha256 } from '../../app/session/cached-complete.ts';
import { evaluateWith, runInput, withEdges, type Evaluated } from '../../app/session/evaluate.ts';
import { VERSION } from '../../app/session/runtime.ts';
import { openFolder, type OwnFolder } from '../../app/session/safe-writing.ts';
import type { Session } from '../../app/session/session.ts';
import type { Sides } from '../../app/session/sides.ts';
import { checkedOverrides } from '../../config/apply-overrides.ts';
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
import { sum } from '../../kernel/statistics/sums.ts';
import type { Ledger } from '../../money/ledger.ts';
import type { Prepared } from '../../money/prepared.ts';
import { counted, firstWords } from '../../text/amounts.ts';
import { shorten, visibleLine } from '../../text/visible.ts';
import { isAbandoned, type Completion } from '../../types/model.ts';
import type { Problem, TrustLevel } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { totalUsage } from '../../types/usage-totals.ts';
import {
  planIdentity,
  partName,
  PART_FILES,
  PART_VERSION,
  readManifest,
  type Manifest,
  type SharedInputs,
} from './manifest.ts';
import {
  countReferences,
  mergePart,
  shardPart,
  partOfPlan,
  plannedReferences,
  shardName,
  type Shard,
} from './part.ts';

const SERVER_HASH_LETTERS = 16;

function sweepFacts(
  { trust, inputs, access, redact }: Session,
  head: string,
): Omit<MergeFacts, 'source'> {
  const { read, code, codeEnv, maxCalls, maxCost } = inputs;
  const shared = {
    config: read.config,
    overrides: read.overrides.lines.join('\n'),
    'working-directory': inputs.workingDirectory,
    'allowed-models': (read.allowedModels ?? []).join(', '),
    endpoints: [...access.endpoints]
      .map(
        ([name, server]) => `${name} (${sha256(serverName(server)).slice(0, SERVER_HASH_LETTERS)})`,
      )
      .sort()
      .join(', '),
    code,
    'code-env': [...codeEnv].sort().join(', '),
    'max-calls': String(maxCalls ?? ''),
    'max-cost': String(maxCost ?? ''),
  };
  return { evaldiff: VERSION, head, trust: trust.level, inputs: redact(shared) };
}

export async function evaluateShard(
  session: Session,
  head: SourceTree,
  shard: Shard,
  folder: string,
): Promise<Manifest> {
  const exchange = await createShardExchange(session.temporaryFolder);
  const sides = { base: null, head };
  const input = { ...runInput(session, 'sweep', sides), part: shardPart(shard, sha256) };
  const work = async ({ kept: _, ...edges }: Edges): Promise<Manifest> => {
    const seen: { ready: PlannedRun | null; ledger: Ledger | null } = { ready: null, ledger: null };
    const { problems, usage } = await planAndRun(input, {
      ...edges,
      planned(given) {
        seen.ready = given;
        edges.planned(given);
      },
      ledger(given) {
        seen.ledger = given;
        edges.ledger(given);
      },
    });
    const { ready, ledger } = seen;
    if (ready === null || problems.length > 0) throw new UserError(session.redact(problems));
    return exchange.finish(await openFolder(folder, session.workTree), {
      ...sweepFacts(session, head.commit),
      shard,
      plan: planIdentity(ready.whole, sha256),
      counts: { references: countReferences(ready), of: countReferences(ready.whole) },
      usage: totalUsage([usage]),
      attempts: ledger?.attempts() ?? 0,
      halted: plainHalt(ledger?.halt() ?? edges.halted()),
    });
  };
  try {
    return await withEdges(session, sides, work, exchange);
  } finally {
    exchange.close();
  }
}

function plainHalt(halt: Halt | null): Halt | null {
  if (halt === null) return null;
  const { waiting: _, isPassed: __, ...plain } = halt;
  return plain;
}

/** `problems` do not prevent planning. They are reported afterwards. */
export interface Gathered {
  session: Session;
  parts: ShardPart[];
  problems: Problem[];
  source: PartSource;
}

export async function gatherParts(
  session: Session,
  head: string,
  found: { places: readonly PartPlace[]; source: PartSource; problems: readonly Problem[] },
): Promise<Gathered> {
  const { parts, problems } = await readParts(found.places);
  const { session: own, problems: invalid } = withOverridesOf(parts[0], session);
  const facts = { ...sweepFacts(own, head), source: found.source };
  const mixed = mixedParts(
    parts.map(({ manifest }) => manifest),
    facts,
  );
  const all = [...found.problems, ...problems, ...invalid, ...mixed];
  return { session: own, parts, source: found.source, problems: all };
}

/** A merge without overrides uses those of the first part. The other parts must have the same. */
function withOverridesOf(
  part: ShardPart | undefined,
  session: Session,
): { session: Session; problems: Problem[] } {
  const { inputs } = session;
  const { read } = inputs;
  const lines = (part?.manifest.inputs['overrides'] ?? '').split('\n').filter(Boolean);
  if (read.overrides.lines.length > 0 || lines.length === 0) return { session, problems: [] };
  const { overrides, problems } = checkedOverrides(lines, read.own);
  return { session: { ...session, inputs: { ...inputs, read: { ...read, overrides } } }, problems };
}

/**
 * Runs the sweep (all tests) again with the shards' answers.
 * @throws UserError for an unreadable part.
 */
export async function mergeParts(
  { session, parts, problems, source }: Gathered,
  sides: Pick<Sides, 'base' | 'head'>,
): Promise<Evaluated> {
  const usable = problems.length === 0;
  const exchange = await createMergeExchange(usable ? parts : []);
  const manifests = parts.map(({ manifest }) => manifest);
  const part = mergePart({
    calls: sum(manifests.map(({ attempts }) => attempts)),
    cost: sum(manifests.map(({ usage }) => usage.cost_usd ?? 0)),
  });
  let opened: Promise<readonly Store[]> | null = null;
  const openStores = () =>
    (opened ??= session.openStores().then((stores) => {
      importParts(stores[0], usable ? parts : []);
      return stores;
    }));
  return withEdges(
    { ...session, openStores },
    sides,
    (edges) =>
      evaluateWith(
        { ...runInput(session, 'sweep', sides), part },
        {
          ...edges,
          halted: () => exchange.halted() ?? edges.halted(),
          planned(ready) {
            const found = usable
              ? incompleteParts(manifests, ready.whole, source, sha256)
              : problems;
            if (found.length > 0) throw new UserError(found);
            edges.planned(ready);
          },
        },
      ),
    exchange,
  );
}

interface MergeFacts {
  evaldiff: string;
  head: string;
  trust: TrustLevel;
  inputs: SharedInputs;
  source: PartSource;
}

type PartSource = 'artifacts' | 'folders';

const SAME = 'Give every job of the sweep, the merge included, the same commit, inputs and version';

const MAX_NAMED_MISSING = 10;

function mixedParts(parts: readonly Manifest[], facts: MergeFacts): Problem[] {
  return [
    ...parts.flatMap((part) => foreign(part, facts, parts[0] ?? part)),
    ...differing(parts),
    ...duplicatePartProblems(parts),
  ];
}

function foreign(part: Manifest, facts: MergeFacts, first: Manifest): Problem[] {
  const own = sharedValues(part);
  const others = sharedValues(facts);
  const names = [...new Set([...Object.keys(others), ...Object.keys(own)])].sort();
  return names.flatMap((input) => {
    if (own[input] === others[input]) return [];
    // A merge without overrides uses those of the first part.
    const isOfFirst = input === 'overrides' && first.inputs[input] === others[input];
    const other = isOfFirst ? partName(first) : 'the merge';
    const option = Object.hasOwn(facts.inputs, input) ? INPUT_OPTIONS[facts.source](input) : input;
    return problem(
      null,
      `${partName(part)} and ${other} differ in ${input}: ${shownInput(own[input])} and ` +
        `${shownInput(others[input])}. Give every job of the sweep the same ${option}.`,
    );
  });
}

function sharedValues({ inputs, evaldiff, head, trust }: Omit<MergeFacts, 'source'>) {
  const commit = head === 'worktree' ? 'uncommitted files' : head;
  return { ...inputs, 'evaldiff version': evaldiff, commit, 'trust level': trust } as SharedInputs;
}

function shownInput(value = ''): string {
  return value === '' ? 'not set' : `"${shorten(visibleLine(value.replaceAll('\n', ' ')), 200)}"`;
}

const INPUT_OPTIONS: Record<PartSource, (input: string) => string> = {
  artifacts: (input) => `input ${input}`,
  folders: (input) =>
    input === 'overrides' ? 'key=value' : `--${input === 'endpoints' ? 'endpoint' : input}`,
};

function differing(parts: readonly Manifest[]): Problem[] {
  const counts = [...new Set(parts.map(({ shard: { count } }) => count))];
  if (counts.length < 2) return [];
  return [
    problem(
      null,
      `these parts come from sweeps with different shard counts: ` +
        `${parts.map(partName).join(', ')}. Every job ` +
        'needs the same n in shard: i/n.',
    ),
  ];
}

function duplicatePartProblems(parts: readonly Manifest[]): Problem[] {
  const names = parts.map(partName);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map((name) =>
    problem(null, `${name} exists twice. Evaluate each part in one job only.`),
  );
}

function incompleteParts(
  parts: readonly Manifest[],
  whole: Prepared,
  source: PartSource,
  hash: (text: string) => string,
): Problem[] {
  const plan = planIdentity(whole, hash);
  const others = parts.filter((part) => part.plan !== plan);
  if (others.length > 0)
    return others.map((part) =>
      problem(
        null,
        `${partName(part)} planned a different sweep from the merge: its prompts, tests, rubrics ` +
          `or settings differ. ${SAME}.`,
      ),
    );
  const count = parts[0]?.shard.count ?? 0;
  const there = new Set(parts.map(({ shard: { index } }) => index));
  const shards = Array.from({ length: count }, (_, index) => index + 1);
  const missing = shards.filter((index) => !there.has(index));
  return missing.map((index) => {
    const left = plannedReferences(partOfPlan(whole, { index, count }, hash));
    const lost =
      left.length === 0
        ? 'it contains no reference'
        : `it omits ${counted(left.length, 'reference')} (${firstWords(left, MAX_NAMED_MISSING)})`;
    return problem(null, `shard ${index}/${count} is missing: ${lost}. ${HOW_TO_ADD[source]}`);
  });
}

const HOW_TO_ADD: Record<PartSource, string> = {
  artifacts:
    'Check the log of that job, then choose "Re-run failed jobs". Answers of the other shards ' +
    'are reused.',
  folders: 'Run it, and pass its folder too.',
};

interface PartPlace {
  name: string;
  folder: string;
  shard: Shard | null;
}

interface ShardPart {
  manifest: Manifest;
  folder: string;
}

async function createShardExchange(temporaryFolder: string) {
  const writer = createPartWriter(
    await mkdtemp(join(temporaryFolder, 'evaldiff-part-')),
    PART_FILES,
  );
  return {
    given: () => null,
    keep: writer.keep,
    async finish(
      folder: OwnFolder,
      said: Omit<Manifest, 'part_version' | 'files' | 'counts'> & {
        counts: Pick<Manifest['counts'], 'references' | 'of'>;
      },
    ) {
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

async function readParts(
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
async function createMergeExchange(parts: readonly ShardPart[]) {
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
function importParts(store: Store | undefined, parts: readonly ShardPart[]): void {
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
