import type { WaitingBatches } from '../../types/plain.ts';
import type { OutcomeKind, OutcomeOf, RunOutcome } from '../result/outcome.ts';
import type { Reason } from '../result/reason.ts';
import {
  evaluatedFigures,
  fixedFigures,
  fixedReferences,
  improvedFigures,
  inconclusiveFigures,
  isModelChange,
  modelChangedFigures,
  newFailing,
  newFailingFigures,
  noRegressionFigures,
  noVerdictFigures,
  onlyScoringChanged,
  regressedFigures,
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

interface RunRule<K extends OutcomeKind> {
  kind: K;
  when(facts: RunFacts): boolean;
  /** What the outcome names besides its kind. */
  figures(facts: RunFacts): Omit<OutcomeOf<K>, 'kind'>;
}

type RunRules = readonly { [K in OutcomeKind]: RunRule<K> }[OutcomeKind][];

/** The outcome of a run: the first rule that holds. */
export const RUN_RULES = [
  {
    kind: 'cancelled',
    when: ({ ended }) => ended?.halt === 'cancelled',
    figures: ({ ended }) => progressOf(ended),
  },
  {
    kind: 'waiting',
    when: (facts) => isEndedOpen(facts) && facts.ended?.waiting !== null,
    figures: ({ ended }) => progressOf(ended),
  },
  { kind: 'ended-early', when: isEndedOpen, figures: ({ ended }) => progressOf(ended) },
  {
    kind: 'nothing-to-run',
    when: ({ affected, removed, unused, blind }) =>
      affected === 0 && removed.length === 0 && !unused && blind === null,
    figures: ({ tested }) => ({ rubrics: tested }),
  },
  { kind: 'not-judged', when: isUnjudged, figures: () => ({}) },
  { kind: 'regressed', when: hasRegressed, figures: regressedFigures },
  {
    kind: 'model-changed',
    when: (facts) => isModelChange(facts) && !failsOtherwise(facts),
    figures: modelChangedFigures,
  },
  {
    kind: 'failed',
    when: ({ fails, isHeld }) => fails || isHeld,
    figures: (facts) => ({ fails: facts.fails, ...seenIn(facts) }),
  },
  { kind: 'not-comparable', when: ({ replaced }) => replaced.length > 0, figures: seenIn },
  {
    kind: 'only-removed',
    when: ({ counted, affected, removed }) => counted === 0 && affected === 0 && removed.length > 0,
    figures: ({ removed }) => ({ references: removed.length }),
  },
  {
    kind: 'inconclusive',
    when: ({ counted, suites }) =>
      counted > 0 && suites.some(({ verdict }) => verdict === 'inconclusive'),
    figures: inconclusiveFigures,
  },
  {
    kind: 'no-verdict',
    when: ({ silence, blind, isPartlyUnseen, counted }) =>
      silence !== null || blind !== null || isPartlyUnseen || counted === 0,
    figures: noVerdictFigures,
  },
  { kind: 'evaluated', when: ({ mode }) => mode === 'sweep', figures: evaluatedFigures },
  { kind: 'fixed', when: (facts) => fixedReferences(facts).length > 0, figures: fixedFigures },
  {
    kind: 'improved',
    when: ({ suites }) => suites.some(({ verdict }) => verdict === 'improved'),
    figures: improvedFigures,
  },
  {
    kind: 'scoring-changed',
    when: (facts) => onlyScoringChanged(facts).length > 0,
    figures: (facts) => ({
      suites: onlyScoringChanged(facts).map(({ name }) => name),
      ...seenIn(facts),
    }),
  },
  {
    kind: 'new-failing',
    when: (facts) => newFailing(facts).length > 0,
    figures: newFailingFigures,
  },
  { kind: 'no-regression', when: () => true, figures: noRegressionFigures },
] as const satisfies RunRules;

/** A regression that the tries so far show stands; the tries that are missing could show another. */
export function isEndedOpen(facts: RunFacts): boolean {
  const { ended } = facts;
  if (ended === null) return false;
  return ended.halt === 'cancelled' || isUnjudged(facts) || !hasRegressed(facts);
}

export function isUnjudged({ hasTooManyErrors, silence }: RunFacts): boolean {
  return hasTooManyErrors || silence === 'error';
}

export function ruleRun(facts: RunFacts): RunOutcome {
  const rule = RUN_RULES.find(({ when }) => when(facts));
  if (rule === undefined) throw new TypeError('the last rule of a run always holds');
  // TypeScript forgets the tie between a kind and its figures.
  return { kind: rule.kind, ...rule.figures(facts) } as RunOutcome;
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
