import { matchTrace, renderedMessages } from '../../../../src/features/traces/match.ts';
import type { PromptMessage } from '../../../../src/kernel/suite/suite.ts';
import { fill, placeholders } from '../../../../src/kernel/suite/template.ts';
import fc from '../../../fuzz.ts';

const place = { file: 'prompts/p.yaml', line: 1 };

function promptOf(...contents: string[]) {
  const messages = contents.map((content, index): PromptMessage => ({
    role: index === 0 && contents.length > 1 ? 'system' : 'user',
    content,
    place,
  }));
  const names = new Set(contents.flatMap(placeholders).map(({ name }) => name));
  return { messages, variables: [...names].map((name) => ({ name, place })) };
}

const matched = (template: string, text: string) =>
  matchTrace([{ role: 'user', content: text }], promptOf(template));

describe('a trace of a prompt', () => {
  test.each([
    ['Say {a}.', 'Say hi.', { a: 'hi' }],
    ['{a}', '', { a: '' }],
    ['{{a}} {b} {"c": {c}}', '{a} x {"c": 1}', { b: 'x', c: '1' }],
    ['{a} and {a}', 'x and x', { a: 'x' }],
    ['{a}\n\nAnswer: {b}', 'x\n\ny\n\nAnswer: z', { a: 'x\n\ny', b: 'z' }],
  ])('gives the variables of %j in %j back', (template, text, input) => {
    expect(matched(template, text)).toEqual({ input });
  });

  test.each([
    ['Say {a}.', 'Say hi'],
    ['Say {a}.', 'say hi.'],
    ['{a} and {a}', 'x and y'],
    ['{a}{b}', 'xy'],
    ['{a}, {b}', 'x, y, z'],
    ['Hi', 'Hi '],
  ])('does not fit %j with %j, or fits it in several ways', (template, text) => {
    expect(matched(template, text)).toEqual({
      differs: expect.stringContaining('message 1') as unknown,
    });
  });

  test('has the only values that make its messages, if any', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 6 });
    fc.assert(
      fc.property(word, word, word, word, word, (x, y, first, middle, last) => {
        const prompt = promptOf(`${first}{x}${middle}{y}${last}`);
        const text = fill(prompt.messages[0]?.content ?? '', { x, y });
        const found = matchTrace([{ role: 'user', content: text }], prompt);
        const same = { input: { x, y } };
        expect('differs' in found ? same : found).toEqual(same);
      }),
    );
  });

  test('is a dialogue after the system message of the prompt', () => {
    const prompt = promptOf('Be kind.', '{a}');
    const messages = ['system', 'user', 'assistant', 'user'].map((role, index) => ({
      role,
      content: index === 0 ? 'Be kind.' : `${index}`,
    }));
    const input = messages.slice(1);
    expect(matchTrace(messages, prompt)).toEqual({ input });
    expect(renderedMessages(input, prompt)).toEqual(messages);
    expect(matchTrace(messages, promptOf('Be {a}.', 'x'))).toEqual({
      differs: "is a dialogue, and the prompt's system message has variables",
    });
  });
});
