import { HOUR_MS } from '../../text/amounts.ts';
import type { ReferenceRun, SuiteComparison, Try } from '../plan/suite-run.ts';
import type { ConfirmationResult } from '../result/suite-result.ts';

export type Confirmation = Omit<ConfirmationResult, 'stored'>;

/** Why new answers must confirm that the pass rate fell. Null if that is not necessary. */
export function restsOn(runs: readonly ReferenceRun[]): ConfirmationResult['rests_on'] | null {
  if (runs.some(({ base, head }) => base.some(isStored) || head.some(isStored))) return 'stored';
  return runs.some(isOneSession) ? 'session' : null;
}

export function isStored({ byHead }: Try): boolean {
  return byHead.stored === true;
}

/**
 * True if the answer is from this run, or at most an hour older or newer than one of `others`. Times
 * of stored answers are rounded to the hour.
 */
export function isOfSameTime(own: Try, others: readonly Try[]): boolean {
  if (!isStored(own)) return true;
  const at = own.byHead.served?.at ?? null;
  return others.some(({ byHead }) => {
    const other = byHead.served?.at ?? null;
    return at !== null && other !== null && Math.abs(at - other) <= HOUR_MS;
  });
}

/** True if one process of a program gave all answers of a side. */
export function isOneSession({ affected: { base, head } }: ReferenceRun): boolean {
  return [base, head].some(
    (side) =>
      side?.kind === 'request' &&
      side.target.provider === 'program' &&
      side.target.process === undefined,
  );
}

export function storedAnswers({ compared }: SuiteComparison): ConfirmationResult['stored'] {
  const stored = compared.flatMap(({ base, head }) => [...base, ...head].filter(isStored));
  const times = stored.flatMap(({ byHead }) => byHead.served?.at ?? []);
  const oldest = times.length === 0 ? null : times.reduce((least, at) => Math.min(least, at));
  return { tries: stored.length, oldest };
}

/**
 * Chooses the confirmation to show. Those about the verdict come first, and of these, confirmed
 * ones. Of those about metrics, unconfirmed ones come first.
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

export function isRefutal(confirmation: Confirmation): boolean {
  return isOfVerdict(confirmation) && confirmation.status !== 'confirmed';
}
