import type { Script, Scripted } from '../../../stand-ins/models/server.ts';
import { promptSaying, openShop } from '../../../unit/app/commands/shop.ts';

const chunk = { object: 'chat.completion.chunk', choices: [{ delta: { content: 'Yes, 5' } }] };
const STREAM: Scripted = {
  body: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`,
  headers: { 'content-type': 'text/event-stream' },
};
const PAGE: Scripted = {
  body: '<!doctype html><title>Sign in</title>',
  headers: { 'content-type': 'text/html' },
};

describe('an unreadable reply', () => {
  test.each<[string, Scripted, string]>([
    [
      'an event stream of chunks',
      STREAM,
      'the server streams its answer although evaldiff did not ask for a stream',
    ],
    ['a web page', PAGE, 'it is a web page'],
  ])('is paid for once, and its cost is counted as unknown: %s', async (_, reply, words) => {
    for (const cap of [[], ['--max-calls', '10']]) {
      const { evaldiff, server } = await openShop({ references: 10, answer: () => reply });
      const { code, out } = await evaldiff('run', '--no-store', 'n_tries=1', ...cap);
      expect(code).toBe(2);
      expect(server.requests).toHaveLength(10);
      expect(out).toContain(words);
      expect(out).toContain('10 model calls, 0 reused · 0 tokens in, 0 out · cost unknown');
      expect(out).not.toContain('no model call');
    }
  });

  test('is quoted as the last error if the limit on calls ends the run before all answers arrive', async () => {
    const { evaldiff, server } = await openShop({
      references: 10,
      answer: () => ({ body: '{"choices":[]}' }),
    });
    const { out } = await evaldiff('run', '--no-store', 'n_tries=1', '--max-calls', '10');
    expect(server.requests).toHaveLength(10);
    expect(out).toMatch(/\(the last error: openai \(local\): the reply contains no answer/);
    expect(out).toContain('10 model calls, 0 reused · 0 tokens in, 0 out · cost unknown');
  });
});

describe('an empty answer', () => {
  const EMPTY: Scripted = { text: '' };
  const LATER: Script = ({ index }) => (index === 0 ? EMPTY : {});
  test.each([
    ['for good', () => EMPTY, '2 model calls, 0 reused · 20 tokens in, 10 out · $0.03'],
    ['at first', LATER, '2 model calls, 0 reused · 20 tokens in, 10 out · $0.03'],
  ])('costs the tokens that the server reports: empty %s', async (_, answer, spent) => {
    const { evaldiff } = await openShop({ references: 1, answer });
    const { out } = await evaldiff('run', '--no-store', 'n_tries=1');
    expect(out).toContain(spent);
  });

  test('has unknown cost if the server reports no tokens', async () => {
    const { evaldiff } = await openShop({
      references: 1,
      answer: () => ({ text: '', usage: null }),
    });
    expect((await evaldiff('run', '--no-store', 'n_tries=1')).out).toContain('cost unknown');
  });

  test.each<[string, Scripted]>([
    ['empty', EMPTY],
    ['lost', { body: '{"choices":[]}' }],
    ['broken off', { text: 'Yes, 5', finish: 'abort' }],
    ['cut before its first word', { text: '', finish: 'length' }],
  ])('on head alone is not blamed on a line of the prompt: %s', async (_, reply) => {
    const { evaldiff, repository } = await openShop({
      references: 8,
      answer: ({ messages }) => (messages.at(-1)?.content.endsWith('!') ? reply : { text: '5' }),
    });
    repository.write(promptSaying('Answer: {q}!'));
    const { code, out } = await evaldiff('diff', '--base', 'HEAD', '--no-store');
    expect(code).toBe(1);
    expect(out).toContain("Cause not looked for: head's answers ended in errors.");
    expect(out).not.toContain('The only change');
  });
});

describe('the "stream" parameter', () => {
  test.each([
    ['false', 0, '1 prompt with 4 references: no errors'],
    [
      'true',
      2,
      'prompts/ask.yaml:3: "stream" must be false, because evaldiff does not stream answers',
    ],
  ])('is accepted if false and rejected if true: %s', async (value, exit, words) => {
    const { evaldiff, repository } = await openShop({});
    repository.write({
      'prompts/ask.yaml': `name: ask\nmodel: m\nstream: ${value}\ndefaults: [tests/ask]\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "Answer: {q}" }]\n`,
    });
    const { code, out } = await evaldiff('validate');
    expect(code).toBe(exit);
    expect(out).toContain(words);
  });
});
