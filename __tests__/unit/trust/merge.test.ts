import type { Tests } from '../../../src/kernel/suite/suite.ts';
import type { ModelSettings, Project, Settings } from '../../../src/project/settings.ts';
import { applyTrust } from '../../../src/trust/arrange.ts';
import { mergeProjects } from '../../../src/trust/merge.ts';
import { sources } from '../../../src/trust/trust.ts';
import type { Rubric } from '../../../src/types/metric.ts';
import { OWN_SETTINGS } from '../../stand-ins/features.ts';
import {
  gate,
  metric,
  modelSettings,
  project,
  reference,
  settings,
  suite,
} from '../app/run/builders.ts';
import { rubricOf } from '../metrics/samples.ts';

/** State of one item (reference, metric, …) on the merge base, the tip or head. */
type Cell = 'absent' | 'A' | 'B' | 'C';
type Row = [string, Cell, Cell, Cell, Cell, 'nobody' | 'tip' | 'both'];

/** Expected result for one item: the version used, and who is reported to have changed it. */
const ROWS: Row[] = [
  // changed by; merge base; tip; head; version used; reported
  ['nobody', 'A', 'A', 'A', 'A', 'nobody'],
  ['the tip', 'A', 'B', 'A', 'B', 'tip'],
  ['head', 'A', 'A', 'B', 'B', 'nobody'],
  ['both alike', 'A', 'B', 'B', 'B', 'nobody'],
  ['both differently', 'A', 'B', 'C', 'B', 'both'],
  ['the tip by adding it', 'absent', 'A', 'absent', 'A', 'tip'],
  ['head by adding it', 'absent', 'absent', 'A', 'A', 'nobody'],
  ['both by adding it alike', 'absent', 'A', 'A', 'A', 'nobody'],
  ['both by adding it differently', 'absent', 'A', 'B', 'A', 'both'],
  ['the tip by deleting it', 'A', 'absent', 'A', 'absent', 'tip'],
  ['head by deleting it', 'A', 'A', 'absent', 'absent', 'nobody'],
  ['both by deleting it', 'A', 'absent', 'absent', 'absent', 'nobody'],
  ['the tip by deleting it, head by an edit', 'A', 'absent', 'B', 'absent', 'both'],
  ['head by deleting it, the tip by an edit', 'A', 'B', 'absent', 'B', 'both'],
];

const withTests = (tests: Partial<Tests>) => project([suite({ tests })]);
const of = (changes: Partial<Settings>) => project([suite()], { settings: settings(changes) });
const inForce = ({ suites }: Project) => suites[0]!.tests;

const only = <T>(cell: Cell, made: (code: number, place: { file: string; line: number }) => T) =>
  cell === 'absent' ? [] : [made(cell.charCodeAt(0), { file: cell, line: 7 })];
const rubricAt = (cell: Cell): [string, Rubric][] =>
  only(cell, (code, place) => ['x', rubricOf('Is it good?', { Y: code }, { name: 'x', place })]);

/** Each kind of merged item, built in one version; `read` returns that version. */
const THINGS: [string, (cell: Cell) => Project, (merged: Project) => unknown, string][] = [
  [
    'reference',
    (cell) => {
      const own = only(cell, (_, place) => reference('x', { expected: cell, place }));
      return withTests({ references: [reference('other'), ...own] });
    },
    (merged) => inForce(merged).references.find(({ id }) => id === 'x')?.expected,
    'reference x',
  ],
  [
    'metric',
    (cell) => {
      const own = only(cell, (threshold, place) => metric('x', { threshold, place }));
      return withTests({ metrics: [metric('other'), ...own] });
    },
    (merged) => letter(inForce(merged).metrics.find(({ name }) => name === 'x')?.threshold),
    'metrics.x',
  ],
  [
    'rubric',
    (cell) => project([suite()], { rubrics: new Map(rubricAt(cell)) }),
    (merged) => letter(merged.rubrics.get('x')?.choice_scores.get('Y')),
    'rubric x',
  ],
  [
    'key of the gate',
    (cell) => {
      const { tolerance: _, ...rest } = gate();
      const [tolerance] = only(cell, (code) => ({ tolerance: code }));
      return of({ gate: { ...rest, ...tolerance } as Settings['gate'] });
    },
    (merged) => letter(merged.settings.gate.tolerance as number | undefined),
    'gate.tolerance',
  ],
  [
    'entry of quarantine',
    (cell) =>
      withTests({
        quarantine: only(cell, (_, place) => ({
          id: 'x',
          reason: cell,
          until: '2030-01-01',
          place,
        })),
      }),
    (merged) => inForce(merged).quarantine[0]?.reason,
    'quarantine.x',
  ],
  [
    "suite's gate",
    (cell) => withTests(only(cell, (tolerance) => ({ gate: { tolerance } }))[0] ?? {}),
    (merged) => letter(inForce(merged).gate?.tolerance as number | undefined),
    'gate.tolerance',
  ],
];

function letter(code: number | null | undefined) {
  return code === null || code === undefined ? undefined : String.fromCharCode(code);
}

describe.each(THINGS)('three-way merge of a %s', (_thing, version, read, name) => {
  test.each(ROWS)(
    'changed by %s (before %s, base branch %s, head %s) uses version %s',
    (_who, was, tip, head, is, by) => {
      const { head: merged, notices } = mergeProjects(version(was), version(tip), version(head));
      expect(read(merged)).toBe(is === 'absent' ? undefined : is);
      const said = {
        nobody: [],
        tip: [
          `the base branch changed ${name} after this branch was created: its version is used, as after a merge`,
        ],
        both: [
          `this pull request and the base branch both changed ${name}: the base branch's version is used`,
        ],
      };
      expect(notices.map(({ message }) => message)).toEqual(said[by]);
    },
  );
});

describe('settings in a merge', () => {
  test.each<[string, Partial<Settings>, Partial<Settings>, Partial<Settings>]>([
    ['a key that each side changed', { seed: 2 }, { n_tries: 5 }, { seed: 2, n_tries: 5 }],
    ['a key that both changed', { seed: 2 }, { seed: 3 }, { seed: 2 }],
    [
      'the patterns of files, which are of the commit',
      { prompts: ['a/*'], rubrics: ['b/*'] },
      { prompts: ['c/*'] },
      { prompts: ['c/*'], rubrics: [] },
    ],
  ])('combine both sides key by key: %s', (_what, tip, own, merged) => {
    const found = mergeProjects(of({}), of(tip), of(own));
    expect(found.head.settings).toEqual(settings(merged));
  });

  test.each(['member', 'untrusted'] as const)(
    "keep the base branch's gate and budget at level %s",
    (level) => {
      const budget = (max_calls: number) => ({ max_calls, max_cost_usd: null });
      const strict = of({ gate: gate({ alpha: 0.01 }), budget: budget(9) });
      const loose = of({ gate: gate({ fail_on: 'never' }), budget: budget(99) });
      for (const was of [of({}), strict, loose]) {
        const { base, head } = mergeProjects(was, strict, loose);
        const { gate: found, budget: cap } = applyTrust(base, head, sources(level), OWN_SETTINGS);
        expect([found, cap.max_calls]).toEqual([gate({ alpha: 0.01 }), 9]);
      }
    },
  );

  test('keep a model that the base branch removed but a prompt still uses, and take programs from the commit of the prompt', () => {
    const hosted = (model: string) => modelSettings({ model });
    const program = (script: string) =>
      modelSettings({ provider: 'program', model: 'app', command: ['node', script] });
    const models = (own: Record<string, ModelSettings>) =>
      of({ models: new Map(Object.entries(own)) });
    const was = models({ old: hosted('a'), app: program('one.mjs') });
    const tip = models({ new: hosted('b'), app: program('two.mjs') });
    const { base, head } = mergeProjects(was, tip, was);
    for (const { models: merged } of [base.settings, head.settings]) {
      expect([...merged.keys()].sort()).toEqual(['app', 'new', 'old']);
      expect(merged.get('app')?.command).toEqual(['node', 'one.mjs']);
    }
  });
});

describe('tests in a merge', () => {
  test("at level untrusted do not count head's new references", () => {
    const having = (...ids: string[]) => withTests({ references: ids.map((id) => reference(id)) });
    const { base, head } = mergeProjects(having('a'), having('a', 'tip'), having('a', 'own'));
    const arranged = applyTrust(base, head, sources('untrusted'), OWN_SETTINGS);
    expect(inForce(arranged.head).references).toMatchObject([
      { id: 'a', skip: false },
      { id: 'tip', skip: false },
      { id: 'own', skip: true },
    ]);
  });

  test('keep a rubric that a metric of the base branch uses although head removed it', () => {
    const graded = metric('graded', { source: { kind: 'rubric', rubric: 'x' } });
    const rubrics = new Map(rubricAt('A'));
    const was = project([suite()], { rubrics });
    const tip = project([suite({ tests: { metrics: [metric('has'), graded] } })], { rubrics });
    const { head } = mergeProjects(was, tip, project([suite()]));
    expect(head.rubrics.get('x')).toBe(rubrics.get('x'));
  });

  test('never contain two references with the same id', () => {
    const named = (...all: [string, string][]) =>
      withTests({ references: all.map(([id, q]) => reference(id, { input: { q } })) });
    const { head, notices } = mergeProjects(
      named(['a', 'one']),
      named(['a', 'one'], ['b', 'two']),
      named(['b', 'one']),
    );
    expect(inForce(head).references).toMatchObject([{ id: 'b', input: { q: 'two' } }]);
    expect(notices.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('both changed reference b'),
    );
  });

  test.each(['place', 'at', 'columns', 'problem'])(
    'include the new value of a variable, even if it is named %s',
    (name) => {
      const asking = (value: string) =>
        withTests({ references: [reference('a', { input: { [name]: value } })] });
      const { head } = mergeProjects(asking('one'), asking('two'), asking('one'));
      expect(inForce(head).references.map(({ input }) => input)).toEqual([{ [name]: 'two' }]);
    },
  );

  const other = suite({
    prompt: { file: 'prompts/new.yaml', name: 'new' },
    tests: { references: [reference('n')] },
  });
  const [both, one] = [project([suite(), other]), project([suite()])];

  test.each([
    ['the tip added', [one, both, one], ['p'], ['p']],
    ['head added', [one, one, both], ['p'], ['p', 'new']],
    ['the tip removed', [both, one, both], ['p'], ['p']],
    ['head removed', [both, both, one], ['p', 'new'], ['p']],
    ['both removed', [both, one, one], ['p'], ['p']],
  ] as const)('appear on the expected sides if %s the prompt', (_, [was, tip, own], base, head) => {
    const merged = mergeProjects(was, tip, own);
    const names = ({ suites }: Project) => suites.map(({ prompt }) => prompt.name);
    expect([names(merged.base), names(merged.head)]).toEqual([base, head]);
  });
});

test.each([
  ['its text', { prompt: { parameters: { temperature: 1 } } }],
  ['its tests', { tests: { references: [reference('other')] } }],
])(
  'a prompt that the base branch removed is not comparable if head changes %s',
  (_what, changes) => {
    const own = project([suite(changes)]);
    const { base, head, notices } = mergeProjects(project([suite()]), project([]), own);
    expect([base, head].map(({ suites }) => suites.length)).toEqual([1, 1]);
    expect(notices).toEqual([
      {
        kind: 'not-comparable',
        place: { file: 'prompts/p.yaml', line: 0 },
        message:
          'the base branch removed prompt p, but head changes it: rebase to judge the merged version',
      },
    ]);
  },
);

describe('prompt text in a merge', () => {
  const saying = (content: string) => {
    const place = { file: 'prompts/p.yaml', line: 6 };
    return project([suite({ prompt: { messages: [{ role: 'user', content, place }] } })]);
  };

  test('is reported as a conflict if both branches added it differently', () => {
    const [tip, own] = ['one {q}', 'two {q}'].map(saying);
    const { base, notices } = mergeProjects(project([]), tip!, own!);
    expect(base.suites).toEqual([]);
    expect(notices.map(({ message }) => message)).toEqual([
      expect.stringContaining('both changed prompt p'),
    ]);
  });

  const rebase = expect.stringMatching(/both changed prompt p: .*rebase/);
  test.each([
    ['on head', 'one {q}', 'two {q}', []],
    ['on the tip', 'two {q}', 'one {q}', []],
    ['alike', 'two {q}', 'two {q}', []],
    ['differently', 'two {q}', 'three {q}', [rebase]],
  ])('is taken unchanged from head when changed %s', (_how, tip, own, said) => {
    const { base, head, notices } = mergeProjects(saying('one {q}'), saying(tip), saying(own));
    expect(base.suites[0]?.prompt.messages[0]?.content).toBe('one {q}');
    expect(head.suites[0]?.prompt.messages[0]?.content).toBe(own);
    expect(notices.map(({ message }) => message)).toEqual(said);
  });
});
