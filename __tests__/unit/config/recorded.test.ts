import { readRecordedMessages } from '../../../src/config/recorded.ts';
import { Field } from '../../../src/documents/document.ts';
import { formatProblem } from '../../../src/errors.ts';
import { transcript } from '../../../src/metrics/transcript.ts';
import type { Json, Problem } from '../../../src/types/plain.ts';
import { readFixture } from '../../stand-ins/fixture.ts';
import { PROMPT, problemsOf, suiteFiles, suiteOf } from './tree.ts';

const read = (items: Json[]) => {
  const problems: Problem[] = [];
  const place = { file: 'd.jsonl', line: 3 };
  const document = { ...place, value: items, placeOf: () => place, placeOfText: () => place };
  const messages = readRecordedMessages(items as never, new Field(document, problems, ['input']));
  return { messages, problems: problems.map(formatProblem) };
};

const SHOWN = [
  'system: Count.',
  'user: How many?',
  'assistant: I look.',
  'assistant calls stock({"crate":1})',
  'tool stock: 41',
  'assistant: There are 41.',
].join('\n');

const call = { name: 'stock', arguments: '{"crate":1}' };

describe('a recorded dialogue', () => {
  test.each(Object.entries(readFixture('conversations/recorded.yaml') as Record<string, Json[]>))(
    'is read from %s',
    (_, items) => {
      const { messages, problems } = read(items);
      expect(problems).toEqual([]);
      expect(transcript(messages)).toBe(SHOWN);
      const made = messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id));
      expect(messages.flatMap((message) => (message.role === 'tool' ? [message.id] : []))).toEqual(
        made,
      );
    },
  );

  test('gives each of several calls its result, in any order', () => {
    const { messages } = read([
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'stock', input: {} },
          { type: 'tool_use', id: 'b', name: 'price', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b', content: '2 $' },
          { type: 'tool_result', tool_use_id: 'a', content: '41' },
          { type: 'text', text: 'And?' },
        ],
      },
    ]);
    expect(transcript(messages).split('\n').slice(1)).toEqual([
      'assistant calls stock({})',
      'assistant calls price({})',
      'tool price: 2 $',
      'tool stock: 41',
      'user: And?',
    ]);
  });

  test.each([
    [
      'a role that no API knows',
      { role: 'narrator', content: 'x' },
      'input[1] has the role "narrator", which is not known; write system, developer, user, assistant or tool',
    ],
    ['no role', { text: 'x' }, 'input[1] must be a map with role and content'],
    [
      'an image',
      { role: 'user', content: [{ type: 'image_url', image_url: {} }] },
      'input[1].content has a part of type "image_url", which a recorded dialogue cannot contain; write a text in its place, such as { type: text, text: "[image]" }',
    ],
    [
      'a blob',
      { role: 'user', content: [{ type: 'blob', content: 'aGk=' }] },
      'input[1].content has a part of type "blob", which a recorded dialogue cannot contain; write a text in its place, such as { type: text, text: "[image]" }',
    ],
    [
      'an unknown item',
      { type: 'computer_call', action: {} },
      'input[1] is an item of type "computer_call", which cannot be read; write a message with role and content',
    ],
    [
      'a result without a call',
      { role: 'tool', tool_call_id: 'x', content: '1' },
      'input[1] is the result of the call "x", but no message before it makes this call; add the assistant\'s message with this call, or remove the result',
    ],
    [
      'calls that are not a list',
      { role: 'assistant', content: 'Hm.', tool_calls: { name: 'stock' } },
      'input[1].tool_calls needs the name of the called tool, and its arguments',
    ],
    [
      'calls that are text',
      { role: 'assistant', content: 'Hm.', tool_calls: 'stock' },
      'input[1].tool_calls needs the name of the called tool, and its arguments',
    ],
    [
      'a call without a name',
      { role: 'assistant', tool_calls: [{ id: 'x' }] },
      'input[1].tool_calls needs the name of the called tool, and its arguments',
    ],
    [
      'a content of another type',
      { role: 'user', content: 3 },
      'input[1].content must be text, or a list of parts',
    ],
    ['no content', { role: 'assistant' }, 'input[1].content must be text'],
  ])('is rejected at its line with %s', (_, item, message) => {
    expect(read([{ role: 'user', content: 'q' }, item]).problems).toEqual([
      `d.jsonl:3: ${message}`,
    ]);
  });

  test('is rejected with a further result without an id', () => {
    const made = { role: 'assistant', content: '', tool_calls: [{ function: call }] };
    const result = { role: 'tool', content: '1' };
    expect(read([made, result, result]).problems).toEqual([
      "d.jsonl:3: input[2] is the result of a tool, but no message before it makes a call without a result; add the assistant's message with this call, or remove the result",
    ]);
  });

  test('is rejected with two results of one call', () => {
    const made = { role: 'assistant', content: '', tool_calls: [{ id: 'c', function: call }] };
    const result = { role: 'tool', tool_call_id: 'c', content: '1' };
    expect(read([made, result, result]).problems).toEqual([
      'd.jsonl:3: input[2] is a second result of the call "c"; keep one',
    ]);
  });

  const calls =
    '{ role: assistant, content: "", tool_calls: [{ id: c, function: { name: stock, arguments: "{}" } }] }';
  const tests = (more: string) =>
    `metrics: [{ uses: tool_was_called }]\nreferences:\n  - { input: [{ role: user, content: q }, ${calls}${more}] }\n`;

  test('that ends with a call is judged, not continued', async () => {
    const { tests: found } = await suiteOf(suiteFiles(PROMPT, tests('')));
    expect(found.references[0]?.problem).toBeNull();
  });

  test.each([
    ['continues after the result of a tool', ', { role: tool, tool_call_id: c, content: "1" }'],
    [
      'continues after a question',
      ', { role: tool, tool_call_id: c, content: "1" }, { role: user, content: r }',
    ],
  ])('%s', async (_, more) => {
    const { tests: found } = await suiteOf(suiteFiles(PROMPT, tests(more)));
    expect(found.references[0]?.problem).toBeNull();
    expect(found.references[0]?.thread?.at(-1)?.role).not.toBe('assistant');
  });

  test('without do_completion cannot end with the result of a tool', async () => {
    const more = ', { role: tool, tool_call_id: c, content: "1" }';
    const { tests: found } = await suiteOf(
      suiteFiles(PROMPT, `do_completion: false\n${tests(more)}`),
    );
    expect(found.references[0]?.problem).toBe(
      "reference 1 ends with the result of a tool, so it has no answer; add the assistant's answer, or remove do_completion: false",
    );
  });

  test('cannot be continued if a call has no result', async () => {
    const { tests: found } = await suiteOf(
      suiteFiles(PROMPT, tests(', { role: user, content: r }')),
    );
    expect(found.references[0]?.problem).toBe(
      'the call of stock has no result, so the model cannot continue the dialogue; add { role: tool, tool_call_id: c, content: TEXT } after it',
    );
  });

  test.each([
    [
      'messages',
      {
        messages: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: 'a' },
        ],
      },
    ],
    [
      'conversations',
      {
        conversations: [
          { from: 'human', value: 'q' },
          { from: 'gpt', value: 'a' },
        ],
      },
    ],
    [
      'messages below input',
      {
        input: {
          messages: [
            { role: 'user', content: 'q' },
            { role: 'model', content: 'a' },
          ],
        },
      },
    ],
  ])('is in a row of a JSONL file: %s', async (_, row) => {
    const suite = await suiteOf({
      ...suiteFiles(
        PROMPT,
        'metrics: [{ uses: contains, with: { value: a } }]\nreferences_from: { file: ../../d.jsonl }\n',
      ),
      'd.jsonl': `${JSON.stringify({ id: 'x', ...row })}\n`,
    });
    expect(transcript(suite.tests.references[0]?.thread ?? [])).toBe('user: q\nassistant: a');
  });

  test('is rejected at the line of its row', async () => {
    const files = {
      ...suiteFiles(
        PROMPT,
        'metrics: [{ uses: contains, with: { value: a } }]\nreferences_from: { file: ../../d.jsonl }\n',
      ),
      'd.jsonl': `{"id":"x","messages":[{"role":"user","content":"q"}]}\n{"id":"y","messages":[{"role":"bot","content":"q"}]}\n`,
    };
    expect((await problemsOf(files)).join('\n')).toMatch(
      /^d\.jsonl:2: input\[0\] has the role "bot"/,
    );
  });
});
