import type {
  ReferenceResult,
  ReferenceStatus,
  Result,
  SideResult,
  SuiteResult,
  TryResult,
  Verdict,
} from '../../types.ts';
import { readingLength } from './transcript.ts';

/** A reference with the suite it was run in. */
export interface Case {
  suite: SuiteResult;
  reference: ReferenceResult;
}

const WORST_FIRST: readonly Verdict[] = [
  'regressed',
  'inconclusive',
  'no_data',
  'not_compared',
  'removed',
  'new',
  'improved',
  'unchanged',
];

/** Suites as a reader wants them: the worst verdict first, then the deepest fall, then by path. */
export function suitesWorstFirst(suites: readonly SuiteResult[]): SuiteResult[] {
  return [...suites].sort(
    (a, b) =>
      WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict) ||
      (a.pass_rate.difference ?? 0) - (b.pass_rate.difference ?? 0) ||
      byCodeUnits(a.path, b.path),
  );
}

/**
 * Cases of the given statuses: the largest fall of the pass share first, then the most certain,
 * then the shortest to read.
 */
export function casesOf(result: Result, ...statuses: ReferenceStatus[]): Case[] {
  const wanted = new Set(statuses);
  return result.suites
    .flatMap((suite) =>
      suite.references
        .filter(({ status }) => wanted.has(status))
        .map((reference) => ({ suite, reference })),
    )
    .map((one) => ({ one, fall: fallOf(one.reference), length: lengthOf(one.reference) }))
    .sort(
      (a, b) =>
        b.fall - a.fall ||
        (a.one.reference.q ?? 1) - (b.one.reference.q ?? 1) ||
        a.length - b.length ||
        byCodeUnits(a.one.reference.id, b.one.reference.id),
    )
    .map(({ one }) => one);
}

/**
 * How far the share of passed tries fell, 0–1; 0 where a side has none, and for a rise a negative
 * number.
 */
function fallOf({ base, head }: ReferenceResult): number {
  const [before, after] = [shareOf(base), shareOf(head)];
  if (after === null) return 0;
  return (before ?? 1) - after;
}

function shareOf(side: SideResult | null): number | null {
  return side === null || side.tries_judged === 0 ? null : side.passes / side.tries_judged;
}

function lengthOf(reference: ReferenceResult): number {
  const { base, head } = exampleTries(reference);
  return (base === null ? 0 : readingLength(base)) + (head === null ? 0 : readingLength(head));
}

/**
 * The tries that show best what happened: one that base passed and one that head failed, else the
 * first with an answer. Of several dialogues the shortest, which convinces soonest.
 */
export function exampleTries({ base, head }: ReferenceResult): {
  base: TryResult | null;
  head: TryResult | null;
} {
  return { base: firstOf(base, 'pass'), head: firstOf(head, 'fail') };
}

function firstOf(side: SideResult | null, outcome: TryResult['outcome']): TryResult | null {
  const tries = side?.tries ?? [];
  const fitting = tries.filter((one) => one.outcome === outcome);
  const dialogues = fitting
    .filter(({ conversation }) => conversation)
    .sort((a, b) => readingLength(a) - readingLength(b));
  return (
    dialogues[0] ?? fitting[0] ?? tries.find(({ actual }) => actual !== null) ?? tries[0] ?? null
  );
}

/** The same order on every machine, which `localeCompare` does not promise. */
export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
