/** A measurement of the gate's own false alarms. */
import type { Notice, Problem } from './plain.ts';
import type { GateSettings, Variant } from './project.ts';
import type { MeasuredRate, NoiseNote, Result, UsageTotals } from './result.ts';

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
