import type { PlanPart, Portions } from '../../app/run/record.ts';
import { problem } from '../../errors.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import { fingerprintOf, type AffectedReference } from '../../kernel/select/affected-suite.ts';
import type { Cap, Caps } from '../../money/cost-cap.ts';
import type { Portion } from '../../money/forecast.ts';
import { planOf } from '../../money/plan.ts';
import { targetsOf, type Prepared } from '../../money/prepared.ts';
import { count } from '../../text/amounts.ts';
import { byCodeUnits } from '../../text/order.ts';
import { isBatched } from '../../types/model.ts';
import type { Problem } from '../../types/plain.ts';

export interface Shard {
  /** From 1 to `count`. */
  index: number;
  count: number;
}

export function shardName({ index, count }: Shard): string {
  return `${index}/${count}`;
}

/**
 * Equal requests go to the same shard, so that no answer is paid for twice. Shards are nearly
 * equal, because requests are distributed by number of tries, then by hash. The merge, not the
 * shards, tests graders and finds attributes (kinds of tests).
 * @param hash collision-resistant hash, for example SHA-256 in hexadecimal.
 */
export function partOfPlan(
  prepared: Prepared,
  shard: Shard,
  hash: (text: string) => string,
): Prepared {
  const dealt = dealQuestions(prepared, shard.count, hash);
  const mine = (reference: AffectedReference) =>
    dealt.get(questionOfCase(reference)) === shard.index;
  const suites = prepared.suites.map((suite) => narrowSuite(suite, mine));
  return {
    ...prepared,
    suites,
    plan: planOf(
      suites.map(({ run }) => run),
      prepared.next(suites),
    ),
    features: [],
  };
}

function dealQuestions(
  { suites, next }: Prepared,
  count: number,
  hash: (text: string) => string,
): Map<string, number> {
  const tries = new Map<string, number>();
  const wantedBy = next(suites);
  for (const { run } of suites) {
    const wanted = wantedBy(run);
    for (const [index, { affected: reference }] of run.runs.entries()) {
      const question = questionOfCase(reference);
      tries.set(question, Math.max(wanted.get(index) ?? 0, tries.get(question) ?? 0));
    }
  }
  const hashes = new Map([...tries.keys()].map((question) => [question, hash(question)]));
  const place = (question: string) => hashes.get(question) ?? '';
  const order = [...tries].sort(
    ([a, most], [b, more]) => more - most || byCodeUnits(place(a), place(b)),
  );
  return new Map(order.map(([question], position) => [question, (position % count) + 1]));
}

function questionOfCase({ head, reference }: AffectedReference): string {
  return head === null ? `removed: ${reference.id}` : fingerprintOf(head);
}

function narrowSuite(
  { run, compared, ...suite }: SuiteComparison,
  mine: (reference: AffectedReference) => boolean,
): SuiteComparison {
  const runs = run.runs.filter((reference) => mine(reference.affected));
  const kept = new Set(runs);
  return {
    ...suite,
    run: { ...run, suite: { ...run.suite, references: run.suite.references.filter(mine) }, runs },
    compared: compared.filter((reference) => kept.has(reference)),
  };
}

function batchProblems(whole: Prepared): Problem[] {
  const batched = new Set(
    targetsOf(whole)
      .filter(isBatched)
      .map(({ model }) => model),
  );
  if (batched.size === 0) return [];
  const message =
    `shard: calls of ${[...batched].join(', ')} use transport: batch. Shards do not speed up ` +
    'batches, because a job only waits for the vendor. Run the sweep without shard, or set ' +
    'transport: direct.';
  return [problem(null, message)];
}

export function plannedReferences({ suites }: Prepared): string[] {
  return suites.flatMap(({ run: { suite, runs } }) =>
    runs.map(({ affected: { reference } }) => `${suite.name}: ${reference.id}`),
  );
}

export function countReferences({ suites }: Prepared): number {
  return suites.reduce((sum, { run }) => sum + run.runs.length, 0);
}

/**
 * Splits the call cap by planned calls, the cost cap by planned cost. Otherwise the shard with the
 * most expensive requests would stop early.
 */
export function shardCaps({ maxCalls, maxCost, ...caps }: Caps, { calls, cost }: Portions): Caps {
  const own = (cap: Cap, limit: number, whole: string): Cap => {
    return { ...cap, limit, from: `this shard's part of ${whole}; ${cap.from}` };
  };
  const ofCost = cost === null || cost.whole === 0 ? calls : cost;
  return {
    ...caps,
    maxCalls:
      maxCalls && own(maxCalls, Math.floor(portion(maxCalls, calls)), count(maxCalls.limit)),
    maxCost: maxCost && own(maxCost, portion(maxCost, ofCost), `$${maxCost.limit}`),
  };
}

function portion({ limit }: Cap, { part, whole }: Portion): number {
  return whole === 0 ? 0 : (limit * part) / whole;
}

export function shardPart(shard: Shard, hash: (text: string) => string): PlanPart {
  return {
    narrow: (whole) => partOfPlan(whole, shard, hash),
    problems: batchProblems,
    caps: (caps, portions) => shardCaps(caps, portions()),
  };
}

export function mergePart(spent: NonNullable<Caps['spent']>): PlanPart {
  return { caps: (caps) => ({ ...caps, spent }), isAnswered: true };
}
