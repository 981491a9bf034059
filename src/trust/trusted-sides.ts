import type { Reason } from '../kernel/result/reason.ts';
import type { GateSettings } from '../kernel/suite/gate-settings.ts';
import type { Budget, Project } from '../project/settings.ts';
import type { Notice, Side } from '../types/plain.ts';

/**
 * Both sides after the trust level was applied. Base's values replace what a pull request must not
 * choose.
 */
export interface TrustedSides {
  base: Project | null;
  head: Project;
  gate: GateSettings;
  budget: Budget;
  /** The side whose commit contains programs and recorded answers. */
  models: Side;
  ownRules: Reason[];
  notices: Notice[];
}
