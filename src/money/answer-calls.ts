import { createLedgers } from '../kernel/plan/ledger.ts';
import { MOST_TRIES } from '../kernel/plan/looks.ts';
import { firstLookTries, maxSuspects } from '../kernel/plan/policy.ts';
import {
  isCritical,
  type NextTries,
  type ReferenceRun,
  type SuiteComparison,
  type SuiteRun,
} from '../kernel/plan/suite-run.ts';
import { MOST_FIXING_PAIRS, MOST_PAIRS } from '../kernel/plan/suspects.ts';
import { comparing } from '../kernel/plan/tries.ts';
import { sum } from '../kernel/statistics/sums.ts';
import type { ProgramTarget } from '../types/model.ts';
import { answerCallsOf, isReplayedTarget, requestsOf, type Prepared } from './prepared.ts';

export interface AnswerCalls {
  /** The most calls if no cap is set. Each turn of a dialogue counts. */
  most: number;
  /** Upper limit of the agents' cost in US dollars, from the limits in their suites. */
  most_usd?: number;
}

/** The most calls for answers if nothing got worse. Null if no reference can get further tries. */
export function answerCalls({
  suites,
  plan,
  next,
}: Pick<Prepared, 'suites' | 'plan' | 'next'>): AnswerCalls | null {
  const { byTries } = comparing(suites);
  const isOpen = byTries.some(
    ({ policy, compared }) => policy.kind === 'adaptive' || compared.some(isCritical),
  );
  if (!isOpen) return null;
  const first = firstLookTries(createLedgers(byTries));
  const wanted = next(suites);
  const later = sumOverTries(suites, wanted, (run) => mostCallsOfTry(run) - 1);
  const usd =
    sumOverTries(suites, wanted, mostDollarsOfTry) +
    mostBeyondFirst(byTries, first, mostDollarsOfTry);
  return {
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
      const made = run.affected.reference.n_tries ?? planned;
      const calls = (tries: number) => each * callingSides(run) * Math.max(0, tries - made);
      const settled = calls(isAdaptive ? MOST_TRIES : planned);
      const beyond = (tries: number) => Math.max(0, calls(tries) - settled);
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

function callingSides(run: ReferenceRun | undefined): number {
  const calls = run === undefined ? [] : answerCallsOf(run);
  return calls.filter((generation) => !isReplayedTarget(generation)).length;
}
