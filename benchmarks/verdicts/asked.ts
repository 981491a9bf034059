import type { FeatureTools } from '../../src/app/run/feature.ts';
import type { MetricAnswer } from '../../src/metrics/answer.ts';
import type { Metric, Score } from '../../src/types/metric.ts';
import type { Completion, Message, Request } from '../../src/types/model.ts';

/** A try: its prompt and the position of its reference. */
export interface Asked {
  prompt: string;
  position: number;
  /** Whether the store must not answer. */
  anew: boolean;
  try: number;
}

/**
 * The tools of a run whose model flips a coin: `passes` says whether an answer passes its metric.
 * evaldiff's own steps (confirming a fall, the anchor) use them for further tries.
 */
export function coinTools(passes: (asked: Asked) => boolean): {
  tools: FeatureTools;
  calls: () => number;
} {
  let calls = 0;
  const complete = (request: Request): Promise<Completion> => {
    calls += 1;
    const [prompt = '', position = ''] = contentOf(request.messages).split(' ');
    const passed = passes({
      ...{ prompt, position: Number(position), try: request.try ?? 0 },
      anew: request.anew === true,
    });
    return Promise.resolve({
      status: 'ok',
      parts: [{ kind: 'text', text: passed ? 'pass' : 'fail' }],
      usage: null,
      steps: [],
      latency_ms: 0,
      served: { model: null, fingerprint: null, at: null },
      reused: false,
      ended: null,
    } as unknown as Completion);
  };
  const scoreMetric = (metric: Metric, answers: readonly MetricAnswer[]): Promise<Score[]> =>
    Promise.resolve(answers.map((answer) => scoreOf(metric, answer)));
  const tools = {
    ...{ answered: () => undefined, random: () => 'coin', scoreMetric, isPreview: false },
    evaluate: () => Promise.reject(new TypeError('no code runs here')),
    spent: { meter: { complete }, halted: () => null },
  };
  return { tools: tools as unknown as FeatureTools, calls: () => calls };
}

function contentOf([message]: readonly Message[]): string {
  return typeof message?.content === 'string' ? message.content : '';
}

function scoreOf({ name }: Metric, { completion }: MetricAnswer): Score {
  const passes = JSON.stringify(completion.parts).includes('"pass"');
  return {
    ...{ metric: name, reason: null, skip: false, value: passes },
    status: passes ? 'pass' : 'fail',
  };
}
