import type { Usage } from './answer.ts';
import type { ExactJson } from './exact-json.ts';
import type { Json, Place, CodeLanguage, CodePlace } from './plain.ts';

export interface GraderSettings {
  model: string;
  parameters: Record<string, Json>;
  place: Place;
}

export interface DependsOn {
  name: string;
  type: 'function' | 'rubric' | null;
  kwargs: Record<string, Json> | null;
  metric_name: string | null;
  metric_level: MetricLevel | null;
  relative_object_position: number;
  metric_min_value: number;
  metric_max_value: number;
  place: Place;
}

export type MetricLevel = 'Message' | 'Turn' | 'Thread' | 'ToolCall';

export type MetricSource =
  | { kind: 'built-in'; uses: string; with: Record<string, Json> }
  | { kind: 'code'; language: CodeLanguage; code: string }
  | { kind: 'rubric'; rubric: string };

/** `none` means that neither direction is better. */
export type Better = 'higher' | 'lower' | 'none';

export interface Metric {
  name: string;
  source: MetricSource;
  /** Minimum to pass (maximum if lower is better). If null, the metric's own rule applies. */
  threshold: number | null;
  /** The direction in the file. If absent, that of the built-in metric or the rubric. */
  better?: Better;
  min?: number;
  max?: number;
  pass?: string[];
  level: MetricLevel;
  /**
   * Judges every object of its level, and passes at this share (0–1]. Below 1, the share itself is
   * compared. If absent, judges only the last object.
   */
  every?: number;
  depends_on: DependsOn[];
  skip: boolean;
  graders?: GraderSettings[];
  codeAt?: CodePlace;
  valuesFile?: string;
  /** Facts from a built-in metric's definition. They are not part of the metric's identity. */
  definition?: { asks?: 'model' | 'embeddings'; better: Better; expects?: true };
  place: Place;
}

export interface Rubric {
  name: string;
  prompt: string;
  /** Maps each label to its score. Labels are text, even if YAML would read them otherwise. */
  choice_scores: ReadonlyMap<string, number>;
  /** If absent, the direction is unspecified, and the scores alone do not affect the gate. */
  better?: Better;
  pass?: readonly string[];
  eval_type: 'classify' | 'cot_classify' | 'classify_cot';
  notes: string | null;
  /** `expected` is the label that a human gave. `ideal` is the text for `{expected}`. */
  examples: {
    content: string;
    context: string | null;
    ideal: string | null;
    expected: string;
    place: Place;
  }[];
  place: Place;
}

export interface GradeRecord {
  prompt: string;
  replies: {
    grader: string;
    /** Null if unreadable. Absent in older results. */
    label?: string | null;
    reply: string;
    usage: Usage | null;
  }[];
}

export interface ObjectScore {
  /** Index among those objects of the dialogue that have this level. */
  at: number;
  /** The number of the scripted turn, from 1. */
  turn?: number;
  status: 'pass' | 'fail' | 'ungraded' | 'error' | 'skipped';
  value: Json;
  reason: string | null;
  /** Set if the check's own code raised an exception. */
  raised?: true;
  label?: string;
  grade?: GradeRecord;
}

export interface ObjectScores {
  level: MetricLevel;
  scores: ObjectScore[];
}

/** One metric's score of one answer. Rates count only pass and fail. */
export type Score =
  | {
      metric: string;
      status: 'pass' | 'fail';
      value: Json;
      reason: string | null;
      skip: boolean;
      /** Set if the check's own code raised an exception for every judged object. */
      raised?: true;
      label?: string;
      objects?: ObjectScores;
      grade?: GradeRecord;
    }
  | {
      metric: string;
      status: 'ungraded' | 'error' | 'skipped';
      value: null;
      reason: string;
      skip: boolean;
      objects?: ObjectScores;
      grade?: GradeRecord;
    };

export type JsonSchema = boolean | { [key: string]: ExactJson };

export type SchemaFinding =
  { status: 'checked'; wrong: string | null } | { status: 'error'; message: string };

/** Checks values in a process that can be stopped. Returns one finding per value, in order. */
export type CheckSchema = (
  schema: JsonSchema,
  values: readonly ExactJson[],
) => Promise<SchemaFinding[]>;

/** The result of a try. It is `pass` if every metric that affects the gate passes. */
export type Outcome = 'pass' | 'fail' | 'ungraded' | 'error' | 'skipped';

/**
 * Counts over a reference's metrics and tries on one side. The keys are llmeval's, and some that
 * count skipped scores.
 */
export interface Tally {
  num_passes: number;
  num_fails: number;
  num_skip_passes: number;
  num_skip_fails: number;
  num_tries: number;
  num_metrics: number;
  num_ungraded: number;
  num_errors: number;
}
