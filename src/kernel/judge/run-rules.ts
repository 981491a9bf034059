import type { WaitingBatches } from '../../types/model.ts';
import type { OutcomeOf, RunOutcome } from '../result/outcome.ts';
import type { Reason } from '../result/reason.ts';
import {
  evaluatedOutcome,
  fixedOutcome,
  fixedReferences,
  improvedOutcome,
  inconclusiveOutcome,
  isModelChange,
  modelChangedOutcome,
  newFailing,
  newFailingOutcome,
  noRegressionOutcome,
  noVerdictOutcome,
  onlyScoringChanged,
  regressedOutcome,
  seenIn,
  type GateInput,
} from './outcome.ts';

/** What ended a run before its plan was done, and how far it came. */
export interface EndedRun extends Omit<OutcomeOf<'ended-early'>, 'kind'> {
  waiting: WaitingBatches | null;
}

/** What the outcome of a run rests on. All of it is computed before the first rule is read. */
export interface RunFacts extends GateInput {
  /** Null: the whole plan was done. */
  ended: EndedRun | null;
  hasTooManyErrors: boolean;
  /**
   * Why no try was judged although references are affected. `error`: something went wrong.
   * `nothing-gates`: nothing could pass or fail, by choice. Null: tries were judged.
   */
  silence: 'error' | 'nothing-gates' | null;
  /** A finding fails the run; one was made that its `fail_on` does not let fail. */
  fails: boolean;
  isHeld: boolean;
  /** It fails only because `on_inconclusive` is fail. */
  failsByOpen: boolean;
  /** Some of what gates on base could not be judged on head. */
  isPartlyUnseen: boolean;
  reasons: Reason[];
}

interface RunRule {
  when(facts: RunFacts): boolean;
  outcome(facts: RunFacts): RunOutcome;
}

/** The outcome of a run: the first rule that holds. */
export const RUN_RULES: readonly RunRule[] = [
  {
    when: ({ ended }) => ended?.halt === 'Cancelled',
    outcome: ({ ended }) => ({ kind: 'cancelled', ...progressOf(ended) }),
  },
  {
    when: (facts) => isEndedOpen(facts) && facts.ended?.waiting !== null,
    outcome: ({ ended }) => ({ kind: 'waiting', ...progressOf(ended) }),
  },
  {
    when: isEndedOpen,
    outcome: ({ ended }) => ({ kind: 'ended-early', ...progressOf(ended) }),
  },
  {
    when: ({ affected, removed, unused, blind }) =>
      affected === 0 && removed.length === 0 && !unused && blind === null,
    outcome: ({ tested }) => ({ kind: 'nothing-to-run', rubrics: tested }),
  },
  { when: isUnjudged, outcome: () => ({ kind: 'not-judged' }) },
  {
    when: hasRegressed,
    outcome: (facts) => regressedOutcome(facts, facts.fails),
  },
  {
    when: (facts) => isModelChange(facts) && !failsOtherwise(facts),
    outcome: modelChangedOutcome,
  },
  {
    when: ({ fails, isHeld }) => fails || isHeld,
    outcome: (facts) => ({ kind: 'failed', fails: facts.fails, ...seenIn(facts) }),
  },
  {
    when: ({ replaced }) => replaced.length > 0,
    outcome: (facts) => ({ kind: 'not-comparable', ...seenIn(facts) }),
  },
  {
    when: ({ counted, affected, removed }) => counted === 0 && affected === 0 && removed.length > 0,
    outcome: ({ removed }) => ({ kind: 'only-removed', references: removed.length }),
  },
  {
    when: ({ counted, suites }) =>
      counted > 0 && suites.some(({ verdict }) => verdict === 'inconclusive'),
    outcome: inconclusiveOutcome,
  },
  {
    when: ({ silence, blind, isPartlyUnseen, counted }) =>
      silence !== null || blind !== null || isPartlyUnseen || counted === 0,
    outcome: noVerdictOutcome,
  },
  { when: ({ mode }) => mode === 'sweep', outcome: evaluatedOutcome },
  { when: (facts) => fixedReferences(facts).length > 0, outcome: fixedOutcome },
  {
    when: ({ suites }) => suites.some(({ verdict }) => verdict === 'improved'),
    outcome: improvedOutcome,
  },
  {
    when: (facts) => onlyScoringChanged(facts).length > 0,
    outcome: (facts) => ({
      kind: 'scoring-changed',
      suites: onlyScoringChanged(facts).map(({ name }) => name),
      ...seenIn(facts),
    }),
  },
  { when: (facts) => newFailing(facts).length > 0, outcome: newFailingOutcome },
  { when: () => true, outcome: noRegressionOutcome },
];

/** A regression that the tries so far show stands; the tries that are missing could show another. */
export function isEndedOpen(facts: RunFacts): boolean {
  const { ended } = facts;
  if (ended === null) return false;
  return ended.halt === 'Cancelled' || isUnjudged(facts) || !hasRegressed(facts);
}

export function isUnjudged({ hasTooManyErrors, silence }: RunFacts): boolean {
  return hasTooManyErrors || silence === 'error';
}

export function ruleRun(facts: RunFacts): RunOutcome {
  const rule = RUN_RULES.find(({ when }) => when(facts));
  if (rule === undefined) throw new TypeError('the last rule of a run always holds');
  return rule.outcome(facts);
}

function hasRegressed({ suites, pool }: RunFacts): boolean {
  return pool !== null || suites.some(({ verdict }) => verdict === 'regressed');
}

/** Fails, or would, by more than what is inconclusive. */
function failsOtherwise({ fails, failsByOpen, isHeld, replaced }: RunFacts): boolean {
  return (fails && !failsByOpen) || isHeld || replaced.length > 0;
}

function progressOf(ended: EndedRun | null): Omit<OutcomeOf<'ended-early'>, 'kind'> {
  if (ended === null) throw new TypeError('only an ended run has progress');
  const { halt, why, made, planned } = ended;
  return { halt, why, made, planned };
}
