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
   * Base against head, or one commit alone.
   */
  mode: "diff" | "sweep";
  /**
   * What the run came to. Conclusion, title and every surface's words follow from it.
   */
  outcome:
    | {
        /**
         * Which outcome it is.
         */
        kind: "cancelled";
        /**
         * What ended the run before its plan was done: a cap, `timeout`, a signal to a command (`interrupted`), or a signal to a job (`cancelled`, as by a newer commit).
         */
        halt: "budget" | "time" | "interrupted" | "cancelled";
        /**
         * The limit or the signal that ended it, in words.
         */
        why: string;
        /**
         * Tries that were made.
         */
        made: number;
        /**
         * Tries that were planned.
         */
        planned: number;
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "nothing-to-run";
        /**
         * Rubrics that were tested.
         */
        rubrics: number;
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "not-evaluated";
        /**
         * Problems to fix.
         */
        problems: number;
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "not-judged";
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "ended-early";
        /**
         * What ended the run before its plan was done: a cap, `timeout`, a signal to a command (`interrupted`), or a signal to a job (`cancelled`, as by a newer commit).
         */
        halt: "budget" | "time" | "interrupted" | "cancelled";
        /**
         * The limit or the signal that ended it, in words.
         */
        why: string;
        /**
         * Tries that were made.
         */
        made: number;
        /**
         * Tries that were planned.
         */
        planned: number;
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "waiting";
        /**
         * What ended the run before its plan was done: a cap, `timeout`, a signal to a command (`interrupted`), or a signal to a job (`cancelled`, as by a newer commit).
         */
        halt: "budget" | "time" | "interrupted" | "cancelled";
        /**
         * The limit or the signal that ended it, in words.
         */
        why: string;
        /**
         * Tries that were made.
         */
        made: number;
        /**
         * Tries that were planned.
         */
        planned: number;
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "without-keys";
        /**
         * What needs no key was judged.
         */
        judged: boolean;
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "no-verdict";
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "not-comparable";
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "only-removed";
        /**
         * References that are gone.
         */
        references: number;
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "regressed";
        /**
         * The pass rate over all suites together fell; absent: it did not.
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
         * False: what was found may not fail the run.
         */
        fails: boolean;
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "failed";
        /**
         * False: what was found may not fail the run.
         */
        fails: boolean;
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "overridden";
        /**
         * The red verdict.
         */
        by:
          | {
              /**
               * Which outcome it is.
               */
              kind: "regressed";
              /**
               * The pass rate over all suites together fell; absent: it did not.
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
               * False: what was found may not fail the run.
               */
              fails: boolean;
            }
          | {
              /**
               * Which outcome it is.
               */
              kind: "failed";
              /**
               * False: what was found may not fail the run.
               */
              fails: boolean;
            };
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "inconclusive";
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "model-changed";
        /**
         * True under `on_inconclusive: fail`.
         */
        fails: boolean;
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "fixed";
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "new-failing";
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "improved";
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "no-regression";
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "scoring-changed";
      }
    | {
        /**
         * Which outcome it is.
         */
        kind: "evaluated";
      };
  /**
   * What the run came to, as a check on GitHub names it.
   */
  conclusion: "success" | "failure" | "neutral" | "error";
  /**
   * Outcome of the run in one line of at most 255 characters.
   */
  title: string;
  /**
   * Why: codes with their figures.
   */
  reasons: (
    | {
        /**
         * Which reason it is.
         */
        code: "no-test";
      }
    | {
        /**
         * Which reason it is.
         */
        code: "nothing-counts";
      }
    | {
        /**
         * Which reason it is.
         */
        code: "nothing-judged";
      }
    | {
        /**
         * Which reason it is.
         */
        code: "unused-changes";
      }
    | {
        /**
         * Which reason it is.
         */
        code: "errors";
        /**
         * Tries that ended in an error.
         */
        errors: number;
        /**
         * Of so many.
         */
        of: number;
      }
    | {
        /**
         * Which reason it is.
         */
        code: "no-grades";
        /**
         * Tries without a readable grade.
         */
        ungraded: number;
        /**
         * Of so many.
         */
        of: number;
      }
    | {
        /**
         * Which reason it is.
         */
        code: "words";
        /**
         * The words.
         */
        text: string;
      }
    | {
        /**
         * Which reason it is.
         */
        code: "feature";
        /**
         * The finding as a sentence.
         */
        text: string;
      }
    | {
        /**
         * Which reason it is.
         */
        code: "base-unreadable";
        /**
         * Why, with its place.
         */
        text: string;
      }
    | {
        /**
         * Which reason it is.
         */
        code: "preference-alone";
        /**
         * Name of the suite.
         */
        suite: string;
      }
    | {
        /**
         * Which reason it is.
         */
        code: "nothing-gates";
        /**
         * Name of the suite.
         */
        suite: string;
      }
    | {
        /**
         * Which reason it is.
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
           * The model as the prompt names it; null: code computes the output.
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
         * Which reason it is.
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
           * The model as the prompt names it; null: code computes the output.
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
         * Which reason it is.
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
         * Which reason it is.
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
         * The smallest rate that is allowed.
         */
        floor: number;
      }
    | {
        /**
         * Which reason it is.
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
         * Which reason it is.
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
         * The number is the share of these objects that pass.
         */
        share?: "Message" | "Turn" | "Thread" | "ToolCall";
        /**
         * Which way it moved.
         */
        way: "rose" | "fell";
        /**
         * Where that shows: in the mean, or in most tries, whatever the mean does.
         */
        by: "mean" | "ranks";
        /**
         * So many references.
         */
        references: number;
        /**
         * A setting of the gate makes the run fail by it.
         */
        fails: boolean;
      }
    | {
        /**
         * Which reason it is.
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
         * The number is the share of these objects that pass.
         */
        share?: "Message" | "Turn" | "Thread" | "ToolCall";
        /**
         * Which way it moved.
         */
        way: "rose" | "fell";
        /**
         * Where that shows: in the mean, or in most tries, whatever the mean does.
         */
        by: "mean" | "ranks";
        /**
         * So many references.
         */
        references: number;
      }
    | {
        /**
         * Which reason it is.
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
         * Which reason it is.
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
         * Same answers that now fail.
         */
        pass_fail: number;
        /**
         * Same answers that now pass.
         */
        fail_pass: number;
        /**
         * A setting of the gate makes the run fail by it.
         */
        fails: boolean;
      }
    | {
        /**
         * Which reason it is.
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
         * A setting of the gate makes the run fail by it.
         */
        fails: boolean;
      }
    | {
        /**
         * Which reason it is.
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
           * Tries on base, which all pass.
           */
          base: number;
          /**
           * Tries on head, which all fail.
           */
          head: number;
        }[];
        /**
         * A setting of the gate makes the run fail by it.
         */
        fails: boolean;
      }
    | {
        /**
         * Which reason it is.
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
         * The number is the share of these objects that pass.
         */
        share?: "Message" | "Turn" | "Thread" | "ToolCall";
        /**
         * Which way it moved.
         */
        way: "rose" | "fell";
        /**
         * Where that shows: in the mean, or in most tries, whatever the mean does.
         */
        by: "mean" | "ranks";
        /**
         * So many references.
         */
        references: number;
        /**
         * A setting of the gate makes the run fail by it.
         */
        fails: boolean;
      }
    | {
        /**
         * Which reason it is.
         */
        code: "unread-by-base";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Head's answers that it cannot judge.
         */
        answers: number;
        /**
         * Of so many.
         */
        of: number;
      }
    | {
        /**
         * Which reason it is.
         */
        code: "new-failed";
        /**
         * References as `suite: id`.
         */
        named: string[];
      }
    | {
        /**
         * Which reason it is.
         */
        code: "removed";
        /**
         * References as `suite: id`.
         */
        named: string[];
        /**
         * A setting of the gate makes the run fail by it.
         */
        fails: boolean;
      }
    | {
        /**
         * Which reason it is.
         */
        code: "asked-anew";
        /**
         * References as `suite: id`.
         */
        named: string[];
        /**
         * A setting of the gate makes the run fail by it.
         */
        fails: boolean;
      }
    | {
        /**
         * Which reason it is.
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
           * On one side.
           */
          base: {
            /**
             * Tries that passed.
             */
            passes: number;
            /**
             * Of so many.
             */
            of: number;
          };
          /**
           * On one side.
           */
          head: {
            /**
             * Tries that passed.
             */
            passes: number;
            /**
             * Of so many.
             */
            of: number;
          };
        }[];
      }
    | {
        /**
         * Which reason it is.
         */
        code: "uncompared";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * References that could be judged.
         */
        judged: number;
        /**
         * Of so many.
         */
        of: number;
        /**
         * Ids of the references.
         */
        missing: string[];
        /**
         * Base's prompt cannot be asked the missing ones.
         */
        unasked: boolean;
      }
    | {
        /**
         * Which reason it is.
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
         * On one side.
         */
        base: {
          /**
           * Tries that have it.
           */
          has: number;
          /**
           * Of so many.
           */
          of: number;
        };
        /**
         * On one side.
         */
        head: {
          /**
           * Tries that have it.
           */
          has: number;
          /**
           * Of so many.
           */
          of: number;
        };
      }
    | {
        /**
         * Which reason it is.
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
         * On one side.
         */
        base: {
          /**
           * Tries that have it.
           */
          has: number;
          /**
           * Of so many.
           */
          of: number;
        };
        /**
         * On one side.
         */
        head: {
          /**
           * Tries that have it.
           */
          has: number;
          /**
           * Of so many.
           */
          of: number;
        };
      }
    | {
        /**
         * Which reason it is.
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
         * Answers of base that it judged.
         */
        answers: number;
      }
    | {
        /**
         * Which reason it is.
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
         * Which reason it is.
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
         * References with a value on base.
         */
        base: number;
        /**
         * References with a value on head.
         */
        head: number;
        /**
         * Of so many.
         */
        of: number;
      }
    | {
        /**
         * Which reason it is.
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
         * On one side.
         */
        base: {
          /**
           * Tries that have it.
           */
          has: number;
          /**
           * Of so many.
           */
          of: number;
        };
        /**
         * On one side.
         */
        head: {
          /**
           * Tries that have it.
           */
          has: number;
          /**
           * Of so many.
           */
          of: number;
        };
      }
    | {
        /**
         * Which reason it is.
         */
        code: "ungraded";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * Tries without a readable grade.
         */
        tries: number;
        /**
         * Of so many.
         */
        of: number;
      }
    | {
        /**
         * Which reason it is.
         */
        code: "lost-checks";
        /**
         * The checks.
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
           * So many references.
           */
          references: number;
        }[];
      }
    | {
        /**
         * Which reason it is.
         */
        code: "own-rules";
        /**
         * The settings.
         */
        rules: string[];
      }
    | {
        /**
         * Which reason it is.
         */
        code: "replaced";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * What comes from it.
         */
        what: "answers" | "grades";
        /**
         * Who answers.
         */
        base:
          | {
              /**
               * Which kind it is.
               */
              kind: "prompt code";
            }
          | {
              /**
               * Which kind it is.
               */
              kind: "model" | "program" | "recordings";
              /**
               * The model, the command, or the file of the recordings.
               */
              name: string;
            };
        /**
         * Who answers.
         */
        head:
          | {
              /**
               * Which kind it is.
               */
              kind: "prompt code";
            }
          | {
              /**
               * Which kind it is.
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
         * Which reason it is.
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
         * Which reason it is.
         */
        code: "held";
        /**
         * Such findings.
         */
        held: number;
        /**
         * Further findings fail the run.
         */
        others: boolean;
      }
    | {
        /**
         * Which reason it is.
         */
        code: "ended";
        /**
         * What ended the run before its plan was done: a cap, `timeout`, a signal to a command (`interrupted`), or a signal to a job (`cancelled`, as by a newer commit).
         */
        halt: "budget" | "time" | "interrupted" | "cancelled";
        /**
         * The limit or the signal that ended it, in words.
         */
        why: string;
        /**
         * Tries that were made.
         */
        made: number;
        /**
         * Tries that were planned.
         */
        planned: number;
        /**
         * Whether the tries are enough for the verdict, or a batch is waited for.
         */
        effect: "enough" | "too-few" | "waiting";
      }
    | {
        /**
         * Which reason it is.
         */
        code: "waiting";
        /**
         * Requests in them.
         */
        requests: number;
        /**
         * Their ids.
         */
        batches: string[];
      }
    | {
        /**
         * Which reason it is.
         */
        code: "keys-withheld";
        /**
         * Whose pull request it is.
         */
        from: "fork" | "dependabot";
      }
    | {
        /**
         * Which reason it is.
         */
        code: "left-out";
        /**
         * Name of the suite.
         */
        suite: string;
        /**
         * So many references.
         */
        references: number;
        /**
         * Why it is affected.
         */
        because: {
          /**
           * Key of the file that differs, or that one side lacks.
           */
          key: string;
          /**
           * Its file.
           */
          file: string;
        }[];
      }
  )[];
  /**
   * How far the change was trusted to call models and run code.
   */
  trust: "trusted" | "member" | "untrusted";
  /**
   * The commit compared with; null in sweeps.
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
   * Where head's files are shown on the web; absent: not known.
   */
  source?: {
    /**
     * Web address of the repository that head is in.
     */
    url: string;
    /**
     * The project's folder in it; `.`: the repository's root.
     */
    directory: string;
  };
  /**
   * What `evaldiff diff` needs beside the commits to run the same in a checkout; absent: nothing.
   */
  local_options?: string;
  /**
   * The settings that the gate used.
   */
  gate: {
    /**
     * What makes a run red: a regression, any failing reference too, or nothing.
     */
    fail_on: "regression" | "failure" | "never";
    /**
     * Chance of a red run where head answers as base does, if tries are independent; at most 0.5.
     */
    alpha: number;
    /**
     * Smallest drop of a pass rate that counts, 0–1.
     */
    min_drop: number;
    /**
     * Largest drop that may stand under green, above 0 to 1; auto: what the suite can see, 0.05 to 0.1.
     */
    tolerance: number | "auto";
    /**
     * Whether single references can make a run red, or suites only.
     */
    gate_on: "suite+references" | "suite";
    /**
     * accept: single references that break, unless critical, do not make a run red, as after a change of the model; rates still do.
     */
    churn: "gate" | "accept";
    /**
     * What is compared: tries, or what the roll-up makes of each reference; absent: tries.
     */
    unit?: "tries" | "references";
    /**
     * What a metric whose mean got worse does to the run, by name (`metric.entry` for one number of a map); absent: those that know a direction warn.
     */
    metrics?: {
      [k: string]: "fail" | "warn" | "ignore";
    };
    /**
     * What an inconclusive suite does to the run.
     */
    on_inconclusive: "pass" | "fail";
    /**
     * What a scoring change does to the run that moves the pass rate of the same answers, or passes what falls under base's scoring.
     */
    scoring: "warn" | "fail";
    /**
     * What references do to the run that are removed, or ask something else.
     */
    removed: "warn" | "fail";
    /**
     * What a new reference does to the run that fails on head.
     */
    new: "report" | "fail";
    /**
     * An older commit that head is compared with, too; null: none.
     */
    anchor: {
      /**
       * `last-release`, `30-days` (1 to 3650), or a tag or commit.
       */
      since: string;
      /**
       * Whether a drop since then makes a run red.
       */
      fail: boolean;
    } | null;
    /**
     * What an attribute that regressed does to the run.
     */
    attributes: "advise" | "fail";
    /**
     * Pass rate that every suite must reach on head, 0–1; null: none.
     */
    min_pass_rate: number | null;
  };
  /**
   * Tries of each reference, or `adaptive`.
   */
  n_tries: number | "adaptive";
  /**
   * One for each suite and variant that ran.
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
       * The model as the prompt names it; null: code computes the output.
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
     * Base's model and parameters where they differ from head's; null: they do not.
     */
    base_variant: {
      /**
       * The model as the prompt names it; null: code computes the output.
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
       * Key of the file that differs, or that one side lacks.
       */
      key: string;
      /**
       * Its file.
       */
      file: string;
    }[];
    /**
     * What the suite sets of the gate for itself; absent: nothing.
     */
    gate?: {
      /**
       * What makes a run red: a regression, any failing reference too, or nothing.
       */
      fail_on?: "regression" | "failure" | "never";
      /**
       * Smallest drop of a pass rate that counts, 0–1.
       */
      min_drop?: number;
      /**
       * Largest drop that may stand under green, above 0 to 1; auto: what the suite can see, 0.05 to 0.1.
       */
      tolerance?: number | "auto";
      /**
       * Pass rate that every suite must reach on head, 0–1; null: none.
       */
      min_pass_rate?: number | null;
      /**
       * What is compared: tries, or what the roll-up makes of each reference; absent: tries.
       */
      unit?: "tries" | "references";
      /**
       * What a metric whose mean got worse does to the run, by name (`metric.entry` for one number of a map); absent: those that know a direction warn.
       */
      metrics?: {
        [k: string]: "fail" | "warn" | "ignore";
      };
    };
    /**
     * Share of tries that pass, 0–1, over the tries that all references share.
     */
    pass_rate: {
      /**
       * On base; null when nothing was judged.
       */
      base: number | null;
      /**
       * On head; null when nothing was judged.
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
       * One-sided mid-p of "head is worse"; null when not tested.
       */
      p: number | null;
    };
    /**
     * The verdict of the comparison.
     */
    verdict: "regressed" | "improved" | "unchanged" | "inconclusive" | "new" | "removed" | "not_compared" | "no_data";
    /**
     * What the pass rate counts: tries, references by their roll-up, or answers that are no worse than the other side's.
     */
    unit: "tries" | "references" | "pairs";
    /**
     * The side that cannot answer any reference, so nothing is compared; absent: none.
     */
    unasked?: "base" | "head";
    /**
     * What decided the verdict; null where nothing was compared.
     */
    reason: {
      /**
       * Regressed by the `fall` of all, by single `references`, or because head does not answer what base answers (`unanswered`). Improved by the `rise` of all. No regression because the `bound` of the difference lies above −tolerance, because the rate is no lower (`not-lower`), or because the suites of the `run` say so together. Inconclusive because references are `suspicious` still, or were `named` as worse, or because a single `metric` fell beyond chance, or because it looks worse and five tries did not settle it (`unsettled`), or because references lack evidence (`uncompared`), or because head's answers fall under base's scoring and the scoring changed too (`scoring`), or because one side's answers were cut, withheld or refused beyond chance (`endings`), or because it fell against stored answers of base and base's answers of today fell too (`model`), or because such a fall could not be confirmed today (`unconfirmed`).
       */
      by:
        | "fall"
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
       * Of the test that decided, one-sided; null where none did, or where it was sequential.
       */
      p: number | null;
      /**
       * Ids of the references that it is about; empty: all.
       */
      references: string[];
      /**
       * Metrics that fell, the one that fell most first; empty: all together.
       */
      metrics: string[];
      /**
       * The drop that was to be ruled out; by all suites together where `by` is `run`.
       */
      tolerance: number;
      /**
       * Head also answers less often than base, though something before that decided.
       */
      unanswered?: true;
      /**
       * Rates under base's scoring, where head clearly falls under it; absent: it does not.
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
         * Head's own scoring passes them.
         */
        excused: boolean;
      };
    } | null;
    /**
     * Smallest drop of the pass rate that a run of this size detects with 80 % power, 0–1; null: none.
     */
    visible_drop: number | null;
    /**
     * What the verdict rests on.
     */
    compared: {
      /**
       * References that were compared.
       */
      references: number;
      /**
       * Tries of each of them.
       */
      tries: number;
    };
    /**
     * How a fall against stored answers, or within one session of a program, was confirmed with new answers; absent: that was not needed.
     */
    confirmation?: {
      /**
       * The metric whose mean got worse; absent: it is about the verdict.
       */
      metric?: string;
      /**
       * What the fall rested on: answers of an earlier run, or one process of a program on each side.
       */
      rests_on: "stored" | "session";
      /**
       * `model`: base falls today, too. `unconfirmed`: today's tries show neither.
       */
      status: "confirmed" | "model" | "unconfirmed";
      /**
       * Whether single references or all together confirm it; null: not confirmed.
       */
      by: ("references" | "all") | null;
      /**
       * What ended the calls before it was settled; null: nothing did.
       */
      limit: ("max_calls" | "max_cost_usd" | "time" | "errors") | null;
      /**
       * How far base fell since its answers were stored; null: not beyond chance.
       */
      drift: {
        /**
         * Base's pass rate, or the metric's mean, by its stored answers.
         */
        stored: number;
        /**
         * The same by base's answers of today.
         */
        today: number;
        /**
         * One-sided mid-p of "base is worse today".
         */
        p: number;
      } | null;
      /**
       * The references that fell most, with the pairs of tries that they got today.
       */
      suspects: {
        /**
         * The reference.
         */
        id: string;
        /**
         * Base's new tries.
         */
        base: {
          /**
           * Tries that passed.
           */
          passes: number;
          /**
           * Tries that passed or failed.
           */
          tries: number;
        };
        /**
         * Head's new tries.
         */
        head: {
          /**
           * Tries that passed.
           */
          passes: number;
          /**
           * Tries that passed or failed.
           */
          tries: number;
        };
      }[];
      /**
       * All references asked again on base; null: that was not needed.
       */
      all: {
        /**
         * References that were asked again.
         */
        references: number;
        /**
         * Base's tries of today.
         */
        base: {
          /**
           * Tries that passed.
           */
          passes: number;
          /**
           * Tries that passed or failed.
           */
          tries: number;
        };
        /**
         * Head's tries, which are of today, too.
         */
        head: {
          /**
           * Tries that passed.
           */
          passes: number;
          /**
           * Tries that passed or failed.
           */
          tries: number;
        };
      } | null;
      /**
       * The stored answers that the comparison began with.
       */
      stored: {
        /**
         * Tries with an answer of an earlier run.
         */
        tries: number;
        /**
         * When the oldest was made, in milliseconds since 1970; null: not known.
         */
        oldest: number | null;
      };
    };
    /**
     * How many references could be judged, of how many.
     */
    evidence: {
      /**
       * References that were judged on every side they ran on.
       */
      references: number;
      /**
       * References that should have been: all that gate and were to run.
       */
      of: number;
      /**
       * Ids of the others.
       */
      missing: string[];
      /**
       * Of these, the ones tagged `critical`.
       */
      critical: string[];
    };
    /**
     * Every reference of the suite.
     */
    references: {
      /**
       * Given, or a hash of the input; unique in its suite.
       */
      id: string;
      /**
       * The file of the reference.
       */
      file: string;
      /**
       * Its line, from 1; 0 means the whole file.
       */
      line: number;
      /**
       * Its tags as written.
       */
      tags: string[];
      /**
       * It runs and is shown, but does not count for the verdict.
       */
      skip: boolean;
      /**
       * In quarantine on the day of the run: shown, and out of the verdict as with `skip`; absent: it is not.
       */
      quarantined?: true;
      /**
       * Values of the prompt's variables.
       */
      input: {
        [k: string]: string | number | boolean;
      };
      /**
       * Images and PDFs that the prompt showed to the model; absent: none.
       */
      files?: {
        /**
         * `file`: a PDF.
         */
        type: "image" | "file";
        /**
         * Its path in the repository.
         */
        path: string;
        /**
         * For example `image/png`.
         */
        media_type: string;
        /**
         * Git object id of its content.
         */
        id: string;
        /**
         * Its size.
         */
        bytes: number;
        /**
         * Only this side showed it; absent: every side that ran.
         */
        side?: "base" | "head";
      }[];
      /**
       * The gold answer as written; null when absent.
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
       * Head against base; where one side ran alone, its outcome (`pass`, `fail`).
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
       * One-sided p of "head passes less often", before adjustment; null where not compared.
       */
      p: number | null;
      /**
       * False-discovery rate at which it would be called regressed; null where not compared.
       */
      q: number | null;
      /**
       * How often what base asks passed in all tries that the store knows of; absent: it knows of none.
       */
      history?: {
        /**
         * Tries that passed.
         */
        passes: number;
        /**
         * Tries that passed or failed.
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
       * Base's tries; null where base did not run.
       */
      base: {
        /**
         * Counts over all metrics and tries, with llmeval's names and meaning.
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
           * Tries that were made.
           */
          num_tries: number;
          /**
           * Metrics that judge the reference.
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
         * Outcome under the roll-up policy; null when no try could be judged.
         */
        rollup: ("pass" | "fail") | null;
        /**
         * Tries that pass.
         */
        passes: number;
        /**
         * Tries that pass or fail.
         */
        tries_judged: number;
        /**
         * Every try in its order.
         */
        tries: {
          /**
           * Number of the try, from 0.
           */
          try: number;
          /**
           * The try as a whole: pass when every gating metric passes in it.
           */
          outcome: "pass" | "fail" | "ungraded" | "error" | "skipped";
          /**
           * The answer: its text, tool calls and other parts; null: there is none.
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
                     * JSON text as the model wrote it.
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
                     * Base64; null above 200 KB, where only the digest is kept.
                     */
                    data: string | null;
                  }
                | {
                    /**
                     * The kind of part.
                     */
                    type: "file";
                    /**
                     * Where it was written.
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
           * Why there is no answer; null when there is one.
           */
          error: string | null;
          /**
           * One for each metric of the reference.
           */
          scores: (
            | {
                /**
                 * What the grade rests on; absent: no rubric judged, or more than 2,000 at once.
                 */
                grade?: {
                  /**
                   * The rubric as it was filled in; cut after 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * Of each grader.
                   */
                  replies: {
                    /**
                     * The model.
                     */
                    grader: string;
                    /**
                     * The label that was read in its reply; null: none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * What it replied, whole or cut after 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of its calls for this grade; null: not known.
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
                       * Output tokens for thinking; absent: not counted separately.
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
                 * The metric is shown, but does not gate.
                 */
                skip: boolean;
                /**
                 * Each turn, message or tool call, of a metric with `every`; absent: it judged the last one alone.
                 */
                objects?: {
                  /**
                   * The unit that is judged.
                   */
                  level: "Message" | "Turn" | "Thread" | "ToolCall";
                  /**
                   * In the order of the dialogue.
                   */
                  scores: {
                    /**
                     * Position among the dialogue's objects of that level, from 0.
                     */
                    at: number;
                    /**
                     * Number of the scripted turn, from 1; absent: no script.
                     */
                    turn?: number;
                    /**
                     * Result of the metric for this object.
                     */
                    status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                    /**
                     * What the metric measured there; null: nothing.
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
                     * The reason; null: not given.
                     */
                    reason: string | null;
                    /**
                     * The metric's own code broke on it, which fails it; absent: it did not.
                     */
                    raised?: true;
                    /**
                     * The rubric's label; absent: no rubric judged.
                     */
                    label?: string;
                    /**
                     * What the grade rests on; absent: no rubric judged, or more than 2,000 at once.
                     */
                    grade?: {
                      /**
                       * The rubric as it was filled in; cut after 20,000 characters.
                       */
                      prompt: string;
                      /**
                       * Of each grader.
                       */
                      replies: {
                        /**
                         * The model.
                         */
                        grader: string;
                        /**
                         * The label that was read in its reply; null: none. Absent in older results.
                         */
                        label?: string | null;
                        /**
                         * What it replied, whole or cut after 20,000 characters.
                         */
                        reply: string;
                        /**
                         * Tokens of its calls for this grade; null: not known.
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
                           * Output tokens for thinking; absent: not counted separately.
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
                 * Why, as the metric or its grader says; null: nothing.
                 */
                reason: string | null;
                /**
                 * The metric's own code broke on this answer, or on all that it judged of it, which fails it; absent: it did not.
                 */
                raised?: true;
                /**
                 * The rubric's label behind the value; absent: no rubric judged.
                 */
                label?: string;
              }
            | {
                /**
                 * What the grade rests on; absent: no rubric judged, or more than 2,000 at once.
                 */
                grade?: {
                  /**
                   * The rubric as it was filled in; cut after 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * Of each grader.
                   */
                  replies: {
                    /**
                     * The model.
                     */
                    grader: string;
                    /**
                     * The label that was read in its reply; null: none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * What it replied, whole or cut after 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of its calls for this grade; null: not known.
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
                       * Output tokens for thinking; absent: not counted separately.
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
                 * The metric is shown, but does not gate.
                 */
                skip: boolean;
                /**
                 * Each turn, message or tool call, of a metric with `every`; absent: it judged the last one alone.
                 */
                objects?: {
                  /**
                   * The unit that is judged.
                   */
                  level: "Message" | "Turn" | "Thread" | "ToolCall";
                  /**
                   * In the order of the dialogue.
                   */
                  scores: {
                    /**
                     * Position among the dialogue's objects of that level, from 0.
                     */
                    at: number;
                    /**
                     * Number of the scripted turn, from 1; absent: no script.
                     */
                    turn?: number;
                    /**
                     * Result of the metric for this object.
                     */
                    status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                    /**
                     * What the metric measured there; null: nothing.
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
                     * The reason; null: not given.
                     */
                    reason: string | null;
                    /**
                     * The metric's own code broke on it, which fails it; absent: it did not.
                     */
                    raised?: true;
                    /**
                     * The rubric's label; absent: no rubric judged.
                     */
                    label?: string;
                    /**
                     * What the grade rests on; absent: no rubric judged, or more than 2,000 at once.
                     */
                    grade?: {
                      /**
                       * The rubric as it was filled in; cut after 20,000 characters.
                       */
                      prompt: string;
                      /**
                       * Of each grader.
                       */
                      replies: {
                        /**
                         * The model.
                         */
                        grader: string;
                        /**
                         * The label that was read in its reply; null: none. Absent in older results.
                         */
                        label?: string | null;
                        /**
                         * What it replied, whole or cut after 20,000 characters.
                         */
                        reply: string;
                        /**
                         * Tokens of its calls for this grade; null: not known.
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
                           * Output tokens for thinking; absent: not counted separately.
                           */
                          reasoning_tokens?: number;
                        } | null;
                      }[];
                    };
                  }[];
                };
                /**
                 * Why there is no score: no readable grade, an error, or a condition not met.
                 */
                status: "ungraded" | "error" | "skipped";
                /**
                 * There is none.
                 */
                value: null;
                /**
                 * What happened.
                 */
                reason: string;
              }
          )[];
          /**
           * Tokens of the call; null: not known.
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
             * Output tokens for thinking; absent: not counted separately.
             */
            reasoning_tokens?: number;
          } | null;
          /**
           * Milliseconds of the call that was paid for, also when its answer was reused; null: not known.
           */
          latency_ms: number | null;
          /**
           * The answer comes from the store; nothing was asked.
           */
          reused: boolean;
          /**
           * The answer was made by an earlier run; absent: by this one.
           */
          stored?: true;
          /**
           * Why the model stopped, also of an answer that says nothing (`parts` is null then); null: not known, or no answer.
           */
          ended: ("stop" | "length" | "tool_calls" | "refused" | "filtered" | "other") | null;
          /**
           * The server's own word for why it stopped, where evaldiff does not know it.
           */
          ended_as?: string;
          /**
           * Who answered, and when; absent: no server said.
           */
          served?: {
            /**
             * The model that answered, as the server calls it.
             */
            model: string | null;
            /**
             * Of its configuration; null: none.
             */
            fingerprint: string | null;
            /**
             * Time of the answer in milliseconds since 1970; rounded to the hour if stored.
             */
            at: number | null;
          };
          /**
           * What happened on the way to the answer, in order; absent: nothing is known.
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
                 * JSON text as the model wrote it.
                 */
                arguments: string;
                /**
                 * null: the call was not answered.
                 */
                result: string | null;
              }
          )[];
          /**
           * The dialogue, in suites with `conversation`.
           */
          conversation?: {
            /**
             * How the conversation ended. The two errors are not quality failures.
             */
            outcome: "complete" | "max_steps" | "no_follow_up" | "evaluator_error" | "model_error";
            /**
             * Questions and answers in their order.
             */
            turns: {
              /**
               * Last message of the user before the answer.
               */
              question: string;
              /**
               * The evaluator that asked; null for the reference's own and for recorded questions.
               */
              asked_by: string | null;
              /**
               * Null if the model gave none.
               */
              answer: string | null;
              /**
               * Of the evaluators with readable replies, in their order.
               */
              verdicts: {
                /**
                 * Name of the evaluator.
                 */
                evaluator: string;
                /**
                 * By criterion: whether it is met.
                 */
                words: {
                  [k: string]: "yes" | "no" | "unknown";
                };
                /**
                 * Its reasons; null if it gave none.
                 */
                analysis: string | null;
                /**
                 * Its next question; null if it has none.
                 */
                follow_up: string | null;
              }[];
              /**
               * By criterion: whether the evaluators together find it met; null if they could not judge.
               */
              satisfied: {
                [k: string]: boolean;
              } | null;
            }[];
            /**
             * By criterion: the first turn, from 1, from which it stays met to the end; null: never.
             */
            turns_to: {
              [k: string]: number | null;
            };
          } | null;
        }[];
      } | null;
      /**
       * Head's tries; null where head did not run.
       */
      head: {
        /**
         * Counts over all metrics and tries, with llmeval's names and meaning.
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
           * Tries that were made.
           */
          num_tries: number;
          /**
           * Metrics that judge the reference.
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
         * Outcome under the roll-up policy; null when no try could be judged.
         */
        rollup: ("pass" | "fail") | null;
        /**
         * Tries that pass.
         */
        passes: number;
        /**
         * Tries that pass or fail.
         */
        tries_judged: number;
        /**
         * Every try in its order.
         */
        tries: {
          /**
           * Number of the try, from 0.
           */
          try: number;
          /**
           * The try as a whole: pass when every gating metric passes in it.
           */
          outcome: "pass" | "fail" | "ungraded" | "error" | "skipped";
          /**
           * The answer: its text, tool calls and other parts; null: there is none.
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
                     * JSON text as the model wrote it.
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
                     * Base64; null above 200 KB, where only the digest is kept.
                     */
                    data: string | null;
                  }
                | {
                    /**
                     * The kind of part.
                     */
                    type: "file";
                    /**
                     * Where it was written.
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
           * Why there is no answer; null when there is one.
           */
          error: string | null;
          /**
           * One for each metric of the reference.
           */
          scores: (
            | {
                /**
                 * What the grade rests on; absent: no rubric judged, or more than 2,000 at once.
                 */
                grade?: {
                  /**
                   * The rubric as it was filled in; cut after 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * Of each grader.
                   */
                  replies: {
                    /**
                     * The model.
                     */
                    grader: string;
                    /**
                     * The label that was read in its reply; null: none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * What it replied, whole or cut after 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of its calls for this grade; null: not known.
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
                       * Output tokens for thinking; absent: not counted separately.
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
                 * The metric is shown, but does not gate.
                 */
                skip: boolean;
                /**
                 * Each turn, message or tool call, of a metric with `every`; absent: it judged the last one alone.
                 */
                objects?: {
                  /**
                   * The unit that is judged.
                   */
                  level: "Message" | "Turn" | "Thread" | "ToolCall";
                  /**
                   * In the order of the dialogue.
                   */
                  scores: {
                    /**
                     * Position among the dialogue's objects of that level, from 0.
                     */
                    at: number;
                    /**
                     * Number of the scripted turn, from 1; absent: no script.
                     */
                    turn?: number;
                    /**
                     * Result of the metric for this object.
                     */
                    status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                    /**
                     * What the metric measured there; null: nothing.
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
                     * The reason; null: not given.
                     */
                    reason: string | null;
                    /**
                     * The metric's own code broke on it, which fails it; absent: it did not.
                     */
                    raised?: true;
                    /**
                     * The rubric's label; absent: no rubric judged.
                     */
                    label?: string;
                    /**
                     * What the grade rests on; absent: no rubric judged, or more than 2,000 at once.
                     */
                    grade?: {
                      /**
                       * The rubric as it was filled in; cut after 20,000 characters.
                       */
                      prompt: string;
                      /**
                       * Of each grader.
                       */
                      replies: {
                        /**
                         * The model.
                         */
                        grader: string;
                        /**
                         * The label that was read in its reply; null: none. Absent in older results.
                         */
                        label?: string | null;
                        /**
                         * What it replied, whole or cut after 20,000 characters.
                         */
                        reply: string;
                        /**
                         * Tokens of its calls for this grade; null: not known.
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
                           * Output tokens for thinking; absent: not counted separately.
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
                 * Why, as the metric or its grader says; null: nothing.
                 */
                reason: string | null;
                /**
                 * The metric's own code broke on this answer, or on all that it judged of it, which fails it; absent: it did not.
                 */
                raised?: true;
                /**
                 * The rubric's label behind the value; absent: no rubric judged.
                 */
                label?: string;
              }
            | {
                /**
                 * What the grade rests on; absent: no rubric judged, or more than 2,000 at once.
                 */
                grade?: {
                  /**
                   * The rubric as it was filled in; cut after 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * Of each grader.
                   */
                  replies: {
                    /**
                     * The model.
                     */
                    grader: string;
                    /**
                     * The label that was read in its reply; null: none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * What it replied, whole or cut after 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of its calls for this grade; null: not known.
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
                       * Output tokens for thinking; absent: not counted separately.
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
                 * The metric is shown, but does not gate.
                 */
                skip: boolean;
                /**
                 * Each turn, message or tool call, of a metric with `every`; absent: it judged the last one alone.
                 */
                objects?: {
                  /**
                   * The unit that is judged.
                   */
                  level: "Message" | "Turn" | "Thread" | "ToolCall";
                  /**
                   * In the order of the dialogue.
                   */
                  scores: {
                    /**
                     * Position among the dialogue's objects of that level, from 0.
                     */
                    at: number;
                    /**
                     * Number of the scripted turn, from 1; absent: no script.
                     */
                    turn?: number;
                    /**
                     * Result of the metric for this object.
                     */
                    status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                    /**
                     * What the metric measured there; null: nothing.
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
                     * The reason; null: not given.
                     */
                    reason: string | null;
                    /**
                     * The metric's own code broke on it, which fails it; absent: it did not.
                     */
                    raised?: true;
                    /**
                     * The rubric's label; absent: no rubric judged.
                     */
                    label?: string;
                    /**
                     * What the grade rests on; absent: no rubric judged, or more than 2,000 at once.
                     */
                    grade?: {
                      /**
                       * The rubric as it was filled in; cut after 20,000 characters.
                       */
                      prompt: string;
                      /**
                       * Of each grader.
                       */
                      replies: {
                        /**
                         * The model.
                         */
                        grader: string;
                        /**
                         * The label that was read in its reply; null: none. Absent in older results.
                         */
                        label?: string | null;
                        /**
                         * What it replied, whole or cut after 20,000 characters.
                         */
                        reply: string;
                        /**
                         * Tokens of its calls for this grade; null: not known.
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
                           * Output tokens for thinking; absent: not counted separately.
                           */
                          reasoning_tokens?: number;
                        } | null;
                      }[];
                    };
                  }[];
                };
                /**
                 * Why there is no score: no readable grade, an error, or a condition not met.
                 */
                status: "ungraded" | "error" | "skipped";
                /**
                 * There is none.
                 */
                value: null;
                /**
                 * What happened.
                 */
                reason: string;
              }
          )[];
          /**
           * Tokens of the call; null: not known.
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
             * Output tokens for thinking; absent: not counted separately.
             */
            reasoning_tokens?: number;
          } | null;
          /**
           * Milliseconds of the call that was paid for, also when its answer was reused; null: not known.
           */
          latency_ms: number | null;
          /**
           * The answer comes from the store; nothing was asked.
           */
          reused: boolean;
          /**
           * The answer was made by an earlier run; absent: by this one.
           */
          stored?: true;
          /**
           * Why the model stopped, also of an answer that says nothing (`parts` is null then); null: not known, or no answer.
           */
          ended: ("stop" | "length" | "tool_calls" | "refused" | "filtered" | "other") | null;
          /**
           * The server's own word for why it stopped, where evaldiff does not know it.
           */
          ended_as?: string;
          /**
           * Who answered, and when; absent: no server said.
           */
          served?: {
            /**
             * The model that answered, as the server calls it.
             */
            model: string | null;
            /**
             * Of its configuration; null: none.
             */
            fingerprint: string | null;
            /**
             * Time of the answer in milliseconds since 1970; rounded to the hour if stored.
             */
            at: number | null;
          };
          /**
           * What happened on the way to the answer, in order; absent: nothing is known.
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
                 * JSON text as the model wrote it.
                 */
                arguments: string;
                /**
                 * null: the call was not answered.
                 */
                result: string | null;
              }
          )[];
          /**
           * The dialogue, in suites with `conversation`.
           */
          conversation?: {
            /**
             * How the conversation ended. The two errors are not quality failures.
             */
            outcome: "complete" | "max_steps" | "no_follow_up" | "evaluator_error" | "model_error";
            /**
             * Questions and answers in their order.
             */
            turns: {
              /**
               * Last message of the user before the answer.
               */
              question: string;
              /**
               * The evaluator that asked; null for the reference's own and for recorded questions.
               */
              asked_by: string | null;
              /**
               * Null if the model gave none.
               */
              answer: string | null;
              /**
               * Of the evaluators with readable replies, in their order.
               */
              verdicts: {
                /**
                 * Name of the evaluator.
                 */
                evaluator: string;
                /**
                 * By criterion: whether it is met.
                 */
                words: {
                  [k: string]: "yes" | "no" | "unknown";
                };
                /**
                 * Its reasons; null if it gave none.
                 */
                analysis: string | null;
                /**
                 * Its next question; null if it has none.
                 */
                follow_up: string | null;
              }[];
              /**
               * By criterion: whether the evaluators together find it met; null if they could not judge.
               */
              satisfied: {
                [k: string]: boolean;
              } | null;
            }[];
            /**
             * By criterion: the first turn, from 1, from which it stays met to the end; null: never.
             */
            turns_to: {
              [k: string]: number | null;
            };
          } | null;
        }[];
      } | null;
    }[];
    /**
     * Each metric alone: its pass rate, its numbers and its labels.
     */
    metrics: {
      /**
       * Name of the metric; `metric.entry` for one number of a map of several.
       */
      name: string;
      /**
       * Share of base's scores that pass; null: none was judged.
       */
      base: number | null;
      /**
       * Share of head's scores that pass; null: none was judged.
       */
      head: number | null;
      /**
       * Scores on base that pass or fail.
       */
      judged_base: number;
      /**
       * Scores on head that pass or fail.
       */
      judged_head: number;
      /**
       * It counts in the outcome of a try.
       */
      gates: boolean;
      /**
       * Which way its value should move.
       */
      better: "higher" | "lower" | "none";
      /**
       * Its numbers, where they say more than pass and fail.
       */
      values?: {
        /**
         * Mean on base, over references; null: no number there.
         */
        base: number | null;
        /**
         * Mean on head, over references; null: no number there.
         */
        head: number | null;
        /**
         * Head − base; null where nothing was compared.
         */
        difference: number | null;
        /**
         * Lower end of the difference's two-sided 90 % interval; null: it cannot be said.
         */
        low: number | null;
        /**
         * Upper end of the difference's two-sided 90 % interval; null: it cannot be said.
         */
        high: number | null;
        /**
         * Mid-p of the permutation test: one-sided for "worse", two-sided where neither way is better; null where nothing was compared.
         */
        p: number | null;
        /**
         * References with numbers on both sides.
         */
        references: number;
        /**
         * What a metric that got worse does to the run.
         */
        gate: "fail" | "warn" | "ignore";
        /**
         * Called under the error rate of the run; `higher` or `lower` where neither way is better. Null: within chance.
         */
        moved: ("worse" | "better" | "higher" | "lower") | null;
        /**
         * The number is the share of these objects that pass.
         */
        share?: "Message" | "Turn" | "Thread" | "ToolCall";
        /**
         * References whose value moved far beyond all others.
         */
        exploded?: {
          /**
           * Its id.
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
         * Which way it moved.
         */
        way?: "rose" | "fell";
        /**
         * Where that shows: in the mean, or in most tries, whatever the mean does.
         */
        by?: "mean" | "ranks";
      };
      /**
       * How often each label was given, where the metric gives labels.
       */
      labels?: {
        /**
         * The label.
         */
        label: string;
        /**
         * Scores on base with this label.
         */
        base: number;
        /**
         * Scores on head with this label.
         */
        head: number;
      }[];
      /**
       * The turns, messages or tool calls one by one, of a metric with `every`.
       */
      objects?: {
        /**
         * What the metric judges one by one.
         */
        level: "Message" | "Turn" | "Thread" | "ToolCall";
        /**
         * Null where base did not run.
         */
        base: {
          /**
           * Passing ones.
           */
          passes: number;
          /**
           * Objects that pass or fail, in the tries of the verdict.
           */
          judged: number;
        } | null;
        /**
         * Null where head did not run.
         */
        head: {
          /**
           * Passing ones.
           */
          passes: number;
          /**
           * Objects that pass or fail, in the tries of the verdict.
           */
          judged: number;
        } | null;
        /**
         * Mean over dialogues of the share that passes, head − base: objects of one dialogue are alike, so each dialogue counts once. Null where nothing was compared.
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
     * What the roll-up makes of the references that count.
     */
    rollups: {
      /**
       * The roll-up's name, with its number where it has one.
       */
      policy: string;
      /**
       * On base; null where nothing could be rolled up.
       */
      base: {
        /**
         * References that pass.
         */
        passes: number;
        /**
         * References that pass or fail.
         */
        references: number;
      } | null;
      /**
       * On head; null where nothing could be rolled up.
       */
      head: {
        /**
         * References that pass.
         */
        passes: number;
        /**
         * References that pass or fail.
         */
        references: number;
      } | null;
    };
    /**
     * Pass rates corrected for the grader's errors on labelled examples. Does not affect the verdict. Absent: no labelled examples, or the suite has another judge.
     */
    grader_error?: {
      /**
       * The only judge of the suite: a rubric metric, or `conversation` for all evaluators together.
       */
      metric: string;
      /**
       * What is corrected, of a metric with `every`: the share of a dialogue's objects that pass, as a mean over dialogues. Absent: the suite's pass rates.
       */
      objects?: {
        /**
         * The unit that is judged.
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
       * `within error`: the rates differ by no more than the share of answers that the grader gets wrong. `no better than chance`: on labelled examples the grader is no better than chance, so the rates cannot be corrected.
       */
      kind: "corrected" | "within error" | "no better than chance";
      /**
       * Examples that people accept.
       */
      good: {
        /**
         * Answers that the grader labels the same.
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
         * Answers that the grader labels the same.
         */
        right: number;
        /**
         * Labelled examples with a readable grade.
         */
        n: number;
      };
      /**
       * Share of such answers that the grader gets wrong; null: unknown.
       */
      wrong: number | null;
      /**
       * On base; null if unknown.
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
       * On head; null if unknown.
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
       * Null if sides are not compared or the rates cannot be corrected.
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
         * How several evaluators' words are combined.
         */
        combine: "all" | "any" | "majority";
      }[];
      /**
       * Tries by how their conversation ended.
       */
      outcomes: {
        /**
         * On base; null if base did not run.
         */
        base: {
          [k: string]: number;
        } | null;
        /**
         * On head; null if head did not run.
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
       * Turns of completed conversations, over the references that were completed on both sides.
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
         * Turns until it is met and stays met, over the references in which it is met on both sides.
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
         * Share of conversations in which it is met at the end, 0–1.
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
     * In suites whose expected values are a few labels, compared by `exact_match`: each try of a reference is one item.
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
         * On base; null if nothing was judged.
         */
        base: number | null;
        /**
         * On head; null if nothing was judged.
         */
        head: number | null;
      };
      /**
       * Mean F1 over the labels. F1 is 0 for a label that is never right.
       */
      macro_f1: {
        /**
         * On base; null if nothing was judged.
         */
        base: number | null;
        /**
         * On head; null if nothing was judged.
         */
        head: number | null;
      };
      /**
       * Share of answers that are not a label.
       */
      other: {
        /**
         * On base; null if nothing was judged.
         */
        base: number | null;
        /**
         * On head; null if nothing was judged.
         */
        head: number | null;
      };
      /**
       * In the order of the references.
       */
      labels: {
        /**
         * The label.
         */
        label: string;
        /**
         * References that expect it.
         */
        references: number;
        /**
         * Share of answers with this label that are right; null: no answer has it.
         */
        precision: {
          /**
           * On base; null if nothing was judged.
           */
          base: number | null;
          /**
           * On head; null if nothing was judged.
           */
          head: number | null;
        };
        /**
         * Share of answers to its references that have the label; null: nothing was answered.
         */
        recall: {
          /**
           * On base; null if nothing was judged.
           */
          base: number | null;
          /**
           * On head; null if nothing was judged.
           */
          head: number | null;
        };
      }[];
    } | null;
    /**
     * Base's answers against head's, in suites with `pairwise_preference`.
     */
    preference?: {
      /**
       * The metric that compares.
       */
      metric: string;
      /**
       * Comparisons in which head's answer is preferred.
       */
      head: number;
      /**
       * Comparisons in which base's answer is preferred.
       */
      base: number;
      /**
       * Comparisons in which neither is.
       */
      ties: number;
      /**
       * Share preferred on head less share preferred on base.
       */
      difference: number;
      /**
       * Lower end of the difference's two-sided 90 % interval, which holds over all looks at growing tries: a larger drop is ruled out.
       */
      low: number;
      /**
       * Upper end of the difference's two-sided 90 % interval, which holds over all looks at growing tries.
       */
      high: number;
      /**
       * One-sided mid-p of the sign test for "base's answers are preferred".
       */
      p: number;
      /**
       * The verdict rests on it: nothing else gates in the suite.
       */
      gates: boolean;
    } | null;
    /**
     * In sweeps: dollars for a thousand calls like those made, whether paid for or reused; null: not known.
     */
    cost_per_1000_calls?: number | null;
  }[];
  /**
   * What the pull request changes in the files because of which suites run; absent: not looked at.
   */
  changes?: {
    /**
     * The file on head; on base where head has none.
     */
    file: string;
    /**
     * Its path on base; differs from `file` where it was renamed; null: base has none.
     */
    base_file: string | null;
    /**
     * Names of the suites that run because of it.
     */
    suites: string[];
    /**
     * What differs, in the order of the file.
     */
    hunks: {
      /**
       * Line on base at which it begins, from 1; 0: base has none of it.
       */
      base: number;
      /**
       * Line on head at which it begins, from 1; 0: head has none of it.
       */
      head: number;
      /**
       * The lines in their order, with one of context.
       */
      lines: {
        /**
         * The side that has the line: both, base, or head.
         */
        sign: "same" | "removed" | "added";
        /**
         * The line, cut when it is very long.
         */
        text: string;
      }[];
    }[];
    /**
     * Changed lines that are left out.
     */
    more: number;
  }[];
  /**
   * Suites whose scoring changed: what the change alone does.
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
     * Pass rates, answers × scoring; null where nothing was judged.
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
     * What the prompt's change does: head_head − base_head.
     */
    prompt_effect: number | null;
    /**
     * What the scoring's change does: base_head − base_base.
     */
    scoring_effect: number | null;
    /**
     * Sum of the two effects.
     */
    total: number | null;
    /**
     * What changed of the scoring.
     */
    because: {
      /**
       * Key of the file that differs, or that one side lacks.
       */
      key: string;
      /**
       * Its file.
       */
      file: string;
    }[];
    /**
     * Of the references, only which ones are skipped changed; absent: not so.
     */
    only_skips?: true;
    /**
     * References whose outcome on base's answers differs between the scorings.
     */
    flipped: {
      /**
       * Id of the reference.
       */
      id: string;
      /**
       * Outcome under base's scoring.
       */
      from: "pass" | "fail" | "ungraded" | "error" | "skipped";
      /**
       * Outcome under head's scoring.
       */
      to: "pass" | "fail" | "ungraded" | "error" | "skipped";
    }[];
    /**
     * Tries of base's own answers, under both scorings.
     */
    same_answers: {
      /**
       * Tries that both scorings judged.
       */
      judged: number;
      /**
       * Of them, those that pass under base's scoring and fail under head's.
       */
      pass_fail: number;
      /**
       * Of them, those that fail under base's scoring and pass under head's.
       */
      fail_pass: number;
      /**
       * McNemar's two-sided mid-p.
       */
      p: number;
      /**
       * Cohen's kappa of the two scorings.
       */
      kappa: number | null;
    };
    /**
     * Head's answers clearly fall under base's scoring, and head's own scoring passes them; absent: not so.
     */
    excused?: true;
    /**
     * Pass rates under base's scoring of all that it judges, where head's answers clearly fall under it; absent: they do not.
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
     * References whose answers fall under base's scoring, where that keeps the suite from green; absent: none.
     */
    fell?: {
      /**
       * Id of the reference.
       */
      id: string;
      /**
       * A try of base that passes under base's scoring.
       */
      base_try: number;
      /**
       * A try of head that fails under base's scoring.
       */
      head_try: number;
      /**
       * That try of head's scores under base's scoring.
       */
      scores: (
        | {
            /**
             * What the grade rests on; absent: no rubric judged, or more than 2,000 at once.
             */
            grade?: {
              /**
               * The rubric as it was filled in; cut after 20,000 characters.
               */
              prompt: string;
              /**
               * Of each grader.
               */
              replies: {
                /**
                 * The model.
                 */
                grader: string;
                /**
                 * The label that was read in its reply; null: none. Absent in older results.
                 */
                label?: string | null;
                /**
                 * What it replied, whole or cut after 20,000 characters.
                 */
                reply: string;
                /**
                 * Tokens of its calls for this grade; null: not known.
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
                   * Output tokens for thinking; absent: not counted separately.
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
             * The metric is shown, but does not gate.
             */
            skip: boolean;
            /**
             * Each turn, message or tool call, of a metric with `every`; absent: it judged the last one alone.
             */
            objects?: {
              /**
               * The unit that is judged.
               */
              level: "Message" | "Turn" | "Thread" | "ToolCall";
              /**
               * In the order of the dialogue.
               */
              scores: {
                /**
                 * Position among the dialogue's objects of that level, from 0.
                 */
                at: number;
                /**
                 * Number of the scripted turn, from 1; absent: no script.
                 */
                turn?: number;
                /**
                 * Result of the metric for this object.
                 */
                status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                /**
                 * What the metric measured there; null: nothing.
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
                 * The reason; null: not given.
                 */
                reason: string | null;
                /**
                 * The metric's own code broke on it, which fails it; absent: it did not.
                 */
                raised?: true;
                /**
                 * The rubric's label; absent: no rubric judged.
                 */
                label?: string;
                /**
                 * What the grade rests on; absent: no rubric judged, or more than 2,000 at once.
                 */
                grade?: {
                  /**
                   * The rubric as it was filled in; cut after 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * Of each grader.
                   */
                  replies: {
                    /**
                     * The model.
                     */
                    grader: string;
                    /**
                     * The label that was read in its reply; null: none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * What it replied, whole or cut after 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of its calls for this grade; null: not known.
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
                       * Output tokens for thinking; absent: not counted separately.
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
             * Why, as the metric or its grader says; null: nothing.
             */
            reason: string | null;
            /**
             * The metric's own code broke on this answer, or on all that it judged of it, which fails it; absent: it did not.
             */
            raised?: true;
            /**
             * The rubric's label behind the value; absent: no rubric judged.
             */
            label?: string;
          }
        | {
            /**
             * What the grade rests on; absent: no rubric judged, or more than 2,000 at once.
             */
            grade?: {
              /**
               * The rubric as it was filled in; cut after 20,000 characters.
               */
              prompt: string;
              /**
               * Of each grader.
               */
              replies: {
                /**
                 * The model.
                 */
                grader: string;
                /**
                 * The label that was read in its reply; null: none. Absent in older results.
                 */
                label?: string | null;
                /**
                 * What it replied, whole or cut after 20,000 characters.
                 */
                reply: string;
                /**
                 * Tokens of its calls for this grade; null: not known.
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
                   * Output tokens for thinking; absent: not counted separately.
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
             * The metric is shown, but does not gate.
             */
            skip: boolean;
            /**
             * Each turn, message or tool call, of a metric with `every`; absent: it judged the last one alone.
             */
            objects?: {
              /**
               * The unit that is judged.
               */
              level: "Message" | "Turn" | "Thread" | "ToolCall";
              /**
               * In the order of the dialogue.
               */
              scores: {
                /**
                 * Position among the dialogue's objects of that level, from 0.
                 */
                at: number;
                /**
                 * Number of the scripted turn, from 1; absent: no script.
                 */
                turn?: number;
                /**
                 * Result of the metric for this object.
                 */
                status: "pass" | "fail" | "ungraded" | "error" | "skipped";
                /**
                 * What the metric measured there; null: nothing.
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
                 * The reason; null: not given.
                 */
                reason: string | null;
                /**
                 * The metric's own code broke on it, which fails it; absent: it did not.
                 */
                raised?: true;
                /**
                 * The rubric's label; absent: no rubric judged.
                 */
                label?: string;
                /**
                 * What the grade rests on; absent: no rubric judged, or more than 2,000 at once.
                 */
                grade?: {
                  /**
                   * The rubric as it was filled in; cut after 20,000 characters.
                   */
                  prompt: string;
                  /**
                   * Of each grader.
                   */
                  replies: {
                    /**
                     * The model.
                     */
                    grader: string;
                    /**
                     * The label that was read in its reply; null: none. Absent in older results.
                     */
                    label?: string | null;
                    /**
                     * What it replied, whole or cut after 20,000 characters.
                     */
                    reply: string;
                    /**
                     * Tokens of its calls for this grade; null: not known.
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
                       * Output tokens for thinking; absent: not counted separately.
                       */
                      reasoning_tokens?: number;
                    } | null;
                  }[];
                };
              }[];
            };
            /**
             * Why there is no score: no readable grade, an error, or a condition not met.
             */
            status: "ungraded" | "error" | "skipped";
            /**
             * There is none.
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
   * What a reader must know that changes no verdict.
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
     * Place of the cause; null: not in a file.
     */
    place: {
      /**
       * Path below the working directory.
       */
      file: string;
      /**
       * From 1; 0 means the file as a whole.
       */
      line: number;
    } | null;
  }[];
  /**
   * What the user has to fix; empty unless the conclusion is `error`.
   */
  problems: {
    /**
     * Place of the cause; null for inputs and the environment.
     */
    place: {
      /**
       * Path below the working directory.
       */
      file: string;
      /**
       * From 1; 0 means the file as a whole.
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
     * Calls that were made.
     */
    calls: number;
    /**
     * Answers that came from the store.
     */
    reused: number;
    /**
     * Answers from recordings, which are not calls. Absent in older results.
     */
    replayed?: number;
    /**
     * Tokens of the requests.
     */
    input_tokens: number;
    /**
     * Of the input tokens, those that the vendor read from its prompt cache; absent: none.
     */
    cached_tokens?: number;
    /**
     * Tokens of the answers.
     */
    output_tokens: number;
    /**
     * Cost of the calls in dollars; null: not known for all.
     */
    cost_usd: number | null;
    /**
     * Set if all calls went to programs of the project without a price, or to recordings.
     */
    unpriced?: "programs";
    /**
     * What the reused answers would have cost, in dollars; null: not known for all. Absent in older results.
     */
    saved_usd?: number | null;
    /**
     * The same figures by purpose of the calls.
     */
    by_purpose: {
      [k: string]: {
        /**
         * Calls that were made.
         */
        calls: number;
        /**
         * Answers that came from the store.
         */
        reused: number;
        /**
         * Answers from recordings, which are not calls. Absent in older results.
         */
        replayed?: number;
        /**
         * Cost of the calls in dollars; null: not known for all.
         */
        cost_usd: number | null;
        /**
         * What the reused answers would have cost, in dollars; null: not known for all. Absent in older results.
         */
        saved_usd?: number | null;
      };
    };
  };
  /**
   * The label that made a red verdict neutral; null: none did.
   */
  override: {
    /**
     * The label on the pull request.
     */
    label: string;
    /**
     * Why, in the words of the pull request or of the label's description.
     */
    reason: string;
  } | null;
  /**
   * Suites in which head puts something of its own in the place of a model that base asks; absent: none.
   */
  replaced?: {
    /**
     * Name of the suite.
     */
    suite: string;
    /**
     * The model that head uses instead.
     */
    by: "recordings" | "a program" | "prompt code";
  }[];
  /**
   * What code scored; absent: no code scored anything.
   */
  evaluations?: {
    /**
     * How often code scored something.
     */
    made: number;
    /**
     * Calls that were repeated in a fresh process.
     */
    repeated: number;
    /**
     * Repeated calls with a different result.
     */
    differing: number;
  };
  /**
   * Tries of the adaptive suites; null: no suite is adaptive.
   */
  adaptive_tries: {
    /**
     * Tries that the adaptive suites made.
     */
    made: number;
    /**
     * Tries that five fixed ones of each reference would have made.
     */
    fixed: number;
  } | null;
  /**
   * Domains and sub-tasks of the references (QualEval), base against head.
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
       * The model as the prompt names it; null: code computes the output.
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
     * Its share of the affinity among the attributes of its kind.
     */
    prior: number;
    /**
     * References that were judged on both sides, or on the only side.
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
     * Mean of a metric's numbers over these references. Not tested, so it affects no verdict.
     */
    values?: {
      /**
       * The metric of `qualeval.metric`, or the only one with numbers.
       */
      metric: string;
      /**
       * References with a number on both sides, or on the only side.
       */
      n: number;
      /**
       * Mean over them on base; null if base did not run.
       */
      base: number | null;
      /**
       * Mean over them on head; null if head did not run.
       */
      head: number | null;
    };
    /**
     * One-sided p of "head is worse" ("head is better" if it improved or rose), adjusted for all attributes; if named, at least that of "fell more than the others". Null if not tested.
     */
    p: number | null;
    /**
     * `regressed`: its references fell more than the others, and no other attribute explains it. `also fell`: they fell, but the attribute is not named as the cause. `improved` and `also rose`: likewise. `too few`: under four compared references inside or outside.
     */
    verdict: "regressed" | "improved" | "also fell" | "also rose" | "no change found" | "too few";
    /**
     * Regressed (or improved) attributes of this suite that share references with it and beside which it shows no further change.
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
       * Compared references that have both.
       */
      shared: number;
      /**
       * Compared references of the larger one.
       */
      of: number;
    }[];
    /**
     * Share of references whose answer's affinity is more than 1 away from the expected answer's: lower is better. Sub-tasks only.
     */
    alignment: {
      /**
       * On base; null if nothing was rated.
       */
      base: number | null;
      /**
       * On head; null if nothing was rated.
       */
      head: number | null;
    } | null;
    /**
     * Every reference rated 3 or more, whether compared or not.
     */
    references: string[];
    /**
     * References that QualEval's linear program assigns to it: two per kind and reference.
     */
    assigned: string[];
    /**
     * The rating of each of `references` and `assigned`.
     */
    ratings?: {
      /**
       * Id of the reference.
       */
      reference: string;
      /**
       * How well it fits the attribute, 1–5; null if the grader gave no usable rating.
       */
      affinity: number | null;
      /**
       * Evidence in the grader's words, at most 300 characters; empty if it gave none.
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
   * Why attributes regressed, each with a change of the prompt that was tried and passed.
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
       * The model as the prompt names it; null: code computes the output.
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
     * A sentence about the attributes of the suite.
     */
    text: string;
    /**
     * Ids of its attributes.
     */
    attributes: string[];
    /**
     * Ids of its references that fell.
     */
    references: string[];
    /**
     * The change of the prompt that was tried.
     */
    change: {
      /**
       * Head's file with the line.
       */
      file: string;
      /**
       * The line, from 1; 0: the whole file.
       */
      line: number;
      /**
       * The line of the prompt on head.
       */
      was: string;
      /**
       * The line that was tried, by the grader model.
       */
      becomes: string;
    };
    /**
     * Its gain in the attribute.
     */
    recovers: {
      /**
       * References that pass again with the change.
       */
      references: number;
      /**
       * References of the attribute that fell and were tried.
       */
      of: number;
    };
    /**
     * References that passed every try on both sides; the change broke none of them.
     */
    stable: number;
  }[];
  /**
   * Suites that have an insight that was rejected or whose change did not pass; absent if none.
   */
  dropped_insights?: {
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
       * The model as the prompt names it; null: code computes the output.
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
     * How many were left out; the notices give the reasons.
     */
    count: number;
  }[];
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
         * By criterion.
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
         * By criterion.
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
       * Mean of the shares of accepted and of rejected answers that are judged right; null if there are none of one kind.
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
     * Promised references, in the order of the text.
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
       * Its variant; null: it did not run.
       */
      variant: {
        /**
         * The model as the prompt names it; null: code computes the output.
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
       * `kept`: it failed on base, or is new, and passes on head. `not-kept`: it fails on head. `broke`: it passes on base and fails on head. `unclear`: too few tries were judged. `passed-before`: it also passes on base. `unaffected`: it did not run: nothing it depends on changed. `deleted`: head does not have it.
       */
      status: "kept" | "not-kept" | "broke" | "unclear" | "passed-before" | "unaffected" | "deleted";
      /**
       * Base's tries; null: none.
       */
      base: {
        /**
         * Tries that passed.
         */
        passes: number;
        /**
         * Tries that passed or failed.
         */
        tries: number;
      } | null;
      /**
       * Head's tries; null: none.
       */
      head: {
        /**
         * Tries that passed.
         */
        passes: number;
        /**
         * Tries that passed or failed.
         */
        tries: number;
      } | null;
    }[];
    /**
     * Promised names that match no reference.
     */
    unknown: {
      /**
       * As written in the description.
       */
      name: string;
      /**
       * The most similar id; null: none.
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
     * Its variant.
     */
    variant: {
      /**
       * The model as the prompt names it; null: code computes the output.
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
         * What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. `swap`: equal messages in another order. `file`: a whole file of an agent's workspace.
         */
        kind:
          | "line"
          | "sentence"
          | "moved line"
          | "hunk"
          | "message"
          | "swap"
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
         * What contains the property.
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
         * `base` if the change only removes something, otherwise `head`.
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
       * References that got worse because of it.
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
           * Tries that pass or fail.
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
           * Tries that pass or fail.
           */
          tries: number;
        };
      }[];
      /**
       * What reverting the cause does to stable references.
       */
      held: {
        /**
         * References that also pass with the cause reverted.
         */
        references: number;
        /**
         * Stable references of head that were tried.
         */
        of: number;
      };
      /**
       * The p-value of its weakest unit, adjusted for all units of the suite; null: no experiment.
       */
      p: number | null;
      /**
       * Calls that proved it.
       */
      calls: number;
      /**
       * A tested fix; null: none passed; absent: not searched for.
       */
      fix?: {
        /**
         * `set back`: the cause is reverted. `draft`: new text from the grader model.
         */
        kind: "set back" | "draft";
        /**
         * The prompt file on head.
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
         * Its effect on tests that got worse.
         */
        restores: {
          /**
           * References that pass again.
           */
          references: number;
          /**
           * References that got worse.
           */
          of: number;
        };
        /**
         * Its effect on tests that passed on both sides.
         */
        costs: {
          /**
           * References that pass less often than on base.
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
         * The model that wrote it did not see the references that it restores.
         */
        withheld?: true;
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
       * Number of units in the change.
       */
      units: number;
      /**
       * Units with no effect on the tried references.
       */
      harmless: {
        /**
         * What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. `swap`: equal messages in another order. `file`: a whole file of an agent's workspace.
         */
        kind:
          | "line"
          | "sentence"
          | "moved line"
          | "hunk"
          | "message"
          | "swap"
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
         * What contains the property.
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
         * `base` if the change only removes something, otherwise `head`.
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
       * Not proven: one of these units is likely the cause; absent: none.
       */
      suspects?: {
        /**
         * What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. `swap`: equal messages in another order. `file`: a whole file of an agent's workspace.
         */
        kind:
          | "line"
          | "sentence"
          | "moved line"
          | "hunk"
          | "message"
          | "swap"
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
         * What contains the property.
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
         * `base` if the change only removes something, otherwise `head`.
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
    };
  }[];
  /**
   * Which changed lines fixed references of a suite. Base and head are exchanged: `restored` is base with the cause added, `broken` is head with it reverted. Absent: nothing was fixed, or the suite is in `causes`.
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
     * Its variant.
     */
    variant: {
      /**
       * The model as the prompt names it; null: code computes the output.
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
         * What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. `swap`: equal messages in another order. `file`: a whole file of an agent's workspace.
         */
        kind:
          | "line"
          | "sentence"
          | "moved line"
          | "hunk"
          | "message"
          | "swap"
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
         * What contains the property.
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
         * `base` if the change only removes something, otherwise `head`.
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
       * References that got worse because of it.
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
           * Tries that pass or fail.
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
           * Tries that pass or fail.
           */
          tries: number;
        };
      }[];
      /**
       * What reverting the cause does to stable references.
       */
      held: {
        /**
         * References that also pass with the cause reverted.
         */
        references: number;
        /**
         * Stable references of head that were tried.
         */
        of: number;
      };
      /**
       * The p-value of its weakest unit, adjusted for all units of the suite; null: no experiment.
       */
      p: number | null;
      /**
       * Calls that proved it.
       */
      calls: number;
      /**
       * A tested fix; null: none passed; absent: not searched for.
       */
      fix?: {
        /**
         * `set back`: the cause is reverted. `draft`: new text from the grader model.
         */
        kind: "set back" | "draft";
        /**
         * The prompt file on head.
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
         * Its effect on tests that got worse.
         */
        restores: {
          /**
           * References that pass again.
           */
          references: number;
          /**
           * References that got worse.
           */
          of: number;
        };
        /**
         * Its effect on tests that passed on both sides.
         */
        costs: {
          /**
           * References that pass less often than on base.
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
         * The model that wrote it did not see the references that it restores.
         */
        withheld?: true;
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
       * Number of units in the change.
       */
      units: number;
      /**
       * Units with no effect on the tried references.
       */
      harmless: {
        /**
         * What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. `swap`: equal messages in another order. `file`: a whole file of an agent's workspace.
         */
        kind:
          | "line"
          | "sentence"
          | "moved line"
          | "hunk"
          | "message"
          | "swap"
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
         * What contains the property.
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
         * `base` if the change only removes something, otherwise `head`.
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
       * Not proven: one of these units is likely the cause; absent: none.
       */
      suspects?: {
        /**
         * What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. `swap`: equal messages in another order. `file`: a whole file of an agent's workspace.
         */
        kind:
          | "line"
          | "sentence"
          | "moved line"
          | "hunk"
          | "message"
          | "swap"
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
         * What contains the property.
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
         * `base` if the change only removes something, otherwise `head`.
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
    };
  }[];
  /**
   * Head against an older commit (`gate.anchor`); absent: not set, or nothing differs.
   */
  anchor?: {
    /**
     * As the settings say it: `last-release`, `30-days` or a commit.
     */
    since: string;
    /**
     * Full id of the older commit.
     */
    commit: string;
    /**
     * Its name: a tag, or its date and short id.
     */
    name: string;
    /**
     * Suites that ran and that differ from it.
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
       * Its variant.
       */
      variant: {
        /**
         * The model as the prompt names it; null: code computes the output.
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
       * Tries of the older commit's prompt; of today if it fell.
       */
      then: {
        /**
         * Tries that passed.
         */
        passes: number;
        /**
         * Tries that passed or failed.
         */
        tries: number;
      };
      /**
       * Head's tries.
       */
      now: {
        /**
         * Tries that passed.
         */
        passes: number;
        /**
         * Tries that passed or failed.
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
