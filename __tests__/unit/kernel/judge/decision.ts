import type { Decision } from '../../../../src/kernel/judge/gate-input.ts';
import { conclusionOf } from '../../../../src/kernel/result/outcome.ts';

/** A decision as `conclusion kind: codes of the reasons`. */
export function codesOf({ outcome, reasons }: Decision): string {
  const codes = reasons.map(({ code }) => code).join(' ');
  return `${conclusionOf(outcome)} ${outcome.kind}${codes === '' ? '' : `: ${codes}`}`;
}
