import { pairReferences, pairSuites } from '../../../../src/kernel/select/pair.ts';
import type { Suite } from '../../../../src/kernel/suite/suite.ts';
import { reference, suite } from '../../app/run/builders.ts';

const named = (file: string, name: string) => suite({ prompt: { file, name } });
const asking = (name: string, questions: string[], variable = 'q') =>
  suite({
    prompt: { file: `${name}.yaml`, name },
    tests: { references: questions.map((q) => reference(q, { input: { [variable]: q } })) },
  });
/** A suite whose prompt has this text, with one reference. */
const saying = (content: string, name: string, file = 'config.yaml', model = 'gpt-4o') =>
  suite({
    prompt: { file, name, model, messages: [{ role: 'user', content, place: { file, line: 1 } }] },
    tests: { references: [reference('r', { input: { q: 'x' } })] },
  });
const blank = (name: string) =>
  suite({
    prompt: { file: `${name}.yaml`, name },
    tests: { references: [reference('x', { input: {} })] },
  });
const pairsOf = (base: Suite[], head: Suite[]) => {
  const found = pairSuites(base, head);
  const known = new Set(found.values());
  const words = (before: Suite | undefined, after: Suite | undefined) =>
    `${before?.prompt.name ?? ''} → ${after?.prompt.name ?? ''}`.trim();
  return [
    ...head.map((suite) => words(found.get(suite), suite)),
    ...base.filter((suite) => !known.has(suite)).map((suite) => words(suite, undefined)),
  ];
};
const byModel = (text: string, model: string, name: string) =>
  saying(text, name, 'config.yaml', model);

describe('pairSuites', () => {
  const texts = ['chat', 'a', 'b'];
  const renamed = ['new', 'a', 'b'].map((text, at) => saying(text, `two ${at}`, 'two.yaml'));
  const [kept, kept2] = [saying('c', 'k', 'kept.yaml'), saying('d', 'k2', 'kept.yaml')];

  test.each([
    [
      'matches a suite by path if its name changed',
      [named('a.yaml', 'old')],
      [named('a.yaml', 'new')],
      ['old → new'],
    ],
    [
      'matches a prompt by name if its file was renamed',
      [named('a.yaml', 'math')],
      [named('b.yaml', 'math')],
      ['math → math'],
    ],
    [
      'matches a prompt by its references if file and name changed',
      [asking('a', ['x']), asking('support', ['1', '2', '3'])],
      [asking('desk', ['3', '2', 'new'], 'question'), asking('other', ['4'])],
      ['support → desk', '→ other', 'a →'],
    ],
    [
      'picks the suite with most shared references, at least half of them',
      [asking('a', ['1', '2', '3', '4']), asking('b', ['5', '6', '7']), blank('c')],
      [asking('d', ['1', '2']), asking('e', ['1', '2', '3']), asking('f', ['5']), blank('g')],
      ['→ d', 'a → e', '→ f', '→ g', 'b →', 'c →'],
    ],
    [
      'matches prompts of a renamed file by text, and leaves other files alone',
      [saying('a', '1', 'one.yaml'), saying('b', '2', 'one.yaml'), kept],
      [...renamed, kept, kept2],
      ['→ two 0', '1 → two 1', '2 → two 2', 'k → k', '→ k2'],
    ],
    [
      'prefers the path over a name that moved to another file',
      [named('a.yaml', 'x'), named('b.yaml', 'y')],
      [named('b.yaml', 'x')],
      ['y → x', 'x →'],
    ],
    [
      'leaves one side empty for an added or removed prompt',
      [asking('gone', ['1'])],
      [asking('new', ['2'])],
      ['→ new', 'gone →'],
    ],
    [
      'matches several prompts of one file by name in any order',
      ['a', 'b', 'c'].map((name) => named('config.yaml', name)),
      ['c', 'b', 'new'].map((name) => named('config.yaml', name)),
      ['c → c', 'b → b', 'a → new'],
    ],
    [
      'leaves an added provider unpaired although every name changed',
      texts.map((text) => byModel(text, 'gpt-4o', text)),
      texts.flatMap((text) =>
        ['gpt-4o', 'mini'].map((model) => byModel(text, model, `${text} (${model})`)),
      ),
      texts.flatMap((text) => [`${text} → ${text} (gpt-4o)`, `→ ${text} (mini)`]),
    ],
    [
      'matches prompts whose numbered names shifted after an insertion',
      ['one', 'two'].map((text, at) => byModel(text, 'm', `config ${at + 1}`)),
      ['new', 'one', 'two'].map((text, at) => byModel(text, 'm', `config ${at + 1}`)),
      ['→ config 1', 'config 1 → config 2', 'config 2 → config 3'],
    ],
    [
      'matches a prompt by name if its text changed',
      [byModel('one', 'm', 'a (m)'), byModel('one', 'n', 'a (n)')],
      [byModel('ONE', 'm', 'a (m)'), byModel('ONE', 'n', 'a (n)')],
      ['a (m) → a (m)', 'a (n) → a (n)'],
    ],
    [
      'matches a prompt by text if its model changed',
      [byModel('one', 'm', 'a (m)'), byModel('one', 'n', 'a (n)')],
      [byModel('one', 'm', 'a (m)'), byModel('one', 'o', 'a (o)')],
      ['a (m) → a (m)', 'a (n) → a (o)'],
    ],
  ])('finds the expected pairs: it %s', (_, base, head, pairs) => {
    expect(pairsOf(base, head)).toEqual(pairs);
  });

  test('returns no pairs without a base', () =>
    expect(pairSuites([], [named('a.yaml', 'a')]).size).toBe(0));
});

describe('pairReferences', () => {
  const asks = (id: string, expected: string) => reference(id, { input: { q: 'x' }, expected });
  const said = (id: string, question: string, answer: string) =>
    reference(id, {
      input: {},
      thread: [
        { role: 'user', content: question },
        { role: 'assistant', content: answer },
      ],
    });
  type References = Parameters<typeof pairReferences>[0];

  test.each<[string, References, References, string[]]>([
    [
      'prefers the same expected value among references with equal inputs',
      [asks('h', 'A'), asks('h-2', 'B')],
      [asks('h', 'B')],
      ['h → h-2'],
    ],
    [
      'matches by id if the expected values changed too',
      [asks('a', 'A'), asks('b', 'B')],
      [asks('b', '2'), asks('a', '1')],
      ['b → b', 'a → a'],
    ],
    [
      'matches a recorded dialogue by its user messages',
      [said('1', 'Hours?', 'Nine to five.'), said('2', 'Refund?', 'Yes.')],
      [said('3', 'Refund?', 'No.'), said('4', 'New?', 'No.')],
      ['3 → 2'],
    ],
  ])('finds the expected pairs: it %s', (_, base, head, pairs) => {
    const found = [...pairReferences(base, head)];
    expect(found.map(([after, before]) => `${after.id} → ${before.id}`)).toEqual(pairs);
  });
});
