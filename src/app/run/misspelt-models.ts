import { keyPlace } from '../../kernel/suite/suite.ts';
import { PRICE_ADVICE } from '../../money/cost-cap.ts';
import { targetsOf, type Prepared } from '../../money/prepared.ts';
import { isListed } from '../../money/price.ts';
import { nearest } from '../../text/suggest.ts';
import { calledModel, type Target } from '../../types/model.ts';
import type { Problem } from '../../types/plain.ts';
import type { Pricing } from './input.ts';

/** A name that differs from a known one only in a digit is not a typo but another version. */
export async function findMisspeltModels(
  { suites, features, price }: Prepared,
  { models = async () => [] }: Pricing,
): Promise<Problem[]> {
  const unpriced = targetsOf({ suites, features })
    .map(hostedOf)
    .filter(isListed)
    .filter((target) => price(target, { input_tokens: 0, output_tokens: 0 }) === null);
  const byName = new Map(unpriced.map((target) => [target.model, target]));
  const found = [...byName.values()].map(async ({ provider, model }): Promise<Problem[]> => {
    const known = (await models(provider)).filter((name) => digitsOf(name) === digitsOf(model));
    const near = nearest(model, known, 'typo');
    const meant = `the model "${model}" is not known; did you mean "${near ?? ''}"?`;
    const head = suites
      .flatMap(({ run }) => run.suite.head ?? [])
      .find(({ variant }) => variant.target && hostedOf(variant.target).model === model);
    const place = head === undefined ? null : keyPlace(head.suite.prompt, 'model');
    return near === null ? [] : [{ place, message: `${meant} If it is right: ${PRICE_ADVICE}` }];
  });
  return (await Promise.all(found)).flat();
}

function hostedOf(target: Target): Target {
  return calledModel(target) ?? target;
}

function digitsOf(name: string): string {
  return name.replace(/\D/g, '');
}
