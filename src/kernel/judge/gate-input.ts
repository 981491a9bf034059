import type { RunOutcome } from '../result/outcome.ts';
import type { Reason, ReasonOf } from '../result/reason.ts';
import type { Replaced, Result } from '../result/result.ts';
import type { ScoringResult } from '../result/scoring-result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import type { GateSettings } from '../suite/gate-settings.ts';

export interface ReplacedModel extends Replaced {
  file: string;
  reason: Reason;
}

/** `failOn`: of its suite. */
export interface UnderBaseFinding {
  reason: ReasonOf<'worse-under-base' | 'mean-under-base'>;
  failOn: GateSettings['fail_on'];
}

/** What base judged and head did not. */
export interface Unseen {
  /** With any of these no run is green. */
  blocking: readonly Reason[];
  /** Metrics whose conditions hold less often on head, possibly for a good reason. */
  warnings: readonly Reason[];
}

export interface FeatureFinding {
  suite: Pick<SuiteResult, 'path' | 'name' | 'variant'>;
  text: string;
}

/** All that the outcome of a run follows from. */
export interface GateInput {
  mode: Result['mode'];
  suites: readonly SuiteResult[];
  scoring: readonly ScoringResult[];
  settings: GateSettings;
  /** References; 0: there was nothing to run. */
  affected: number;
  /** References that ran and count for the verdict: not skipped, not in quarantine. */
  counted: number;
  /** References that base gates on and head removes, newly skips or quarantines, `suite: id`. */
  removed: readonly string[];
  /** References that ask something else than base does under their id, `suite: id`. */
  askedAnew: readonly string[];
  /** Falls under base's scoring that head's does not show. */
  underBase: readonly UnderBaseFinding[];
  unseen: Unseen;
  /** Checks that head drops, and rules that it introduces. They change no outcome. */
  weakened: readonly Reason[];
  /** Rubrics that were tested on labelled examples. */
  tested: number;
  /** Suites that preference alone judges and that have no answers of base to compare with. */
  preferenceAlone: readonly string[];
  /** The pass rates over all suites together, where they fell and no single suite explains it. */
  pool: { base: number; head: number } | null;
  /** Findings of features that make a suite red. */
  featureFindings: readonly FeatureFinding[];
  /** What features could not judge, as sentences. */
  unjudged: readonly string[];
  /** Suites in which head replaces a model that base asks. */
  replaced: readonly ReplacedModel[];
  /** An outside contributor changes something that is not used. */
  hasUnusedChanges: boolean;
  /** Why something of base, or of the base branch, cannot be compared with; null: nothing. */
  baseUnreadable: string | null;
}

export interface Decision {
  outcome: RunOutcome;
  reasons: Reason[];
}
