import type { ArtifactLibrary } from '../artifact/parts.ts';
import type { Inputs } from '../config/inputs.ts';
import type { TrustDecision } from '../core/select/trust.ts';
import type { Store } from '../store/index.ts';
import type { EventFacts } from '../types.ts';
import type { Access } from '../world/access.ts';
import type { Halting } from '../world/halt.ts';

/** What the runner gives an action to speak with. */
export interface Runner {
  /** Filtered before it is written: the job log is an interpreter. */
  info(text: string): void;
  /** These escape their message themselves. */
  notice(text: string): void;
  warning(text: string): void;
  error(text: string, place?: { file?: string; startLine?: number }): void;
  output(name: string, value: string | number): void;
}

export interface Job {
  inputs: Inputs;
  access: Access;
  facts: EventFacts;
  mode: 'diff' | 'sweep' | 'merge' | 'noise';
  trust: TrustDecision;
  /** Absolute path of the checkout. */
  workspace: string;
  env: NodeJS.ProcessEnv;
  secrets: readonly string[];
  runner: Runner;
  now(): Date;
  /** Loads what speaks to the artifact service; absent: `@actions/artifact`. */
  artifacts?: () => Promise<ArtifactLibrary>;
}

/** A job with what ends it and what it may reuse. */
export interface RunningJob extends Job {
  halting: Halting;
  /** Restores and opens what answers are reused from, at the first call. */
  openStores(): Promise<readonly Store[]>;
}
