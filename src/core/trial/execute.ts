import type { Complete, Completion, Evaluate, Json, Message, Side } from '../../types.ts';
import { converse, judgeAgain, type Dialogue } from '../conversation/converse.ts';
import type { EvaluatorTools } from '../conversation/evaluators.ts';
import type { Generation } from '../fingerprint/generation.ts';
import type { Steering } from '../conversation/steering.ts';
import { completionOf, recordedDialogue } from '../conversation/transcript.ts';
import { isBatched } from '../select/target.ts';
import { BATCH_WINDOW, inWindow, WINDOW } from './window.ts';

/** One planned try of one case on one side. */
export interface Trial {
  caseId: string;
  side: Side;
  /** Try index from 0. */
  try: number;
  generation: Generation;
  /** Who leads and judges the dialogue; null for a single answer. */
  steering: Steering | null;
}

/**
 * What came back, with the messages that were sent for it: for a dialogue, all of it as one
 * completion behind its last question.
 */
export interface Sample {
  trial: Trial;
  messages: Message[];
  completion: Completion;
  dialogue: Dialogue | null;
}

type Answered = Omit<Sample, 'trial'>;

export interface Executors {
  complete: Complete;
  evaluate: Evaluate;
  random: EvaluatorTools['random'];
  /** Told after each answer, and whether it was another trial's; for counting and progress only. */
  answered?(sample: Sample, shared: boolean): void;
}

/**
 * Runs every trial and answers in their order. Trials of equal generation, steering and try index
 * share one completion (a conversation is one), between the sides and between duplicate references;
 * two tries never do. Requests are issued in the given order: pass base and head interleaved, so
 * that drift of a model over time hits both sides alike.
 */
export async function execute(trials: readonly Trial[], executors: Executors): Promise<Sample[]> {
  const answers = new Map<string, Promise<Answered>[]>();
  return inWindow(
    trials,
    async (trial): Promise<Sample> => {
      const { generation } = trial;
      if (generation.kind === 'impossible') {
        return {
          trial,
          messages: [],
          completion: { status: 'error', kind: 'reference', message: generation.message },
          dialogue: null,
        };
      }
      const key =
        trial.steering === null
          ? generation.fingerprint
          : `${generation.fingerprint} ${trial.steering.fingerprint}`;
      const ofTries = answers.get(key) ?? [];
      answers.set(key, ofTries);
      const earlier = ofTries[trial.try];
      const answer = earlier ?? answerTo(trial, generation, executors);
      ofTries[trial.try] = answer;
      const answered = await answer;
      const sample: Sample = {
        trial,
        ...answered,
        completion: earlier === undefined ? answered.completion : reused(answered.completion),
      };
      executors.answered?.(sample, earlier !== undefined);
      return sample;
    },
    trials.some(waitsForBatch) ? BATCH_WINDOW : WINDOW,
  );
}

function waitsForBatch({ generation, steering }: Trial): boolean {
  if (generation.kind === 'request' && isBatched(generation.target)) return true;
  return (
    steering !== null &&
    steering.evaluators.some(({ target }) => target !== null && isBatched(target))
  );
}

function reused(completion: Completion): Completion {
  return completion.status === 'ok' ? { ...completion, reused: true } : completion;
}

type Possible = Exclude<Generation, { kind: 'impossible' }>;

async function answerTo(
  trial: Trial,
  generation: Possible,
  executors: Executors,
): Promise<Answered> {
  const { steering } = trial;
  if (generation.kind === 'recorded') {
    const recorded = recordedDialogue(generation.thread);
    return steering === null
      ? { ...completionOf(recorded), dialogue: null }
      : asSample(await judgeAgain(recorded, steering, attemptOf(trial), executors));
  }
  if (steering === null)
    return {
      messages: generation.messages,
      completion: await oneAnswer(trial, generation, generation.messages, executors),
      dialogue: null,
    };
  const ask = (messages: Message[]): Promise<Completion> =>
    oneAnswer(trial, generation, messages, executors);
  return asSample(await converse(generation.messages, steering, attemptOf(trial), ask, executors));
}

/**
 * The try index that a trial's calls are made under; another draw of the same question has indices
 * of its own.
 */
export function attemptOf({ try: index, generation }: Trial): number {
  return index + ('draw' in generation ? (generation.draw ?? 0) : 0);
}

function asSample(dialogue: Dialogue): Answered {
  return { ...completionOf(dialogue), dialogue };
}

async function oneAnswer(
  trial: Trial,
  generation: Exclude<Possible, { kind: 'recorded' }>,
  messages: Message[],
  { complete, evaluate }: Executors,
): Promise<Completion> {
  if (generation.kind === 'request') {
    const { target, parameters } = generation;
    return complete({
      target,
      parameters,
      messages,
      try: attemptOf(trial),
      schema: null,
      purpose: 'prompt',
    });
  }
  const { language, code, variables } = generation;
  const [result] = await evaluate({
    side: trial.side,
    language,
    code,
    outputs: ['output'],
    inputs: [variables],
  });
  if (result === undefined || result.status === 'error') {
    return {
      status: 'error',
      kind: 'code',
      message: `prompt code: ${result?.message ?? 'gave no answer'}`,
    };
  }
  const output = result.values['output'];
  return {
    status: 'ok',
    output: textOf(output),
    finish_reason: 'stop',
    tool_calls: [],
    usage: null,
    latency_ms: 0,
    reused: false,
  };
}

/**
 * Prompt code may leave a plain string, or an object with `content` as LangChain's messages have
 * it.
 */
function textOf(output: Json | undefined): string {
  if (typeof output === 'string') return output;
  if (
    output !== null &&
    typeof output === 'object' &&
    !Array.isArray(output) &&
    typeof output['content'] === 'string'
  )
    return output['content'];
  return JSON.stringify(output ?? null);
}
