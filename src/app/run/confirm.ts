import {
  claimAbout,
  restsOnEarlierAnswers,
  poolClaim,
  suiteClaims,
  meanClaimUnderBase,
  outcomeUnderBase,
} from '../../confirm/claims.ts';
import {
  createConfirmation,
  newTriesOf,
  nextConfirmationStep,
  wholeTry,
  type Claim,
  type ConfirmationLimit,
  type NewTries,
  type NewTry,
} from '../../confirm/steps.ts';
import { runNewTries, type ExtraTry } from '../../kernel/ask/rounds.ts';
import { isOfVerdict, restsOn, type Confirmation } from '../../kernel/judge/confirmation.ts';
import type { SuiteRow } from '../../kernel/judge/suite-row.ts';
import {
  separateFalls,
  underBaseFindings,
  type SeparateFall,
} from '../../kernel/judge/under-base-scoring.ts';
import { judgeMeasured, type MeasuredRun, type RunVerdict } from '../../kernel/judge/verdict.ts';
import type { ReferenceRun, SuiteComparison, SuiteRun, Try } from '../../kernel/plan/suite-run.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import { type Complete, type Request, isAbandoned } from '../../types/model.ts';
import type { Price } from '../../types/price.ts';
import type { FeatureTools, ComparedRun } from './feature.ts';
import type { RunWords } from './spending.ts';

export type Confirm = (claim: Claim) => Promise<Confirmation>;

export interface ConfirmedVerdict extends RunVerdict {
  confirmedPool: Confirmation | null;
}

/**
 * A red verdict needs confirmation by new answers if it is based on stored answers (the model may
 * have changed since), or if a single process of the program under test gave all answers of a side.
 */
export async function confirmFalls(
  measured: MeasuredRun,
  gate: GateSettings,
  confirm: Confirm,
): Promise<ConfirmedVerdict> {
  const first = judgeMeasured(measured);
  const claims = suiteClaims(first, gate);
  const found = new Map<SuiteComparison, Confirmation[]>();
  const add = (suite: SuiteComparison, confirmation: Confirmation) => {
    found.set(suite, [...(found.get(suite) ?? []), confirmation]);
  };
  for (const claim of claims) {
    // A suite can have two claims (drops to confirm). The second matters only if new answers refute
    // the first.
    if (claim.metric === null && claim.suites.some(({ suite }) => isConfirmed(found.get(suite))))
      continue;
    const confirmation = await confirm(claim);
    for (const { suite } of claim.suites) add(suite, confirmation);
  }
  // The pool (all suites together) must not count a refuted drop, so it is judged after the suites.
  const judged = claims.length === 0 ? first : judgeMeasured(measured, found);
  const pool = poolClaim(judged, gate, claims.length);
  if (pool === null) return { ...judged, confirmedPool: null };
  const confirmation = await confirm(pool);
  if (confirmation.status === 'confirmed') return { ...judged, confirmedPool: confirmation };
  for (const { suite } of pool.suites) {
    const row = judged.suites.get(suite);
    if (row !== undefined && restsOnEarlierAnswers(row) && row.verdict !== 'improved')
      add(suite, confirmation);
  }
  return { ...judgeMeasured(measured, found), pool: null, confirmedPool: null };
}

function isConfirmed(found: readonly Confirmation[] = []): boolean {
  return found.some((own) => isOfVerdict(own) && own.status === 'confirmed');
}

export function confirmReferences(
  gate: GateSettings,
  confirm: Confirm | null,
): ComparedRun['confirm'] {
  return async (suite, references, claims) => {
    const named = new Set(references);
    const runs = suite.compared.filter(({ affected }) => named.has(affected.reference.id));
    if (confirm === null || restsOn(runs) === null) return null;
    // Confirms the drop of all references together, because the plan reserves no calls for
    // individual ones.
    const claim = claimAbout(suite, runs, wholeTry, { ...gate, claims });
    return confirm({ ...claim, judged: 'none', minDrop: null });
  };
}

/** All claims (drops to confirm) share the new tries. */
export function createConfirm(tools: FeatureTools, price: Price): Confirm {
  const made = new Map<ReferenceRun, NewTries>();
  const ask = asker(tools, price);
  return async (claim) => {
    const isStored = claim.suites.some(({ suite }) => restsOn(suite.compared) === 'stored');
    let isAsked = false;
    for (;;) {
      const step = nextConfirmationStep(claim, made);
      if (step.kind !== 'ask') return createConfirmation(claim, made, step, null);
      if (!isAsked)
        tools.onStage?.(
          `asking ${isStored ? 'base' : 'both sides'} again, because ${nameOf(claim)} fell`,
        );
      isAsked = true;
      const { tries, limit } = await ask(step.tries);
      if (limit !== null) return createConfirmation(claim, made, step, limit);
      for (const { wanted, made: own } of tries)
        made.set(wanted.run, newTriesOf(made.get(wanted.run), wanted, own));
    }
  };
}

function nameOf({ suites: [first, ...others], metric }: Claim): string {
  if (first === undefined || others.length > 0) return 'the pass rate of all suites';
  const { name } = first.suite.run.suite;
  return metric === null ? name : `the mean of ${metric} in ${name}`;
}

interface AskedTries {
  tries: { wanted: NewTry; made: Try }[];
  limit: ConfirmationLimit | null;
}

function asker(
  tools: FeatureTools,
  price: Price,
): (wanted: readonly NewTry[]) => Promise<AskedTries> {
  const extra = extraTryMaker(tools, price, { anew: true, secondSession: true, byBase: true });
  return async (wanted) => {
    const made = await Promise.all(
      [...Map.groupBy(wanted, ({ suite }) => suite)].map(([{ run }, own]) =>
        extra.make(
          run,
          own.map((each) => extraTry(run, each)),
        ),
      ),
    );
    const tries = made.flat().map((each) => ({ wanted: each.wanted.wanted, made: each.made }));
    const halt = tools.spent.halted();
    if (extra.isEnded() || halt !== null)
      return { tries, limit: halt === null ? 'max_calls' : (halt.cap ?? 'time') };
    const ofBase = tries.filter(({ wanted: { side } }) => side === 'base');
    const isSilent =
      ofBase.length > 0 && ofBase.every(({ made: own }) => own.byHead.parts === null);
    return { tries, limit: isSilent ? 'errors' : null };
  };
}

function extraTry({ runs }: SuiteComparison['run'], wanted: NewTry): ExtraTry & { wanted: NewTry } {
  const { run, side, try: index } = wanted;
  const generation = run.affected[side];
  if (generation === null) throw new TypeError('a compared reference has two sides');
  return { wanted, run: runs.indexOf(run), generation, try: index, prompt: side, side };
}

/** If `byBase`, base's metrics also judge the tries. */
export function extraTryMaker(
  tools: FeatureTools,
  price: Price,
  { byBase = false, ...asked }: Pick<Request, 'anew' | 'secondSession'> & { byBase?: boolean },
) {
  const { spent, evaluate, random, scoreMetric } = tools;
  let isEnded = false;
  const complete: Complete = async (request) => {
    const completion = await spent.meter.complete({ ...request, ...asked });
    tools.answered(request.purpose, completion.status);
    if (isAbandoned(completion)) isEnded = true;
    return completion;
  };
  const askTools = { complete, evaluate, random, scoreMetric, price };
  return {
    async make<Wanted extends ExtraTry>(run: SuiteRun, wanted: readonly Wanted[]) {
      const suite = byBase ? run : { ...run, baseScoring: null };
      const tries = await runNewTries(suite, wanted, askTools);
      return wanted.flatMap((each, i) => {
        const made = tries[i];
        return made === undefined ? [] : [{ wanted: each, made }];
      });
    },
    isEnded: () => isEnded,
  };
}

type ConfirmableSuite = Pick<SuiteRow, 'comparison' | 'verdict'>;

/** A drop that appears when base's metrics judge both sides. `metric`: null for the pass rate. */
interface FallOfSuite {
  suite: SuiteComparison;
  metric: string | null;
}

/**
 * Finds drops that appear when base's metrics judge both sides. Drops based on stored answers count
 * only if new answers confirm them.
 */
export async function findUnderBase(
  suites: readonly ConfirmableSuite[],
  gate: GateSettings,
  { confirm, words }: { confirm: Confirm | null; words: Pick<RunWords, 'confirmationWords'> },
) {
  const alone = separateFalls(suites, gate.alpha);
  const falls =
    gate.scoring === 'fail' && confirm !== null
      ? suites
          .filter(({ comparison }) => restsOn(comparison.compared) !== null)
          .flatMap((suite) => fallsOf(suite, alone))
      : [];
  const refuted: FallOfSuite[] = [];
  const unconfirmed: string[] = [];
  for (const fall of falls) {
    const confirmation = await confirm?.(claimOf(fall, { ...gate, claims: falls.length }));
    if (confirmation === undefined || confirmation.status === 'confirmed') continue;
    refuted.push(fall);
    const { name } = fall.suite.run.suite;
    unconfirmed.push(`${name}, under base's scoring: ${words.confirmationWords(confirmation)}`);
  }
  return {
    findings: underBaseFindings(alone.filter((fall) => !refuted.some((own) => isOf(fall, own)))),
    /** A drop that only base's metrics show. Null if new answers refute the drop. */
    hiddenIn: ({ comparison, verdict }: ConfirmableSuite) =>
      refuted.some(({ suite, metric }) => suite === comparison && metric === null)
        ? null
        : (verdict?.underBase ?? null),
    /** Sentences that say why the verdict cannot be green. */
    unconfirmed,
  };
}

function claimOf(
  { suite, metric }: FallOfSuite,
  settings: GateSettings & { claims: number },
): Parameters<Confirm>[0] {
  return metric === null
    ? claimAbout(suite, suite.compared, outcomeUnderBase, settings)
    : meanClaimUnderBase(suite, metric, settings);
}

function fallsOf(
  { comparison: suite, verdict }: ConfirmableSuite,
  alone: readonly SeparateFall[],
): FallOfSuite[] {
  const own = alone.filter(({ comparison }) => comparison === suite);
  const isNamed = own.some(({ reason }) => reason.code === 'worse-under-base');
  const excusedBy = verdict?.underBase?.excusedBy ?? 'none';
  return [
    ...(isNamed || excusedBy !== 'none' ? [{ suite, metric: null }] : []),
    ...own.flatMap(({ reason }) =>
      reason.code === 'mean-under-base' ? [{ suite, metric: reason.metric }] : [],
    ),
  ];
}

function isOf({ comparison, reason }: SeparateFall, { suite, metric }: FallOfSuite): boolean {
  const own = reason.code === 'mean-under-base' ? reason.metric : null;
  return comparison === suite && own === metric;
}
