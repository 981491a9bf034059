import { recordingKey, requestKey } from '../../../../src/app/session/request-key.ts';
import type { Message, Request } from '../../../../src/types/model.ts';

const openai = { provider: 'openai' as const, endpoint: null, model: 'm' };
const request: Request = {
  target: openai,
  parameters: { temperature: 0, top_p: 1 },
  messages: [{ role: 'user', content: 'a' }],
  try: 0,
  schema: null,
  purpose: 'prompt',
};
const program = (changes: object = {}): Partial<Request> => {
  const own = { command: ['node', 'a.mjs'], setup: [], files: 'f1', commit: 'c1' };
  return { target: { provider: 'program', model: 'app', ...own, ...changes } };
};
const replay = (changes: object = {}): Partial<Request> => {
  const own = { file: 'r.jsonl', content: '1', commit: 'c1' };
  return { target: { provider: 'replay', model: 'm', ...own, ...changes } };
};
const key = (changes: Partial<Request>) => requestKey({ ...request, ...changes }, (text) => text);

describe('the cache key of a request', () => {
  const placed = { role: 'user', content: 'a', place: { file: 'p.yaml', line: 3 } };
  test.each<[string, Partial<Request>, Partial<Request>]>([
    ['the order of parameters', {}, { parameters: { top_p: 1, temperature: 0 } }],
    ['the purpose of the call', {}, { purpose: 'grader' }],
    ['the place of a message in a file', {}, { messages: [placed as Request['messages'][number]] }],
    // Base and head share these answers even if their commits differ:
    ['the commit of a program', program(), program({ commit: 'c2' })],
    ['the commit of a replay', replay(), replay({ commit: 'c2' })],
  ])('does not depend on %s', (_what, one, other) => {
    expect(key(other)).toBe(key(one));
  });

  test.each<[string, Partial<Request>, Partial<Request>]>([
    ['the index of the try', {}, { try: 1 }],
    ['the model', {}, { target: { ...openai, model: 'n' } }],
    ['the vendor', {}, { target: { ...openai, provider: 'anthropic' } }],
    ['the endpoint', {}, { target: { ...openai, endpoint: 'local' } }],
    ['a parameter', {}, { parameters: { temperature: 0, top_p: 0.9 } }],
    ['a removed parameter', {}, { parameters: { temperature: 0 } }],
    ['a role', {}, { messages: [{ role: 'system', content: 'a' }] }],
    ['a text', {}, { messages: [{ role: 'user', content: 'a ' }] }],
    ['the schema', {}, { schema: { name: 's', json: {} } }],
    ['the files of a program', program(), program({ files: 'f2' })],
    ['the command of a program', program(), program({ command: ['node', 'b.mjs'] })],
    ['the process of a program', program(), program({ process: 'try' })],
    ['the content of a replay', replay(), replay({ content: '2' })],
  ])('depends on %s', (_what, one, other) => {
    expect(key(other)).not.toBe(key(one));
  });

  test("is a hash of the request's canonical text, made by the given function", () => {
    expect(requestKey(request, (text) => `${text.length}`)).toMatch(/^\d+$/);
  });
});

test('the cache key of a recorded answer depends on model, parameters, messages and try, not on the vendor', () => {
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

describe('a dialogue with tool calls', () => {
  const called: Message = {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'call00001', name: 'stock', arguments: '{"crate":1}' }],
  };
  const result: Message = { role: 'tool', id: 'call00001', name: 'stock', content: '41' };
  const opaque = { api: 'messages' as const, model: 'm', data: ['signed'] };
  const keyOf = (messages: Message[]) =>
    requestKey({ ...request, messages: [...request.messages, ...messages] }, (text) => text);

  test.each<[string, Message[]]>([
    ['the arguments', [{ ...called, tool_calls: [{ name: 'stock', arguments: '{}' }] }, result]],
    ['the result', [called, { ...result, content: '42' }]],
    ['the tool', [called, { ...result, name: 'sales' }]],
    ["the vendor's own form", [{ ...called, opaque }, result]],
    ['the missing result', [called]],
  ])('has another key if it differs in %s', (_, messages) => {
    expect(keyOf(messages)).not.toBe(keyOf([called, result]));
  });

  test('has the same key with and without metadata', () => {
    const metadata = { python_errors: null };
    expect(
      keyOf([
        { ...called, metadata },
        { ...result, metadata },
      ]),
    ).toBe(keyOf([called, result]));
  });
});
