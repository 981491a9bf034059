import type { Decision, GateInput } from '../../../../src/kernel/judge/gate-input.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { outcomeFields } from '../../../../src/wording/outcomes.ts';
import { reasonWords } from '../../../../src/wording/reasons.ts';

/** A decision with its reasons rendered as text. */
export function inWords(
  { outcome, reasons }: Decision,
  { suites, replaced }: Pick<GateInput, 'suites' | 'replaced'>,
): Pick<Result, 'conclusion' | 'title'> & { reasons: string[] } {
  const { conclusion, title } = outcomeFields(outcome, {
    ...{ reasons, suites: [...suites], replaced: [...replaced] },
  });
  return { conclusion, title, reasons: reasons.map((reason) => reasonWords(reason, suites)) };
}
