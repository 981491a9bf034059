import type {
  ReferenceResult,
  ReferenceStatus,
  SideResult,
  TryResult,
} from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { byCodeUnits } from '../../text/order.ts';
import { shorten } from '../../text/visible.ts';
import type { Side } from '../../types/plain.ts';
import { answerText } from '../answers/text.ts';
import { answerWords, changedArguments } from './answers.ts';
import { tryView, type Reports } from './feature-report.ts';

export interface ReferenceEntry {
  suite: SuiteResult;
  reference: ReferenceResult;
}

export function referenceEntries(suites: readonly SuiteResult[]): ReferenceEntry[] {
  return suites.flatMap((suite) => suite.references.map((reference) => ({ suite, reference })));
}

export function promptKey({ path, name }: Pick<SuiteResult, 'path' | 'name'>): string {
  return JSON.stringify([path, name]);
}

export type SuiteId = Pick<SuiteResult, 'path' | 'name' | 'variant'>;

export function suiteIdentity({ path, name, variant }: SuiteId): string {
  return JSON.stringify([path, name, variant]);
}

/**
 * Sorts by drop in the share of passing tries, then by certainty. Shorter tests come first among
 * equals.
 */
export function entriesWithStatus(
  result: Result,
  reports: Reports,
  ...statuses: ReferenceStatus[]
): ReferenceEntry[] {
  const wanted = new Set(statuses);
  return referenceEntries(result.suites)
    .filter(({ reference }) => wanted.has(reference.status))
    .map((entry) => ({
      entry,
      fall: fallOf(entry.reference),
      length: lengthOf(entry.reference, reports),
    }))
    .sort(
      (a, b) =>
        b.fall - a.fall ||
        (a.entry.reference.q ?? 1) - (b.entry.reference.q ?? 1) ||
        a.length - b.length ||
        byCodeUnits(a.entry.reference.id, b.entry.reference.id),
    )
    .map(({ entry }) => entry);
}

export function fallOf({ base, head }: ReferenceResult): number {
  const before = judgedPassShare(base);
  const after = judgedPassShare(head);
  if (after === null) return 0;
  return (before ?? 1) - after;
}

function judgedPassShare(side: SideResult | null): number | null {
  return side === null || side.tries_judged === 0 ? null : side.passes / side.tries_judged;
}

function lengthOf(reference: ReferenceResult, reports: Reports): number {
  const { base, head } = exampleTries(reference, reports);
  const length = (of: TryResult | null) =>
    of === null ? 0 : (tryView(of, reports)?.length ?? answerText(of)?.length ?? 0);
  return length(base) + length(head);
}

/**
 * Prefers a try of base that passes and one of head that fails. Among dialogues, prefers the
 * shortest.
 */
export function exampleTries(
  { base, head, status }: ReferenceResult,
  reports: TryLengths,
): Record<Side, TryResult | null> {
  const [before, after] =
    status === 'fixed' ? (['fail', 'pass'] as const) : (['pass', 'fail'] as const);
  return { base: firstOf(base, before, reports), head: firstOf(head, after, reports) };
}

/** The reports' lengths of tries that are not single answers. */
type TryLengths = readonly { onTry?(made: TryResult): { length: number } | null }[];

function firstOf(
  side: SideResult | null,
  outcome: TryResult['outcome'],
  reports: TryLengths,
): TryResult | null {
  const tries = side?.tries ?? [];
  const fitting = tries.filter((tryResult) => tryResult.outcome === outcome);
  const [shortest] = fitting
    .flatMap((tryResult) => {
      const view = tryView(tryResult, reports);
      return view === null ? [] : [{ tryResult, length: view.length }];
    })
    .sort((a, b) => a.length - b.length);
  return (
    shortest?.tryResult ??
    fitting[0] ??
    tries.find(({ parts }) => parts !== null) ??
    tries[0] ??
    null
  );
}

export function referenceWords(
  reference: ReferenceResult,
  part: number,
  reports: Reports,
): string[] {
  const { base, head } = exampleTries(reference, reports);
  const scores = (head?.scores ?? []).filter(
    ({ status }) => status !== 'pass' && status !== 'skipped',
  );
  return [
    ...sideAnswer('Base', base, part),
    ...sideAnswer('Head', head, part),
    ...changedArguments(base, head).map((change) => shorten(change, part)),
    ...scores.map(
      ({ metric, status, reason }) =>
        `${metric}: ${status}${reason === null ? '' : `, ${shorten(reason, part)}`}`,
    ),
  ];
}

function sideAnswer(side: string, tryResult: TryResult | null, part: number): string[] {
  if (tryResult === null) return [];
  return [`${side}: ${answerWords(tryResult, part)}`];
}

export function groupByEqualKey<T>(
  things: readonly T[],
  keyOf: (thing: T) => string,
): [T, ...T[]][] {
  return [...Map.groupBy(things, keyOf).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others]],
  );
}

interface RankedAttribute {
  verdict: string;
  difference: number | null;
  head: number | null;
  p: number | null;
}

const ATTRIBUTE_VERDICTS = [
  'regressed',
  'improved',
  'also fell',
  'also rose',
  'no change found',
  'too few',
];

export function attributesWorstFirst<A extends RankedAttribute>(attributes: readonly A[]): A[] {
  return attributes.toSorted(
    (a, b) =>
      ATTRIBUTE_VERDICTS.indexOf(a.verdict) - ATTRIBUTE_VERDICTS.indexOf(b.verdict) ||
      (a.difference ?? 0) - (b.difference ?? 0) ||
      (a.head ?? 2) - (b.head ?? 2) ||
      (a.p ?? 1) - (b.p ?? 1),
  );
}
