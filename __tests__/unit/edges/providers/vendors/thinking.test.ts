import {
  separateThinking,
  withoutThinking,
} from '../../../../../src/edges/providers/vendors/thinking.ts';

describe('withoutThinking', () => {
  test.each([
    ['<think>hm</think>Oslo', 'Oslo'],
    ['\n<think>\nsorry\n</think>\n\nOslo is fine', 'Oslo is fine'],
    ['<THINK>hm</THINK> Oslo', 'Oslo'],
    ['<think></think>Oslo', 'Oslo'],
    ['<think>a</think>\n<think>b</think>Oslo', 'Oslo'],
    ['<think>a</think><think>Oslo', ''],
    ['<think>Oslo. So final', ''],
    ['the template opened it\n</think>\n\nOslo', 'Oslo'],
    ['sorry</think>Oslo', 'Oslo'],
    ['<thought>hm</thought>Oslo', 'Oslo'],
    ['<seed:think>hm</seed:think>Oslo', 'Oslo'],
    ['[THINK]hm[/THINK]Oslo', 'Oslo'],
    ['◁think▷hm◁/think▷Oslo', 'Oslo'],
    [
      '<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Oslo',
      'Oslo',
    ],
  ])('for %j returns the answer %j', (text, said) => expect(withoutThinking(text).said).toBe(said));

  test.each([
    'Oslo',
    ' Oslo ',
    'DeepSeek writes <think> before it answers.',
    'It ends with `</think>`.',
    'text.split("</think>")[-1]',
    "text.split('</think>')",
    'Between <think> and </think> it thinks.',
    '<thinking>what a prompt asks for</thinking> Oslo',
    '<b>think</b>',
  ])('finds no thinking in %j', (text) =>
    expect(withoutThinking(text)).toEqual({ said: text, inside: null }),
  );

  test('takes linear time', () => {
    expect(withoutThinking('<think></think>'.repeat(200_000)).said).toBe('');
    expect(withoutThinking('<think>'.repeat(400_000)).said).toBe('');
    const text = '< /think>`'.repeat(400_000);
    expect(withoutThinking(text).said).toBe(text);
  });
});

describe('separateThinking', () => {
  test.each([
    [
      [
        { type: 'thinking', thinking: [] },
        { type: 'text', text: 'Oslo' },
      ],
      'Oslo',
    ],
    [[{ type: 'reasoning', text: 'hm' }, { text: 'Oslo' }], 'Oslo'],
    [
      [
        { type: 'reasoning_text', text: 'hm' },
        { type: 'output_text', text: 'Oslo' },
      ],
      'Oslo',
    ],
    [[{ text: 'hm', thought: true }, { text: 'Oslo' }], 'Oslo'],
    [
      [
        { type: 'text', text: '<think>h' },
        { type: 'text', text: 'm</think>Oslo' },
      ],
      'Oslo',
    ],
  ])('for the parts %j returns the answer %j', (parts, said) =>
    expect(separateThinking(parts).said).toBe(said),
  );

  test.each([
    [{ reasoning_content: 'hm' }, 'reasoning_content'],
    [{ reasoning: 'hm', reasoning_content: null }, 'reasoning'],
    [{ thinking: ' ' }, null],
  ])('for the reply fields %j finds the thinking in the field %j', (beside, member) => {
    expect(separateThinking(null, beside)).toEqual({ said: '', thinking: member });
  });
});
