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

/** The `fail_on` setting of its suite. */
export interface UnderBaseFinding {
  reason: ReasonOf<'worse-under-base' | 'mean-under-base'>;
  failOn: GateSettings['fail_on'];
}

/** What was judged on base but not on head. */
export interface Unseen {
  /** Any of these keeps the run from being green. */
  blocking: readonly Reason[];
  /** Warnings: metrics that apply to fewer of head's answers, possibly for a good reason. */
  warnings: readonly Reason[];
}

export interface FeatureFinding {
  suite: Pick<SuiteResult, 'path' | 'name' | 'variant'>;
  text: string;
}

/** Everything that determines the outcome of a run. */
export interface GateInput {
  mode: Result['mode'];
  suites: readonly SuiteResult[];
  scoring: readonly ScoringResult[];
  settings: GateSettings;
  /** References to run; 0: nothing to run. */
  affected: number;
  /** References that ran and count for the verdict: not skipped and not quarantined. */
  counted: number;
  /** `suite: id` of gating references of base that head removes, newly skips or quarantines. */
  removed: readonly string[];
  /** `suite: id` of references whose question differs from base's under the same id. */
  askedAnew: readonly string[];
  /** Falls under base's scoring that head's scoring does not show. */
  underBase: readonly UnderBaseFinding[];
  unseen: Unseen;
  /** Checks that head drops or relaxes. They do not affect the outcome. */
  weakened: readonly Reason[];
  /** Rubrics checked on labelled examples. */
  tested: number;
  /** Suites judged only by preference whose base has no answers to compare with. */
  preferenceAlone: readonly string[];
  /** Pass rates over all suites, if they fell and no single suite explains it. */
  pool: { base: number; head: number } | null;
  featureFindings: readonly FeatureFinding[];
  /** What features could not judge, as sentences. */
  unjudged: readonly string[];
  /** Suites in which head replaces a model that base calls. */
  replaced: readonly ReplacedModel[];
  /** An external contributor changed something that this run does not use. */
  hasUnusedChanges: boolean;
  /** Why base or the base branch cannot be used for comparison; null: it can. */
  baseUnreadable: string | null;
}

export interface Decision {
  outcome: RunOutcome;
  reasons: Reason[];
}
