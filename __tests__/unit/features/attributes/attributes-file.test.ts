import { describe, expect, test } from '@jest/globals';
import { formatProblem } from '../../../../src/errors.ts';
import {
  attributesSchema,
  pinnedFor,
  readAttributes,
  writeAttributes,
  type PinnedAttributes,
} from '../../../../src/features/attributes/file.ts';
import { foldName, withIds } from '../../../../src/features/attributes/text.ts';
import fc from '../../../fuzz.ts';

const prompts = [
  { path: 'prompts/a.yaml', references: 40 },
  { path: 'prompts/b.yaml', references: 10 },
];
const read = (lines: string[], sizes = prompts, most = 15) =>
  readAttributes('evaldiff.attributes.yaml', `${lines.join('\n')}\n`, sizes, most);

function good(lines: string[], sizes = prompts): PinnedAttributes {
  const reading = read(lines, sizes);
  if (!reading.ok) throw new Error(reading.problems.map(formatProblem).join('\n'));
  return reading.value;
}

function problems(lines: string[], sizes = prompts, most = 15): string[] {
  const reading = read(lines, sizes, most);
  return reading.ok
    ? []
    : reading.problems.map((problem) =>
        formatProblem(problem).replace('evaldiff.attributes.yaml', ''),
      );
}

describe('the attributes file', () => {
  test('gives attributes with ids, explanations and a slack', () => {
    const pinned = good([
      'slack: 0.2',
      'domains:',
      '  - { name: Late parcels, explanation: The parcel is late. }',
      'subtasks:',
      '  - name: Late parcels',
      '  - { name: "Größe prüfen" }',
    ]);
    expect(pinned).toEqual({
      slack: 0.2,
      unused: [],
      byPrompt: new Map(),
      shared: [
        {
          id: 'domain-late-parcels',
          kind: 'domain',
          name: 'Late parcels',
          explanation: 'The parcel is late.',
        },
        { id: 'subtask-late-parcels', kind: 'subtask', name: 'Late parcels', explanation: '' },
        { id: 'subtask-größe-prüfen', kind: 'subtask', name: 'Größe prüfen', explanation: '' },
      ],
    });
  });

  test('can give a prompt attributes of its own, in place of the shared ones', () => {
    const pinned = good([
      'domains: [{ name: Sums }]',
      'prompts:',
      '  prompts/b.yaml:',
      '    subtasks: [{ name: Add }]',
    ]);
    expect(pinnedFor(pinned, 'prompts/a.yaml').map(({ name }) => name)).toEqual(['Sums']);
    expect(pinnedFor(pinned, 'prompts/b.yaml').map(({ name }) => name)).toEqual(['Add']);
  });

  test('says which of its prompts are not among those that are read', () => {
    const pinned = good([
      'domains: [{ name: Sums }]',
      'prompts:',
      '  prompts/A.yaml:',
      '    domains: [{ name: Add }]',
    ]);
    expect(pinned.unused).toEqual([
      { path: 'prompts/A.yaml', place: { file: 'evaldiff.attributes.yaml', line: 3 } },
    ]);
  });

  test.each<[string, string[], string[]]>([
    [
      'duplicate names, in another spelling too',
      ['domains:', '  - name: Late parcels', '  - name: Refunds', '  - name: LATE-parcels'],
      [
        ':4: "LATE-parcels" is the same name as "Late parcels" in line 2; upper case, blanks and hyphens do not count',
      ],
    ],
    [
      'empty names',
      ['subtasks:', '  - name: ""', '  - name: "  "', '  - explanation: x'],
      [
        ':2: subtasks[0].name must not be empty',
        ':4: subtasks[2]: "name" is missing',
        ':3: the name "  " is empty; name the attribute in words',
      ],
    ],
    [
      'a slack above 1',
      ['slack: 1.1', 'domains: [{ name: a }]'],
      [':1: slack must be a number from 0 to 1'],
    ],
    [
      'a slack below 0',
      ['slack: -0.1', 'domains: [{ name: a }]'],
      [':1: slack must be a number from 0 to 1'],
    ],
    [
      'a slack that is text',
      ['slack: "0.1"', 'domains: [{ name: a }]'],
      [':1: slack must be a number from 0 to 1'],
    ],
    [
      'unknown keys',
      ['domain: [{ name: a }]'],
      [':1: unknown key "domain"; did you mean "domains"?'],
    ],
    [
      'unknown keys of an attribute',
      ['domains: [{ name: a, explain: b }]'],
      [':1: unknown key "explain" in domains[0]; known are name, explanation'],
    ],
    [
      'names as a list',
      ['domains: [a, b]'],
      [':1: domains[0] must be a map', ':1: domains[1] must be a map'],
    ],
    [
      'no attribute at all',
      ['slack: 0.1'],
      [
        ': names no attribute; list some under domains or subtasks, or delete the file to have them discovered',
      ],
    ],
    [
      'a name that is too long',
      [`domains: [{ name: ${'x'.repeat(81)} }]`],
      [':1: the name is 81 characters long; the limit is 80'],
    ],
    [
      'two documents',
      ['domains: [{ name: a }]', '---', 'x: 1'],
      [expect.stringContaining(':2:') as unknown as string],
    ],
  ])('is refused with %s', (_, lines, expected) => expect(problems(lines)).toEqual(expected));

  test('has no more attributes than the references can bear, and says the rule at the first that is too many', () => {
    const list = (count: number): string[] => [
      'domains:',
      ...Array.from({ length: count }, (_, index) => `  - name: kind ${index}`),
    ];
    expect(problems(list(15))).toEqual([]);
    expect(problems(list(16))).toEqual([
      ':17: 16 domains are more than 40 references can bear: at most min(15, ⌊2 × 40 / 4⌋) = 15, four references each on average. Remove some, or add references',
    ]);
    expect(problems(list(6), [prompts[1]!])).toEqual([
      ':7: 6 domains are more than 10 references can bear: at most min(15, ⌊2 × 10 / 4⌋) = 5, four references each on average. Remove some, or add references',
    ]);
    expect(problems(list(5), [prompts[1]!])).toEqual([]);
    expect(problems(list(4), prompts, 3)[0]).toMatch(
      /^:5: 4 domains are more than 40 references can bear: at most min\(3, /,
    );
    expect(problems(list(9), [{ path: 'prompts/c.yaml', references: 7 }])).toEqual([]);
  });

  test("counts a prompt's own list against its own references", () => {
    const own = (count: number): string[] => [
      'prompts:',
      '  prompts/b.yaml:',
      '    domains:',
      ...Array.from({ length: count }, (_, index) => `      - name: kind ${index}`),
    ];
    expect(problems(own(5))).toEqual([]);
    expect(problems(own(6))).toEqual([
      expect.stringMatching(/^:9: 6 domains are more than 10 references can bear/),
    ]);
  });

  test('is read back as it was written, for one prompt and for several', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter(
        (name) =>
          foldName(name) !== '' &&
          !/[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u.test(name),
      );
    const attributes = fc
      .uniqueArray(
        fc.record({
          kind: fc.constantFrom('domain' as const, 'subtask' as const),
          name: text,
          explanation: text,
        }),
        { minLength: 1, maxLength: 12, selector: ({ kind, name }) => `${kind} ${foldName(name)}` },
      )
      .map((list) =>
        withIds([...list].sort((a, b) => (a.kind === b.kind ? 0 : a.kind === 'domain' ? -1 : 1))),
      );
    fc.assert(
      fc.property(attributes, attributes, (one, other) => {
        expect(
          good(writeAttributes([{ path: 'prompts/a.yaml', attributes: one }]).split('\n')),
        ).toEqual({ slack: null, shared: one, byPrompt: new Map(), unused: [] });
        const sizes = [
          { path: 'prompts/a.yaml', references: 60 },
          { path: 'b: [c].yaml', references: 60 },
        ];
        const several = good(
          writeAttributes([
            { path: 'prompts/a.yaml', attributes: one },
            { path: 'b: [c].yaml', attributes: other },
          ]).split('\n'),
          sizes,
        );
        expect([pinnedFor(several, 'prompts/a.yaml'), pinnedFor(several, 'b: [c].yaml')]).toEqual([
          one,
          other,
        ]);
      }),
    );
  });

  test('fits its schema', () => {
    expect(
      attributesSchema().safeParse({
        slack: 0.1,
        domains: [{ name: 'a', explanation: 'b' }],
        prompts: { 'p.yaml': { subtasks: [{ name: 'c' }] } },
      }).success,
    ).toBe(true);
    expect(attributesSchema().safeParse({ slack: 2 }).success).toBe(false);
  });
});

describe('ids', () => {
  test('are unique however alike the names are, and readable', () => {
    const names = ['C', 'C++', 'C#', '日本語', '🎉', '🎈', 'x'.repeat(60)];
    const ids = withIds(
      names.map((name) => ({ kind: 'domain' as const, name, explanation: '' })),
    ).map(({ id }) => id);
    expect(ids).toEqual([
      'domain-c',
      'domain-c.2',
      'domain-c.3',
      'domain-日本語',
      'domain.1',
      'domain.2',
      `domain-${'x'.repeat(40)}`,
    ]);
  });
});
