import type { ExtraTry } from '../../kernel/ask/rounds.ts';
import {
  MOST_NEW_TRIES,
  needsNewHead,
  nextConfirmationStep,
  restsOn,
  confirmationOf,
  confirmationPolicy,
  confirmationRows,
  type OutcomeIn,
  type Confirmation,
  type ConfirmationLimit,
  type ConfirmationRow,
  type ConfirmationStep,
} from '../../kernel/judge/confirmation.ts';
import { isUnexplained, type RunVerdict, type SuiteVerdict } from '../../kernel/judge/verdict.ts';
import { outcomeIn } from '../../kernel/plan/ledger.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { TryResult } from '../../kernel/result/reference-result.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import type { Outcome } from '../../types/metric.ts';
import type { Side } from '../../types/plain.ts';
import type { Price } from '../../types/price.ts';
import { extraTryMaker } from './extra-tries.ts';
import type { FeatureTools } from './feature.ts';

export type Confirmations = ReadonlyMap<SuiteComparison, Confirmation>;

/**
 * The verdicts of a run. Before a suite is red, or a reference of it is named, or all suites together
 * are red, because of answers of an earlier run, or of one process of a program on each side, both
 * sides are asked again: the model may have changed since, or one process may have had bad luck.
 */
export async function confirmFalls(
  suites: readonly SuiteComparison[],
  judgeWith: (confirmations: Confirmations) => RunVerdict,
  { gate, price }: { gate: GateSettings; price: Price },
  tools: FeatureTools,
): Promise<RunVerdict> {
  const first = judgeWith(new Map());
  if (tools.isPreview) return first;
  const own = suiteClaims(suites, first);
  const found = new Map<SuiteComparison, Confirmation>();
  for (const claim of own) {
    const finding = await confirmClaim(claim, claimPolicy(claim, gate, own.length), price, tools);
    for (const { suite } of claim.of) found.set(suite, finding);
  }
  // A refuted fall is none of the pool's either, so the pool is looked at after them.
  const judged = own.length === 0 ? first : judgeWith(found);
  const pool = poolClaim(suites, judged);
  if (pool === null) return judged;
  const policy = { ...claimPolicy(pool, gate, own.length + 1), single: false };
  const finding = await confirmClaim(pool, policy, price, tools);
  if (finding.status === 'confirmed') return judged;
  for (const { suite, verdict } of pool.of)
    if (restsOn(suite) !== null && verdict.verdict !== 'improved') found.set(suite, finding);
  return { ...judgeWith(found), pool: null };
}

async function confirmClaim(
  { of, name, outcome }: Claim,
  policy: Parameters<typeof nextConfirmationStep>[1],
  price: Price,
  tools: FeatureTools,
): Promise<Confirmation> {
  const what = of.some(({ suite }) => restsOn(suite) === 'stored') ? 'base' : 'both sides';
  tools.looking?.(`asking ${what} again, because ${name} fell`);
  const rows = of.flatMap(({ suite, verdict }) => confirmationRows(suite, verdict.tries, outcome));
  return confirm(rows, policy, askAnew(tools, price, outcome));
}

function claimPolicy(
  { of }: Claim,
  gate: GateSettings,
  claims: number,
): Parameters<typeof nextConfirmationStep>[1] {
  const dearest = of.find(({ suite }) => restsOn(suite) === 'stored') ?? of[0];
  if (dearest === undefined) throw new TypeError('a claim is about a suite');
  return confirmationPolicy(dearest.suite, gate, claims);
}

/** A fall that rests on answers that are not enough for it, and what a try must show for it. */
interface Claim {
  of: { suite: SuiteComparison; verdict: SuiteVerdict }[];
  name: string;
  outcome: OutcomeIn;
}

function suiteClaims(suites: readonly SuiteComparison[], verdict: RunVerdict): Claim[] {
  return judgedSuites(suites, verdict)
    .filter(({ suite, verdict: own }) => claimsFall(own) && restsOn(suite) !== null)
    .map((own) => ({
      of: [own],
      name: own.suite.run.suite.name,
      outcome: outcomeFor(own.verdict.reason),
    }));
}

/** That all suites fell that did not by themselves; no single reference confirms it. */
function poolClaim(suites: readonly SuiteComparison[], verdict: RunVerdict): Claim | null {
  const { pool } = verdict;
  if (pool?.fell !== true || pool.isExplained) return null;
  const of = judgedSuites(suites, verdict).filter(
    ({ suite: { policy }, verdict: own }) =>
      (policy.kind === 'adaptive' || policy.kind === 'fixed') && isUnexplained(own),
  );
  return of.some(({ suite }) => restsOn(suite) !== null)
    ? { of, name: 'the pass rate of all suites', outcome: wholeTry }
    : null;
}

function judgedSuites(suites: readonly SuiteComparison[], { suites: of }: RunVerdict): Claim['of'] {
  return suites.flatMap((suite) => {
    const verdict = of.get(suite);
    return verdict === undefined ? [] : [{ suite, verdict }];
  });
}

function claimsFall({ verdict, reason: { by } }: SuiteVerdict): boolean {
  return verdict === 'regressed' || by === 'named';
}

const wholeTry: OutcomeIn = ({ outcome }) => outcome;

/** Where head answers less often, a try counts by whether it was answered. */
function outcomeFor({ by, metrics: [metric] }: SuiteVerdict['reason']): OutcomeIn {
  if (by === 'fall' && metric !== undefined) return (result) => outcomeIn(result, metric);
  if (by !== 'unanswered') return wholeTry;
  return ({ outcome }) => (outcome === 'error' || outcome === 'ungraded' ? 'fail' : 'pass');
}

async function confirm(
  started: readonly ConfirmationRow[],
  policy: Parameters<typeof nextConfirmationStep>[1],
  asker: AnewAsker,
): Promise<Confirmation> {
  let rows = started;
  for (;;) {
    const step = nextConfirmationStep(rows, policy);
    if (step.kind === 'confirmed' || step.kind === 'refuted')
      return confirmationOf(rows, step, null);
    const made = await asker.make(newTries(rows, step));
    const limit = asker.limit(made);
    if (limit !== null) return confirmationOf(rows, step, limit);
    rows = withNewTries(rows, step, made);
  }
}

interface NewTry {
  row: ConfirmationRow;
  side: Side;
  try: number;
}

/**
 * Base's tries of all references replace the stored ones; new pairs have numbers of their own. Head
 * goes first, so that neither side of a program is always the one that starts.
 */
function newTries(rows: readonly ConfirmationRow[], step: ConfirmationStep): NewTry[] {
  if (step.kind === 'pairs')
    return step.rows.flatMap((row) =>
      (['head', 'base'] as const).map((side) => ({
        row,
        side,
        try: Math.max(MOST_NEW_TRIES, row.run[side].length) + row.pairs[side].length,
      })),
    );
  return rows.flatMap((row): NewTry[] => [
    ...(needsNewHead(row) ? [{ row, side: 'head' as const, try: row.whole.head.length }] : []),
    { row, side: 'base', try: row.whole.base.length },
  ]);
}

function withNewTries(
  rows: readonly ConfirmationRow[],
  step: ConfirmationStep,
  made: readonly MadeTry[],
): ConfirmationRow[] {
  const key = step.kind === 'pairs' ? 'pairs' : 'whole';
  const byRow = Map.groupBy(made, ({ row }) => row);
  return rows.map((row) => {
    const own = byRow.get(row) ?? [];
    const of = (side: Side): Outcome[] =>
      own.filter((each) => each.side === side).map(({ outcome }) => outcome);
    const { base, head } = row[key];
    return { ...row, [key]: { base: [...base, ...of('base')], head: [...head, ...of('head')] } };
  });
}

interface MadeTry extends NewTry {
  result: TryResult;
  outcome: Outcome;
}

interface AnewAsker {
  make(wanted: readonly NewTry[]): Promise<MadeTry[]>;
  /** Why a call was not made, or none came back from base; null: not so. */
  limit(made: readonly MadeTry[]): ConfirmationLimit | null;
}

function askAnew(tools: FeatureTools, price: Price, outcome: OutcomeIn): AnewAsker {
  const extra = extraTryMaker(tools, price, { anew: true, secondSession: true });
  return {
    async make(wanted) {
      const bySuite = Map.groupBy(wanted, ({ row }) => row.suite);
      const made = await Promise.all(
        [...bySuite].map(async ([{ run }, own]) => {
          const results = await extra.make(
            run,
            own.map((each) => extraTry(run, each)),
          );
          return own.flatMap((each, i): MadeTry[] => {
            const result = results[i];
            return result === undefined ? [] : [{ ...each, result, outcome: outcome(result) }];
          });
        }),
      );
      return made.flat();
    },
    limit(made) {
      const halt = tools.spent.halted();
      if (extra.isEnded() || halt !== null)
        return halt === null ? 'max_calls' : (halt.cap ?? 'time');
      const ofBase = made.filter(({ side }) => side === 'base');
      return ofBase.every(({ result }) => result.parts === null) ? 'errors' : null;
    },
  };
}

function extraTry(run: SuiteComparison['run'], { row, side, try: index }: NewTry): ExtraTry {
  const generation = row.run.affected[side];
  if (generation === null) throw new TypeError('a compared reference has two sides');
  return { run: run.runs.indexOf(row.run), generation, try: index, prompt: side };
}
