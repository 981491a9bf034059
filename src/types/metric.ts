import type { z } from 'zod';
import type { ExactJson } from './exact-json.ts';
import type { Json, Place, CodeLanguage, CodePlace } from './plain.ts';
import type {
  gradeSchema,
  levelSchema,
  objectScoreSchema,
  objectScoresSchema,
  outcomeSchema,
  scoreSchema,
  tallySchema,
} from './score-schema.ts';

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

export type MetricLevel = z.infer<typeof levelSchema>;

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

export type GradeRecord = z.infer<typeof gradeSchema>;

export type ObjectScore = z.infer<typeof objectScoreSchema>;

export type ObjectScores = z.infer<typeof objectScoresSchema>;

export type Score = z.infer<typeof scoreSchema>;

export type JsonSchema = boolean | { [key: string]: ExactJson };

export type SchemaFinding =
  { status: 'checked'; wrong: string | null } | { status: 'error'; message: string };

/** A try passes if every metric that affects the verdict passes. */
export type Outcome = z.infer<typeof outcomeSchema>;

/** How often one reference passed or failed on base or head. Most names are llmeval's. */
export type Tally = z.infer<typeof tallySchema>;
