import type { ReferenceRun, SuiteComparison, Try } from '../plan/suite-run.ts';
import type { ConfirmationResult } from '../result/suite-result.ts';

/** What new tries say about a fall. */
export type Confirmation = Omit<ConfirmationResult, 'stored'>;

/** What a fall must not rest on alone; null: it does not. */
export function restsOn(runs: readonly ReferenceRun[]): ConfirmationResult['rests_on'] | null {
  if (runs.some(({ base, head }) => base.some(isStored) || head.some(isStored))) return 'stored';
  return runs.some(isOneSession) ? 'session' : null;
}

export function isStored({ byHead }: Try): boolean {
  return byHead.stored === true;
}

/** The times of stored answers are known to the hour. */
const HOUR_MS = 3_600_000;

/** Whether this run made the answer, or an earlier one that made an answer of `others`, too. */
export function isOfSameTime(own: Try, others: readonly Try[]): boolean {
  if (!isStored(own)) return true;
  const at = own.byHead.served?.at ?? null;
  return others.some(({ byHead }) => {
    const other = byHead.served?.at ?? null;
    return at !== null && other !== null && Math.abs(at - other) <= HOUR_MS;
  });
}

/** Whether one process of a program gave all answers of a side. */
export function isOneSession({ affected: { base, head } }: ReferenceRun): boolean {
  return [base, head].some(
    (side) =>
      side?.kind === 'request' &&
      side.target.provider === 'program' &&
      side.target.process === undefined,
  );
}

/** Answers of earlier runs that a comparison rests on. */
export function storedAnswers({ compared }: SuiteComparison): ConfirmationResult['stored'] {
  const stored = compared.flatMap(({ base, head }) => [...base, ...head].filter(isStored));
  const times = stored.flatMap(({ byHead }) => byHead.served?.at ?? []);
  const oldest = times.length === 0 ? null : times.reduce((least, at) => Math.min(least, at));
  return { tries: stored.length, oldest };
}

/**
 * The one that says most of a suite: of its verdict, a confirmed one first; else of a metric, one
 * not confirmed first.
 */
export function leadingConfirmation(all: readonly Confirmation[]): Confirmation | null {
  const ofVerdict = all.filter(isOfVerdict);
  return (
    ofVerdict.find(({ status }) => status === 'confirmed') ??
    ofVerdict[0] ??
    all.find(({ status }) => status !== 'confirmed') ??
    all[0] ??
    null
  );
}

export function isOfVerdict({ metric }: Confirmation): boolean {
  return metric === undefined;
}

/** Whether new tries do not show the fall that the verdict rests on. */
export function isRefutal(confirmation: Confirmation): boolean {
  return isOfVerdict(confirmation) && confirmation.status !== 'confirmed';
}
