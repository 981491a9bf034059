import type { Json } from './plain.ts';
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

/** Ours to leave out of a grader's request: whoever grades should not be a matter of chance. */
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

/** A parameter that a model refuses as it is written, and what may stand in its place. */
export interface Refused {
  name: string;
  instead: string | null;
  /** The one value that is accepted. */
  but: string | number | boolean | null;
  /** When any value is, in words; null: never. */
  unless: string | null;
}

/** The parameters of these that models of the family refuse. */
export function refusedBy(
  { refuses }: Pick<Passport, 'refuses'>,
  parameters: Readonly<Record<string, Json>>,
): Refused[] {
  return Object.entries(refuses)
    .filter(
      ([name, { but, unless }]) =>
        (parameters[name] ?? null) !== null &&
        parameters[name] !== but &&
        !(
          unless?.values.some((value) => value === (parameters[unless.parameter] ?? null)) ?? false
        ),
    )
    .map(([name, { instead = null, but = null, unless }]) => ({
      name,
      instead,
      but,
      unless: unless === undefined ? null : exception(unless),
    }));
}

/** `only with reasoning_effort: none`, `only without temperature`. */
export function exception({ parameter, values }: NonNullable<Refusal['unless']>): string {
  const written = values.filter((value) => value !== null);
  return written.length === 0
    ? `only without ${parameter}`
    : `only with ${parameter}: ${written.join(' or ')}`;
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
