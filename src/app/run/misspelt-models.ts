import { keyPlace } from '../../kernel/suite/suite.ts';
import { PRICE_ADVICE } from '../../money/cost-cap.ts';
import { targetsOf, type Prepared } from '../../money/prepared.ts';
import { isListed } from '../../money/price.ts';
import { nearest } from '../../text/suggest.ts';
import type { Problem } from '../../types/plain.ts';
import type { Pricing } from './input.ts';

/**
 * Models without a price whose names are one letter away from that of a listed model. Another digit
 * is another version of a model, not a typo.
 */
export async function misspeltModels(
  { suites, features, price }: Prepared,
  { models }: Pricing,
): Promise<Problem[]> {
  if (models === undefined) return [];
  const heads = suites.flatMap(({ run }) => run.suite.head ?? []);
  const found = new Map<string, Problem>();
  for (const target of new Set(targetsOf({ suites, features }))) {
    if (!isListed(target) || price(target, { input_tokens: 0, output_tokens: 0 }) !== null)
      continue;
    const { provider, model } = target;
    const known = (await models(provider)).filter((name) => digitsOf(name) === digitsOf(model));
    const near = nearest(model, known, 'typo');
    if (near === null) continue;
    const head = heads.find(({ variant }) => variant.target === target || variant.model === model);
    found.set(model, {
      place: head === undefined ? null : keyPlace(head.suite.prompt, 'model'),
      message: `the model "${model}" is not known; did you mean "${near}"? If it is right: ${PRICE_ADVICE}`,
    });
  }
  return [...found.values()];
}

function digitsOf(name: string): string {
  return name.replace(/\D/g, '');
}
