import { describe, expect, test } from '@jest/globals';
import { recordingKey, requestKey } from '../../../../src/kernel/select/generation.ts';
import type { Request, Target } from '../../../../src/types/model.ts';

const request: Request = {
  target: { provider: 'openai', endpoint: null, model: 'm' },
  parameters: { temperature: 0, top_p: 1 },
  messages: [{ role: 'user', content: 'a' }],
  try: 0,
  schema: null,
  purpose: 'prompt',
};
const program: Extract<Target, { provider: 'program' }> = {
  provider: 'program',
  model: 'app',
  command: ['node', 'a.mjs'],
  setup: [],
  files: 'f1',
  commit: 'c1',
};
const replay: Extract<Target, { provider: 'replay' }> = {
  provider: 'replay',
  model: 'm',
  file: 'r.jsonl',
  content: '1',
  commit: 'c1',
};
const key = (changes: Partial<Request>): string =>
  requestKey({ ...request, ...changes }, (text) => text);

describe('the key of a request', () => {
  test.each<[string, Partial<Request>]>([
    ['the order of parameters', { parameters: { top_p: 1, temperature: 0 } }],
    ['what it is paid for', { purpose: 'grader' }],
    [
      'the place of a message in a file',
      {
        messages: [
          {
            role: 'user',
            content: 'a',
            place: { file: 'p.yaml', line: 3 },
          } as Request['messages'][number],
        ],
      },
    ],
  ])('is the same whatever %s', (_what, changes) => expect(key(changes)).toBe(key({})));

  test.each<[string, Partial<Request>]>([
    ['the try', { try: 1 }],
    ['the model', { target: { provider: 'openai', endpoint: null, model: 'n' } }],
    ['the vendor', { target: { provider: 'anthropic', endpoint: null, model: 'm' } }],
    ['the endpoint', { target: { provider: 'openai', endpoint: 'local', model: 'm' } }],
    ['a parameter', { parameters: { temperature: 0, top_p: 0.9 } }],
    ['a parameter that is gone', { parameters: { temperature: 0 } }],
    ['a role', { messages: [{ role: 'system', content: 'a' }] }],
    ['a text', { messages: [{ role: 'user', content: 'a ' }] }],
    ['the schema', { schema: { name: 's', json: {} } }],
  ])('differs with %s', (_what, changes) => expect(key(changes)).not.toBe(key({})));

  test('of a program names its files and not the commit, so that both sides share', () => {
    expect(key({ target: { ...program, commit: 'c2' } })).toBe(key({ target: program }));
    expect(key({ target: { ...program, files: 'f2' } })).not.toBe(key({ target: program }));
    expect(key({ target: { ...program, command: ['node', 'b.mjs'] } })).not.toBe(
      key({ target: program }),
    );
  });

  test('of a replay names the content of its recordings and not the commit', () => {
    expect(key({ target: { ...replay, commit: 'c2' } })).toBe(key({ target: replay }));
    expect(key({ target: { ...replay, content: '2' } })).not.toBe(key({ target: replay }));
  });

  test('is whatever the hash makes of the canonical text', () => {
    expect(requestKey(request, (text) => `${text.length}`)).toMatch(/^\d+$/);
  });
});

test('a recording is found by model, parameters, messages and try, whoever answered', () => {
  const recorded = { model: 'm', parameters: { a: 1, b: [2] }, messages: request.messages, try: 2 };
  expect(recordingKey({ ...recorded, parameters: { b: [2], a: 1 } })).toBe(recordingKey(recorded));
  for (const other of [
    { ...recorded, try: 1 },
    { ...recorded, model: 'n' },
    { ...recorded, parameters: {} },
    { ...recorded, messages: [] },
  ]) {
    expect(recordingKey(other)).not.toBe(recordingKey(recorded));
  }
});
