import {
  requestedWait,
  exhaustedWait,
  sdkFault,
} from '../../../../src/edges/providers/sdk-fault.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');

describe('the wait time that a server requests', () => {
  test.each([
    [{}, null],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '2.5' }, 2500],
    [{ 'retry-after': ' 3 ' }, 3000],
    [{ 'retry-after': 'Fri, 02 Jan 2026 03:05:05 GMT' }, 60_000],
    [{ 'retry-after': 'Fri, 02 Jan 2026 03:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': '1e9' }, null],
    [{ 'retry-after': '9'.repeat(400) }, null],
    [{ 'retry-after-ms': '20', 'retry-after': '1' }, 20],
    [{ 'retry-after-ms': 'x', 'retry-after': '1' }, 1000],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' }, 360_000],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1h1.5s20ms' }, 3_601_520],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': 'whenever' }, null],
    [
      {
        'retry-after': '1',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '9s',
      },
      1000,
    ],
  ])('in the headers %j is %p ms', (headers, wait) =>
    expect(requestedWait(new Headers(headers), NOW)).toBe(wait),
  );

  test('is null if quota is left, and the longest if several limits are used up', () => {
    const limits = (requests: string, tokens: string): Headers =>
      new Headers({
        'anthropic-ratelimit-requests-remaining': requests,
        'anthropic-ratelimit-requests-reset': '2026-01-02T03:04:10Z',
        'anthropic-ratelimit-output-tokens-remaining': tokens,
        'anthropic-ratelimit-output-tokens-reset': '2026-01-02T03:04:35Z',
      });
    expect(exhaustedWait(limits('1', '5'), NOW)).toBeNull();
    expect(exhaustedWait(limits('0', '5'), NOW)).toBe(5000);
    expect(exhaustedWait(limits('0', '0'), NOW)).toBe(30_000);
  });
});

test.each([
  ['34s', 34_000],
  ['1.5s', 1500],
  ['soon', null],
])("Google's error body requests a wait of %s", (retryDelay, wait) => {
  const error = {
    status: 429,
    error: {
      code: 429,
      message: 'Quota exceeded',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
      ],
    },
  };
  const context = { now: NOW, timeoutMs: 1000, redact: (text: string) => text };
  expect(sdkFault(error, context)).toMatchObject({ retry: 'limited', waitMs: wait });
});
