/** The shared vocabulary. Types only: nothing here runs, and nothing is imported. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Scalar = string | number | boolean;
export type Side = 'base' | 'head';

/** A place in a user's file. `line` counts from 1; 0 means the file as a whole. */
export interface Place { file: string; line: number }

/** One thing the user has to mend. `place` is null for inputs and for the environment, which `message` then names. */
export interface Problem { place: Place | null; message: string }

/** Something a reader must know that changes no verdict by itself. */
export interface Notice { kind: NoticeKind; message: string; place: Place | null }
export type NoticeKind =
  | 'added' | 'removed' | 'edited' | 'skipped' | 'ungraded' | 'error' | 'capped' | 'not-comparable'
  | 'trust' | 'settings' | 'unused' | 'import' | 'permission' | 'repeats' | 'quarantine' | 'qualeval' | 'yardstick';

// ---------------------------------------------------------------- one commit's files

/** The regular files of one commit below the working directory; paths are POSIX and relative to it. */
export interface SourceTree {
  /** Full commit id, or `worktree` for uncommitted files. */
  commit: string;
  /** Path → git object id and size in bytes. Content with equal ids is equal. */
  files: ReadonlyMap<string, { id: string; size: number }>;
  /** Entries that are not regular files (symbolic links, submodules), by path, with what they are. */
  irregular: ReadonlyMap<string, 'symbolic link' | 'submodule'>;
  /** Content of a path listed in `files`. Rejects for any other path. */
  read(path: string): Promise<Uint8Array>;
}

/** What changed between the two commits, by path below the working directory. */
export interface ChangedFile {
  path: string;
  /** Path on base; differs from `path` for a rename; null for a new file. */
  basePath: string | null;
  /** Head's changed lines as inclusive ranges; empty for a deleted file. */
  lines: { start: number; end: number }[];
  deleted: boolean;
}

// ---------------------------------------------------------------- the user's files, as read

export type ProviderName = 'openai' | 'anthropic' | 'program' | 'replay';

export interface ModelSettings {
  provider: ProviderName;
  /** Name of an address given by the workflow (`endpoints`); null: the vendor's public host. */
  endpoint: string | null;
  /** The name sent to the vendor. */
  model: string;
  /** Dollars per million tokens. */
  price: { input: number; output: number } | null;
  /** `program`: command line, the files it is made of (globs), and what prepares the checkout. */
  command: string[];
  files: string[];
  setup: string[];
  /** `replay`: the recordings. */
  file: string | null;
  replaces: string[];
  place: Place;
}

export interface GateSettings {
  fail_on: 'regression' | 'failure' | 'never';
  /** Share of pull requests that change nothing which may go red, 0–0.5. */
  alpha: number;
  /** Smallest fall of a pass rate that counts, 0–1. */
  min_drop: number;
  /** A fall up to here can be called unchanged, 0–1. */
  tolerance: number;
  gate_on: 'suite+references' | 'suite';
  on_inconclusive: 'pass' | 'fail';
  yardstick: 'warn' | 'fail';
  removed: 'warn' | 'fail';
  attributes: 'advise' | 'fail';
  min_pass_rate: number | null;
}

/** What one suite sets of the gate for itself. */
export type SuiteGate = Partial<Pick<GateSettings, 'fail_on' | 'min_drop' | 'tolerance' | 'min_pass_rate'>>;

/** A model that grades, as the settings name it. */
export interface GraderSettings { model: string; parameters: Record<string, Json>; place: Place }

export interface Budget {
  max_calls: number | null;
  max_cost_usd: number | null;
  /** The cap on cost is the default, which nobody wrote. */
  assumed?: true;
}

export interface Settings {
  /** The settings file read, or null when the project has none. */
  file: string | null;
  prompts: string[];
  rubrics: string[];
  n_tries: number | 'adaptive';
  seed: number;
  models: ReadonlyMap<string, ModelSettings>;
  grader: GraderSettings | null;
  /** Further graders: each of them grades too, and the majority decides. Empty unless `grader` is a list. */
  voters: GraderSettings[];
  sweep: Record<string, Scalar[]>;
  gate: GateSettings;
  budget: Budget;
  qualeval: { enabled: 'auto' | 'on' | 'off'; attributes: string; max_attributes: number; slack: number };
}

export type Role = 'system' | 'user' | 'assistant';
export interface Message { role: Role; content: string }

export interface Prompt {
  file: string;
  name: string;
  /** The model's name as written; null only for a prompt that computes its output with `code`. */
  model: string | null;
  /** Every other scalar of the file, passed to the vendor as written. */
  parameters: Record<string, Json>;
  variables: { name: string; place: Place }[];
  messages: (Message & { place: Place })[];
  code: { source: string; language: CodeLanguage; place: Place } | null;
  /** Line of each top-level key, for messages and annotations. */
  lines: Record<string, number>;
}

export type CodeLanguage = 'python' | 'javascript';

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

export interface Metric {
  name: string;
  source: MetricSource;
  /** Passes when the value reaches it; null: the metric's own rule. */
  threshold: number | null;
  level: MetricLevel;
  depends_on: DependsOn[];
  /** Runs and is shown, but does not gate. */
  skip: boolean;
  place: Place;
}

export type Rollup =
  | { kind: 'named'; policy: 'all' | 'any' | 'majority' }
  | { kind: 'at_least'; k: number }
  | { kind: 'pass_rate'; min: number }
  | { kind: 'code'; name: string; language: CodeLanguage; code: string; place: Place };

export interface Reference {
  /** Given, or a hash of the input; unique in its suite. */
  id: string;
  place: Place;
  input: Record<string, Scalar>;
  /** Given messages in place of a rendered prompt (recorded dialogues); null for ordinary references. */
  thread: Message[] | null;
  /** As written; undefined when absent. */
  expected: Json | undefined;
  skip: boolean;
  tags: string[];
  n_tries: number | null;
  /** Judge this reference besides the suite's metrics. */
  metrics?: Metric[];
  /** Why this reference cannot run (a variable without a value, say); it is then an `error`, and the rest runs. */
  problem: string | null;
}

export interface Conversation {
  max_steps: number;
  evaluators: { model: string; parameters: Record<string, Json>; place: Place }[];
  criteria: Criterion[];
  instructions: string | null;
  /** Dialogues that people accepted or rejected, by which the evaluators themselves are judged. The last message is an answer. */
  examples: { messages: Message[]; accepted: boolean; place: Place }[];
  place: Place;
}

/** What evaluators answer yes or no to, and how several evaluators' words become one. */
export interface Criterion { name: string; combine: 'all' | 'any' | 'majority' }

export interface Tests {
  file: string;
  n_tries: number | 'adaptive' | null;
  skip: boolean;
  metrics: Metric[];
  rollup: Rollup;
  references: Reference[];
  conversation: Conversation | null;
  quarantine: { id: string; reason: string; until: string; place: Place }[];
  /** Absent: the settings' gate holds as it is. */
  gate?: SuiteGate;
}

/** A prompt with its tests at one commit. */
export interface Suite { prompt: Prompt; tests: Tests }

export interface Rubric {
  name: string;
  prompt: string;
  /** Label → score; labels are text even when YAML would read them otherwise. */
  choice_scores: ReadonlyMap<string, number>;
  eval_type: 'classify' | 'cot_classify' | 'classify_cot';
  notes: string | null;
  /** Labelled cases: `expected` is the label people give, `ideal` what the rubric's `{expected}` shows. */
  examples: { content: string; context: string | null; ideal: string | null; expected: string; place: Place }[];
  place: Place;
}

/** Everything read from one commit. */
export interface Project {
  settings: Settings;
  suites: Suite[];
  rubrics: ReadonlyMap<string, Rubric>;
  notices: Notice[];
}

/** Model and parameters of one column of results. */
export interface Variant { model: string | null; parameters: Record<string, Json> }

// ---------------------------------------------------------------- asking a model

/** Where a request goes. Keys and addresses are not here: the provider adds them. */
export type Target =
  | { provider: 'openai' | 'anthropic'; endpoint: string | null; model: string }
  | { provider: 'program'; model: string; command: string[]; setup: string[];
      /** Hash of the program's files: part of the key; `commit`, which checkout to run in, is not. */
      files: string; commit: string }
  | { provider: 'replay'; model: string; file: string;
      /** Git object id of the recordings: part of the key, so that other recordings are other answers. */
      content: string; commit: string };

/** A model that grades, with where it is asked. */
export interface Grader { target: Target; parameters: Record<string, Json> }

export interface Request {
  target: Target;
  parameters: Record<string, Json>;
  messages: Message[];
  /** Try index from 0. Two tries never share one completion. */
  try: number;
  /** Ask for an answer of this JSON Schema, by structured output or a forced tool where the vendor has it. */
  schema: { name: string; json: { [key: string]: Json } } | null;
  purpose: Purpose;
}
/** What a call is paid for; part of no key. */
export type Purpose = 'prompt' | 'grader' | 'evaluator' | 'qualeval' | 'insight';

export interface Usage { input_tokens: number; output_tokens: number }
export interface ToolCall { name: string; arguments: string }
export type FinishReason = 'stop' | 'length' | 'filter' | 'tool' | 'other';

/** What came back. An error is a value that is carried, counted and shown. */
export type Completion =
  | { status: 'ok'; output: string; finish_reason: FinishReason; tool_calls: ToolCall[]; usage: Usage | null;
      /** Milliseconds of the call that was paid for, also when the answer was reused. */
      latency_ms: number; reused: boolean }
  | { status: 'error'; kind: ErrorKind; message: string };
export type ErrorKind =
  | 'key' | 'rate-limit' | 'timeout' | 'network' | 'server' | 'request' | 'reply' | 'filtered'
  | 'program' | 'recording' | 'budget' | 'aborted' | 'code' | 'reference';

export type Complete = (request: Request) => Promise<Completion>;

/** Runs the user's code on many sets of variables; answers in the order of `inputs`. */
export type Evaluate = (job: CodeJob) => Promise<CodeResult[]>;
export interface CodeJob {
  side: Side;
  language: CodeLanguage;
  code: string;
  /** Names the code must set, in the order wanted. */
  outputs: string[];
  inputs: Record<string, Json | undefined>[];
}
export type CodeResult =
  | { status: 'ok'; values: Record<string, Json> }
  | { status: 'error'; message: string };

// ---------------------------------------------------------------- scores

/** One metric on one sample. Only pass and fail ever enter a rate. */
export type Score =
  | { metric: string; status: 'pass' | 'fail'; value: Json; reason: string | null; skip: boolean }
  | { metric: string; status: 'ungraded' | 'error' | 'skipped'; value: null; reason: string; skip: boolean };

/** A try as a whole: pass when every gating metric passes in it. */
export type Outcome = 'pass' | 'fail' | 'ungraded' | 'error' | 'skipped';

/** Counts over all metrics and tries of one reference on one side, with llmeval's meaning: skipped ones are inside. */
export interface Tally {
  num_passes: number; num_fails: number; num_skip_passes: number; num_skip_fails: number;
  num_tries: number; num_metrics: number; num_ungraded: number; num_errors: number;
}

// ---------------------------------------------------------------- kinds of inputs (QualEval)

/** A kind of input (domain), or a skill that answering takes (sub-task). `id` is unique within its suite, both kinds together. */
export interface Attribute { id: string; kind: 'domain' | 'subtask'; name: string; explanation: string }

/**
 * Which references get which attributes, as a linear program: most affinity in all, `perReference` attributes for each
 * reference, from `lower` to `upper` references for each attribute. Whole bounds make its vertices whole.
 */
export interface AssignmentProgram {
  /** References with equal scores are one row: how many they are, and their affinity with each attribute. */
  rows: { members: number; scores: number[] }[];
  perReference: number;
  lower: number[];
  upper: number[];
}

export type Solver = 'javascript-lp-solver' | 'highs';

/** `counts`: how many of each row's references get each attribute, as the solver gives it; to be checked, then rounded. */
export type AssignmentAnswer =
  | { status: 'solved'; counts: number[][] }
  | { status: 'failed'; reason: string };

export type Solve = (program: AssignmentProgram, solver: Solver) => Promise<AssignmentAnswer>;

// ---------------------------------------------------------------- what started the run

/**
 * The event, as far as anything is decided by it. Only SHAs reach git: every name here is for display and for comparing.
 */
export interface EventFacts {
  /** As GitHub names it; `command_line` for the CLI, which no event is called. */
  event: string;
  /** What happened (`opened`, `synchronize`, `labeled`); null where the event does not say. */
  action: string | null;
  /** `owner/name` of the repository whose workflow runs. */
  repository: string;
  /** Null outside pull requests, and for `workflow_run` until it is looked up. */
  pullRequest: number | null;
  /** Full commit ids. `base` is the base branch's tip when the event was sent (not the merge base), or what a push replaced. */
  base: string | null;
  head: string | null;
  /** `owner/name` that holds head; null when it is deleted or unknown. */
  headRepository: string | null;
  headBranch: string | null;
  /** Head lies in another repository, or nobody can say where. */
  fork: boolean;
  /** Dependabot started the run or opened the pull request. */
  dependabot: boolean;
  /** The label that `labeled` is about. */
  addedLabel: string | null;
  /** The run that `workflow_run` follows. */
  origin: { event: string; runId: number } | null;
}

// ---------------------------------------------------------------- the result (result.json)

export type Conclusion = 'success' | 'failure' | 'neutral' | 'error';
export type TrustLevel = 'trusted' | 'member' | 'untrusted';
export type Verdict = 'regressed' | 'improved' | 'unchanged' | 'inconclusive' | 'new' | 'removed' | 'not_compared' | 'no_data';
export type ReferenceStatus =
  | 'regressed' | 'improved' | 'unchanged' | 'flaky' | 'inconclusive'
  | 'added' | 'removed' | 'edited' | 'error' | 'ungraded'
  /** One side only (sweeps): the roll-up's word. */
  | 'pass' | 'fail';

/** How a conversation ended. The last two are errors, not failures of quality. */
export type ConversationOutcome = 'complete' | 'max_steps' | 'no_follow_up' | 'evaluator_error' | 'model_error';
export type CriterionWord = 'yes' | 'no' | 'unknown';

/** One evaluator's word on a dialogue, by criterion. */
export interface EvaluatorVerdict { evaluator: string; words: Record<string, CriterionWord>; analysis: string | null; follow_up: string | null }

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
  input: Record<string, Scalar>;
  expected: Json | null;
  status: ReferenceStatus;
  /** One-sided p of "head passes less often", before adjustment, and the false-discovery rate at which it would be called; null where not compared. */
  p: number | null;
  q: number | null;
  /** How often what base asks passed in all tries that the store knows of; absent: it knows of none. */
  history?: MeasuredRate;
  base: SideResult | null;
  head: SideResult | null;
}

/** Why a suite runs: a key of the user's file that differs, or a side that lacks it. */
export interface Because { key: string; file: string }

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
  metrics: { name: string; base: number | null; head: number | null; judged_base: number; judged_head: number }[];
  /** What only conversations have, in suites with `conversation`. */
  conversation?: ConversationSummary | null;
  /** Base's answers against head's, in suites with `pairwise_preference`. */
  preference?: PreferenceSummary | null;
  /** In suites whose expected values are a few labels, compared by `exact_match`. */
  classification?: ClassificationSummary | null;
  /** In sweeps: dollars for a thousand calls like those made, whether paid for or reused; null: not known. */
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

export interface BothSides { base: number | null; head: number | null }

/** Answers as labels, each try of a reference one item. Shares are 0–1; null where nothing was answered, or never with that label. */
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

/** A mean over references on both sides; where one side is missing, over those of the other. */
export interface PairedMean {
  base: number | null;
  head: number | null;
  /** Head − base, with a two-sided 90 % interval; null where a side is missing or too little was judged. */
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
  outcomes: { base: Record<ConversationOutcome, number> | null; head: Record<ConversationOutcome, number> | null };
  /** Share of conversations that were completed, 0–1. */
  completed: PairedMean;
  /** Turns of completed conversations, over the references that were completed on both sides. */
  turns: PairedMean;
  /** Turns until a criterion is met for good, over the references in which it is on both sides; and the share in which it is. */
  turns_to: { criterion: string; turns: PairedMean; reached: PairedMean }[];
}

export interface YardstickResult {
  path: string;
  name: string;
  /** Pass rates, outputs × yardstick: `base_head` is base's outputs under head's yardstick. */
  rates: { base_base: number | null; base_head: number | null; head_base: number | null; head_head: number | null };
  /** head_head − base_head, base_head − base_base, and their sum. */
  prompt_effect: number | null;
  yardstick_effect: number | null;
  total: number | null;
  because: Because[];
  /** References whose word on base's outputs differs between the yardsticks. */
  flipped: { id: string; from: Outcome; to: Outcome }[];
  /** Tries of base's own answers that both yardsticks judged: changes of their word, McNemar's two-sided mid-p, Cohen's kappa. */
  same_answers: { judged: number; pass_fail: number; fail_pass: number; p: number; kappa: number | null };
  summary: string;
}

/** An attribute of one suite, base against head. */
export interface AttributeResult extends Attribute {
  /** The suite it belongs to, as in `suites`. */
  path: string;
  variant: Variant;
  /** Mean affinity, 1–5, over the references that were rated, and its share among the attributes of its kind, 0–1. */
  affinity_mean: number;
  prior: number;
  /** References of the attribute that were judged on both sides (sweeps: on the one there is). */
  n: number;
  base: number | null;
  head: number | null;
  difference: number | null;
  /** Two-sided 90 % interval of the difference. */
  low: number | null;
  high: number | null;
  /** One-sided p of "head is worse" ("head is better" where it improved), adjusted for all attributes; null when not tested. */
  p: number | null;
  verdict: 'regressed' | 'improved' | 'no change seen' | 'too few';
  /** Attributes of this suite whose references carry the whole change: without them no change is seen here. */
  explained_by: string[];
  /** Share of references whose answer's affinity is more than 1 away from the expected answer's: lower is better. Sub-tasks only. */
  alignment: { base: number | null; head: number | null } | null;
  /** Every reference that was assigned the attribute, whether compared or not. */
  references: string[];
  samples: AttributeSample[];
}

/** A reference worth reading: its pass rate fell most, or an answer to it shows more or less of the sub-task than is expected. */
export type AttributeSample =
  | { kind: 'drop'; reference: string; base: number; head: number }
  | { kind: 'skill'; reference: string; side: Side; expected: number; output: number };

/** A sentence about the attributes of one suite; `attributes` and `references` are ids of that suite. */
export interface Insight { path: string; variant: Variant; text: string; attributes: string[]; references: string[]; generated: boolean }

/** Agreement of a rubric's grader with labelled examples. Positive is a label of the rubric's highest score. */
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
export interface YesShare { yes: number; n: number; share: number | null; low: number | null; high: number | null }

/** What evaluators say about answers that people accepted or rejected: one evaluator, or several by the suite's rules. */
export interface EvaluatorGrade {
  evaluators: string[];
  accepted: { criteria: Record<string, YesShare>; all: YesShare };
  rejected: { criteria: Record<string, YesShare>; all: YesShare };
  /** Mean of the shares of accepted and rejected answers that `all` tells right, with a 95 % interval. */
  balanced_accuracy: { value: number; low: number; high: number } | null;
  /** Answers left out because an evaluator gave no readable verdict. */
  unread: number;
}

/** How far a suite's evaluators can be trusted, on its labelled answers. */
export interface EvaluatorResult { path: string; name: string; side: Side; criteria: string[]; examples: number; grades: EvaluatorGrade[] }

export interface UsageTotals {
  calls: number;
  reused: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
  /** What reused answers would have cost; null: not known for all of them. Absent in results of before it was counted. */
  saved_usd?: number | null | undefined;
  by_purpose: Partial<Record<Purpose, { calls: number; reused: number; cost_usd: number | null; saved_usd?: number | null | undefined }>>;
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
  /** How often this project's gate was last measured to go red when nothing changed; null: it was not, as far as is known. */
  noise: NoiseNote | null;
  /** Who set a red verdict aside, and why; null: nobody did. */
  override: Override | null;
  /** Tries that the adaptive suites made, and what five fixed tries would have made; null without an adaptive suite. */
  adaptive_tries: { made: number; fixed: number } | null;
}

/** `red` of `runs` comparisons of base with itself; `low` to `high` is the share's 95 % interval (Wilson). */
export interface NoiseNote { red: number; runs: number; low: number; high: number; /** `YYYY-MM-DD`. */ measured_at: string }

/** A red verdict that a label on the pull request made neutral. */
export interface Override { label: string; reason: string }

/** Passes among tries, with the share's 95 % interval (Wilson). */
export interface MeasuredRate { passes: number; tries: number; low: number; high: number }

/** The whole gate on base against base, again and again with new tries. */
export interface NoiseResult extends NoiseNote {
  noise_version: 1;
  head: { sha: string };
  /** Comparisons that could not be judged; they are not among `runs`. */
  unjudged: number;
  /** Of `runs`, those that said "cannot tell". */
  neutral: number;
  /** The gate that was measured. */
  gate: GateSettings;
  n_tries: Result['n_tries'];
  suites: NoiseSuite[];
  /** References that both passed and failed, the least steady first. */
  flaky: (MeasuredRate & { path: string; name: string; id: string; file: string; line: number })[];
  /** Margins that fit the noise, 0–1; null where the present one does. */
  suggested: { tolerance: number | null; min_drop: number | null };
  notices: Notice[];
  /** What the user has to mend; nothing was measured then. */
  problems: Problem[];
  usage: UsageTotals;
}

export interface NoiseSuite {
  path: string;
  name: string;
  variant: Variant;
  references: number;
  /** Verdicts of the comparisons, counted. */
  regressed: number;
  improved: number;
  unchanged: number;
  inconclusive: number;
  /** Mean pass rate, 0–1, over the tries that all references share. */
  pass_rate: number | null;
  /** The largest fall of the pass rate that was seen, 0–1. */
  largest_fall: number;
}
