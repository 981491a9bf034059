import type { WaitingBatches } from '../../types/plain.ts';
import type { OutcomeKind, OutcomeOf, RunOutcome } from '../result/outcome.ts';
import type { GateSettings } from '../suite/gate-settings.ts';
import type { GateInput } from './gate-input.ts';

export interface EndedRun extends Omit<OutcomeOf<'ended-early'>, 'kind'> {
  waiting: WaitingBatches | null;
  /** The run cost more than its cap. */
  isPassed: boolean;
}

export interface RunFacts extends Pick<GateInput, 'affected' | 'counted' | 'tested' | 'pool'> {
  /** Null if all planned tries were made. */
  ended: EndedRun | null;
  isSweep: boolean;
  removed: number;
  hasUnusedChanges: boolean;
  isReplaced: boolean;
  /** More than 10 % of tries ended in an error, not counting errors on head alone. */
  hasTooManyErrors: boolean;
  /** Why no reference was judged: an `error`, or no metric affects the gate (`nothing-gates`). */
  silence: 'error' | 'nothing-gates' | null;
  hasRegressed: boolean;
  isInconclusive: boolean;
  /** Every inconclusive suite is inconclusive because the model changed. */
  isModelChange: boolean;
  /** A finding fails the run, or an inconclusive suite does (because of `on_inconclusive`). */
  fails: boolean;
  failsByInconclusive: boolean;
  /** A finding would fail the run, but `fail_on` is `never`. */
  isHeld: boolean;
  isUnseen: boolean;
  hasFixed: boolean;
  hasImproved: boolean;
  /** Only the scoring changed, so the same answers get a different pass rate. */
  isScoringAlone: boolean;
  hasNewFailing: boolean;
}

interface RunRule<K extends OutcomeKind> {
  kind: K;
  /** docs/statistics.md prints this text. */
  words: string;
  when(facts: RunFacts): boolean;
  figures?(facts: RunFacts): Omit<OutcomeOf<K>, 'kind'>;
}

type RunRules = readonly { [K in OutcomeKind]: RunRule<K> }[OutcomeKind][];

/** The first rule that applies decides. */
export const RUN_RULES: RunRules = [
  {
    kind: 'cancelled',
    words: 'the job was cancelled (for example by a newer commit) before it had enough tries',
    when: (facts) => endsTooEarly(facts) && facts.ended?.halt === 'cancelled',
    figures: progressOf,
  },
  {
    kind: 'waiting',
    words: 'the run ended before it had enough tries, and a vendor is still processing a batch',
    when: (facts) =>
      endsTooEarly(facts) && facts.ended?.waiting !== null && facts.ended?.isPassed !== true,
    figures: progressOf,
  },
  {
    kind: 'ended-early',
    words: 'the budget, the time limit or a signal ended the run before it had enough tries',
    when: endsTooEarly,
    figures: progressOf,
  },
  {
    kind: 'nothing-to-run',
    words: 'no test is affected or deleted, and no change was left unjudged',
    when: ({ affected, removed, hasUnusedChanges, fails, isHeld, isUnseen }) =>
      affected === 0 && removed === 0 && !hasUnusedChanges && !fails && !isHeld && !isUnseen,
    figures: ({ tested }) => ({ rubrics: tested }),
  },
  {
    kind: 'not-judged',
    words:
      'more than 10 % of the tries ended in an error (unless head has more than base, beyond ' +
      'chance), or no try could be judged',
    when: isUnjudged,
  },
  {
    kind: 'regressed',
    words:
      'a suite regressed; or the pass rate of all suites together fell, and not only because ' +
      'of red or unconfirmed suites',
    when: ({ hasRegressed }) => hasRegressed,
    figures: ({ pool, fails }) => ({ ...(pool !== null && { pool }), fails }),
  },
  {
    kind: 'model-changed',
    words:
      'every inconclusive suite is inconclusive because the model changed, nothing else ' +
      'fails, and head does not replace a model',
    when: ({ isModelChange, fails, failsByInconclusive, isHeld, isReplaced }) =>
      isModelChange && (!fails || failsByInconclusive) && !isHeld && !isReplaced,
    figures: ({ fails }) => ({ fails }),
  },
  {
    kind: 'failed',
    words: 'another condition set under `gate` fails',
    when: ({ fails, isHeld }) => fails || isHeld,
    figures: ({ fails }) => ({ fails }),
  },
  {
    kind: 'not-comparable',
    words: 'head replaces a model of base with recordings, a program or code',
    when: ({ isReplaced }) => isReplaced,
  },
  {
    kind: 'only-removed',
    words: 'nothing runs, and tests are deleted, newly skipped or quarantined',
    when: ({ counted, affected, removed }) => counted === 0 && affected === 0 && removed > 0,
    figures: ({ removed }) => ({ references: removed }),
  },
  {
    kind: 'inconclusive',
    words: 'a suite is inconclusive',
    when: ({ counted, isInconclusive }) => counted > 0 && isInconclusive,
  },
  {
    kind: 'no-verdict',
    words:
      'no test that counts ran (for example, all are skipped or quarantined), base could not ' +
      'be read, a suite may not run for an outside contributor, or too much of head was not judged',
    when: ({ silence, isUnseen, counted }) => silence !== null || isUnseen || counted === 0,
  },
  {
    kind: 'evaluated',
    words: 'the run is a sweep, so nothing is compared',
    when: ({ isSweep }) => isSweep,
  },
  {
    kind: 'fixed',
    words: 'tests that failed on base pass on head, beyond chance',
    when: ({ hasFixed }) => hasFixed,
  },
  { kind: 'improved', words: 'a suite improved', when: ({ hasImproved }) => hasImproved },
  {
    kind: 'scoring-changed',
    words: 'only the scoring changed',
    when: ({ isScoringAlone }) => isScoringAlone,
  },
  {
    kind: 'new-failing',
    words: 'a new test fails on head, by more than one try',
    when: ({ hasNewFailing }) => hasNewFailing,
  },
  { kind: 'no-regression', words: 'otherwise', when: () => true },
];

/**
 * What follows if a suite cannot run, by who can change that. GitHub merges neutral changes from a
 * queue, so they fail there.
 */
export function effectOfNotRun(
  by: 'author' | 'maintainer',
  { isQueue, gate }: { isQueue: boolean; gate: Pick<GateSettings, 'untrusted'> },
): 'problem' | 'fails' | 'neutral' {
  if (by === 'author') return 'problem';
  return isQueue && gate.untrusted === 'fail' ? 'fails' : 'neutral';
}

/**
 * If a run ends early, more tries could still change every outcome except a regression. A run that
 * passed its cap is an error unless it fails anyway.
 */
export function endsTooEarly(facts: RunFacts): boolean {
  const { ended, hasRegressed, fails } = facts;
  if (ended === null) return false;
  return isUnjudged(facts) || !hasRegressed || (ended.isPassed && !fails);
}

export function isUnjudged({ hasTooManyErrors, silence }: RunFacts): boolean {
  return hasTooManyErrors || silence === 'error';
}

export function ruleRun(facts: RunFacts): RunOutcome {
  const rule = RUN_RULES.find(({ when }) => when(facts));
  if (rule === undefined) throw new TypeError('the last rule of a run must always apply');
  return { kind: rule.kind, ...rule.figures?.(facts) } as RunOutcome;
}

function progressOf({ ended }: RunFacts) {
  if (ended === null) throw new TypeError('only an ended run has progress');
  const { halt, why, made, planned } = ended;
  return { halt, why, made, planned };
}
