/** Dialogues and their evaluators, as results. */
import type { Criterion } from './project.ts';

/** How a conversation ended. The last two are errors, not failures of quality. */
export type ConversationOutcome =
  'complete' | 'max_steps' | 'no_follow_up' | 'evaluator_error' | 'model_error';
export type CriterionWord = 'yes' | 'no' | 'unknown';

/** One evaluator's word on a dialogue, by criterion. */
export interface EvaluatorVerdict {
  evaluator: string;
  words: Record<string, CriterionWord>;
  analysis: string | null;
  follow_up: string | null;
}

export interface ConversationTurn {
  /** What the user said last before the answer. */
  question: string;
  /** The evaluator that asked; null for the reference's own and for recorded questions. */
  asked_by: string | null;
  /** Null when the model gave none. */
  answer: string | null;
  /** Of the evaluators that could be read, in their order. */
  verdicts: EvaluatorVerdict[];
  /** Whether the evaluators together call each criterion met; null where they could not judge. */
  satisfied: Record<string, boolean> | null;
}

export interface ConversationResult {
  outcome: ConversationOutcome;
  turns: ConversationTurn[];
  /** By criterion: the first turn, from 1, from which it stays met to the end; null: never. */
  turns_to: Record<string, number | null>;
}

/** A mean over references on both sides; where one side is missing, over those of the other. */
export interface PairedMean {
  base: number | null;
  head: number | null;
  /**
   * Head − base, with a two-sided 90 % interval; null where a side is missing or too little was
   * judged.
   */
  difference: number | null;
  low: number | null;
  high: number | null;
  /** References it rests on. */
  n: number;
}

export interface ConversationSummary {
  max_steps: number;
  evaluators: string[];
  criteria: Criterion[];
  /** Tries by how they ended; null for a side that did not run. */
  outcomes: {
    base: Record<ConversationOutcome, number> | null;
    head: Record<ConversationOutcome, number> | null;
  };
  /** Share of conversations that were completed, 0–1. */
  completed: PairedMean;
  /** Turns of completed conversations, over the references that were completed on both sides. */
  turns: PairedMean;
  /**
   * Turns until a criterion is met for good, over the references in which it is on both sides; and
   * the share in which it is.
   */
  turns_to: { criterion: string; turns: PairedMean; reached: PairedMean }[];
}
