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
  [
    'a=https://x.example rpm=2',
    'endpoints: "a" has an option "rpm", which is not one of key, header, api-version, insecure, direct, concurrency, requests-per-minute',
  ],
])('the line %s is refused, each thing said once', (line, message) => {
  expect(readEndpoints([line]).problems).toEqual([{ place: null, message }]);
});

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
