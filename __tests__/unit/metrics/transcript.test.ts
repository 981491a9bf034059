import { turnText } from '../../../src/metrics/transcript.ts';
import type { Message } from '../../../src/types/model.ts';

const said = (content: string): Message => ({ role: 'assistant', content });
const call: Message = {
  role: 'assistant',
  content: 'Let me count.',
  tool_calls: [{ id: 'c', name: 'stock', arguments: '{}' }],
};
const result: Message = { role: 'tool', id: 'c', name: 'stock', content: '41' };

describe('the answer of a turn', () => {
  test.each<[string, Message[], string]>([
    ['is the message after the result', [call, result, said('41 apples.')], '41 apples.'],
    ['is empty if the message after the result is', [call, result, said('')], ''],
    ['is empty if the last of several messages are', [call, result, said(' '), said('')], ''],
    ['is the text beside a call that ends the turn', [call], 'Let me count.'],
    ['is the text beside the call whose result ends the turn', [call, result], 'Let me count.'],
    ['is the last message with text', [said('One.'), said('Two.'), said('')], 'Two.'],
    ['is empty without messages', [], ''],
  ])('%s', (_, turn, text) => {
    expect(turnText(turn)).toBe(text);
  });
});
