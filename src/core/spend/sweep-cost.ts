import type { Price } from './meter.ts';
import { asDirect } from './price.ts';
import type { LaneRun } from '../trial/rounds.ts';

/**
 * Dollars for a thousand direct calls like those of head's answers, whether they were paid for,
 * batched or reused. Null without an answer, where a price or the tokens of an answer are not
 * known, and for dialogues, whose tokens are those of several models.
 */
export function costPer1000Calls({ runs }: LaneRun, price: Price): number | null {
  const costs = runs.flatMap(({ case: { head: generation }, head }) =>
    head
      .filter(({ result }) => result.actual !== null)
      .map(({ result: { usage, conversation } }) =>
        generation?.kind === 'request' && usage !== null && (conversation ?? null) === null
          ? price(asDirect(generation.target), usage)
          : null,
      ),
  );
  if (costs.length === 0) return null;
  let sum = 0;
  for (const cost of costs) {
    if (cost === null) return null;
    sum += cost;
  }
  return (sum / costs.length) * 1000;
}
