/** How far graders and evaluators can be trusted. */
import type { Side } from './plain.ts';

/**
 * Agreement of a rubric's grader with labelled examples. Positive is a label of the rubric's
 * highest score.
 */
export interface GraderResult {
  rubric: string;
  side: Side;
  examples: number;
  /** Examples that are counted: their grade could be read, and the rubric knows their label. */
  judged: number;
  agreement: number | null;
  true_positive_rate: number | null;
  true_negative_rate: number | null;
  kappa: number | null;
  /** Share of positive examples, without which kappa cannot be read. */
  base_rate: number | null;
  /** Examples that base's grader labels otherwise than head's; empty on base. */
  flipped: { content: string; expected: string; base: string | null; head: string | null }[];
}

/** A share of yes with its 95 % interval (Wilson); null where nothing was judged. */
export interface YesShare {
  yes: number;
  n: number;
  share: number | null;
  low: number | null;
  high: number | null;
}

/**
 * What evaluators say about answers that people accepted or rejected: one evaluator, or several by
 * the suite's rules.
 */
export interface EvaluatorGrade {
  evaluators: string[];
  accepted: { criteria: Record<string, YesShare>; all: YesShare };
  rejected: { criteria: Record<string, YesShare>; all: YesShare };
  /**
   * Mean of the shares of accepted and rejected answers that `all` tells right, with a 95 %
   * interval.
   */
  balanced_accuracy: { value: number; low: number; high: number } | null;
  /** Answers left out because an evaluator gave no readable verdict. */
  unread: number;
}

/** How far a suite's evaluators can be trusted, on its labelled answers. */
export interface EvaluatorResult {
  path: string;
  name: string;
  side: Side;
  criteria: string[];
  examples: number;
  grades: EvaluatorGrade[];
}
