import { sweepCombinations } from '../../../../src/config/resolve.ts';
import { createGeneration } from '../../../../src/kernel/select/generation.ts';
import type { Prompt } from '../../../../src/kernel/suite/suite.ts';
import type { Message } from '../../../../src/types/model.ts';
import { prompt, reference } from '../../app/run/builders.ts';

const variant = {
  model: 'gpt-4o',
  parameters: {},
  target: { provider: 'openai' as const, endpoint: null, model: 'gpt-4o' },
};
const said = (...parts: string[]): Prompt['messages'] =>
  parts.map((part) => ({
    role: part.startsWith('s:') ? 'system' : 'user',
    content: part.slice(2),
    place: { file: 'prompts/p.yaml', line: 6 },
  }));
const thread: Message[] = [
  { role: 'system', content: 'Recorded.' },
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello' },
  { role: 'user', content: 'More' },
];

test('prompt code makes a different request if the messages of its prompt change', () => {
  const code = {
    source: 'output = q',
    language: 'python' as const,
    place: { file: 'prompts/p.yaml', line: 9 },
  };
  const of = (...texts: string[]) =>
    createGeneration(prompt({ code, messages: said(...texts) }), variant, reference('r'));
  expect(of('u:{q}')).toMatchObject({ kind: 'code', messages: [{ role: 'user', content: 'r' }] });
  const asked = [of(), of('u:{q}'), of('u:{q}?')].map(
    (own) => 'fingerprint' in own && own.fingerprint,
  );
  expect(new Set(asked).size).toBe(3);
});

describe('recorded dialogue', () => {
  const of = (messages: Prompt['messages']) =>
    createGeneration(prompt({ messages }), variant, reference('r', { input: {}, thread }));

  test("is sent with the prompt's own system message", () => {
    const one = of(said('s:Be brief.', 'u:{q}'));
    expect(one).toMatchObject({
      kind: 'request',
      messages: [{ role: 'system', content: 'Be brief.' }, ...thread.slice(1)],
    });
    expect(of(said('s:Be long.', 'u:{q}'))).not.toEqual(one);
  });

  test('keeps its system message if the prompt has none', () => {
    expect(of(said('u:{q}'))).toMatchObject({ kind: 'request', messages: thread });
  });

  test('cannot be sent if the system message needs a variable', () => {
    expect(of(said('s:About {q}.'))).toEqual({
      kind: 'impossible',
      message:
        'the reference has no value for {q}: add it to its input, or remove it from the prompt',
    });
    expect(of(said('s:Write {{q}}.'))).toMatchObject({
      kind: 'request',
      messages: [{ content: 'Write {q}.' }, ...thread.slice(1)],
    });
  });
});

describe('sweep combinations', () => {
  test('contain every combination of the listed values, in the order of the file', () => {
    expect(sweepCombinations({ model: ['a', 'b'], temperature: [0, 0.7] })).toEqual([
      { model: 'a', temperature: 0 },
      { model: 'a', temperature: 0.7 },
      { model: 'b', temperature: 0 },
      { model: 'b', temperature: 0.7 },
    ]);
  });

  test('consist of one empty combination if no values are listed', () => {
    expect(sweepCombinations({})).toEqual([{}]);
  });
});
