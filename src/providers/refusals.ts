import type { Request } from '../types.ts';
import type { Fault } from './fault.ts';
import type { Ask } from './vendor.ts';

type Feature = 'temperature' | 'schema';
const WORDS: Readonly<Record<Feature, string>> = {
  temperature: 'temperature',
  schema: 'an answer schema',
};

/** What models of one server turned out not to know. */
export interface Refusals {
  /** The request, less what its model is known to refuse. */
  without(request: Request): Ask;
  /**
   * What this fault says the model refuses, if it can be left out; `first`: it was not known
   * before. Null: nothing.
   */
  learn(fault: Fault, request: Request, sent: Ask): { what: string; first: boolean } | null;
}

/**
 * Remembers per model. A prompt's own temperature is never left out, for then something else would
 * be measured than what the file says; a grader's may be, for it is ours. A schema that is itself
 * faulty is no refusal of schemas.
 */
export function createRefusals(): Refusals {
  const known = new Map<string, Set<Feature>>();
  return {
    without({ target: { model }, parameters, messages, schema, purpose }) {
      const refused = known.get(model);
      const ask: Ask = { model, parameters, messages, schema };
      if (refused === undefined) return ask;
      if (refused.has('schema')) ask.schema = null;
      if (refused.has('temperature') && purpose !== 'prompt') {
        const { temperature: _, ...others } = parameters;
        ask.parameters = others;
      }
      return ask;
    },
    learn(fault, { target: { model }, purpose }, sent) {
      const feature = refusedFeature(fault, purpose, sent);
      if (feature === null) return null;
      const refused = known.get(model) ?? new Set();
      known.set(model, refused);
      const first = !refused.has(feature);
      refused.add(feature);
      return { what: WORDS[feature], first };
    },
  };
}

function refusedFeature(
  { status, detail }: Fault,
  purpose: Request['purpose'],
  sent: Ask,
): Feature | null {
  if (status !== 400 && status !== 422) return null;
  if (purpose !== 'prompt' && 'temperature' in sent.parameters && /temperature/i.test(detail))
    return 'temperature';
  if (
    sent.schema !== null &&
    /response_format|json_schema/i.test(detail) &&
    !/invalid schema/i.test(detail)
  )
    return 'schema';
  return null;
}
