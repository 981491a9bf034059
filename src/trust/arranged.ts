import type { GateSettings } from '../kernel/suite/gate-settings.ts';
import type { Budget, Project } from '../kernel/suite/suite.ts';
import type { Notice, Side } from '../types/plain.ts';

/**
 * Both sides as they may be run at a level of trust: what a pull request must not choose has been
 * put back to base's.
 */
export interface Arranged {
  base: Project | null;
  head: Project;
  gate: GateSettings;
  budget: Budget;
  /** Whose commit programs and recordings of models are read from. */
  models: Side;
  /** What a pull request may choose of the rules it is judged by, in sentences. */
  ownRules: string[];
  notices: Notice[];
}
