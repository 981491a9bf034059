import type { z } from 'zod';
import type { GateSettings } from '../kernel/suite/gate-settings.ts';
import type { Suite } from '../kernel/suite/suite.ts';
import type { GivenPace } from '../types/endpoints.ts';
import type { GraderSettings, Rubric } from '../types/metric.ts';
import type { ProviderName, PublicModel, Transport } from '../types/model.ts';
import type { Notice, Place, Scalar } from '../types/plain.ts';
import type { ChatApi } from '../types/vendors/names.ts';

/**
 * US dollars per million tokens. `cached` is the price of input from the server's cache, by default
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
   * Only for `program`: the command line, its files (globs), and the command that prepares the
   * checkout.
   */
  command: string[];
  files: string[];
  setup: string[];
  /** Starts a new process for each try. Default: one process per side. */
  process?: 'try';
  /**
   * The model that an agent calls, the limits of one run (calls and US dollars), and what its
   * metrics need after a run.
   */
  calls?: { model: string; most: number; usd: number; afterwards: readonly string[] };
  file: string | null;
  replaces: string[];
  /** Used in full sweeps. Default: the settings' `transport`. */
  transport?: Transport;
  pace?: GivenPace;
  place: Place;
}

export interface Budget {
  max_calls: number | null;
  max_cost_usd: number | null;
  assumed?: true;
}

/**
 * A feature adds its keys with `declare module '…/project/settings.ts' { interface FeatureSettings
 * { … } }`.
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
  /** More graders, if `grader` is a list. The majority decides. */
  voters: GraderSettings[];
  /** Used by `embedding_similarity` metrics that name no model. */
  embeddings: GraderSettings | null;
  sweep: Record<string, Scalar[]>;
  gate: GateSettings;
  budget: Budget;
  transport?: Transport;
}

export interface OwnSettings {
  key: string;
  schema: z.ZodType;
  /** Members that a line `key.member=value` may set. */
  members: readonly string[];
  /**
   * Whether base's value applies in a pull request. Must be true if the key costs money or can turn
   * the check red.
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
