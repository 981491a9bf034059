import { affectedReferences } from '../../../../src/kernel/select/affected.ts';
import type { Suite } from '../../../../src/kernel/suite/suite.ts';
import { metric, reference, suite, suiteSide, tests } from '../../app/run/builders.ts';
import { rubricOf } from '../../metrics/samples.ts';

const affected = (base: Suite, head: Suite) =>
  affectedReferences(suiteSide('base', base), suiteSide('head', head));
const line = (content: string, at = 6) => ({
  role: 'user' as const,
  content,
  place: { file: 'prompts/p.yaml', line: at },
});
const testing = (...references: ReturnType<typeof reference>[]) => suite({ tests: { references } });
const TESTS = 'prompts/tests/p.yaml';

describe('affected references', () => {
  test('do not include any reference if only comments, positions or names changed', () => {
    const file = 'prompts/q.yaml';
    const places = { model: { file, line: 50 } };
    const messages = [line('Say {q}', 99)];
    const moved = suite({
      prompt: { file, name: 'renamed', messages, places },
      tests: { file: 'prompts/tests/q.yaml' },
    });
    expect(affected(suite(), moved)).toEqual({ because: [], references: [], unaffected: 2 });
  });

  const told = suite({ prompt: { messages: [line('Tell {q}')] } });
  const strict = suite({ tests: { metrics: [metric('has', { threshold: 0.5 })] } });
  test.each([
    ['the prompt text', suite(), told, 'messages', 'prompts/p.yaml'],
    [
      'a parameter that is 0',
      suite(),
      suite({ prompt: { parameters: { temperature: 0 } } }),
      'temperature',
      'prompts/p.yaml',
    ],
    [
      'a parameter that was false',
      suite({ prompt: { parameters: { stream: false } } }),
      suite(),
      'stream',
      'prompts/p.yaml',
    ],
    ['a metric', suite(), strict, 'metrics.has', TESTS],
    [
      'the roll-up',
      suite(),
      suite({ tests: { rollup: { kind: 'at_least', k: 2 } } }),
      'metrics_rollup',
      TESTS,
    ],
  ])('include all if %s changes, and the reason names the setting', (_, base, head, key, file) => {
    const { because, references, unaffected } = affected(base, head);
    expect(because).toEqual([{ key, file }]);
    const both = { change: 'both' };
    expect(references).toMatchObject([
      { reference: { id: 'a' }, ...both },
      { reference: { id: 'b' }, ...both },
    ]);
    expect(unaffected).toBe(0);
  });

  test('include only those whose prompts render differently', () => {
    const asking = (q: string) =>
      testing(reference('a'), reference('b', { input: { q, tone: 'warm' } }));
    const { references, because, unaffected } = affected(asking('b'), asking('b2'));
    expect(references).toMatchObject([{ reference: { id: 'b' }, change: 'edited' }]);
    expect(because).toEqual([{ key: 'references', file: TESTS }]);
    expect(unaffected).toBe(1);
  });

  test("use head's input on base too, so an edited input gives the same request on both sides", () => {
    const edited = testing(reference('a', { input: { q: 'other' } }));
    const [one] = affected(testing(reference('a')), edited).references;
    expect(one?.base).toEqual(one?.head);
  });

  test('are marked as added, removed or edited', () => {
    const base = testing(reference('kept'), reference('edited'), reference('gone'));
    const edited = reference('edited', { expected: 'no' });
    const { references } = affected(base, testing(reference('kept'), edited, reference('new')));
    expect(references.map(({ reference: { id }, change }) => [id, change])).toEqual([
      ['edited', 'edited'],
      ['new', 'added'],
      ['gone', 'removed'],
    ]);
    expect(references[0]?.baseReference?.expected).toBe('yes');
  });

  test("use base's input if a variable was renamed, but a new reference has no request on base", () => {
    const variables = [{ name: 'question', place: { file: 'p', line: 1 } }];
    const asked = (id: string) => reference(id, { input: { question: id } });
    const head = suite({
      prompt: { variables, messages: [line('Say {question}')] },
      tests: { references: [asked('a'), asked('new')] },
    });
    const { references } = affected(testing(reference('a')), head);
    const kinds = references.map(({ base: generation }) => generation?.kind ?? null);
    expect(kinds).toEqual(['request', null]);
  });

  const lacking = [reference('a', { input: {} }), reference('b', { input: {} })];
  test.each([
    ['the prompt text', { prompt: { messages: [line('Tell {q}')] } }],
    ['a parameter', { prompt: { parameters: { temperature: 0 } } }],
    ['a metric', { tests: { metrics: [metric('m')] } }],
  ])('include references that cannot run on either side if %s changes', (_, change) => {
    const own = 'tests' in change ? change.tests : {};
    const head = suite({ ...change, tests: { ...own, references: lacking } });
    const { because, references } = affected(testing(...lacking), head);
    expect(because).not.toEqual([]);
    const impossible = { head: { kind: 'impossible' } };
    expect(references).toMatchObject([
      { reference: { id: 'a' }, ...impossible },
      { reference: { id: 'b' }, ...impossible },
    ]);
  });

  test('exclude references that cannot run if nothing changes', () =>
    expect(affected(testing(...lacking), testing(...lacking))).toMatchObject({
      because: [],
      references: [],
    }));

  test('include all references of a new prompt, and mark all references of a removed prompt as removed', () => {
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

describe('change of the scoring', () => {
  test("includes a rubric's text, but not its examples", () => {
    const graded = tests({
      metrics: [metric('polite', { source: { kind: 'rubric', rubric: 'polite' } })],
    });
    const side = (which: 'base' | 'head', text: string, content?: string) => {
      const place = { file: 'rubrics/r.yaml', line: 1 };
      const given = { context: null, ideal: null, expected: 'YES', place };
      const examples = content === undefined ? [] : [{ ...given, content }];
      const rubric = rubricOf(text, {}, { name: 'polite', examples, place });
      const rubrics = new Map([['polite', rubric]]);
      return suiteSide(which, { prompt: suite().prompt, tests: graded }, { rubrics });
    };
    const base = side('base', 'Is it kind?');
    expect(affectedReferences(base, side('head', 'Is it kind?', 'Hello!')).references).toEqual([]);
    const { because } = affectedReferences(base, side('head', 'Is it polite?'));
    expect(because).toEqual([{ key: 'rubrics.polite', file: 'rubrics/r.yaml' }]);
  });

  test('includes the grader only if a model grades answers', () => {
    const target = { provider: 'openai' as const, endpoint: null, model: 'gpt-4o' };
    const head = suiteSide('head', suite(), { graders: [{ target, parameters: {} }] });
    expect(affectedReferences(suiteSide('base'), head).references).toEqual([]);
  });

  test('does not include the number of tries', () =>
    expect(affected(suite(), suite({ tests: { n_tries: 9 } })).references).toEqual([]));
});

describe('model with an unchanged name', () => {
  test('affects its prompts if its settings change, and the settings file is given as the reason', () => {
    const head = suiteSide('head');
    head.variant.target = { provider: 'openai', endpoint: 'local', model: 'llama3' };
    const { because } = affectedReferences(suiteSide('base'), head);
    expect(because).toEqual([{ key: 'models.gpt-4o', file: 'evaldiff.yaml' }]);
  });

  test('affects no reference if it is a program with the same files in both commits', () => {
    const side = (commit: 'base' | 'head', files: string) => {
      const one = suiteSide(commit);
      const command = ['node', 'a.mjs'];
      one.variant.target = { provider: 'program', model: 'app', command, setup: [], files, commit };
      return one;
    };
    expect(affectedReferences(side('base', 'same'), side('head', 'same')).references).toEqual([]);
    expect(affectedReferences(side('base', 'old'), side('head', 'new')).references).toHaveLength(2);
  });
});
