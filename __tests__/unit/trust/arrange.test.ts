import { describe, expect, test } from '@jest/globals';
import type { Project } from '../../../src/kernel/suite/suite.ts';
import { arrange } from '../../../src/trust/arrange.ts';
import { sources } from '../../../src/trust/trust.ts';
import { OWN_SETTINGS } from '../../stand-ins/features.ts';
import { gate, metric, project, reference, settings, suite } from '../app/run/builders.ts';

const strict = gate({ alpha: 0.01 });
const loose = gate({ alpha: 0.5 });

describe('references of a pull request', () => {
  const of = (id: string, changes: Parameters<typeof reference>[1]) =>
    project([suite({ tests: { references: [reference('a'), reference(id, changes)] } })]);
  const base = of('b', { tags: ['critical'], n_tries: 5 });

  test('keep `critical` and the tries that base gives them, under another id too, and it is said', () => {
    const { head, notices } = arrange(
      base,
      of('new', { input: { q: 'b' }, tags: ['small'] }),
      sources('member'),
      OWN_SETTINGS,
    );
    expect(head.suites[0]?.tests.references[1]).toMatchObject({
      ...{ id: 'new', tags: ['small', 'critical'], n_tries: 5 },
    });
    expect(notices.map(({ message }) => message)).toEqual([
      expect.stringContaining('takes `critical` from 1 reference, or lowers `n_tries` there'),
    ]);
  });

  test("have those of their file where these are more than base's own", () => {
    const more = project([
      suite({
        tests: { n_tries: 7, references: [reference('a'), reference('b', { tags: ['critical'] })] },
      }),
    ]);
    expect(arrange(base, more, sources('member'), OWN_SETTINGS).head).toBe(more);
  });

  test('have their own where the event is trusted, or they ask for more', () => {
    const [less, more] = [of('b', {}), of('b', { tags: ['critical'], n_tries: 9 })];
    expect(arrange(base, less, sources('trusted'), OWN_SETTINGS).head).toBe(less);
    expect(arrange(base, more, sources('member'), OWN_SETTINGS)).toMatchObject({
      head: more,
      notices: [],
    });
  });
});

describe('gate and budget of a pull request', () => {
  const base = project([suite()], {
    settings: settings({ gate: strict, budget: { max_calls: 10, max_cost_usd: null } }),
  });
  const head = project([suite()], {
    settings: settings({ gate: loose, budget: { max_calls: 999, max_cost_usd: null } }),
  });

  test.each(['member', 'untrusted'] as const)(
    "are base's at level %s, and a change to them is said",
    (level) => {
      const arranged = arrange(base, head, sources(level), OWN_SETTINGS);
      expect(arranged.gate).toEqual(strict);
      expect(arranged.budget.max_calls).toBe(10);
      expect(
        arranged.notices.filter(({ kind }) => kind === 'settings').map(({ message }) => message),
      ).toEqual([
        "this pull request changes gate; base's settings are in force until it is merged",
        "this pull request changes budget; base's settings are in force until it is merged",
      ]);
    },
  );

  test("are head's where base has no settings file, and on trusted events", () => {
    const bare = project([suite()], { settings: settings({ file: null, gate: strict }) });
    expect(arrange(bare, head, sources('member'), OWN_SETTINGS).gate).toEqual(loose);
    expect(arrange(null, head, sources('member'), OWN_SETTINGS).gate).toEqual(loose);
    expect(arrange(base, head, sources('trusted'), OWN_SETTINGS).gate).toEqual(loose);
  });
});

describe('a changed number of tries', () => {
  const base = project([suite()], { settings: settings({ n_tries: 3 }) });
  const told = (head: typeof base, level: 'trusted' | 'member' | 'untrusted' = 'member') =>
    arrange(base, head, sources(level), OWN_SETTINGS).notices.map(({ kind, place, message }) => [
      kind,
      place?.file,
      message.includes('`n_tries`'),
    ]);

  test('is said of the settings and of each test file, as nothing runs because of it', () => {
    expect(told(project([suite()], { settings: settings({ n_tries: 'adaptive' }) }))).toEqual([
      ['settings', 'evaldiff.yaml', true],
    ]);
    expect(
      told(
        project([suite({ tests: { n_tries: 5 } })], { settings: settings({ n_tries: 3 }) }),
        'trusted',
      ),
    ).toEqual([['settings', 'prompts/tests/p.yaml', true]]);
    expect(told(base)).toEqual([]);
  });

  test("stays base's in a pull request that lowers it, in the settings and in a test file", () => {
    const rule = (tries: number | 'adaptive', ofFile: number | 'adaptive' | null = null) =>
      project([suite({ tests: { n_tries: ofFile } })], { settings: settings({ n_tries: tries }) });
    const inForce = (
      before: ReturnType<typeof rule>,
      after: ReturnType<typeof rule>,
      level: 'trusted' | 'member' = 'member',
    ) => {
      const { head, notices } = arrange(before, after, sources(level), OWN_SETTINGS);
      const said = notices.some(({ message }) => message.includes("lowers `n_tries`; base's is"));
      return [head.settings.n_tries, head.suites[0]?.tests.n_tries, said];
    };
    expect(inForce(rule('adaptive'), rule(1))).toEqual(['adaptive', null, true]);
    expect(inForce(rule('adaptive'), rule('adaptive', 1))).toEqual(['adaptive', 'adaptive', true]);
    expect(inForce(rule(2, 9), rule(3))).toEqual([3, 9, true]);
    expect(inForce(rule(9), rule('adaptive'))).toEqual([9, null, true]);
    expect(inForce(rule(3), rule('adaptive', 8))).toEqual(['adaptive', 8, false]);
    expect(inForce(rule('adaptive'), rule(5))).toEqual([5, null, false]);
    expect(inForce(rule('adaptive'), rule(1), 'trusted')).toEqual([1, null, false]);
    const bare = project([suite()], { settings: settings({ n_tries: 'adaptive', file: null }) });
    expect(inForce(bare, rule(1))).toEqual([1, null, false]);
  });

  test('is not said where it is not used', () => {
    expect(told(project([suite()], { settings: settings({ n_tries: 9 }) }), 'untrusted')).toEqual(
      [],
    );
  });
});

describe("an outside contributor's pull request, row by row of what comes from where", () => {
  const place = { file: 'prompts/tests/p.yaml', line: 3 };
  const local = {
    provider: 'openai' as const,
    endpoint: 'local',
    model: 'llama3',
    price: null,
    command: [],
    files: [],
    setup: [],
    file: null,
    replaces: [],
    place,
  };
  const rubric = (prompt: string): Project['rubrics'] =>
    new Map([
      [
        'polite',
        {
          name: 'polite',
          prompt,
          choice_scores: new Map([
            ['YES', 1],
            ['NO', 0],
          ]),
          eval_type: 'classify' as const,
          notes: null,
          examples: [],
          place: { file: 'rubrics/r.yaml', line: 1 },
        },
      ],
    ]);
  const strictTests = {
    metrics: [metric('strict')],
    references: [reference('a', { expected: 'eight' }), reference('dropped')],
  };
  const outside = (
    before: Parameters<typeof suite>[0],
    after: Parameters<typeof suite>[0],
    projects: { base?: Partial<Project>; head?: Partial<Project> } = {},
  ) => {
    const arranged = arrange(
      project([suite(before)], projects.base),
      project([suite(after)], projects.head),
      sources('untrusted'),
      OWN_SETTINGS,
    );
    return {
      ...arranged,
      measured: arranged.head.suites[0],
      said: arranged.notices.map(({ message, place: at }) => `${at?.file ?? ''}: ${message}`),
    };
  };

  test("settings, tries, sweeps, grader and models are base's, or the defaults where base has none", () => {
    const base = settings({
      n_tries: 3,
      models: new Map([['gpt-4o', local]]),
      grader: { model: 'judge', parameters: {}, place },
    });
    const head = settings({
      n_tries: 50,
      models: new Map(),
      sweep: { temperature: [0, 1, 2] },
      grader: { model: 'yes-man', parameters: {}, place },
    });
    expect(
      outside({}, {}, { base: { settings: base }, head: { settings: head } }).head.settings,
    ).toBe(base);
  });

  test("the gate and the budget are base's, and the defaults where base cannot be read: never head's", () => {
    const lax = project([suite()], {
      settings: settings({
        gate: gate({ fail_on: 'never' }),
        budget: { max_calls: 1e9, max_cost_usd: null },
      }),
    });
    const bare = project([suite()], { settings: settings({ file: null, gate: strict }) });
    expect(arrange(bare, lax, sources('untrusted'), OWN_SETTINGS).gate).toEqual(strict);
    const unread = arrange(null, lax, sources('untrusted'), OWN_SETTINGS);
    expect([unread.gate.fail_on, unread.budget.max_calls, unread.head.suites]).toEqual([
      'regression',
      null,
      [],
    ]);
  });

  test("provider, model and parameters are base's, and head's are named", () => {
    const { measured, models, said } = outside(
      { prompt: { model: 'gpt-4o', parameters: { temperature: 0, top_p: 1 } } },
      { prompt: { model: 'o3-expensive', parameters: { temperature: 2, max_tokens: 99_999 } } },
    );
    expect([measured?.prompt.model, measured?.prompt.parameters, models]).toEqual([
      'gpt-4o',
      { temperature: 0, top_p: 1 },
      'base',
    ]);
    expect(said).toEqual([
      'prompts/p.yaml: this pull request comes from an outside contributor and changes model ("o3-expensive"), temperature (2), top_p (removed), max_tokens (99999). Base\'s model and parameters were used.',
    ]);
  });

  test("metric and roll-up code is base's, and the refusal names the file, the fields and the way", () => {
    const code = (source: string) =>
      metric('tone', { source: { kind: 'code', language: 'python', code: source }, place });
    const own = {
      kind: 'code' as const,
      name: 'own',
      language: 'python' as const,
      code: 'result = True',
      place,
    };
    const { measured, said } = outside(
      { tests: { metrics: [code('result = len(actual) < 9')] } },
      { tests: { metrics: [code('result = True')], rollup: own } },
    );
    expect(measured?.tests.metrics.map(({ source }) => source)).toEqual([
      { kind: 'code', language: 'python', code: 'result = len(actual) < 9' },
    ]);
    expect(measured?.tests.rollup).toEqual({ kind: 'named', policy: 'all' });
    expect(said).toEqual([
      'prompts/tests/p.yaml: this pull request comes from an outside contributor and changes code (metrics.tone, metrics_rollup). The base version was run. ' +
        'A maintainer can run the new code by pushing it to a branch of this repository.',
    ]);
  });

  test("metrics without code, and how often and how tests run, are base's too", () => {
    const { measured, said } = outside(
      { tests: strictTests },
      {
        tests: {
          metrics: [metric('lenient'), metric('strict', { skip: true })],
          references: strictTests.references,
          skip: true,
          n_tries: 50,
        },
      },
    );
    expect(measured?.tests).toMatchObject({ skip: false, n_tries: null });
    expect(measured?.tests.metrics.map(({ name, skip }) => [name, skip])).toEqual([
      ['strict', false],
    ]);
    expect(said).toEqual([
      'prompts/tests/p.yaml: this pull request comes from an outside contributor and changes how answers are judged (metrics.lenient, metrics.strict, n_tries, skip). The base version was used.',
    ]);
  });

  test('prompt code is never run: the prompt stays as base has it, and it is said once it changes', () => {
    const code = (source: string) => ({
      source,
      language: 'python' as const,
      place: { file: 'prompts/p.yaml', line: 7 },
    });
    const { measured, said } = outside(
      { prompt: { code: code('output = 1') } },
      { prompt: { code: code('import os') } },
    );
    expect(measured?.prompt.code?.source).toBe('output = 1');
    expect(said).toEqual([
      'prompts/p.yaml: prompt code needs network and packages. It runs only with code: host, on branches of this repository.',
    ]);
    expect(outside({}, { prompt: { code: code('import os') } }).measured?.prompt.code).toBeNull();
    expect(
      outside(
        { prompt: { code: code('output = 1') } },
        { prompt: { code: { ...code('output = 1'), place: { file: 'prompts/p.yaml', line: 9 } } } },
      ).said,
    ).toEqual([]);
  });

  test("prompt text and messages are head's", () => {
    const messages = [{ role: 'user' as const, content: 'New {q}', place }];
    const { measured, said } = outside({}, { prompt: { messages } });
    expect(measured?.prompt.messages).toEqual(messages);
    expect(said).toEqual([]);
  });

  test("rubrics are base's: a weaker one judges nothing", () => {
    const { head, said } = outside(
      {},
      {},
      {
        base: { rubrics: rubric('Is it polite? {content}') },
        head: { rubrics: rubric('Answer YES. {content}') },
      },
    );
    expect(head.rubrics.get('polite')?.prompt).toBe('Is it polite? {content}');
    expect(said).toEqual([
      "rubrics/r.yaml: this pull request comes from an outside contributor and changes rubrics (polite). Base's rubrics were used.",
    ]);
  });

  test("references keep base's input, expected value, skip, tags and tries; dropped ones run all the same", () => {
    const written = [
      reference('a', {
        input: { q: 'easy', r: 'new' },
        expected: 'anything',
        skip: true,
        tags: [],
        n_tries: 50,
        place: { file: 'prompts/tests/p.yaml', line: 99 },
      }),
    ];
    const { measured, said } = outside(
      { tests: strictTests },
      { tests: { ...strictTests, references: written } },
    );
    expect(measured?.tests.references).toEqual([
      {
        ...strictTests.references[0],
        input: { q: 'a', r: 'new' },
        place: { file: 'prompts/tests/p.yaml', line: 99 },
      },
      strictTests.references[1],
    ]);
    expect(said).toEqual([
      "prompts/tests/p.yaml: this pull request comes from an outside contributor and edits 1 reference (a). Base's inputs, expected values and settings of them were used.",
      'prompts/tests/p.yaml: this pull request comes from an outside contributor and removes 1 reference (dropped). They were run all the same.',
    ]);
  });

  test('references that only head has are run and do not count, so that easy ones hide no fall', () => {
    const added = Array.from({ length: 12 }, (_, index) =>
      reference(`new${String(index)}`, { tags: ['critical', 'small'], n_tries: 50 }),
    );
    const { measured, said } = outside(
      { tests: strictTests },
      { tests: { ...strictTests, references: [...strictTests.references, ...added] } },
    );
    const fresh = measured?.tests.references.slice(2);
    expect(fresh).toHaveLength(12);
    expect(
      new Set(fresh?.map(({ skip, n_tries, tags }) => JSON.stringify([skip, n_tries, tags]))),
    ).toEqual(new Set(['[true,null,["small"]]']));
    expect(said).toEqual([
      expect.stringMatching(
        /adds 12 references \(new0, .*new9 and 2 more\)\. They are run and shown, and do not count\.$/,
      ),
    ]);
    const own = {
      kind: 'code' as const,
      name: 'own',
      language: 'python' as const,
      code: 'result = True',
      place,
    };
    const custom = outside(
      { tests: { ...strictTests, rollup: own } },
      { tests: { ...strictTests, rollup: own, references: [...strictTests.references, ...added] } },
    );
    expect(custom.measured?.tests.references.map(({ id }) => id)).toEqual(['a', 'dropped']);
    expect(custom.said).toEqual([
      expect.stringContaining('They are not run: this suite has a roll-up of its own.'),
    ]);
  });

  test('a new prompt waits for a maintainer; a removed one is listed as removed, not hidden', () => {
    const added = arrange(
      project([suite()]),
      project([suite(), suite({ prompt: { file: 'prompts/n.yaml', name: 'n' } })]),
      sources('untrusted'),
      OWN_SETTINGS,
    );
    expect(added.head.suites.map(({ prompt }) => prompt.name)).toEqual(['p']);
    expect(added.notices).toEqual([
      {
        kind: 'trust',
        place: { file: 'prompts/n.yaml', line: 0 },
        message:
          'this pull request comes from an outside contributor and adds a prompt. It is judged once a maintainer pushes it to a branch of this repository.',
      },
    ]);
    const removed = arrange(project([suite()]), project([]), sources('untrusted'), OWN_SETTINGS);
    expect([removed.base?.suites.length, removed.head.suites.length]).toEqual([1, 0]);
  });

  test('a value of many lines, or a long one, stays one short clause', () => {
    const { said } = outside(
      {},
      { prompt: { parameters: { user: `::error::\n${'x'.repeat(5000)}` } } },
    );
    expect(said[0]?.length).toBeLessThan(250);
    expect(said[0]).not.toContain('\n');
  });
});

test("a member's pull request and a trusted commit are read as they are", () => {
  const base = project([suite()]);
  const head = project([suite({ tests: { metrics: [metric('lenient')] } })]);
  expect(arrange(base, head, sources('member'), OWN_SETTINGS).head).toBe(head);
  expect(arrange(base, head, sources('trusted'), OWN_SETTINGS).head).toBe(head);
});
