import type http from 'node:http';
import type { Api } from '../../../src/types/vendors/facts.ts';

/**
 * What the vendors refuse by model and by version of their API, in their own words, from their
 * documents and from refusals that people reported. Written apart from the table of passports in
 * `src/types/vendors`, which is held against it.
 */
export interface ModelRefusal {
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
  if (own && sampling !== undefined && body[sampling] !== 1)
    return refuse(`\`${sampling}\` is deprecated for this model.`);
  if (/^claude-\w+-4-[56]/.test(model) && 'temperature' in body && 'top_p' in body)
    return refuse(
      '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
    );
  const forced = /"type":"(tool|any)"/.test(JSON.stringify(body['tool_choice'] ?? {}));
  if (forced && /^claude-(fable|mythos)-5-[1-9]/.test(model))
    return refuse('tool_choice: type "tool" and "any" are not supported for this model.');
  if (forced && /"type":"(enabled|adaptive)"/.test(JSON.stringify(body['thinking'] ?? {})))
    return refuse('Thinking may not be enabled when tool_choice forces tool use.');
  return null;
}

const RESPONSES_ALONE =
  /^(o1-pro|o3-pro|o[34]-(mini-)?deep-research|gpt-5(\.\d)?-pro|gpt-5-codex|gpt-5\.1-codex-max|gpt-\d(\.\d)?-cyber)/;

function ofOpenai(model: string, body: Body): ModelRefusal | null {
  if (RESPONSES_ALONE.test(model))
    return {
      status: 404,
      message: 'This model is only supported in v1/responses and not in v1/chat/completions.',
      param: 'model',
    };
  if (!/^(o\d|gpt-[56])/.test(model)) return null;
  if ('max_tokens' in body)
    return {
      status: 400,
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      code: 'unsupported_parameter',
      param: 'max_tokens',
    };
  if (body['reasoning_effort'] === 'none' && /^(o\d|gpt-5(-|$))/.test(model))
    return {
      status: 400,
      message: "Unsupported value: 'reasoning_effort' does not support 'none' with this model.",
      param: 'reasoning_effort',
    };
  const effort = body['reasoning_effort'] ?? (/^gpt-5\.[1-4]/.test(model) ? 'none' : 'medium');
  const temperature = body['temperature'] ?? 1;
  if (effort !== 'none' && temperature !== 1)
    return {
      status: 400,
      message: `Unsupported value: 'temperature' does not support ${String(temperature)} with this model. Only the default (1) value is supported.`,
      code: 'unsupported_value',
      param: 'temperature',
    };
  return null;
}
