import { readEndpoints, readProxy } from '../../../src/config/endpoints.ts';

const PLAIN = {
  keyEnv: null,
  headers: [],
  volatile: [],
  apiVersion: null,
  insecure: false,
  direct: false,
  concurrency: null,
  requests_per_minute: null,
};

test.each([
  [
    'https://gate.example/v1 key=GATE_KEY header=X-Team:TEAM header=x-app:APP',
    {
      keyEnv: 'GATE_KEY',
      headers: [
        { name: 'x-team', env: 'TEAM' },
        { name: 'x-app', env: 'APP' },
      ],
    },
  ],
  [
    'https://gate.example/v1 volatile=X-Trace header=x-trace:TRACE',
    { headers: [{ name: 'x-trace', env: 'TRACE' }], volatile: ['x-trace'] },
  ],
  [
    'https://team.openai.azure.com/openai api-version=2024-10-21 key=AZURE_KEY',
    { keyEnv: 'AZURE_KEY', apiVersion: '2024-10-21' },
  ],
  ['https://team.openai.azure.com/openai/v1 api-version=preview', { apiVersion: 'preview' }],
  [
    'https://team.openai.azure.com/openai api-version=2025-04-01-preview',
    { apiVersion: '2025-04-01-preview' },
  ],
  ['https://team.services.ai.azure.com/anthropic key=AZURE_KEY', { keyEnv: 'AZURE_KEY' }],
  ['https://team.openai.azure.com/openai/v1', {}],
  [
    'http://ollama:11434/v1 insecure concurrency=2 requests-per-minute=30',
    { insecure: true, concurrency: 2, requests_per_minute: 30 },
  ],
  ['https://near.example/v1 direct', { direct: true }],
  ['http://10.1.2.3:8000/v1 insecure', { insecure: true }],
  [
    'http://host.docker.internal:8000/v1 insecure key=VLLM_KEY',
    { insecure: true, keyEnv: 'VLLM_KEY' },
  ],
])('the endpoints input accepts the line %s', (line, facts) => {
  const [url = ''] = line.split(' ');
  expect(readEndpoints([`a=${line}`])).toEqual({
    endpoints: [{ name: 'a', ...PLAIN, url, ...facts }],
    problems: [],
  });
});

test.each([
  [
    'https://x.example header=x-app:APP volatile=x-trace',
    'has volatile=NAME without header=NAME:ENV_NAME',
  ],
  ['https://x.example volatile=', 'has volatile=NAME without header=NAME:ENV_NAME'],
  ['http://127.0.0.1:0/v1', 'must not have port 0 in its address'],
  ...['key=ACTIONS_ID_TOKEN_REQUEST_TOKEN', 'header=x-a:actions_id_token_request_url'].map(
    (option) => [
      `https://x.example ${option}`,
      `must not send ${option.replace(/^.*[=:]/, '')}, with which a server could act as the job; for a cloud, add auth=`,
    ],
  ),
  ['https://x.example auth=gcp', 'must have auth= with one of bedrock, vertex, azure'],
  [
    'https://team.openai.azure.com/ api-version=2024-10-21',
    'is an Azure address without a path: it must end in /openai/v1, or in /openai with an api-version',
  ],
])('the endpoints input rejects the line %s with one message', (line, message) => {
  expect(readEndpoints([`a=${line}`]).problems).toEqual([
    { place: null, message: `endpoints: "a" ${message}` },
  ]);
});

test.each(['2024', '2024-10', '2024-13-01', '20241021', '2024-10-21_preview', ''])(
  'the api-version "%s" is rejected',
  (version) => {
    const line = `a=https://x.openai.azure.com/openai api-version=${version}`;
    expect(readEndpoints([line]).problems).toEqual([
      {
        place: null,
        message:
          'endpoints: "a" must have an api-version that is a date (2024-10-21, 2025-04-01-preview) or a word such as preview',
      },
    ]);
  },
);

test('the endpoints input reports the problems of all lines together', () => {
  const { problems } = readEndpoints(['a=https://x.example rpm=2', 'b=nothing', '# a comment', '']);
  expect(problems).toHaveLength(2);
});

test.each(['http://proxy:3128', 'https://proxy.example:443/', 'http://a:b%40c@[::1]:8080'])(
  'the proxy %s is used as written',
  (text) => {
    expect(readProxy('proxy', text)).toEqual({ proxy: text, problems: [] });
  },
);

test('the message about an invalid proxy does not contain its address, which may include a password', () => {
  const [found] = readProxy('proxy', 'http://me:secret@proxy').problems;
  expect(found?.message).not.toContain('secret');
});

test.each(['http://me:100%@proxy:3128', 'http://me:%zz@proxy:3128', 'http://me:%ff@proxy:3128'])(
  'the proxy %s is rejected because its password cannot be decoded',
  (text) => {
    expect(readProxy('proxy', text).problems).toEqual([
      { place: null, message: 'proxy: must have %25 instead of % in its user name or password' },
    ]);
  },
);
