import { outcomeFields } from '../../../../src/kernel/judge/outcome-fields.ts';
import type { Decision } from '../../../../src/kernel/judge/outcome.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';

/** A decision as a reader meets it. */
export function inWords({
  outcome,
  reasons,
}: Decision): Pick<Result, 'conclusion' | 'title' | 'reasons'> {
  const { conclusion, title } = outcomeFields(outcome);
  return { conclusion, title, reasons };
}
