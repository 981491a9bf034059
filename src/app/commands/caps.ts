import { UserError, problem } from '../../errors.ts';
import { capsOf, capWords, costProblems, unknownPriceWords } from '../../money/cost-cap.ts';
import { createLedger, type Ledger } from '../../money/ledger.ts';
import { priceFrom } from '../../money/price.ts';
import type { Forecast } from '../../money/priced-calls.ts';
import { counted } from '../../text/amounts.ts';
import { type Target, modelLabel } from '../../types/model.ts';
import type { Problem } from '../../types/plain.ts';
import type { Price } from '../../types/price.ts';
import type { Edges } from '../run/record.ts';
import type { Opened } from './project.ts';

interface PlannedSpending {
  calls: number;
  targets: readonly Target[];
  price: Price;
  /** The expected cost. If null, the cost cap is checked only during the run. */
  forecast: Forecast | null;
  problems: readonly Problem[];
}

/** @throws UserError before any request if a cap is too low for the plan or a key is missing. */
export function checkCaps(
  { calls, targets, price, forecast, problems }: PlannedSpending,
  { project: { settings }, session: { inputs, log } }: Opened,
  edges: Edges,
): Ledger {
  const caps = capsOf({ ...inputs, writes: '--' }, settings.budget);
  const { maxCalls } = caps;
  const unpriced = targets
    .filter((target) => price(target, { input_tokens: 0, output_tokens: 0 }) === null)
    .map(modelLabel);
  const all = [
    ...problems,
    ...(maxCalls === null || calls <= maxCalls.limit
      ? []
      : [
          problem(
            null,
            `this would make up to ${counted(calls, 'model call')}; the limit is ` +
              `${capWords(maxCalls, '')}. Nothing was sent.`,
          ),
        ]),
    ...(forecast === null ? [] : costProblems(forecast, caps)),
    ...edges.missingKeys(targets),
  ];
  if (all.length > 0) throw new UserError(all);
  const words = unknownPriceWords([...new Set(unpriced)], caps);
  if (words !== null) log(words);
  const ledger = createLedger(caps, price);
  edges.ledger(ledger);
  return ledger;
}

export async function projectPrice(
  { project: { settings } }: Opened,
  edges: Edges,
  targets: readonly Target[],
): Promise<Price> {
  const { list } = await edges.pricing(targets);
  return priceFrom([settings], list);
}
