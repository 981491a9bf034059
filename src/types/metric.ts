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

/** `both`: the turns of either side. As in FlexEval, a tool's messages are the assistant's. */
export type JudgedSide = 'user' | 'both';

export type MetricSource =
  | { kind: 'built-in'; uses: string; with: Record<string, Json> }
  | { kind: 'code'; language: CodeLanguage; code: string; modules?: Record<string, string> }
  | { kind: 'rubric'; rubric: string };

export type Better = 'higher' | 'lower' | 'none';

export interface Metric {
  name: string;
  source: MetricSource;
  /** Lowest passing value (highest, if lower is better). Null: the metric's own rule applies. */
  threshold: number | null;
  /** Default: the direction of the built-in metric or rubric. */
  better?: Better;
  min?: number;
  max?: number;
  pass?: string[];
  level: MetricLevel;
  /** Default: the assistant. */
  of?: JudgedSide;
  /**
   * The share (0–1] of the level's objects (such as turns) that must pass. Default: only the last
   * object is judged.
   */
  every?: number;
  depends_on: DependsOn[];
  skip: boolean;
  graders?: GraderSettings[];
  codeAt?: CodePlace;
  valuesFile?: string;
  definition?: {
    asks?: 'model' | 'embeddings';
    /** Asked for moderation. */
    ownModel?: string;
    better: Better;
    expects?: true;
    limits?: readonly string[];
  };
  place: Place;
}

export interface Rubric {
  name: string;
  prompt: string;
  /** Scores by label. Labels are text, even if YAML would read another type. */
  choice_scores: ReadonlyMap<string, number>;
  /** If absent, scores do not affect the verdict; only `pass` can. */
  better?: Better;
  pass?: readonly string[];
  eval_type: 'classify' | 'cot_classify' | 'classify_cot';
  notes: string | null;
  /** `expected`: the label that a person chose. `ideal` replaces `{expected}` in the prompt. */
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
    /** Null if the reply has no label. Absent in older results. */
    label?: string | null;
    reply: string;
    usage: Usage | null;
  }[];
}

export interface ObjectScore {
  at: number;
  /** Number of the scripted turn, from 1. */
  turn?: number;
  status: 'pass' | 'fail' | 'ungraded' | 'error' | 'skipped';
  value: Json;
  reason: string | null;
  raised?: true;
  label?: string;
  grade?: GradeRecord;
}

export interface ObjectScores {
  level: MetricLevel;
  scores: ObjectScore[];
}

export type Score =
  | {
      metric: string;
      status: 'pass' | 'fail';
      value: Json;
      reason: string | null;
      skip: boolean;
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

/** A try passes if every metric that affects the verdict passes. */
export type Outcome = 'pass' | 'fail' | 'ungraded' | 'error' | 'skipped';

/** How often one reference passed or failed on base or head. Most names are llmeval's. */
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
