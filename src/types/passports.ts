import { isMap, type Json } from './plain.ts';
import type { Passport, Refusal } from './vendors/facts.ts';
import { factsOf, type VendorName } from './vendors.ts';

export interface AskedModel {
  provider: VendorName;
  endpoint: string | null;
  model: string;
}

/** A model's known facts; null if unknown, or not at its vendor's own host. */
export function passportOf({ provider, endpoint, model }: AskedModel): Passport | null {
  if (endpoint !== null) return null;
  return factsOf(provider).passports.find(({ models }) => models.test(model)) ?? null;
}

const SAMPLING = ['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty'];

/** If one is refused, the other is used. */
export const LIMITS = ['max_tokens', 'max_completion_tokens'];

/** Grader parameters to omit if the model refuses them. */
export const DISPENSABLE = [...SAMPLING, ...LIMITS];

/** The most requests refused before a model's form and parameters are known. */
export function refusalsAtMost(
  asked: AskedModel,
  parameters: Readonly<Record<string, Json>>,
): number {
  return passportOf(asked) === null
    ? 2 + DISPENSABLE.filter((name) => name in parameters).length
    : 0;
}

export function refusedBy(
  { refuses }: Pick<Passport, 'refuses'>,
  parameters: Readonly<Record<string, Json>>,
): { name: string; refusal: Refusal }[] {
  const word = (name: string): Json => {
    const value = parameters[name] ?? null;
    return isMap(value) ? ((value['type'] as Json | undefined) ?? value) : value;
  };
  return Object.entries(refuses).flatMap(([name, refusal]) => {
    const { but, values, unless } = refusal;
    const given = word(name);
    const refused =
      given !== null && given !== but && (values === undefined || isIn(values, given));
    const excepted = unless !== undefined && isIn(unless.values, word(unless.parameter));
    return refused && !excepted ? [{ name, refusal }] : [];
  });
}

function isIn(values: readonly (string | null)[], word: Json): boolean {
  return values.some((value) => value === word);
}

/** ` but 1 (only with reasoning_effort: none)`, ` (enabled or disabled)`. */
export function refusalWords({ but, values, unless }: Refusal): string {
  const [value, which] = [
    but === undefined ? '' : ` but ${String(but)}`,
    values === undefined ? '' : ` (${values.join(' or ')})`,
  ];
  return `${value}${which}${unless === undefined ? '' : ` (${exception(unless)})`}`;
}

/** `only with reasoning_effort: none or without it`, `only without temperature`. */
function exception({ parameter, values }: NonNullable<Refusal['unless']>): string {
  const written = values.filter((value) => value !== null);
  if (written.length === 0) return `only without ${parameter}`;
  const without = written.length < values.length ? ' or without it' : '';
  return `only with ${parameter}: ${written.join(' or ')}${without}`;
}

/** Minimum tokens of a request prefix for the vendor's cache; null: no cache or no marks. */
export function cachesFrom({ provider, endpoint, model }: AskedModel): number | null {
  if (endpoint !== null) return null;
  return factsOf(provider).caches?.from.find(({ models }) => models.test(model))?.tokens ?? null;
}

/** As YYYY-MM-DD; null: none announced. */
export function retirementDate({ provider, endpoint, model }: AskedModel): string | null {
  if (endpoint !== null) return null;
  const { ends } = factsOf(provider);
  return Object.keys(ends).find((day) => ends[day]?.includes(model)) ?? null;
}
