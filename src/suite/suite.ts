import { z } from 'zod';
import type { GivenPace } from '../types/endpoints.ts';
import type { GraderSettings, Metric, Rubric } from '../types/metric.ts';
import type { CodeLanguage, CodePlace, Message, ProviderName, Transport } from '../types/model.ts';
import type { Json, Notice, Place, Scalar, CodeValues } from '../types/plain.ts';
import type { GateSettings, SuiteGate } from './gate-settings.ts';

/** Dollars per million tokens; `cached`: of what the server read from its cache, absent: as `input`. */
export interface GivenPrice {
  input: number;
  output: number;
  cached?: number;
}

export interface ModelSettings {
  provider: ProviderName;
  /** Name of an address given by the workflow (`endpoints`); null: the vendor's public host. */
  endpoint: string | null;
  /** The name sent to the vendor. */
  model: string;
  /** Dollars per million tokens, of a call that is answered at once. */
  price: GivenPrice | null;
  /** `program`: command line, the files it is made of (globs), and what prepares the checkout. */
  command: string[];
  files: string[];
  setup: string[];
  /** `replay`: the recordings. */
  file: string | null;
  replaces: string[];
  /** How full sweeps ask it; absent: as the settings' own `transport` says. */
  transport?: Transport;
  /** How fast it is asked; absent: as fast as its server lets us. */
  pace?: GivenPace;
  place: Place;
}

export interface Budget {
  max_calls: number | null;
  max_cost_usd: number | null;
  /** The cap on cost is the default, which nobody wrote. */
  assumed?: true;
}

/** How the attributes that got worse are worked out. */
export interface QualEvalSettings {
  enabled: 'auto' | 'on' | 'off';
  /** The file of attributes that people chose. */
  attributes: string;
  /** Most attributes of each kind. */
  max_attributes: number;
  /** How far the number of an attribute's references may lie off its prior, as a share, 0–1. */
  slack: number;
  /** Rate answers too, for the skill alignment. */
  alignment: boolean;
  /** The metric whose passes are counted; null: tries as a whole. */
  metric: string | null;
}

/** How the lines that made something worse are found (the settings' `explain`). */
export interface CauseSettings {
  /** Most calls of a run for it; 0: none is looked for; null: half of what the comparison took. */
  max_calls: number | null;
  /** Look for a fix, too, and run it. */
  fix: boolean;
}

export interface Settings {
  /** The settings file read, or null when the project has none. */
  file: string | null;
  prompts: string[];
  rubrics: string[];
  n_tries: number | 'adaptive';
  seed: number;
  models: ReadonlyMap<string, ModelSettings>;
  grader: GraderSettings | null;
  /**
   * Further graders: each of them grades too, and the majority decides. Empty unless `grader` is a
   * list.
   */
  voters: GraderSettings[];
  /** Gives the vectors that `embedding_similarity` compares, unless the metric names another. */
  embeddings: GraderSettings | null;
  sweep: Record<string, Scalar[]>;
  gate: GateSettings;
  budget: Budget;
  qualeval: QualEvalSettings;
  explain: CauseSettings;
  /**
   * How full sweeps ask the models that vendors batch and that say nothing of it themselves;
   * absent: direct.
   */
  transport?: Transport;
}

/** What was made for one reference: messages, or why there are none. */
export type MadePrompt = { ok: true; messages: Message[] } | { ok: false; why: string };

export interface Prompt {
  file: string;
  name: string;
  /** The model's name as written; null only for a prompt that computes its output with `code`. */
  model: string | null;
  /** Every other scalar of the file, passed to the vendor as written. */
  parameters: Record<string, Json>;
  variables: { name: string; place: Place }[];
  /** `written`: as its file has it, where that is another tool's template; absent: as `content`. */
  messages: (Message & { place: Place; written?: string })[];
  /**
   * What is sent, where it is made for each reference while the project is read, by the canonical
   * JSON of its input; `messages` are then what it is made from. Absent: they are filled in.
   */
  made?: ReadonlyMap<string, MadePrompt>;
  code: { source: string; language: CodeLanguage; at?: CodePlace; place: Place } | null;
  /** Where each top-level key is written: in this file, or in one that its defaults bring in. */
  places: Readonly<Record<string, Place>>;
}

/** Where a key of a prompt is written; the file as a whole where nobody wrote it. */
export function keyPlace({ file, places }: Pick<Prompt, 'file' | 'places'>, key: string): Place {
  return places[key] ?? { file, line: 0 };
}

export type Rollup =
  | { kind: 'named'; policy: 'all' | 'any' | 'majority' }
  | { kind: 'at_least'; k: number }
  | { kind: 'pass_rate'; min: number }
  | {
      kind: 'code';
      name: string;
      language: CodeLanguage;
      code: string;
      at?: CodePlace;
      place: Place;
    };

/**
 * Part of a reference → column (of a table) or member (of an object) that it is read from. `input`
 * may map each variable. A part that is not named is read under its own name.
 */
export interface Columns {
  id?: string | undefined;
  expected?: string | undefined;
  tags?: string | undefined;
  skip?: string | undefined;
  cluster?: string | undefined;
  input?: string | Record<string, string> | undefined;
}

export interface Reference {
  /** Given, or a hash of the input; unique in its suite. */
  id: string;
  place: Place;
  /** Numbers and truth values that print differently than they are written are text (`12.50`). */
  input: Record<string, Scalar>;
  /** Files that values are the text of, by the value's name; absent: they stand where it does. */
  inputFiles?: Readonly<Record<string, string>>;
  /** How a row of a data file is read; absent: it is written in our own form. */
  columns?: Columns;
  /**
   * Given messages in place of a rendered prompt (recorded dialogues); null for ordinary
   * references.
   */
  thread: Message[] | null;
  /** Said after the last answer of a recorded dialogue, which nobody answers; absent: nothing. */
  after?: Message[];
  /** As written, like `input`, also in a list; undefined when absent. */
  expected: Json | undefined;
  /** The values of what is text in `input` and `expected` because it prints differently. */
  values?: CodeValues;
  skip: boolean;
  tags: string[];
  n_tries: number | null;
  /** What code sees of it as `dialogue.metadata`; absent: nothing. */
  metadata?: Record<string, Json>;
  /** References with one name here move together (templates of one text); absent: alone. */
  cluster?: string;
  /** Judge this reference besides the suite's metrics. */
  metrics?: Metric[];
  /**
   * Why this reference cannot run (a variable without a value, say); it is then an `error`, and the
   * rest runs.
   */
  problem: string | null;
  /** The line that has to change for that; absent: the reference's own. */
  problemAt?: Place;
}

export interface Conversation {
  max_steps: number;
  evaluators: { model: string; parameters: Record<string, Json>; place: Place }[];
  criteria: Criterion[];
  instructions: string | null;
  /**
   * Dialogues that people accepted or rejected, by which the evaluators themselves are judged. The
   * last message is an answer.
   */
  examples: { messages: Message[]; accepted: boolean; place: Place }[];
  place: Place;
}

export const criterionSchema = z.strictObject({
  name: z.string().describe('Name of the criterion.'),
  combine: z.enum(['all', 'any', 'majority']).describe("How several evaluators' words become one."),
});

/** What evaluators answer yes or no to, and how several evaluators' words become one. */
export type Criterion = z.infer<typeof criterionSchema>;

export interface Tests {
  file: string;
  /** Whose file they are read from in place, `promptfoo` say; absent: ours. */
  tool?: string;
  n_tries: number | 'adaptive' | null;
  skip: boolean;
  metrics: Metric[];
  rollup: Rollup;
  references: Reference[];
  conversation: Conversation | null;
  quarantine: { id: string; reason: string; until: string; place: Place }[];
  /** Absent: the settings' gate holds as it is. */
  gate?: SuiteGate;
  /** Where that gate stands. */
  gatePlace?: Place;
}

/** A prompt with its tests at one commit. */
export interface Suite {
  prompt: Prompt;
  tests: Tests;
}

/** Everything read from one commit. */
export interface Project {
  settings: Settings;
  suites: Suite[];
  rubrics: ReadonlyMap<string, Rubric>;
  notices: Notice[];
}

export const variantSchema = z.strictObject({
  model: z
    .string()
    .nullable()
    .describe('The model as the prompt names it; null: code computes the output.'),
  parameters: z
    .record(z.string(), z.json() as z.ZodType<Json, Json>)
    .describe('What is sent to the vendor beside the messages.'),
});

/** Model and parameters of one column of results. */
export type Variant = z.infer<typeof variantSchema>;

/** `gpt-4o, temperature 0`; empty for a prompt that computes its output without a parameter. */
export function variantWords(variant: Variant): string {
  return [...variantParts(variant)]
    .map(([name, value]) => (name === 'model' ? value : `${name} ${value}`))
    .join(', ');
}

/** Only what differs: `temperature 0 → 0.2, top_p none → 1`. */
export function variantChanges(base: Variant, head: Variant): string {
  const [before, after] = [variantParts(base), variantParts(head)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name} ${before.get(name) ?? 'none'} → ${after.get(name) ?? 'none'}`)
    .join(', ');
}

function variantParts({ model, parameters }: Variant): Map<string, string> {
  const named = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new Map([...(model === null ? [] : [['model', model] as const]), ...named]);
}
