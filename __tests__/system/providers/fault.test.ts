import { describe, expect, test } from '@jest/globals';
import { httpFault, transportFault, TransportError } from '../../../src/providers/fault.ts';

const failure = (status: number, code: string, said: string) =>
  httpFault({ status, code, said, waitMs: null, shouldRetry: null });

test('a name that no server has is told in words, not in the system’s alone', () => {
  expect(transportFault(new TransportError('connection', 'ENOTFOUND'), 1).message).toBe(
    'no connection (ENOTFOUND); nobody has heard of this server’s name: is this machine online, and its address right?',
  );
});

describe('a model that its vendor does not have any more', () => {
  test.each([
    [
      404,
      'model_not_found',
      'The model `gpt-4-16k` does not exist or you do not have access to it.',
    ],
    [404, 'not_found_error', 'model: claude-2'],
    [410, '', 'this model was retired'],
  ])('names the setting to change (%i %s)', (status, code, said) => {
    const { message } = failure(status, code, said);
    expect(message).toContain(said);
    expect(message).toContain('models: { NEW: { provider: …, replaces: [OLD] } }');
  });

  test('is told from other refusals', () => {
    for (const one of [
      failure(404, '', 'Unknown request URL'),
      failure(400, 'invalid_request_error', 'model: required'),
    ])
      expect(one.message).not.toContain('replaces');
  });
});

describe('a request that does not fit into the model’s context', () => {
  test.each([
    [400, 'context_length_exceeded', 'This model has a maximum context length of 8192 tokens.'],
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
    [413, 'request_too_large', 'Request exceeds the maximum size'],
  ])('is told from what is wrong with it otherwise (%i %s)', (status, code, said) => {
    expect(failure(status, code, said)).toMatchObject({
      kind: 'too-long',
      retry: 'never',
      message: `${String(status)}, the request is too long: ${said}`,
    });
    expect(failure(400, 'invalid_request_error', 'max_tokens: required').kind).toBe('request');
  });
});
