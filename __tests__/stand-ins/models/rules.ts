import type http from 'node:http';
import type { Api } from '../../../src/types/vendors/facts.ts';

/**
 * What vendors reject by model and API version, in their own words. From their documentation and
 * from errors that users reported. Independent of the vendor table in `src/types/vendors`, which is
 * checked against it.
 */
interface ModelRefusal {
  status: number;
  message: string;
  code?: string;
  param?: string;
}

type Body = Record<string, unknown>;

const SAMPLING = ['temperature', 'top_p', 'top_k'];

export function refusedByModel(
  api: Api,
  body: Body,
  headers: http.IncomingHttpHeaders,
): ModelRefusal | null {
  const model = String(body['model']);
  return api === 'anthropic' ? ofClaude(model, body, headers) : ofOpenai(model, body);
}

function ofClaude(
  model: string,
  body: Body,
  headers: http.IncomingHttpHeaders,
): ModelRefusal | null {
  const refuse = (message: string): ModelRefusal => ({ status: 400, message });
  const sampling = SAMPLING.find((name) => name in body);
  const version = String(headers['anthropic-version'] ?? '');
  if (!['2023-06-01', '2026-10-21'].includes(version))
    return refuse(`anthropic-version: "${version}" is not a valid version`);
  if (sampling !== undefined && version === '2026-10-21')
    return refuse(`${sampling}: Extra inputs are not permitted`);
  const own = /^claude-(opus-4-[78]|(opus|sonnet|haiku|fable|mythos)-5)/.test(model);
  // The temperature is compared with the default; the other parameters must be absent.
  const chosen = SAMPLING.find(
    (name) => name in body && !(name === 'temperature' && body[name] === 1),
  );
  if (own && chosen !== undefined) return refuse(`\`${chosen}\` is deprecated for this model.`);
  if (/^claude-\w+-4-[56]/.test(model) && 'temperature' in body && 'top_p' in body)
    return refuse(
      '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
    );
  const last = (body['messages'] as { role?: unknown }[] | undefined)?.at(-1);
  if (last?.role === 'assistant' && !/^claude-\w+-4-5|^claude-3/.test(model))
    return refuse(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  const thinking = typeIn(body['thinking']);
  const forced = ['tool', 'any'].includes(typeIn(body['tool_choice']) ?? '');
  if (forced && /^claude-((fable|mythos)-5-[1-9]|(opus|sonnet)-5-5)/.test(model))
    return refuse('tool_choice: type "tool" and "any" are not supported for this model.');
  if (forced && thinking === 'enabled')
    return refuse('Thinking may not be enabled when tool_choice forces tool use.');
  return thinking === null ? null : ofThinkingClaude(model, thinking, body);
}

/** …/build-with-claude/thinking, and the migration guides of Opus 5.5 and Sonnet 5.5. */
function ofThinkingClaude(model: string, type: string, body: Body): ModelRefusal | null {
  const refuse = (message: string): ModelRefusal => ({ status: 400, message });
  const always = /^claude-(fable|mythos|opus-5-5|sonnet-5-5)/.test(model);
  const newer = /^claude-(opus-4-[78]|\w+-5)/.test(model);
  if ((newer && type === 'enabled') || (always && type === 'disabled'))
    return refuse(
      `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`,
    );
  if (/^claude-\w+-4-5/.test(model) && type === 'adaptive')
    return refuse('adaptive thinking is not supported on this model');
  if (type === 'disabled') return null;
  if ('temperature' in body && body['temperature'] !== 1)
    return refuse(
      '`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.',
    );
  return 'top_k' in body ? refuse('`top_k` must be unset when thinking is enabled.') : null;
}

function typeIn(value: unknown) {
  return typeof value === 'object' && value !== null && 'type' in value ? String(value.type) : null;
}

const RESPONSES_ALONE =
  /^(o1-pro|o3-pro|o[34]-(mini-)?deep-research|gpt-5(\.\d)?-pro|gpt-5-codex|gpt-5\.1-codex-max|gpt-5\.[23]-codex|gpt-\d(\.\d)?-cyber)/;

const PENALTIES = { presence_penalty: 0, frequency_penalty: 0 };
const DEFAULTS = { temperature: 1, top_p: 1, ...PENALTIES, logprobs: false };

function ofOpenai(model: string, body: Body): ModelRefusal | null {
  const refuse = (param: string, message: string, code?: string): ModelRefusal => ({
    status: 400,
    message,
    param,
    ...(code === undefined ? {} : { code }),
  });
  if (RESPONSES_ALONE.test(model)) {
    const message = 'This model is only supported in v1/responses and not in v1/chat/completions.';
    return { ...refuse('model', message), status: 404 };
  }
  if (!/^(o\d|gpt-[56])/.test(model)) return null;
  if ('max_tokens' in body)
    return refuse(
      'max_tokens',
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'unsupported_parameter',
    );
  const wanted = String(body['reasoning_effort']);
  if (
    (wanted === 'none' && /^(o\d|gpt-5(-|$)|gpt-6-astra|gpt-6\.1-sol)/.test(model)) ||
    (wanted === 'minimal' && /^gpt-(5\.|6)/.test(model))
  )
    return refuse(
      'reasoning_effort',
      `Unsupported value: '${wanted}' is not supported with the '${model}' model.`,
      'unsupported_value',
    );
  const effort = body['reasoning_effort'] ?? (/^gpt-5\.[1-4]/.test(model) ? 'none' : 'medium');
  if (effort === 'none') return null;
  if ('tools' in body && /^gpt-(6|5\.6|5\.4)/.test(model))
    return refuse(
      'reasoning_effort',
      `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
    );
  for (const [param, value] of Object.entries(DEFAULTS)) {
    const given = body[param] ?? value;
    if (given !== value)
      return refuse(
        param,
        `Unsupported value: '${param}' does not support ${String(given)} with this model. Only the default (${value}) value is supported.`,
        'unsupported_value',
      );
  }
  return null;
}
