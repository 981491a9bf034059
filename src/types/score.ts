/** What a metric and a try come to. */
import type { Json } from './plain.ts';

/** One metric on one sample. Only pass and fail ever enter a rate. */
export type Score =
  | { metric: string; status: 'pass' | 'fail'; value: Json; reason: string | null; skip: boolean }
  | {
      metric: string;
      status: 'ungraded' | 'error' | 'skipped';
      value: null;
      reason: string;
      skip: boolean;
    };

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
