import { describe, expect, test } from '@jest/globals';
import { pairSuites } from '../../../src/select/pair.ts';
import { project, suite } from '../run/builders.ts';

const named = (file: string, name: string) => suite({ prompt: { file, name } });

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
      project([named('gone.yaml', 'gone')]),
      project([named('new.yaml', 'new')]),
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
});
