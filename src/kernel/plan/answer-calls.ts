import type { Outcome } from '../../types/metric.ts';
import { FIRST_TRIES, MOST_TRIES } from '../statistics/looks.ts';
import { createRandom, nextFloat, type Random } from '../statistics/random.ts';
import type { SequentialSuite } from '../statistics/sequential.ts';
import {
  MOST_SAMPLED_TRIES,
  mostSampled,
  wantedTries,
  type SequentialLevels,
} from '../statistics/wanted-tries.ts';
import type { Prepared } from './prepared.ts';
import type { ReferenceRun, SuiteComparison } from './suite-run.ts';
import { comparing, sequentialLevels, sequentialSuite } from './tries.ts';

export interface AnswerCalls {
  /** Mean over simulated runs in which nothing got worse. */
  usual: number;
  /** The most calls that any run can take; a cap on calls may end the run before. */
  most: number;
}

const PASS_RATE = 0.95;

/** References simulated of a suite; those beyond are taken to need as many calls each. */
const SIMULATED = 200;

/** Simulated runs: enough that their mean is within a few per cent, few where a run is large. */
const ROUNDS = { most: 40, least: 5, references: 2000 };

/**
 * How many calls for answers a run takes, by its own rules of when to try again: at most, and as a
 * rule, where nothing got worse and each try passes in 95 %. The same every time. Null where the
 * number of tries is fixed.
 */
export function answerCalls({
  suites,
  gate,
  plan,
}: Pick<Prepared, 'suites' | 'gate' | 'plan'>): AnswerCalls | null {
  const { all, sequential } = comparing(suites);
  if (sequential.length === 0) return null;
  const levels = sequentialLevels(suites, gate);
  const isWhole = all.length === sequential.length;
  const random = createRandom('answer calls');
  const size = sequential.reduce((sum, { compared }) => sum + simulatedOf(compared).length, 0);
  const rounds = Math.max(
    ROUNDS.least,
    Math.min(ROUNDS.most, Math.floor(ROUNDS.references / Math.max(1, size))),
  );
  let more = 0;
  for (let round = 0; round < rounds; round++)
    more += callsBeyondFirst(sequential, levels, isWhole, random) / rounds;
  return {
    usual: Math.round(plan.prompt_calls + more),
    most:
      plan.prompt_calls +
      sequential.reduce((sum, comparison) => sum + mostBeyondFirst(comparison), 0),
  };
}

function simulatedOf(compared: readonly ReferenceRun[]): readonly ReferenceRun[] {
  return compared.slice(0, SIMULATED);
}

interface Simulated {
  suite: SequentialSuite;
  tries: { base: Outcome[]; head: Outcome[] }[];
  comparison: SuiteComparison;
}

function callsBeyondFirst(
  comparisons: readonly SuiteComparison[],
  levels: SequentialLevels,
  isWhole: boolean,
  random: Random,
): number {
  const simulated = comparisons.map((comparison): Simulated => {
    const compared = [...simulatedOf(comparison.compared)];
    const tries = compared.map(() => ({ base: [], head: [] }));
    const suite = sequentialSuite({ ...comparison, compared });
    return { suite: { ...suite, tries }, tries, comparison };
  });
  for (;;) {
    const wanted = wantedTries(
      simulated.map(({ suite }) => suite),
      levels,
      isWhole,
    );
    if (wanted.every(({ size }) => size === 0)) break;
    wanted.forEach((counts, s) => {
      for (const [position, count] of counts) tryUpTo(simulated[s]?.tries[position], count, random);
    });
  }
  return simulated.reduce((sum, { tries, comparison: { compared } }) => {
    const calls = tries.reduce(
      (own, { head }, position) => own + callsUpTo(compared[position], head.length),
      0,
    );
    return sum + (calls * compared.length) / Math.max(1, tries.length);
  }, 0);
}

function tryUpTo(
  tries: Simulated['tries'][number] | undefined,
  count: number,
  random: Random,
): void {
  for (const side of [tries?.base, tries?.head])
    while (side !== undefined && side.length < count)
      side.push(nextFloat(random) < PASS_RATE ? 'pass' : 'fail');
}

/** Every reference tried five times, and as many as allowed sampled to the end. */
function mostBeyondFirst({ compared }: SuiteComparison): number {
  const settled = compared.map((run) => callsUpTo(run, MOST_TRIES));
  const sampled = compared
    .map((run) => callsUpTo(run, MOST_SAMPLED_TRIES) - callsUpTo(run, MOST_TRIES))
    .sort((a, b) => b - a)
    .slice(0, mostSampled(compared.length));
  return [...settled, ...sampled].reduce((sum, calls) => sum + calls, 0);
}

function callsUpTo(run: ReferenceRun | undefined, tries: number): number {
  if (run === undefined) return 0;
  const { base, head, reference } = run.affected;
  const sides = [base, head].filter(
    (generation) => generation?.kind === 'request' && generation.target.provider !== 'replay',
  );
  return sides.length * Math.max(0, tries - (reference.n_tries ?? FIRST_TRIES));
}
