import type {
  GateSettings,
  NoiseNote,
  Notice,
  Problem,
  Result,
  SourceTree,
  TrustLevel,
  UsageTotals,
} from '../types.ts';
import type { Withheld } from './select/trust.ts';

/** What every result says, whatever came of the run. */
export interface ResultHead {
  mode: Result['mode'];
  base: Pick<SourceTree, 'commit'> | null;
  head: Pick<SourceTree, 'commit'>;
  trust: TrustLevel;
  gate: GateSettings;
  n_tries: Result['n_tries'];
  /** The last measurement of the gate's own false alarms. */
  noise?: NoiseNote | null;
}

export const NO_USAGE: UsageTotals = {
  calls: 0,
  reused: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  by_purpose: {},
};

/** The gate as it stands where no settings say otherwise. */
export const DEFAULT_GATE: GateSettings = {
  fail_on: 'regression',
  alpha: 0.05,
  min_drop: 0.01,
  tolerance: 0.05,
  gate_on: 'suite+references',
  on_inconclusive: 'pass',
  yardstick: 'warn',
  removed: 'warn',
  attributes: 'advise',
  min_pass_rate: null,
};

/** A result in which nothing was judged; the parts a run has are put over it. */
export function blankResult({
  mode,
  base,
  head,
  trust,
  gate,
  n_tries,
  noise = null,
}: ResultHead): Result {
  return {
    schema_version: 1,
    mode,
    conclusion: 'error',
    title: '',
    reasons: [],
    trust,
    base: base === null ? null : { sha: base.commit },
    head: { sha: head.commit },
    gate,
    n_tries,
    suites: [],
    yardstick: [],
    attributes: [],
    insights: [],
    graders: [],
    notices: [],
    problems: [],
    usage: NO_USAGE,
    noise,
    override: null,
    adaptive_tries: null,
  };
}

/** The user has to mend something first: nothing was called, nothing was judged. */
export function notEvaluated(head: ResultHead, problems: Problem[], notices: Notice[]): Result {
  const count = problems.length === 1 ? 'one problem' : `${String(problems.length)} problems`;
  return {
    ...blankResult(head),
    title: `Not evaluated: ${count} to mend`,
    reasons: [],
    problems,
    notices,
  };
}

/**
 * GitHub gives some runs no secrets: what needs none was checked, and that is said with what was
 * left out.
 */
export function withoutKeys(
  head: ResultHead,
  withheld: Withheld,
  left: readonly string[],
  notices: Notice[],
): Result {
  const whose = withheld === 'fork' ? 'from forks' : 'by Dependabot';
  const reason = `No model key is available to pull requests ${whose}. Changes were checked, nothing was sent to a model.`;
  return {
    ...blankResult(head),
    conclusion: 'neutral',
    title: 'Checked without a model key',
    reasons: [reason, ...left],
    notices,
  };
}
