import { PROMPT, problemsOf, read, suiteFiles, suiteOf } from './tree.ts';

const RUBRIC = {
  'rubrics/r.yaml': 'is_polite: { prompt: "{content}", choice_scores: { YES: 1, NO: 0 } }',
};
const files = (metrics: string, settings = '') => ({
  ...(settings === '' ? {} : { 'evaldiff.yaml': settings }),
  ...RUBRIC,
  ...suiteFiles(
    PROMPT,
    `metrics:\n${metrics}\nreferences:\n  - { id: one, input: { a: 1 }, expected: x }\n`,
  ),
});

describe('grader of a metric', () => {
  test('can be a name, a map, or a list of graders that vote, even without a grader in the settings', async () => {
    const { metrics } = (
      await suiteOf(
        files(
          '  - { rubric: is_polite, grader: gpt-4o }\n  - { uses: closed_qa, with: { criteria: c }, grader: { model: judge, temperature: 1 } }\n  - name: voted\n    rubric: is_polite\n    grader:\n      - a\n      - { model: b, max_tokens: 9 }\n      - c',
        ),
      )
    ).tests;
    expect(
      metrics.map(({ graders }) =>
        graders?.map(({ model, parameters, place }) => [model, parameters, place.line]),
      ),
    ).toEqual([
      [['gpt-4o', {}, 2]],
      [['judge', { temperature: 1 }, 3]],
      [
        ['a', {}, 7],
        ['b', { max_tokens: 9 }, 8],
        ['c', {}, 9],
      ],
    ]);
  });

  test("can also be set for FlexEval's rubrics and for metrics of one reference", async () => {
    const { tests } = await suiteOf({
      'evaldiff.yaml': 'grader: g',
      ...RUBRIC,
      ...suiteFiles(
        PROMPT,
        'metrics:\n  rubric: [{ name: is_polite, grader: own }]\nreferences:\n  - { input: { a: 1 }, metrics: [{ name: also, rubric: is_polite, grader: other }] }\n',
      ),
    });
    expect([
      tests.metrics[0]?.graders?.[0]?.model,
      tests.references[0]?.metrics?.[0]?.graders?.[0]?.model,
    ]).toEqual(['own', 'other']);
  });

  test('is not set if only the settings name a grader', async () => {
    const { metrics } = (await suiteOf(files('  - { rubric: is_polite }', 'grader: g'))).tests;
    expect(metrics[0]).not.toHaveProperty('graders');
  });

  test.each([
    [
      'beside code',
      '{ name: m, code: "metric = result = True", grader: g }',
      'metric "m": grader is only for metrics that a model grades, such as a rubric',
    ],
    [
      'beside a comparison',
      '{ uses: exact_match, grader: g }',
      'metric "exact_match": grader is only for metrics that a model grades, such as a rubric',
    ],
    [
      'with an even number of models',
      '{ rubric: is_polite, grader: [a, b] }',
      'metrics[0].grader has 2 models; name an odd number up to 9, so that there is always a majority',
    ],
    [
      'with a duplicate model',
      '{ rubric: is_polite, grader: [a, b, a] }',
      'metrics[0].grader: "a" is listed twice with the same parameters; keep one, because each model has one vote',
    ],
    [
      'without a model',
      '{ rubric: is_polite, grader: { temperature: 0 } }',
      'metrics[0].grader: "model" is missing',
    ],
    [
      'with an API key',
      '{ rubric: is_polite, grader: { model: a, api_key: sk } }',
      'metrics[0].grader: "api_key" may only be set in the workflow (inputs openai-api-key, anthropic-api-key, … and endpoints)',
    ],
    [
      'of the wrong type',
      '{ rubric: is_polite, grader: 3 }',
      'metrics[0].grader must be a model name, a map with model and parameters, or a list of such models, which vote',
    ],
  ])('%s is rejected at its line', async (_, metric, message) => {
    expect(await problemsOf(files(`  - ${metric}`, 'grader: g'))).toEqual([
      `prompts/tests/p.yaml:2: ${message}`,
    ]);
  });

  test('must be an allowed model, and so must the embedding model', async () => {
    const named = files(
      '  - { rubric: is_polite, grader: own }\n  - { uses: embedding_similarity, with: { model: vectors } }',
      'grader: g\nembeddings: e',
    );
    expect(await problemsOf(named, { allowedModels: ['gpt-4o'] })).toEqual([
      'prompts/tests/p.yaml:2: model "own" is not in allowed-models',
      'prompts/tests/p.yaml:3: model "vectors" is not in allowed-models',
      'evaldiff.yaml:1: model "g" is not in allowed-models',
      'evaldiff.yaml:2: model "e" is not in allowed-models',
    ]);
  });
});

describe('embedding model', () => {
  const metric = '  - { name: near, uses: embedding_similarity }';

  test('is a name or a map with parameters in the settings', async () => {
    const embeddings = async (written: string) =>
      (await read(files(metric, `embeddings: ${written}`))).project.settings.embeddings;
    expect(await embeddings('text-embedding-3-small')).toEqual({
      model: 'text-embedding-3-small',
      parameters: {},
      place: { file: 'evaldiff.yaml', line: 1 },
    });
    expect(await embeddings('{ model: m, dimensions: 512 }')).toMatchObject({
      model: 'm',
      parameters: { dimensions: 512 },
    });
  });

  test('is required in the settings or the metric', async () => {
    expect(await problemsOf(files(metric))).toEqual([
      'prompts/tests/p.yaml:2: metric "near" needs an embedding model: name one in the settings file, embeddings: { model: text-embedding-3-small }, or in the metric, with: { model: … }',
    ]);
    expect(await problemsOf(files(metric.replace(' }', ', with: { model: m } }')))).toEqual([]);
  });

  test.each([
    ['embeddings: [a]', 'embeddings must be a model name, or a map with model and parameters'],
    ['embeddings: { dimensions: 3 }', 'embeddings: "model" is missing'],
    ['embedings: a', 'unknown key "embedings"; did you mean "embeddings"?'],
  ])('with %s is rejected', async (settings, message) => {
    expect(await problemsOf(files('  - { uses: length }', settings))).toEqual([
      `evaldiff.yaml:1: ${message}`,
    ]);
  });
});
