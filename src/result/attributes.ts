import type { Attribute } from '../suite/attributes.ts';
import type { Variant } from '../suite/suite.ts';
import type { Side } from '../types/plain.ts';

/**
 * How well the references of an attribute are answered: their pass rates, 0–1, null where nothing
 * was judged.
 */
export interface Proficiency {
  /** References that were judged on both sides; where there is one side only, on that. */
  n: number;
  /** Mean over these references of their pass rate. */
  base: number | null;
  head: number | null;
  difference: number | null;
  /** Two-sided 90 % interval of the difference. */
  low: number | null;
  high: number | null;
}

/** An attribute of one suite, base against head. */
export interface AttributeResult extends Attribute, Proficiency {
  /**
   * The suite it belongs to, as in `suites`: `suite` is its name, for one file can hold several
   * prompts of one model.
   */
  path: string;
  suite: string;
  variant: Variant;
  /**
   * Mean affinity, 1–5, over the references that were rated, and its share among the attributes of
   * its kind, 0–1.
   */
  affinity_mean: number;
  prior: number;
  /**
   * One-sided p of "head is worse" ("head is better" where it improved), adjusted for all
   * attributes; null when not tested.
   */
  p: number | null;
  verdict: 'regressed' | 'improved' | 'no change seen' | 'too few';
  /**
   * Attributes of this suite whose references carry the whole change: without them no change is
   * seen here.
   */
  explained_by: string[];
  /**
   * Share of references whose answer's affinity is more than 1 away from the expected answer's:
   * lower is better. Sub-tasks only.
   */
  alignment: { base: number | null; head: number | null } | null;
  /** Every reference that was assigned the attribute, whether compared or not. */
  references: string[];
  samples: AttributeSample[];
}

/**
 * A reference worth reading: its pass rate fell most, or an answer to it shows more or less of the
 * sub-task than is expected.
 */
export type AttributeSample =
  | { kind: 'drop'; reference: string; base: number; head: number }
  | { kind: 'skill'; reference: string; side: Side; expected: number; output: number };

/**
 * A sentence about the attributes of one suite; `attributes` and `references` are ids of that
 * suite.
 */
export interface Insight {
  path: string;
  suite: string;
  variant: Variant;
  text: string;
  attributes: string[];
  references: string[];
  generated: boolean;
}
