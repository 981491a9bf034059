export type _Schema0 =
  | string
  | number
  | boolean
  | null
  | _Schema0[]
  | {
      [k: string]: _Schema0;
    };
export type _Schema1 =
  | string
  | number
  | boolean
  | null
  | _Schema1[]
  | {
      [k: string]: _Schema1;
    };

export interface EvaldiffResult {
  /**
   * Version of this format.
   */
  schema_version: 2;
  /**
   * Whether base and head are compared, or one commit runs alone.
   */
  mode: "diff" | "sweep";
  /**
   * Outcome of the run. The conclusion, the title and all reports follow from it.
   */
  outcome:
    | {
        /**
         * Kind of the outcome.
         */
        kind: "cancelled";
        /**
         * What ended the run early: a budget, a time limit, a signal to a command (`interrupted`), or a signal to a job (`cancelled`, for example by a newer commit).
         */
        halt: "budget" | "time" | "interrupted" | "cancelled";
        /**
         * The limit or signal that ended the run, in words.
         */
        why: string;
        /**
         * Number of tries that were made.
         */
        made: number;
        /**
         * Number of tries that were planned.
         */
        planned: number;
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "nothing-to-run";
        /**
         * Number of rubrics that were tested.
         */
        rubrics: number;
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "not-evaluated";
        /**
         * Number of problems to fix.
         */
        problems: number;
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "not-judged";
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "ended-early";
        /**
         * What ended the run early: a budget, a time limit, a signal to a command (`interrupted`), or a signal to a job (`cancelled`, for example by a newer commit).
         */
        halt: "budget" | "time" | "interrupted" | "cancelled";
        /**
         * The limit or signal that ended the run, in words.
         */
        why: string;
        /**
         * Number of tries that were made.
         */
        made: number;
        /**
         * Number of tries that were planned.
         */
        planned: number;
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "waiting";
        /**
         * What ended the run early: a budget, a time limit, a signal to a command (`interrupted`), or a signal to a job (`cancelled`, for example by a newer commit).
         */
        halt: "budget" | "time" | "interrupted" | "cancelled";
        /**
         * The limit or signal that ended the run, in words.
         */
        why: string;
        /**
         * Number of tries that were made.
         */
        made: number;
        /**
         * Number of tries that were planned.
         */
        planned: number;
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "without-keys";
        /**
         * Whether suites that need no key were judged.
         */
        judged: boolean;
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "no-verdict";
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "not-comparable";
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "only-removed";
        /**
         * Number of references that were removed or skipped.
         */
        references: number;
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "regressed";
        /**
         * Pass rates of all suites together, if they fell.
         */
        pool?: {
          /**
           * Pass rate on base over all questions.
           */
          base: number;
          /**
           * Pass rate on head over all questions.
           */
          head: number;
        };
        /**
         * Whether this fails the run; false if `fail_on` is `never`.
         */
        fails: boolean;
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "failed";
        /**
         * Whether this fails the run; false if `fail_on` is `never`.
         */
        fails: boolean;
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "overridden";
        /**
         * The red verdict.
         */
        by:
          | {
              /**
               * Kind of the outcome.
               */
              kind: "regressed";
              /**
               * Pass rates of all suites together, if they fell.
               */
              pool?: {
                /**
                 * Pass rate on base over all questions.
                 */
                base: number;
                /**
                 * Pass rate on head over all questions.
                 */
                head: number;
              };
              /**
               * Whether this fails the run; false if `fail_on` is `never`.
               */
              fails: boolean;
            }
          | {
              /**
               * Kind of the outcome.
               */
              kind: "failed";
              /**
               * Whether this fails the run; false if `fail_on` is `never`.
               */
              fails: boolean;
            };
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "inconclusive";
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "model-changed";
        /**
         * True under `on_inconclusive: fail`.
         */
        fails: boolean;
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "fixed";
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "new-failing";
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "improved";
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "no-regression";
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "scoring-changed";
      }
    | {
        /**
         * Kind of the outcome.
         */
        kind: "evaluated";
      };
  /**
   * Conclusion of the run as a GitHub check.
   */
  conclusion: "success" | "failure" | "neutral" | "error";
  /**
   * Outcome of the run in one line of at most 255 characters.
   */
  title: string;
  /**
   * Reasons for the outcome, as codes with figures.
   */
  reasons: (
    | {
        /**
         * Code of the reason.
         */
        code: "no-test";
      }
    | {
        /**
         * Code of the reason.
         */
        code: "nothing-counts";
      }
    | {
        /**
         * Code of the reason.
         */
        code: "nothing-judged";
      }
    | {
        /**
         * Code of the reason.
         */
        code: "unused-changes";
      }
    | {
        /**
         * Code of the reason.
         */
        code: "errors";
        /**
         * Number of tries that ended in an error.
         */
        errors: number;
        /**
         * The total number.
         */
        of: number;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "no-grades";
        /**
         * Number of tries without a readable grade.
         */
        ungraded: number;
        /**
         * The total number.
         */
        of: number;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "words";
        /**
         * The text.
         */
        text: string;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "feature";
        /**
         * The finding as a sentence.
         */
        text: string;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "base-unreadable";
        /**
         * Why, with file and line.
         */
        text: string;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "preference-alone";
        /**
         * Name of the suite.
         */
        suite: string;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "nothing-gates";
        /**
         * Name of the suite.
         */
        suite: string;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "regressed";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * File of the suite's prompt.
         */
        path: string;
        /**
         * Head's model and parameters.
         */
        variant: {
          /**
           * The model's name in the prompt; null if code computes the output.
           */
          model: string | null;
          /**
           * Parameters that are sent with the messages.
           */
          parameters: {
            [k: string]: _Schema0;
          };
        };
      }
    | {
        /**
         * Code of the reason.
         */
        code: "inconclusive";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * File of the suite's prompt.
         */
        path: string;
        /**
         * Head's model and parameters.
         */
        variant: {
          /**
           * The model's name in the prompt; null if code computes the output.
           */
          model: string | null;
          /**
           * Parameters that are sent with the messages.
           */
          parameters: {
            [k: string]: _Schema0;
          };
        };
      }
    | {
        /**
         * Code of the reason.
         */
        code: "pool";
        /**
         * Pass rate on base.
         */
        base: number;
        /**
         * Pass rate on head.
         */
        head: number;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "below-floor";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Pass rate on head.
         */
        rate: number;
        /**
         * The value of `gate.min_pass_rate`.
         */
        floor: number;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "failed";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Ids of the references.
         */
        ids: string[];
      }
    | {
        /**
         * Code of the reason.
         */
        code: "metric-worse";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Name of the metric.
         */
        metric: string;
        /**
         * Mean on base.
         */
        base: number | null;
        /**
         * Mean on head.
         */
        head: number | null;
        /**
         * The kind of object (such as turns), if the number is the share of objects that pass.
         */
        share?: "Message" | "Turn" | "Thread" | "ToolCall";
        /**
         * Whether the metric rose or fell.
         */
        way: "rose" | "fell";
        /**
         * What changed: the mean, or the values of most tries although the mean did not.
         */
        by: "mean" | "ranks";
        /**
         * Number of references.
         */
        references: number;
        /**
         * Number of these references whose own mean moved in this direction.
         */
        changed?: number;
        /**
         * Whether the gate settings let this fail the run.
         */
        fails: boolean;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "metric-moved";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Name of the metric.
         */
        metric: string;
        /**
         * Mean on base.
         */
        base: number | null;
        /**
         * Mean on head.
         */
        head: number | null;
        /**
         * The kind of object (such as turns), if the number is the share of objects that pass.
         */
        share?: "Message" | "Turn" | "Thread" | "ToolCall";
        /**
         * Whether the metric rose or fell.
         */
        way: "rose" | "fell";
        /**
         * What changed: the mean, or the values of most tries although the mean did not.
         */
        by: "mean" | "ranks";
        /**
         * Number of references.
         */
        references: number;
        /**
         * Number of these references whose own mean moved in this direction.
         */
        changed?: number;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "value-exploded";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Name of the metric.
         */
        metric: string;
        /**
         * Id of the reference.
         */
        reference: string;
        /**
         * Median on base.
         */
        base: number;
        /**
         * Median on head.
         */
        head: number;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "scoring-moved";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Base's answers under base's scoring.
         */
        base: number | null;
        /**
         * Base's answers under head's scoring.
         */
        head: number | null;
        /**
         * What is counted: `tests` if the roll-up changed.
         */
        unit: "answers" | "tests";
        /**
         * Number of base's answers or tests that both scorings judged.
         */
        judged: number;
        /**
         * Number of these that pass under base's scoring and fail under head's.
         */
        pass_fail: number;
        /**
         * Number of these that fail under base's scoring and pass under head's.
         */
        fail_pass: number;
        /**
         * Whether the gate settings let this fail the run.
         */
        fails: boolean;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "scoring-excuses";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Pass rate on base.
         */
        base: number;
        /**
         * Pass rate on head.
         */
        head: number;
        /**
         * Whether the gate settings let this fail the run.
         */
        fails: boolean;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "worse-under-base";
        /**
         * The references.
         */
        references: {
          /**
           * The reference as `suite: id`.
           */
          reference: string;
          /**
           * Number of tries on base, which all pass.
           */
          base: number;
          /**
           * Number of tries on head, which all fail.
           */
          head: number;
        }[];
        /**
         * Whether the gate settings let this fail the run.
         */
        fails: boolean;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "mean-under-base";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Name of the metric.
         */
        metric: string;
        /**
         * Mean on base.
         */
        base: number | null;
        /**
         * Mean on head.
         */
        head: number | null;
        /**
         * The kind of object (such as turns), if the number is the share of objects that pass.
         */
        share?: "Message" | "Turn" | "Thread" | "ToolCall";
        /**
         * Whether the metric rose or fell.
         */
        way: "rose" | "fell";
        /**
         * What changed: the mean, or the values of most tries although the mean did not.
         */
        by: "mean" | "ranks";
        /**
         * Number of references.
         */
        references: number;
        /**
         * Whether the gate settings let this fail the run.
         */
        fails: boolean;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "unread-by-base";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Number of head's answers that base's scoring cannot judge.
         */
        answers: number;
        /**
         * The total number.
         */
        of: number;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "new-failed";
        /**
         * References as `suite: id`.
         */
        named: string[];
      }
    | {
        /**
         * Code of the reason.
         */
        code: "removed";
        /**
         * References as `suite: id`.
         */
        named: string[];
        /**
         * Whether the gate settings let this fail the run.
         */
        fails: boolean;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "asked-anew";
        /**
         * References as `suite: id`.
         */
        named: string[];
        /**
         * Whether the gate settings let this fail the run.
         */
        fails: boolean;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "worse-and-skipped";
        /**
         * The references.
         */
        references: {
          /**
           * The reference as `suite: id`.
           */
          reference: string;
          /**
           * Counts on one side.
           */
          base: {
            /**
             * Number of tries that passed.
             */
            passes: number;
            /**
             * The total number.
             */
            of: number;
          };
          /**
           * Counts on one side.
           */
          head: {
            /**
             * Number of tries that passed.
             */
            passes: number;
            /**
             * The total number.
             */
            of: number;
          };
        }[];
      }
    | {
        /**
         * Code of the reason.
         */
        code: "uncompared";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Number of references that could be judged.
         */
        judged: number;
        /**
         * The total number.
         */
        of: number;
        /**
         * Ids of the references.
         */
        missing: string[];
        /**
         * Whether base's prompt cannot answer the missing references.
         */
        unasked: boolean;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "skipped-tries";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Metrics that judged fewer answers.
         */
        metrics: string[];
        /**
         * Counts on one side.
         */
        base: {
          /**
           * Number of tries for which this is the case.
           */
          has: number;
          /**
           * The total number.
           */
          of: number;
        };
        /**
         * Counts on one side.
         */
        head: {
          /**
           * Number of tries for which this is the case.
           */
          has: number;
          /**
           * The total number.
           */
          of: number;
        };
      }
    | {
        /**
         * Code of the reason.
         */
        code: "seldom-judged";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Name of the metric.
         */
        metric: string;
        /**
         * Counts on one side.
         */
        base: {
          /**
           * Number of tries for which this is the case.
           */
          has: number;
          /**
           * The total number.
           */
          of: number;
        };
        /**
         * Counts on one side.
         */
        head: {
          /**
           * Number of tries for which this is the case.
           */
          has: number;
          /**
           * The total number.
           */
          of: number;
        };
      }
    | {
        /**
         * Code of the reason.
         */
        code: "metric-silent";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Name of the metric.
         */
        metric: string;
        /**
         * Number of base's answers that the metric judged.
         */
        answers: number;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "values-missing";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Name of the metric.
         */
        metric: string;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "values-fewer-references";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Name of the metric.
         */
        metric: string;
        /**
         * Number of references with a value on base.
         */
        base: number;
        /**
         * Number of references with a value on head.
         */
        head: number;
        /**
         * The total number.
         */
        of: number;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "values-fewer-tries";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Name of the metric.
         */
        metric: string;
        /**
         * Counts on one side.
         */
        base: {
          /**
           * Number of tries for which this is the case.
           */
          has: number;
          /**
           * The total number.
           */
          of: number;
        };
        /**
         * Counts on one side.
         */
        head: {
          /**
           * Number of tries for which this is the case.
           */
          has: number;
          /**
           * The total number.
           */
          of: number;
        };
      }
    | {
        /**
         * Code of the reason.
         */
        code: "ungraded";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Number of tries without a readable grade.
         */
        tries: number;
        /**
         * The total number.
         */
        of: number;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "lost-checks";
        /**
         * The metrics.
         */
        checks: {
          /**
           * Name of the suite.
           */
          suite: string;
          /**
           * Name of the metric.
           */
          metric: string;
          /**
           * Number of references.
           */
          references: number;
        }[];
      }
    | {
        /**
         * Code of the reason.
         */
        code: "own-rules";
        /**
         * The settings.
         */
        rules: string[];
      }
    | {
        /**
         * Code of the reason.
         */
        code: "replaced";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Whether it answers or grades.
         */
        what: "answers" | "grades";
        /**
         * The model, program, code or recordings that answer or grade.
         */
        base:
          | {
              /**
               * What it is.
               */
              kind: "prompt code";
            }
          | {
              /**
               * What it is.
               */
              kind: "model" | "program" | "recordings";
              /**
               * The model, the command, or the file of the recordings.
               */
              name: string;
            };
        /**
         * The model, program, code or recordings that answer or grade.
         */
        head:
          | {
              /**
               * What it is.
               */
              kind: "prompt code";
            }
          | {
              /**
               * What it is.
               */
              kind: "model" | "program" | "recordings";
              /**
               * The model, the command, or the file of the recordings.
               */
              name: string;
            };
      }
    | {
        /**
         * Code of the reason.
         */
        code: "recorded";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Ids of the references.
         */
        ids: string[];
      }
    | {
        /**
         * Code of the reason.
         */
        code: "held";
        /**
         * Number of these findings.
         */
        held: number;
        /**
         * Whether other findings fail the run.
         */
        others: boolean;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "ended";
        /**
         * What ended the run early: a budget, a time limit, a signal to a command (`interrupted`), or a signal to a job (`cancelled`, for example by a newer commit).
         */
        halt: "budget" | "time" | "interrupted" | "cancelled";
        /**
         * The limit or signal that ended the run, in words.
         */
        why: string;
        /**
         * Number of tries that were made.
         */
        made: number;
        /**
         * Number of tries that were planned.
         */
        planned: number;
        /**
         * Whether there are enough tries for a verdict, too few, the run waits for a batch, or it cost more than its cap.
         */
        effect: "enough" | "too-few" | "waiting" | "passed";
      }
    | {
        /**
         * Code of the reason.
         */
        code: "waiting";
        /**
         * Number of requests in the batches.
         */
        requests: number;
        /**
         * Ids of the batches.
         */
        batches: string[];
      }
    | {
        /**
         * Code of the reason.
         */
        code: "keys-withheld";
        /**
         * Why: the pull request is from a fork or from Dependabot.
         */
        from: "fork" | "dependabot";
      }
    | {
        /**
         * Code of the reason.
         */
        code: "not-run";
        /**
         * Names of the suites.
         */
        suites: string[];
        /**
         * What does not run for outside contributors.
         */
        what: "agents" | "programs" | "prompt code" | "new prompts";
        /**
         * Changed files that the suites read.
         */
        files: string[];
        /**
         * Whether the gate settings let this fail the run.
         */
        fails: boolean;
      }
    | {
        /**
         * Code of the reason.
         */
        code: "left-out";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Number of references.
         */
        references: number;
        /**
         * Why the suite is affected.
         */
        because: {
          /**
           * Key that differs between the sides, or that one side lacks.
           */
          key: string;
          /**
           * File that contains the key.
           */
          file: string;
        }[];
      }
  )[];
  /**
   * Whether the change may call models and run code.
   */
  trust: "trusted" | "member" | "untrusted";
  /**
   * The commit that head is compared with; null in sweeps.
   */
  base: {
    /**
     * Full commit id.
     */
    sha: string;
  } | null;
  /**
   * The commit that was evaluated.
   */
  head: {
    /**
     * Full commit id, or `worktree`.
     */
    sha: string;
  };
  /**
   * Where head's files are shown on the web; absent if unknown.
   */
  source?: {
    /**
     * Web address of the repository that head is in.
     */
    url: string;
    /**
     * The project's folder in the repository; `.` is its root.
     */
    directory: string;
  };
  /**
   * Options to repeat this run with `evaldiff diff`, in addition to the two commits.
   */
  local_options?: string;
  /**
   * The settings that the gate used.
   */
  gate: {
    /**
     * What makes a run red: regression (the default), failure (also any reference that fails on head), or never.
     */
    fail_on: "regression" | "failure" | "never";
    /**
     * False-alarm rate: the probability that a run is red although head answers like base, if tries are independent; at most 0.5.
     */
    alpha: number;
    /**
     * Smallest drop of a pass rate that can make a run red, 0–1.
     */
    min_drop: number;
    /**
     * Green means that a drop larger than this is ruled out. A number above 0 and up to 1, or auto: the drop that the suite can detect, but at least 0.05 and at most 0.1.
     */
    tolerance: number | "auto";
    /**
     * Whether individual references can make a run red, or only whole suites.
     */
    gate_on: "suite+references" | "suite";
    /**
     * accept: individual references that get worse do not make a run red, unless they are critical. Pass rates still do. Useful after a change of the model.
     */
    churn: "gate" | "accept";
    /**
     * What is compared: tries (the default), or references, whose tries the roll-up combines into one result.
     */
    unit?: "tries" | "references";
    /**
     * What happens to the run if a metric's mean gets worse, by the metric's name (`metric.entry` for one number of a map). Default: warn, if it is known whether higher or lower is better.
     */
    metrics?: {
      [k: string]: "fail" | "warn" | "ignore";
    };
    /**
     * Whether an inconclusive suite passes or fails the run.
     */
    on_inconclusive: "pass" | "fail";
    /**
     * What happens to the run if the pass rate of the same answers changes through new scoring, or if head is worse only when base's scoring judges both sides.
     */
    scoring: "warn" | "fail";
    /**
     * What happens to the run if references are removed or their questions change.
     */
    removed: "warn" | "fail";
    /**
     * What happens to the run if a new reference fails on head.
     */
    new: "report" | "fail";
    /**
     * What happens in a merge queue to the change of an outside contributor if suites may not run for it.
     */
    untrusted: "fail" | "pass";
    /**
     * An older commit with which head is compared, too; null for none.
     */
    anchor: {
      /**
       * `last-release`, `30-days` (1 to 3650), or a tag or commit.
       */
      since: string;
      /**
       * Whether a drop since that commit fails the run.
       */
      fail: boolean;
    } | null;
    /**
     * What happens to the run if an attribute regresses.
     */
    attributes: "advise" | "fail";
    /**
     * Pass rate that every suite must reach on head, 0–1; null for no minimum.
     */
    min_pass_rate: number | null;
  };
  /**
   * Number of tries per reference, or `adaptive`.
   */
  n_tries: number | "adaptive";
  /**
   * One result per suite and variant that ran.
   */
  suites: {
    /**
     * File of the prompt.
     */
    path: string;
    /**
     * Name of the suite.
     */
    name: string;
    /**
     * Head's model and parameters.
     */
    variant: {
      /**
       * The model's name in the prompt; null if code computes the output.
       */
      model: string | null;
      /**
       * Parameters that are sent with the messages.
       */
      parameters: {
        [k: string]: _Schema0;
      };
    };
    /**
     * Base's model and parameters; null if they are the same as head's.
     */
    base_variant: {
      /**
       * The model's name in the prompt; null if code computes the output.
       */
      model: string | null;
      /**
       * Parameters that are sent with the messages.
       */
      parameters: {
        [k: string]: _Schema0;
      };
    } | null;
    /**
     * Why the suite runs.
     */
    because: {
      /**
       * Key that differs between the sides, or that one side lacks.
       */
      key: string;
      /**
       * File that contains the key.
       */
      file: string;
    }[];
    /**
     * The suite's own gate settings.
     */
    gate?: {
      /**
       * What makes a run red: regression (the default), failure (also any reference that fails on head), or never.
       */
      fail_on?: "regression" | "failure" | "never";
      /**
       * Smallest drop of a pass rate that can make a run red, 0–1.
       */
      min_drop?: number;
      /**
       * Green means that a drop larger than this is ruled out. A number above 0 and up to 1, or auto: the drop that the suite can detect, but at least 0.05 and at most 0.1.
       */
      tolerance?: number | "auto";
      /**
       * Pass rate that every suite must reach on head, 0–1; null for no minimum.
       */
      min_pass_rate?: number | null;
      /**
       * What is compared: tries (the default), or references, whose tries the roll-up combines into one result.
       */
      unit?: "tries" | "references";
      /**
       * What happens to the run if a metric's mean gets worse, by the metric's name (`metric.entry` for one number of a map). Default: warn, if it is known whether higher or lower is better.
       */
      metrics?: {
        [k: string]: "fail" | "warn" | "ignore";
      };
    };
    /**
     * Share of tries that pass, 0–1. If references have different numbers of tries, only the tries that all of them have count.
     */
    pass_rate: {
      /**
       * Pass rate on base; null if nothing was judged.
       */
      base: number | null;
      /**
       * Pass rate on head; null if nothing was judged.
       */
      head: number | null;
      /**
       * Head − base; null if a side is missing.
       */
      difference: number | null;
      /**
       * Lower end of the difference's two-sided 90 % interval.
       */
      low: number | null;
      /**
       * Upper end of the difference's two-sided 90 % interval.
       */
      high: number | null;
      /**
       * One-sided mid-p of "head is worse"; null if not tested.
       */
      p: number | null;
    };
    /**
     * The verdict of the comparison.
     */
    verdict: "regressed" | "improved" | "unchanged" | "inconclusive" | "new" | "removed" | "not_compared" | "no_data";
    /**
     * What the pass rate counts: tries, references (whose tries are combined by the roll-up), or answers that are not worse than the other side's. `values`: there is no pass rate, because no metric can fail an answer by its value, and every answer was judged.
     */
    unit: "tries" | "references" | "pairs" | "values";
    /**
     * The side that cannot answer any reference. Nothing is then compared. Absent if both can.
     */
    unasked?: "base" | "head";
    /**
     * What decided the verdict; null if nothing was compared.
     */
    reason: {
      /**
       * What decided the verdict. `evaldiff explain` explains each code.
       */
      by:
        | "fall"
        | "values"
        | "references"
        | "rise"
        | "bound"
        | "not-lower"
        | "run"
        | "suspicious"
        | "named"
        | "metric"
        | "unsettled"
        | "unanswered"
        | "uncompared"
        | "scoring"
        | "endings"
        | "model"
        | "unconfirmed";
      /**
       * One-sided p of the deciding test; null if no test decided or the test was sequential.
       */
      p: number | null;
      /**
       * Ids of the references that decided; empty means all.
       */
      references: string[];
      /**
       * Metrics that fell, most significant first; empty means all metrics together.
       */
      metrics: string[];
      /**
       * The drop to rule out for a green verdict. If `by` is `run`, all suites together rule it out.
       */
      tolerance: number;
      /**
       * Set if head also answers less often than base, but another rule decided.
       */
      unanswered?: true;
      /**
       * Pass rates when base's scoring judges both sides, if head's is lower, beyond chance.
       */
      under_base?: {
        /**
         * Pass rate of base's answers.
         */
        base: number;
        /**
         * Pass rate of head's answers.
         */
        head: number;
        /**
         * Whether head's own scoring excuses the lower rate.
         */
        excused: boolean;
      };
    } | null;
    /**
     * Smallest drop of the pass rate that a run of this size detects with 80 % power, 0–1; null if there is none.
     */
    visible_drop: number | null;
    /**
     * The amount of data behind the verdict.
     */
    compared: {
      /**
       * Number of references that were compared.
       */
      references: number;
      /**
       * Number of tries of each of these references.
       */
      tries: number;
    };
    /**
     * Whether new answers confirm a fall that was measured with stored answers, or with one process of a program; absent if no confirmation was needed.
     */
    confirmation?: {
      /**
       * The metric whose mean got worse; absent if the verdict itself was to be confirmed.
       */
      metric?: string;
      /**
       * Why the fall needed confirmation: it was measured with stored answers, or one process of a program gave all answers of a side.
       */
      rests_on: "stored" | "session";
      /**
       * `confirmed`: head is worse in new tries, too. `model`: base's new answers are worse than its stored ones. `unconfirmed`: new tries show neither.
       */
      status: "confirmed" | "model" | "unconfirmed";
      /**
       * What confirms the fall: individual references, or all together; null if it is not confirmed.
       */
      by: ("references" | "all") | null;
      /**
       * The limit that ended the new calls too early; null if none did.
       */
      limit: ("max_calls" | "max_cost_usd" | "time" | "errors") | null;
      /**
       * How much worse base's new answers are than its stored ones; null if the difference may be chance.
       */
      drift: {
        /**
         * Base's pass rate, or the metric's mean, over stored answers.
         */
        stored: number;
        /**
         * The same over base's new answers.
         */
        today: number;
        /**
         * One-sided mid-p of "base is worse today".
         */
        p: number;
      } | null;
      /**
       * The references that got worse most, with the tries of this run that count.
       */
      suspects: {
        /**
         * Id of the reference.
         */
        id: string;
        /**
         * Base's new tries.
         */
        base: {
          /**
           * Number of tries that passed.
           */
          passes: number;
          /**
           * Number of tries that passed or failed.
           */
          tries: number;
        };
        /**
         * Head's new tries.
         */
        head: {
          /**
           * Number of tries that passed.
           */
          passes: number;
          /**
           * Number of tries that passed or failed.
           */
          tries: number;
        };
      }[];
      /**
       * New tries of all references on base; null if they were not needed.
       */
      all: {
        /**
         * Number of references that ran again.
         */
        references: number;
        /**
         * Base's new tries.
         */
        base: {
          /**
           * Number of tries that passed.
           */
          passes: number;
          /**
           * Number of tries that passed or failed.
           */
          tries: number;
        };
        /**
         * Head's tries of the same references, which are new, too.
         */
        head: {
          /**
           * Number of tries that passed.
           */
          passes: number;
          /**
           * Number of tries that passed or failed.
           */
          tries: number;
        };
      } | null;
      /**
       * The stored answers in the first comparison.
       */
      stored: {
        /**
         * Number of tries with an answer of an earlier run.
         */
        tries: number;
        /**
         * Time of the oldest answer in milliseconds since 1970; null if unknown.
         */
        oldest: number | null;
      };
    };
    /**
     * How many of the suite's references could be judged.
     */
    evidence: {
      /**
       * Number of references that were judged on both sides, or on the only side where they ran.
       */
      references: number;
      /**
       * Number of references that should have been judged: all that affect the gate.
       */
      of: number;
      /**
       * Ids of the references that were not judged.
       */
      missing: string[];
      /**
       * Ids in `missing` that are tagged `critical`.
       */
      critical: string[];
    };
    /**
     * Every reference of the suite.
     */
    references: {
      /**
       * Id from the file, or a hash of the input; unique in its suite.
       */
      id: string;
      /**
       * The file of the reference.
       */
      file: string;
      /**
       * Line of the reference, from 1; 0 means the whole file.
       */
      line: number;
      /**
       * Tags as written in the file.
       */
      tags: string[];
      /**
       * Whether the reference runs and is shown, but does not count for the verdict.
       */
      skip: boolean;
      /**
       * Set if the reference was in quarantine on the day of the run. It then does not count for the verdict.
       */
      quarantined?: true;
      /**
       * Values of the prompt's variables.
       */
      input: {
        [k: string]: string | number | boolean;
      };
      /**
       * Images and PDFs that the prompt includes.
       */
      files?: {
        /**
         * Type of the file; `file` means a PDF.
         */
        type: "image" | "file";
        /**
         * Path in the repository.
         */
        path: string;
        /**
         * Media type, for example `image/png`.
         */
        media_type: string;
        /**
         * Git object id of the content.
         */
        id: string;
        /**
         * Size in bytes.
         */
        bytes: number;
        /**
         * The side that includes the file, if the other side ran and does not.
         */
        side?: "base" | "head";
      }[];
      /**
       * The expected answer as written; null if there is none.
       */
      expected:
        | string
        | number
        | boolean
        | null
        | _Schema0[]
        | {
            [k: string]: _Schema0;
          };
      /**
       * How head compares with base; if only one side ran, its outcome (`pass`, `fail`).
       */
      status:
        | "regressed"
        | "fell"
        | "improved"
        | "fixed"
        | "rose"
        | "unchanged"
        | "flaky"
        | "inconclusive"
        | "added"
        | "removed"
        | "edited"
        | "error"
        | "ungraded"
        | "pass"
        | "fail";
      /**
       * One-sided p of "head passes less often", before adjustment; null if not compared.
       */
      p: number | null;
      /**
       * False-discovery rate at which the reference counts as regressed; null if not compared.
       */
      q: number | null;
      /**
       * How often this question, as base asks it, passed in all stored tries; absent if none is stored.
       */
      history?: {
        /**
         * Number of tries that passed.
         */
        passes: number;
        /**
         * Number of tries that passed or failed.
         */
        tries: number;
        /**
         * Lower end of the share's 95 % interval (Wilson).
         */
        low: number;
        /**
         * Upper end of the share's 95 % interval (Wilson).
         */
        high: number;
      };
      /**
       * Base's tries; null if base did not run.
       */
      base: {
        /**
         * Counts over all metrics and tries, defined and named as in llmeval.
         */
        tally: {
          /**
           * Scores that pass, including skipped metrics.
           */
          num_passes: number;
          /**
           * Scores that fail, including skipped metrics.
           */
          num_fails: number;
          /**
           * Scores of skipped metrics that pass.
           */
          num_skip_passes: number;
          /**
           * Scores of skipped metrics that fail.
           */
          num_skip_fails: number;
          /**
           * Number of tries that were made.
           */
          num_tries: number;
          /**
           * Number of metrics that judge the reference.
           */
          num_metrics: number;
          /**
           * Scores without a readable grade.
           */
          num_ungraded: number;
          /**
           * Scores that are errors.
           */
          num_errors: number;
        };
        /**
         * Outcome of the tries together, by the suite's roll-up rule; null if no try could be judged.
         */
        rollup: ("pass" | "fail") | null;
        /**
         * Number of tries that pass.
         */
        passes: number;
        /**
         * Number of tries that pass or fail.
         */
        tries_judged: number;
        /**
         * All tries in order.
         */
        tries: {
          /**
           * Number of the try, from 0.
           */
          try: number;
          /**
           * Outcome of the try: `pass` if every metric that affects the gate passes.
           */
          outcome: "pass" | "fail" | "ungraded" | "error" | "skipped";
          /**
           * The answer's text, tool calls and other parts; null if there is no answer.
           */
          parts:
            | (
                | {
                    /**
                     * The kind of part.
                     */
                    type: "text";
                    /**
                     * The text.
                     */
                    text: string;
                  }
                | {
                    /**
                     * The kind of part.
                     */
                    type: "tool_call";
                    /**
                     * Name of the tool.
                     */
                    name: string;
                    /**
                     * The arguments as JSON text, as the model wrote it.
                     */
                    arguments: string;
                  }
                | {
                    /**
                     * The kind of part.
                     */
                    type: "json";
                    /**
                     * The value.
                     */
                    value:
                      | string
                      | number
                      | boolean
                      | null
                      | _Schema1[]
                      | {
                          [k: string]: _Schema1;
                        };
                  }
                | {
                    /**
                     * The kind of part.
                     */
                    type: "image";
                    /**
                     * Such as `image/png`.
                     */
                    media_type: string;
                    /**
                     * SHA-256 of its bytes, in hex.
                     */
                    digest: string;
                    /**
                     * Its size.
                     */
                    bytes: number;
                    /**
                     * Base64; null if the image is larger than 200 KB, of which only the digest is stored.
                     */
                    data: string | null;
                  }
                | {
                    /**
                     * The kind of part.
                     */
                    type: "file";
                    /**
                     * Path of the file.
                     */
                    path: string;
                    /**
                     * Unified diff, or the whole text of a new file.
                     */
                    diff: string;
                  }
                | {
                    /**
                     * The kind of part.
                     */
                    type: "unknown";
                    /**
                     * The vendor's name for it.
                     */
                    kind: string;
                    /**
                     * The part as the vendor sent it.
                     */
                    json: string;
                  }
              )[]
            | null;
          /**
           * Why there is no answer; null if there is one.
           */
          error: string | null;
          /**
           * One score per metric of the reference.
           */
          scores: (
            | {
                /**
                 * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
                 */
                grade?: {
                  /**
                   * The rubric with its values filled in, up to 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * One reply per grader.
                   */
                  replies: {
                    /**
                     * The grader's model.
                     */
                    grader: string;
                    /**
                     * The label in the reply; null if there is none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * The reply, up to 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of the grader's calls for this grade; null if unknown.
                     */
                    usage: {
                      /**
                       * Tokens of the request.
                       */
                      input_tokens: number;
                      /**
                       * Tokens of the answer.
                       */
                      output_tokens: number;
                      /**
                       * Output tokens for thinking; absent if they are not counted separately.
                       */
                      reasoning_tokens?: number;
                    } | null;
                  }[];
                };
                /**
                 * Name of the metric.
                 */
                metric: string;
                /**
                 * True if the metric is shown but does not affect the outcome.
                 */
                skip: boolean;
                /**
                 * Scores of individual turns, messages or tool calls, if the metric uses `every`; absent if it judged only the last one.
                 */
                objects?: {
                  /**
                   * The kind of object that is judged.
                   */
                  level: "Message" | "Turn" | "Thread" | "ToolCall";
                  /**
                   * Scores in the order of the dialogue.
                   */
                  scores: {
                    /**
                     * Position among the dialogue's turns, messages or tool calls, from 0.
                     */
                    at: number;
                    /**
                     * Number of the scripted turn, from 1; absent without a script.
                     */
                    turn?: number;
                    /**
                     * Result of the metric for this object.
                     */
                    status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                    /**
                     * What the metric measured; null if nothing.
                     */
                    value:
                      | string
                      | number
                      | boolean
                      | null
                      | _Schema0[]
                      | {
                          [k: string]: _Schema0;
                        };
                    /**
                     * The reason; null if none was given.
                     */
                    reason: string | null;
                    /**
                     * Set if the metric's code raised an error. The object fails.
                     */
                    raised?: true;
                    /**
                     * The rubric's label; absent without a rubric.
                     */
                    label?: string;
                    /**
                     * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
                     */
                    grade?: {
                      /**
                       * The rubric with its values filled in, up to 20,000 characters.
                       */
                      prompt: string;
                      /**
                       * One reply per grader.
                       */
                      replies: {
                        /**
                         * The grader's model.
                         */
                        grader: string;
                        /**
                         * The label in the reply; null if there is none. Absent in older results.
                         */
                        label?: string | null;
                        /**
                         * The reply, up to 20,000 characters.
                         */
                        reply: string;
                        /**
                         * Tokens of the grader's calls for this grade; null if unknown.
                         */
                        usage: {
                          /**
                           * Tokens of the request.
                           */
                          input_tokens: number;
                          /**
                           * Tokens of the answer.
                           */
                          output_tokens: number;
                          /**
                           * Output tokens for thinking; absent if they are not counted separately.
                           */
                          reasoning_tokens?: number;
                        } | null;
                      }[];
                    };
                  }[];
                };
                /**
                 * Whether the metric passes in this answer.
                 */
                status: "pass" | "fail";
                /**
                 * What the metric measured.
                 */
                value:
                  | string
                  | number
                  | boolean
                  | null
                  | _Schema0[]
                  | {
                      [k: string]: _Schema0;
                    };
                /**
                 * The reason that the metric or its grader gave; null if none.
                 */
                reason: string | null;
                /**
                 * Set if the metric's code raised an error on this answer, or on all its turns, messages or tool calls. The answer fails.
                 */
                raised?: true;
                /**
                 * The rubric's label for the value; absent without a rubric.
                 */
                label?: string;
              }
            | {
                /**
                 * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
                 */
                grade?: {
                  /**
                   * The rubric with its values filled in, up to 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * One reply per grader.
                   */
                  replies: {
                    /**
                     * The grader's model.
                     */
                    grader: string;
                    /**
                     * The label in the reply; null if there is none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * The reply, up to 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of the grader's calls for this grade; null if unknown.
                     */
                    usage: {
                      /**
                       * Tokens of the request.
                       */
                      input_tokens: number;
                      /**
                       * Tokens of the answer.
                       */
                      output_tokens: number;
                      /**
                       * Output tokens for thinking; absent if they are not counted separately.
                       */
                      reasoning_tokens?: number;
                    } | null;
                  }[];
                };
                /**
                 * Name of the metric.
                 */
                metric: string;
                /**
                 * True if the metric is shown but does not affect the outcome.
                 */
                skip: boolean;
                /**
                 * Scores of individual turns, messages or tool calls, if the metric uses `every`; absent if it judged only the last one.
                 */
                objects?: {
                  /**
                   * The kind of object that is judged.
                   */
                  level: "Message" | "Turn" | "Thread" | "ToolCall";
                  /**
                   * Scores in the order of the dialogue.
                   */
                  scores: {
                    /**
                     * Position among the dialogue's turns, messages or tool calls, from 0.
                     */
                    at: number;
                    /**
                     * Number of the scripted turn, from 1; absent without a script.
                     */
                    turn?: number;
                    /**
                     * Result of the metric for this object.
                     */
                    status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                    /**
                     * What the metric measured; null if nothing.
                     */
                    value:
                      | string
                      | number
                      | boolean
                      | null
                      | _Schema0[]
                      | {
                          [k: string]: _Schema0;
                        };
                    /**
                     * The reason; null if none was given.
                     */
                    reason: string | null;
                    /**
                     * Set if the metric's code raised an error. The object fails.
                     */
                    raised?: true;
                    /**
                     * The rubric's label; absent without a rubric.
                     */
                    label?: string;
                    /**
                     * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
                     */
                    grade?: {
                      /**
                       * The rubric with its values filled in, up to 20,000 characters.
                       */
                      prompt: string;
                      /**
                       * One reply per grader.
                       */
                      replies: {
                        /**
                         * The grader's model.
                         */
                        grader: string;
                        /**
                         * The label in the reply; null if there is none. Absent in older results.
                         */
                        label?: string | null;
                        /**
                         * The reply, up to 20,000 characters.
                         */
                        reply: string;
                        /**
                         * Tokens of the grader's calls for this grade; null if unknown.
                         */
                        usage: {
                          /**
                           * Tokens of the request.
                           */
                          input_tokens: number;
                          /**
                           * Tokens of the answer.
                           */
                          output_tokens: number;
                          /**
                           * Output tokens for thinking; absent if they are not counted separately.
                           */
                          reasoning_tokens?: number;
                        } | null;
                      }[];
                    };
                  }[];
                };
                /**
                 * Why there is no score: the grade could not be read, there was an error, or a condition was not met.
                 */
                status: "ungraded" | "error" | "skipped";
                /**
                 * Always null.
                 */
                value: null;
                /**
                 * What happened.
                 */
                reason: string;
              }
          )[];
          /**
           * Tokens of the call; null if unknown.
           */
          usage: {
            /**
             * Tokens of the request.
             */
            input_tokens: number;
            /**
             * Tokens of the answer.
             */
            output_tokens: number;
            /**
             * Output tokens for thinking; absent if they are not counted separately.
             */
            reasoning_tokens?: number;
          } | null;
          /**
           * Duration in milliseconds of the original call, even if its answer was reused; null if unknown.
           */
          latency_ms: number | null;
          /**
           * Whether the answer was reused without a new call.
           */
          reused: boolean;
          /**
           * Set if an earlier run made the answer.
           */
          stored?: true;
          /**
           * Set if a grader or an evaluator failed, so the error says nothing of the answer.
           */
          unjudged?: true;
          /**
           * Why the model stopped, even if the answer is empty (`parts` is null); null if unknown or without an answer.
           */
          ended: ("stop" | "length" | "tool_calls" | "refused" | "filtered" | "other") | null;
          /**
           * The server's own reason for stopping, if evaldiff does not know it.
           */
          ended_as?: string;
          /**
           * Which model answered and when; absent if the server did not report it.
           */
          served?: {
            /**
             * The server's name for the model that answered.
             */
            model: string | null;
            /**
             * The server's fingerprint of its configuration (`system_fingerprint`); null if there is none.
             */
            fingerprint: string | null;
            /**
             * Time of the answer in milliseconds since 1970; rounded to the hour if stored.
             */
            at: number | null;
          };
          /**
           * The steps that led to the answer, in order; absent if unknown.
           */
          steps?: (
            | {
                /**
                 * The kind of step.
                 */
                type: "message";
                /**
                 * Who said it.
                 */
                role: "user" | "assistant";
                /**
                 * The text.
                 */
                text: string;
              }
            | {
                /**
                 * The kind of step.
                 */
                type: "tool_call";
                /**
                 * Name of the tool.
                 */
                name: string;
                /**
                 * The arguments as JSON text, as the model wrote it.
                 */
                arguments: string;
                /**
                 * The tool's result; null if there is none.
                 */
                result: string | null;
              }
          )[];
          /**
           * The dialogue, in suites with `conversation`.
           */
          conversation?: {
            /**
             * How the conversation ended. The three errors are not quality failures.
             */
            outcome:
              | "complete"
              | "max_steps"
              | "no_follow_up"
              | "tool_call"
              | "tool_limit"
              | "tool_error"
              | "evaluator_error"
              | "model_error";
            /**
             * Questions and answers in their order.
             */
            turns: {
              /**
               * Last message of the user before the answer.
               */
              question: string;
              /**
               * The evaluator that asked; null if the question comes from the reference or a recording.
               */
              asked_by: string | null;
              /**
               * Tool calls with their results, and texts before the answer; absent without calls.
               */
              steps?: (
                | {
                    /**
                     * The kind of step.
                     */
                    type: "message";
                    /**
                     * Who said it.
                     */
                    role: "user" | "assistant";
                    /**
                     * The text.
                     */
                    text: string;
                  }
                | {
                    /**
                     * The kind of step.
                     */
                    type: "tool_call";
                    /**
                     * Name of the tool.
                     */
                    name: string;
                    /**
                     * The arguments as JSON text, as the model wrote it.
                     */
                    arguments: string;
                    /**
                     * The tool's result; null if there is none.
                     */
                    result: string | null;
                  }
              )[];
              /**
               * The answer; null if the model gave none.
               */
              answer: string | null;
              /**
               * Verdicts of the evaluators whose replies could be read.
               */
              verdicts: {
                /**
                 * Name of the evaluator.
                 */
                evaluator: string;
                /**
                 * For each criterion, whether it is met. Lacks criteria without a readable word.
                 */
                words: {
                  [k: string]: "yes" | "no" | "unknown";
                };
                /**
                 * The evaluator's reasons; null if it gave none.
                 */
                analysis: string | null;
                /**
                 * The evaluator's next question; null if it has none.
                 */
                follow_up: string | null;
              }[];
              /**
               * For each criterion, whether the evaluators together find it met; null if they could not judge.
               */
              satisfied: {
                [k: string]: boolean;
              } | null;
            }[];
            /**
             * For each criterion, the turn (from 1) from which it stays met to the end; null: never.
             */
            turns_to: {
              [k: string]: number | null;
            };
          } | null;
        }[];
      } | null;
      /**
       * Head's tries; null if head did not run.
       */
      head: {
        /**
         * Counts over all metrics and tries, defined and named as in llmeval.
         */
        tally: {
          /**
           * Scores that pass, including skipped metrics.
           */
          num_passes: number;
          /**
           * Scores that fail, including skipped metrics.
           */
          num_fails: number;
          /**
           * Scores of skipped metrics that pass.
           */
          num_skip_passes: number;
          /**
           * Scores of skipped metrics that fail.
           */
          num_skip_fails: number;
          /**
           * Number of tries that were made.
           */
          num_tries: number;
          /**
           * Number of metrics that judge the reference.
           */
          num_metrics: number;
          /**
           * Scores without a readable grade.
           */
          num_ungraded: number;
          /**
           * Scores that are errors.
           */
          num_errors: number;
        };
        /**
         * Outcome of the tries together, by the suite's roll-up rule; null if no try could be judged.
         */
        rollup: ("pass" | "fail") | null;
        /**
         * Number of tries that pass.
         */
        passes: number;
        /**
         * Number of tries that pass or fail.
         */
        tries_judged: number;
        /**
         * All tries in order.
         */
        tries: {
          /**
           * Number of the try, from 0.
           */
          try: number;
          /**
           * Outcome of the try: `pass` if every metric that affects the gate passes.
           */
          outcome: "pass" | "fail" | "ungraded" | "error" | "skipped";
          /**
           * The answer's text, tool calls and other parts; null if there is no answer.
           */
          parts:
            | (
                | {
                    /**
                     * The kind of part.
                     */
                    type: "text";
                    /**
                     * The text.
                     */
                    text: string;
                  }
                | {
                    /**
                     * The kind of part.
                     */
                    type: "tool_call";
                    /**
                     * Name of the tool.
                     */
                    name: string;
                    /**
                     * The arguments as JSON text, as the model wrote it.
                     */
                    arguments: string;
                  }
                | {
                    /**
                     * The kind of part.
                     */
                    type: "json";
                    /**
                     * The value.
                     */
                    value:
                      | string
                      | number
                      | boolean
                      | null
                      | _Schema1[]
                      | {
                          [k: string]: _Schema1;
                        };
                  }
                | {
                    /**
                     * The kind of part.
                     */
                    type: "image";
                    /**
                     * Such as `image/png`.
                     */
                    media_type: string;
                    /**
                     * SHA-256 of its bytes, in hex.
                     */
                    digest: string;
                    /**
                     * Its size.
                     */
                    bytes: number;
                    /**
                     * Base64; null if the image is larger than 200 KB, of which only the digest is stored.
                     */
                    data: string | null;
                  }
                | {
                    /**
                     * The kind of part.
                     */
                    type: "file";
                    /**
                     * Path of the file.
                     */
                    path: string;
                    /**
                     * Unified diff, or the whole text of a new file.
                     */
                    diff: string;
                  }
                | {
                    /**
                     * The kind of part.
                     */
                    type: "unknown";
                    /**
                     * The vendor's name for it.
                     */
                    kind: string;
                    /**
                     * The part as the vendor sent it.
                     */
                    json: string;
                  }
              )[]
            | null;
          /**
           * Why there is no answer; null if there is one.
           */
          error: string | null;
          /**
           * One score per metric of the reference.
           */
          scores: (
            | {
                /**
                 * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
                 */
                grade?: {
                  /**
                   * The rubric with its values filled in, up to 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * One reply per grader.
                   */
                  replies: {
                    /**
                     * The grader's model.
                     */
                    grader: string;
                    /**
                     * The label in the reply; null if there is none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * The reply, up to 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of the grader's calls for this grade; null if unknown.
                     */
                    usage: {
                      /**
                       * Tokens of the request.
                       */
                      input_tokens: number;
                      /**
                       * Tokens of the answer.
                       */
                      output_tokens: number;
                      /**
                       * Output tokens for thinking; absent if they are not counted separately.
                       */
                      reasoning_tokens?: number;
                    } | null;
                  }[];
                };
                /**
                 * Name of the metric.
                 */
                metric: string;
                /**
                 * True if the metric is shown but does not affect the outcome.
                 */
                skip: boolean;
                /**
                 * Scores of individual turns, messages or tool calls, if the metric uses `every`; absent if it judged only the last one.
                 */
                objects?: {
                  /**
                   * The kind of object that is judged.
                   */
                  level: "Message" | "Turn" | "Thread" | "ToolCall";
                  /**
                   * Scores in the order of the dialogue.
                   */
                  scores: {
                    /**
                     * Position among the dialogue's turns, messages or tool calls, from 0.
                     */
                    at: number;
                    /**
                     * Number of the scripted turn, from 1; absent without a script.
                     */
                    turn?: number;
                    /**
                     * Result of the metric for this object.
                     */
                    status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                    /**
                     * What the metric measured; null if nothing.
                     */
                    value:
                      | string
                      | number
                      | boolean
                      | null
                      | _Schema0[]
                      | {
                          [k: string]: _Schema0;
                        };
                    /**
                     * The reason; null if none was given.
                     */
                    reason: string | null;
                    /**
                     * Set if the metric's code raised an error. The object fails.
                     */
                    raised?: true;
                    /**
                     * The rubric's label; absent without a rubric.
                     */
                    label?: string;
                    /**
                     * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
                     */
                    grade?: {
                      /**
                       * The rubric with its values filled in, up to 20,000 characters.
                       */
                      prompt: string;
                      /**
                       * One reply per grader.
                       */
                      replies: {
                        /**
                         * The grader's model.
                         */
                        grader: string;
                        /**
                         * The label in the reply; null if there is none. Absent in older results.
                         */
                        label?: string | null;
                        /**
                         * The reply, up to 20,000 characters.
                         */
                        reply: string;
                        /**
                         * Tokens of the grader's calls for this grade; null if unknown.
                         */
                        usage: {
                          /**
                           * Tokens of the request.
                           */
                          input_tokens: number;
                          /**
                           * Tokens of the answer.
                           */
                          output_tokens: number;
                          /**
                           * Output tokens for thinking; absent if they are not counted separately.
                           */
                          reasoning_tokens?: number;
                        } | null;
                      }[];
                    };
                  }[];
                };
                /**
                 * Whether the metric passes in this answer.
                 */
                status: "pass" | "fail";
                /**
                 * What the metric measured.
                 */
                value:
                  | string
                  | number
                  | boolean
                  | null
                  | _Schema0[]
                  | {
                      [k: string]: _Schema0;
                    };
                /**
                 * The reason that the metric or its grader gave; null if none.
                 */
                reason: string | null;
                /**
                 * Set if the metric's code raised an error on this answer, or on all its turns, messages or tool calls. The answer fails.
                 */
                raised?: true;
                /**
                 * The rubric's label for the value; absent without a rubric.
                 */
                label?: string;
              }
            | {
                /**
                 * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
                 */
                grade?: {
                  /**
                   * The rubric with its values filled in, up to 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * One reply per grader.
                   */
                  replies: {
                    /**
                     * The grader's model.
                     */
                    grader: string;
                    /**
                     * The label in the reply; null if there is none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * The reply, up to 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of the grader's calls for this grade; null if unknown.
                     */
                    usage: {
                      /**
                       * Tokens of the request.
                       */
                      input_tokens: number;
                      /**
                       * Tokens of the answer.
                       */
                      output_tokens: number;
                      /**
                       * Output tokens for thinking; absent if they are not counted separately.
                       */
                      reasoning_tokens?: number;
                    } | null;
                  }[];
                };
                /**
                 * Name of the metric.
                 */
                metric: string;
                /**
                 * True if the metric is shown but does not affect the outcome.
                 */
                skip: boolean;
                /**
                 * Scores of individual turns, messages or tool calls, if the metric uses `every`; absent if it judged only the last one.
                 */
                objects?: {
                  /**
                   * The kind of object that is judged.
                   */
                  level: "Message" | "Turn" | "Thread" | "ToolCall";
                  /**
                   * Scores in the order of the dialogue.
                   */
                  scores: {
                    /**
                     * Position among the dialogue's turns, messages or tool calls, from 0.
                     */
                    at: number;
                    /**
                     * Number of the scripted turn, from 1; absent without a script.
                     */
                    turn?: number;
                    /**
                     * Result of the metric for this object.
                     */
                    status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                    /**
                     * What the metric measured; null if nothing.
                     */
                    value:
                      | string
                      | number
                      | boolean
                      | null
                      | _Schema0[]
                      | {
                          [k: string]: _Schema0;
                        };
                    /**
                     * The reason; null if none was given.
                     */
                    reason: string | null;
                    /**
                     * Set if the metric's code raised an error. The object fails.
                     */
                    raised?: true;
                    /**
                     * The rubric's label; absent without a rubric.
                     */
                    label?: string;
                    /**
                     * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
                     */
                    grade?: {
                      /**
                       * The rubric with its values filled in, up to 20,000 characters.
                       */
                      prompt: string;
                      /**
                       * One reply per grader.
                       */
                      replies: {
                        /**
                         * The grader's model.
                         */
                        grader: string;
                        /**
                         * The label in the reply; null if there is none. Absent in older results.
                         */
                        label?: string | null;
                        /**
                         * The reply, up to 20,000 characters.
                         */
                        reply: string;
                        /**
                         * Tokens of the grader's calls for this grade; null if unknown.
                         */
                        usage: {
                          /**
                           * Tokens of the request.
                           */
                          input_tokens: number;
                          /**
                           * Tokens of the answer.
                           */
                          output_tokens: number;
                          /**
                           * Output tokens for thinking; absent if they are not counted separately.
                           */
                          reasoning_tokens?: number;
                        } | null;
                      }[];
                    };
                  }[];
                };
                /**
                 * Why there is no score: the grade could not be read, there was an error, or a condition was not met.
                 */
                status: "ungraded" | "error" | "skipped";
                /**
                 * Always null.
                 */
                value: null;
                /**
                 * What happened.
                 */
                reason: string;
              }
          )[];
          /**
           * Tokens of the call; null if unknown.
           */
          usage: {
            /**
             * Tokens of the request.
             */
            input_tokens: number;
            /**
             * Tokens of the answer.
             */
            output_tokens: number;
            /**
             * Output tokens for thinking; absent if they are not counted separately.
             */
            reasoning_tokens?: number;
          } | null;
          /**
           * Duration in milliseconds of the original call, even if its answer was reused; null if unknown.
           */
          latency_ms: number | null;
          /**
           * Whether the answer was reused without a new call.
           */
          reused: boolean;
          /**
           * Set if an earlier run made the answer.
           */
          stored?: true;
          /**
           * Set if a grader or an evaluator failed, so the error says nothing of the answer.
           */
          unjudged?: true;
          /**
           * Why the model stopped, even if the answer is empty (`parts` is null); null if unknown or without an answer.
           */
          ended: ("stop" | "length" | "tool_calls" | "refused" | "filtered" | "other") | null;
          /**
           * The server's own reason for stopping, if evaldiff does not know it.
           */
          ended_as?: string;
          /**
           * Which model answered and when; absent if the server did not report it.
           */
          served?: {
            /**
             * The server's name for the model that answered.
             */
            model: string | null;
            /**
             * The server's fingerprint of its configuration (`system_fingerprint`); null if there is none.
             */
            fingerprint: string | null;
            /**
             * Time of the answer in milliseconds since 1970; rounded to the hour if stored.
             */
            at: number | null;
          };
          /**
           * The steps that led to the answer, in order; absent if unknown.
           */
          steps?: (
            | {
                /**
                 * The kind of step.
                 */
                type: "message";
                /**
                 * Who said it.
                 */
                role: "user" | "assistant";
                /**
                 * The text.
                 */
                text: string;
              }
            | {
                /**
                 * The kind of step.
                 */
                type: "tool_call";
                /**
                 * Name of the tool.
                 */
                name: string;
                /**
                 * The arguments as JSON text, as the model wrote it.
                 */
                arguments: string;
                /**
                 * The tool's result; null if there is none.
                 */
                result: string | null;
              }
          )[];
          /**
           * The dialogue, in suites with `conversation`.
           */
          conversation?: {
            /**
             * How the conversation ended. The three errors are not quality failures.
             */
            outcome:
              | "complete"
              | "max_steps"
              | "no_follow_up"
              | "tool_call"
              | "tool_limit"
              | "tool_error"
              | "evaluator_error"
              | "model_error";
            /**
             * Questions and answers in their order.
             */
            turns: {
              /**
               * Last message of the user before the answer.
               */
              question: string;
              /**
               * The evaluator that asked; null if the question comes from the reference or a recording.
               */
              asked_by: string | null;
              /**
               * Tool calls with their results, and texts before the answer; absent without calls.
               */
              steps?: (
                | {
                    /**
                     * The kind of step.
                     */
                    type: "message";
                    /**
                     * Who said it.
                     */
                    role: "user" | "assistant";
                    /**
                     * The text.
                     */
                    text: string;
                  }
                | {
                    /**
                     * The kind of step.
                     */
                    type: "tool_call";
                    /**
                     * Name of the tool.
                     */
                    name: string;
                    /**
                     * The arguments as JSON text, as the model wrote it.
                     */
                    arguments: string;
                    /**
                     * The tool's result; null if there is none.
                     */
                    result: string | null;
                  }
              )[];
              /**
               * The answer; null if the model gave none.
               */
              answer: string | null;
              /**
               * Verdicts of the evaluators whose replies could be read.
               */
              verdicts: {
                /**
                 * Name of the evaluator.
                 */
                evaluator: string;
                /**
                 * For each criterion, whether it is met. Lacks criteria without a readable word.
                 */
                words: {
                  [k: string]: "yes" | "no" | "unknown";
                };
                /**
                 * The evaluator's reasons; null if it gave none.
                 */
                analysis: string | null;
                /**
                 * The evaluator's next question; null if it has none.
                 */
                follow_up: string | null;
              }[];
              /**
               * For each criterion, whether the evaluators together find it met; null if they could not judge.
               */
              satisfied: {
                [k: string]: boolean;
              } | null;
            }[];
            /**
             * For each criterion, the turn (from 1) from which it stays met to the end; null: never.
             */
            turns_to: {
              [k: string]: number | null;
            };
          } | null;
        }[];
      } | null;
    }[];
    /**
     * Pass rate, numbers and labels of each metric.
     */
    metrics: {
      /**
       * Name of the metric; `metric.entry` if the metric returns a map of numbers.
       */
      name: string;
      /**
       * Share of base's scores that pass; null if none was judged.
       */
      base: number | null;
      /**
       * Share of head's scores that pass; null if none was judged.
       */
      head: number | null;
      /**
       * Number of scores on base that pass or fail.
       */
      judged_base: number;
      /**
       * Number of scores on head that pass or fail.
       */
      judged_head: number;
      /**
       * Whether the metric affects the outcome of a try.
       */
      gates: boolean;
      /**
       * Whether higher or lower values are better.
       */
      better: "higher" | "lower" | "none";
      /**
       * The metric's numbers, if they say more than pass and fail.
       */
      values?: {
        /**
         * Mean over references on base; null without numbers.
         */
        base: number | null;
        /**
         * Mean over references on head; null without numbers.
         */
        head: number | null;
        /**
         * Head − base; null if nothing was compared.
         */
        difference: number | null;
        /**
         * Lower end of the difference's two-sided 90 % interval; null if it cannot be computed.
         */
        low: number | null;
        /**
         * Upper end of the difference's two-sided 90 % interval; null if it cannot be computed.
         */
        high: number | null;
        /**
         * Mid-p of the permutation test: one-sided for "worse", or two-sided if neither direction is better; null if nothing was compared.
         */
        p: number | null;
        /**
         * Number of references with numbers on both sides.
         */
        references: number;
        /**
         * Number of these references whose mean is lower on head.
         */
        fell?: number;
        /**
         * Number of these references whose mean is higher on head.
         */
        rose?: number;
        /**
         * What happens to the run if this metric gets worse.
         */
        gate: "fail" | "warn" | "ignore";
        /**
         * Set if this value decides the verdict, because no answer can fail by it, or base rarely passes.
         */
        decides?: true;
        /**
         * Direction of a significant change: `higher` or `lower` if neither is better. Null if the difference may be chance.
         */
        moved: ("worse" | "better" | "higher" | "lower") | null;
        /**
         * The kind of object (such as turns), if the number is the share of objects that pass.
         */
        share?: "Message" | "Turn" | "Thread" | "ToolCall";
        /**
         * References whose value changed far more than all others.
         */
        exploded?: {
          /**
           * Id of the reference.
           */
          reference: string;
          /**
           * Median on base.
           */
          base: number;
          /**
           * Median on head.
           */
          head: number;
        }[];
        /**
         * Whether the metric rose or fell.
         */
        way?: "rose" | "fell";
        /**
         * What changed: the mean, or the values of most tries although the mean did not.
         */
        by?: "mean" | "ranks";
      };
      /**
       * How often each label was given, if the metric gives labels.
       */
      labels?: {
        /**
         * The label.
         */
        label: string;
        /**
         * Number of scores on base with this label.
         */
        base: number;
        /**
         * Number of scores on head with this label.
         */
        head: number;
      }[];
      /**
       * Results for individual turns, messages or tool calls, if the metric uses `every`.
       */
      objects?: {
        /**
         * The kind of object that the metric judges.
         */
        level: "Message" | "Turn" | "Thread" | "ToolCall";
        /**
         * Objects on base; null if base did not run.
         */
        base: {
          /**
           * Number of objects that pass.
           */
          passes: number;
          /**
           * Number of objects that pass or fail in the tries used for the verdict.
           */
          judged: number;
        } | null;
        /**
         * Objects on head; null if head did not run.
         */
        head: {
          /**
           * Number of objects that pass.
           */
          passes: number;
          /**
           * Number of objects that pass or fail in the tries used for the verdict.
           */
          judged: number;
        } | null;
        /**
         * Share of passing objects on head − the share on base. The mean over dialogues, so that each dialogue counts once; null if nothing was compared.
         */
        difference: number | null;
        /**
         * Lower end of its two-sided 90 % interval.
         */
        low: number | null;
        /**
         * Upper end of its two-sided 90 % interval.
         */
        high: number | null;
      };
    }[];
    /**
     * How many references pass, of those that count for the verdict.
     */
    rollups: {
      /**
       * Name of the roll-up (the rule that combines a reference's tries), with its number if it has one.
       */
      policy: string;
      /**
       * Counts on base; null if there are none.
       */
      base: {
        /**
         * Number of references that pass.
         */
        passes: number;
        /**
         * Number of references that pass or fail.
         */
        references: number;
      } | null;
      /**
       * Counts on head; null if there are none.
       */
      head: {
        /**
         * Number of references that pass.
         */
        passes: number;
        /**
         * Number of references that pass or fail.
         */
        references: number;
      } | null;
    };
    /**
     * Pass rates corrected for the grader's errors on labelled examples. Does not affect the verdict. Absent if there are no labelled examples, or if other metrics also judge the suite.
     */
    grader_error?: {
      /**
       * The only judge of the suite: a rubric metric, or `conversation` for all evaluators together.
       */
      metric: string;
      /**
       * What is corrected for a metric with `every`: the share of turns, messages or tool calls of a dialogue that pass, averaged over dialogues. Absent: the suite's pass rates are corrected.
       */
      objects?: {
        /**
         * What is judged: messages, turns, tool calls or the whole thread.
         */
        level: "Message" | "Turn" | "Thread" | "ToolCall";
        /**
         * Share that passes on base; null: not judged.
         */
        base: number | null;
        /**
         * Share that passes on head; null: not judged.
         */
        head: number | null;
      };
      /**
       * `within error`: the rates differ by no more than the share of answers that the grader misjudges. `no better than chance`: the grader labels the examples no better than chance, so the rates cannot be corrected.
       */
      kind: "corrected" | "within error" | "no better than chance";
      /**
       * Examples that people accept.
       */
      good: {
        /**
         * Answers to which the grader gives the same label as people.
         */
        right: number;
        /**
         * Labelled examples with a readable grade.
         */
        n: number;
      };
      /**
       * Examples that people reject.
       */
      bad: {
        /**
         * Answers to which the grader gives the same label as people.
         */
        right: number;
        /**
         * Labelled examples with a readable grade.
         */
        n: number;
      };
      /**
       * Share of the suite's answers that the grader misjudges; null: unknown.
       */
      wrong: number | null;
      /**
       * Corrected rate on base; null if unknown.
       */
      base: {
        /**
         * Rate corrected for the grader's errors.
         */
        rate: number;
        /**
         * Lower end of its two-sided 90 % interval.
         */
        low: number;
        /**
         * Upper end of its two-sided 90 % interval.
         */
        high: number;
      } | null;
      /**
       * Corrected rate on head; null if unknown.
       */
      head: {
        /**
         * Rate corrected for the grader's errors.
         */
        rate: number;
        /**
         * Lower end of its two-sided 90 % interval.
         */
        low: number;
        /**
         * Upper end of its two-sided 90 % interval.
         */
        high: number;
      } | null;
      /**
       * Null if the sides are not compared or the rates cannot be corrected.
       */
      difference: {
        /**
         * Head − base, corrected for the grader's errors.
         */
        difference: number;
        /**
         * Lower end of its two-sided 90 % interval.
         */
        low: number;
        /**
         * Upper end of its two-sided 90 % interval.
         */
        high: number;
      } | null;
    };
    /**
     * Data of conversations, in suites with `conversation`.
     */
    conversation?: {
      /**
       * Maximum answers in one conversation.
       */
      max_steps: number;
      /**
       * Names of the evaluators, in their order.
       */
      evaluators: string[];
      /**
       * What the evaluators judge.
       */
      criteria: {
        /**
         * Name of the criterion.
         */
        name: string;
        /**
         * How the verdicts of several evaluators are combined.
         */
        combine: "all" | "any" | "majority";
      }[];
      /**
       * Number of tries for each way in which a conversation can end.
       */
      outcomes: {
        /**
         * Counts on base; null if base did not run.
         */
        base: {
          [k: string]: number;
        } | null;
        /**
         * Counts on head; null if head did not run.
         */
        head: {
          [k: string]: number;
        } | null;
      };
      /**
       * Share of conversations that were completed, 0–1.
       */
      completed: {
        /**
         * Mean on base; null if nothing was judged.
         */
        base: number | null;
        /**
         * Mean on head; null if nothing was judged.
         */
        head: number | null;
        /**
         * Head − base; null if a side is missing or too little was judged.
         */
        difference: number | null;
        /**
         * Lower end of the difference's two-sided 90 % interval.
         */
        low: number | null;
        /**
         * Upper end of the difference's two-sided 90 % interval.
         */
        high: number | null;
        /**
         * Number of references in the mean.
         */
        n: number;
      };
      /**
       * Mean number of turns of completed conversations. Only references with a completed conversation on both sides count.
       */
      turns: {
        /**
         * Mean on base; null if nothing was judged.
         */
        base: number | null;
        /**
         * Mean on head; null if nothing was judged.
         */
        head: number | null;
        /**
         * Head − base; null if a side is missing or too little was judged.
         */
        difference: number | null;
        /**
         * Lower end of the difference's two-sided 90 % interval.
         */
        low: number | null;
        /**
         * Upper end of the difference's two-sided 90 % interval.
         */
        high: number | null;
        /**
         * Number of references in the mean.
         */
        n: number;
      };
      /**
       * How soon each criterion is met and stays met.
       */
      turns_to: {
        /**
         * Name of the criterion.
         */
        criterion: string;
        /**
         * Mean number of turns until the criterion is met and stays met. Only references in which it is met on both sides count.
         */
        turns: {
          /**
           * Mean on base; null if nothing was judged.
           */
          base: number | null;
          /**
           * Mean on head; null if nothing was judged.
           */
          head: number | null;
          /**
           * Head − base; null if a side is missing or too little was judged.
           */
          difference: number | null;
          /**
           * Lower end of the difference's two-sided 90 % interval.
           */
          low: number | null;
          /**
           * Upper end of the difference's two-sided 90 % interval.
           */
          high: number | null;
          /**
           * Number of references in the mean.
           */
          n: number;
        };
        /**
         * Share of conversations in which the criterion is met at the end, 0–1.
         */
        reached: {
          /**
           * Mean on base; null if nothing was judged.
           */
          base: number | null;
          /**
           * Mean on head; null if nothing was judged.
           */
          head: number | null;
          /**
           * Head − base; null if a side is missing or too little was judged.
           */
          difference: number | null;
          /**
           * Lower end of the difference's two-sided 90 % interval.
           */
          low: number | null;
          /**
           * Upper end of the difference's two-sided 90 % interval.
           */
          high: number | null;
          /**
           * Number of references in the mean.
           */
          n: number;
        };
      }[];
    } | null;
    /**
     * How often each label is right. Only in suites whose expected values are a few labels, compared by `exact_match`. Each try of a reference is one item.
     */
    classification?: {
      /**
       * The metric that compares the labels.
       */
      metric: string;
      /**
       * Share of answers with the expected label.
       */
      accuracy: {
        /**
         * The value on base; null if nothing was judged.
         */
        base: number | null;
        /**
         * The value on head; null if nothing was judged.
         */
        head: number | null;
      };
      /**
       * Mean F1 over the labels. F1 is 0 for a label that is never correct.
       */
      macro_f1: {
        /**
         * The value on base; null if nothing was judged.
         */
        base: number | null;
        /**
         * The value on head; null if nothing was judged.
         */
        head: number | null;
      };
      /**
       * Share of answers that are none of the labels.
       */
      other: {
        /**
         * The value on base; null if nothing was judged.
         */
        base: number | null;
        /**
         * The value on head; null if nothing was judged.
         */
        head: number | null;
      };
      /**
       * Figures of each label, in the order of the references.
       */
      labels: {
        /**
         * The label.
         */
        label: string;
        /**
         * References that expect this label.
         */
        references: number;
        /**
         * Share of correct answers among those with this label; null: no answer has it.
         */
        precision: {
          /**
           * The value on base; null if nothing was judged.
           */
          base: number | null;
          /**
           * The value on head; null if nothing was judged.
           */
          head: number | null;
        };
        /**
         * Share of answers with this label among those that should have it; null: no answers.
         */
        recall: {
          /**
           * The value on base; null if nothing was judged.
           */
          base: number | null;
          /**
           * The value on head; null if nothing was judged.
           */
          head: number | null;
        };
      }[];
    } | null;
    /**
     * Comparison of base's answers with head's, in suites with `pairwise_preference`.
     */
    preference?: {
      /**
       * Name of the pairwise metric.
       */
      metric: string;
      /**
       * Number of comparisons in which head's answer is preferred.
       */
      head: number;
      /**
       * Number of comparisons in which base's answer is preferred.
       */
      base: number;
      /**
       * Number of comparisons in which neither answer is preferred.
       */
      ties: number;
      /**
       * Set if the grader's choice depends on the order of the answers in most comparisons. These are then no evidence.
       */
      by_order?: {
        /**
         * The models that compared the answers.
         */
        graders: string[];
        /**
         * Number of ties in which the choice depends on the order.
         */
        comparisons: number;
        /**
         * Number of comparisons that the grader made.
         */
        of: number;
        /**
         * The answer that it chose in both orders; `order`: not always the same one.
         */
        chosen: "first" | "second" | "order";
      };
      /**
       * Share preferred on head − share preferred on base.
       */
      difference: number;
      /**
       * Lower end of the difference's two-sided 90 % interval, which allows for interim tests. A larger drop is ruled out.
       */
      low: number;
      /**
       * Upper end of the difference's two-sided 90 % interval, which allows for interim tests.
       */
      high: number;
      /**
       * One-sided mid-p of the sign test for "base's answers are preferred".
       */
      p: number;
      /**
       * Whether this metric decides the verdict, because no other metric of the suite affects the gate.
       */
      gates: boolean;
    } | null;
    /**
     * In sweeps: price in US dollars of a thousand calls like these (made or reused); null if unknown.
     */
    cost_per_1000_calls?: number | null;
  }[];
  /**
   * Changes of the pull request in the files that cause suites to run; absent if they were not compared.
   */
  changes?: {
    /**
     * Path of the file on head, or on base if head does not have it.
     */
    file: string;
    /**
     * Path of the file on base; differs from `file` if it was renamed; null if base does not have it.
     */
    base_file: string | null;
    /**
     * Names of the suites that run because this file changed.
     */
    suites: string[];
    /**
     * The differences, in the order of the file.
     */
    hunks: {
      /**
       * Number of the first line on base, from 1; 0 if base has none of these lines.
       */
      base: number;
      /**
       * Number of the first line on head, from 1; 0 if head has none of these lines.
       */
      head: number;
      /**
       * The changed lines in order, with one unchanged line before and after.
       */
      lines: {
        /**
         * The side that has the line: both, base, or head.
         */
        sign: "same" | "removed" | "added";
        /**
         * The text of the line. Very long lines are cut.
         */
        text: string;
      }[];
    }[];
    /**
     * Number of changed lines that are left out.
     */
    more: number;
  }[];
  /**
   * One entry for each suite whose scoring changed, with the effect of that change alone.
   */
  scoring: {
    /**
     * File of the suite's prompt.
     */
    path: string;
    /**
     * Name of the suite.
     */
    name: string;
    /**
     * Pass rates for each combination of answers and scoring; null if nothing was judged.
     */
    rates: {
      /**
       * Base's answers under base's scoring.
       */
      base_base: number | null;
      /**
       * Base's answers under head's scoring.
       */
      base_head: number | null;
      /**
       * Head's answers under base's scoring.
       */
      head_base: number | null;
      /**
       * Head's answers under head's scoring.
       */
      head_head: number | null;
    };
    /**
     * Effect of the prompt's change: head_head − base_head.
     */
    prompt_effect: number | null;
    /**
     * Effect of the scoring's change: base_head − base_base.
     */
    scoring_effect: number | null;
    /**
     * Sum of the two effects.
     */
    total: number | null;
    /**
     * The parts of the scoring that changed.
     */
    because: {
      /**
       * Key that differs between the sides, or that one side lacks.
       */
      key: string;
      /**
       * File that contains the key.
       */
      file: string;
    }[];
    /**
     * Set if the change only skips references, or stops skipping them.
     */
    only_skips?: true;
    /**
     * References with an answer that the two scorings judge differently, or with a different roll-up if tests count.
     */
    flipped: {
      /**
       * Id of the reference.
       */
      id: string;
      /**
       * Outcome of an answer or test under base's scoring.
       */
      from: "pass" | "fail" | "ungraded" | "error" | "skipped";
      /**
       * Outcome under head's scoring.
       */
      to: "pass" | "fail" | "ungraded" | "error" | "skipped";
      /**
       * Number of base's try, if answers count.
       */
      base_try?: number;
      /**
       * The answer's scores under base's scoring, if it fails there.
       */
      scores?: (
        | {
            /**
             * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
             */
            grade?: {
              /**
               * The rubric with its values filled in, up to 20,000 characters.
               */
              prompt: string;
              /**
               * One reply per grader.
               */
              replies: {
                /**
                 * The grader's model.
                 */
                grader: string;
                /**
                 * The label in the reply; null if there is none. Absent in older results.
                 */
                label?: string | null;
                /**
                 * The reply, up to 20,000 characters.
                 */
                reply: string;
                /**
                 * Tokens of the grader's calls for this grade; null if unknown.
                 */
                usage: {
                  /**
                   * Tokens of the request.
                   */
                  input_tokens: number;
                  /**
                   * Tokens of the answer.
                   */
                  output_tokens: number;
                  /**
                   * Output tokens for thinking; absent if they are not counted separately.
                   */
                  reasoning_tokens?: number;
                } | null;
              }[];
            };
            /**
             * Name of the metric.
             */
            metric: string;
            /**
             * True if the metric is shown but does not affect the outcome.
             */
            skip: boolean;
            /**
             * Scores of individual turns, messages or tool calls, if the metric uses `every`; absent if it judged only the last one.
             */
            objects?: {
              /**
               * The kind of object that is judged.
               */
              level: "Message" | "Turn" | "Thread" | "ToolCall";
              /**
               * Scores in the order of the dialogue.
               */
              scores: {
                /**
                 * Position among the dialogue's turns, messages or tool calls, from 0.
                 */
                at: number;
                /**
                 * Number of the scripted turn, from 1; absent without a script.
                 */
                turn?: number;
                /**
                 * Result of the metric for this object.
                 */
                status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                /**
                 * What the metric measured; null if nothing.
                 */
                value:
                  | string
                  | number
                  | boolean
                  | null
                  | _Schema0[]
                  | {
                      [k: string]: _Schema0;
                    };
                /**
                 * The reason; null if none was given.
                 */
                reason: string | null;
                /**
                 * Set if the metric's code raised an error. The object fails.
                 */
                raised?: true;
                /**
                 * The rubric's label; absent without a rubric.
                 */
                label?: string;
                /**
                 * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
                 */
                grade?: {
                  /**
                   * The rubric with its values filled in, up to 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * One reply per grader.
                   */
                  replies: {
                    /**
                     * The grader's model.
                     */
                    grader: string;
                    /**
                     * The label in the reply; null if there is none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * The reply, up to 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of the grader's calls for this grade; null if unknown.
                     */
                    usage: {
                      /**
                       * Tokens of the request.
                       */
                      input_tokens: number;
                      /**
                       * Tokens of the answer.
                       */
                      output_tokens: number;
                      /**
                       * Output tokens for thinking; absent if they are not counted separately.
                       */
                      reasoning_tokens?: number;
                    } | null;
                  }[];
                };
              }[];
            };
            /**
             * Whether the metric passes in this answer.
             */
            status: "pass" | "fail";
            /**
             * What the metric measured.
             */
            value:
              | string
              | number
              | boolean
              | null
              | _Schema0[]
              | {
                  [k: string]: _Schema0;
                };
            /**
             * The reason that the metric or its grader gave; null if none.
             */
            reason: string | null;
            /**
             * Set if the metric's code raised an error on this answer, or on all its turns, messages or tool calls. The answer fails.
             */
            raised?: true;
            /**
             * The rubric's label for the value; absent without a rubric.
             */
            label?: string;
          }
        | {
            /**
             * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
             */
            grade?: {
              /**
               * The rubric with its values filled in, up to 20,000 characters.
               */
              prompt: string;
              /**
               * One reply per grader.
               */
              replies: {
                /**
                 * The grader's model.
                 */
                grader: string;
                /**
                 * The label in the reply; null if there is none. Absent in older results.
                 */
                label?: string | null;
                /**
                 * The reply, up to 20,000 characters.
                 */
                reply: string;
                /**
                 * Tokens of the grader's calls for this grade; null if unknown.
                 */
                usage: {
                  /**
                   * Tokens of the request.
                   */
                  input_tokens: number;
                  /**
                   * Tokens of the answer.
                   */
                  output_tokens: number;
                  /**
                   * Output tokens for thinking; absent if they are not counted separately.
                   */
                  reasoning_tokens?: number;
                } | null;
              }[];
            };
            /**
             * Name of the metric.
             */
            metric: string;
            /**
             * True if the metric is shown but does not affect the outcome.
             */
            skip: boolean;
            /**
             * Scores of individual turns, messages or tool calls, if the metric uses `every`; absent if it judged only the last one.
             */
            objects?: {
              /**
               * The kind of object that is judged.
               */
              level: "Message" | "Turn" | "Thread" | "ToolCall";
              /**
               * Scores in the order of the dialogue.
               */
              scores: {
                /**
                 * Position among the dialogue's turns, messages or tool calls, from 0.
                 */
                at: number;
                /**
                 * Number of the scripted turn, from 1; absent without a script.
                 */
                turn?: number;
                /**
                 * Result of the metric for this object.
                 */
                status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                /**
                 * What the metric measured; null if nothing.
                 */
                value:
                  | string
                  | number
                  | boolean
                  | null
                  | _Schema0[]
                  | {
                      [k: string]: _Schema0;
                    };
                /**
                 * The reason; null if none was given.
                 */
                reason: string | null;
                /**
                 * Set if the metric's code raised an error. The object fails.
                 */
                raised?: true;
                /**
                 * The rubric's label; absent without a rubric.
                 */
                label?: string;
                /**
                 * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
                 */
                grade?: {
                  /**
                   * The rubric with its values filled in, up to 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * One reply per grader.
                   */
                  replies: {
                    /**
                     * The grader's model.
                     */
                    grader: string;
                    /**
                     * The label in the reply; null if there is none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * The reply, up to 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of the grader's calls for this grade; null if unknown.
                     */
                    usage: {
                      /**
                       * Tokens of the request.
                       */
                      input_tokens: number;
                      /**
                       * Tokens of the answer.
                       */
                      output_tokens: number;
                      /**
                       * Output tokens for thinking; absent if they are not counted separately.
                       */
                      reasoning_tokens?: number;
                    } | null;
                  }[];
                };
              }[];
            };
            /**
             * Why there is no score: the grade could not be read, there was an error, or a condition was not met.
             */
            status: "ungraded" | "error" | "skipped";
            /**
             * Always null.
             */
            value: null;
            /**
             * What happened.
             */
            reason: string;
          }
      )[];
    }[];
    /**
     * Set if the roll-up changed.
     */
    rollup?: {
      /**
       * Name of the roll-up on base.
       */
      base: string;
      /**
       * Name of the roll-up on head.
       */
      head: string;
      /**
       * Set if head's roll-up passes whatever the tries are.
       */
      never_fails?: true;
    };
    /**
     * Set if one answer, graded by a model, is all that is judged differently.
     */
    may_be_chance?: true;
    /**
     * Base's answers, judged by both scorings.
     */
    same_answers: {
      /**
       * What is counted: `tests` if the roll-up changed.
       */
      unit: "answers" | "tests";
      /**
       * Number of base's answers or tests that both scorings judged.
       */
      judged: number;
      /**
       * Number of these that pass under base's scoring and fail under head's.
       */
      pass_fail: number;
      /**
       * Number of these that fail under base's scoring and pass under head's.
       */
      fail_pass: number;
      /**
       * McNemar's two-sided mid-p.
       */
      p: number;
      /**
       * Cohen's kappa of the two scorings; null if it is undefined.
       */
      kappa: number | null;
    };
    /**
     * Set if head's answers are worse than base's, beyond chance, when base's scoring judges both, but not when head's does.
     */
    excused?: true;
    /**
     * Pass rates when base's scoring judges both sides, if head's is lower, beyond chance.
     */
    under_base?: {
      /**
       * Base's answers.
       */
      base: number;
      /**
       * Head's answers.
       */
      head: number;
    };
    /**
     * References that got worse when base's scoring judges both sides, if that prevents a green verdict.
     */
    fell?: {
      /**
       * Id of the reference.
       */
      id: string;
      /**
       * Number of a try of base that passes under base's scoring.
       */
      base_try: number;
      /**
       * Number of a try of head that fails under base's scoring.
       */
      head_try: number;
      /**
       * Scores of head's try under base's scoring.
       */
      scores: (
        | {
            /**
             * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
             */
            grade?: {
              /**
               * The rubric with its values filled in, up to 20,000 characters.
               */
              prompt: string;
              /**
               * One reply per grader.
               */
              replies: {
                /**
                 * The grader's model.
                 */
                grader: string;
                /**
                 * The label in the reply; null if there is none. Absent in older results.
                 */
                label?: string | null;
                /**
                 * The reply, up to 20,000 characters.
                 */
                reply: string;
                /**
                 * Tokens of the grader's calls for this grade; null if unknown.
                 */
                usage: {
                  /**
                   * Tokens of the request.
                   */
                  input_tokens: number;
                  /**
                   * Tokens of the answer.
                   */
                  output_tokens: number;
                  /**
                   * Output tokens for thinking; absent if they are not counted separately.
                   */
                  reasoning_tokens?: number;
                } | null;
              }[];
            };
            /**
             * Name of the metric.
             */
            metric: string;
            /**
             * True if the metric is shown but does not affect the outcome.
             */
            skip: boolean;
            /**
             * Scores of individual turns, messages or tool calls, if the metric uses `every`; absent if it judged only the last one.
             */
            objects?: {
              /**
               * The kind of object that is judged.
               */
              level: "Message" | "Turn" | "Thread" | "ToolCall";
              /**
               * Scores in the order of the dialogue.
               */
              scores: {
                /**
                 * Position among the dialogue's turns, messages or tool calls, from 0.
                 */
                at: number;
                /**
                 * Number of the scripted turn, from 1; absent without a script.
                 */
                turn?: number;
                /**
                 * Result of the metric for this object.
                 */
                status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                /**
                 * What the metric measured; null if nothing.
                 */
                value:
                  | string
                  | number
                  | boolean
                  | null
                  | _Schema0[]
                  | {
                      [k: string]: _Schema0;
                    };
                /**
                 * The reason; null if none was given.
                 */
                reason: string | null;
                /**
                 * Set if the metric's code raised an error. The object fails.
                 */
                raised?: true;
                /**
                 * The rubric's label; absent without a rubric.
                 */
                label?: string;
                /**
                 * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
                 */
                grade?: {
                  /**
                   * The rubric with its values filled in, up to 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * One reply per grader.
                   */
                  replies: {
                    /**
                     * The grader's model.
                     */
                    grader: string;
                    /**
                     * The label in the reply; null if there is none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * The reply, up to 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of the grader's calls for this grade; null if unknown.
                     */
                    usage: {
                      /**
                       * Tokens of the request.
                       */
                      input_tokens: number;
                      /**
                       * Tokens of the answer.
                       */
                      output_tokens: number;
                      /**
                       * Output tokens for thinking; absent if they are not counted separately.
                       */
                      reasoning_tokens?: number;
                    } | null;
                  }[];
                };
              }[];
            };
            /**
             * Whether the metric passes in this answer.
             */
            status: "pass" | "fail";
            /**
             * What the metric measured.
             */
            value:
              | string
              | number
              | boolean
              | null
              | _Schema0[]
              | {
                  [k: string]: _Schema0;
                };
            /**
             * The reason that the metric or its grader gave; null if none.
             */
            reason: string | null;
            /**
             * Set if the metric's code raised an error on this answer, or on all its turns, messages or tool calls. The answer fails.
             */
            raised?: true;
            /**
             * The rubric's label for the value; absent without a rubric.
             */
            label?: string;
          }
        | {
            /**
             * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
             */
            grade?: {
              /**
               * The rubric with its values filled in, up to 20,000 characters.
               */
              prompt: string;
              /**
               * One reply per grader.
               */
              replies: {
                /**
                 * The grader's model.
                 */
                grader: string;
                /**
                 * The label in the reply; null if there is none. Absent in older results.
                 */
                label?: string | null;
                /**
                 * The reply, up to 20,000 characters.
                 */
                reply: string;
                /**
                 * Tokens of the grader's calls for this grade; null if unknown.
                 */
                usage: {
                  /**
                   * Tokens of the request.
                   */
                  input_tokens: number;
                  /**
                   * Tokens of the answer.
                   */
                  output_tokens: number;
                  /**
                   * Output tokens for thinking; absent if they are not counted separately.
                   */
                  reasoning_tokens?: number;
                } | null;
              }[];
            };
            /**
             * Name of the metric.
             */
            metric: string;
            /**
             * True if the metric is shown but does not affect the outcome.
             */
            skip: boolean;
            /**
             * Scores of individual turns, messages or tool calls, if the metric uses `every`; absent if it judged only the last one.
             */
            objects?: {
              /**
               * The kind of object that is judged.
               */
              level: "Message" | "Turn" | "Thread" | "ToolCall";
              /**
               * Scores in the order of the dialogue.
               */
              scores: {
                /**
                 * Position among the dialogue's turns, messages or tool calls, from 0.
                 */
                at: number;
                /**
                 * Number of the scripted turn, from 1; absent without a script.
                 */
                turn?: number;
                /**
                 * Result of the metric for this object.
                 */
                status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                /**
                 * What the metric measured; null if nothing.
                 */
                value:
                  | string
                  | number
                  | boolean
                  | null
                  | _Schema0[]
                  | {
                      [k: string]: _Schema0;
                    };
                /**
                 * The reason; null if none was given.
                 */
                reason: string | null;
                /**
                 * Set if the metric's code raised an error. The object fails.
                 */
                raised?: true;
                /**
                 * The rubric's label; absent without a rubric.
                 */
                label?: string;
                /**
                 * The grader's prompt and replies; absent without a rubric, or if there are more than 2,000 grades.
                 */
                grade?: {
                  /**
                   * The rubric with its values filled in, up to 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * One reply per grader.
                   */
                  replies: {
                    /**
                     * The grader's model.
                     */
                    grader: string;
                    /**
                     * The label in the reply; null if there is none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * The reply, up to 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of the grader's calls for this grade; null if unknown.
                     */
                    usage: {
                      /**
                       * Tokens of the request.
                       */
                      input_tokens: number;
                      /**
                       * Tokens of the answer.
                       */
                      output_tokens: number;
                      /**
                       * Output tokens for thinking; absent if they are not counted separately.
                       */
                      reasoning_tokens?: number;
                    } | null;
                  }[];
                };
              }[];
            };
            /**
             * Why there is no score: the grade could not be read, there was an error, or a condition was not met.
             */
            status: "ungraded" | "error" | "skipped";
            /**
             * Always null.
             */
            value: null;
            /**
             * What happened.
             */
            reason: string;
          }
      )[];
    }[];
  }[];
  /**
   * Notices that do not affect the verdict.
   */
  notices: {
    /**
     * Topic of the notice.
     */
    kind:
      | "added"
      | "removed"
      | "edited"
      | "skipped"
      | "ungraded"
      | "error"
      | "capped"
      | "not-comparable"
      | "ended"
      | "served"
      | "trust"
      | "settings"
      | "unused"
      | "import"
      | "permission"
      | "repeats"
      | "quarantine"
      | "qualeval"
      | "scoring";
    /**
     * The notice as a sentence.
     */
    message: string;
    /**
     * File and line of the cause; null if the cause is not in a file.
     */
    place: {
      /**
       * Path below the working directory.
       */
      file: string;
      /**
       * Line number from 1; 0 means the file as a whole.
       */
      line: number;
    } | null;
  }[];
  /**
   * Problems that the user must fix; empty unless the conclusion is `error`.
   */
  problems: {
    /**
     * File and line of the cause; null for inputs and the environment.
     */
    place: {
      /**
       * Path below the working directory.
       */
      file: string;
      /**
       * Line number from 1; 0 means the file as a whole.
       */
      line: number;
    } | null;
    /**
     * What is wrong, and how to fix it.
     */
    message: string;
  }[];
  /**
   * Calls, tokens and dollars of the run.
   */
  usage: {
    /**
     * Number of calls.
     */
    calls: number;
    /**
     * Number of stored answers that were used.
     */
    reused: number;
    /**
     * Number of answers from recordings, which do not count as calls. Absent in older results.
     */
    replayed?: number;
    /**
     * Tokens of the requests.
     */
    input_tokens: number;
    /**
     * Input tokens that the vendor read from its prompt cache; absent if there are none.
     */
    cached_tokens?: number;
    /**
     * Tokens of the answers.
     */
    output_tokens: number;
    /**
     * Cost of the calls in dollars; null if the price of some is unknown.
     */
    cost_usd: number | null;
    /**
     * Set if all calls went to programs of the project without a price, or to recordings.
     */
    unpriced?: "programs";
    /**
     * What the reused answers would have cost, in dollars; null if this is unknown for some. Absent in older results.
     */
    saved_usd?: number | null;
    /**
     * The same figures by purpose of the calls.
     */
    by_purpose: {
      [k: string]: {
        /**
         * Number of calls.
         */
        calls: number;
        /**
         * Number of stored answers that were used.
         */
        reused: number;
        /**
         * Number of answers from recordings, which do not count as calls. Absent in older results.
         */
        replayed?: number;
        /**
         * Cost of the calls in dollars; null if the price of some is unknown.
         */
        cost_usd: number | null;
        /**
         * What the reused answers would have cost, in dollars; null if this is unknown for some. Absent in older results.
         */
        saved_usd?: number | null;
      };
    };
  };
  /**
   * The label that overrode a red verdict; null if none did.
   */
  override: {
    /**
     * The label on the pull request.
     */
    label: string;
    /**
     * The account that added the label, and its role in the repository.
     */
    by: string;
    /**
     * The reason given in the pull request or in the label's description.
     */
    reason: string;
  } | null;
  /**
   * Suites in which base calls a model, but head uses something else.
   */
  replaced?: {
    /**
     * Name of the suite.
     */
    suite: string;
    /**
     * What head uses instead of the model.
     */
    by: "recordings" | "a program" | "prompt code";
  }[];
  /**
   * Tries of the adaptive suites; null if no suite is adaptive.
   */
  adaptive_tries: {
    /**
     * Number of tries that the adaptive suites made.
     */
    made: number;
    /**
     * Number of tries that they would have made with five per reference.
     */
    fixed: number;
  } | null;
  /**
   * Agreement of changed rubrics and graders with labelled examples.
   */
  graders: {
    /**
     * Name of the rubric.
     */
    rubric: string;
    /**
     * The side whose rubric and grader were tested.
     */
    side: "base" | "head";
    /**
     * Labelled examples of the rubric.
     */
    examples: number;
    /**
     * Examples with a readable grade and a label of the rubric.
     */
    judged: number;
    /**
     * Share of judged examples that got the expected label.
     */
    agreement: number | null;
    /**
     * Share of positive examples that the grader calls positive.
     */
    true_positive_rate: number | null;
    /**
     * Share of negative examples that the grader calls negative.
     */
    true_negative_rate: number | null;
    /**
     * 95 % interval of `true_positive_rate` (Wilson), each example counted once, even if graded several times. Null where there is nothing to count; absent in older results.
     */
    true_positive_interval?: {
      /**
       * Lower end.
       */
      low: number;
      /**
       * Upper end.
       */
      high: number;
    } | null;
    /**
     * The same for `true_negative_rate`. Null where there is nothing to count; absent in older results.
     */
    true_negative_interval?: {
      /**
       * Lower end.
       */
      low: number;
      /**
       * Upper end.
       */
      high: number;
    } | null;
    /**
     * Cohen's kappa of the grader with the labels.
     */
    kappa: number | null;
    /**
     * Share of positive examples, needed to interpret kappa. Positive is a label of the rubric's highest score.
     */
    base_rate: number | null;
    /**
     * Examples that base's and head's graders label differently; empty on base.
     */
    flipped: {
      /**
       * The example.
       */
      content: string;
      /**
       * The label that people gave.
       */
      expected: string;
      /**
       * Label of base's grader; null: unreadable.
       */
      base: string | null;
      /**
       * Label of head's grader; null: unreadable.
       */
      head: string | null;
    }[];
  }[];
  /**
   * Tests of changed evaluators on the labelled answers of their suite.
   */
  evaluators?: {
    /**
     * File of the suite's prompt.
     */
    path: string;
    /**
     * Name of the suite.
     */
    name: string;
    /**
     * The side whose evaluators were tested.
     */
    side: "base" | "head";
    /**
     * Names of the criteria.
     */
    criteria: string[];
    /**
     * Answers that people labelled.
     */
    examples: number;
    /**
     * Each evaluator alone, and all together.
     */
    grades: {
      /**
       * One evaluator, or several combined by the suite's rules.
       */
      evaluators: string[];
      /**
       * Shares of yes for answers that people accepted.
       */
      accepted: {
        /**
         * For each criterion.
         */
        criteria: {
          [k: string]: {
            /**
             * Answers that get a yes.
             */
            yes: number;
            /**
             * Answers that were judged.
             */
            n: number;
            /**
             * `yes` / `n`; null if nothing was judged.
             */
            share: number | null;
            /**
             * Lower end of the share's 95 % interval (Wilson).
             */
            low: number | null;
            /**
             * Upper end of the share's 95 % interval (Wilson).
             */
            high: number | null;
          };
        };
        /**
         * For all criteria together.
         */
        all: {
          /**
           * Answers that get a yes.
           */
          yes: number;
          /**
           * Answers that were judged.
           */
          n: number;
          /**
           * `yes` / `n`; null if nothing was judged.
           */
          share: number | null;
          /**
           * Lower end of the share's 95 % interval (Wilson).
           */
          low: number | null;
          /**
           * Upper end of the share's 95 % interval (Wilson).
           */
          high: number | null;
        };
      };
      /**
       * Shares of yes for answers that people rejected.
       */
      rejected: {
        /**
         * For each criterion.
         */
        criteria: {
          [k: string]: {
            /**
             * Answers that get a yes.
             */
            yes: number;
            /**
             * Answers that were judged.
             */
            n: number;
            /**
             * `yes` / `n`; null if nothing was judged.
             */
            share: number | null;
            /**
             * Lower end of the share's 95 % interval (Wilson).
             */
            low: number | null;
            /**
             * Upper end of the share's 95 % interval (Wilson).
             */
            high: number | null;
          };
        };
        /**
         * For all criteria together.
         */
        all: {
          /**
           * Answers that get a yes.
           */
          yes: number;
          /**
           * Answers that were judged.
           */
          n: number;
          /**
           * `yes` / `n`; null if nothing was judged.
           */
          share: number | null;
          /**
           * Lower end of the share's 95 % interval (Wilson).
           */
          low: number | null;
          /**
           * Upper end of the share's 95 % interval (Wilson).
           */
          high: number | null;
        };
      };
      /**
       * Mean of two shares: of accepted answers that get a yes, and of rejected answers that do not. Null if either kind is missing.
       */
      balanced_accuracy: {
        /**
         * The mean.
         */
        value: number;
        /**
         * Lower end of its 95 % interval.
         */
        low: number;
        /**
         * Upper end of its 95 % interval.
         */
        high: number;
      } | null;
      /**
       * Answers left out because an evaluator gave no readable verdict.
       */
      unread: number;
    }[];
  }[];
  /**
   * References that the description of the pull request promises to fix (`Fixes: id`), and whether they are fixed; absent: none.
   */
  promises?: {
    /**
     * References promised to be fixed, in the order of the description.
     */
    references: {
      /**
       * File of the prompt.
       */
      path: string;
      /**
       * Name of the suite.
       */
      suite: string;
      /**
       * Model and parameters of the suite; null: it did not run.
       */
      variant: {
        /**
         * The model's name in the prompt; null if code computes the output.
         */
        model: string | null;
        /**
         * Parameters that are sent with the messages.
         */
        parameters: {
          [k: string]: _Schema0;
        };
      } | null;
      /**
       * The reference.
       */
      id: string;
      /**
       * `kept`: it failed on base, or is new, and passes on head. `not-kept`: it still fails on head. `broke`: it passes on base and fails on head. `unclear`: too few tries were judged. `passed-before`: it also passes on base. `unaffected`: it did not run, because nothing that it depends on changed. `deleted`: head does not have it.
       */
      status: "kept" | "not-kept" | "broke" | "unclear" | "passed-before" | "unaffected" | "deleted";
      /**
       * Base's tries; null: none.
       */
      base: {
        /**
         * Number of tries that passed.
         */
        passes: number;
        /**
         * Number of tries that passed or failed.
         */
        tries: number;
      } | null;
      /**
       * Head's tries; null: none.
       */
      head: {
        /**
         * Number of tries that passed.
         */
        passes: number;
        /**
         * Number of tries that passed or failed.
         */
        tries: number;
      } | null;
    }[];
    /**
     * Names in the description that match no reference.
     */
    unknown: {
      /**
       * The name as written in the description.
       */
      name: string;
      /**
       * The id of a test most similar to the name; null: none.
       */
      nearest: string | null;
    }[];
  };
  /**
   * Which changed lines made a suite worse, found by experiment; absent: nothing got worse.
   */
  causes?: {
    /**
     * File of the prompt.
     */
    path: string;
    /**
     * Name of the suite.
     */
    suite: string;
    /**
     * Model and parameters of the suite.
     */
    variant: {
      /**
       * The model's name in the prompt; null if code computes the output.
       */
      model: string | null;
      /**
       * Parameters that are sent with the messages.
       */
      parameters: {
        [k: string]: _Schema0;
      };
    };
    /**
     * The causes; empty: not found.
     */
    causes: {
      /**
       * `alone`: one changed part is the cause. `together`: only all of them together. `either`: each by itself. `only-change`: the only change, so no experiment was needed.
       */
      relation: "alone" | "together" | "either" | "only-change";
      /**
       * The changed parts that are the cause.
       */
      units: {
        /**
         * What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. `file`: a whole file of an agent's workspace.
         */
        kind:
          | "line"
          | "sentence"
          | "moved line"
          | "hunk"
          | "message"
          | "role"
          | "parameter"
          | "tool"
          | "property"
          | "model"
          | "provider"
          | "file";
        /**
         * Name of the parameter, tool or property. Null for lines of text and renamed properties.
         */
        name: string | null;
        /**
         * The parameter or tool that contains the property.
         */
        of?: {
          /**
           * The parameter that contains the property.
           */
          parameter: string;
          /**
           * The tool that contains the property. Null if none does.
           */
          tool: string | null;
        };
        /**
         * The changed file, on `side`.
         */
        file: string;
        /**
         * Changed files of a program. Absent if only `file` changed.
         */
        files?: string[];
        /**
         * Side of `file` and `lines`: `base` if text was only removed, else `head`.
         */
        side: "base" | "head";
        /**
         * The changed lines on `side`.
         */
        lines: {
          /**
           * First line, from 1. 0 for the whole file.
           */
          from: number;
          /**
           * Last line.
           */
          to: number;
        };
        /**
         * Where to comment on the change.
         */
        head: {
          /**
           * The file on head.
           */
          file: string;
          /**
           * The line on head. For removed text, the line after it. 0 for the whole file.
           */
          line: number;
        };
        /**
         * The text on base. Null if base has none, empty for a whole file.
         */
        base_text: string | null;
        /**
         * The text on head. Null if head has none, empty for a whole file.
         */
        head_text: string | null;
      }[];
      /**
       * References that got worse because of this cause.
       */
      references: {
        /**
         * The reference.
         */
        id: string;
        /**
         * Head with the cause reverted.
         */
        restored: {
          /**
           * Tries that pass.
           */
          passes: number;
          /**
           * Tries that pass or fail. Errors are not counted.
           */
          tries: number;
        };
        /**
         * Base with the cause added.
         */
        broken: {
          /**
           * Tries that pass.
           */
          passes: number;
          /**
           * Tries that pass or fail. Errors are not counted.
           */
          tries: number;
        };
      }[];
      /**
       * Effect of reverting the cause on stable references (all tries passed on both sides).
       */
      held: {
        /**
         * Stable references that still pass when the cause is reverted.
         */
        references: number;
        /**
         * Stable references that were run.
         */
        of: number;
      };
      /**
       * The largest p-value of these changed parts, adjusted for all parts of the change; null: no experiment.
       */
      p: number | null;
      /**
       * Calls of the experiment that proved the cause.
       */
      calls: number;
      /**
       * A tested fix; null: none passed; absent: not searched for.
       */
      fix?: {
        /**
         * `set back`: the cause is reverted. `draft`: new text from the grader model. `test`: a new test from it, which fails without an untested line. `shorter`: lines without an effect are removed.
         */
        kind: "set back" | "draft" | "test" | "shorter";
        /**
         * The file on head.
         */
        file: string;
        /**
         * The replaced text of head.
         */
        lines: {
          /**
           * First replaced line, from 1.
           */
          from: number;
          /**
           * Last replaced line.
           */
          to: number;
        };
        /**
         * Those lines, unchanged.
         */
        replaced: string;
        /**
         * The new lines; empty: none.
         */
        replacement: string;
        /**
         * Effect of the fix on references that got worse; `test`: passes with the line.
         */
        restores: {
          /**
           * References that pass again with the fix.
           */
          references: number;
          /**
           * References that got worse.
           */
          of: number;
        };
        /**
         * Effect of the fix on references that passed on both sides; `test`: passes without the line.
         */
        costs: {
          /**
           * References that pass less often with the fix than on base.
           */
          references: number;
          /**
           * References that passed every try on both sides and were run again.
           */
          of: number;
        };
        /**
         * Tries of each reference that got worse.
         */
        tries: number;
        /**
         * The model that wrote the fix did not see the references that pass again.
         */
        withheld?: true;
        /**
         * `shorter`: the most that the pass rate may have fallen, with 95 % confidence.
         */
        loss?: number;
      } | null;
      /**
       * Why there is no fix, as a clause, if `fix` is null.
       */
      no_fix?: string;
    }[];
    /**
     * The state of the experiment.
     */
    explained: {
      /**
       * Whether a cause was found, the calls were not enough, or there was no search.
       */
      status: "found" | "not-settled" | "not-started";
      /**
       * Why no cause was found; null if one was found.
       */
      reason: string | null;
      /**
       * Number of parts into which the change was split (units).
       */
      units: number;
      /**
       * Changed parts with no effect on the references that were run.
       */
      harmless: {
        /**
         * What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. `file`: a whole file of an agent's workspace.
         */
        kind:
          | "line"
          | "sentence"
          | "moved line"
          | "hunk"
          | "message"
          | "role"
          | "parameter"
          | "tool"
          | "property"
          | "model"
          | "provider"
          | "file";
        /**
         * Name of the parameter, tool or property. Null for lines of text and renamed properties.
         */
        name: string | null;
        /**
         * The parameter or tool that contains the property.
         */
        of?: {
          /**
           * The parameter that contains the property.
           */
          parameter: string;
          /**
           * The tool that contains the property. Null if none does.
           */
          tool: string | null;
        };
        /**
         * The changed file, on `side`.
         */
        file: string;
        /**
         * Changed files of a program. Absent if only `file` changed.
         */
        files?: string[];
        /**
         * Side of `file` and `lines`: `base` if text was only removed, else `head`.
         */
        side: "base" | "head";
        /**
         * The changed lines on `side`.
         */
        lines: {
          /**
           * First line, from 1. 0 for the whole file.
           */
          from: number;
          /**
           * Last line.
           */
          to: number;
        };
        /**
         * Where to comment on the change.
         */
        head: {
          /**
           * The file on head.
           */
          file: string;
          /**
           * The line on head. For removed text, the line after it. 0 for the whole file.
           */
          line: number;
        };
        /**
         * The text on base. Null if base has none, empty for a whole file.
         */
        base_text: string | null;
        /**
         * The text on head. Null if head has none, empty for a whole file.
         */
        head_text: string | null;
      }[];
      /**
       * One of these changed parts is likely the cause, without proof; absent: none.
       */
      suspects?: {
        /**
         * What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. `file`: a whole file of an agent's workspace.
         */
        kind:
          | "line"
          | "sentence"
          | "moved line"
          | "hunk"
          | "message"
          | "role"
          | "parameter"
          | "tool"
          | "property"
          | "model"
          | "provider"
          | "file";
        /**
         * Name of the parameter, tool or property. Null for lines of text and renamed properties.
         */
        name: string | null;
        /**
         * The parameter or tool that contains the property.
         */
        of?: {
          /**
           * The parameter that contains the property.
           */
          parameter: string;
          /**
           * The tool that contains the property. Null if none does.
           */
          tool: string | null;
        };
        /**
         * The changed file, on `side`.
         */
        file: string;
        /**
         * Changed files of a program. Absent if only `file` changed.
         */
        files?: string[];
        /**
         * Side of `file` and `lines`: `base` if text was only removed, else `head`.
         */
        side: "base" | "head";
        /**
         * The changed lines on `side`.
         */
        lines: {
          /**
           * First line, from 1. 0 for the whole file.
           */
          from: number;
          /**
           * Last line.
           */
          to: number;
        };
        /**
         * Where to comment on the change.
         */
        head: {
          /**
           * The file on head.
           */
          file: string;
          /**
           * The line on head. For removed text, the line after it. 0 for the whole file.
           */
          line: number;
        };
        /**
         * The text on base. Null if base has none, empty for a whole file.
         */
        base_text: string | null;
        /**
         * The text on head. Null if head has none, empty for a whole file.
         */
        head_text: string | null;
      }[];
      /**
       * References that got worse for an unknown reason.
       */
      unexplained: string[];
      /**
       * Calls of the experiment, including reused ones.
       */
      calls: number;
      /**
       * Metrics that fell and that alone judge these tries, because others hide the fall; absent: all metrics judge them.
       */
      metrics?: string[];
    };
  }[];
  /**
   * Which changed lines fixed references of a suite. Base and head are exchanged: `restored` is base with the cause added, `broken` is head with the cause reverted. Absent if nothing was fixed or if the suite is in `causes`.
   */
  fixed_by?: {
    /**
     * File of the prompt.
     */
    path: string;
    /**
     * Name of the suite.
     */
    suite: string;
    /**
     * Model and parameters of the suite.
     */
    variant: {
      /**
       * The model's name in the prompt; null if code computes the output.
       */
      model: string | null;
      /**
       * Parameters that are sent with the messages.
       */
      parameters: {
        [k: string]: _Schema0;
      };
    };
    /**
     * The causes; empty: not found.
     */
    causes: {
      /**
       * `alone`: one changed part is the cause. `together`: only all of them together. `either`: each by itself. `only-change`: the only change, so no experiment was needed.
       */
      relation: "alone" | "together" | "either" | "only-change";
      /**
       * The changed parts that are the cause.
       */
      units: {
        /**
         * What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. `file`: a whole file of an agent's workspace.
         */
        kind:
          | "line"
          | "sentence"
          | "moved line"
          | "hunk"
          | "message"
          | "role"
          | "parameter"
          | "tool"
          | "property"
          | "model"
          | "provider"
          | "file";
        /**
         * Name of the parameter, tool or property. Null for lines of text and renamed properties.
         */
        name: string | null;
        /**
         * The parameter or tool that contains the property.
         */
        of?: {
          /**
           * The parameter that contains the property.
           */
          parameter: string;
          /**
           * The tool that contains the property. Null if none does.
           */
          tool: string | null;
        };
        /**
         * The changed file, on `side`.
         */
        file: string;
        /**
         * Changed files of a program. Absent if only `file` changed.
         */
        files?: string[];
        /**
         * Side of `file` and `lines`: `base` if text was only removed, else `head`.
         */
        side: "base" | "head";
        /**
         * The changed lines on `side`.
         */
        lines: {
          /**
           * First line, from 1. 0 for the whole file.
           */
          from: number;
          /**
           * Last line.
           */
          to: number;
        };
        /**
         * Where to comment on the change.
         */
        head: {
          /**
           * The file on head.
           */
          file: string;
          /**
           * The line on head. For removed text, the line after it. 0 for the whole file.
           */
          line: number;
        };
        /**
         * The text on base. Null if base has none, empty for a whole file.
         */
        base_text: string | null;
        /**
         * The text on head. Null if head has none, empty for a whole file.
         */
        head_text: string | null;
      }[];
      /**
       * References that got worse because of this cause.
       */
      references: {
        /**
         * The reference.
         */
        id: string;
        /**
         * Head with the cause reverted.
         */
        restored: {
          /**
           * Tries that pass.
           */
          passes: number;
          /**
           * Tries that pass or fail. Errors are not counted.
           */
          tries: number;
        };
        /**
         * Base with the cause added.
         */
        broken: {
          /**
           * Tries that pass.
           */
          passes: number;
          /**
           * Tries that pass or fail. Errors are not counted.
           */
          tries: number;
        };
      }[];
      /**
       * Effect of reverting the cause on stable references (all tries passed on both sides).
       */
      held: {
        /**
         * Stable references that still pass when the cause is reverted.
         */
        references: number;
        /**
         * Stable references that were run.
         */
        of: number;
      };
      /**
       * The largest p-value of these changed parts, adjusted for all parts of the change; null: no experiment.
       */
      p: number | null;
      /**
       * Calls of the experiment that proved the cause.
       */
      calls: number;
      /**
       * A tested fix; null: none passed; absent: not searched for.
       */
      fix?: {
        /**
         * `set back`: the cause is reverted. `draft`: new text from the grader model. `test`: a new test from it, which fails without an untested line. `shorter`: lines without an effect are removed.
         */
        kind: "set back" | "draft" | "test" | "shorter";
        /**
         * The file on head.
         */
        file: string;
        /**
         * The replaced text of head.
         */
        lines: {
          /**
           * First replaced line, from 1.
           */
          from: number;
          /**
           * Last replaced line.
           */
          to: number;
        };
        /**
         * Those lines, unchanged.
         */
        replaced: string;
        /**
         * The new lines; empty: none.
         */
        replacement: string;
        /**
         * Effect of the fix on references that got worse; `test`: passes with the line.
         */
        restores: {
          /**
           * References that pass again with the fix.
           */
          references: number;
          /**
           * References that got worse.
           */
          of: number;
        };
        /**
         * Effect of the fix on references that passed on both sides; `test`: passes without the line.
         */
        costs: {
          /**
           * References that pass less often with the fix than on base.
           */
          references: number;
          /**
           * References that passed every try on both sides and were run again.
           */
          of: number;
        };
        /**
         * Tries of each reference that got worse.
         */
        tries: number;
        /**
         * The model that wrote the fix did not see the references that pass again.
         */
        withheld?: true;
        /**
         * `shorter`: the most that the pass rate may have fallen, with 95 % confidence.
         */
        loss?: number;
      } | null;
      /**
       * Why there is no fix, as a clause, if `fix` is null.
       */
      no_fix?: string;
    }[];
    /**
     * The state of the experiment.
     */
    explained: {
      /**
       * Whether a cause was found, the calls were not enough, or there was no search.
       */
      status: "found" | "not-settled" | "not-started";
      /**
       * Why no cause was found; null if one was found.
       */
      reason: string | null;
      /**
       * Number of parts into which the change was split (units).
       */
      units: number;
      /**
       * Changed parts with no effect on the references that were run.
       */
      harmless: {
        /**
         * What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. `file`: a whole file of an agent's workspace.
         */
        kind:
          | "line"
          | "sentence"
          | "moved line"
          | "hunk"
          | "message"
          | "role"
          | "parameter"
          | "tool"
          | "property"
          | "model"
          | "provider"
          | "file";
        /**
         * Name of the parameter, tool or property. Null for lines of text and renamed properties.
         */
        name: string | null;
        /**
         * The parameter or tool that contains the property.
         */
        of?: {
          /**
           * The parameter that contains the property.
           */
          parameter: string;
          /**
           * The tool that contains the property. Null if none does.
           */
          tool: string | null;
        };
        /**
         * The changed file, on `side`.
         */
        file: string;
        /**
         * Changed files of a program. Absent if only `file` changed.
         */
        files?: string[];
        /**
         * Side of `file` and `lines`: `base` if text was only removed, else `head`.
         */
        side: "base" | "head";
        /**
         * The changed lines on `side`.
         */
        lines: {
          /**
           * First line, from 1. 0 for the whole file.
           */
          from: number;
          /**
           * Last line.
           */
          to: number;
        };
        /**
         * Where to comment on the change.
         */
        head: {
          /**
           * The file on head.
           */
          file: string;
          /**
           * The line on head. For removed text, the line after it. 0 for the whole file.
           */
          line: number;
        };
        /**
         * The text on base. Null if base has none, empty for a whole file.
         */
        base_text: string | null;
        /**
         * The text on head. Null if head has none, empty for a whole file.
         */
        head_text: string | null;
      }[];
      /**
       * One of these changed parts is likely the cause, without proof; absent: none.
       */
      suspects?: {
        /**
         * What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. `file`: a whole file of an agent's workspace.
         */
        kind:
          | "line"
          | "sentence"
          | "moved line"
          | "hunk"
          | "message"
          | "role"
          | "parameter"
          | "tool"
          | "property"
          | "model"
          | "provider"
          | "file";
        /**
         * Name of the parameter, tool or property. Null for lines of text and renamed properties.
         */
        name: string | null;
        /**
         * The parameter or tool that contains the property.
         */
        of?: {
          /**
           * The parameter that contains the property.
           */
          parameter: string;
          /**
           * The tool that contains the property. Null if none does.
           */
          tool: string | null;
        };
        /**
         * The changed file, on `side`.
         */
        file: string;
        /**
         * Changed files of a program. Absent if only `file` changed.
         */
        files?: string[];
        /**
         * Side of `file` and `lines`: `base` if text was only removed, else `head`.
         */
        side: "base" | "head";
        /**
         * The changed lines on `side`.
         */
        lines: {
          /**
           * First line, from 1. 0 for the whole file.
           */
          from: number;
          /**
           * Last line.
           */
          to: number;
        };
        /**
         * Where to comment on the change.
         */
        head: {
          /**
           * The file on head.
           */
          file: string;
          /**
           * The line on head. For removed text, the line after it. 0 for the whole file.
           */
          line: number;
        };
        /**
         * The text on base. Null if base has none, empty for a whole file.
         */
        base_text: string | null;
        /**
         * The text on head. Null if head has none, empty for a whole file.
         */
        head_text: string | null;
      }[];
      /**
       * References that got worse for an unknown reason.
       */
      unexplained: string[];
      /**
       * Calls of the experiment, including reused ones.
       */
      calls: number;
      /**
       * Metrics that fell and that alone judge these tries, because others hide the fall; absent: all metrics judge them.
       */
      metrics?: string[];
    };
  }[];
  /**
   * Which lines of prompts tests hold; absent: not examined.
   */
  coverage?: {
    /**
     * File of the prompt.
     */
    path: string;
    /**
     * Name of the suite.
     */
    suite: string;
    /**
     * Model and parameters of the suite.
     */
    variant: {
      /**
       * The model's name in the prompt; null if code computes the output.
       */
      model: string | null;
      /**
       * Parameters that are sent with the messages.
       */
      parameters: {
        [k: string]: _Schema0;
      };
    };
    /**
     * Whether all lines were examined, or only new and changed ones.
     */
    scope: "prompt" | "changed";
    /**
     * The lines that can be taken away, without those that insert an input.
     */
    lines: {
      /**
       * `held`: a test fails without the line. `held_together`: a test fails only without this line and another one. `untested`: answers change without it, and no test fails. `idle`: no effect on answers or tests was seen. `unsettled`: the calls did not suffice.
       */
      status: "held" | "held_together" | "untested" | "idle" | "unsettled";
      /**
       * The line, sentence, example or description; `head_text` is its text.
       */
      unit: {
        /**
         * What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. `file`: a whole file of an agent's workspace.
         */
        kind:
          | "line"
          | "sentence"
          | "moved line"
          | "hunk"
          | "message"
          | "role"
          | "parameter"
          | "tool"
          | "property"
          | "model"
          | "provider"
          | "file";
        /**
         * Name of the parameter, tool or property. Null for lines of text and renamed properties.
         */
        name: string | null;
        /**
         * The parameter or tool that contains the property.
         */
        of?: {
          /**
           * The parameter that contains the property.
           */
          parameter: string;
          /**
           * The tool that contains the property. Null if none does.
           */
          tool: string | null;
        };
        /**
         * The changed file, on `side`.
         */
        file: string;
        /**
         * Changed files of a program. Absent if only `file` changed.
         */
        files?: string[];
        /**
         * Side of `file` and `lines`: `base` if text was only removed, else `head`.
         */
        side: "base" | "head";
        /**
         * The changed lines on `side`.
         */
        lines: {
          /**
           * First line, from 1. 0 for the whole file.
           */
          from: number;
          /**
           * Last line.
           */
          to: number;
        };
        /**
         * Where to comment on the change.
         */
        head: {
          /**
           * The file on head.
           */
          file: string;
          /**
           * The line on head. For removed text, the line after it. 0 for the whole file.
           */
          line: number;
        };
        /**
         * The text on base. Null if base has none, empty for a whole file.
         */
        base_text: string | null;
        /**
         * The text on head. Null if head has none, empty for a whole file.
         */
        head_text: string | null;
      };
      /**
       * The first test that was found to hold the line; others may hold it, too.
       */
      reference: string | null;
      /**
       * Index in `lines` of the other line, if both are held together.
       */
      with: number | null;
      /**
       * Answers without this line, perhaps also without others.
       */
      answers: number;
      /**
       * A test that was run and fails without this line; absent: not drafted.
       */
      fix?: {
        /**
         * `set back`: the cause is reverted. `draft`: new text from the grader model. `test`: a new test from it, which fails without an untested line. `shorter`: lines without an effect are removed.
         */
        kind: "set back" | "draft" | "test" | "shorter";
        /**
         * The file on head.
         */
        file: string;
        /**
         * The replaced text of head.
         */
        lines: {
          /**
           * First replaced line, from 1.
           */
          from: number;
          /**
           * Last replaced line.
           */
          to: number;
        };
        /**
         * Those lines, unchanged.
         */
        replaced: string;
        /**
         * The new lines; empty: none.
         */
        replacement: string;
        /**
         * Effect of the fix on references that got worse; `test`: passes with the line.
         */
        restores: {
          /**
           * References that pass again with the fix.
           */
          references: number;
          /**
           * References that got worse.
           */
          of: number;
        };
        /**
         * Effect of the fix on references that passed on both sides; `test`: passes without the line.
         */
        costs: {
          /**
           * References that pass less often with the fix than on base.
           */
          references: number;
          /**
           * References that passed every try on both sides and were run again.
           */
          of: number;
        };
        /**
         * Tries of each reference that got worse.
         */
        tries: number;
        /**
         * The model that wrote the fix did not see the references that pass again.
         */
        withheld?: true;
        /**
         * `shorter`: the most that the pass rate may have fallen, with 95 % confidence.
         */
        loss?: number;
      } | null;
      /**
       * Why no test is shown, as a clause.
       */
      no_fix?: string;
    }[];
    /**
     * Why lines are not settled; null if all are.
     */
    reason: string | null;
    /**
     * Tests that pass in less than half of the tries, so they hold no line.
     */
    unsteady: string[];
    /**
     * Calls of the search, including reused ones.
     */
    calls: number;
  }[];
  /**
   * Domains and sub-tasks of the references (QualEval), compared between base and head.
   */
  attributes: {
    /**
     * Unique among the attributes of a suite.
     */
    id: string;
    /**
     * The attribute in a few words.
     */
    name: string;
    /**
     * `domain`: what the input is about. `subtask`: what the answer requires.
     */
    kind: "domain" | "subtask";
    /**
     * The attribute in a sentence.
     */
    explanation: string;
    /**
     * File of the prompt, as in `suites`.
     */
    path: string;
    /**
     * Name of the suite, as in `suites`.
     */
    suite: string;
    /**
     * Model and parameters of the suite, as in `suites`.
     */
    variant: {
      /**
       * The model's name in the prompt; null if code computes the output.
       */
      model: string | null;
      /**
       * Parameters that are sent with the messages.
       */
      parameters: {
        [k: string]: _Schema0;
      };
    };
    /**
     * Mean affinity over the references that were rated, 1–5.
     */
    affinity_mean: number;
    /**
     * The attribute's mean affinity divided by the sum of the mean affinities of its kind.
     */
    prior: number;
    /**
     * References that were judged on every side that ran.
     */
    n: number;
    /**
     * Mean pass rate of these references on base, 0–1; null if nothing was judged.
     */
    base: number | null;
    /**
     * Mean pass rate of these references on head, 0–1; null if nothing was judged.
     */
    head: number | null;
    /**
     * Head − base; null if a side is missing.
     */
    difference: number | null;
    /**
     * Lower end of the difference's two-sided 90 % interval.
     */
    low: number | null;
    /**
     * Upper end of the difference's two-sided 90 % interval.
     */
    high: number | null;
    /**
     * Mean of a metric's numbers over these references. Absent: passes are compared.
     */
    values?: {
      /**
       * The metric of `qualeval.metric`, or the one that decides the suite.
       */
      metric: string;
      /**
       * References with a number on every side that ran.
       */
      n: number;
      /**
       * Mean over these references on base; null if base did not run.
       */
      base: number | null;
      /**
       * Mean over these references on head; null if head did not run.
       */
      head: number | null;
      /**
       * Set if the verdict is about this metric. There are then no pass rates.
       */
      tested?: true;
    };
    /**
     * One-sided p of "head is worse" (of "head is better" if the attribute improved or rose), adjusted for all attributes. If the attribute is named as regressed, at least the p of "fell more than the others". Null if not tested.
     */
    p: number | null;
    /**
     * `regressed`: its references fell more than the others, and no other attribute explains it. `also fell`: they fell, but the attribute is not named as the cause. `improved` and `also rose`: the same for gains. `too few`: fewer than four compared references have it, or fewer than four lack it.
     */
    verdict: "regressed" | "improved" | "also fell" | "also rose" | "no change found" | "too few";
    /**
     * Regressed (or improved) attributes of this suite that share references with this one and explain its change.
     */
    explained_by: string[];
    /**
     * Attributes that would explain the same change about as well, so neither is named.
     */
    alternatives: {
      /**
       * The other attribute.
       */
      id: string;
      /**
       * Number of compared references that have both attributes.
       */
      shared: number;
      /**
       * Number of compared references of the attribute that has more of them.
       */
      of: number;
    }[];
    /**
     * Share of references whose answer's affinity is more than 1 away from the expected answer's: lower is better. Sub-tasks only.
     */
    alignment: {
      /**
       * The share on base; null if nothing was rated.
       */
      base: number | null;
      /**
       * The share on head; null if nothing was rated.
       */
      head: number | null;
    } | null;
    /**
     * Every reference rated 3 or more, whether compared or not.
     */
    references: string[];
    /**
     * References that QualEval's linear program assigns to the attribute. It gives each reference two attributes of each kind.
     */
    assigned: string[];
    /**
     * Ratings of the references in `references` or `assigned`.
     */
    ratings?: {
      /**
       * Id of the reference.
       */
      reference: string;
      /**
       * How well the reference fits the attribute, 1–5; null: no usable rating.
       */
      affinity: number | null;
      /**
       * Evidence in the grader's words, at most 300 characters; empty: none.
       */
      evidence: string;
    }[];
    /**
     * References worth reading.
     */
    samples: (
      | {
          /**
           * The reference whose pass rate fell most.
           */
          kind: "drop";
          /**
           * Id of the reference.
           */
          reference: string;
          /**
           * Its pass rate on base.
           */
          base: number;
          /**
           * Its pass rate on head.
           */
          head: number;
        }
      | {
          /**
           * An answer uses more or less of the sub-task than the expected answer.
           */
          kind: "skill";
          /**
           * Id of the reference.
           */
          reference: string;
          /**
           * The side that gave the answer.
           */
          side: "base" | "head";
          /**
           * Affinity of the expected answer with the sub-task, 1–5.
           */
          expected: number;
          /**
           * Affinity of the answer with the sub-task, 1–5.
           */
          output: number;
        }
    )[];
  }[];
  /**
   * Regressed attributes, each with a change of the prompt that was tried and passed, or why there is none. In a sweep, attributes that pass less often than their suite.
   */
  insights: {
    /**
     * File of the prompt, as in `suites`.
     */
    path: string;
    /**
     * Name of the suite, as in `suites`.
     */
    suite: string;
    /**
     * Model and parameters of the suite, as in `suites`.
     */
    variant: {
      /**
       * The model's name in the prompt; null if code computes the output.
       */
      model: string | null;
      /**
       * Parameters that are sent with the messages.
       */
      parameters: {
        [k: string]: _Schema0;
      };
    };
    /**
     * Id of the regressed or weak attribute.
     */
    attribute: string;
    /**
     * Ids of its references that fell or, in a sweep, fail.
     */
    references: string[];
    /**
     * The tested change of the prompt, written by the grader model; null if none passed.
     */
    fix: {
      /**
       * `set back`: the cause is reverted. `draft`: new text from the grader model. `test`: a new test from it, which fails without an untested line. `shorter`: lines without an effect are removed.
       */
      kind: "set back" | "draft" | "test" | "shorter";
      /**
       * The file on head.
       */
      file: string;
      /**
       * The replaced text of head.
       */
      lines: {
        /**
         * First replaced line, from 1.
         */
        from: number;
        /**
         * Last replaced line.
         */
        to: number;
      };
      /**
       * Those lines, unchanged.
       */
      replaced: string;
      /**
       * The new lines; empty: none.
       */
      replacement: string;
      /**
       * Effect of the fix on references that got worse; `test`: passes with the line.
       */
      restores: {
        /**
         * References that pass again with the fix.
         */
        references: number;
        /**
         * References that got worse.
         */
        of: number;
      };
      /**
       * Effect of the fix on references that passed on both sides; `test`: passes without the line.
       */
      costs: {
        /**
         * References that pass less often with the fix than on base.
         */
        references: number;
        /**
         * References that passed every try on both sides and were run again.
         */
        of: number;
      };
      /**
       * Tries of each reference that got worse.
       */
      tries: number;
      /**
       * The model that wrote the fix did not see the references that pass again.
       */
      withheld?: true;
      /**
       * `shorter`: the most that the pass rate may have fallen, with 95 % confidence.
       */
      loss?: number;
    } | null;
    /**
     * Why no change is shown, as a clause.
     */
    no_fix?: string;
  }[];
  /**
   * Comparison of head with an older commit (`gate.anchor`). Absent if not set or if nothing differs.
   */
  anchor?: {
    /**
     * As written in the settings: `last-release`, `30-days` or a commit.
     */
    since: string;
    /**
     * Full id of the older commit.
     */
    commit: string;
    /**
     * Name of the older commit: a tag, or its date and short id.
     */
    name: string;
    /**
     * Suites that ran and differ from the older commit.
     */
    suites: {
      /**
       * File of the prompt.
       */
      path: string;
      /**
       * Name of the suite.
       */
      suite: string;
      /**
       * Model and parameters of the suite.
       */
      variant: {
        /**
         * The model's name in the prompt; null if code computes the output.
         */
        model: string | null;
        /**
         * Parameters that are sent with the messages.
         */
        parameters: {
          [k: string]: _Schema0;
        };
      };
      /**
       * `fell`: head passes less often than the older commit's prompt, and new answers confirm it. `not-confirmed`: only stored answers show a drop. `level`: no significant drop. `not-asked`: a cap or the time limit left no calls.
       */
      status: "fell" | "not-confirmed" | "level" | "not-asked";
      /**
       * References that were compared.
       */
      references: number;
      /**
       * Tries of the older commit's prompt. For `fell` and `not-confirmed`, only new tries.
       */
      then: {
        /**
         * Number of tries that passed.
         */
        passes: number;
        /**
         * Number of tries that passed or failed.
         */
        tries: number;
      };
      /**
       * Head's tries.
       */
      now: {
        /**
         * Number of tries that passed.
         */
        passes: number;
        /**
         * Number of tries that passed or failed.
         */
        tries: number;
      };
      /**
       * One-sided mid-p value of "head passes less often"; null: not compared.
       */
      p: number | null;
    }[];
  };
  /**
   * The last measured false-alarm rate of this project's gate; null: not measured, or unknown.
   */
  noise: {
    /**
     * Comparisons of base with itself that went red.
     */
    red: number;
    /**
     * Comparisons of base with itself.
     */
    runs: number;
    /**
     * Lower end of the 95 % interval (Wilson) of `red` / `runs`.
     */
    low: number;
    /**
     * Upper end of the 95 % interval (Wilson) of `red` / `runs`.
     */
    high: number;
    /**
     * Day of the measurement, `YYYY-MM-DD`.
     */
    measured_at: string;
  } | null;
}
