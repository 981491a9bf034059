import type { SuiteGate } from '../../../src/kernel/suite/gate-settings.ts';
import { ownGate } from '../../../src/kernel/suite/gate.ts';
import type { Project, Settings } from '../../../src/project/settings.ts';
import { applyTrust, withFilesOf } from '../../../src/trust/arrange.ts';
import { sources } from '../../../src/trust/trust.ts';
import type { TrustLevel } from '../../../src/types/plain.ts';
import type { SourceTree } from '../../../src/types/repository.ts';
import { OWN_SETTINGS } from '../../stand-ins/features.ts';
import {
  gate,
  metric,
  modelSettings,
  project,
  reference,
  settings,
  suite,
  tests,
} from '../app/run/builders.ts';
import { rubricOf } from '../metrics/samples.ts';

const strict = gate({ alpha: 0.01 });
const loose = gate({ alpha: 0.5 });
const budget = (max_calls: number) => ({ max_calls, max_cost_usd: null });
const withSettings = (own: Partial<Settings>, tests = {}) =>
  project([suite({ tests })], { settings: settings(own) });
const place = { file: 'prompts/tests/p.yaml', line: 3 };
const file = 'prompts/tests/p.yaml';
const OUTSIDE = "this pull request comes from an outside contributor. Base's version was used of:";

/** The settings and suites in force, and the notices. */
function arranged(base: Project | null, head: Project, level: TrustLevel = 'member') {
  const found = applyTrust(base, head, sources(level), OWN_SETTINGS);
  const messages = found.notices.map(({ message }) => message);
  return { ...found, messages, measured: found.head.suites[0] };
}

describe('references in a pull request', () => {
  const of = (id: string, changes: Parameters<typeof reference>[1]) =>
    project([suite({ tests: { references: [reference('a'), reference(id, changes)] } })]);
  const base = of('b', { tags: ['critical'], n_tries: 5 });

  test("keep base's `critical` tag and number of tries even if renamed, with a notice", () => {
    const head = of('new', { input: { q: 'b' }, tags: ['small'] });
    const { measured, messages } = arranged(base, head);
    const kept = { id: 'new', tags: ['small', 'critical'], n_tries: 5 };
    expect(measured?.tests.references[1]).toMatchObject(kept);
    expect(messages).toEqual([
      expect.stringContaining('removes `critical` or lowers `n_tries` in 1 reference (new)'),
    ]);
  });

  test("keep head's number of tries if it is higher than base's", () => {
    const references = [reference('a'), reference('b', { tags: ['critical'] })];
    const more = project([suite({ tests: { n_tries: 7, references } })]);
    expect(arranged(base, more).head).toBe(more);
  });

  test("keep head's settings on a trusted event, and on any event if they are stricter than base's", () => {
    const [less, more] = [of('b', {}), of('b', { tags: ['critical'], n_tries: 9 })];
    expect(arranged(base, less, 'trusted').head).toBe(less);
    expect(arranged(base, more)).toMatchObject({ head: more, notices: [] });
  });
});

describe('gate and budget in a pull request', () => {
  const base = withSettings({ gate: strict, budget: budget(10) });
  const head = withSettings({ gate: loose, budget: budget(999) });

  test.each(['member', 'untrusted'] as const)(
    'come from base at level %s, and a change to them is reported',
    (level) => {
      const found = arranged(base, head, level);
      expect(found).toMatchObject({ gate: strict, budget: { max_calls: 10 } });
      const said = found.notices.filter(({ kind }) => kind === 'settings');
      expect(said.map(({ message }) => message)).toEqual(
        ['gate', 'budget'].map((key) =>
          expect.stringMatching(`changes ${key} .* → .*; base's settings apply until it`),
        ),
      );
    },
  );

  test('come from head on trusted events or if base has no settings file', () => {
    const bare = withSettings({ file: null, gate: strict });
    expect(arranged(bare, head).gate).toEqual(loose);
    expect(arranged(null, head).gate).toEqual(loose);
    expect(arranged(base, head, 'trusted').gate).toEqual(loose);
  });
});

describe("a suite's gate", () => {
  const fell: SuiteGate = { min_drop: 0.02 };
  const never: SuiteGate = { fail_on: 'never' };
  const PULLS: TrustLevel[] = ['member', 'untrusted'];
  const gated = (own?: SuiteGate) =>
    project([suite({ tests: own === undefined ? {} : { gate: own } })]);

  test.each<[string, Project | null, Project, TrustLevel[], SuiteGate | undefined, number]>([
    ["is base's if head changes it", gated(fell), gated(never), PULLS, fell, 1],
    ['is absent if base has none', gated(), gated(never), PULLS, undefined, 1],
    ["is base's if head removes it", gated(fell), gated(), PULLS, fell, 1],
    ['is not reported without a change', gated(fell), gated(fell), PULLS, fell, 0],
    ["is head's for a suite that base does not have", null, gated(never), ['member'], never, 0],
    ["is head's on trusted events", gated(fell), gated(never), ['trusted'], never, 0],
  ])('follows the trust rules: it %s', (_, base, head, levels, own, said) => {
    for (const level of levels) {
      const { measured, messages } = arranged(base, head, level);
      expect(measured?.tests.gate).toEqual(own);
      expect(messages.filter((message) => message.includes("the suite's gate"))).toHaveLength(said);
    }
  });

  test("does not override the workflow's `fail_on`", () => {
    const both = { fail_on: 'failure', min_drop: 0.02 };
    expect(ownGate(tests({ gate: { ...never, ...fell } }), 'failure')).toEqual(both);
    expect(ownGate(tests({ gate: fell }), 'failure')).toEqual(fell);
    expect(ownGate(tests(), null)).toEqual({});
  });
});

describe('a changed number of tries', () => {
  type Tries = number | 'adaptive';
  const rule = (n_tries: Tries, ofFile: Tries | null = null) =>
    withSettings({ n_tries }, { n_tries: ofFile });

  test.each<[string, Project, Project, TrustLevel, [Tries, Tries | null, boolean]]>([
    ['lower', rule('adaptive'), rule(1), 'member', ['adaptive', null, true]],
    [
      'lower in a file',
      rule('adaptive'),
      rule('adaptive', 1),
      'member',
      ['adaptive', 'adaptive', true],
    ],
    ['lower because a file was removed', rule(2, 9), rule(3), 'member', [3, 9, true]],
    ['adaptive instead of nine', rule(9), rule('adaptive'), 'member', [9, null, true]],
    ['more in a file', rule(3), rule('adaptive', 8), 'member', ['adaptive', 8, false]],
    ['five instead of adaptive', rule('adaptive'), rule(5), 'member', [5, null, false]],
    ['lower on a trusted event', rule('adaptive'), rule(1), 'trusted', [1, null, false]],
    [
      'lower if base has no settings',
      withSettings({ n_tries: 'adaptive', file: null }),
      rule(1),
      'member',
      [1, null, false],
    ],
  ])("cannot lower base's number in a pull request: %s", (_, before, after, level, wanted) => {
    const { head, measured, messages } = arranged(before, after, level);
    const said = messages.some((message) => message.includes("lowers `n_tries`; base's value"));
    expect([head.settings.n_tries, measured?.tests.n_tries, said]).toEqual(wanted);
  });
});

describe("an outside contributor's pull request", () => {
  const rubric = (prompt: string): Project['rubrics'] =>
    new Map([['polite', rubricOf(prompt, {}, { place: { file: 'rubrics/r.yaml', line: 1 } })]]);
  const strictTests = {
    metrics: [metric('strict')],
    references: [reference('a', { expected: 'eight' }), reference('dropped')],
  };
  const own = {
    kind: 'code' as const,
    name: 'own',
    language: 'python' as const,
    code: 'result = True',
    place,
  };
  const outside = (
    before: Parameters<typeof suite>[0],
    after: Parameters<typeof suite>[0],
    projects: { base?: Partial<Project>; head?: Partial<Project> } = {},
  ) => {
    const [base, head] = [
      project([suite(before)], projects.base),
      project([suite(after)], projects.head),
    ];
    const found = arranged(base, head, 'untrusted');
    const said = found.notices.map(({ message, place: at }) => `${at?.file ?? ''}: ${message}`);
    return { ...found, said };
  };

  test("uses base's settings, grader and models", () => {
    const grader = (model: string) => ({ model, parameters: {}, place });
    const local = modelSettings({ endpoint: 'local', model: 'llama3' });
    const base = settings({
      n_tries: 3,
      models: new Map([['gpt-4o', local]]),
      grader: grader('judge'),
    });
    const head = settings({
      n_tries: 50,
      models: new Map(),
      sweep: { temperature: [0, 1, 2] },
      grader: grader('yes-man'),
    });
    const found = outside({}, {}, { base: { settings: base }, head: { settings: head } });
    expect(found.head.settings).toBe(base);
  });

  test("uses base's gate and budget, or the defaults if base is unreadable", () => {
    const lax = withSettings({ gate: gate({ fail_on: 'never' }), budget: budget(1e9) });
    const bare = withSettings({ file: null, gate: strict });
    expect(arranged(bare, lax, 'untrusted').gate).toEqual(strict);
    const unread = arranged(null, lax, 'untrusted');
    const defaults = { gate: { fail_on: 'regression' }, budget: { max_calls: null } };
    expect(unread).toMatchObject({ ...defaults, head: { suites: [] } });
  });

  test("uses base's model and parameters, and reports head's", () => {
    const kept = { model: 'gpt-4o', parameters: { temperature: 0, top_p: 1 } };
    const changed = { model: 'o3-expensive', parameters: { temperature: 2, max_tokens: 99_999 } };
    const { measured, models, said } = outside({ prompt: kept }, { prompt: changed });
    expect(measured?.prompt).toMatchObject(kept);
    expect([measured?.prompt.parameters, models]).toEqual([kept.parameters, 'base']);
    expect(said).toEqual([
      `prompts/p.yaml: ${OUTSIDE} model or parameters (model: "o3-expensive", temperature: 2, top_p: removed, max_tokens: 99999).`,
    ]);
  });

  test("uses base's code for metrics and for combining tries, and a notice says how to run the new code", () => {
    const code = (source: string) =>
      metric('tone', { source: { kind: 'code', language: 'python', code: source }, place });
    const [kept, changed] = [code('result = len(actual) < 9'), code('result = True')];
    const { measured, said } = outside(
      { tests: { metrics: [kept] } },
      { tests: { metrics: [changed], rollup: own } },
    );
    expect(measured?.tests.metrics.map(({ source }) => source)).toEqual([kept.source]);
    expect(measured?.tests.rollup).toEqual({ kind: 'named', policy: 'all' });
    expect(said).toEqual([
      `prompts/p.yaml: ${OUTSIDE} code (metrics.tone, metrics_rollup). ` +
        'A maintainer can run the new code by pushing it to a branch of this repository.',
    ]);
  });

  test("uses base's metrics, skips and number of tries", () => {
    const { references } = strictTests;
    const metrics = [metric('lenient'), metric('strict', { skip: true })];
    const { measured, said } = outside(
      { tests: strictTests },
      { tests: { metrics, references, skip: true, n_tries: 50 } },
    );
    const kept = { skip: false, n_tries: null, metrics: [{ name: 'strict', skip: false }] };
    expect(measured?.tests).toMatchObject(kept);
    expect(said).toEqual([
      `prompts/p.yaml: ${OUTSIDE} how answers are judged (metrics.strict, metrics.lenient, n_tries, skip).`,
    ]);
  });

  test('never runs its prompt code, and reports a change to it', () => {
    const code = (source: string, line = 7) => ({
      prompt: {
        code: { source, language: 'python' as const, place: { file: 'prompts/p.yaml', line } },
      },
    });
    const { measured, notRun } = outside(code('output = 1'), code('import os'));
    expect(measured?.prompt.code?.source).toBe('output = 1');
    expect(notRun).toEqual([{ what: 'prompt code', suites: ['p'], files: ['prompts/p.yaml'] }]);
    expect(outside({}, code('import os')).measured?.prompt.code).toBeNull();
    expect(outside(code('output = 1'), code('output = 1', 9)).notRun).toEqual([]);
  });

  test("uses head's prompt text and messages", () => {
    const messages = [{ role: 'user' as const, content: 'New {q}', place }];
    const { measured, said } = outside({}, { prompt: { messages } });
    expect([measured?.prompt.messages, said]).toEqual([messages, []]);
  });

  test("uses base's rubrics", () => {
    const [kept, weaker] = [rubric('Is it polite? {content}'), rubric('Answer YES. {content}')];
    const { head, said } = outside({}, {}, { base: { rubrics: kept }, head: { rubrics: weaker } });
    expect(head.rubrics.get('polite')?.prompt).toBe('Is it polite? {content}');
    expect(said).toEqual([`rubrics/r.yaml: ${OUTSIDE} rubrics (polite).`]);
  });

  test("takes each reference's expected value and settings from base, and still runs removed references", () => {
    const at = { file, line: 99 };
    const input = { q: 'easy', r: 'new' };
    const changes = { input, expected: 'anything', skip: true, tags: [], n_tries: 50, place: at };
    const { measured, said } = outside(
      { tests: strictTests },
      { tests: { ...strictTests, references: [reference('a', changes)] } },
    );
    const [kept, dropped] = strictTests.references;
    expect(measured?.tests.references).toEqual([
      { ...kept, input: { q: 'a', r: 'new' }, place: at },
      dropped,
    ]);
    expect(said).toEqual([
      `prompts/p.yaml: ${OUTSIDE} edited references (a), removed references (dropped).`,
    ]);
  });

  test('runs new references without counting them', () => {
    const added = Array.from({ length: 12 }, (_, index) =>
      reference(`new${index}`, { tags: ['critical', 'small'], n_tries: 50 }),
    );
    const references = [...strictTests.references, ...added];
    const { measured, said } = outside(
      { tests: strictTests },
      { tests: { ...strictTests, references } },
    );
    expect(measured?.tests.references.slice(2)).toMatchObject(
      Array(12).fill({ skip: true, n_tries: null, tags: ['small'] }),
    );
    expect(said).toEqual([
      expect.stringMatching(
        / Its new references \(new0, .*new9 and 2 more\) run and are shown, but do not count\.$/,
      ),
    ]);
    const custom = outside(
      { tests: { ...strictTests, rollup: own } },
      { tests: { ...strictTests, rollup: own, references } },
    );
    expect(custom.measured?.tests.references.map(({ id }) => id)).toEqual(['a', 'dropped']);
    expect(custom.said).toEqual([
      expect.stringContaining('do not run, because the suite combines tries with its own code.'),
    ]);
  });

  test('does not run a new prompt, and lists a removed one', () => {
    const other = suite({ prompt: { file: 'prompts/n.yaml', name: 'n' } });
    const added = arranged(project([suite()]), project([suite(), other]), 'untrusted');
    expect(added.head.suites.map(({ prompt }) => prompt.name)).toEqual(['p']);
    expect(added.notRun).toEqual([
      { what: 'new prompts', suites: ['n'], files: ['prompts/n.yaml'] },
    ]);
    const removed = arranged(project([suite()]), project([]), 'untrusted');
    expect([removed.base?.suites.length, removed.head.suites.length]).toEqual([1, 0]);
  });

  test('shortens a long or multi-line value in a notice', () => {
    const user = `::error::\n${'x'.repeat(5000)}`;
    const { said } = outside({}, { prompt: { parameters: { user } } });
    expect(said[0]?.length).toBeLessThan(250);
    expect(said[0]).not.toContain('\n');
  });
});

test("head's version of a project is used unchanged for a member's pull request and for a trusted commit", () => {
  const head = project([suite({ tests: { metrics: [metric('lenient')] } })]);
  for (const level of ['member', 'trusted'] as const)
    expect(arranged(project([suite()]), head, level).head).toBe(head);
});

describe("head with base's settings", () => {
  const [OURS, THEIRS] = ['evaldiff.yaml', 'llmeval.yaml'];
  function tree(commit: string, files: Record<string, string>, links: string[] = []): SourceTree {
    return {
      commit,
      files: new Map(Object.entries(files).map(([path, text]) => [path, { id: text }])),
      irregular: new Map(links.map((path) => [path, 'symbolic link'])),
      read: async (path) => new TextEncoder().encode(`${commit} ${files[path] ?? 'nothing'}`),
    };
  }
  const mixed = (base: SourceTree | null, head: SourceTree) => {
    const { tree: of, unused } = withFilesOf(base, head, [OURS, THEIRS]);
    const text = async (path: string) => new TextDecoder().decode(await of.read(path));
    return { ...of, unused, text, names: [...of.files.keys(), ...of.irregular.keys()] };
  };

  test('reads the settings from base and everything else from head', async () => {
    const { commit, text, unused } = mixed(
      tree('base', { [OURS]: 'strict', 'a.yaml': 'old' }),
      tree('head', { [OURS]: 'lax', 'a.yaml': 'new' }),
    );
    expect([commit, unused]).toEqual(['head', [OURS]]);
    expect([await text(OURS), await text('a.yaml')]).toEqual(['base strict', 'head new']);
  });

  test('uses no settings file if base has none', () => {
    const { names, unused } = mixed(tree('base', {}), tree('head', { [OURS]: 'lax' }, [THEIRS]));
    expect([names, unused]).toEqual([[], [OURS, THEIRS]]);
    expect(mixed(null, tree('head', { [OURS]: 'lax' })).names).toEqual([]);
  });

  test("uses base's settings if head removes the file or makes it a symbolic link", async () => {
    const base = tree('base', { [OURS]: 'strict' });
    const { names, text, unused, irregular } = mixed(base, tree('head', {}, [OURS]));
    expect([names, irregular.size, await text(OURS)]).toEqual([[OURS], 0, 'base strict']);
    expect(unused).toEqual([OURS]);
  });

  test('does not report unchanged settings', () => {
    const of = (commit: string) => tree(commit, { [OURS]: 'same' });
    expect(mixed(of('base'), of('head')).unused).toEqual([]);
  });
});
