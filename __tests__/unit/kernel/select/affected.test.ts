import { describe, expect, test } from '@jest/globals';
import { affectedReferences } from '../../../../src/kernel/select/affected.ts';
import type { Suite } from '../../../../src/kernel/suite/suite.ts';
import type { Rubric } from '../../../../src/types/metric.ts';
import { metric, reference, suite, suiteSide, tests } from '../../app/run/builders.ts';

const affected = (base: Suite, head: Suite) =>
  affectedReferences(suiteSide('base', base), suiteSide('head', head));
const line = (content: string, at = 6) => ({
  role: 'user' as const,
  content,
  place: { file: 'prompts/p.yaml', line: at },
});

describe('what a change affects', () => {
  test('is nothing when only comments, places or names moved', () => {
    const moved = suite({
      prompt: {
        file: 'prompts/q.yaml',
        name: 'renamed',
        messages: [line('Say {q}', 99)],
        places: { model: { file: 'prompts/q.yaml', line: 50 } },
      },
    });
    expect(affected(suite(), moved)).toEqual({ because: [], references: [], unaffected: 2 });
  });

  test('is every reference when the prompt text changes, because of its messages', () => {
    const { because, references, unaffected } = affected(
      suite(),
      suite({ prompt: { messages: [line('Tell {q}')] } }),
    );
    expect(because).toEqual([{ key: 'messages', file: 'prompts/p.yaml' }]);
    expect(references.map(({ reference: { id }, change }) => [id, change])).toEqual([
      ['a', 'both'],
      ['b', 'both'],
    ]);
    expect(unaffected).toBe(0);
  });

  test('names the parameter that changed, also when it is 0 or false', () => {
    expect(
      affected(suite(), suite({ prompt: { parameters: { temperature: 0 } } })).because,
    ).toEqual([{ key: 'temperature', file: 'prompts/p.yaml' }]);
    expect(affected(suite({ prompt: { parameters: { stream: false } } }), suite()).because).toEqual(
      [{ key: 'stream', file: 'prompts/p.yaml' }],
    );
  });

  test('is only the references that render differently', () => {
    const base = suite({
      tests: { references: [reference('a'), reference('b', { input: { q: 'b', tone: 'warm' } })] },
    });
    const head = suite({
      tests: { references: [reference('a'), reference('b', { input: { q: 'b2', tone: 'warm' } })] },
    });
    const { references, because, unaffected } = affected(base, head);
    expect(references.map(({ reference: { id }, change }) => [id, change])).toEqual([
      ['b', 'edited'],
    ]);
    expect(because).toEqual([{ key: 'references', file: 'prompts/tests/p.yaml' }]);
    expect(unaffected).toBe(1);
  });

  test("asks base with head's input, so that an edited input alone asks the same on both sides", () => {
    const base = suite({ tests: { references: [reference('a')] } });
    const head = suite({ tests: { references: [reference('a', { input: { q: 'other' } })] } });
    const [one] = affected(base, head).references;
    expect(one?.base).toEqual(one?.head);
  });

  test('tells an added, a removed and an edited expectation apart', () => {
    const base = suite({
      tests: { references: [reference('kept'), reference('edited'), reference('gone')] },
    });
    const head = suite({
      tests: {
        references: [reference('kept'), reference('edited', { expected: 'no' }), reference('new')],
      },
    });
    const { references } = affected(base, head);
    expect(references.map(({ reference: { id }, change }) => [id, change])).toEqual([
      ['edited', 'edited'],
      ['new', 'added'],
      ['gone', 'removed'],
    ]);
    expect(references[0]?.baseReference?.expected).toBe('yes');
  });

  test("uses base's own input where a variable was renamed, and has no base where that fails too", () => {
    const base = suite({ tests: { references: [reference('a')] } });
    const renamed = {
      variables: [{ name: 'question', place: { file: 'p', line: 1 } }],
      messages: [line('Say {question}')],
    };
    const head = suite({
      prompt: renamed,
      tests: {
        references: [
          reference('a', { input: { question: 'a' } }),
          reference('new', { input: { question: 'n' } }),
        ],
      },
    });
    const { references } = affected(base, head);
    expect(references.map(({ base: generation }) => generation?.kind ?? null)).toEqual([
      'request',
      null,
    ]);
  });

  test.each([
    ['the prompt text', { prompt: { messages: [line('Tell {q}')] } }],
    ['a parameter', { prompt: { parameters: { temperature: 0 } } }],
    ['a metric', { tests: { metrics: [metric('m')] } }],
  ])('includes references that cannot run on either side when %s changes', (_, change) => {
    const lacking = [reference('a', { input: {} }), reference('b', { input: {} })];
    const { because, references } = affected(
      suite({ tests: { references: lacking } }),
      suite({
        ...change,
        tests: { ...('tests' in change ? change.tests : {}), references: lacking },
      }),
    );
    expect(because).not.toEqual([]);
    expect(references.map(({ reference: { id }, head }) => [id, head?.kind])).toEqual([
      ['a', 'impossible'],
      ['b', 'impossible'],
    ]);
  });

  test('does not include references that cannot run when nothing changes', () => {
    const lacking = suite({ tests: { references: [reference('a', { input: {} })] } });
    expect(affected(lacking, lacking)).toMatchObject({ because: [], references: [] });
  });

  test('is everything for a new prompt, and a list of what is gone for a removed one', () => {
    expect(affectedReferences(null, suiteSide('head'))).toMatchObject({
      because: [{ key: 'new prompt' }],
      references: [{ base: null, change: 'both' }, { base: null }],
    });
    expect(affectedReferences(suiteSide('base'), null)).toMatchObject({
      because: [{ key: 'removed prompt' }],
      references: [{ change: 'removed' }, { change: 'removed' }],
    });
  });
});

describe('a change of the scoring', () => {
  const rubric = (text: string): Rubric => ({
    name: 'polite',
    prompt: text,
    choice_scores: new Map([
      ['YES', 1],
      ['NO', 0],
    ]),
    eval_type: 'cot_classify',
    notes: null,
    examples: [],
    place: { file: 'rubrics/r.yaml', line: 1 },
  });

  test('affects every reference and names the metric', () => {
    const { because, references } = affected(
      suite(),
      suite({ tests: { metrics: [metric('has', { threshold: 0.5 })] } }),
    );
    expect(because).toEqual([{ key: 'metrics.has', file: 'prompts/tests/p.yaml' }]);
    expect(references).toHaveLength(2);
  });

  test("shows in a rubric's text and file, but not in its notes or examples", () => {
    const graded = tests({
      metrics: [metric('polite', { source: { kind: 'rubric', rubric: 'polite' } })],
    });
    const side = (which: 'base' | 'head', text: string, notes: string | null) =>
      suiteSide(
        which,
        { prompt: suite().prompt, tests: graded },
        { rubrics: new Map([['polite', { ...rubric(text), notes }]]) },
      );
    expect(
      affectedReferences(side('base', 'Is it kind?', null), side('head', 'Is it kind?', 'new note'))
        .references,
    ).toEqual([]);
    expect(
      affectedReferences(side('base', 'Is it kind?', null), side('head', 'Is it polite?', null))
        .because,
    ).toEqual([{ key: 'rubrics.polite', file: 'rubrics/r.yaml' }]);
  });

  test('counts the grader only where something is graded by a model', () => {
    const grader = {
      target: { provider: 'openai' as const, endpoint: null, model: 'gpt-4o' },
      parameters: {},
    };
    expect(
      affectedReferences(suiteSide('base'), suiteSide('head', suite(), { graders: [grader] }))
        .references,
    ).toEqual([]);
  });

  test('shows in the roll-up', () => {
    expect(
      affected(suite(), suite({ tests: { rollup: { kind: 'at_least', k: 2 } } })).because,
    ).toEqual([{ key: 'metrics_rollup', file: 'prompts/tests/p.yaml' }]);
  });

  test('is not a change of how many tries are made', () => {
    expect(affected(suite(), suite({ tests: { n_tries: 9 } })).references).toEqual([]);
  });
});

describe('a model under the same name', () => {
  test('affects its prompts when its settings change, because of the settings file', () => {
    const base = suiteSide('base');
    const head = suiteSide('head');
    head.variant.target = { provider: 'openai', endpoint: 'local', model: 'llama3' };
    expect(affectedReferences(base, head).because).toEqual([
      { key: 'models.gpt-4o', file: 'evaldiff.yaml' },
    ]);
  });

  test('shares its answers when only the checkout of an unchanged program differs', () => {
    const program = (commit: string, files: string) => ({
      provider: 'program' as const,
      model: 'app',
      command: ['node', 'a.mjs'],
      setup: [],
      files,
      commit,
    });
    const side = (which: 'base' | 'head', files: string) => {
      const one = suiteSide(which);
      one.variant.target = program(which, files);
      return one;
    };
    expect(affectedReferences(side('base', 'same'), side('head', 'same')).references).toEqual([]);
    expect(affectedReferences(side('base', 'old'), side('head', 'new')).references).toHaveLength(2);
  });
});
