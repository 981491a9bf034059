import { describe, expect, test } from '@jest/globals';
import { WINDOW, type PlannedTry } from '../../../../src/kernel/ask/execute.ts';
import { scoreItems } from '../../../../src/kernel/ask/score.ts';
import type { Price } from '../../../../src/kernel/plan/price.ts';
import { scoreMetric } from '../../../../src/metrics/index.ts';
import type { DependsOn, Metric, MetricLevel, Score } from '../../../../src/types/metric.ts';
import type { HostedTarget, Message } from '../../../../src/types/model.ts';
import type { Json } from '../../../../src/types/plain.ts';
import { answer, metric, reference, tests, scoring } from '../../../unit/app/run/builders.ts';
import { rubricOf } from '../../app/run/pipeline.ts';

const on = (name: string, more: Partial<DependsOn> = {}): DependsOn => ({
  name,
  type: null,
  kwargs: null,
  metric_name: null,
  metric_level: null,
  relative_object_position: 0,
  metric_min_value: -Number.MAX_VALUE,
  metric_max_value: Number.MAX_VALUE,
  place: { file: 'prompts/tests/p.yaml', line: 3 },
  ...more,
});
const uses = (
  name: string,
  built: string,
  given: Record<string, Json> = {},
  more: Partial<Metric> = {},
): Metric => metric(name, { source: { kind: 'built-in', uses: built, with: given }, ...more });

const TARGET: HostedTarget = { provider: 'openai', endpoint: null, model: 'gpt-4o' };

/** The first try of a reference; with the same run it is the same question. */
const plannedTry = (target: HostedTarget, run: number, messages: Message[] = []): PlannedTry => ({
  run,
  suite: 'p',
  side: 'head',
  try: 0,
  answerer: null,
  generation: { kind: 'request', target, parameters: {}, messages, fingerprint: String(run) },
});

interface Setting {
  metrics: Metric[];
  output?: string;
  messages?: Message[];
  price?: Price;
  grade?: string;
}

async function scored({
  metrics,
  output = 'yes',
  messages = [{ role: 'user', content: 'Say yes' }],
  price = () => null,
  grade = 'YES',
}: Setting): Promise<{ scores: Score[]; asked: string[] }> {
  const asked: string[] = [];
  const planned = plannedTry(TARGET, 0, messages);
  const of = scoring(tests({ metrics }), {
    rubrics: new Map([['polite', rubricOf('{content}')]]),
    graders: [{ target: TARGET, parameters: {} }],
  });
  const [{ scores } = { scores: [] }] = await scoreItems(
    [
      {
        answer: { planned, messages, completion: answer(output), own: null },
        reference: reference('a'),
      },
    ],
    of,
    {
      complete: async (request) => {
        asked.push(request.messages.at(-1)?.content ?? '');
        return answer(grade);
      },
      evaluate: async () => {
        throw new Error('no code runs here');
      },
      random: () => 'delimiter',
      scoreMetric,
      price,
    },
  );
  return { scores, asked };
}

const statusOf = async (setting: Setting): Promise<(string | null)[]> =>
  (await scored(setting)).scores.map(({ status, reason }) =>
    status === 'skipped' ? reason : status,
  );

describe('depends_on', () => {
  const has = uses('has', 'contains', { value: 'yes' });
  const after = (condition: DependsOn) => [
    uses('then', 'contains', { value: 'yes' }, { depends_on: [condition] }),
    has,
  ];

  test('holds within its bounds, inclusive, wherever the other metric stands in the file', async () => {
    expect(await statusOf({ metrics: after(on('has', { metric_min_value: 1 })) })).toEqual([
      'pass',
      'pass',
    ]);
    expect(
      await statusOf({ metrics: after(on('has', { metric_min_value: 1 })), output: 'no' }),
    ).toEqual(['depends on has of at least 1; it is 0', 'fail']);
    expect(await statusOf({ metrics: after(on('has', { metric_max_value: 0 })) })).toEqual([
      'depends on has of at most 0; it is 1',
      'pass',
    ]);
    expect(
      await statusOf({ metrics: after(on('has', { metric_min_value: 2, metric_max_value: 3 })) }),
    ).toEqual(['depends on has between 2 and 3; it is 1', 'pass']);
  });

  test('may name what the other metric uses', async () => {
    const metrics = [
      uses('then', 'is_json', {}, { depends_on: [on('contains', { metric_min_value: 1 })] }),
      has,
    ];
    expect(await statusOf({ metrics, output: 'no' })).toEqual([
      'depends on contains of at least 1; it is 0',
      'fail',
    ]);
  });

  test('reads the only entry of a map, or the one that metric_name says', async () => {
    const role = uses('role', 'is_role', { role: 'assistant' });
    const roles = uses('roles', 'count_messages_per_role', {}, { level: 'Thread' });
    const then = (condition: DependsOn) =>
      uses('then', 'contains', { value: 'yes' }, { depends_on: [condition] });
    expect(await statusOf({ metrics: [role, then(on('role', { metric_min_value: 1 }))] })).toEqual([
      'pass',
      'pass',
    ]);
    expect(
      await statusOf({
        metrics: [role, then(on('is_role', { metric_name: 'assistant', metric_min_value: 1 }))],
      }),
    ).toEqual(['pass', 'pass']);
    expect(
      await statusOf({
        metrics: [role, then(on('role', { metric_name: 'user', metric_min_value: 1 }))],
      }),
    ).toEqual(['pass', 'depends on user, which has no single number here']);
    expect(await statusOf({ metrics: [roles, then(on('roles'))] })).toEqual([
      'pass',
      'depends on roles, which has no single number here',
    ]);
  });

  test('that does not hold is passed on to what depends on it in turn', async () => {
    const metrics = [
      has,
      uses(
        'second',
        'contains',
        { value: 'yes' },
        { depends_on: [on('has', { metric_max_value: 0 })] },
      ),
      uses('third', 'contains', { value: 'yes' }, { depends_on: [on('second')] }),
    ];
    expect(await statusOf({ metrics })).toEqual([
      'pass',
      'depends on has of at most 0; it is 1',
      'depends on second, which has no value here',
    ]);
  });

  test('asks no grader for what does not apply, and treats an ungraded condition as unmet', async () => {
    const polite = metric('polite', {
      source: { kind: 'rubric', rubric: 'polite' },
      depends_on: [on('has', { metric_min_value: 1 })],
    });
    expect((await scored({ metrics: [has, polite], output: 'no' })).asked).toEqual([]);
    const then = uses('then', 'contains', { value: 'yes' }, { depends_on: [on('polite')] });
    expect(await statusOf({ metrics: [has, polite, then], grade: 'who knows' })).toEqual([
      'pass',
      'ungraded',
      'depends on polite, which has no value here',
    ]);
  });
});

describe('depends_on an earlier object', () => {
  const messages: Message[] = [
    { role: 'system', content: 'Tutor.' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi.' },
    { role: 'user', content: 'Plot x squared' },
  ];
  const then = (
    level: MetricLevel,
    back: number,
    uses_: string,
    given: Record<string, Json>,
  ): Metric[] => [
    uses('asks', uses_, given, { level, skip: true }),
    uses(
      'then',
      'contains',
      { value: 'yes' },
      {
        level: level === 'Thread' ? 'Turn' : level,
        depends_on: [on('asks', { relative_object_position: back, metric_min_value: 1 })],
      },
    ),
  ];
  const wordsAt = async (
    level: MetricLevel,
    back: number,
    pattern: string,
  ): Promise<string | null | undefined> =>
    (
      await statusOf({
        metrics: then(level, back, 'message_matches_regex', { expression: pattern }),
        messages,
      })
    )[1];

  test('judges the turn or message that many places back', async () => {
    expect(await wordsAt('Turn', -1, '^Plot')).toBe('pass');
    expect(await wordsAt('Turn', -2, '^Hi')).toBe('pass');
    expect(await wordsAt('Message', -3, '^Hello$')).toBe('pass');
    expect(await wordsAt('Turn', -1, '^Hello')).toBe('depends on asks of at least 1; it is 0');
  });

  test('does not hold before the start, nor where there is one object only', async () => {
    expect(await wordsAt('Turn', -4, '.')).toBe(
      'depends on asks of an earlier turn, and there is none',
    );
    expect(await wordsAt('Thread', -1, '.')).toBe(
      'depends on asks of an earlier thread, and there is none',
    );
  });

  test('shows a grader the dialogue up to there', async () => {
    const asks = metric('asks', { source: { kind: 'rubric', rubric: 'polite' } });
    const polite = uses(
      'then',
      'contains',
      { value: 'yes' },
      { depends_on: [on('asks', { relative_object_position: -1, metric_min_value: 1 })] },
    );
    const { scores, asked } = await scored({ metrics: [asks, polite], messages });
    expect(scores.map(({ status }) => status)).toEqual(['pass', 'pass']);
    expect(asked.map((text) => /<<<content delimiter>>>\n([^]*?)\n<<<end/.exec(text)?.[1])).toEqual(
      ['assistant: yes', 'user: Plot x squared'],
    );
  });
});

describe('the price of an answer', () => {
  const cost = uses('cost', 'cost', { max: 0.001 });

  test("is its model's, by its tokens", async () => {
    const price: Price = (_, { input_tokens, output_tokens }) =>
      (3 * input_tokens + 15 * output_tokens) / 1e6;
    // answer() takes 3 tokens in and 1 out.
    expect((await scored({ metrics: [cost], price })).scores).toEqual([
      { metric: 'cost', status: 'pass', value: (3 * 3 + 15) / 1e6, reason: null, skip: false },
    ]);
  });

  test('that nobody knows is not a price of zero', async () => {
    expect((await scored({ metrics: [cost] })).scores).toMatchObject([
      {
        status: 'error',
        reason: 'the price of the model is not known: set models.<name>.price in the settings',
      },
    ]);
  });
});

describe('graders that are asked in batches', () => {
  /**
   * What was asked before each answer was given: everything there is to ask goes out first, then
   * all of it is answered.
   */
  async function rounds(transport: 'batch' | 'direct', metrics: Metric[]): Promise<number[]> {
    const target: HostedTarget = {
      ...TARGET,
      ...(transport === 'batch' ? { transport } : {}),
    };
    const planned = plannedTry(target, 0);
    const of = scoring(tests({ metrics }), {
      rubrics: new Map([['polite', rubricOf('{content}')]]),
      graders: [{ target, parameters: {} }],
    });
    let waiting: (() => void)[] = [];
    const sizes: number[] = [];
    let done = false;
    const scored = scoreItems(
      [
        {
          answer: { planned, messages: [], completion: answer('yes'), own: null },
          reference: reference('a'),
        },
      ],
      of,
      {
        complete: () =>
          new Promise((resolve) => {
            waiting.push(() => {
              resolve(answer('YES'));
            });
          }),
        evaluate: async () => {
          throw new Error('no code runs here');
        },
        random: () => 'delimiter',
        scoreMetric,
        price: () => null,
      },
    ).finally(() => {
      done = true;
    });
    while (!done) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      if (waiting.length > 0) sizes.push(waiting.length);
      const round = waiting;
      waiting = [];
      for (const settle of round) settle();
    }
    const [{ scores } = { scores: [] }] = await scored;
    expect(scores.map(({ metric: name }) => name)).toEqual(metrics.map(({ name }) => name));
    expect(scores.every(({ status }) => status === 'pass')).toBe(true);
    return sizes;
  }
  const graded = (name: string, more: Partial<Metric> = {}): Metric =>
    metric(name, { source: { kind: 'rubric', rubric: 'polite' }, ...more });

  test('are asked for all metrics at once that wait for no other', async () => {
    const metrics = [
      graded('late', { depends_on: [on('b', { metric_min_value: 1 })] }),
      graded('a'),
      graded('b'),
      graded('last', { depends_on: [on('late'), on('a')] }),
      graded('c'),
    ];
    expect(await rounds('batch', metrics)).toEqual([3, 1, 1]);
    expect(await rounds('direct', metrics)).toEqual([1, 1, 1, 1, 1]);
  });
});

describe('more answers than are scored at once', () => {
  const many = WINDOW + 2;
  const items = Array.from({ length: many }, (_, index) => ({
    answer: {
      planned: plannedTry(TARGET, index),
      messages: [],
      completion: answer(index % 3 === 0 ? 'yes' : 'no'),
      own: null,
    },
    reference: reference(String(index)),
  }));
  const has = uses('has', 'contains', { value: 'yes' });
  const judge = async (metrics: Metric[]): Promise<{ passes: boolean[]; batches: number[] }> => {
    const batches: number[] = [];
    const scored = await scoreItems(items, scoring(tests({ metrics })), {
      complete: async () => answer('YES'),
      evaluate: async ({ inputs }) => {
        batches.push(inputs.length);
        return inputs.map(({ actual }) => ({
          status: 'ok' as const,
          values: { metric: 1, result: actual === 'yes' },
        }));
      },
      random: () => 'delimiter',
      scoreMetric,
      price: () => null,
    });
    return {
      passes: scored.map(({ scores }) => scores.every(({ status }) => status === 'pass')),
      batches,
    };
  };
  const expected = items.map((_, index) => index % 3 === 0);

  test('get each its own score, in their order', async () => {
    expect(await judge([has])).toEqual({ passes: expected, batches: [] });
  });

  test("are one batch for the user's code, which may keep state that a repetition must find", async () => {
    const code = metric('own', {
      source: { kind: 'code', language: 'python', code: 'result = actual == "yes"' },
    });
    expect(await judge([has, code])).toEqual({ passes: expected, batches: [many] });
  });
});
