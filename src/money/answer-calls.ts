import { createLedgers } from '../kernel/plan/ledger.ts';
import { MOST_TRIES } from '../kernel/plan/looks.ts';
import { firstLookTries, maxSuspects, runState, type RunLevels } from '../kernel/plan/policy.ts';
import {
  isCritical,
  type NextTries,
  type ReferenceRun,
  type SuiteComparison,
  type SuiteRun,
} from '../kernel/plan/suite-run.ts';
import { MOST_FIXING_PAIRS, MOST_PAIRS } from '../kernel/plan/suspects.ts';
import { alphaShares, comparing } from '../kernel/plan/tries.ts';
import { createRandom, nextFloat, type Random } from '../kernel/statistics/random.ts';
import { sum } from '../kernel/statistics/sums.ts';
import type { Outcome } from '../types/metric.ts';
import type { ProgramTarget } from '../types/model.ts';
import { answerCallsOf, isReplayedTarget, requestsOf, type Prepared } from './prepared.ts';

export interface AnswerCalls {
  /** Mean number of calls in simulated runs without a regression. A dialogue counts as one call. */
  usual: number;
  /** The most calls if no cap is set. Each turn of a dialogue counts. */
  most: number;
  /** Upper limit of the agents' cost in US dollars, from the limits in their suites. */
  most_usd?: number;
}

const PASS_RATE = 0.95;

const SIMULATED = 1000;

/**
 * 200 simulated runs (`most`) give a mean within a few percent. With many references, fewer runs
 * are simulated.
 */
const ROUNDS = { most: 200, least: 10, references: 10000 };

/**
 * Estimates the calls for answers if nothing got worse, by seeded simulation. Null if no reference
 * can get further tries.
 */
export function answerCalls({
  suites,
  gate,
  plan,
  next,
}: Pick<Prepared, 'suites' | 'gate' | 'plan' | 'next'>): AnswerCalls | null {
  const { byTries } = comparing(suites);
  if (!byTries.some(hasOpenNumber)) return null;
  const levels = alphaShares(suites, gate);
  const size = sum(byTries.map(({ compared }) => simulatedOf(compared).length));
  const rounds = Math.max(
    ROUNDS.least,
    Math.min(ROUNDS.most, Math.floor(ROUNDS.references / Math.max(1, size))),
  );
  const first = firstLookTries(createLedgers(byTries));
  const random = createRandom('usual calls');
  let more = 0;
  for (let round = 0; round < rounds; round++)
    more += callsBeyondFirst(byTries, { levels, first, random }) / rounds;
  const wanted = next(suites);
  const later = sumOverTries(suites, wanted, (run) => mostCallsOfTry(run) - 1);
  const usd =
    sumOverTries(suites, wanted, mostDollarsOfTry) +
    mostBeyondFirst(byTries, first, mostDollarsOfTry);
  return {
    usual: Math.round(plan.prompt_calls + more),
    most: plan.prompt_calls + later + mostBeyondFirst(byTries, first, mostCallsOfTry),
    ...(usd === 0 ? {} : { most_usd: usd }),
  };
}

export function mostCallsOfTry(run: SuiteRun): number {
  const { scoring, baseScoring } = run;
  const head = scoring.answerer;
  const base = baseScoring?.answerer ?? null;
  if (base === null || base.fingerprint === head?.fingerprint)
    return head?.mostCalls ?? ofAgents(run, ({ most }) => most, 1);
  return (head?.mostCalls ?? 0) + base.mostCalls;
}

function mostDollarsOfTry(run: SuiteRun): number {
  return ofAgents(run, ({ usd }) => usd, 0);
}

function ofAgents(
  run: SuiteRun,
  limit: (calls: NonNullable<ProgramTarget['calls']>) => number,
  otherwise: number,
): number {
  const [first] = run.runs;
  const limits = (first === undefined ? [] : requestsOf(first)).flatMap(({ target }) =>
    target.provider === 'program' && target.calls !== undefined ? [limit(target.calls)] : [],
  );
  return Math.max(otherwise, ...limits);
}

function sumOverTries(
  suites: readonly SuiteComparison[],
  next: NextTries,
  each: (run: SuiteRun) => number,
): number {
  const amounts = suites.flatMap(({ run }) => {
    const amount = each(run);
    if (amount === 0) return [];
    return [...next(run)].map(([index, tries]) => amount * tries * callingSides(run.runs[index]));
  });
  return sum(amounts);
}

function hasOpenNumber({ policy, compared }: SuiteComparison): boolean {
  return policy.kind === 'adaptive' || compared.some(isCritical);
}

function simulatedOf(compared: readonly ReferenceRun[]): readonly ReferenceRun[] {
  return compared.slice(0, SIMULATED);
}

interface Simulation {
  levels: RunLevels;
  first: number;
  random: Random;
}

function callsBeyondFirst(
  suites: readonly SuiteComparison[],
  { levels, first, random }: Simulation,
): number {
  const cut = suites.map((suite) => ({ ...suite, compared: simulatedOf(suite.compared) }));
  const ledgers = createLedgers(cut).map((ledger) => ({
    ...ledger,
    references: ledger.references.map((own) => {
      const tries: SimulatedTries = { base: [], head: [] };
      if (!ledger.isAdaptive) tryUpTo(tries, own.planned, random);
      return { ...own, metrics: new Map<string, never>(), judgedBy: 1, tries };
    }),
  }));
  for (;;) {
    const state = runState(ledgers, levels);
    if (state.isDone) break;
    for (const { references } of state.suites)
      for (const { reference, wanted } of references)
        if (wanted !== null) tryUpTo(reference.tries as SimulatedTries, wanted, random);
  }
  const calls = ledgers.map(({ references }, s) => {
    const { compared = [], policy } = suites[s] ?? {};
    const made = references.map(({ tries: { head } }, at) => {
      const planned = policy?.kind === 'adaptive' ? first : (policy?.tries ?? 0);
      return callsUpTo(compared[at], head.length, planned);
    });
    return (sum(made) * compared.length) / Math.max(1, made.length);
  });
  return sum(calls);
}

interface SimulatedTries {
  base: Outcome[];
  head: Outcome[];
}

function tryUpTo({ base, head }: SimulatedTries, count: number, random: Random): void {
  for (const side of [base, head])
    while (side.length < count) side.push(nextFloat(random) < PASS_RATE ? 'pass' : 'fail');
}

/**
 * Assumes the most adaptive tries for critical and suspicious references, and for the others enough
 * to prove a fix.
 */
function mostBeyondFirst(
  suites: readonly SuiteComparison[],
  first: number,
  ofTry: (run: SuiteRun) => number,
): number {
  const runs = suites.flatMap(({ compared, policy, run: suiteRun }) => {
    const isAdaptive = policy.kind === 'adaptive';
    const each = ofTry(suiteRun);
    return compared.map((run) => {
      const planned = isAdaptive ? first : policy.tries;
      const goesOn = isCritical(run);
      const calls = (tries: number): number => each * callsUpTo(run, tries, planned);
      const settled = calls(isAdaptive ? MOST_TRIES : planned);
      const beyond = (tries: number): number => Math.max(0, calls(tries) - settled);
      return {
        settled: settled + (goesOn ? beyond(MOST_PAIRS) : 0),
        suspect: isAdaptive && !goesOn ? beyond(MOST_PAIRS) : 0,
        fixing: isAdaptive ? beyond(MOST_FIXING_PAIRS) : 0,
      };
    });
  });
  const size = maxSuspects(runs.length);
  const dearest = runs.toSorted((a, b) => b.suspect - a.suspect);
  const suspects = dearest.slice(0, size);
  const others = dearest.slice(size);
  return (
    sum(runs.map(({ settled }) => settled)) +
    sum(suspects.map(({ suspect }) => suspect)) +
    sum(others.map(({ fixing }) => fixing))
  );
}

function callsUpTo(run: ReferenceRun | undefined, tries: number, planned: number): number {
  if (run === undefined) return 0;
  const { n_tries } = run.affected.reference;
  return callingSides(run) * Math.max(0, tries - (n_tries ?? planned));
}

function callingSides(run: ReferenceRun | undefined): number {
  const calls = run === undefined ? [] : answerCallsOf(run);
  return calls.filter((generation) => !isReplayedTarget(generation)).length;
}
