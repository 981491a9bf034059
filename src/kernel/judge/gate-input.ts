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

export interface UnderBaseFinding {
  reason: ReasonOf<'worse-under-base' | 'mean-under-base'>;
  failOn: GateSettings['fail_on'];
}

/** What was judged on base but not on head. */
export interface Unseen {
  blocking: readonly Reason[];
  /** Metrics that apply to fewer of head's answers. There may be a good reason. */
  warnings: readonly Reason[];
}

export interface FeatureFinding {
  suite: Pick<SuiteResult, 'path' | 'name' | 'variant'>;
  text: string;
}

export interface GateInput {
  mode: Result['mode'];
  suites: readonly SuiteResult[];
  scoring: readonly ScoringResult[];
  settings: GateSettings;
  /** The number of references to run. */
  affected: number;
  /** How many of them ran and are neither skipped nor quarantined. */
  counted: number;
  /** `suite: id` of references that count on base, but that head removes, skips or quarantines. */
  removed: readonly string[];
  /** `suite: id` of references whose id exists on base but whose question is not the same there. */
  askedAnew: readonly string[];
  /** Drops that only base's scoring (its metrics, rubrics and graders) shows. */
  underBase: readonly UnderBaseFinding[];
  unseen: Unseen;
  /** Checks that head removes or makes less strict. They do not affect the outcome. */
  weakened: readonly Reason[];
  /** The number of rubrics tested on labelled examples. */
  tested: number;
  /** Suites judged only by preference, without base answers to compare with. */
  preferenceAlone: readonly string[];
  /** Set if the pass rate of all suites together fell and no individual suite explains the fall. */
  pool: { base: number; head: number } | null;
  featureFindings: readonly FeatureFinding[];
  unjudged: readonly string[];
  replaced: readonly ReplacedModel[];
  /** An outside contributor changed something that this run does not use. */
  hasUnusedChanges: boolean;
  baseUnreadable: string | null;
}

export interface Decision {
  outcome: RunOutcome;
  reasons: Reason[];
}
