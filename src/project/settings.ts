import type { z } from 'zod';
import type { GateSettings } from '../kernel/suite/gate-settings.ts';
import type { Suite } from '../kernel/suite/suite.ts';
import type { GivenPace } from '../types/endpoints.ts';
import type { GraderSettings, Rubric } from '../types/metric.ts';
import type { ProviderName, PublicModel, Transport } from '../types/model.ts';
import type { Notice, Place, Scalar } from '../types/plain.ts';
import type { ChatApi } from '../types/vendors/names.ts';

/**
 * In US dollars per million tokens. `cached` is for input from the server's cache. Default:
 * `input`.
 */
export interface GivenPrice {
  input: number;
  output: number;
  cached?: number;
}

export interface ModelSettings {
  provider: ProviderName;
  /** Null means the vendor's public host. */
  endpoint: string | null;
  model: string;
  api?: ChatApi;
  is?: PublicModel;
  price: GivenPrice | null;
  /**
   * Only for `program`: the command, globs of the program's files, and the command that prepares
   * the checkout.
   */
  command: string[];
  files: string[];
  setup: string[];
  /** `try`: a new process for each try. Default: one process for all tries of a side. */
  process?: 'try';
  /**
   * Only for agents. `further`: other models of the same server. `most` and `usd` limit one run.
   * `afterwards`: what the agent prepares for the metrics after a run.
   */
  calls?: {
    model: string;
    further: readonly string[];
    most: number;
    usd: number;
    afterwards: readonly string[];
  };
  file: string | null;
  replaces: string[];
  /** For full sweeps (runs of all tests). Default: the settings' `transport`. */
  transport?: Transport;
  pace?: GivenPace;
  place: Place;
}

export interface Budget {
  max_calls: number | null;
  max_cost_usd: number | null;
  /** Where the file sets a cap. A cap without a place is the default. */
  written?: { max_calls?: Place; max_cost_usd?: Place };
}

/**
 * Features add their keys: `declare module '…/project/settings.ts' { interface FeatureSettings { …
 * } }`.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface FeatureSettings {}

export interface Settings extends FeatureSettings {
  file: string | null;
  prompts: string[];
  rubrics: string[];
  n_tries: number | 'adaptive';
  seed: number;
  models: ReadonlyMap<string, ModelSettings>;
  grader: GraderSettings | null;
  /** The other graders, if `grader` is a list. The majority of all graders decides. */
  voters: GraderSettings[];
  /** For `embedding_similarity` metrics that do not name a model. */
  embeddings: GraderSettings | null;
  sweep: Record<string, Scalar[]>;
  sweepPlace?: Place;
  gate: GateSettings;
  budget: Budget;
  transport?: Transport;
}

export interface OwnSettings {
  key: string;
  schema: z.ZodType;
  /** The members that an override `key.member=value` may set. */
  members: readonly string[];
  /**
   * Whether a pull request uses base's value. Must be true for keys that cost money or can turn the
   * check red.
   */
  fromBase(gate: GateSettings): boolean;
  files?(value: unknown): string[];
}

export interface Project {
  settings: Settings;
  suites: Suite[];
  rubrics: ReadonlyMap<string, Rubric>;
  notices: Notice[];
}
