import type { Outcome } from '../../types/metric.ts';
import { suiteBlocks } from '../plan/ledger.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import type { ConfirmationResult } from '../result/suite-result.ts';
import { fingerprintOf } from '../select/affected.ts';
import { contrastEvidence, evidenceOf, tryPairs } from '../statistics/evidence.ts';
import { clusteredTries, contrast } from '../statistics/ledger.ts';
import {
  countOutcomes,
  countTable,
  isComparable,
  meanOfCounts,
  reachesLevel,
  type Tries,
} from '../statistics/table.ts';
import type { GateSettings } from '../suite/gate-settings.ts';

/** References that get new pairs of tries first: those that fell most. */
const MOST_SUSPECTS = 5;

/** New pairs of tries of one suspect, at most. */
const MOST_NEW_PAIRS = 10;

/** New tries of every reference, at most. */
export const MOST_NEW_TRIES = 3;

/** A suspect with less evidence than this gets no further pair. */
const HOPELESS = 0.5;

/** Shares of the level: for the suspects alone, and for all references after each new try. */
const SUSPECT_SHARE = 0.6;
const LOOK_SHARES = [0.1, 0.1, 0.2];

/** The level at which stored answers of base differ from its answers of today. */
const DRIFT_LEVEL = 0.05;

/** Above this p the fall is not seen today, so a model that moved explains it. */
const CALM = 0.3;

/** A compared reference with its tries before, and the tries made to confirm that it fell. */
export interface ConfirmationRow {
  suite: SuiteComparison;
  run: ReferenceRun;
  /** It gets new pairs first. */
  isSuspect: boolean;
  before: Tries;
  /** Those of base's that come from an earlier run. */
  stored: readonly Outcome[];
  /** Of suspects only; the tries that made it a suspect are not among them. */
  pairs: Tries;
  /** Base of today, against head's tries, which are made again only where needed. */
  whole: Tries;
}

export type ConfirmationStep =
  | { kind: 'pairs'; rows: readonly ConfirmationRow[] }
  /** One more try of base for every reference. */
  | { kind: 'whole' }
  | { kind: 'confirmed'; by: 'references' | 'all' }
  | { kind: 'refuted' };

interface ConfirmationPolicy {
  /** The level (0–1) of the whole confirmation. */
  level: number;
  /** Whether single references may convict. */
  single: boolean;
}

/**
 * The level of a second session. What fell passed a test at `alpha` already, on tries of the same
 * code, so the second session only has to repeat it. Where each session shifts a side's rate by a
 * normal error of 3 points (50 references at 0.9, unchanged), 16 % of runs are red without a second
 * session and 4 % with it; of falls by 10 points without such errors, 78 % stay red (89 % without).
 */
const SESSION_LEVEL = 0.5;

/** @param open how many suites of the run have a fall to confirm. */
export function confirmationPolicy(
  suite: SuiteComparison,
  { alpha, gate_on }: Pick<GateSettings, 'alpha' | 'gate_on'>,
  open: number,
): ConfirmationPolicy {
  const level = restsOn(suite) === 'session' ? SESSION_LEVEL : alpha / open;
  return { level, single: gate_on !== 'suite' };
}

/** How a try counts for the claim that is confirmed: the whole try, or one metric of it. */
export type OutcomeIn = (result: ReferenceRun['base'][number]['byHead']) => Outcome;

export function confirmationRows(
  suite: SuiteComparison,
  tries: number,
  outcomeIn: OutcomeIn,
): ConfirmationRow[] {
  const outcomes = (made: ReferenceRun['base']): Outcome[] =>
    made.slice(0, tries).map(({ byHead }) => outcomeIn(byHead));
  const rows = suite.compared.map((run): ConfirmationRow => ({
    suite,
    run,
    isSuspect: false,
    before: { base: outcomes(run.base), head: outcomes(run.head) },
    stored: outcomes(run.base.filter(isStored)),
    pairs: { base: [], head: [] },
    whole: { base: [], head: isHeadOld(run) ? [] : outcomes(run.head) },
  }));
  const suspects = new Set(suspectsOf(rows));
  return rows.map((row) => ({ ...row, isSuspect: suspects.has(row) }));
}

function isStored({ byHead }: ReferenceRun['base'][number]): boolean {
  return byHead.stored === true;
}

/** Whether head's tries must be made again, too. */
export function needsNewHead({ run }: ConfirmationRow): boolean {
  return isHeadOld(run);
}

function isHeadOld(run: ReferenceRun): boolean {
  return run.head.some(isStored) || isOneSession(run);
}

/** Whether one process of a program gave all answers of a side. */
function isOneSession({ affected: { base, head } }: ReferenceRun): boolean {
  return [base, head].some(
    (side) =>
      side?.kind === 'request' &&
      side.target.provider === 'program' &&
      side.target.process === undefined,
  );
}

/** What a fall must not rest on alone; null: it does not. */
export function restsOn({ compared }: SuiteComparison): ConfirmationResult['rests_on'] | null {
  const isOld = compared.some(({ base, head }) => base.some(isStored) || head.some(isStored));
  if (isOld) return 'stored';
  return compared.some(isOneSession) ? 'session' : null;
}

/** Calls for answers that confirming a fall takes at most; 0: nothing would have to be confirmed. */
export function mostConfirmationCalls(
  suites: readonly SuiteComparison[],
  hasStored: boolean,
): number {
  return suites.reduce((sum, { compared }) => {
    if (!hasStored && !compared.some(isOneSession)) return sum;
    const pairs = Math.min(MOST_SUSPECTS, compared.length) * MOST_NEW_PAIRS;
    return sum + 2 * (pairs + MOST_NEW_TRIES * compared.length);
  }, 0);
}

/**
 * The references that fell most, chosen by the earlier tries. One of several that share a cluster or
 * a question, because their tries are not independent.
 */
function suspectsOf(rows: readonly ConfirmationRow[]): ConfirmationRow[] {
  const seen = new Set<string>();
  return rows
    .map((row) => ({ row, drop: dropOf(row.before) }))
    .filter(({ drop }) => drop > 0)
    .sort((a, b) => b.drop - a.drop)
    .filter(({ row: { run } }) => {
      const { reference, head } = run.affected;
      const question = head === null ? reference.id : fingerprintOf(head);
      const names = [question, ...(reference.cluster === undefined ? [] : [reference.cluster])];
      const isNew = names.every((name) => !seen.has(name));
      for (const name of names) seen.add(name);
      return isNew;
    })
    .slice(0, MOST_SUSPECTS)
    .map(({ row }) => row);
}

function dropOf(tries: Tries): number {
  const { base, head } = countTable(tries);
  if (base.tries === 0 || head.tries === 0) return 0;
  return base.passes / base.tries - head.passes / head.tries;
}

/**
 * What to do next to confirm that head is worse than base is today. Earlier tries choose the
 * suspects, but only tries of today count. First the suspects: e-values of new pairs, valid whenever
 * they stop. Then all references, which no try has chosen: exact tests after each try.
 */
export function nextConfirmationStep(
  rows: readonly ConfirmationRow[],
  { level, single }: ConfirmationPolicy,
): ConfirmationStep {
  const bySuspects = single ? nextOfSuspects(rows, SUSPECT_SHARE * level) : null;
  if (bySuspects !== null) return bySuspects;
  const made = Math.min(...rows.map(({ whole }) => whole.base.length));
  if (made === 0) return { kind: 'whole' };
  const shares = single ? 1 : 1 / (1 - SUSPECT_SHARE);
  const p = pOfFallToday(rows);
  if (reachesLevel(p, (LOOK_SHARES[made - 1] ?? 0) * shares * level))
    return { kind: 'confirmed', by: 'all' };
  // Earlier only if every stored try is replaced, so that the next run compares with today's.
  const old = Math.max(...rows.map(({ stored }) => stored.length));
  const isOver = made >= Math.min(old, MOST_NEW_TRIES) && p > CALM && driftOf(rows) !== null;
  return isOver || made >= MOST_NEW_TRIES ? { kind: 'refuted' } : { kind: 'whole' };
}

/** Null: the suspects do not show it. */
function nextOfSuspects(rows: readonly ConfirmationRow[], level: number): ConfirmationStep | null {
  const seen = rows
    .filter(({ isSuspect }) => isSuspect)
    .map((row) => {
      const pairs = tryPairs(row.pairs);
      return { row, pairs, value: evidenceOf(pairs) };
    });
  if (seen.length === 0) return null;
  const mean = seen.reduce((sum, { value }) => sum + value, 0) / seen.length;
  const together = contrastEvidence(
    seen.map(({ pairs }) => ({ pairs, share: 0.5 })),
    { intact: 0.7, broken: 0.1 },
  );
  // Either bet, with half the level each.
  if (Math.max(mean, together) >= 2 / level) return { kind: 'confirmed', by: 'references' };
  const open = seen.filter(
    ({ row, value }) => row.pairs.base.length < MOST_NEW_PAIRS && value >= HOPELESS,
  );
  return open.length === 0 ? null : { kind: 'pairs', rows: open.map(({ row }) => row) };
}

/** One-sided mid-p of "head passes less often than base does today". */
function pOfFallToday(rows: readonly ConfirmationRow[]): number {
  return pOfFall(rows.map(({ run, whole }) => ({ run, tries: whole })));
}

/** One-sided mid-p of "head passes less often": exact, tries dealt within references. */
export function pOfFall(rows: readonly { run: ReferenceRun; tries: Tries }[]): number {
  const tries = rows.map((row) => row.tries);
  return contrast(clusteredTries(tries, suiteBlocks(rows.map(({ run }) => run)))).test.midDown;
}

/** How far base's answers of today fall behind its stored ones; null: not beyond chance. */
function driftOf(rows: readonly ConfirmationRow[]): ConfirmationResult['drift'] {
  const asked = rows.filter(({ whole }) => whole.base.length > 0);
  const compared = asked.map(({ run, stored, whole }) => ({
    run,
    tries: { base: stored, head: whole.base },
  }));
  const tables = compared.map(({ tries }) => countTable(tries)).filter(isComparable);
  const stored = meanOfCounts(tables.map(({ base }) => base));
  const today = meanOfCounts(tables.map(({ head }) => head));
  if (stored === null || today === null) return null;
  const p = pOfFall(compared);
  return reachesLevel(p, DRIFT_LEVEL) ? { stored, today, p } : null;
}

/** What the tries of today say about a fall that rests on stored answers. */
export type Confirmation = Omit<ConfirmationResult, 'stored'>;

export type ConfirmationLimit = NonNullable<ConfirmationResult['limit']>;

/** `limit`: what ended the calls; null: `step` settled it. */
export function confirmationOf(
  rows: readonly ConfirmationRow[],
  step: ConfirmationStep,
  limit: ConfirmationLimit | null,
): Confirmation {
  const drift = driftOf(rows);
  const suspects = rows
    .filter(({ pairs }) => pairs.base.length > 0)
    .map(({ run, pairs }) => ({
      id: run.affected.reference.id,
      base: countOutcomes(pairs.base),
      head: countOutcomes(pairs.head),
    }));
  const again = rows.filter(({ whole }) => whole.base.length > 0);
  const all =
    again.length === 0
      ? null
      : {
          references: again.length,
          base: countOutcomes(again.flatMap(({ whole }) => whole.base)),
          head: countOutcomes(again.flatMap(({ whole }) => whole.head)),
        };
  const rests_on = rows.some(({ suite }) => restsOn(suite) === 'stored') ? 'stored' : 'session';
  const found = { rests_on, by: null, limit, drift, suspects, all } as const;
  if (step.kind === 'confirmed') return { ...found, status: 'confirmed', by: step.by };
  return { ...found, status: drift === null ? 'unconfirmed' : 'model' };
}

/** Answers of earlier runs that a comparison rests on. */
export function storedAnswers({ compared }: SuiteComparison): ConfirmationResult['stored'] {
  const stored = compared.flatMap(({ base, head }) => [...base, ...head].filter(isStored));
  const times = stored.flatMap(({ byHead }) => byHead.served?.at ?? []);
  const oldest = times.length === 0 ? null : times.reduce((least, at) => Math.min(least, at));
  return { tries: stored.length, oldest };
}
