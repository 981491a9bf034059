import type { AskedModel } from './model.ts';
import { passportOf, publicModel, refusedBy } from './passports.ts';
import { isMap, type Json } from './plain.ts';
import type { Passport, Refusal } from './vendors/facts.ts';
import type { ChatApi } from './vendors/names.ts';
import { factsOf } from './vendors.ts';

type Parameters = Readonly<Record<string, Json>>;

const RESPONSES_ONLY = (
  'reasoning text max_output_tokens include instructions max_tool_calls truncation ' +
  'previous_response_id conversation prompt'
).split(' ');

/** https://developers.openai.com/api/docs/guides/migrate-to-responses */
const CHAT_ONLY: Readonly<Record<string, Refusal>> = {
  ...Object.fromEntries(
    (
      'seed stop presence_penalty frequency_penalty logit_bias logprobs functions ' +
      'function_call modalities audio prediction n'
    )
      .split(' ')
      .map((name) => [name, {}]),
  ),
  web_search_options: { instead: 'tools: [{ type: web_search }]' },
};

export function apiOf(asked: AskedModel, parameters: Parameters): ChatApi {
  if (asked.api !== undefined) return asked.api;
  const passport = passportOf(asked);
  if (passport?.api === 'responses') return 'responses';
  const known = publicModel(asked);
  const hasBoth = known !== null && factsOf(known.provider).hasResponses === true;
  return hasBoth && needsResponses(passport, parameters) ? 'responses' : 'chat';
}

function needsResponses(passport: Passport | null, parameters: Parameters): boolean {
  const isToolRefused =
    passport !== null &&
    refusedBy(passport.refuses, parameters).some(({ name }) => name === 'tools');
  return isToolRefused || responsesOnly(parameters) !== null;
}

function responsesOnly(parameters: Parameters): string | null {
  const name = RESPONSES_ONLY.find((each) => (parameters[each] ?? null) !== null);
  if (name !== undefined) return name;
  const { tools } = parameters;
  return Array.isArray(tools) && tools.some(isOutsideChat) ? 'tools' : null;
}

function isOutsideChat(tool: Json): boolean {
  if (!isMap(tool)) return false;
  const { type } = tool;
  return type === 'function' || type === 'custom' ? !(type in tool) : typeof type === 'string';
}

export function refusedIn(
  asked: AskedModel,
  parameters: Parameters,
): { name: string; refusal: Refusal; api: ChatApi | null }[] {
  const passport = passportOf(asked);
  if (passport === null) return [];
  if (factsOf(asked.provider).speaks !== 'openai')
    return refusedBy(passport.refuses, parameters).map((found) => ({ ...found, api: null }));
  if (apiOf(asked, parameters) === 'chat') {
    const name = responsesOnly(parameters);
    const foreign = name === null ? [] : [{ name, refusal: {}, api: 'chat' as const }];
    const own = refusedBy(passport.refuses, parameters).map((found) => ({
      ...found,
      api: found.name === 'tools' ? ('chat' as const) : null,
    }));
    return [...foreign, ...own];
  }
  const { tools: _, max_tokens: __, ...refuses } = passport.refuses;
  const lacking = refusedBy(CHAT_ONLY, parameters);
  const rest = refusedBy(refuses, withChatNames(parameters)).filter(
    ({ name }) => !(name in CHAT_ONLY),
  );
  return [
    ...lacking.map((found) => ({ ...found, api: 'responses' as const })),
    ...rest.map((found) => ({ ...found, api: null })),
  ];
}

function withChatNames(parameters: Parameters): Parameters {
  const { reasoning } = parameters;
  const effort = isMap(reasoning) ? reasoning['effort'] : undefined;
  return effort === undefined ? parameters : { reasoning_effort: effort, ...parameters };
}
