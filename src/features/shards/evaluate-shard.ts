import { planAndRun } from '../../app/run/plan-and-run.ts';
import type { Edges, PlannedRun } from '../../app/run/record.ts';
import { serverName, sha256 } from '../../app/session/cached-complete.ts';
import { evaluateWith, runInput, withEdges, type Evaluated } from '../../app/session/evaluate.ts';
import { VERSION } from '../../app/session/runtime.ts';
import { openFolder } from '../../app/session/safe-writing.ts';
import type { Session } from '../../app/session/session.ts';
import type { Sides } from '../../app/session/sides.ts';
import { checkedOverrides } from '../../config/apply-overrides.ts';
import type { Store } from '../../edges/store/index.ts';
import { UserError, problem } from '../../errors.ts';
import type { Halt } from '../../kernel/plan/halt.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import type { Ledger } from '../../money/ledger.ts';
import type { Prepared } from '../../money/prepared.ts';
import { counted, firstWords } from '../../text/amounts.ts';
import { shorten, visibleLine } from '../../text/visible.ts';
import type { Problem, TrustLevel } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { totalUsage } from '../../types/usage-totals.ts';
import { planIdentity, partName, type Manifest, type SharedInputs } from './manifest.ts';
import {
  createMergeExchange,
  createShardExchange,
  importParts,
  readParts,
  type ShardPart,
  type PartPlace,
} from './part-files.ts';
import {
  countReferences,
  mergePart,
  shardPart,
  partOfPlan,
  plannedReferences,
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
  const openStores = (): Promise<readonly Store[]> =>
    (opened ??= session.openStores().then((stores) => withAnswers(stores, usable ? parts : [])));
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

function withAnswers(stores: readonly Store[], parts: readonly ShardPart[]): readonly Store[] {
  importParts(stores[0], parts);
  return stores;
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
