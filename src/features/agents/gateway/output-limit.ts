import { estimateTokens } from '../../../text/estimated-tokens.ts';
import type { AskedModel } from '../../../types/model.ts';
import { longestOutput } from '../../../types/passports.ts';
import { isMap, member, type JsonMap } from '../../../types/plain.ts';
import type { Call } from './terms.ts';

/** A lower limit cuts most answers, so the gateway refuses the call instead. */
const LEAST_OUTPUT = 1024;

/** Assumed of models whose longest output is unknown. A server may refuse a higher limit. */
const USUAL_LONGEST = 32_768;

/**
 * `output`: the most output tokens of the call, from its body or else from the model. `least`: how
 * far the gateway may lower that.
 */
export function outputOf(call: Call, target: AskedModel): { output: number; least: number } {
  const { body } = call;
  const limits = limitPaths(call, target).map((path) => path.reduce<unknown>(member, body));
  // The suite may allow a request whose limit is not a number of tokens.
  const given = limits.filter((limit) => isTokenCount(limit));
  const output = given.length > 0 ? Math.max(...given) : (longestOutput(target) ?? USUAL_LONGEST);
  const thinking = member(body['thinking'], 'budget_tokens');
  const least = LEAST_OUTPUT + (isTokenCount(thinking) ? thinking : 0);
  return { output, least: Math.min(output, least) };
}

export function isTokenCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** Returns the body with this limit of output tokens, as JSON. */
export function withOutput(call: Call, target: AskedModel, tokens: number): string {
  const names = limitPaths(call, target);
  const present = names.filter((path) => path.reduce<unknown>(member, call.body) !== undefined);
  const paths = present.length > 0 ? present : names.slice(0, 1);
  return JSON.stringify(paths.reduce((body, path) => withMember(body, path, tokens), call.body));
}

/** Paths of the members that limit the output. The gateway adds the first one. */
function limitPaths({ route }: Call, { provider, endpoint }: AskedModel): string[][] {
  switch (route.does) {
    case 'responses':
      return [['max_output_tokens']];
    case 'chat': {
      const names = [['max_completion_tokens'], ['max_tokens']];
      return provider === 'openai' && endpoint === null ? names : names.reverse();
    }
    case 'generate':
      return [['generationConfig', 'maxOutputTokens']];
    default:
      return [['max_tokens']];
  }
}

function withMember(
  body: JsonMap,
  [name = '', ...below]: readonly string[],
  value: number,
): JsonMap {
  const own = body[name];
  const next = below.length === 0 ? value : withMember(isMap(own) ? own : {}, below, value);
  return { ...body, [name]: next };
}

/**
 * Inline images and documents, which have far more characters than tokens. The lookbehind keeps
 * the search linear: without it, each character of a shorter run starts another search.
 */
const INLINE_DATA = /(?<![\w+/=-])[\w+/=-]{4096,}/g;

export function withoutData(sent: string): string {
  return sent.replace(INLINE_DATA, '');
}

const MOST_INLINE_TOKENS = 200_000;

/** An estimate may be half of the real number, for example for numbers. */
const FIRST_MARGIN = 2;

const LATER_MARGIN = 1.25;

/** Tokens that a server may add, for example for tools. */
const ADDED_TOKENS = 256;

/** `density`: the most tokens per byte in the run so far. Null: there is no reply yet. */
export function callInput({ sent }: Call, density: number | null): number {
  const text = withoutData(sent);
  const ofText = estimateTokens(text);
  const ofData = Math.min(MOST_INLINE_TOKENS, sent.length - text.length);
  // Data lowers the density, so a later text is also estimated by its own size.
  const expected =
    density === null
      ? FIRST_MARGIN * ofText + ofData
      : Math.max(LATER_MARGIN * density * Buffer.byteLength(sent), ofText);
  return Math.ceil(expected) + ADDED_TOKENS;
}
