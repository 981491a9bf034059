import { describe, expect, test } from '@jest/globals';
import { prepare } from '../../../src/app/run/prepare.ts';
import { targetsOf, type Prepared } from '../../../src/kernel/plan/prepared.ts';
import type {
  ModelSettings,
  Project,
  Reference,
  Settings,
} from '../../../src/kernel/suite/suite.ts';
import { forecast } from '../../../src/money/forecast.ts';
import { arrange } from '../../../src/trust/arrange.ts';
import { sources } from '../../../src/trust/trust.ts';
import type { GraderSettings, Metric } from '../../../src/types/metric.ts';
import type { Request } from '../../../src/types/model.ts';
import type { Json } from '../../../src/types/plain.ts';
import type { SourceTree } from '../../../src/types/repository.ts';
import { OWN_SETTINGS } from '../../stand-ins/features.ts';
import { metric, project, reference, settings, suite } from '../../unit/app/run/builders.ts';
import { example, rubricOf, runPipeline } from '../app/run/pipeline.ts';

const tree = (commit: string): SourceTree => ({
  commit,
  files: new Map(),
  irregular: new Map(),
  read: async () => new Uint8Array(),
});
const named = (model: string, line = 2): GraderSettings => ({
  model,
  parameters: {},
  place: { file: 'evaldiff.yaml', line },
});
const near = (given: Record<string, Json> = {}): Metric =>
  metric('near', { source: { kind: 'built-in', uses: 'embedding_similarity', with: given } });
const polite = (...models: string[]): Metric =>
  metric('polite', {
    source: { kind: 'rubric', rubric: 'polite' },
    ...(models.length === 0 ? {} : { graders: models.map((model) => named(model)) }),
  });
const references = Array.from({ length: 4 }, (_, index) => reference(`r${String(index)}`));
const entry = (more: Partial<ModelSettings>): ModelSettings => ({
  provider: 'openai',
  endpoint: null,
  model: 'm',
  price: null,
  command: [],
  files: [],
  setup: [],
  file: null,
  replaces: [],
  place: { file: 'evaldiff.yaml', line: 9 },
  ...more,
});

interface Shape {
  content?: string;
  metrics: Metric[];
  more?: Partial<Settings>;
  of?: Reference[];
}

function shop({ content = 'Say {q}', metrics, more = {}, of = references }: Shape): Project {
  const place = { file: 'prompts/p.yaml', line: 6 };
  return project(
    [
      suite({
        prompt: { messages: [{ role: 'user', content, place }] },
        tests: { metrics, references: of },
      }),
    ],
    {
      settings: settings({ n_tries: 2, ...more }),
      rubrics: new Map([
        [
          'polite',
          rubricOf('Is {content} polite?', {
            examples: [example('Hello', 'YES'), example('Go', 'NO')],
          }),
        ],
      ]),
    },
  );
}

function prepared(base: Project | null, head: Project): Prepared {
  return prepare(
    {
      mode: 'diff',
      base: base && tree('b'.repeat(40)),
      head: tree('h'.repeat(40)),
      maxCalls: null,
      failOn: null,
      code: 'sandbox',
      today: '2026-01-01',
    },
    arrange(base, head, sources('member'), OWN_SETTINGS),
    (text) => text,
  );
}

/**
 * Answers echo the question; a vector tells "yes" and all that says so from the rest; every grader
 * likes what it sees.
 */
function scripted({ purpose, messages }: Request, text: string): string {
  if (purpose === 'embedding')
    return messages[0]?.content.includes('yes') === true ? '[3,4]' : '[4,3]';
  return purpose === 'prompt' ? text : 'YES';
}

const because = async (base: Project, head: Project): Promise<string[]> =>
  (await runPipeline(base, head, scripted)).result.suites.flatMap((suite) =>
    suite.because.map(({ key, file }) => `${key} (${file})`),
  );

describe('embedding_similarity in a run', () => {
  const embeddings = { embeddings: named('text-embedding-3-small') };

  test('asks once for each text, counts it apart, and plans and prices what it asks', async () => {
    const [base, head] = [
      shop({ metrics: [near()], more: embeddings }),
      shop({ content: 'Say yes {q}', metrics: [near()], more: embeddings }),
    ];
    const { result, requests } = await runPipeline(base, head, scripted);
    const asked = requests.filter(({ purpose }) => purpose === 'embedding');
    expect(new Set(asked.map(({ messages }) => messages[0]?.content)).size).toBe(4 + 4 + 1);
    expect(
      new Set(
        asked.map(
          ({ target: { model }, try: index, schema }) =>
            `${model} ${String(index)} ${String(schema)}`,
        ),
      ),
    ).toEqual(new Set(['text-embedding-3-small 0 null']));
    expect(result.suites[0]?.references[0]).toMatchObject({
      base: { tries: [{ scores: [{ status: 'pass', value: 0.96 }] }, {}] },
      head: { tries: [{ scores: [{ status: 'pass', value: 1 }] }, {}] },
    });
    expect(result.usage.by_purpose.embedding?.calls).toBe(asked.length);
    const ready = prepared(base, head);
    expect(ready.plan).toMatchObject({ prompt_calls: 4 * 2 * 2, grader_calls: 4 * 2 * 2 + 1 });
    const { models } = forecast(ready, {
      price: (target, usage) =>
        target.model.startsWith('text-') ? (usage.input_tokens * 0.02) / 1e6 : 0,
      stored: () => false,
    });
    expect(models.find(({ purpose }) => purpose === 'embedding')).toMatchObject({
      model: 'text-embedding-3-small',
      calls: 17,
      output_tokens: 0,
      cost_usd: expect.any(Number),
    });
    expect(targetsOf(ready).map(({ model }) => model)).toContain('text-embedding-3-small');
  });

  test('an undefined similarity is ungraded and in no rate, and a failed call is an error', async () => {
    const one = shop({ content: 'New {q}', metrics: [near()], more: embeddings });
    const run = async (vector: string | Error) =>
      (
        await runPipeline(null, one, (request, text) =>
          request.purpose !== 'embedding'
            ? text
            : request.messages[0]?.content === 'yes'
              ? vector
              : '[4,3]',
        )
      ).result;
    const zero = await run('[0,0]');
    expect(zero.suites[0]).toMatchObject({
      pass_rate: { head: null },
      references: Array(4).fill({ status: 'ungraded' }),
    });
    expect((await run(new Error('down'))).suites[0]?.references[0]?.head?.tries[0]).toMatchObject({
      outcome: 'error',
      scores: [{ status: 'error', reason: 'the embedding failed: down' }],
    });
  });

  test('another model, bound or server is a change of the scoring and is named where it is written', async () => {
    const before = shop({ metrics: [near()], more: embeddings });
    expect(
      await because(
        before,
        shop({ metrics: [near()], more: { embeddings: named('text-embedding-3-large') } }),
      ),
    ).toEqual(['embeddings (evaldiff.yaml)']);
    expect(
      await because(before, shop({ metrics: [near({ threshold: 0.9 })], more: embeddings })),
    ).toEqual(['metrics.near (prompts/tests/p.yaml)']);
    expect(
      await because(
        before,
        shop({ metrics: [near({ model: 'text-embedding-3-large' })], more: embeddings }),
      ),
    ).toEqual(['metrics.near (prompts/tests/p.yaml)']);
    const local = (endpoint: string): Project =>
      shop({
        metrics: [near({ model: 'local' })],
        more: { models: new Map([['local', entry({ endpoint })]]) },
      });
    expect(await because(local('one'), local('two'))).toEqual(['embeddings.local (evaldiff.yaml)']);
    expect(await because(local('one'), local('one'))).toEqual([]);
  });

  test.each<[string, Partial<Settings>, RegExp]>([
    [
      'Anthropic',
      { embeddings: named('claude-sonnet-4-5', 7) },
      /the model "claude-sonnet-4-5" gives no embeddings: Anthropic has none; name one of OpenAI's/,
    ],
    [
      'a program',
      {
        embeddings: named('app', 7),
        models: new Map([['app', entry({ provider: 'program', command: ['x'] })]]),
      },
      /the model "app" gives no embeddings: a program answers in words/,
    ],
    [
      'an unknown model',
      { embeddings: named('bge-small', 7) },
      /no provider is known for the model "bge-small"/,
    ],
  ])('%s is refused where it is named', (_, more, message) => {
    expect(prepared(null, shop({ metrics: [near()], more })).problems).toEqual([
      { place: { file: 'evaldiff.yaml', line: 7 }, message: expect.stringMatching(message) },
    ]);
  });

  test('a model that the metric names is found by the settings, and refused at the metric', () => {
    expect(prepared(null, shop({ metrics: [near({ model: 'claude-x' })] })).problems).toEqual([
      { place: near().place, message: expect.stringContaining('gives no embeddings') },
    ]);
    const ready = prepared(
      null,
      shop({
        metrics: [near({ model: 'local' })],
        more: {
          models: new Map([['local', entry({ endpoint: 'ollama', model: 'nomic-embed-text' })]]),
        },
      }),
    );
    expect(ready.problems).toEqual([]);
    expect(targetsOf(ready)).toContainEqual({
      provider: 'openai',
      endpoint: 'ollama',
      model: 'nomic-embed-text',
    });
  });
});

describe('graders that a metric names for itself', () => {
  const settingsGrader = { grader: named('gpt-4o') };
  const graded = (requests: Request[]): string[] =>
    [
      ...new Set(
        requests
          .filter(({ purpose }) => purpose === 'grader')
          .map(({ target: { model } }) => model),
      ),
    ].sort();

  test("grade in place of the settings', each at temperature 0; other metrics keep the settings'", async () => {
    const metrics = [
      polite('gpt-a', 'gpt-b', 'gpt-c'),
      metric('closed', {
        source: { kind: 'built-in', uses: 'closed_qa', with: { criteria: 'c' } },
      }),
    ];
    const { result, requests, planned } = await runPipeline(
      null,
      shop({ metrics, more: settingsGrader, of: references.slice(0, 1) }),
      scripted,
    );
    expect(graded(requests)).toEqual(['gpt-4o', 'gpt-a', 'gpt-b', 'gpt-c']);
    expect(
      requests
        .filter(({ purpose }) => purpose === 'grader')
        .every(({ parameters }) => parameters['temperature'] === 0),
    ).toBe(true);
    expect(result.suites[0]?.references[0]?.head?.tries[0]?.scores[0]?.reason).toContain(
      '(3 of 3 graders)',
    );
    // Two tries by three voters and by one, and two examples of a new rubric by three.
    expect(planned).toBe(2 + 2 * 3 + 2 * 1 + 2 * 3);
    expect(requests.filter(({ purpose }) => purpose === 'grader')).toHaveLength(2 * 3 + 2 + 2 * 3);
  });

  test('are enough by themselves, are asked for their keys, and are priced by model', () => {
    const ready = prepared(null, shop({ metrics: [polite('gpt-a')] }));
    expect(ready.problems).toEqual([]);
    expect(targetsOf(ready).map(({ model }) => model)).toContain('gpt-a');
    const { models } = forecast(
      prepared(
        null,
        shop({
          metrics: [
            polite('gpt-a'),
            metric('also', { source: { kind: 'rubric', rubric: 'polite' } }),
          ],
          more: settingsGrader,
        }),
      ),
      { price: () => 0, stored: () => false },
    );
    expect(
      models
        .filter(({ purpose }) => purpose === 'grader')
        .map(({ model, calls, refusals }) => [model, calls, refusals]),
    ).toEqual([
      // Unknown: two forms of an answer and the temperature may be refused.
      ['gpt-a', 8 + 2, 3],
      ['gpt-4o', 8 + 2, undefined],
    ]);
    expect(prepared(null, shop({ metrics: [polite('bge')] })).problems).toEqual([
      {
        place: { file: 'evaldiff.yaml', line: 2 },
        message: expect.stringContaining('no provider is known for the model "bge"'),
      },
    ]);
    expect(
      prepared(
        null,
        shop({
          metrics: [polite('app')],
          more: { models: new Map([['app', entry({ provider: 'program', command: ['x'] })]]) },
        }),
      ).problems[0]?.message,
    ).toContain('It runs only with code: host');
  });

  test('are part of the scoring; a grader of the settings that no metric is left to is none', async () => {
    const before = shop({ metrics: [polite('gpt-a')], more: settingsGrader });
    expect(
      await because(before, shop({ metrics: [polite('gpt-b')], more: settingsGrader })),
    ).toEqual(['metrics.polite (prompts/tests/p.yaml)']);
    expect(
      await because(before, shop({ metrics: [polite('gpt-a')], more: { grader: named('gpt-5') } })),
    ).toEqual([]);
    const judge = (model: string): Project =>
      shop({
        metrics: [polite('judge')],
        more: { models: new Map([['judge', entry({ model })]]) },
      });
    expect(await because(judge('gpt-4o'), judge('gpt-5'))).toEqual([
      'grader.judge (evaldiff.yaml)',
    ]);
    const own = (model: string): Project =>
      shop({ metrics: [], of: [reference('a', { metrics: [polite(model)] })] });
    expect(await because(own('gpt-a'), own('gpt-b'))).toEqual([
      'references (prompts/tests/p.yaml)',
    ]);
  });

  test("are tested on the rubric's examples, one table for each set of graders", async () => {
    const two = shop({
      metrics: [polite('gpt-a'), { ...polite(), name: 'also' }],
      more: settingsGrader,
    });
    const { result } = await runPipeline(
      shop({ metrics: [polite()], more: settingsGrader }),
      two,
      scripted,
    );
    expect(result.graders.map(({ rubric, side }) => `${rubric} ${side}`)).toEqual([
      'polite (gpt-a) base',
      'polite (gpt-a) head',
    ]);
    const fresh = await runPipeline(null, two, scripted);
    expect(fresh.result.graders.map(({ rubric }) => rubric)).toEqual([
      'polite (gpt-a)',
      'polite (gpt-4o)',
    ]);
  });
});
