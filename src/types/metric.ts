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

/** `none`: neither direction is better. */
export type Better = 'higher' | 'lower' | 'none';

export interface Metric {
  name: string;
  source: MetricSource;
  /** Minimum to pass (maximum if lower is better); null: the metric's own rule. */
  threshold: number | null;
  /** From the file; absent: the built-in metric's or the rubric's. */
  better?: Better;
  /** Inclusive. */
  min?: number;
  max?: number;
  /** Overrides the rubric's passing labels. */
  pass?: string[];
  level: MetricLevel;
  /** Judges every object of its level; passes at this share (0–1]. Absent: the last object. */
  every?: number;
  depends_on: DependsOn[];
  skip: boolean;
  graders?: GraderSettings[];
  codeAt?: CodePlace;
  valuesFile?: string;
  /** Of a built-in metric, from its definition; not part of the metric's identity. */
  definition?: { asks?: 'model' | 'embeddings'; better: Better };
  place: Place;
}

export interface Rubric {
  name: string;
  prompt: string;
  /** Label → score; labels are text even if YAML would read them otherwise. */
  choice_scores: ReadonlyMap<string, number>;
  /** Absent: unspecified, and the scores alone do not gate. */
  better?: Better;
  /** Labels that pass; absent: those of the best score. */
  pass?: readonly string[];
  eval_type: 'classify' | 'cot_classify' | 'classify_cot';
  notes: string | null;
  /** `expected` is the human label, `ideal` the text for `{expected}`. */
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
    /** Null: unreadable. Absent in older results. */
    label?: string | null;
    reply: string;
    usage: Usage | null;
  }[];
}

export interface ObjectScore {
  /** Index among the dialogue's objects of that level. */
  at: number;
  status: 'pass' | 'fail' | 'ungraded' | 'error' | 'skipped';
  value: Json;
  reason: string | null;
  /** The check's own code raised. */
  raised?: true;
  label?: string;
  grade?: GradeRecord;
}

export interface ObjectScores {
  level: MetricLevel;
  scores: ObjectScore[];
}

/** One metric on one answer. Only pass and fail enter rates. */
export type Score =
  | {
      metric: string;
      status: 'pass' | 'fail';
      value: Json;
      reason: string | null;
      skip: boolean;
      /** Also if it raised on every judged object. */
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

/** A value checked with a schema; `wrong` is null if it fits. */
export type SchemaFinding =
  { status: 'checked'; wrong: string | null } | { status: 'error'; message: string };

/** Checks values in a process that can be stopped; one finding per value, in order. */
export type CheckSchema = (
  schema: JsonSchema,
  values: readonly ExactJson[],
) => Promise<SchemaFinding[]>;

/** A try as a whole: pass if every gating metric passes. */
export type Outcome = 'pass' | 'fail' | 'ungraded' | 'error' | 'skipped';

/** Counts over a reference's metrics and tries on one side; as in llmeval with skipped ones. */
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
