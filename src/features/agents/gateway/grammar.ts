import { shorten, visibleLine } from '../../../text/visible.ts';
import { isMap, type Json, type JsonMap } from '../../../types/plain.ts';
import { isGranted, vendorFeature } from '../suite/network.ts';
import { isTokenCount } from './output-limit.ts';
import type { Call, RunTerms } from './terms.ts';

/** What a request may contain at any depth. Everything else is refused. */
interface Grammar {
  api: string;
  keys: ReadonlySet<string>;
  /** Values of `type`, without dates such as `_20250124`. Tools of these types run at the client. */
  types: ReadonlySet<string>;
  /** Keys whose values the vendor does not interpret, such as schemas and inputs of tools. */
  free: ReadonlySet<string>;
}

function grammarWords(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

const GRAMMARS: Readonly<Record<'anthropic' | 'responses' | 'chat' | 'gemini', Grammar>> = {
  anthropic: {
    api: 'Anthropic Messages',
    keys: grammarWords(
      'model messages system tools tool_choice max_tokens stop_sequences stream service_tier',
      'temperature top_p top_k thinking budget_tokens display output_config output_format effort',
      'format context_management edits keep trigger value clear_at_least clear_tool_inputs',
      'exclude_tools cache_control ttl scope role content type text name id tool_use_id is_error',
      'description strict defer_loading eager_input_streaming disable_parallel_tool_use caller',
      'tool_name max_characters display_width_px display_height_px display_number enable_zoom',
      'source media_type data title context citations enabled signature task_budget total remaining',
    ),
    types: grammarWords(
      'text image document base64 content thinking redacted_thinking search_result tool_use',
      'tool_result tool_reference custom bash text_editor computer memory ephemeral direct',
      'enabled disabled adaptive auto any tool none json_schema clear_thinking clear_tool_uses',
      'tool_uses input_tokens thinking_turns all tokens server_tool_use',
    ),
    free: grammarWords('input input_schema input_examples schema metadata'),
  },
  responses: {
    api: 'OpenAI Responses',
    keys: grammarWords(
      'model input instructions tools tool_choice parallel_tool_calls max_tool_calls mode',
      'max_output_tokens reasoning effort summary generate_summary text verbosity include store',
      'background stream stream_options include_usage include_obfuscation temperature top_p',
      'top_logprobs truncation user safety_identifier prompt_cache_key prompt_cache_retention',
      'prompt_cache_options prompt_cache_breakpoint service_tier type role content id call_id',
      'name namespace status phase output refusal annotations logprobs encrypted_content caller',
      'description strict defer_loading execution format definition syntax image_url detail',
      'file_data filename',
    ),
    types: grammarWords(
      'message input_text output_text input_image input_file refusal reasoning summary_text',
      'reasoning_text text json_object json_schema function function_call function_call_output',
      'namespace custom custom_tool_call custom_tool_call_output grammar local_shell',
      'local_shell_call local_shell_call_output apply_patch apply_patch_call',
      'apply_patch_call_output tool_search tool_search_call tool_search_output allowed_tools',
      'direct',
    ),
    free: grammarWords('parameters schema arguments action operation metadata client_metadata'),
  },
  chat: {
    api: 'OpenAI Chat Completions',
    keys: grammarWords(
      'model messages tools tool_choice parallel_tool_calls functions function_call mode',
      'max_tokens max_completion_tokens response_format json_schema temperature top_p top_k',
      'min_p seed stop frequency_penalty presence_penalty repetition_penalty n logprobs',
      'top_logprobs store stream stream_options include_usage include_obfuscation user',
      'safety_identifier prompt_cache_key prompt_cache_retention prompt_cache_options',
      'service_tier reasoning_effort reasoning effort verbosity thinking enabled exclude role',
      'content type text name id index tool_calls tool_call_id function custom allowed_tools',
      'description strict input arguments format grammar definition syntax refusal image_url',
      'url detail input_audio data file file_data filename cache_control ttl annotations',
      'reasoning_content reasoning_details reasoning_text reasoning_opaque summary signature',
    ),
    types: grammarWords(
      'text image_url input_audio file refusal function custom grammar allowed_tools',
      'json_object json_schema ephemeral enabled disabled thinking',
      'reasoning.text reasoning.summary reasoning.encrypted',
    ),
    free: grammarWords('parameters schema metadata logit_bias'),
  },
  gemini: {
    api: 'Gemini',
    keys: grammarWords(
      'model contents systemInstruction tools toolConfig generationConfig safetySettings',
      'role parts text inlineData mimeType data displayName functionCall',
      'functionResponse name id thought thoughtSignature functionDeclarations description',
      'behavior functionCallingConfig mode allowedFunctionNames category threshold temperature',
      'topP topK seed candidateCount maxOutputTokens stopSequences responseMimeType',
      'presencePenalty frequencyPenalty mediaResolution thinkingConfig includeThoughts',
      'thinkingBudget thinkingLevel',
    ),
    types: grammarWords(),
    free: grammarWords(
      'args response parameters parametersJsonSchema responseSchema responseJsonSchema',
      'responseParameters labels',
    ),
  },
};

/** The cost of a call is reserved from these, so only whole positive numbers are forwarded. */
const OUTPUT_LIMITS: ReadonlySet<string> = new Set([
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'maxOutputTokens',
  'budget_tokens',
]);

/** Other values cost more than the gateway counts, or keep data at the vendor. */
const ONLY_VALUES: Readonly<Record<string, readonly Json[]>> = {
  n: [1],
  candidateCount: [1],
  service_tier: ['auto', 'default', 'flex', 'standard_only'],
  store: [false],
  background: [false],
  ttl: ['5m'],
};

/** Keys of files: `data:` addresses or base64, but no addresses that the vendor would open. */
const FILE_KEYS = grammarWords('url image_url file_data');

const INLINE = /^(?:data:|[\w+/=\s-]*$)/i;

interface Rules {
  grammar: Grammar;
  model: string;
  isAllowed(name: string): boolean;
}

/** Why the suite does not allow this request. Null: it does. */
export function refusedContent(
  { route: { wire, does }, model, body }: Call,
  { network, allow }: Pick<RunTerms, 'network' | 'allow'>,
): string | null {
  const grammar = GRAMMARS[wire !== 'openai' ? wire : does === 'chat' ? 'chat' : 'responses'];
  const isAllowed = (name: string) => {
    const feature = vendorFeature(name);
    return feature === null ? allow.includes(name) : isGranted(network, feature);
  };
  const name = refusedName(body, { grammar, model, isAllowed });
  if (name === null) return null;
  const shown = shorten(visibleLine(name), MAX_NAME_CHARS);
  const feature = vendorFeature(name);
  return feature === null
    ? `a request has "${shown}", which evaldiff does not know in the ${grammar.api} API, or ` +
        `whose cost it cannot limit; to send it anyway, write \`allow: [${shown}]\` in the suite`
    : `a request has "${shown}", with which the vendor (${grammar.api} API) works outside the ` +
        `sandbox; to send it anyway, add ${feature} to \`workspace.network\``;
}

const MAX_NAME_CHARS = 60;

function refusedName(value: Json, rules: Rules): string | null {
  const isList = Array.isArray(value);
  if (!isList && !isMap(value)) return null;
  const type = isList ? null : contentType(value, rules.grammar);
  if (type !== null && !rules.grammar.types.has(type.replace(/_\d{8}$/, '')))
    return rules.isAllowed(type) ? null : type;
  for (const [key, own] of Object.entries(value)) {
    const name = isList ? refusedName(own, rules) : refusedMember(key, own, rules);
    if (name !== null) return name;
  }
  return null;
}

/** In the Responses API, an item with only an id refers to a stored one. */
function contentType({ type, role, id }: JsonMap, grammar: Grammar): string | null {
  if (typeof type === 'string') return type;
  const isReference = grammar === GRAMMARS.responses && typeof id === 'string';
  return isReference && typeof role !== 'string' ? 'item_reference' : null;
}

function refusedMember(key: string, own: Json, rules: Rules): string | null {
  const { keys, free } = rules.grammar;
  if (free.has(key) || rules.isAllowed(key)) return null;
  return !keys.has(key) || isRefusedValue(key, own, rules) ? key : refusedName(own, rules);
}

function isRefusedValue(key: string, own: Json, { model }: Rules): boolean {
  if (key === 'model') return own !== model && own !== `models/${model}`;
  if (FILE_KEYS.has(key)) return typeof own === 'string' && !INLINE.test(own);
  if (OUTPUT_LIMITS.has(key)) return own !== null && !isTokenCount(own);
  const only = ONLY_VALUES[key];
  return only !== undefined && own !== null && !only.includes(own);
}
