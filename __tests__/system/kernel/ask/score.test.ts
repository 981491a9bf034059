import type { PlannedTry } from '../../../../src/kernel/ask/execute.ts';
import { scoreAnswers } from '../../../../src/kernel/ask/score.ts';
import { scoreMetric } from '../../../../src/metrics/index.ts';
import type { DependsOn, Metric, MetricLevel, Score } from '../../../../src/types/metric.ts';
import type { HostedTarget, Message } from '../../../../src/types/model.ts';
import type { Json } from '../../../../src/types/plain.ts';
import type { Price } from '../../../../src/types/price.ts';
import {
  answer,
  dependsOn as on,
  metric,
  reference,
  tests,
  scoring,
} from '../../../unit/app/run/builders.ts';
import { rubricOf } from '../../app/run/pipeline.ts';

const uses = (
  name: string,
  built: string,
  given: Record<string, Json> = {},
  more: Partial<Metric> = {},
) => metric(name, { source: { kind: 'built-in', uses: built, with: given }, ...more });

const TARGET: HostedTarget = { provider: 'openai', endpoint: null, model: 'gpt-4o' };

/** The first try of a reference. The same `run` gives the same prompt. */
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
  const [{ scores } = { scores: [] }] = await scoreAnswers(
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

describe("depends_on (a metric's condition on another metric)", () => {
  const has = uses('has', 'contains', { value: 'yes' });
  const then = (condition: DependsOn) =>
    uses('then', 'contains', { value: 'yes' }, { depends_on: [condition] });

  test.each<[Partial<DependsOn>, string, [string, string]]>([
    [{ metric_min_value: 1 }, 'yes', ['pass', 'pass']],
    [{ metric_min_value: 1 }, 'no', ['depends on has of at least 1; it is 0', 'fail']],
    [{ metric_max_value: 0 }, 'yes', ['depends on has of at most 0; it is 1', 'pass']],
    [
      { metric_min_value: 2, metric_max_value: 3 },
      'yes',
      ['depends on has between 2 and 3; it is 1', 'pass'],
    ],
  ])(
    'with the bounds %j is met at both bounds and between them, whatever the order of metrics (answer: %s)',
    async (bounds, output, statuses) => {
      expect(await statusOf({ metrics: [then(on('has', bounds)), has], output })).toEqual(statuses);
    },
  );

  test('can name the other metric by its `uses`', async () => {
    const metrics = [then(on('contains', { metric_max_value: 0 })), has];
    expect(await statusOf({ metrics })).toEqual([
      'depends on contains of at most 0; it is 1',
      'pass',
    ]);
  });

  test.each<[string, Partial<DependsOn>, string]>([
    ['role', { metric_min_value: 1 }, 'pass'],
    ['is_role', { metric_name: 'assistant', metric_min_value: 1 }, 'pass'],
    [
      'role',
      { metric_name: 'user', metric_min_value: 1 },
      'depends on user, which is not a single number for this answer',
    ],
    ['roles', {}, 'depends on roles, which is not a single number for this answer'],
  ])(
    'on the metric %s, whose value is a map, uses its only entry, or the entry that metric_name selects: %j',
    async (name, condition, status) => {
      const role = uses('role', 'is_role', { role: 'assistant' });
      const roles = uses('roles', 'count_messages_per_role', {}, { level: 'Thread' });
      const metrics = [name === 'roles' ? roles : role, then(on(name, condition))];
      expect(await statusOf({ metrics })).toEqual(['pass', status]);
    },
  );

  test('skips its metric, and all metrics that depend on that, if the condition is not met', async () => {
    const metrics = [
      has,
      { ...then(on('has', { metric_max_value: 0 })), name: 'second' },
      then(on('second')),
    ];
    expect(await statusOf({ metrics })).toEqual([
      'pass',
      'depends on has of at most 0; it is 1',
      'depends on second, which has no value for this answer',
    ]);
  });

  test('makes no grader call for a skipped metric and treats an ungraded condition as unmet', async () => {
    const polite = metric('polite', {
      source: { kind: 'rubric', rubric: 'polite' },
      depends_on: [on('has', { metric_min_value: 1 })],
    });
    expect((await scored({ metrics: [has, polite], output: 'no' })).asked).toEqual([]);
    const metrics = [has, polite, then(on('polite'))];
    expect(await statusOf({ metrics, grade: 'who knows' })).toEqual([
      'pass',
      'ungraded',
      'depends on polite, which has no value for this answer',
    ]);
  });
});

describe('depends_on with a condition on an earlier message, turn or thread of both speakers', () => {
  const messages: Message[] = [
    { role: 'system', content: 'Tutor.' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi.' },
    { role: 'user', content: 'Plot x squared' },
  ];
  /** The score of a metric that depends on an object `back` places earlier at a level. */
  const wordsAt = async (level: MetricLevel, back: number, expression: string) => {
    const depends_on = [on('asks', { relative_object_position: back, metric_min_value: 1 })];
    const of = 'both' as const;
    const own = { level: level === 'Thread' ? ('Turn' as const) : level, of, depends_on };
    const metrics = [
      uses('asks', 'message_matches_regex', { expression }, { level, of, skip: true }),
      uses('then', 'contains', { value: 'yes' }, own),
    ];
    return (await statusOf({ metrics, messages }))[1];
  };

  test.each<[MetricLevel, number, string, string]>([
    ['Turn', -1, '^Plot', 'pass'],
    ['Turn', -2, '^Hi', 'pass'],
    ['Message', -3, '^Hello$', 'pass'],
    ['Turn', -1, '^Hello', 'depends on asks of at least 1; it is 0'],
    ['Turn', -4, '.', 'depends on asks of an earlier turn, which does not exist'],
    ['Thread', -1, '.', 'depends on asks of an earlier thread, which does not exist'],
  ])(
    'checks the %s at relative position %i, and is not met if there is none: %s',
    async (level, back, expression, status) => {
      expect(await wordsAt(level, back, expression)).toBe(status);
    },
  );

  test('shows a grader the earlier turn as the text to judge', async () => {
    const of = 'both' as const;
    const asks = metric('asks', { source: { kind: 'rubric', rubric: 'polite' }, of });
    const polite = uses(
      'then',
      'contains',
      { value: 'yes' },
      { of, depends_on: [on('asks', { relative_object_position: -1, metric_min_value: 1 })] },
    );
    const { scores, asked } = await scored({ metrics: [asks, polite], messages });
    expect(scores.map(({ status }) => status)).toEqual(['pass', 'pass']);
    expect(asked.map((text) => /<<<content delimiter>>>\n([^]*?)\n<<<end/.exec(text)?.[1])).toEqual(
      ['assistant: yes', 'user: Plot x squared'],
    );
  });
});

describe('the cost of an answer', () => {
  const cost = uses('cost', 'cost', { max: 0.001 });

  test("is computed from its tokens and the model's price", async () => {
    const price: Price = (_, { input_tokens, output_tokens }) =>
      (3 * input_tokens + 15 * output_tokens) / 1e6;
    // `answer()` reports 3 input tokens and 1 output token.
    expect((await scored({ metrics: [cost], price })).scores).toEqual([
      { metric: 'cost', status: 'pass', value: (3 * 3 + 15) / 1e6, reason: null, skip: false },
    ]);
  });

  test('without a known price is an error, not zero', async () => {
    expect((await scored({ metrics: [cost] })).scores).toMatchObject([
      {
        status: 'error',
        reason: 'the price of the model is not known: set models.<name>.price in the settings',
      },
    ]);
  });
});

describe('graders of several metrics', () => {
  /**
   * Number of pending calls when each answer arrives. No call is answered before all pending ones
   * are sent.
   */
  async function rounds(metrics: Metric[]) {
    const planned = plannedTry(TARGET, 0);
    const of = scoring(tests({ metrics }), {
      rubrics: new Map([['polite', rubricOf('{content}')]]),
      graders: [{ target: TARGET, parameters: {} }],
    });
    let waiting: (() => void)[] = [];
    const sizes: number[] = [];
    let done = false;
    const scored = scoreAnswers(
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
  const graded = (name: string, more: Partial<Metric> = {}) =>
    metric(name, { source: { kind: 'rubric', rubric: 'polite' }, ...more });

  test('are called in parallel, except for metrics that depend on others', async () => {
    const metrics = [
      graded('late', { depends_on: [on('b', { metric_min_value: 1 })] }),
      graded('a'),
      graded('b'),
      graded('last', { depends_on: [on('late'), on('a')] }),
      graded('c'),
    ];
    expect(await rounds(metrics)).toEqual([3, 1, 1]);
  });
});

describe('scoring many answers', () => {
  const many = 2050;
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
    const scored = await scoreAnswers(items, scoring(tests({ metrics })), {
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

  test('returns their scores in order', async () => {
    expect(await judge([has])).toEqual({ passes: expected, batches: [] });
  });

  test("runs the user's code on all of them in one batch", async () => {
    const code = metric('own', {
      source: { kind: 'code', language: 'python', code: 'result = actual == "yes"' },
    });
    expect(await judge([has, code])).toEqual({ passes: expected, batches: [many] });
  });
});
