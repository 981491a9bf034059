import type { Reference } from '../../../src/kernel/suite/suite.ts';
import { forecast } from '../../../src/money/forecast.ts';
import { targetsOf, type Prepared } from '../../../src/money/prepared.ts';
import type { Project, Settings } from '../../../src/project/settings.ts';
import type { GraderSettings, Metric } from '../../../src/types/metric.ts';
import type { Request } from '../../../src/types/model.ts';
import type { Json } from '../../../src/types/plain.ts';
import {
  metric,
  modelSettings,
  project,
  reference,
  settings,
  suite,
} from '../../unit/app/run/builders.ts';
import { example, preparedFor, rubricOf, runPipeline } from '../app/run/pipeline.ts';

const [SMALL, LARGE] = ['text-embedding-3-small', 'text-embedding-3-large'];
const named = (model: string, line = 2): GraderSettings => ({
  model,
  parameters: {},
  place: { file: 'evaldiff.yaml', line },
});
const builtIn = (name: string, uses: string, given: Record<string, Json>) =>
  metric(name, { source: { kind: 'built-in', uses, with: given } });
const near = (given: Record<string, Json> = {}) => builtIn('near', 'embedding_similarity', given);
const polite = (...models: string[]) =>
  metric('polite', {
    source: { kind: 'rubric', rubric: 'polite' },
    ...(models.length === 0 ? {} : { graders: models.map((model) => named(model)) }),
  });
const references = Array.from({ length: 4 }, (_, index) => reference(`r${index}`));
const model = (name: string, more: Parameters<typeof modelSettings>[0]): Partial<Settings> => ({
  models: new Map([[name, modelSettings({ model: 'm', price: null, ...more })]]),
});
const program = (name: string) => model(name, { provider: 'program', command: ['x'] });
const embeddings = { embeddings: named(SMALL) };
const grader = { grader: named('gpt-4o') };

function shop(
  metrics: Metric[],
  more: Partial<Settings> = {},
  { content = 'Say {q}', of = references }: { content?: string; of?: Reference[] } = {},
) {
  const place = { file: 'prompts/p.yaml', line: 6 };
  const messages = [{ role: 'user' as const, content, place }];
  const examples = [example('Hello', 'YES'), example('Go', 'NO')];
  return project([suite({ prompt: { messages }, tests: { metrics, references: of } })], {
    settings: settings({ n_tries: 2, ...more }),
    rubrics: new Map([['polite', rubricOf('Is {content} polite?', { examples })]]),
  });
}

const modelsOf = (ready: Prepared) => targetsOf(ready).map(({ model: name }) => name);

/**
 * Answers echo the question. Embeddings of texts with "yes" differ from all others. Graders accept
 * everything.
 */
function scripted({ purpose, messages }: Request, text: string) {
  if (purpose === 'embedding')
    return messages[0]?.content.includes('yes') === true ? '[3,4]' : '[4,3]';
  return purpose === 'prompt' ? text : 'YES';
}
const run = (base: Project | null, head: Project) => runPipeline(base, head, scripted);
const purposes = (requests: Request[], wanted: string) =>
  requests.filter(({ purpose }) => purpose === wanted);

const embedded = (threshold: number) => shop([near({ threshold })], embeddings);
const local = (endpoint: string) => shop([near({ model: 'local' })], model('local', { endpoint }));
const judge = (name: string) => shop([polite('judge')], model('judge', { model: name }));
const own = (name: string) => shop([], {}, { of: [reference('a', { metrics: [polite(name)] })] });
const TESTS = 'prompts/tests/p.yaml';

test.each([
  [
    'another embedding model',
    shop([near()], embeddings),
    shop([near()], { embeddings: named(LARGE) }),
    ['embeddings (evaldiff.yaml)'],
  ],
  ['another bound', embedded(0.8), embedded(0.9), [`metrics.near (${TESTS})`]],
  [
    "another model of a metric's own",
    shop([near()], embeddings),
    shop([near({ model: LARGE })], embeddings),
    [`metrics.near (${TESTS})`],
  ],
  ['another server', local('one'), local('two'), ['embeddings.local (evaldiff.yaml)']],
  ['no change', local('one'), local('one'), []],
  [
    "another grader of a metric's own",
    shop([polite('gpt-a')], grader),
    shop([polite('gpt-b')], grader),
    [`metrics.polite (${TESTS})`],
  ],
  [
    'a grader of the settings that no metric uses',
    shop([polite('gpt-a')], grader),
    shop([polite('gpt-a')], { grader: named('gpt-5') }),
    [],
  ],
  ['another model of a grader', judge('gpt-4o'), judge('gpt-5'), ['grader.judge (evaldiff.yaml)']],
  ['another grader of a reference', own('gpt-a'), own('gpt-b'), [`references (${TESTS})`]],
])('a scoring change is reported with its file and line: %s', async (_, base, head, because) => {
  const { suites } = (await run(base, head)).result;
  const found = suites.flatMap((one) => one.because.map(({ key, file }) => `${key} (${file})`));
  expect(found).toEqual(because);
});

const AT_METRIC = near().place;
const LINE_7 = { file: 'evaldiff.yaml', line: 7 };
test.each<[string, Project, object, RegExp]>([
  [
    'embeddings of Anthropic',
    shop([near()], { embeddings: named('claude-sonnet-4-5', 7) }),
    LINE_7,
    /the model "claude-sonnet-4-5" cannot be used for embeddings: Anthropic has none; name one of OpenAI's/,
  ],
  [
    'embeddings of a program',
    shop([near()], { embeddings: named('app', 7), ...program('app') }),
    LINE_7,
    /the model "app" cannot be used for embeddings: a program returns text/,
  ],
  [
    'embeddings of an unknown model',
    shop([near()], { embeddings: named('bge-small', 7) }),
    LINE_7,
    /it is unknown which provider has the model "bge-small"/,
  ],
  [
    "a metric's model without embeddings",
    shop([near({ model: 'claude-x' })]),
    AT_METRIC,
    /cannot be used for embeddings/,
  ],
  [
    'an unknown grader',
    shop([polite('bge')]),
    { file: 'evaldiff.yaml', line: 2 },
    /it is unknown which provider has the model "bge"/,
  ],
])('an invalid model is an error at its file and line: %s', async (_, head, place, message) => {
  const problem = { place, message: expect.stringMatching(message) };
  expect((await preparedFor(null, head)).problems).toEqual([problem]);
});

describe('embedding_similarity in a run', () => {
  test('requests one embedding per text, and plans, prices and counts these calls separately', async () => {
    const base = shop([near()], embeddings);
    const head = shop([near()], embeddings, { content: 'Say yes {q}' });
    const { result, requests } = await run(base, head);
    const asked = purposes(requests, 'embedding');
    expect(new Set(asked.map(({ messages }) => messages[0]?.content)).size).toBe(4 + 4 + 1);
    for (const request of asked)
      expect(request).toMatchObject({ target: { model: SMALL }, try: 0, schema: null });
    const tries = (value: number) => ({ tries: [{ scores: [{ status: 'pass', value }] }, {}] });
    const [first] = result.suites[0]!.references;
    expect(first).toMatchObject({ base: tries(0.96), head: tries(1) });
    expect(result.usage.by_purpose.embedding?.calls).toBe(asked.length);
    const ready = await preparedFor(base, head);
    expect(ready.plan).toMatchObject({ prompt_calls: 4 * 2 * 2, grader_calls: 4 * 2 * 2 + 1 });
    const { models } = forecast(ready, {
      price: (target, { input_tokens }) =>
        target.model.startsWith('text-') ? (input_tokens * 0.02) / 1e6 : 0,
      stored: () => false,
    });
    expect(models.find(({ purpose }) => purpose === 'embedding')).toMatchObject({
      model: SMALL,
      calls: 17,
      output_tokens: 0,
      cost_usd: expect.any(Number),
    });
    expect(modelsOf(ready)).toContain(SMALL);
  });

  test('is ungraded if the similarity is undefined, and an error if the call for an embedding fails', async () => {
    const one = shop([near()], embeddings, { content: 'New {q}' });
    const with_ = async (vector: string | Error) => {
      const { result } = await runPipeline(null, one, ({ purpose, messages }, text) => {
        if (purpose !== 'embedding') return text;
        return messages[0]?.content === 'yes' ? vector : '[4,3]';
      });
      return result.suites[0]!;
    };
    expect(await with_('[0,0]')).toMatchObject({
      pass_rate: { head: null },
      references: Array(4).fill({ status: 'ungraded' }),
    });
    expect((await with_(new Error('down'))).references[0]?.head?.tries[0]).toMatchObject({
      outcome: 'error',
      scores: [{ status: 'error', reason: 'the embedding failed: down' }],
    });
  });

  test('uses the settings of the model that a metric names', async () => {
    const ollama = { endpoint: 'ollama', model: 'nomic-embed-text' };
    const ready = await preparedFor(null, shop([near({ model: 'local' })], model('local', ollama)));
    expect(ready.problems).toEqual([]);
    expect(targetsOf(ready)).toContainEqual({ provider: 'openai', ...ollama });
  });
});

describe("a metric's own graders", () => {
  test("replace the settings' grader for that metric, at temperature 0", async () => {
    const closed = builtIn('closed', 'criteria', { statements: ['c'] });
    const metrics = [polite('gpt-a', 'gpt-b', 'gpt-c'), closed];
    const one = shop(metrics, grader, { of: references.slice(0, 1) });
    const { result, requests, planned } = await run(null, one);
    const graded = purposes(requests, 'grader');
    expect([...new Set(graded.map(({ target }) => target.model))].sort()).toEqual([
      'gpt-4o',
      'gpt-a',
      'gpt-b',
      'gpt-c',
    ]);
    for (const { parameters } of graded) expect(parameters['temperature']).toBe(0);
    const [score] = result.suites[0]!.references[0]!.head!.tries[0]!.scores;
    expect(score?.reason).toContain('(3 of 3 graders)');
    // Two tries with three graders and with one, and two examples of a new rubric with three.
    expect(planned).toBe(2 + 2 * 3 + 2 * 1 + 2 * 3);
    expect(graded).toHaveLength(2 * 3 + 2 + 2 * 3);
  });

  test('need API keys but no grader in the settings, and are priced by model', async () => {
    const ready = await preparedFor(null, shop([polite('gpt-a')]));
    expect(ready.problems).toEqual([]);
    expect(modelsOf(ready)).toContain('gpt-a');
    const also = { ...polite(), name: 'also' };
    const both = await preparedFor(null, shop([polite('gpt-a'), also], grader));
    const { models } = forecast(both, { price: () => 0, stored: () => false });
    const graders = models.filter(({ purpose }) => purpose === 'grader');
    expect(graders.map(({ model: name, calls }) => [name, calls])).toEqual([
      ['gpt-a', 8 + 2],
      ['gpt-4o', 8 + 2],
    ]);
    const refused = await preparedFor(null, shop([polite('app')], program('app')));
    expect(refused.problems[0]?.message).toContain('It runs only with code: host');
  });

  test("are tested on the rubric's labelled examples, with one result table per set of graders", async () => {
    const two = shop([polite('gpt-a'), { ...polite(), name: 'also' }], grader);
    const tables = async (base: Project | null) => {
      const { graders } = (await run(base, two)).result;
      return graders.map(({ rubric, side }) => `${rubric} ${side}`);
    };
    expect(await tables(shop([polite()], grader))).toEqual([
      'polite (gpt-a) base',
      'polite (gpt-a) head',
    ]);
    expect(await tables(null)).toEqual(['polite (gpt-a) head', 'polite (gpt-4o) head']);
  });
});
