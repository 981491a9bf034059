import { expect, test } from '@jest/globals';
import { readEndpoints, readProxy } from '../../../src/config/endpoints.ts';

const PLAIN = {
  keyEnv: null,
  headers: [],
  apiVersion: null,
  insecure: false,
  direct: false,
  concurrency: null,
  requests_per_minute: null,
};

test.each<[string, object]>([
  [
    'a=https://gate.example/v1 key=GATE_KEY header=X-Team:TEAM header=x-app:APP',
    {
      url: 'https://gate.example/v1',
      keyEnv: 'GATE_KEY',
      headers: [
        { name: 'x-team', env: 'TEAM' },
        { name: 'x-app', env: 'APP' },
      ],
    },
  ],
  [
    'a=https://team.openai.azure.com/openai api-version=2024-10-21 key=AZURE_KEY',
    { url: 'https://team.openai.azure.com/openai', keyEnv: 'AZURE_KEY', apiVersion: '2024-10-21' },
  ],
  [
    'a=https://team.openai.azure.com/openai/v1 api-version=preview',
    { url: 'https://team.openai.azure.com/openai/v1', apiVersion: 'preview' },
  ],
  [
    'a=https://team.openai.azure.com/openai api-version=2025-04-01-preview',
    { url: 'https://team.openai.azure.com/openai', apiVersion: '2025-04-01-preview' },
  ],
  [
    'a=https://team.services.ai.azure.com/anthropic key=AZURE_KEY',
    { url: 'https://team.services.ai.azure.com/anthropic', keyEnv: 'AZURE_KEY' },
  ],
  ['a=https://team.openai.azure.com/openai/v1', { url: 'https://team.openai.azure.com/openai/v1' }],
  [
    'a=http://ollama:11434/v1 insecure concurrency=2 requests-per-minute=30',
    { url: 'http://ollama:11434/v1', insecure: true, concurrency: 2, requests_per_minute: 30 },
  ],
  ['a=https://near.example/v1 direct', { url: 'https://near.example/v1', direct: true }],
  ['a=http://10.1.2.3:8000/v1 insecure', { url: 'http://10.1.2.3:8000/v1', insecure: true }],
  [
    'a=http://host.docker.internal:8000/v1 insecure key=VLLM_KEY',
    { url: 'http://host.docker.internal:8000/v1', insecure: true, keyEnv: 'VLLM_KEY' },
  ],
])('the line %s is read', (line, facts) => {
  expect(readEndpoints([line])).toEqual({
    endpoints: [{ name: 'a', ...PLAIN, ...facts }],
    problems: [],
  });
});

test.each([
  [
    'a=https://x.example header=anthropic-version:V',
    'endpoints: "a" must not set the header anthropic-version',
  ],
  ['a=http://127.0.0.1:0/v1', 'endpoints: "a" must not have port 0 in its address'],
  [
    'a=https://team.openai.azure.com/ api-version=2024-10-21',
    'endpoints: "a" is Azure\'s without a path: its address ends in /openai/v1, or in /openai with an api-version',
  ],
  [
    'a=https://x.example rpm=2',
    'endpoints: "a" has an option "rpm", which is not one of key, header, api-version, insecure, direct, concurrency, requests-per-minute',
  ],
])('the line %s is refused, each thing said once', (line, message) => {
  expect(readEndpoints([line]).problems).toEqual([{ place: null, message }]);
});

test.each(['2024', '2024-10', '2024-13-01', '20241021', '2024-10-21_preview', ''])(
  'the api-version "%s" is none that a server can have',
  (version) => {
    const line = `a=https://x.openai.azure.com/openai api-version=${version}`;
    expect(readEndpoints([line]).problems).toEqual([
      {
        place: null,
        message:
          'endpoints: "a" must have an api-version that is a day, like api-version=2024-10-21 or 2025-04-01-preview, or a word like preview',
      },
    ]);
  },
);

test('everything wrong with the lines is told at once', () => {
  const { problems } = readEndpoints(['a=https://x.example rpm=2', 'b=nothing', '# a comment', '']);
  expect(problems).toHaveLength(2);
});

test.each(['http://proxy:3128', 'https://proxy.example:443/', 'http://a:b%40c@[::1]:8080'])(
  'the proxy %s is taken as it is written',
  (text) => {
    expect(readProxy('proxy', text)).toEqual({ proxy: text, problems: [] });
  },
);

test('a proxy that is refused is not repeated: its address may hold a password', () => {
  const [found] = readProxy('proxy', 'http://me:secret@proxy').problems;
  expect(found?.message).not.toContain('secret');
});

test.each(['http://me:100%@proxy:3128', 'http://me:%zz@proxy:3128', 'http://me:%ff@proxy:3128'])(
  'the proxy %s is refused: its password cannot be read',
  (text) => {
    expect(readProxy('proxy', text).problems).toEqual([
      { place: null, message: 'proxy: must have a % of its user name or password written as %25' },
    ]);
  },
);
