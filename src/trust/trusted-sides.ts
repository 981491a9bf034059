import type { Reason, ReasonOf } from '../kernel/result/reason.ts';
import type { GateSettings } from '../kernel/suite/gate-settings.ts';
import type { Budget, Project } from '../project/settings.ts';
import type { Notice, Side } from '../types/plain.ts';

/** Suites that do not run for an outside contributor, although head changes them. */
export type NotRun = Omit<ReasonOf<'not-run'>, 'code' | 'fails'>;

export interface TrustedSides {
  base: Project | null;
  head: Project;
  gate: GateSettings;
  budget: Budget;
  /** The side whose programs and recorded answers are used. */
  models: Side;
  ownRules: Reason[];
  /** Suites that head changes, but that do not run for an outside contributor. */
  notRun: NotRun[];
  notices: Notice[];
}
