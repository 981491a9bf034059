import type { AffectedReference, SuiteSide } from '../../../src/kernel/select/affected-suite.ts';
import { createGeneration } from '../../../src/kernel/select/generation.ts';
import { createRandom, nextIndex, type Random } from '../../../src/kernel/statistics/random.ts';
import type { Prompt, Reference } from '../../../src/kernel/suite/suite.ts';
import { promptLines, promptTexts } from '../../../src/trials/line-units.ts';
import { promptChange } from '../../../src/trials/prompt-units.ts';
import { NOTHING_READ } from '../../../src/trials/side-files.ts';
import type { PromptText } from '../../../src/types/model.ts';
import type { Json } from '../../../src/types/plain.ts';

const REFERENCE: Reference = {
  id: 'one',
  place: { file: 'prompts/tests/p.yaml', line: 3 },
  input: { city: 'Oslo', days: 3 },
  thread: null,
  expected: 'x',
  skip: false,
  tags: [],
  n_tries: null,
  problem: null,
};

interface Side {
  messages?: PromptText[];
  code?: string;
  model?: string;
  parameters?: Record<string, Json>;
}

function side({ messages = [], code, model = 'gpt-4o', parameters = {} }: Side) {
  const prompt: Prompt = {
    file: 'prompts/p.yaml',
    name: 'p',
    model: code === undefined ? model : null,
    parameters,
    variables: [],
    messages: messages.map((message, i) => ({
      ...message,
      place: { file: 'prompts/p.yaml', line: 3 + i },
    })),
    code:
      code === undefined
        ? null
        : { source: code, language: 'python', place: { file: 'prompts/p.yaml', line: 3 } },
    places: {
      model: { file: 'prompts/p.yaml', line: 2 },
      temperature: { file: 'prompts/p.yaml', line: 9 },
    },
  };
  const target = { provider: 'openai', endpoint: null, model };
  return {
    suite: { prompt, tests: { own: null } },
    variant: { model: prompt.model, parameters, target: code === undefined ? target : null },
    scoring: { settingsFile: 'evaldiff.yaml' },
  } as unknown as SuiteSide;
}

function affected(base: SuiteSide, head: SuiteSide): AffectedReference {
  return {
    reference: REFERENCE,
    baseReference: REFERENCE,
    change: 'both',
    base: createGeneration(base.suite.prompt, base.variant, REFERENCE),
    head: createGeneration(head.suite.prompt, head.variant, REFERENCE),
  };
}

function change(base: SuiteSide, head: SuiteSide, file: readonly string[] = []) {
  const found = promptChange(base, head, () => file);
  if (found.units === null) throw new TypeError(found.reason);
  return found;
}

/** Removes the stored requests of base and head, so that evaldiff must compose both. */
const unknown = (reference: AffectedReference): AffectedReference => ({
  ...reference,
  base: null,
  head: null,
});

const LINES = ['You help in {city}.', 'Be brief.', '', 'Say how many {days} it takes.', 'Bye.'];
const MODELS = ['gpt-4o', 'gpt-4o-mini'];

function randomSide(random: Random): Side {
  const tools = ['search', 'refund', 'mail'].slice(nextIndex(random, 3));
  const parameters: Record<string, Json>[] = [
    {},
    { temperature: 0 },
    { temperature: 0.7, tools: tools.map((name) => ({ name, limit: nextIndex(random, 2) })) },
  ];
  return {
    model: MODELS[nextIndex(random, 2)] ?? '',
    parameters: parameters[nextIndex(random, 3)] ?? {},
    messages: Array.from({ length: nextIndex(random, 3) + 1 }, (_, i) => ({
      role: i === 0 && nextIndex(random, 2) === 0 ? 'system' : 'user',
      content: Array.from(
        { length: nextIndex(random, 5) + 1 },
        () => LINES[nextIndex(random, 5)],
      ).join('\n'),
    })),
  };
}

describe('the parts (units) that a change of a prompt is split into', () => {
  test("give head's request when all are applied, and base's when none is", () => {
    const random = createRandom('prompts');
    for (let round = 0; round < 400; round += 1) {
      const [base, head] = [side(randomSide(random)), side(randomSide(random))];
      const { units, generation } = change(base, head);
      const one = affected(base, head);
      const all = new Set(units.keys());
      expect(generation(unknown(one), all)).toEqual(one.head);
      expect(generation(unknown(one), new Set())).toEqual(one.base);
    }
  });

  test('are individual lines, parameters, tools and the model, with their files and lines', () => {
    const base = side({ messages: [{ role: 'system', content: 'You help.\nBe polite.' }] });
    const head = side({
      model: 'gpt-4o-mini',
      parameters: { temperature: 0.7, tools: [{ name: 'search' }] },
      messages: [
        { role: 'system', content: 'You help.\nBe curt.' },
        { role: 'user', content: 'Where?' },
      ],
    });
    const text = '    You help.\n    Be curt.';
    const file = ['name: p', 'model: m', 'messages:', '  content: |', ...text.split('\n')];
    const { units, generation } = change(base, head, file);
    expect(
      units.map(({ kind, name, lines, base_text, head_text }) => [
        kind,
        name,
        lines.from,
        base_text,
        head_text,
      ]),
    ).toEqual([
      ['model', null, 2, 'gpt-4o', 'gpt-4o-mini'],
      ['parameter', 'temperature', 9, null, '0.7'],
      ['tool', 'search', 0, null, '{"name":"search"}'],
      ['line', null, 6, 'Be polite.', 'Be curt.'],
      ['message', 'user', 4, null, 'Where?'],
    ]);
    const asked = generation(affected(base, head), new Set([1, 3]));
    expect(asked).toMatchObject({
      target: { model: 'gpt-4o' },
      parameters: { temperature: 0.7 },
      messages: [{ role: 'system', content: 'You help.\nBe curt.' }],
    });
  });

  test('include parts of both messages and code if the prompt has both', () => {
    const messages = (content: string): PromptText[] => [{ role: 'user', content }];
    const base = side({ messages: messages('Where?'), code: 'output = 1' });
    const head = side({ messages: messages('When?'), code: 'output = 2' });
    const { units, body } = change(base, head);
    expect(units.map(({ kind, head_text }) => [kind, head_text])).toEqual([
      ['line', 'When?'],
      ['hunk', 'output = 2'],
    ]);
    expect(body(new Set([1]))).toMatchObject({
      messages: [{ content: 'Where?' }],
      code: { source: 'output = 2' },
    });
  });

  test('are hunks if the prompt is code', () => {
    const base = side({ code: 'a = 1\nb = 2\nc = 3\nd = 4\noutput = a' });
    const head = side({ code: 'a = 2\nb = 2\nc = 3\nd = 5\ne = 6\noutput = a' });
    const { units, generation } = change(base, head);
    expect(units.map(({ kind, head_text }) => [kind, head_text])).toEqual([
      ['hunk', 'a = 2'],
      ['hunk', 'd = 5\ne = 6'],
    ]);
    expect(generation(affected(base, head), new Set([1]))).toMatchObject({
      code: 'a = 1\nb = 2\nc = 3\nd = 5\ne = 6\noutput = a',
    });
  });

  test('are null with a reason if one side has messages and the other has code', () => {
    const base = side({ messages: [{ role: 'user', content: 'Hi' }] });
    expect(promptChange(base, side({ code: 'output = 1' }), () => null)).toEqual({
      units: null,
      reason: 'one side sends messages and the other runs code',
    });
  });

  test('are null with a reason if each reference has its own messages', () => {
    const base = side({ messages: [{ role: 'user', content: 'Hi' }] });
    const head = side({ messages: [{ role: 'user', content: 'Ho' }] });
    const made: SuiteSide = {
      ...head,
      suite: { ...head.suite, prompt: { ...head.suite.prompt, made: new Map() } },
    };
    expect(promptChange(base, made, () => null)).toEqual({
      units: null,
      reason: 'its messages are generated for each reference',
    });
  });

  test('point to the settings file for a swept value, and to the defaults file for a default value', () => {
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    const base = side({ messages, parameters: { temperature: 0 } });
    const swept: SuiteSide = {
      ...base,
      variant: { ...base.variant, model: 'gpt-5', parameters: { temperature: 1 } },
    };
    expect(change(base, swept).units).toMatchObject([
      { kind: 'model', file: 'evaldiff.yaml', lines: { from: 0 } },
      { name: 'temperature', file: 'evaldiff.yaml', lines: { from: 0 } },
    ]);
    const from = (file: string, value: number): SuiteSide => {
      const own = side({ messages, parameters: { temperature: value } });
      const places = { ...own.suite.prompt.places, temperature: { file, line: 2 } };
      return { ...own, suite: { ...own.suite, prompt: { ...own.suite.prompt, places } } };
    };
    // Base sets the value in a defaults file; head does not set it.
    expect(change(from('shared/a.yaml', 1), side({ messages })).units).toMatchObject([
      { side: 'base', file: 'shared/a.yaml', lines: { from: 2 }, head: { file: 'prompts/p.yaml' } },
    ]);
  });

  test("insert base's value where head renamed a variable", () => {
    const base = side({ messages: [{ role: 'user', content: 'In {town}:\nAnswer.' }] });
    const head = side({ messages: [{ role: 'user', content: 'In {city}:\nReply.' }] });
    const one: AffectedReference = {
      ...affected(base, head),
      baseReference: { ...REFERENCE, input: { town: 'Bergen' } },
    };
    const { units, generation } = change(base, head);
    expect(units).toHaveLength(2);
    expect(generation(one, new Set([1]))).toMatchObject({
      messages: [{ content: 'In Bergen:\nReply.' }],
    });
  });
});

describe('the lines of a prompt that can be taken away', () => {
  const ask: PromptText = { role: 'user', content: '{city}' };
  const system = (content: string): PromptText => ({ role: 'system', content });

  /** The parts, and the request without some of them. */
  function lines(messages: PromptText[], parameters: Record<string, Json> = {}, known = '') {
    const head = side({ messages, parameters });
    const texts = promptTexts(side({ messages: [system(known)] }));
    const file = ['', '', ...messages.flatMap(({ content }) => content.split('\n'))];
    const found = promptLines(
      head,
      { ...NOTHING_READ, lines: () => file },
      (text) => !texts.has(text),
    );
    if (found.units === null) throw new TypeError(found.reason);
    const { units, generation } = found;
    return {
      units: units.map(({ kind, head_text, lines: at }) => [kind, head_text, at.from]),
      without(...away: number[]) {
        const kept = [...units.keys()].filter((unit) => !away.includes(unit));
        const made = generation(affected(head, head), new Set(kept));
        if (made.kind !== 'request') throw new TypeError(made.kind);
        return { ...made, texts: made.messages.map(({ content }) => content) };
      },
    };
  }

  test('are lines and sentences of long lines; a message without text is left out', () => {
    const long = `${'Answer shortly unless the user asks for very much more. '.repeat(2)}Never lie about it.`;
    const { units, without } = lines([system(`You help.\n\n${long}`), ask]);
    expect(units.map(([kind, , from]) => [kind, from])).toEqual([
      ['line', 3],
      ...[5, 5, 5].map((line) => ['sentence', line]),
    ]);
    expect(without(1, 2).texts).toEqual(['You help.\n\nNever lie about it.', 'Oslo']);
    expect(without(0).texts[0]).toBe(long);
    expect(without(0, 1, 2, 3).texts).toEqual(['Oslo']);
    expect(without().texts).toEqual([`You help.\n\n${long}`, 'Oslo']);
  });

  test('are not lines that insert an input, template blocks, or all of the last message', () => {
    const block = 'One.\n{% for item in items %}\nTwo.\n{% endfor %}\nIn {city}.\nThree.';
    expect(lines([system(block), ask]).units.map(([, text]) => text)).toEqual(['One.', 'Three.']);
    const last = lines([{ role: 'user', content: 'Write a poem.\nMake it rhyme.' }]);
    expect(last.units.map(([, text]) => text)).toEqual(['Write a poem.']);
  });

  test('are examples with their answers, and descriptions in parameters', () => {
    const schema = { properties: { id: { type: 'string', description: 'Of the order.' } } };
    const { units, without } = lines(
      [
        system('Name it.'),
        { role: 'user', content: 'Paris' },
        { role: 'assistant', content: 'France' },
        ask,
      ],
      { tools: [{ name: 'find', input_schema: schema }] },
    );
    expect(units.map(([kind, text]) => [kind, text])).toEqual([
      ['property', 'Of the order.'],
      ['line', 'Name it.'],
      ['message', 'Paris\nFrance'],
    ]);
    const made = without(0, 2);
    expect(made.texts).toEqual(['Name it.', 'Oslo']);
    const bare = { properties: { id: { type: 'string' } } };
    expect(made.parameters).toEqual({ tools: [{ name: 'find', input_schema: bare }] });
  });

  test('are in a comparison only those that base lacks', () => {
    const { units } = lines([system('You help.\nSign as Ada.'), ask], {}, '  You help.\n\nBye.');
    expect(units).toEqual([['line', 'Sign as Ada.', 4]]);
  });
});
