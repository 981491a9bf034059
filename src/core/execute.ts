import type { Complete, Completion, Evaluate, Json, Message, Side } from '../types.ts';
import type { Generation } from './generation.ts';

/** One planned try of one case on one side. */
export interface Trial {
  caseId: string;
  side: Side;
  /** Try index from 0. */
  try: number;
  generation: Generation;
}

/** What came back, with the messages that were sent. */
export interface Sample { trial: Trial; messages: Message[]; completion: Completion }

export interface Executors {
  complete: Complete;
  evaluate: Evaluate;
  /** Told after each answer, and whether it was another trial's; for counting and progress only. */
  answered?(sample: Sample, shared: boolean): void;
}

/**
 * Runs every trial and answers in their order. Trials of equal generation and try index share one completion,
 * between the sides and between duplicate references; two tries never do. Requests are issued in the given order:
 * pass base and head interleaved, so that drift of a model over time hits both sides alike.
 */
export async function execute(trials: readonly Trial[], executors: Executors): Promise<Sample[]> {
  const answers = new Map<string, Promise<Completion>>();
  return Promise.all(trials.map(async (trial) => {
    const { generation } = trial;
    if (generation.kind === 'impossible') {
      return { trial, messages: [], completion: { status: 'error', kind: 'reference', message: generation.message } };
    }
    const key = `${String(trial.try)} ${generation.fingerprint}`;
    const earlier = answers.get(key);
    const answer = earlier ?? answerTo(trial, generation, executors);
    answers.set(key, answer);
    const completion = earlier === undefined ? await answer : reused(await earlier);
    const sample: Sample = { trial, messages: generation.messages, completion };
    executors.answered?.(sample, earlier !== undefined);
    return sample;
  }));
}

function reused(completion: Completion): Completion {
  return completion.status === 'ok' ? { ...completion, reused: true } : completion;
}

type Possible = Exclude<Generation, { kind: 'impossible' }>;

async function answerTo(trial: Trial, generation: Possible, { complete, evaluate }: Executors): Promise<Completion> {
  if (generation.kind === 'request') {
    const { target, parameters, messages } = generation;
    return complete({ target, parameters, messages, try: trial.try, schema: null, purpose: 'prompt' });
  }
  const { language, code, variables } = generation;
  const [result] = await evaluate({ side: trial.side, language, code, outputs: ['output'], inputs: [variables] });
  if (result === undefined || result.status === 'error') {
    return { status: 'error', kind: 'code', message: `prompt code: ${result?.message ?? 'gave no answer'}` };
  }
  const output = result.values['output'];
  return { status: 'ok', output: textOf(output), finish_reason: 'stop', tool_calls: [], usage: null, latency_ms: 0, reused: false };
}

/** Prompt code may leave a plain string, or an object with `content` as LangChain's messages have it. */
function textOf(output: Json | undefined): string {
  if (typeof output === 'string') return output;
  if (output !== null && typeof output === 'object' && !Array.isArray(output) && typeof output['content'] === 'string') return output['content'];
  return JSON.stringify(output ?? null);
}
