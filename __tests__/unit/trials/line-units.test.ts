import type { AffectedReference, SuiteSide } from '../../../src/kernel/select/affected-suite.ts';
import { createGeneration } from '../../../src/kernel/select/generation.ts';
import type { Prompt, PromptMessage, Reference } from '../../../src/kernel/suite/suite.ts';
import { promptLines, promptTexts, type PromptLines } from '../../../src/trials/line-units.ts';
import type { Json } from '../../../src/types/plain.ts';

const FILE = 'prompts/p.yaml';

const REFERENCE: Reference = {
  id: 'one',
  place: { file: 'prompts/tests/p.yaml', line: 3 },
  input: { city: 'Oslo' },
  thread: null,
  expected: 'x',
  skip: false,
  tags: [],
  n_tries: null,
  problem: null,
};

type Written = Pick<PromptMessage, 'role' | 'content'> & Partial<PromptMessage>;

function sideOf(
  messages: readonly Written[],
  parameters: Record<string, Json> = {},
  own: Partial<Prompt> = {},
): SuiteSide {
  const prompt: Prompt = {
    ...{ file: FILE, name: 'p', model: 'm', parameters, variables: [], code: null, places: {} },
    messages: messages.map((message) => ({ place: { file: FILE, line: 2 }, ...message })),
    ...own,
  };
  return {
    suite: { prompt, tests: { own: null } },
    variant: { model: 'm', parameters, target: { provider: 'openai', endpoint: null, model: 'm' } },
    scoring: { settingsFile: 'evaldiff.yaml' },
  } as unknown as SuiteSide;
}

function linesOf(side: SuiteSide, isAsked = (_: string) => true): PromptLines {
  const file = ['messages:', ...side.suite.prompt.messages.flatMap((m) => m.content.split('\n'))];
  const found = promptLines(side, () => file, isAsked);
  if (found.units === null) throw new TypeError(found.reason);
  return found;
}

function sent(side: SuiteSide, lines: PromptLines, without: readonly number[]) {
  const affected: AffectedReference = {
    ...{ reference: REFERENCE, baseReference: null, change: 'both', base: null },
    head: createGeneration(side.suite.prompt, side.variant, REFERENCE),
  };
  const made = lines.generation(affected, new Set(without));
  if (made.kind !== 'request') throw new TypeError(made.kind);
  return made;
}

const texts = ({ units }: PromptLines) => units.map(({ head_text }) => head_text);

const ask: Written = { role: 'user', content: '{city}' };

const LONG =
  'Answer within two sentences unless the user asks for more. Never mention the price of a competitor. Always stay kind to them.';

describe("a prompt's lines", () => {
  test('are lines and sentences of long lines, with their places', () => {
    const side = sideOf([{ role: 'system', content: `You help.\n\n${LONG}` }, ask]);
    const lines = linesOf(side);
    expect(lines.units).toMatchObject([
      { kind: 'line', head_text: 'You help.', file: FILE, lines: { from: 2, to: 2 } },
      {
        kind: 'sentence',
        head_text: 'Answer within two sentences unless the user asks for more. ',
      },
      { kind: 'sentence' },
      { kind: 'sentence', lines: { from: 4, to: 4 } },
    ]);
    const [system] = sent(side, lines, [1]).messages;
    expect(system?.content).toBe(
      'You help.\n\nNever mention the price of a competitor. Always stay kind to them.',
    );
    expect(sent(side, lines, [])).toMatchObject({
      messages: [{ content: `You help.\n\n${LONG}` }, { content: 'Oslo' }],
    });
  });

  test('leave out a message without any text', () => {
    const side = sideOf([{ role: 'system', content: 'You help.\nBe brief.' }, ask]);
    const { messages } = sent(side, linesOf(side), [0, 1]);
    expect(messages.map(({ content }) => content)).toEqual(['Oslo']);
  });

  test('exclude lines that insert an input, template blocks, and the last line to answer', () => {
    const content = 'One.\nIn {city}, {{not_a_variable}}.\nTwo, {{not_a_variable}}.';
    expect(texts(linesOf(sideOf([{ role: 'system', content }, ask])))).toEqual([
      'One.',
      'Two, {{not_a_variable}}.',
    ]);
    const written = 'One.\n{% for item in items %}\nTwo.\n{% endfor %}\nAbout {{ city }}.\nThree.';
    const foreign = { role: 'system' as const, content: written, written };
    expect(texts(linesOf(sideOf([foreign, ask])))).toEqual(['One.', 'Three.']);
    const only = sideOf([{ role: 'user', content: 'Write a poem.\nMake it rhyme.' }]);
    expect(texts(linesOf(only))).toEqual(['Write a poem.']);
  });

  test('take an example with its answer as one', () => {
    const side = sideOf([
      { role: 'system', content: 'Name the country.' },
      { role: 'user', content: 'Paris' },
      { role: 'assistant', content: 'France' },
      ask,
    ]);
    const lines = linesOf(side);
    expect(lines.units[1]).toMatchObject({
      ...{ kind: 'message', name: 'example', head_text: 'Paris\nFrance' },
    });
    expect(sent(side, lines, [1]).messages.map(({ content }) => content)).toEqual([
      'Name the country.',
      'Oslo',
    ]);
  });

  test("include descriptions of a tool's properties", () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'string', description: 'Of the order.' } },
    };
    const described = { name: 'find', description: 'Finds an order.', parameters: schema };
    const side = sideOf([ask], { tools: [{ type: 'function', function: described }] });
    const lines = linesOf(side);
    expect(lines.units).toMatchObject([
      { kind: 'property', name: 'id.description', head_text: 'Of the order.' },
      { kind: 'property', of: { parameter: 'tools', tool: 'find' }, name: 'description' },
    ]);
    expect(sent(side, lines, [0]).parameters).toEqual({
      tools: [
        {
          type: 'function',
          function: {
            ...described,
            parameters: { type: 'object', properties: { id: { type: 'string' } } },
          },
        },
      ],
    });
    expect(texts(linesOf(side, (text) => text !== 'Of the order.'))).toEqual(['Finds an order.']);
  });

  test('are only those that base lacks, sentence by sentence', () => {
    const base = sideOf([{ role: 'system', content: `  You help.\n${LONG}` }, ask]);
    const known = promptTexts(base);
    const head = sideOf([
      { role: 'system', content: `You help.\nSign as Ada.\n${LONG} Say goodbye at the end.` },
      ask,
    ]);
    const lines = linesOf(head, (text) => !known.has(text));
    expect(texts(lines)).toEqual(['Sign as Ada.', 'Say goodbye at the end.']);
  });

  test.each([
    ['code', { code: { source: 'x', language: 'python', place: { file: FILE, line: 2 } } }],
    ['code makes', { made: new Map() }],
  ])('do not exist if %s gives the messages', (words, own) => {
    const found = promptLines(
      sideOf([ask], {}, own as Partial<Prompt>),
      () => null,
      () => true,
    );
    expect(found.units === null && found.reason).toContain(words);
  });
});
