import type { ReferenceResult, TryResult } from '../../types.ts';
import { shorten } from '../../text/cut.ts';
import { exampleTries } from './order.ts';

/**
 * What happened to a reference in lines of plain text: both answers, and each metric that head does
 * not pass.
 */
export function caseWords(reference: ReferenceResult, part: number): string[] {
  const { base, head } = exampleTries(reference);
  const scores = (head?.scores ?? []).filter(
    ({ status }) => status !== 'pass' && status !== 'skipped',
  );
  return [
    ...answer('Base', base, part),
    ...answer('Head', head, part),
    ...scores.map(
      ({ metric, status, reason }) =>
        `${metric}: ${status}${reason === null ? '' : `, ${shorten(reason, part)}`}`,
    ),
  ];
}

function answer(side: string, one: TryResult | null, part: number): string[] {
  if (one === null) return [];
  return [
    one.actual === null
      ? `${side}: no answer, ${shorten(one.error ?? 'unknown error', part)}`
      : `${side}: ${shorten(one.actual, part)}`,
  ];
}
