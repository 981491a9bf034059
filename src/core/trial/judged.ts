import type { Reference } from '../../types.ts';
import type { Sample } from './execute.ts';

/** One answer to judge, and the reference whose expected value it is judged by. */
export interface Judged {
  sample: Sample;
  reference: Reference;
  /** The other side's answer, for metrics that compare the two; null where there is none. */
  rival?: string | null;
}
