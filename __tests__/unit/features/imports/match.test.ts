import { matchTrace } from '../../../../src/features/imports/traces/match.ts';
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
    expect(matched(template, text)).toEqual(input);
  });

  test.each([
    ['Say {a}.', 'Say hi'],
    ['Say {a}.', 'say hi.'],
    ['{a} and {a}', 'x and y'],
    ['{a}{b}', 'xy'],
    ['{a}, {b}', 'x, y, z'],
    ['{a} {b} {c}', '{a} {b} {c}'],
    ['Hi', 'Hi '],
  ])('does not match %j with %j, or does in several ways', (template, text) => {
    expect(matched(template, text)).toBe('message 1 does not match the prompt, or in several ways');
  });

  test('has the only values that make its messages, if any', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 6 });
    fc.assert(
      fc.property(word, word, word, word, word, (x, y, first, middle, last) => {
        const template = `${first}{x}${middle}{y}${last}`;
        const found = matched(template, fill(template, { x, y }));
        expect(typeof found === 'string' ? { x, y } : found).toEqual({ x, y });
      }),
    );
  });

  test('has one value for a variable of several messages', () => {
    const prompt = promptOf('Be {a}.', '{a}');
    const said = (first: string, second: string) =>
      matchTrace(
        [
          { role: 'system', content: first },
          { role: 'user', content: second },
        ],
        prompt,
      );
    expect(said('Be kind.', 'kind')).toEqual({ a: 'kind' });
    expect(said('Be kind.', 'rude')).toMatch(/^message 2 /);
  });

  test('is a dialogue after the system message of the prompt', () => {
    const messages = ['system', 'user', 'assistant', 'user'].map((role, index) => ({
      role,
      content: index === 0 ? 'Be kind.' : `${index}`,
    }));
    expect(matchTrace(messages, promptOf('Be kind.', '{a}'))).toEqual(messages.slice(1));
    expect(matchTrace(messages, promptOf('Be kind.', 'Q: {a}'))).toMatch(/^message 2 /);
    expect(matchTrace(messages, promptOf('Be {a}.', 'x'))).toBe(
      'a dialogue needs a prompt that starts with a system message without variables',
    );
    expect(matchTrace(messages, promptOf('Be kind.', '1', '{a}'))).toMatch(/without examples/);
  });
});
