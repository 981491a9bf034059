import { formatProblem } from '../../../../src/errors.ts';
import {
  attributesSchema,
  pinnedFor,
  readAttributes,
  taskFor,
  writeAttributes,
} from '../../../../src/features/attributes/file.ts';
import { foldName, withIds } from '../../../../src/features/attributes/text.ts';
import fc, { forAll } from '../../../fuzz.ts';

const [A, B] = ['prompts/a.yaml', 'prompts/b.yaml'];
const sized = (references: number, path = A) => ({ path, references });
const prompts = [sized(40), sized(10, B)];
const read = (text: string, sizes = prompts, most = 15) =>
  readAttributes('evaldiff.attributes.yaml', `${text}\n`, sizes, most);

function good(text: string, sizes = prompts) {
  const reading = read(text, sizes);
  if (!reading.ok) throw new Error(reading.problems.map(formatProblem).join('\n'));
  return reading.value;
}

function problems(text: string, sizes = prompts, most = 15) {
  const reading = read(text, sizes, most);
  const found = reading.ok ? [] : reading.problems.map(formatProblem);
  return found.map((problem) => problem.replace('evaldiff.attributes.yaml', ''));
}

describe('attributes file', () => {
  test('sets attributes with explanations, and how far the size of each attribute may deviate (slack)', () => {
    const pinned = good(
      'slack: 0.2\ndomains:\n  - { name: Late parcels, explanation: The parcel is late. }\nsubtasks:\n  - name: Late parcels\n  - { name: "Größe prüfen" }',
    );
    const late = { kind: 'domain', name: 'Late parcels', explanation: 'The parcel is late.' };
    const subtask = { kind: 'subtask', explanation: '' };
    expect(pinned).toEqual({
      slack: 0.2,
      unused: [],
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

  test('reports listed prompts that do not exist', () => {
    const { unused } = good(
      'domains: [{ name: Sums }]\nprompts:\n  prompts/A.yaml:\n    domains: [{ name: Add }]',
    );
    const place = { file: 'evaldiff.attributes.yaml', line: 3 };
    expect(unused).toEqual([{ path: 'prompts/A.yaml', place }]);
  });

  const SLACK = ':1: slack must be a number from 0 to 1';
  test.each([
    [
      'duplicate names in any spelling',
      'domains:\n  - name: Late parcels\n  - name: Refunds\n  - name: LATE-parcels',
      [
        ':4: "LATE-parcels" is the same name as "Late parcels" in line 2; upper case, spaces and hyphens are ignored',
      ],
    ],
    [
      'empty names',
      'subtasks:\n  - name: ""\n  - name: "  "\n  - explanation: x',
      [
        ':2: subtasks[0].name must not be empty',
        ':4: subtasks[2]: "name" is missing',
        ':3: the name "  " is empty; name the attribute in words',
      ],
    ],
    ['a slack above 1', 'slack: 1.1\ndomains: [{ name: a }]', [SLACK]],
    ['a slack below 0', 'slack: -0.1\ndomains: [{ name: a }]', [SLACK]],
    ['a slack that is text', 'slack: "0.1"\ndomains: [{ name: a }]', [SLACK]],
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
      'slack: 0.1',
      [
        ': has no attributes; list some under domains or subtasks, or delete the file to discover them',
      ],
    ],
    [
      'a name that is too long',
      `domains: [{ name: ${'x'.repeat(81)} }]`,
      [':1: the name is 81 characters long; the limit is 80'],
    ],
    [
      'two documents',
      'domains: [{ name: a }]\n---\nx: 1',
      [expect.stringContaining(':2:') as unknown as string],
    ],
  ])('is an error with %s', (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  const list = (count: number, indent = '') =>
    Array.from({ length: count }, (_, i) => `${indent}  - name: kind ${i}\n`).join('');
  const shared = (count: number) => `domains:\n${list(count)}`;
  const own = (count: number) => `prompts:\n  ${B}:\n    domains:\n${list(count, '    ')}`;
  const many = (line: number, count: number, references: number, rule: string, limit: number) =>
    `:${line}: ${count} domains are more than ${references} references allow: at most min(${rule}) = ${limit}, so that each has four references on average. Remove some, or add references`;

  test.each([
    ['15 for 40', shared(15), [], prompts, 15],
    ['16 for 40', shared(16), [many(17, 16, 40, '15, ⌊2 × 40 / 4⌋', 15)], prompts, 15],
    ['5 for 10', shared(5), [], [sized(10)], 15],
    ['6 for 10', shared(6), [many(7, 6, 10, '15, ⌊2 × 10 / 4⌋', 5)], [sized(10)], 15],
    ['4 for 40 with at most 3', shared(4), [many(5, 4, 40, '3, ⌊2 × 40 / 4⌋', 3)], prompts, 3],
    ['9 for 7, which have no attributes', shared(9), [], [sized(7)], 15],
    ["5 for a prompt's own 10", own(5), [], prompts, 15],
    ["6 for a prompt's own 10", own(6), [many(9, 6, 10, '15, ⌊2 × 10 / 4⌋', 5)], prompts, 15],
  ])(
    'limits the number of attributes by the number of references: %s',
    (_, text, expected, sizes, most) => {
      expect(problems(text, sizes, most).slice(0, 1)).toEqual(expected);
    },
  );

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
      const sizes = [sized(60), sized(60, 'b: [c].yaml')];
      const several = good(writeAttributes([first, second]), sizes);
      expect(pinnedFor(several, A)).toEqual(one);
      expect(pinnedFor(several, 'b: [c].yaml')).toEqual(other);
      expect([A, 'b: [c].yaml'].map((path) => taskFor(several, path))).toEqual(['It sums.', null]);
    });
  });

  test('matches its schema', () => {
    const domains = [{ name: 'a', explanation: 'b' }];
    const ofPrompt = { 'p.yaml': { subtasks: [{ name: 'c' }] } };
    const fits = (value: unknown) => attributesSchema().safeParse(value).success;
    expect(fits({ slack: 0.1, domains, prompts: ofPrompt })).toBe(true);
    expect(fits({ slack: 2 })).toBe(false);
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
