import { runExtraTries, type ExtraTry } from '../../kernel/ask/rounds.ts';
import {
  MOST_NEW_TRIES,
  needsNewHead,
  nextToday,
  restsOn,
  todayFinding,
  todayPolicy,
  todayRows,
  type OutcomeIn,
  type TodayFinding,
  type TodayLimit,
  type TodayRow,
  type TodayStep,
} from '../../kernel/judge/today.ts';
import type { RunVerdict, SuiteVerdict } from '../../kernel/judge/verdict.ts';
import { wasNotMade } from '../../kernel/plan/halt.ts';
import { outcomeIn } from '../../kernel/plan/ledger.ts';
import type { Price } from '../../kernel/plan/price.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { TryResult } from '../../kernel/result/reference-result.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import type { Outcome } from '../../types/metric.ts';
import type { Complete } from '../../types/model.ts';
import type { Side } from '../../types/plain.ts';
import type { FeatureTools } from './feature.ts';

export type TodayFindings = ReadonlyMap<SuiteComparison, TodayFinding>;

/**
 * The verdicts of a run. Before a suite is red, or a reference of it is named, or all suites together
 * are red, because of answers of an earlier run, or of one process of a program on each side, both
 * sides are asked again: the model may have changed since, or one process may have had bad luck.
 */
export async function confirmToday(
  suites: readonly SuiteComparison[],
  judgeWith: (today: TodayFindings) => RunVerdict,
  { gate, price }: { gate: GateSettings; price: Price },
  tools: FeatureTools,
): Promise<RunVerdict> {
  const first = judgeWith(new Map());
  if (tools.isPreview) return first;
  const claims = claimsOf(suites, first);
  if (claims.length === 0) return first;
  const found = new Map<SuiteComparison, TodayFinding>();
  let isPoolConfirmed = true;
  for (const claim of claims) {
    const policy = claimPolicy(claim, gate, claims.length);
    const finding = await confirmClaim(claim, policy, price, tools);
    if (claim.isPool && finding.status === 'confirmed') continue;
    if (claim.isPool) isPoolConfirmed = false;
    for (const { suite } of claim.of) found.set(suite, found.get(suite) ?? finding);
  }
  const judged = judgeWith(found);
  return isPoolConfirmed ? judged : { ...judged, pool: null };
}

async function confirmClaim(
  { of, name, outcome }: Claim,
  policy: Parameters<typeof nextToday>[1],
  price: Price,
  tools: FeatureTools,
): Promise<TodayFinding> {
  const what = of.some(({ suite }) => restsOn(suite) === 'stored') ? 'base' : 'both sides';
  tools.looking?.(`asking ${what} again, because ${name} fell`);
  const rows = of.flatMap(({ suite, verdict }) => todayRows(suite, verdict.tries, outcome));
  return confirm(rows, policy, askAnew(tools, price, outcome));
}

/** The pool's claim is that everything fell, so no single reference confirms it. */
function claimPolicy(
  { of, isPool }: Claim,
  gate: GateSettings,
  claims: number,
): Parameters<typeof nextToday>[1] {
  const dearest = of.find(({ suite }) => restsOn(suite) === 'stored') ?? of[0];
  if (dearest === undefined) throw new TypeError('a claim is about a suite');
  const policy = todayPolicy(dearest.suite, gate, claims);
  return isPool ? { ...policy, single: false } : policy;
}

/** A fall that rests on answers that are not enough for it, and what a try must show for it. */
interface Claim {
  of: { suite: SuiteComparison; verdict: SuiteVerdict }[];
  name: string;
  outcome: OutcomeIn;
  isPool: boolean;
}

function claimsOf(suites: readonly SuiteComparison[], { suites: of, pool }: RunVerdict): Claim[] {
  const judged = suites.flatMap((suite, i) => {
    const verdict = of[i] ?? null;
    return verdict === null ? [] : [{ suite, verdict }];
  });
  const open = judged.filter(
    ({ suite, verdict }) => claimsFall(verdict) && restsOn(suite) !== null,
  );
  const byTries = judged.filter(
    ({ suite: { policy } }) => policy.kind === 'adaptive' || policy.kind === 'fixed',
  );
  const isPoolOpen =
    pool?.fell === true &&
    !pool.isExplained &&
    byTries.some(({ suite }) => restsOn(suite) !== null);
  return [
    ...open.map((own): Claim => ({
      of: [own],
      name: own.suite.run.suite.name,
      outcome: outcomeFor(own.verdict.reason),
      isPool: false,
    })),
    ...(isPoolOpen
      ? [{ of: byTries, name: 'the pass rate of all suites', outcome: wholeTry, isPool: true }]
      : []),
  ];
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
  started: readonly TodayRow[],
  policy: Parameters<typeof nextToday>[1],
  asker: AnewAsker,
): Promise<TodayFinding> {
  let rows = started;
  for (;;) {
    const step = nextToday(rows, policy);
    if (step.kind === 'confirmed' || step.kind === 'refuted') return todayFinding(rows, step, null);
    const made = await asker.make(newTries(rows, step));
    const limit = asker.limit(made);
    if (limit !== null) return todayFinding(rows, step, limit);
    rows = withNewTries(rows, step, made);
  }
}

interface NewTry {
  row: TodayRow;
  side: Side;
  try: number;
}

/**
 * Base's tries of all references replace the stored ones; new pairs have numbers of their own. Head
 * goes first, so that neither side of a program is always the one that starts.
 */
function newTries(rows: readonly TodayRow[], step: TodayStep): NewTry[] {
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
  rows: readonly TodayRow[],
  step: TodayStep,
  made: readonly MadeToday[],
): TodayRow[] {
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

interface MadeToday extends NewTry {
  result: TryResult;
  outcome: Outcome;
}

interface AnewAsker {
  make(wanted: readonly NewTry[]): Promise<MadeToday[]>;
  /** Why a call was not made, or none came back from base; null: not so. */
  limit(made: readonly MadeToday[]): TodayLimit | null;
}

function askAnew(tools: FeatureTools, price: Price, outcome: OutcomeIn): AnewAsker {
  const { spent, evaluate, checkSchema, random, scoreMetric } = tools;
  let isEnded = false;
  const complete: Complete = async (request) => {
    const completion = await spent.meter.complete({ ...request, anew: true, secondSession: true });
    tools.answered(request.purpose);
    if (wasNotMade(completion)) isEnded = true;
    return completion;
  };
  const extra = { complete, evaluate, checkSchema, random, scoreMetric, price };
  return {
    async make(wanted) {
      const bySuite = Map.groupBy(wanted, ({ row }) => row.suite);
      const made = await Promise.all(
        [...bySuite].map(async ([{ run }, own]) => {
          const results = await runExtraTries(
            run,
            own.map((each) => extraTry(run, each)),
            extra,
          );
          return own.flatMap((each, i): MadeToday[] => {
            const result = results[i];
            return result === undefined ? [] : [{ ...each, result, outcome: outcome(result) }];
          });
        }),
      );
      return made.flat();
    },
    limit(made) {
      const halt = spent.halted();
      if (isEnded || halt !== null) return halt === null ? 'max_calls' : (halt.cap ?? 'time');
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
