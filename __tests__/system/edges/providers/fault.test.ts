import { transportFault, TransportError } from '../../../../src/edges/providers/fault.ts';
import { httpFault } from '../../../../src/edges/providers/http-fault.ts';

const failure = (status: number, code: string, said: string) =>
  httpFault({ status, code, said, waitMs: null, shouldRetry: null });

test('an unknown host name is explained next to the error code', () => {
  expect(transportFault(new TransportError('connection', 'ENOTFOUND'), 1).message).toBe(
    "no connection (ENOTFOUND); the host name is not found: check the network, the proxy and the server's address",
  );
});

describe('an error about a model that its vendor no longer has', () => {
  test.each([
    [
      404,
      'model_not_found',
      'The model `gpt-4-16k` does not exist or you do not have access to it.',
    ],
    [404, 'not_found_error', 'model: claude-2'],
    [410, '', 'this model was retired'],
    [404, '', 'models/gemini-0 is not found for API version v1main.'],
    [404, '', "model 'no-such-model' not found"],
  ])('names the setting to change (%i %s)', (status, code, said) => {
    const { message } = failure(status, code, said);
    expect(message).toContain(said);
    expect(message).toContain('models: { NEW: { provider: …, replaces: [OLD] } }');
  });

  test('is distinguished from other refusals', () => {
    for (const failed of [
      failure(404, '', 'Unknown request URL'),
      failure(400, 'invalid_request_error', 'model: required'),
    ])
      expect(failed.message).not.toContain('replaces');
  });
});

test.each(['', '404 page not found', 'Resource not found', 'Unknown request URL: POST /chat'])(
  'an address that has no API causes a hint about its path: "%s"',
  (said) => {
    expect(failure(404, '', said).message).toContain('most end in /v1');
    expect(failure(404, '', 'File not found: file_123').message).not.toContain('/v1');
  },
);

test.each([
  [404, '', 'File file-123 for this model not found'],
  [404, 'not_found_error', 'File not found: file_123'],
  [400, '', 'Invalid model response for q1'],
  [400, '', 'Cannot read the words "invalid API key" in q1'],
  [400, 'invalid_request_error', 'Invalid model input: image of q1 cannot be read'],
  [402, '', 'This request requires more credits, or fewer max_tokens. You can only afford 1000.'],
])('a refusal of one request does not stop other requests (%i %s %s)', (status, code, said) => {
  expect(failure(status, code, said)).toMatchObject({ kind: 'request', scope: 'request' });
});

test('a refusal applies to the whole model only if it names a missing permission', () => {
  const words = {
    kind: 'key',
    scope: 'request',
    message: expect.stringContaining('a filter blocked'),
  };
  expect(failure(403, '', 'Forbidden')).toMatchObject(words);
  expect(failure(403, '', '')).toMatchObject(words);
  for (const said of [
    'Your API key does not have permission to use the specified resource',
    'Country, region, or territory not supported',
    'Project `proj_1` does not have access to model `gpt-6`',
    'Access denied. Please check your network settings.',
  ])
    expect(failure(403, '', said)).toMatchObject({ kind: 'key', scope: 'model' });
});

describe('a request blocked by a content filter', () => {
  test.each([
    [403, '', 'Your chosen model requires moderation and your input was flagged'],
    [403, '', 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO'],
    [403, 'content_policy_violation', 'no'],
    [400, 'invalid_prompt', 'Invalid prompt: your prompt was flagged'],
    [403, '', 'The user message was flagged by moderation'],
    [403, '', 'Request failed content safety check.'],
    [400, 'content_policy', 'Violated guardrail policy'],
    [400, '', 'Prompt blocked due to security configurations'],
    [400, '', "The prompt's text was flagged by the vendor's filter"],
  ])('is not a key error (%i %s %s)', (status, code, said) => {
    expect(failure(status, code, said)).toMatchObject({
      kind: 'filtered',
      scope: 'request',
      message: `${status}, the content filter rejected the request: ${said}`,
    });
  });

  test.each([
    "Invalid schema for response_format 'moderation_result': In context=(), 'flagged' is missing.",
    'moderation_result: Extra inputs are not permitted',
    'guardrails: Extra inputs are not permitted',
    'Unknown parameter: moderation',
  ])('is distinguished from a parameter with a similar name: %s', (said) => {
    expect(failure(400, 'invalid_request_error', said)).toMatchObject({ kind: 'request' });
    expect(failure(400, 'unknown_parameter moderation', said).kind).toBe('request');
  });

  test('is distinguished from a flagged account and a key without permission', () => {
    for (const said of [
      'Your account was flagged for abuse.',
      'This API key has been flagged and disabled',
      'User u-1 was flagged',
      'Your IP address is flagged',
      'Host not in allowlist',
    ])
      expect(failure(403, '', said)).toMatchObject({ kind: 'key', scope: 'model' });
  });
});

describe('an overloaded server', () => {
  test.each([
    [503, ' UNAVAILABLE', 'The model is experiencing high demand.'],
    [503, 'server_is_overloaded', ''],
    [503, '', 'Our servers are overloaded'],
    [498, '', 'Flex tier capacity exceeded'],
    [529, 'overloaded_error', 'Overloaded'],
  ])('gets fewer requests from all callers (%i %s %s)', (status, code, said) => {
    expect(failure(status, code, said)).toMatchObject({ kind: 'server', retry: 'limited' });
  });

  test('is distinguished from an individual failure', () => {
    expect(failure(503, '', 'upstream reset').retry).toBe('later');
  });
});

describe('an error that applies to all requests of a server', () => {
  test.each([
    [429, 'insufficient_quota', ''],
    [429, 'credit_balance_exhausted', ''],
    [429, 'spend_limit_reached', ''],
    [429, 'usage_limit_exceeded', ''],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'],
    [402, '', 'Insufficient Balance'],
    [401, '', 'no'],
    [400, '', 'API key not valid.'],
  ])('is reported for missing credit or a bad key (%i %s %s)', (status, code, said) => {
    expect(failure(status, code, said)).toMatchObject({ retry: 'never', scope: 'server' });
  });

  test('is not a temporary rate limit', () => {
    expect(failure(429, 'rate_limit_exceeded RESOURCE_EXHAUSTED', 'quota')).toMatchObject({
      retry: 'limited',
      scope: 'request',
    });
  });
});

describe("a request that is too long for the model's context", () => {
  test.each([
    [400, 'context_length_exceeded', 'This model has a maximum context length of 8192 tokens.'],
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
    [422, '', '`inputs` tokens + `max_tokens` must be <= 8193. Given: 8000 `inputs` tokens'],
    [400, 'exceed_context_size_error', 'the request exceeds the available context size'],
    [400, '', 'Input is too long for requested model.'],
    [400, '', 'The input token count (1200000) exceeds the maximum number of tokens allowed.'],
    [400, '', "This model's maximum prompt length is 131072 but the request contains 200000."],
    [413, 'request_too_large', 'Request exceeds the maximum size'],
  ])('is distinguished from other errors (%i %s)', (status, code, said) => {
    expect(failure(status, code, said)).toMatchObject({
      kind: 'too-long',
      retry: 'never',
      message: `${status}, the request is too long: ${said}`,
    });
    expect(failure(400, 'invalid_request_error', 'max_tokens: required').kind).toBe('request');
  });
});
