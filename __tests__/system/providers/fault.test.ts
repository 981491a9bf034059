import { describe, expect, test } from '@jest/globals';
import { httpFault } from '../../../src/providers/fault.ts';

const failure = (status: number, code: string, said: string) =>
  httpFault({ status, code, said, waitMs: null, shouldRetry: null });

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
