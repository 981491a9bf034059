/** The result (`result.json`): everything the renderers need. */
import type { AttributeResult, Insight } from './attributes.ts';
import type { ConversationResult, ConversationSummary } from './conversation.ts';
import type { EvaluatorResult, GraderResult } from './graders.ts';
import type { FinishReason, Purpose, Usage } from './model.ts';
import type { Json, Notice, Problem, Scalar } from './plain.ts';
import type { GateSettings, SuiteGate, Variant } from './project.ts';
import type { Outcome, Score, Tally } from './score.ts';

export type Conclusion = 'success' | 'failure' | 'neutral' | 'error';
export type TrustLevel = 'trusted' | 'member' | 'untrusted';
export type Verdict =
  | 'regressed'
  | 'improved'
  | 'unchanged'
  | 'inconclusive'
  | 'new'
  | 'removed'
  | 'not_compared'
  | 'no_data';
export type ReferenceStatus =
  | 'regressed'
  | 'improved'
  | 'unchanged'
  | 'flaky'
  | 'inconclusive'
  | 'added'
  | 'removed'
  | 'edited'
  | 'error'
  | 'ungraded'
  /** One side only (sweeps): the roll-up's word. */
  | 'pass'
  | 'fail';

export interface TryResult {
  try: number;
  outcome: Outcome;
  actual: string | null;
  error: string | null;
  scores: Score[];
  usage: Usage | null;
  latency_ms: number | null;
  reused: boolean;
  finish_reason: FinishReason | null;
  /** The dialogue, in suites with `conversation`. */
  conversation?: ConversationResult | null;
}

export interface SideResult {
  tally: Tally;
  /** The roll-up policy's word on this side; null when no try could be judged. */
  rollup: 'pass' | 'fail' | null;
  /** Tries that pass, and tries that pass or fail. */
  passes: number;
  tries_judged: number;
  tries: TryResult[];
}

export interface ReferenceResult {
  id: string;
  file: string;
  line: number;
  tags: string[];
  skip: boolean;
  /**
   * In quarantine on the day of the run: shown, and out of the verdict as with `skip`; absent: it
   * is not.
   */
  quarantined?: true;
  input: Record<string, Scalar>;
  expected: Json | null;
  status: ReferenceStatus;
  /**
   * One-sided p of "head passes less often", before adjustment, and the false-discovery rate at
   * which it would be called; null where not compared.
   */
  p: number | null;
  q: number | null;
  /**
   * How often what base asks passed in all tries that the store knows of; absent: it knows of none.
   */
  history?: MeasuredRate;
  base: SideResult | null;
  head: SideResult | null;
}

/** Why a suite runs: a key of the user's file that differs, or a side that lacks it. */
export interface Because {
  key: string;
  file: string;
}

export interface PassRate {
  /** 0–1 over the tries that all references share; null when nothing was judged. */
  base: number | null;
  head: number | null;
  difference: number | null;
  /** Two-sided 90 % interval of the difference. */
  low: number | null;
  high: number | null;
  /** One-sided mid-p of "head is worse". */
  p: number | null;
}

export interface SuiteResult {
  path: string;
  name: string;
  variant: Variant;
  /** Base's variant where it differs from head's. */
  base_variant: Variant | null;
  because: Because[];
  /** What the suite sets of the gate for itself; absent: nothing. */
  gate?: SuiteGate;
  pass_rate: PassRate;
  verdict: Verdict;
  /** One sentence with the numbers. */
  summary: string;
  /** Smallest fall of the pass rate that a run of this size usually sees, 0–1; null: none. */
  visible_drop: number | null;
  /** References × tries that were compared. */
  compared: { references: number; tries: number };
  references: ReferenceResult[];
  metrics: {
    name: string;
    base: number | null;
    head: number | null;
    judged_base: number;
    judged_head: number;
  }[];
  /** What only conversations have, in suites with `conversation`. */
  conversation?: ConversationSummary | null;
  /** Base's answers against head's, in suites with `pairwise_preference`. */
  preference?: PreferenceSummary | null;
  /** In suites whose expected values are a few labels, compared by `exact_match`. */
  classification?: ClassificationSummary | null;
  /**
   * In sweeps: dollars for a thousand calls like those made, whether paid for or reused; null: not
   * known.
   */
  cost_per_1000_calls?: number | null;
}

/** Comparisons of base's with head's answers: one for each reference and try. */
export interface PreferenceSummary {
  metric: string;
  /** Comparisons in which head's answer is preferred, in which base's is, and ties. */
  head: number;
  base: number;
  ties: number;
  /** Share preferred on head less share preferred on base, with a two-sided 90 % interval. */
  difference: number;
  low: number;
  high: number;
  /** One-sided mid-p of the sign test for "base's answers are preferred". */
  p: number;
  /** Whether the verdict rests on it: nothing else gates in the suite. */
  gates: boolean;
  summary: string;
}

export interface BothSides {
  base: number | null;
  head: number | null;
}

/**
 * Answers as labels, each try of a reference one item. Shares are 0–1; null where nothing was
 * answered, or never with that label.
 */
export interface ClassificationSummary {
  metric: string;
  accuracy: BothSides;
  /** Mean over the labels of F1, which is 0 for a label that is never right. */
  macro_f1: BothSides;
  /** In the order of the references; `references`: how many have the label. */
  labels: { label: string; references: number; precision: BothSides; recall: BothSides }[];
  /** Answers that are none of the labels. */
  other: BothSides;
}

export interface YardstickResult {
  path: string;
  name: string;
  /** Pass rates, outputs × yardstick: `base_head` is base's outputs under head's yardstick. */
  rates: {
    base_base: number | null;
    base_head: number | null;
    head_base: number | null;
    head_head: number | null;
  };
  /** head_head − base_head, base_head − base_base, and their sum. */
  prompt_effect: number | null;
  yardstick_effect: number | null;
  total: number | null;
  because: Because[];
  /** References whose word on base's outputs differs between the yardsticks. */
  flipped: { id: string; from: Outcome; to: Outcome }[];
  /**
   * Tries of base's own answers that both yardsticks judged: changes of their word, McNemar's
   * two-sided mid-p, Cohen's kappa.
   */
  same_answers: {
    judged: number;
    pass_fail: number;
    fail_pass: number;
    p: number;
    kappa: number | null;
  };
  summary: string;
}

export interface UsageTotals {
  calls: number;
  reused: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
  /**
   * Every call that was made went to a program of the project whose price nobody gave, or to
   * recordings; absent: not so.
   */
  unpriced?: 'programs';
  /**
   * What reused answers would have cost; null: not known for all of them. Absent in results of
   * before it was counted.
   */
  saved_usd?: number | null | undefined;
  by_purpose: Partial<
    Record<
      Purpose,
      {
        calls: number;
        reused: number;
        cost_usd: number | null;
        saved_usd?: number | null | undefined;
      }
    >
  >;
}

export interface Result {
  schema_version: 1;
  mode: 'diff' | 'sweep';
  conclusion: Conclusion;
  /** One line, at most 255 characters. */
  title: string;
  reasons: string[];
  trust: TrustLevel;
  base: { sha: string } | null;
  head: { sha: string };
  /** The settings the gate used. */
  gate: GateSettings;
  n_tries: number | 'adaptive';
  suites: SuiteResult[];
  yardstick: YardstickResult[];
  attributes: AttributeResult[];
  insights: Insight[];
  graders: GraderResult[];
  /** Where a change touches a suite's evaluators and the suite has labelled answers. */
  evaluators?: EvaluatorResult[];
  notices: Notice[];
  /** What the user has to mend; empty unless the conclusion is `error`. */
  problems: Problem[];
  usage: UsageTotals;
  /**
   * How often this project's gate was last measured to go red when nothing changed; null: it was
   * not, as far as is known.
   */
  noise: NoiseNote | null;
  /** Who set a red verdict aside, and why; null: nobody did. */
  override: Override | null;
  /**
   * Tries that the adaptive suites made, and what five fixed tries would have made; null without an
   * adaptive suite.
   */
  adaptive_tries: { made: number; fixed: number } | null;
}

/**
 * `red` of `runs` comparisons of base with itself; `low` to `high` is the share's 95 % interval
 * (Wilson).
 */
export interface NoiseNote {
  red: number;
  runs: number;
  low: number;
  high: number;
  /** `YYYY-MM-DD`. */ measured_at: string;
}

/** A red verdict that a label on the pull request made neutral. */
export interface Override {
  label: string;
  reason: string;
}

/** Passes among tries, with the share's 95 % interval (Wilson). */
export interface MeasuredRate {
  passes: number;
  tries: number;
  low: number;
  high: number;
}
