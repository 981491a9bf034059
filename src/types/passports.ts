import { isMap, type Json } from './plain.ts';
import type { Passport, Refusal } from './vendors/facts.ts';
import { factsOf, type VendorName } from './vendors.ts';

/** A model where it is asked: at a vendor's own host, or (`endpoint`) at a server that speaks like it. */
export interface AskedModel {
  provider: VendorName;
  endpoint: string | null;
  model: string;
}

/** What is known of a model; null: nothing, as of every model that is not at its vendor's own host. */
export function passportOf({ provider, endpoint, model }: AskedModel): Passport | null {
  if (endpoint !== null) return null;
  return factsOf(provider).passports.find(({ models }) => models.test(model)) ?? null;
}

const SAMPLING = ['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty'];

/** The two names of one limit: what is refused under one is written under the other. */
export const LIMITS = ['max_tokens', 'max_completion_tokens'];

/** Parameters of a grader's request that are left out where its model refuses them. */
export const DISPENSABLE = [...SAMPLING, ...LIMITS];

/**
 * Requests at most that a model refuses until it is known how it is asked for an answer of a
 * schema with these parameters: two of the three forms, and each parameter.
 */
export function refusalsAtMost(
  asked: AskedModel,
  parameters: Readonly<Record<string, Json>>,
): number {
  return passportOf(asked) === null
    ? 2 + DISPENSABLE.filter((name) => name in parameters).length
    : 0;
}

/** The parameters of these that models of the family refuse. */
export function refusedBy(
  { refuses }: Pick<Passport, 'refuses'>,
  parameters: Readonly<Record<string, Json>>,
): { name: string; refusal: Refusal }[] {
  const word = (name: string): Json => wordOf(parameters[name] ?? null);
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

/** A value as the table of refusals has it: of a map its `type`. */
function wordOf(value: Json): Json {
  return isMap(value) ? ((value['type'] as Json | undefined) ?? value) : value;
}

/** What follows the name: ` but 1 (only with reasoning_effort: none)`, ` (enabled or disabled)`. */
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

/**
 * From how many tokens on a marked beginning of a request is kept in the vendor's cache; null: it
 * keeps none, or as it sees fit, and knows no marks.
 */
export function cachesFrom({ provider, endpoint, model }: AskedModel): number | null {
  if (endpoint !== null) return null;
  return factsOf(provider).caches?.from.find(({ models }) => models.test(model))?.tokens ?? null;
}

/** The day, as YYYY-MM-DD, from which on a model answers no more; null: none was announced. */
export function endOf({ provider, endpoint, model }: AskedModel): string | null {
  if (endpoint !== null) return null;
  const { ends } = factsOf(provider);
  return Object.keys(ends).find((day) => ends[day]?.includes(model)) ?? null;
}
