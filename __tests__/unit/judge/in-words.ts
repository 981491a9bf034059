import { outcomeFields } from '../../../src/judge/outcome-fields.ts';
import type { Decision } from '../../../src/judge/outcome.ts';
import type { Result } from '../../../src/result/result.ts';

/** A decision as a reader meets it. */
export function inWords({
  outcome,
  reasons,
}: Decision): Pick<Result, 'conclusion' | 'title' | 'reasons'> {
  const { conclusion, title } = outcomeFields(outcome);
  return { conclusion, title, reasons };
}
