import { formatProblem } from '../../../../src/errors.ts';
import {
  attributesSchema,
  pinnedFor,
  taskFor,
  writeAttributes,
} from '../../../../src/features/attributes/file.ts';
import { foldName, withIds } from '../../../../src/features/attributes/text.ts';
import fc, { forAll } from '../../../fuzz.ts';
import { readAttributes } from '../../../stand-ins/attributes-file.ts';

const [A, B] = ['prompts/a.yaml', 'prompts/b.yaml'];
const read = (text: string) => readAttributes('evaldiff.attributes.yaml', `${text}\n`);

function good(text: string) {
  const reading = read(text);
  if (!reading.ok) throw new Error(reading.problems.map(formatProblem).join('\n'));
  return reading.value;
}

function problems(text: string) {
  const reading = read(text);
  const found = reading.ok ? [] : reading.problems.map(formatProblem);
  return found.map((problem) => problem.replace('evaldiff.attributes.yaml', ''));
}

describe('attributes file', () => {
  test('sets attributes with explanations', () => {
    const pinned = good(
      'domains:\n  - { name: Late parcels, explanation: The parcel is late. }\nsubtasks:\n  - name: Late parcels\n  - { name: "Größe prüfen" }',
    );
    const late = { kind: 'domain', name: 'Late parcels', explanation: 'The parcel is late.' };
    const subtask = { kind: 'subtask', explanation: '' };
    expect(pinned).toEqual({
      places: new Map(),
      tasks: new Map([['', '']]),
      byPrompt: new Map(),
      shared: [
        { id: 'domain-late-parcels', ...late },
        { id: 'subtask-late-parcels', ...subtask, name: 'Late parcels' },
        { id: 'subtask-größe-prüfen', ...subtask, name: 'Größe prüfen' },
      ],
    });
  });

  test('can list attributes of one prompt, which replace the shared ones', () => {
    const pinned = good(
      `domains: [{ name: Sums }]\nprompts:\n  ${B}:\n    subtasks: [{ name: Add }]`,
    );
    expect(pinnedFor(pinned, A).map(({ name }) => name)).toEqual(['Sums']);
    expect(pinnedFor(pinned, B).map(({ name }) => name)).toEqual(['Add']);
  });

  test.each([
    [
      'duplicate names in any spelling',
      'domains:\n  - name: Late parcels\n  - name: Refunds\n  - name: LATE-parcels',
      [
        ':4: domains[2].name: is the same name as "Late parcels"; upper case, spaces and hyphens are ignored',
      ],
    ],
    [
      'empty names',
      'subtasks:\n  - name: ""\n  - name: "  "\n  - explanation: x',
      [
        ':2: subtasks[0].name must name the attribute in words',
        ':3: subtasks[1].name must name the attribute in words',
        ':4: subtasks[2]: "name" is missing',
      ],
    ],
    [
      'unknown keys',
      'domain: [{ name: a }]',
      [':1: unknown key "domain"; did you mean "domains"?'],
    ],
    [
      'unknown keys of an attribute',
      'domains: [{ name: a, explain: b }]',
      [':1: unknown key "explain" in domains[0]; known are name, explanation'],
    ],
    [
      'names as a list',
      'domains: [a, b]',
      [':1: domains[0] must be a map', ':1: domains[1] must be a map'],
    ],
    [
      'no attributes',
      'task: It sums.',
      [
        ': has no attributes; list some under domains or subtasks, or delete the file to discover them',
      ],
    ],
    [
      'a name that is too long',
      `domains: [{ name: ${'x'.repeat(81)} }]`,
      [':1: domains[0].name must have at most 80 characters'],
    ],
    [
      'two documents',
      'domains: [{ name: a }]\n---\nx: 1',
      [expect.stringContaining(':2:') as unknown as string],
    ],
  ])('is an error with %s', (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  test('gives the same attributes when written and read again, for one or several prompts', () => {
    const hidden = /[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u;
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter((name) => foldName(name) !== '' && !hidden.test(name));
    const kind = fc.constantFrom('domain', 'subtask');
    const attributes = fc
      .uniqueArray(fc.record({ kind, name: text, explanation: text }), {
        minLength: 1,
        maxLength: 12,
        selector: ({ kind: of, name }) => `${of} ${foldName(name)}`,
      })
      .map((all) =>
        withIds([...all].sort((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0))),
      );
    forAll([attributes, attributes], (one, other) => {
      const [first, second] = [
        { path: A, task: 'It sums.', attributes: one },
        { path: 'b: [c].yaml', task: null, attributes: other },
      ];
      const alone = good(writeAttributes([first]));
      expect([alone.shared, taskFor(alone, A)]).toEqual([one, 'It sums.']);
      const several = good(writeAttributes([first, second]));
      expect(pinnedFor(several, A)).toEqual(one);
      expect(pinnedFor(several, 'b: [c].yaml')).toEqual(other);
      expect([A, 'b: [c].yaml'].map((path) => taskFor(several, path))).toEqual(['It sums.', null]);
    });
  });

  test('matches its schema', () => {
    const domains = [{ name: 'a', explanation: 'b' }];
    const ofPrompt = { 'p.yaml': { subtasks: [{ name: 'c' }] } };
    const fits = (value: unknown) => attributesSchema.safeParse(value).success;
    expect(fits({ domains, prompts: ofPrompt })).toBe(true);
    expect(fits({ domain: [] })).toBe(false);
  });
});

test('withIds returns unique, readable ids for similar names', () => {
  const names = ['C', 'C++', 'C#', '日本語', '🎉', '🎈', 'x'.repeat(60)];
  const all = names.map((name) => ({ kind: 'domain' as const, name, explanation: '' }));
  expect(withIds(all).map(({ id }) => id.replace('domain', ''))).toEqual([
    '-c',
    '-c.2',
    '-c.3',
    '-日本語',
    '.1',
    '.2',
    `-${'x'.repeat(40)}`,
  ]);
});
