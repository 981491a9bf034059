import { definitionOf } from '../../../src/config/metric.ts';
import type { MetricAnswer, MetricTools } from '../../../src/metrics/answer.ts';
import type { MetricExample } from '../../../src/metrics/definition.ts';
import { metrics, scoreMetric } from '../../../src/metrics/index.ts';
import { partsOf, type ToolCall } from '../../../src/types/answer.ts';
import type { Metric, MetricLevel, Rubric, Score } from '../../../src/types/metric.ts';
import type {
  Complete,
  Completion,
  Evaluate,
  EvaluateAnswers,
  Request,
  OkCompletion,
} from '../../../src/types/model.ts';
import type { Json } from '../../../src/types/plain.ts';
import { answer } from '../app/run/builders.ts';

export const place = { file: 'prompts/tests/p.yaml', line: 4 };
export const answered = (output: string): OkCompletion => ({
  ...(answer(output) as OkCompletion),
  usage: null,
  latency_ms: 12,
});

export function sample(
  output: string,
  more: Omit<Partial<MetricAnswer>, 'completion'> & {
    completion?: Partial<MetricAnswer['completion']>;
    calls?: ToolCall[];
  } = {},
): MetricAnswer {
  const { calls, ...rest } = more;
  const messages = more.messages ?? [{ role: 'user', content: 'What is asked?' }];
  return {
    input: {},
    expected: undefined,
    messages,
    thread: [...messages, { role: 'assistant', content: output }],
    ...rest,
    completion: {
      ...answered(output),
      ...(calls === undefined ? {} : { parts: partsOf(output, calls) }),
      ...more.completion,
    },
  };
}

export function fromExample({ output, price, ...example }: MetricExample): MetricAnswer {
  const { expected, completion, calls, input, thread, otherAnswer } = example;
  const given = { expected, completion, calls, input, thread, otherAnswer };
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return sample(output, {
    ...(Object.fromEntries(set) as Parameters<typeof sample>[1]),
    ...(price === undefined ? {} : { price: perMillion(price) }),
  });
}

/** Binds the sandbox to the answers of one suite and side, as metrics receive it. */
export function onAnswers(evaluate: Evaluate): EvaluateAnswers {
  return (job) => evaluate({ ...job, suite: 'p', side: 'head' });
}

type Price = { input: number; output: number };
export function perMillion({ input, output }: Price): NonNullable<MetricAnswer['price']> {
  return ({ input_tokens, output_tokens }) => (input_tokens * input + output_tokens * output) / 1e6;
}

export function builtIn(
  uses: string,
  given: Record<string, Json> = {},
  more: Partial<Metric> = {},
): Metric {
  const plain = { threshold: null, level: 'Turn' as const, depends_on: [], skip: false, place };
  const { source = { kind: 'built-in', uses, with: given } } = more;
  return { name: uses, source, ...definitionOf(source, metrics), ...plain, ...more };
}

export function rubricMetric(
  rubric: string,
  level: MetricLevel = 'Turn',
  threshold: number | null = null,
): Metric {
  return builtIn('graded', {}, { source: { kind: 'rubric', rubric }, threshold, level });
}

export function rubricOf(
  prompt: string,
  scores: Record<string, number> = { YES: 1, NO: 0 },
  more: Partial<Rubric> = {},
): Rubric {
  return {
    name: 'is_polite',
    prompt,
    choice_scores: new Map(Object.entries(scores)),
    eval_type: 'cot_classify',
    better: 'higher',
    examples: [],
    place,
    ...more,
  };
}

interface Asking {
  complete: Complete;
  asked: Request[];
}
function asking(reply: (request: Request, index: number) => Completion): Asking {
  const asked: Request[] = [];
  return {
    asked,
    complete: (request) => Promise.resolve(reply(request, asked.push(request) - 1)),
  };
}

/** A grader that returns the replies in order and repeats the last one. */
export function scriptedGrader(...replies: (string | Completion)[]): Asking {
  return asking((_, index) => {
    const reply = replies[Math.min(index, replies.length - 1)];
    if (reply === undefined) throw new Error('the grader was asked, and should not have been');
    return typeof reply === 'string' ? answered(reply) : reply;
  });
}

const openai = (model: string) => ({ provider: 'openai' as const, endpoint: null, model });
export const embedder: MetricTools['embedder'] = {
  target: openai('text-embedding-3-small'),
  parameters: {},
};

/** An embedding model with fixed vectors; throws for any other text. */
export function vectorModel(vectors: Record<string, Json>): Asking {
  return asking((request) => {
    const vector = vectors[request.messages[0]?.content ?? ''];
    if (request.purpose !== 'embedding' || vector === undefined)
      throw new Error(`no vector for ${JSON.stringify(request)}`);
    return answered(typeof vector === 'string' ? vector : JSON.stringify(vector));
  });
}

/** The grader or embedding model of a documented example. */
export function exampleModel({ reply = 'unasked', vectors }: MetricExample): Complete {
  return vectors === undefined ? scriptedGrader(reply).complete : vectorModel(vectors).complete;
}

/** Tools without a model or code: a metric that uses one fails the test. */
export function tools(more: Partial<MetricTools> = {}): MetricTools {
  let count = 0;
  return {
    complete: () => Promise.reject(new Error('no model here')),
    evaluate: () => Promise.reject(new Error('no code here')),
    rubrics: new Map(),
    graders: [{ target: openai('judge'), parameters: { temperature: 0 } }],
    embedder: null,
    random: () => `d${String(++count).padStart(4, '0')}f00d`,
    try: 0,
    ...more,
  };
}

/** The score of one answer. A string as metric is a built-in metric with defaults. */
export async function scored(
  metric: Metric | string,
  answer: MetricAnswer | string,
  more: Partial<MetricTools> = {},
): Promise<Score> {
  const [score, ...others] = await scoreMetric(
    typeof metric === 'string' ? builtIn(metric) : metric,
    [typeof answer === 'string' ? sample(answer) : answer],
    tools(more),
  );
  if (score === undefined || others.length > 0) throw new Error('not one score for one answer');
  return score;
}

/** The score of a built-in metric for an answer and what is expected. */
export const scoredFor = (
  uses: string,
  output: string,
  expected?: Json,
  given: Record<string, Json> = {},
) => scored(builtIn(uses, given), sample(output, { expected }));

export const statusFor = async (...of: Parameters<typeof scoredFor>) =>
  (await scoredFor(...of)).status;
