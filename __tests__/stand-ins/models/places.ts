import { refusedByModel } from './rules.ts';
import { anthropicRequest, openaiRequest, responsesRequest } from './wire.ts';

/**
 * Providers as their documentation and their users' reports describe them: address, key header,
 * what they reject and with which message. These facts are independent of the product's vendor
 * table and are used to check it.
 */
export interface Place {
  /** The vendor's name in the product, or the name of its `endpoints` line in docs/models.md. */
  name: string;
  /** The host for requests; null: self-hosted. */
  host: string | null;
  /** Path and query of a completion request. */
  path: string;
  api: 'chat' | 'responses' | 'messages' | 'converse';
  /** The header for the key; null: no key is required. */
  key: { header: string; prefix: '' | 'Bearer ' } | null;
  /** A model that it serves, and whether that model accepts `temperature`. */
  model: string;
  temperature: boolean;
  /** The model in requests; default: `model`. */
  sent?: string;
  /** The error of a request, in its words; null: valid. */
  refuses(body: Body, headers: Headers): Refusal | null;
  error(refusal: Refusal): unknown;
  wrongKey: { status: number; body: unknown };
  unknownModel: Refusal;
  /** The refusal of its content filter for requests with {@link FORBIDDEN}; absent: no filter. */
  filter?: Refusal;
  /** A line of a prompt that it rejects, with the message; null: it ignores unknown parameters. */
  sample: { line: string; words: string } | null;
}

/** Triggers content filters. */
export const FORBIDDEN = 'something forbidden';

export type Body = Record<string, unknown>;
type Headers = Record<string, string | string[] | undefined>;

interface Refusal {
  status: number;
  message: string;
  param?: string;
  code?: string;
}

const BEARER = { header: 'authorization', prefix: 'Bearer ' } as const;

/** OpenAI's error format, which most providers use. */
const openaiError = ({ message, param, code }: Refusal): unknown => ({
  error: { message, type: 'invalid_request_error', param: param ?? null, code: code ?? null },
});

/** Rejects these parameters, whatever their value. */
function without(status: number, names: Record<string, string>): Place['refuses'] {
  return (body) => {
    const param = Object.keys(names).find((name) => name in body);
    return param === undefined ? null : { status, message: names[param] ?? '', param };
  };
}

/** Rejects all other parameters. */
function only(
  names: readonly string[],
  refusal: (param: string, value: unknown) => Refusal,
): Place['refuses'] {
  return (body) => {
    const param = Object.keys(body).find((name) => !names.includes(name));
    return param === undefined ? null : refusal(param, body[param]);
  };
}

function each(...rules: Place['refuses'][]): Place['refuses'] {
  return (body, headers) => {
    for (const rule of rules) {
      const refusal = rule(body, headers);
      if (refusal !== null) return refusal;
    }
    return null;
  };
}

const refusal = (status: number, message: string, more: Partial<Refusal> = {}): Refusal => ({
  status,
  message,
  ...more,
});
/** OpenAI's message for a wrong key. */
const refusedKey = (message: string, code?: string): Place['wrongKey'] => ({
  status: 401,
  body: openaiError(refusal(401, message, code === undefined ? {} : { code })),
});

/** The first error by the wire schema. */
function shaped(
  schema: typeof openaiRequest | typeof responsesRequest | typeof anthropicRequest,
  words: (param: string, message: string) => string,
): Place['refuses'] {
  return (body) => {
    const issue = schema.safeParse(body).error?.issues[0];
    if (issue === undefined) return null;
    const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.')];
    const param = key ?? '';
    return { status: 400, message: words(param, issue.message), param };
  };
}

const typeOfFormat = (body: Body) =>
  String((body['response_format'] as Body | undefined)?.['type'] ?? 'text');

/** https://developers.openai.com/api/docs/api-reference/chat and its SDK's types */
const openai: Place = {
  name: 'openai',
  host: 'api.openai.com',
  path: '/v1/chat/completions',
  api: 'chat',
  key: BEARER,
  model: 'gpt-5.4-mini',
  temperature: true,
  refuses: each(
    shaped(openaiRequest, (param) => `Unrecognized request argument supplied: ${param}`),
    (body, headers) => refusedByModel('openai', body, headers),
  ),
  error: openaiError,
  wrongKey: refusedKey(
    'Incorrect API key provided: wro*****key. You can find your API key at https://platform.openai.com/account/api-keys.',
    'invalid_api_key',
  ),
  unknownModel: refusal(
    404,
    'The model `no-such-model` does not exist or you do not have access to it.',
    { code: 'model_not_found' },
  ),
  filter: refusal(
    400,
    'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
    { code: 'invalid_prompt' },
  ),
  sample: { line: 'top_kk: 3', words: 'Unrecognized request argument supplied: top_kk' },
};

/** https://developers.openai.com/api/docs/api-reference/responses */
const responses: Place = {
  ...openai,
  path: '/v1/responses',
  api: 'responses',
  model: 'gpt-5.5-pro',
  temperature: false,
  refuses: shaped(responsesRequest, (param) => `Unknown parameter: '${param}'.`),
  sample: { line: 'top_kk: 3', words: "Unknown parameter: 'top_kk'." },
};

const anthropicError = (type: string, message: string): unknown => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011',
});

/** https://platform.claude.com/docs/en/api/messages, …/api/versioning, …/api/errors */
const anthropic: Place = {
  name: 'anthropic',
  host: 'api.anthropic.com',
  path: '/v1/messages',
  api: 'messages',
  key: { header: 'x-api-key', prefix: '' },
  model: 'claude-sonnet-5-5',
  temperature: false,
  refuses: each(
    shaped(anthropicRequest, (param, message) =>
      message.startsWith('Unrecognized')
        ? `${param}: Extra inputs are not permitted`
        : `${param}: ${message}`,
    ),
    (body, headers) => refusedByModel('anthropic', body, headers),
  ),
  error: ({ message }) => anthropicError('invalid_request_error', message),
  wrongKey: { status: 401, body: anthropicError('authentication_error', 'invalid x-api-key') },
  unknownModel: { status: 404, message: 'model: no-such-model' },
  sample: { line: 'top_kk: 3', words: 'top_kk: Extra inputs are not permitted' },
};

/**
 * Requests cannot force a tool on this model:
 * https://platform.claude.com/docs/en/models/fable-5-1/migration-guide
 */
const fable: Place = { ...anthropic, model: 'claude-fable-5-1' };

/** This model accepts a temperature, except in the newest API version: …/api/versioning */
const older: Place = { ...anthropic, model: 'claude-sonnet-4-6', temperature: true };

/**
 * Uses the team's deployment name instead of a model, at an Azure address without a version:
 * https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry
 */
const foundry: Place = {
  ...anthropic,
  name: 'Claude in Microsoft Foundry',
  host: null,
  path: '/anthropic/v1/messages',
  model: 'our-claude',
  temperature: true,
};

const GEMINI = [
  'model',
  'messages',
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'stop',
  'stream',
  'stream_options',
  'response_format',
  'tools',
  'tool_choice',
  'seed',
  'reasoning_effort',
  'user',
  'service_tier',
  'extra_body',
];

const googleError = ({ status, message }: Refusal): unknown => [
  { error: { code: status, message, status: 'INVALID_ARGUMENT' } },
];

/**
 * https://ai.google.dev/gemini-api/docs/openai; errors are in a list:
 * https://github.com/n4ze3m/page-assist/issues/418
 */
const gemini: Place = {
  ...openai,
  name: 'gemini',
  host: 'generativelanguage.googleapis.com',
  path: '/v1beta/openai/chat/completions',
  model: 'gemini-3.5-flash',
  refuses: only(GEMINI, (param) =>
    refusal(400, `Invalid JSON payload received. Unknown name "${param}": Cannot find field.`),
  ),
  error: googleError,
  // The status is not 401: https://github.com/continuedev/continue/issues/10290
  wrongKey: {
    status: 400,
    body: googleError(refusal(400, 'API key not valid. Please pass a valid API key.')),
  },
  unknownModel: refusal(404, 'models/no-such-model is not found for API version v1main.'),
  sample: {
    line: 'frequency_penalty: 0.5',
    words: 'Unknown name "frequency_penalty": Cannot find field.',
  },
};

const MISTRAL = [
  'model',
  'messages',
  'temperature',
  'top_p',
  'max_tokens',
  'stream',
  'stop',
  'random_seed',
  'response_format',
  'tools',
  'tool_choice',
  'presence_penalty',
  'frequency_penalty',
  'n',
  'prediction',
  'parallel_tool_calls',
  'prompt_mode',
  'safe_prompt',
  'metadata',
  'reasoning_effort',
];

/**
 * https://docs.mistral.ai/api; error format:
 * https://github.com/editor-code-assistant/eca/issues/231
 */
const mistral: Place = {
  ...openai,
  name: 'mistral',
  host: 'api.mistral.ai',
  model: 'mistral-small-latest',
  refuses: only(MISTRAL, (...given) =>
    refusal(422, 'Extra inputs are not permitted', { param: JSON.stringify(given) }),
  ),
  error({ status, message, param }) {
    if (status !== 422)
      return { object: 'error', message, type: 'invalid_model', param: null, code: '1500' };
    const [name, input] = JSON.parse(param ?? '[]') as [string, unknown];
    const detail = [{ type: 'extra_forbidden', loc: ['body', name], msg: message, input }];
    const type = 'invalid_request_error';
    return { object: 'error', message: { detail }, type, param: null, code: null };
  },
  wrongKey: { status: 401, body: { detail: 'Unauthorized' } },
  unknownModel: { status: 400, message: 'Invalid model: no-such-model' },
  sample: { line: 'seed: 7', words: 'seed: Extra inputs are not permitted' },
};

/** https://console.groq.com/docs/openai, https://console.groq.com/docs/errors */
const groq: Place = {
  ...openai,
  name: 'groq',
  host: 'api.groq.com',
  path: '/openai/v1/chat/completions',
  model: 'openai/gpt-oss-20b',
  refuses: each(
    without(400, {
      logprobs: '`logprobs` is not supported with this model',
      top_logprobs: '`top_logprobs` is not supported with this model',
      logit_bias: '`logit_bias` is not supported with this model',
    }),
    (body) =>
      (body['messages'] as Body[]).some((message) => 'name' in message)
        ? { status: 400, message: "property 'name' is unsupported" }
        : null,
  ),
  wrongKey: refusedKey('Invalid API Key', 'invalid_api_key'),
  sample: { line: 'logprobs: true', words: '`logprobs` is not supported with this model' },
};

/**
 * https://api-docs.deepseek.com/quick_start/error_codes; formats and forced tools:
 * https://github.com/deepseek-ai/DeepSeek-V3/issues/1376
 */
const deepseek: Place = {
  ...openai,
  name: 'deepseek',
  host: 'api.deepseek.com',
  model: 'deepseek-v4-flash',
  refuses: (body) => {
    if (typeOfFormat(body) === 'json_schema')
      return { status: 400, message: 'This response_format type is unavailable now' };
    const thinks = (body['thinking'] as Body | undefined)?.['type'] !== 'disabled';
    return thinks && 'tool_choice' in body
      ? { status: 400, message: 'Thinking mode does not support this tool_choice' }
      : null;
  },
  wrongKey: {
    status: 401,
    body: {
      error: {
        message: 'Authentication Fails, Your api key: ****-key is invalid',
        type: 'authentication_error',
        param: null,
        code: 'invalid_request_error',
      },
    },
  },
  unknownModel: { status: 400, message: 'Model Not Exist', code: 'invalid_request_error' },
  sample: {
    line: 'response_format: { type: json_schema, json_schema: { name: a, schema: { type: object } } }',
    words: 'This response_format type is unavailable now',
  },
};

const xaiError = ({ message }: Pick<Refusal, 'message'>): unknown => ({
  code: 'Client specified an invalid argument',
  error: message,
});

/**
 * https://docs.x.ai/docs/guides/reasoning; a wrong key is a 400:
 * https://github.com/continuedev/continue/issues/10778
 */
const xai: Place = {
  ...openai,
  name: 'xai',
  host: 'api.x.ai',
  model: 'grok-4.3',
  refuses: without(400, {
    presence_penalty: 'Model grok-4.3 does not support parameter presencePenalty.',
    frequency_penalty: 'Model grok-4.3 does not support parameter frequencyPenalty.',
    stop: 'Model grok-4.3 does not support parameter stop.',
  }),
  error: xaiError,
  wrongKey: {
    status: 400,
    body: xaiError({
      message:
        'Incorrect API key provided: wr***ey. You can obtain an API key from https://console.x.ai.',
    }),
  },
  unknownModel: refusal(
    404,
    'The model no-such-model does not exist or your team does not have access to it.',
  ),
  filter: refusal(403, 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO'),
  sample: {
    line: 'frequency_penalty: 0.5',
    words: 'Model grok-4.3 does not support parameter frequencyPenalty.',
  },
};

/**
 * https://openrouter.ai/docs/api/reference/errors-and-debugging; ignores parameters that a model
 * does not support.
 */
const openrouter: Place = {
  ...openai,
  name: 'openrouter',
  host: 'openrouter.ai',
  path: '/api/v1/chat/completions',
  model: 'openai/gpt-oss-20b',
  refuses: () => null,
  error: ({ status, message }) => ({ error: { code: status, message } }),
  wrongKey: { status: 401, body: { error: { message: 'User not found.', code: 401 } } },
  unknownModel: { status: 400, message: 'no-such-model is not a valid model ID' },
  filter: refusal(403, 'Your chosen model requires moderation and your input was flagged'),
  sample: null,
};

/** https://docs.together.ai/docs/error-codes, https://docs.together.ai/docs/openai-api-compatibility */
const together: Place = {
  ...openai,
  name: 'together',
  host: 'api.together.xyz',
  model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
  refuses: (body) =>
    Number(body['temperature'] ?? 0) > 2
      ? { status: 400, message: 'temperature must be at most 2', param: 'temperature' }
      : null,
  wrongKey: refusedKey(
    'Invalid API key provided. You can find your API key at https://api.together.ai.',
    'invalid_api_key',
  ),
  sample: { line: 'temperature: 3', words: 'temperature must be at most 2' },
};

/**
 * https://docs.perplexity.ai/docs/sonar/openai-compatibility: no `/v1`, and roles alternate. For a
 * wrong key it returns a page of its web server.
 */
const perplexity: Place = {
  ...openai,
  name: 'perplexity',
  host: 'api.perplexity.ai',
  path: '/chat/completions',
  model: 'sonar',
  refuses(body) {
    const roles = (body['messages'] as { role: string }[])
      .map(({ role }) => role)
      .filter((role) => role !== 'system');
    const message =
      'After the (optional) system message(s), user and assistant roles should be alternating.';
    if (roles.some((role, at) => role !== (at % 2 === 0 ? 'user' : 'assistant')))
      return { status: 400, message };
    return Number(body['temperature'] ?? 0) >= 2
      ? { status: 400, message: 'temperature: Input should be less than 2' }
      : null;
  },
  error: ({ status, message }) => ({ error: { message, type: 'bad_request', code: status } }),
  wrongKey: {
    status: 401,
    body: '<html>\r\n<head><title>401 Authorization Required</title></head>\r\n</html>',
  },
  unknownModel: { status: 400, message: "Invalid model 'no-such-model'." },
  sample: { line: 'temperature: 2', words: 'temperature: Input should be less than 2' },
};

/** https://learn.microsoft.com/azure/ai-services/openai/reference */
const azureOlder: Place = {
  ...openai,
  name: 'Azure OpenAI, older addresses',
  host: null,
  path: '/openai/deployments/our-deployment/chat/completions?api-version=2024-10-21',
  key: { header: 'api-key', prefix: '' },
  model: 'our-deployment',
  refuses: shaped(openaiRequest, (param) => `Unrecognized request argument supplied: ${param}`),
  wrongKey: {
    status: 401,
    body: {
      error: {
        code: '401',
        message:
          'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription.',
      },
    },
  },
  unknownModel: refusal(404, 'The API deployment for this resource does not exist.', {
    code: 'DeploymentNotFound',
  }),
};

/**
 * https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle: OpenAI's format, no
 * version.
 */
const azureNewer: Place = {
  ...azureOlder,
  name: 'Azure OpenAI, newer addresses',
  path: '/openai/v1/chat/completions',
  key: BEARER,
};

/** A company gateway: Azure's addresses, with a custom header instead of a key. */
const gateway: Place = {
  ...azureOlder,
  name: 'A gateway in front of Azure OpenAI',
  key: { header: 'x-team', prefix: '' },
};

/** A company gateway that passes OpenAI's requests and answers on, under keys of its own. */
const plainGateway: Place = {
  ...openai,
  name: "A gateway that speaks OpenAI's API",
  host: null,
};

/** Servers that accept what OpenAI accepts, as far as their documentation says. */
const compatible = (
  [
    ['cerebras', 'api.cerebras.ai', '/v1', 'gpt-oss-120b'],
    ['cohere', 'api.cohere.ai', '/compatibility/v1', 'command-a-03-2025'],
    ['fireworks', 'api.fireworks.ai', '/inference/v1', 'accounts/fireworks/models/gpt-oss-120b'],
    ['huggingface', 'router.huggingface.co', '/v1', 'openai/gpt-oss-120b'],
    ['moonshot', 'api.moonshot.ai', '/v1', 'kimi-k2.6'],
    ['nvidia', 'integrate.api.nvidia.com', '/v1', 'openai/gpt-oss-120b'],
    ['qwen', 'dashscope-intl.aliyuncs.com', '/compatible-mode/v1', 'qwen-plus'],
    ['zai', 'api.z.ai', '/api/paas/v4', 'glm-5.3'],
  ] as const
).map(([name, host, path, model]): Place => ({
  ...openai,
  name,
  host,
  path: `${path}/chat/completions`,
  model,
}));

const CONVERSE =
  /^(messages|system|inferenceConfig|toolConfig|guardrailConfig|outputConfig|additionalModelRequestFields)$/;

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
const bedrock: Place = {
  ...openai,
  name: 'bedrock',
  host: 'bedrock-runtime.us-east-1.amazonaws.com',
  path: '/model/us.amazon.nova-2-lite-v1%3A0/converse',
  api: 'converse',
  model: 'us.amazon.nova-2-lite-v1:0',
  refuses: (body) => {
    const odd = Object.keys(body).find((key) => !CONVERSE.test(key));
    const own = body['additionalModelRequestFields'] as Body | undefined;
    const [unknown] = Object.keys(own ?? {});
    if (odd ?? unknown)
      return {
        status: 400,
        message: `extraneous key [${String(odd ?? unknown)}] is not permitted`,
      };
    return 'outputConfig' in body
      ? { status: 400, message: "This model doesn't support the outputConfig.textFormat field." }
      : null;
  },
  error: ({ message }) => ({ message }),
  wrongKey: {
    status: 403,
    body: { Message: 'Authentication failed: Please make sure your API Key is valid.' },
  },
  unknownModel: { status: 400, message: 'The provided model identifier is invalid.' },
  sample: { line: 'top_kk: 3', words: 'extraneous key [top_kk] is not permitted' },
};

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/start/openai */
const vertex: Place = {
  ...gemini,
  name: 'vertex',
  host: 'aiplatform.googleapis.com',
  path: '/v1/projects/p-1/locations/global/endpoints/openapi/chat/completions',
  model: 'publishers/google/models/gemini-3.5-flash',
  sent: 'google/gemini-3.5-flash',
  wrongKey: { status: 401, body: googleError(refusal(401, 'Request had invalid credentials.')) },
};

/** https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle */
const azure: Place = {
  ...openai,
  name: 'azure',
  host: 'resource-1.openai.azure.com',
  path: '/openai/v1/chat/completions',
  key: { header: 'api-key', prefix: '' },
  wrongKey: refusedKey('Access denied due to invalid subscription key.', '401'),
};

/** https://docs.ollama.com/api/openai-compatibility: no key; ignores unknown fields. */
const ollama: Place = {
  ...openai,
  name: 'Ollama on the runner',
  host: null,
  key: null,
  model: 'llama3.2',
  refuses: () => null,
  unknownModel: { status: 404, message: "model 'no-such-model' not found" },
  sample: null,
};

const vllmError = ({ status, message, param }: Refusal): unknown => ({
  object: 'error',
  message,
  type: status === 404 ? 'NotFoundError' : 'BadRequestError',
  param: param ?? null,
  code: status,
});

/**
 * https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html; errors are not nested:
 * https://github.com/openai/openai-agents-python/issues/2129
 */
const vllm: Place = {
  ...openai,
  name: 'vLLM, LM Studio on the runner',
  host: null,
  key: null,
  model: 'Qwen/Qwen3-4B',
  refuses: (body) =>
    body['tool_choice'] === 'auto'
      ? {
          status: 400,
          message:
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        }
      : null,
  error: vllmError,
  unknownModel: { status: 404, message: 'The model `no-such-model` does not exist.' },
  sample: { line: 'tool_choice: auto', words: 'requires --enable-auto-tool-choice' },
};

/** https://lmstudio.ai/docs/app/api/endpoints/openai; https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/307 */
const lmStudio: Place = {
  ...vllm,
  refuses: (body) =>
    ['text', 'json_schema'].includes(typeOfFormat(body))
      ? null
      : { status: 400, message: "'response_format.type' must be 'json_schema' or 'text'" },
  error: ({ message }) => ({ error: message }),
  sample: {
    line: 'response_format: { type: json_object }',
    words: "'response_format.type' must be 'json_schema' or 'text'",
  },
};

/** The same servers as service containers of the job, reached by name. */
const service: Place = { ...ollama, name: 'Ollama, vLLM or LM Studio as a service of the job' };

export const PLACES: readonly Place[] = [
  openai,
  responses,
  anthropic,
  fable,
  older,
  gemini,
  mistral,
  groq,
  deepseek,
  xai,
  openrouter,
  together,
  perplexity,
  azureOlder,
  azureNewer,
  foundry,
  gateway,
  plainGateway,
  ...compatible,
  bedrock,
  vertex,
  azure,
  ollama,
  service,
  vllm,
  lmStudio,
];
