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
  /** Metrics that judge fewer answers on head than on base, perhaps with good reason. */
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
  affected: number;
  /** Number of references that ran and are not skipped or quarantined. */
  counted: number;
  /**
   * References (`suite: id`) that affect the gate on base, but that head removes, skips or
   * quarantines.
   */
  removed: readonly string[];
  /** References (`suite: id`) that have a different question on base. */
  askedAnew: readonly string[];
  /** Drops that appear only if base's scoring (metrics, rubrics, graders) judges the answers. */
  underBase: readonly UnderBaseFinding[];
  unseen: Unseen;
  /**
   * Checks that head removes or makes less strict. Reports show them, but the verdict ignores them.
   */
  weakened: readonly Reason[];
  tested: number;
  /** Suites that need a comparison with base's answers, although base has none. */
  preferenceAlone: readonly string[];
  /** Set if the pass rate of all suites together fell, and no individual suite explains this. */
  pool: { base: number; head: number } | null;
  featureFindings: readonly FeatureFinding[];
  unjudged: readonly string[];
  replaced: readonly ReplacedModel[];
  /** An outside contributor changed something that this run does not use. */
  hasUnusedChanges: boolean;
  notRun: readonly ReasonOf<'not-run'>[];
  /** What could not be read on base, or changed without being read. */
  unread: readonly string[];
}

export interface Decision {
  outcome: RunOutcome;
  reasons: Reason[];
}
