import { nearest } from '../text/suggest.ts';
import type { Json } from '../types/plain.ts';
import { keyInputs } from '../types/vendors.ts';
import type { Field } from './document.ts';

const ADDRESS = new Set(
  (
    'baseurl apibase apihost apibaseurl apiurl url host hostname serverurl endpointurl ' +
    'azureendpoint headers defaultheaders extraheaders httpheaders defaultquery extraquery ' +
    'organization organisation project proxy proxies proxyurl httpproxy httpsproxy noproxy ' +
    'allproxy httpagent fetchoptions fetch'
  ).split(' '),
);

const SECRET = new Set(
  (
    'apikey apikeyenv apikeyname apikeyenvar key keyenv keyname token tokenenv authtoken ' +
    'apitoken bearer authorization auth password secret credentials env environment envfile ' +
    'envfilepath'
  ).split(' '),
);

const KEY_INPUTS = `${keyInputs().slice(0, 2).join(', ')}, …`;

/** Rejects parameters that could send the workflow's credentials to any server. */
export function refusedKey(key: string): string | null {
  const letters = key.toLowerCase().replaceAll('-', '').replaceAll('_', '');
  if (SECRET.has(letters)) {
    return `"${key}" may only be set in the workflow (inputs ${KEY_INPUTS} and endpoints)`;
  }
  return ADDRESS.has(letters) ? `"${key}" may only be set in the workflow (input endpoints)` : null;
}

/*
 * These lists only help to find misspelt names and wrong types. Unknown parameters are sent
 * unchanged.
 */

const NUMBERS = (
  'temperature top_p top_k top_a min_p typical_p max_tokens max_completion_tokens ' +
  'max_output_tokens max_tokens_to_sample max_new_tokens min_tokens presence_penalty ' +
  'frequency_penalty repetition_penalty length_penalty seed n best_of top_logprobs ' +
  'truncate_prompt_tokens num_ctx num_predict'
).split(' ');

const SCALARS = (
  'logprobs echo suffix user store parallel_tool_calls reasoning_effort service_tier ' +
  'verbosity prompt_cache_key prompt_cache_retention safety_identifier ignore_eos ' +
  'skip_special_tokens logit_bias_type inference_geo speed keep_alive guided_regex ' +
  'guided_grammar raw mirostat'
).split(' ');

const STRUCTURED = (
  'stop stop_sequences stop_token_ids response_format tools tool_choice functions ' +
  'function_call logit_bias metadata modalities audio prediction stream_options ' +
  'web_search_options reasoning thinking output_config output_format cache_control ' +
  'context_management container mcp_servers betas provider models plugins transforms ' +
  'options format grammar guided_json guided_choice structured_outputs chat_template_kwargs ' +
  'extra_body safety_settings generation_config moderation prompt_cache_options'
).split(' ');

export const KNOWN_PARAMETERS: readonly string[] = [...NUMBERS, ...SCALARS, ...STRUCTURED];

export function isKnownParameter(name: string): boolean {
  return KNOWN_PARAMETERS.includes(name);
}

const MISPLACED: Readonly<Record<string, string>> = {
  provider: 'belongs in the settings file, under models',
  endpoint: 'belongs in the settings file, under models',
  stream: 'must be false, because evaldiff does not stream answers',
  background: 'must be false, because evaldiff waits for each answer',
  system: 'is not a parameter here: write a message with role system instead',
  n_tries: 'belongs in the settings file or in the test file',
  ntries: 'is spelt n_tries, and belongs in the settings file or in the test file',
  description: 'is not a parameter: write a comment (#) instead',
  notes: 'is not a parameter: write a comment (#) instead',
};

export function readParameters(field: Field, own: readonly string[]): Record<string, Json> {
  const parameters: Record<string, Json> = {};
  for (const [key, value] of Object.entries(field.value ?? {}) as [string, Json][]) {
    if (own.includes(key)) continue;
    const message = parameterProblem(key, value, own);
    if (message === null) parameters[key] = value;
    else field.at(key).refuse(`${field.name === '' ? '' : `${field.name}: `}${message}`);
    refuseBrokenTexts(field.at(key), value);
  }
  return parameters;
}

/** YAML reads `{ description: Give it in, lower case }` as two keys, the second without a value. */
function refuseBrokenTexts(field: Field, value: Json): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value) as [string, Json][]) {
    const at = field.at(Array.isArray(value) ? Number(key) : key);
    if (member === null && key.includes(' '))
      at.refuse(`${field.name}: "${key}" has no value; put text with a comma into quotes`);
    else refuseBrokenTexts(at, member);
  }
}

export function parameterProblem(key: string, value: Json, own: readonly string[]): string | null {
  return refusedKey(key) ?? misplaced(key, value) ?? misspelt(key, own) ?? wrongValue(key, value);
}

function misplaced(key: string, value: Json): string | null {
  const taken =
    (typeof value === 'object' && STRUCTURED.includes(key)) ||
    (['stream', 'background'].includes(key) && value === false);
  return Object.hasOwn(MISPLACED, key) && !taken ? `"${key}" ${MISPLACED[key] ?? ''}` : null;
}

/** Whether a missing key is given under a misspelt name, which `readParameters` reports. */
export function isMisspeltParameter(field: Field, own: readonly string[]): boolean {
  const given = Object.keys(field.parent.value ?? {});
  return !field.isGiven && given.some((key) => meantKey(key, own) === field.path.at(-1));
}

function meantKey(key: string, own: readonly string[]): string | null {
  return KNOWN_PARAMETERS.includes(key)
    ? null
    : nearest(key, [...own, ...(key.length > 3 ? KNOWN_PARAMETERS : [])], 'strict');
}

function misspelt(key: string, own: readonly string[]): string | null {
  const near = meantKey(key, own);
  return near === null ? null : `unknown key "${key}"; did you mean "${near}"?`;
}

function wrongValue(key: string, value: Json): string | null {
  if (value === null) return `${key} has no value; give it one or remove the key`;
  if (NUMBERS.includes(key) && typeof value !== 'number') return `${key} must be a number`;
  if (typeof value !== 'object' || STRUCTURED.includes(key)) return null;
  return (
    `unknown key "${key}": if this is a model parameter, it must be text, a number or ` +
    `true/false; maps and lists are allowed only for ${STRUCTURED.slice(0, 8).join(', ')} ` +
    'and similar parameters'
  );
}
