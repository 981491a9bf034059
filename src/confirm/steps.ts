import {
  isOneSession,
  isStored,
  restsOn,
  type Confirmation,
} from '../kernel/judge/confirmation.ts';
import { FIRST_TRIES } from '../kernel/plan/looks.ts';
import type { RunLevels } from '../kernel/plan/policy.ts';
import {
  isCritical,
  type ReferenceRun,
  type SuiteComparison,
  type Try,
} from '../kernel/plan/suite-run.ts';
import type { ConfirmationResult } from '../kernel/result/suite-result.ts';
import { fingerprintOf } from '../kernel/select/affected-suite.ts';
import { jointEValue, eValueOf, tryPairs } from '../kernel/statistics/e-values.ts';
import { meanDifference } from '../kernel/statistics/interval.ts';
import { sum } from '../kernel/statistics/sums.ts';
import {
  countOutcomes,
  countTable,
  isLargeDrop,
  reachesLevel,
  type Tries,
} from '../kernel/statistics/table.ts';
import type { Outcome } from '../types/metric.ts';
import { SIDES, type Side } from '../types/plain.ts';

/** The suspects are the references that fell most. They get new tries first. */
const MAX_SUSPECTS = 5;

/**
 * New pairs of a suspect, and the e-value below which it gets no more. Critical references may fall
 * by half, which takes longer to show. The false-alarm rate does not depend on these values.
 */
const NEW_PAIRS = {
  critical: { most: 30, minEValue: 0.1 },
  other: { most: 10, minEValue: 0.5 },
};

/**
 * Shares of the claim's significance level: for the suspects, and for each later test of all
 * references.
 */
const SUSPECT_SHARE = 0.6;
const LOOK_SHARES = [0.1, 0.1, 0.2];

/**
 * Per reference and side. If the suite combines tries (roll-up), all of them are repeated instead.
 */
const MAX_NEW_TRIES = LOOK_SHARES.length;

const DRIFT_LEVEL = 0.05;

/**
 * If p is above this, the new answers do not repeat the fall of the stored ones. The model itself
 * has then probably changed.
 */
const NO_FALL_P = 0.3;

export interface Measure {
  /** Returns the one-sided mid-p of "head is worse" and the mean of each side. */
  test(runs: readonly ReferenceRun[]): { p: number; base: number; head: number } | null;
  /** Null if only the means of the sides can be compared, not individual tries. */
  outcome: ((made: Try) => Outcome) | null;
  /** True if head's answer to each try is compared with base's answer to the same try. */
  isPaired: boolean;
  isRolledUp: boolean;
}

/** A statement that head got worse. The run is red only if new answers confirm it. */
export interface Claim {
  /** The metric that fell. Null if the whole suite did. */
  metric: string | null;
  suites: readonly ClaimedSuite[];
  measure: Measure;
  level: number;
  judged: RunLevels['judged'];
  /** A smaller drop (0–1) does not confirm the claim. Null if any drop does. */
  minDrop: number | null;
}

interface ClaimedSuite {
  suite: SuiteComparison;
  runs: readonly ReferenceRun[];
  /** The claim is based on tries with an index below this. */
  upTo: number;
}

export function wholeTry({ byHead }: Try): Outcome {
  return byHead.outcome;
}

type Sides = Readonly<Record<Side, readonly Try[]>>;

export interface NewTries {
  pairs: Sides;
  /** Tries that replace earlier ones. */
  again: Sides;
}

const NO_NEW: NewTries = { pairs: { base: [], head: [] }, again: { base: [], head: [] } };

export function newTriesOf(
  before: NewTries = NO_NEW,
  { set, side }: Pick<NewTry, 'set' | 'side'>,
  made: Try,
): NewTries {
  return { ...before, [set]: { ...before[set], [side]: [...before[set][side], made] } };
}

type NewTriesByRun = ReadonlyMap<ReferenceRun, NewTries>;

export interface NewTry {
  suite: SuiteComparison;
  run: ReferenceRun;
  set: keyof NewTries;
  side: Side;
  try: number;
}

type ConfirmationStep =
  | { kind: 'ask'; tries: readonly NewTry[] }
  | { kind: 'confirmed'; by: 'references' | 'all' }
  | { kind: 'refuted' };

interface Row extends NewTries {
  suite: SuiteComparison;
  run: ReferenceRun;
  upTo: number;
}

function rowsOf({ suites }: Claim, made: NewTriesByRun): Row[] {
  return suites.flatMap(({ suite, runs, upTo }) =>
    runs.map((run) => ({ ...(made.get(run) ?? NO_NEW), suite, run, upTo })),
  );
}

/**
 * Stored tries choose the suspects, but only tries of today are evidence. Suspects are tested
 * first, by e-values, which are valid whenever testing stops. Then all references get new tries and
 * are tested together (exact tests).
 */
export function nextConfirmationStep(claim: Claim, tries: NewTriesByRun): ConfirmationStep {
  const rows = rowsOf(claim, tries);
  const { measure, level } = claim;
  const suspects = pickSuspects(rows, claim);
  const bySuspects = nextSuspectStep(suspects, measure.outcome ?? wholeTry, level);
  if (bySuspects !== null) return bySuspects;
  const shares = sharesOf(measure);
  const all = suspects.length > 0 ? 1 : sum(shares);
  const looks = looksAt(rows, claim);
  if (looks.some(({ p, share, isLarge }) => isLarge && reachesLevel(p, (share * level) / all)))
    return { kind: 'confirmed', by: 'all' };
  // Stops early only if new answers replaced all stored ones. Otherwise the next run would use old
  // answers.
  const old = Math.max(...rows.map(({ run }) => run.base.filter(isStored).length));
  const made = looks.length;
  const isCalm = (looks.at(-1)?.p ?? 0) > NO_FALL_P;
  const isReplaced = made >= Math.min(old, shares.length);
  const isOver = isReplaced && isCalm && findDrift(rows, measure) !== null;
  if (isOver || made >= shares.length) return { kind: 'refuted' };
  return { kind: 'ask', tries: rows.flatMap((row) => triesForLook(row, made + 1, measure)) };
}

function nextSuspectStep(
  suspects: readonly Row[],
  outcome: (made: Try) => Outcome,
  level: number,
): ConfirmationStep | null {
  const seen = suspects.map((row) => {
    const pairs = tryPairs(outcomesOf(evidenceOf(row), outcome));
    return { row, pairs, value: eValueOf(pairs) };
  });
  if (seen.length === 0) return null;
  const mean = sum(seen.map(({ value }) => value)) / seen.length;
  const together = jointEValue(
    seen.map(({ pairs }) => ({ pairs, share: 0.5 })),
    { intact: 0.7, broken: 0.1 },
  );
  // Two e-values are tested, each at half the level.
  if (Math.max(mean, together) >= 2 / (SUSPECT_SHARE * level))
    return { kind: 'confirmed', by: 'references' };
  const open = seen.filter(({ row, value }) => {
    const { most, minEValue } = NEW_PAIRS[isCritical(row.run) ? 'critical' : 'other'];
    return row.pairs.base.length < most && value >= minEValue;
  });
  if (open.length === 0) return null;
  return {
    kind: 'ask',
    tries: open.flatMap(({ row: { suite, run, pairs } }) =>
      HEAD_FIRST.map((side) => ({
        suite,
        run,
        side,
        set: 'pairs' as const,
        try: Math.max(MAX_NEW_TRIES, run[side].length) + pairs[side].length,
      })),
    ),
  };
}

/** The first side waits for the program to start: base in earlier tries, so head in new ones. */
const HEAD_FIRST = ['head', 'base'] as const;

/** Picks at most one reference of each cluster, because their tries are not independent. */
function pickSuspects(
  rows: readonly Row[],
  { judged, measure: { outcome } }: Pick<Claim, 'judged' | 'measure'>,
): Row[] {
  if (judged === 'none' || outcome === null) return [];
  const seen = new Set<string>();
  return rows
    .filter(({ run }) => judged === 'all' || isCritical(run))
    .map((row) => ({ row, drop: dropOf(outcomesOf(triesBefore(row), outcome)) }))
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
    .slice(0, MAX_SUSPECTS)
    .map(({ row }) => row);
}

function triesBefore({ run, upTo }: Row): Sides {
  const end = Math.min(upTo, firstOfToday(run));
  return { base: run.base.slice(0, end), head: run.head.slice(0, end) };
}

/** The tries that show how both prompts do today: those of the run, then new ones. */
function evidenceOf({ run, pairs }: Row): Sides {
  const first = firstOfToday(run);
  const count = Math.min(run.base.length, run.head.length);
  const of = (side: Side) => [...run[side].slice(first, count), ...pairs[side]];
  return { base: of('base'), head: of('head') };
}

/** The first tries only choose suspects. Later ones are evidence if none of them is stored. */
function firstOfToday(run: ReferenceRun): number {
  if (isOneSession(run)) return Infinity;
  const last = Math.max(...SIDES.map((side) => run[side].findLastIndex(isStored)));
  return Math.max(FIRST_TRIES, last + 1);
}

function outcomesOf({ base, head }: Sides, outcome: (made: Try) => Outcome): Tries {
  return { base: base.map(outcome), head: head.map(outcome) };
}

function dropOf(tries: Tries): number {
  return -(meanDifference([countTable(tries)]) ?? 0);
}

interface NewLook {
  share: number;
  p: number;
  isLarge: boolean;
}

function looksAt(rows: readonly Row[], { measure, minDrop }: Claim): NewLook[] {
  const looks: NewLook[] = [];
  for (const [k, share] of sharesOf(measure).entries()) {
    if (rows.some((row) => triesForLook(row, k + 1, measure).length > 0)) return looks;
    const found = measure.test(rows.map((row) => atLook(row, k + 1, measure)));
    const drop = found === null ? null : found.head - found.base;
    const isLarge = minDrop === null || isLargeDrop(drop, minDrop);
    looks.push({ share, p: found?.p ?? 1, isLarge });
  }
  return looks;
}

function sharesOf({ isRolledUp }: Measure): readonly number[] {
  return isRolledUp ? [1] : LOOK_SHARES;
}

function lookSize({ run }: Row, look: number, { isRolledUp }: Measure): number {
  return isRolledUp ? Math.max(1, run.base.length) : look;
}

function triesForLook(row: Row, look: number, measure: Measure): NewTry[] {
  const { suite, run, again } = row;
  const size = lookSize(row, look, measure);
  const sides = needsNewHead(row, measure) ? HEAD_FIRST : (['base'] as const);
  return sides.flatMap((side) =>
    Array.from({ length: Math.max(0, size - again[side].length) }, (_, i) => ({
      suite,
      run,
      side,
      set: 'again' as const,
      try: again[side].length + i,
    })),
  );
}

function atLook(row: Row, look: number, measure: Measure): ReferenceRun {
  const { run, again, upTo } = row;
  const size = lookSize(row, look, measure);
  const base = again.base.slice(0, size);
  if (needsNewHead(row, measure)) return { ...run, base, head: again.head.slice(0, size) };
  return { ...run, base, head: measure.isRolledUp ? run.head : run.head.slice(0, upTo) };
}

function needsNewHead({ run }: Row, { isPaired }: Measure): boolean {
  return isPaired || run.head.some(isStored) || isOneSession(run);
}

export function maxNewAnswers(
  { compared, policy, run, gate }: SuiteComparison,
  hasStored: boolean,
): number {
  if (!hasStored && !compared.some(isOneSession)) return 0;
  const scorings = run.baseScoring !== null && gate.scoring === 'fail' ? 2 : 1;
  const suspects = Math.min(scorings * MAX_SUSPECTS, compared.length);
  const critical = Math.min(suspects, compared.filter(isCritical).length);
  const pairs = critical * NEW_PAIRS.critical.most + (suspects - critical) * NEW_PAIRS.other.most;
  const rolled = policy.kind === 'references' ? policy.tries : 0;
  const again = compared.map(({ affected: { reference } }) =>
    Math.max(MAX_NEW_TRIES, rolled === 0 ? 0 : (reference.n_tries ?? rolled)),
  );
  return 2 * (pairs + sum(again));
}

/** How far base's new answers are below its stored ones. Null if chance may explain this. */
function findDrift(rows: readonly Row[], measure: Measure): ConfirmationResult['drift'] {
  if (measure.isPaired) return null;
  const asked = rows.filter(({ again }) => again.base.length > 0);
  const found = measure.test(
    asked.map(({ run, again }) => ({ ...run, base: run.base.filter(isStored), head: again.base })),
  );
  if (found === null || !reachesLevel(found.p, DRIFT_LEVEL)) return null;
  return { stored: found.base, today: found.head, p: found.p };
}

export type ConfirmationLimit = NonNullable<ConfirmationResult['limit']>;

/** `limit`: why further calls could not be made. Null if the claim was decided. */
export function createConfirmation(
  claim: Claim,
  made: NewTriesByRun,
  step: ConfirmationStep,
  limit: ConfirmationLimit | null,
): Confirmation {
  const { measure, metric } = claim;
  const rows = rowsOf(claim, made);
  const drift = findDrift(rows, measure);
  const outcome = measure.outcome ?? wholeTry;
  const again = rows.filter(({ again: { base } }) => base.length > 0);
  const counts = (side: Side): ReturnType<typeof countOutcomes> =>
    countOutcomes(
      again.flatMap((row) =>
        atLook(row, Math.max(1, row.again.base.length), measure)[side].map(outcome),
      ),
    );
  const isConfirmed = step.kind === 'confirmed';
  return {
    ...(metric === null ? {} : { metric }),
    rests_on: rows.some(({ run }) => restsOn([run]) === 'stored') ? 'stored' : 'session',
    status: isConfirmed ? 'confirmed' : drift === null || limit !== null ? 'unconfirmed' : 'model',
    by: isConfirmed ? step.by : null,
    limit,
    drift,
    suspects: pickSuspects(rows, claim)
      .map((row) => ({ row, today: evidenceOf(row) }))
      .filter(({ today }) => today.base.length > 0)
      .map(({ row, today }) => ({
        id: row.run.affected.reference.id,
        base: countOutcomes(today.base.map(outcome)),
        head: countOutcomes(today.head.map(outcome)),
      })),
    all:
      again.length === 0
        ? null
        : { references: again.length, base: counts('base'), head: counts('head') },
  };
}
