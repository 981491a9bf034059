import type { ExactJson } from './exact-json.ts';
import type { CodeLanguage, CodePlace, Usage } from './model.ts';
import type { Json, Place } from './plain.ts';

/** A model that grades or gives embeddings, as a file names it. */
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

/** What a metric is made of: exactly one of the file's `uses`, `rubric` and `code`. */
export type MetricSource =
  | { kind: 'built-in'; uses: string; with: Record<string, Json> }
  | { kind: 'code'; language: CodeLanguage; code: string }
  | { kind: 'rubric'; rubric: string };

/** Which way a value should move; `none`: neither way is better. */
export type Better = 'higher' | 'lower' | 'none';

export interface Metric {
  name: string;
  source: MetricSource;
  /**
   * Passes when the value reaches it (where less is better: does not exceed it); null: the metric's
   * own rule.
   */
  threshold: number | null;
  /** As the file says; absent: as the built-in metric or the rubric says. */
  better?: Better;
  /** Bounds within which the value passes, both inclusive. */
  min?: number;
  max?: number;
  /** Labels of its rubric that pass, in place of the rubric's own. */
  pass?: string[];
  level: MetricLevel;
  /**
   * Judges every object of its level, and passes when this share of them does (0–1]; absent: the
   * last object alone is judged.
   */
  every?: number;
  depends_on: DependsOn[];
  /** Runs and is shown, but does not gate. */
  skip: boolean;
  /**
   * Asked in place of the settings' graders: one, or several that vote. Absent: those of the
   * settings.
   */
  graders?: GraderSettings[];
  /** Where its code stands; absent for other metrics. */
  codeAt?: CodePlace;
  /** The file its values are read from; absent where they stand with it. */
  valuesFile?: string;
  place: Place;
}

export interface Rubric {
  name: string;
  prompt: string;
  /** Label → score; labels are text even when YAML would read them otherwise. */
  choice_scores: ReadonlyMap<string, number>;
  /** Absent: the file does not say, and the rubric's scores alone gate nothing. */
  better?: Better;
  /** Labels that pass; absent: those of the best score. */
  pass?: readonly string[];
  eval_type: 'classify' | 'cot_classify' | 'classify_cot';
  notes: string | null;
  /**
   * Labelled examples: `expected` is the label people give, `ideal` what the rubric's `{expected}`
   * shows.
   */
  examples: {
    content: string;
    context: string | null;
    ideal: string | null;
    expected: string;
    place: Place;
  }[];
  place: Place;
}

/** What a grade rests on: the rubric as it was filled in, and what each grader replied to it. */
export interface GradeRecord {
  prompt: string;
  replies: {
    grader: string;
    /** Null: none could be read. Absent in older results. */
    label?: string | null;
    reply: string;
    usage: Usage | null;
  }[];
}

/** One metric on one object of a dialogue: a turn, a message, a tool call. */
export interface ObjectScore {
  /** Position among the dialogue's objects of that level, from 0. */
  at: number;
  status: 'pass' | 'fail' | 'ungraded' | 'error' | 'skipped';
  /** Null where it was not measured. */
  value: Json;
  reason: string | null;
  /** The check's own code broke on it. */
  raised?: true;
  /** The rubric's label behind the value. */
  label?: string;
  grade?: GradeRecord;
}

/** A metric on every object of its level, in their order. */
export interface ObjectScores {
  level: MetricLevel;
  scores: ObjectScore[];
}

/** One metric on one answer. Only pass and fail ever enter a rate. */
export type Score =
  | {
      metric: string;
      status: 'pass' | 'fail';
      value: Json;
      reason: string | null;
      skip: boolean;
      /** The check's own code broke on this answer, or on each of its judged objects. */
      raised?: true;
      /** The rubric's label behind the value. */
      label?: string;
      /** What it is made of, where the metric judges every object. */
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

/** What a value came to under a schema; `wrong` is null where it fits. */
export type SchemaFinding =
  { status: 'checked'; wrong: string | null } | { status: 'error'; message: string };

/** Holds values against a schema where it can be stopped; one finding per value, in their order. */
export type CheckSchema = (
  schema: JsonSchema,
  values: readonly ExactJson[],
) => Promise<SchemaFinding[]>;

/** A try as a whole: pass when every gating metric passes in it. */
export type Outcome = 'pass' | 'fail' | 'ungraded' | 'error' | 'skipped';

/**
 * Counts over all metrics and tries of one reference on one side, with llmeval's meaning: skipped
 * ones are inside.
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
