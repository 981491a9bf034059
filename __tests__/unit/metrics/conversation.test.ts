import {
  fleschKincaidGrade,
  fleschReadingEase,
  syllablesIn,
} from '../../../src/metrics/measures/language.ts';
import { dialogueObjects } from '../../../src/metrics/objects.ts';
import type { ToolCall } from '../../../src/types/answer.ts';
import type { MetricLevel } from '../../../src/types/metric.ts';
import type { Message } from '../../../src/types/model.ts';
import type { Json } from '../../../src/types/plain.ts';
import { builtIn, sample, scored } from './samples.ts';

const thread: Message[] = [
  { role: 'system', content: 'Tutor.' },
  { role: 'user', content: 'Hi 🙂' },
  { role: 'user', content: 'Help me' },
  { role: 'assistant', content: 'With what?' },
  { role: 'user', content: 'Sums' },
  { role: 'assistant', content: 'One' },
  { role: 'assistant', content: 'Two 👨‍👩‍👧' },
];
type Given = Record<string, Json>;
const plot = (given = '{}'): ToolCall => ({ name: 'plot', arguments: given });
const score = (uses: string, given: Given, level: MetricLevel = 'Turn', calls: ToolCall[] = []) =>
  scored(builtIn(uses, given, { level }), sample('Two 👨‍👩‍👧', { thread, calls }));
const ofFlexEval = (uses: string, given: Given, level: MetricLevel) => {
  const answer = sample('Two 👨‍👩‍👧', { thread });
  const judged = dialogueObjects(answer, { level, of: 'both' }).at(-1)?.answer ?? answer;
  return scored(builtIn(uses, given, { level, of: 'both' }), judged);
};

describe("FlexEval's function metrics", () => {
  test.each<[string, Given, MetricLevel, Json]>([
    ['count_messages', {}, 'Thread', 6],
    ['count_messages', {}, 'Turn', 2],
    ['count_messages', {}, 'Message', 1],
    ['count_turns', {}, 'Thread', 4],
    ['index_in_thread', {}, 'Turn', 3],
    ['count_messages_per_role', {}, 'Thread', { user: 3, assistant: 3 }],
    ['count_messages_per_role', { role: 'human' }, 'Thread', { user: 3 }],
    ['count_messages_per_role', { role: 'user' }, 'Turn', { user: 0 }],
    ['is_role', { role: 'assistant' }, 'Turn', { assistant: 1 }],
    ['is_role', { role: 'user' }, 'Message', { user: 0 }],
    ['is_role', { role: 'ai' }, 'Message', { ai: 1 }],
    ['is_role', { role: 'assistant' }, 'Thread', { assistant: 0 }],
    ['count_emojis', {}, 'Thread', 2],
    ['count_emojis', {}, 'Turn', 1],
    // "One", a line feed, "Two ", and a family emoji of five code points
    ['string_length', {}, 'Turn', 13],
    ['message_matches_regex', { expression: '^One$' }, 'Turn', 0],
    ['message_matches_regex', { expression: '^One' }, 'Turn', 1],
    ['message_matches_regex', { expression: '^One' }, 'Message', 0],
    ['count_of_parts_matching_regex', { expression: '[A-Z]' }, 'Turn', 2],
  ])('give the expected value for %s with %j at level %s', async (uses, given, level, wanted) => {
    expect((await ofFlexEval(uses, given, level)).value).toEqual(wanted);
  });

  test.each<[string, Given, MetricLevel, Json]>([
    ['string_length', {}, 'Turn', 9],
    ['message_matches_regex', { expression: 'One' }, 'Turn', 0],
    ['count_messages', {}, 'Turn', 2],
  ])("judge only the turn's answer in other files: %s", async (uses, given, level, wanted) => {
    expect((await score(uses, given, level)).value).toEqual(wanted);
  });

  test.each([
    ['count_tool_calls', {}, 3],
    ['count_tool_calls_by_name', {}, { plot: 2, sum: 1 }],
    ['count_tool_calls_by_name', { tool: 'plot' }, { plot: 2 }],
    ['count_tool_calls_by_name', { tool: 'none' }, { none: 0 }],
    ['tool_was_called', {}, 1],
    ['tool_was_called', { tool: 'sum' }, 1],
    ['tool_was_called', { tool: 'none' }, 0],
    ['count_numeric_tool_call_params_by_name', {}, { plot: 3 }],
  ])('give the expected value for %s with %j over three calls', async (uses, given, wanted) => {
    const sum = { name: 'sum', arguments: 'broken' };
    const calls = [plot('{"x": 1, "y": "2.5", "z": ""}'), sum, plot('{"x": -3}')];
    expect((await score(uses, given, 'Turn', calls)).value).toEqual(wanted);
  });

  test('apply the limit of count_tool_calls_by_name to each tool, and the reason names the tool above it', async () => {
    const calls = [plot(), plot()];
    expect(await score('count_tool_calls_by_name', { max: 1 }, 'Turn', calls)).toMatchObject({
      status: 'fail',
      value: { plot: 2 },
      reason: '2 plot, at most 1 wanted',
    });
  });

  test('accept a threshold for a map with one number, but return an error if the map has several', async () => {
    const one = builtIn('is_role', { role: 'assistant' }, { threshold: 1 });
    expect((await scored(one, 'x')).status).toBe('pass');
    const several = builtIn('count_messages_per_role', {}, { threshold: 1, level: 'Thread' });
    expect((await scored(several, 'x')).status).toBe('error');
  });
});

describe('readability scores', () => {
  test.each([
    [1, 'the', 'make', 'queue', 'rhythm', 'a', '9'],
    [2, 'table', 'reading', 'sentence'],
    [5, 'university'],
  ])('count %d syllables in a word', (count, ...words) => {
    for (const word of words) expect([word, syllablesIn(String(word))]).toEqual([word, count]);
  });

  test('use the formulas of Flesch and Kincaid', () => {
    // Two sentences, 7 words, 9 syllables: The cat sat. Reading tables is fun!
    const text = 'The cat sat. Reading tables is fun!';
    expect(fleschReadingEase(text)).toBeCloseTo(206.835 - 1.015 * 3.5 - 84.6 * (9 / 7), 9);
    expect(fleschKincaidGrade(text)).toBeCloseTo(0.39 * 3.5 + 11.8 * (9 / 7) - 15.59, 9);
  });

  test('fail with a null value for a text without words', async () =>
    expect(await scored('flesch_reading_ease', '?!')).toMatchObject({
      status: 'fail',
      value: null,
      reason: 'the text has no words',
    }));
});
