import { describe, expect, test } from '@jest/globals';
import { pairReferences, pairSuites } from '../../../../src/kernel/select/pair.ts';
import { project, reference, suite } from '../../app/run/builders.ts';

const named = (file: string, name: string) => suite({ prompt: { file, name } });

const asking = (file: string, name: string, questions: string[], variable = 'q') =>
  suite({
    prompt: { file, name },
    tests: {
      references: questions.map((text) => reference(text, { input: { [variable]: text } })),
    },
  });

describe('pairing the suites of two commits', () => {
  test('finds a suite at the same path although its name changed', () => {
    const [pair] = pairSuites(project([named('a.yaml', 'old')]), project([named('a.yaml', 'new')]));
    expect([pair?.base?.prompt.name, pair?.head?.prompt.name]).toEqual(['old', 'new']);
  });

  test('follows a renamed file by its name', () => {
    const pairs = pairSuites(
      project([named('a.yaml', 'math')]),
      project([named('b.yaml', 'math')]),
    );
    expect(pairs).toHaveLength(1);
    expect(pairs[0]?.base?.prompt.file).toBe('a.yaml');
  });

  test('follows a prompt whose file and name both change by what its references ask', () => {
    const pairs = pairSuites(
      project([asking('a.yaml', 'a', ['x']), asking('support.yaml', 'support', ['1', '2', '3'])]),
      project([
        asking('desk.yaml', 'desk', ['3', '2', 'new'], 'question'),
        asking('other.yaml', 'other', ['4']),
      ]),
    );
    expect(pairs.map(({ base, head }) => [base?.prompt.name, head?.prompt.name])).toEqual([
      ['support', 'desk'],
      [undefined, 'other'],
      ['a', undefined],
    ]);
  });

  test('takes the one that asks most of the same, and none that asks less than half or nothing', () => {
    const pairs = pairSuites(
      project([
        asking('a.yaml', 'a', ['1', '2', '3', '4']),
        asking('b.yaml', 'b', ['5', '6', '7']),
        suite({
          prompt: { file: 'c.yaml', name: 'c' },
          tests: { references: [reference('x', { input: {} })] },
        }),
      ]),
      project([
        asking('d.yaml', 'd', ['1', '2']),
        asking('e.yaml', 'e', ['1', '2', '3']),
        asking('f.yaml', 'f', ['5']),
        suite({
          prompt: { file: 'g.yaml', name: 'g' },
          tests: { references: [reference('x', { input: {} })] },
        }),
      ]),
    );
    expect(pairs.map(({ base, head }) => [base?.prompt.name, head?.prompt.name])).toEqual([
      [undefined, 'd'],
      ['a', 'e'],
      [undefined, 'f'],
      [undefined, 'g'],
      ['b', undefined],
      ['c', undefined],
    ]);
  });

  test('holds a prompt of a renamed file against the one with its text, and leaves known files alone', () => {
    const of = (file: string, name: string, content: string) =>
      suite({
        prompt: { file, name, messages: [{ role: 'user', content, place: { file, line: 1 } }] },
        tests: { references: [reference('r', { input: { q: 'x' } })] },
      });
    const base = [of('one.yaml', '1', 'a'), of('one.yaml', '2', 'b'), of('kept.yaml', 'k', 'c')];
    const renamed = ['new', 'a', 'b'].map((text, at) => of('two.yaml', `two ${String(at)}`, text));
    const kept = [of('kept.yaml', 'k', 'c'), of('kept.yaml', 'k2', 'd')];
    const pairs = pairSuites(project(base), project([...renamed, ...kept]));
    expect(pairs.map(({ base: before, head }) => [before?.prompt.name, head?.prompt.name])).toEqual(
      [
        [undefined, 'two 0'],
        ['1', 'two 1'],
        ['2', 'two 2'],
        ['k', 'k'],
        [undefined, 'k2'],
      ],
    );
  });

  test('prefers the path where a name has moved to another file', () => {
    const pairs = pairSuites(
      project([named('a.yaml', 'x'), named('b.yaml', 'y')]),
      project([named('b.yaml', 'x')]),
    );
    expect(pairs.map(({ base, head }) => [base?.prompt.file, head?.prompt.file])).toEqual([
      ['b.yaml', 'b.yaml'],
      ['a.yaml', undefined],
    ]);
  });

  test('leaves one side empty for what was added or removed, and everything is new without a base', () => {
    const pairs = pairSuites(
      project([asking('gone.yaml', 'gone', ['1'])]),
      project([asking('new.yaml', 'new', ['2'])]),
    );
    expect(pairs.map(({ base, head }) => [base?.prompt.name, head?.prompt.name])).toEqual([
      [undefined, 'new'],
      ['gone', undefined],
    ]);
    expect(pairSuites(null, project([named('a.yaml', 'a')]))[0]?.base).toBeNull();
  });

  test('several of one file by their names, whatever their order', () => {
    const of = (name: string) => suite({ prompt: { file: 'promptfooconfig.yaml', name } });
    const pairs = pairSuites(
      project([of('a'), of('b'), of('c')]),
      project([of('c'), of('b'), of('new')]),
    );
    expect(pairs.map(({ base, head }) => [base?.prompt.name, head?.prompt.name])).toEqual([
      ['c', 'c'],
      ['b', 'b'],
      ['a', 'new'],
    ]);
  });

  const variant = (text: string, model: string, name: string) =>
    suite({
      prompt: {
        file: 'promptfooconfig.yaml',
        name,
        model,
        messages: [
          { role: 'user', content: text, place: { file: 'promptfooconfig.yaml', line: 1 } },
        ],
      },
    });
  const pairsOf = (base: ReturnType<typeof variant>[], head: ReturnType<typeof variant>[]) =>
    pairSuites(project(base), project(head)).map(({ base: before, head: after }) => [
      before?.prompt.name,
      after?.prompt.name,
    ]);

  test('a provider that is added is compared with nothing, although every name changes', () => {
    const texts = ['chat', 'a', 'b'];
    expect(
      pairsOf(
        texts.map((text) => variant(text, 'gpt-4o', text)),
        texts.flatMap((text) =>
          ['gpt-4o', 'gpt-4o-mini'].map((model) => variant(text, model, `${text} (${model})`)),
        ),
      ),
    ).toEqual([
      ['chat', 'chat (gpt-4o)'],
      [undefined, 'chat (gpt-4o-mini)'],
      ['a', 'a (gpt-4o)'],
      [undefined, 'a (gpt-4o-mini)'],
      ['b', 'b (gpt-4o)'],
      [undefined, 'b (gpt-4o-mini)'],
    ]);
  });

  test('a prompt put before others shifts their names and not what they are compared with', () => {
    expect(
      pairsOf(
        [variant('one', 'm', 'config 1'), variant('two', 'm', 'config 2')],
        [
          variant('new', 'm', 'config 1'),
          variant('one', 'm', 'config 2'),
          variant('two', 'm', 'config 3'),
        ],
      ),
    ).toEqual([
      [undefined, 'config 1'],
      ['config 1', 'config 2'],
      ['config 2', 'config 3'],
    ]);
  });

  test('a changed text is known by its name, a changed model by its text', () => {
    expect(
      pairsOf(
        [variant('one', 'm', 'a (m)'), variant('one', 'n', 'a (n)')],
        [variant('ONE', 'm', 'a (m)'), variant('ONE', 'n', 'a (n)')],
      ),
    ).toEqual([
      ['a (m)', 'a (m)'],
      ['a (n)', 'a (n)'],
    ]);
    expect(
      pairsOf(
        [variant('one', 'm', 'a (m)'), variant('one', 'n', 'a (n)')],
        [variant('one', 'm', 'a (m)'), variant('one', 'o', 'a (o)')],
      ),
    ).toEqual([
      ['a (m)', 'a (m)'],
      ['a (n)', 'a (o)'],
    ]);
  });
});

describe('pairing the references of a suite', () => {
  const pairs = (...sides: Parameters<typeof pairReferences>) =>
    [...pairReferences(...sides)].map(([head, base]) => [head.id, base.id]);

  test('of several that ask the same takes the one that expects the same', () => {
    const asks = (id: string, expected: string) => reference(id, { input: { q: 'x' }, expected });
    expect(pairs([asks('h', 'A'), asks('h-2', 'B')], [asks('h', 'B')])).toEqual([['h', 'h-2']]);
  });

  test('keeps ids where what is expected changes too', () => {
    const asks = (id: string, expected: string) => reference(id, { input: { q: 'x' }, expected });
    expect(pairs([asks('a', 'A'), asks('b', 'B')], [asks('b', '2'), asks('a', '1')])).toEqual([
      ['b', 'b'],
      ['a', 'a'],
    ]);
  });

  test('follows a recorded dialogue by what its user says, whatever is answered', () => {
    const said = (id: string, question: string, answer: string) =>
      reference(id, {
        input: {},
        thread: [
          { role: 'user', content: question },
          { role: 'assistant', content: answer },
        ],
      });
    expect(
      pairs(
        [said('1', 'Hours?', 'Nine to five.'), said('2', 'Refund?', 'Yes.')],
        [said('3', 'Refund?', 'No.'), said('4', 'New?', 'No.')],
      ),
    ).toEqual([['3', '2']]);
  });
});
