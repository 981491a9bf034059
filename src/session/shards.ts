import { UserError, problem } from '../errors.ts';
import type { Guard } from '../plan/budget.ts';
import { budgetHalt, type Halt } from '../plan/halt.ts';
import { planIdentity, totalOf, type Manifest } from '../plan/manifest.ts';
import { countReferences, type Shard, type Spent } from '../plan/shards.ts';
import type { Result } from '../result/result.ts';
import type { Edges, ReadyPlan, RunInput } from '../run/input.ts';
import { run } from '../run/run.ts';
import type { Store } from '../store/index.ts';
import type { Problem } from '../types/plain.ts';
import { sha256 } from './cached-complete.ts';
import { incompleteParts, type MergeFacts, type PartSource } from './check-parts.ts';
import {
  createMergeExchange,
  importParts,
  readParts,
  type MergeExchange,
  type Part,
  type PartPlace,
  type ShardExchange,
} from './parts.ts';
import type { OwnFolder } from './safe-writing.ts';

/** What came of one shard: its part, or what the user has to fix before there is one. */
export type ShardOutcome =
  | { status: 'done'; manifest: Manifest; result: Result }
  | { status: 'not-evaluated'; result: Result };

interface ShardJob {
  input: RunInput & { shard: Shard };
  edges: Edges;
  exchange: ShardExchange;
  facts: MergeFacts;
  /** Opens the folder that the part goes to. */
  openFolder(): Promise<OwnFolder>;
}

/**
 * Runs one part of a sweep as the sweep would, and writes what it was answered. It judges nothing,
 * and adds to no history.
 */
export async function runShard({
  input,
  edges,
  exchange,
  facts,
  openFolder,
}: ShardJob): Promise<ShardOutcome> {
  const { history: _, ...others } = edges;
  const seen: { ready: ReadyPlan | null; guard: Guard | null; attempts: number } = {
    ready: null,
    guard: null,
    attempts: 0,
  };
  const result = await run(input, {
    ...others,
    planned: (plan, ready) => {
      seen.ready = ready;
      edges.planned(plan, ready);
    },
    guard: (guard) => {
      seen.guard = guard;
      edges.guard({
        ...guard,
        attempt: () => {
          const may = guard.attempt();
          seen.attempts += Number(may);
          return may;
        },
      });
    },
  });
  const { ready, guard, attempts } = seen;
  if (ready === null || result.problems.length > 0) return { status: 'not-evaluated', result };
  const { calls, reused, replayed = 0, input_tokens, output_tokens, cost_usd } = result.usage;
  const manifest = await exchange.finish(await openFolder(), {
    ...facts,
    shard: input.shard,
    plan: planIdentity(ready.whole, sha256),
    counts: { references: countReferences(ready.prepared), of: countReferences(ready.whole) },
    usage: { calls, reused, replayed, input_tokens, output_tokens, cost_usd },
    attempts,
    halted: budgetHalt(guard) ?? said(edges.halted()),
  });
  return { status: 'done', manifest, result };
}

function said(halt: Halt | null): Halt | null {
  return halt === null ? null : { title: halt.title, why: halt.why };
}

/**
 * The parts of a sweep that a merge found, and why they cannot be merged; the latter is told once
 * the plan is known.
 */
export interface Gathered {
  parts: Part[];
  problems: Problem[];
  facts: MergeFacts;
  source: PartSource;
}

/**
 * Reads the parts at their places; parts that do not belong together, or to this merge, are
 * problems.
 */
export async function gatherParts(
  places: readonly PartPlace[],
  given: { facts: MergeFacts; source: PartSource; problems: readonly Problem[] },
): Promise<Gathered> {
  const { parts, problems } = await readParts(places, given.facts);
  return {
    parts,
    facts: given.facts,
    source: given.source,
    problems: [...given.problems, ...problems],
  };
}

/** A merge over what was gathered. */
export interface Merging {
  exchange: MergeExchange;
  spent: Spent;
  /** The stores with all stored answers of the parts in the first of them. */
  withAnswers(open: () => Promise<readonly Store[]>): () => Promise<readonly Store[]>;
  edges(edges: Edges): Edges;
}

const NOTHING: MergeExchange = { given: () => null, keep: () => undefined, halted: () => null };

/**
 * Merging is the ordinary sweep, with everything answered from the parts. Parts that do not belong
 * together, or are not all there, end it before anything is asked; what is there is in the store by
 * then, so that a later run does not pay for it.
 *
 * @throws UserError for a part that cannot be read.
 */
export async function startMerging({ parts, problems, source }: Gathered): Promise<Merging> {
  const usable = problems.length === 0;
  const exchange = usable ? await createMergeExchange(parts) : NOTHING;
  const withImports = async (open: () => Promise<readonly Store[]>): Promise<readonly Store[]> => {
    const stores = await open();
    const [first] = stores;
    if (!usable || parts.length === 0) return stores;
    if (first === undefined)
      throw new UserError([
        problem(
          null,
          'There is no store that the answers of the shards could be put into; make room in the temporary folder and run the merge again.',
        ),
      ]);
    importParts(first, parts);
    return stores;
  };
  const manifests = parts.map(({ manifest }) => manifest);
  // As far as it is known: a shard whose cost nobody knows does not give back what the others
  // spent.
  const cost = manifests.reduce((sum, { usage }) => sum + (usage.cost_usd ?? 0), 0);
  return {
    exchange,
    spent: { calls: totalOf(manifests).attempts, cost },
    withAnswers(open) {
      let opened: Promise<readonly Store[]> | null = null;
      return () => (opened ??= withImports(open));
    },
    edges: (edges) => ({
      ...edges,
      halted: () => exchange.halted() ?? edges.halted(),
      planned(plan, ready) {
        const found = usable
          ? incompleteParts(
              parts.map(({ manifest }) => manifest),
              ready.whole,
              source,
              sha256,
            )
          : problems;
        if (found.length > 0) throw new UserError(found);
        edges.planned(plan, ready);
      },
    }),
  };
}
