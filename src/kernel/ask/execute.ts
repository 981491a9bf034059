import { answerParts, lastTurn } from '../../metrics/transcript.ts';
import { ownAnswer, partsOf } from '../../types/answer.ts';
import {
  type Completion,
  type Evaluate,
  type EvaluateAnswers,
  type Message,
  isBatched,
  modelLabel,
  ROLE_NAMES,
} from '../../types/model.ts';
import { isMap, jsonText, type Json, type Side } from '../../types/plain.ts';
import type { Generation } from '../select/affected-suite.ts';
import type { Answered, Answerer, AnswererTools } from '../suite/own-suite.ts';

/**
 * Maximum number of concurrent tries. Servers accept fewer. The limit saves memory in a large
 * sweep.
 */
export const WINDOW = 2048;

/** Larger than `WINDOW`, because a batch may take a day. 20,000 tries need about 110 MB. */
export const BATCH_WINDOW = 20_000;

export async function inWindow<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  size: number = WINDOW,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await work(items[index] as T);
  };
  await Promise.all(Array.from({ length: Math.min(size, items.length) }, worker));
  return results;
}

export interface PlannedTry {
  run: number;
  suite: string;
  side: Side;
  try: number;
  generation: Generation;
  answerer: Answerer | null;
}

export interface AnsweredTry extends Answered {
  planned: PlannedTry;
}

export interface Executors extends AnswererTools {
  evaluate: Evaluate;
  /** `shared`: the answer was already used for another try. */
  answered?(answer: AnsweredTry, shared: boolean): void;
}

/**
 * Tries share an answer if their generation (how to get it), answerer (such as dialogues) and index
 * are equal. Callers must alternate base and head, so that model drift affects both equally.
 */
export async function execute(
  tries: readonly PlannedTry[],
  executors: Executors,
): Promise<AnsweredTry[]> {
  const answers = new Map<string, Promise<Answered>[]>();
  const answerOf = async (planned: PlannedTry): Promise<AnsweredTry> => {
    const { generation } = planned;
    if (generation.kind === 'impossible') {
      return {
        planned,
        messages: [],
        completion: { status: 'error', kind: 'reference', message: generation.message },
        own: null,
      };
    }
    const key =
      planned.answerer === null
        ? generation.fingerprint
        : `${generation.fingerprint} ${planned.answerer.fingerprint}`;
    const ofTries = answers.get(key) ?? [];
    answers.set(key, ofTries);
    const earlier = ofTries[planned.try];
    const pending = earlier ?? answerTo(planned, generation, executors);
    ofTries[planned.try] = pending;
    const answered = await pending;
    const answer: AnsweredTry = {
      planned,
      ...answered,
      completion:
        earlier !== undefined && answered.completion.status === 'ok'
          ? { ...answered.completion, reused: true }
          : answered.completion,
    };
    executors.answered?.(answer, earlier !== undefined);
    return answer;
  };
  const first = triesOfNewModels(tries);
  const led = await inWindow(first, answerOf);
  if (led.some(({ completion: of }) => of.status === 'error' && of.noModel)) return led;
  const rest = tries.filter((planned) => !first.includes(planned));
  const window = rest.some(waitsForBatch) ? BATCH_WINDOW : WINDOW;
  return [...led, ...(await inWindow(rest, answerOf, window))];
}

/** One try of each model that only head calls. If the model does not exist, base pays nothing. */
function triesOfNewModels(tries: readonly PlannedTry[]): PlannedTry[] {
  const models = { base: new Map<string, PlannedTry>(), head: new Map<string, PlannedTry>() };
  for (const planned of tries)
    if (planned.generation.kind === 'request' && !waitsForBatch(planned))
      models[planned.side].set(modelLabel(planned.generation.target), planned);
  const { base, head } = models;
  return base.size === 0
    ? []
    : [...head].flatMap(([label, planned]) => (base.has(label) ? [] : planned));
}

function waitsForBatch({ generation, answerer }: PlannedTry): boolean {
  if (generation.kind === 'request' && isBatched(generation.target)) return true;
  return answerer !== null && answerer.graders.some(({ target }) => isBatched(target));
}

type Possible = Exclude<Generation, { kind: 'impossible' }>;

async function answerTo(
  planned: PlannedTry,
  generation: Possible,
  executors: Executors,
): Promise<Answered> {
  const { answerer } = planned;
  const { script } = generation;
  const shared = {
    tryIndex: tryIndexOf(planned),
    evaluate: (job: Parameters<EvaluateAnswers>[0]) =>
      executors.evaluate({ ...job, suite: planned.suite, side: planned.side }),
    ...(script && { script }),
  };
  if (generation.kind === 'recorded') {
    const { thread } = generation;
    return answerer === null
      ? { ...recordedAnswer(thread), own: null }
      : answerer.answer({ ...shared, messages: thread, ask: null }, executors);
  }
  if (generation.kind === 'code') return codeAnswer(planned, generation, executors);
  const { target, parameters, messages, variables } = generation;
  const told = variables === undefined ? {} : { variables };
  const call = { target, parameters, ...told, schema: null, purpose: 'prompt' as const };
  const ask = (asked: Message[]) =>
    executors.complete({ ...call, messages: asked, try: tryIndexOf(planned) });
  return answerer === null
    ? { messages, completion: await ask(messages), own: null }
    : answerer.answer({ ...shared, messages, ask }, executors);
}

function recordedAnswer(thread: readonly Message[]): {
  messages: Message[];
  completion: Completion;
} {
  const turn = lastTurn(thread);
  return {
    messages: thread.slice(0, thread.length - turn.length),
    completion:
      turn[0] === undefined || turn[0].role === 'user'
        ? { status: 'error', kind: 'reply', message: 'the conversation has no answer' }
        : { status: 'ok', ...ownAnswer(answerParts(turn)), reused: false },
  };
}

/** Adds the offset `draw`, so that a repeated question gets new answers. */
export function tryIndexOf({ try: index, generation }: PlannedTry): number {
  return index + (generation.draw ?? 0);
}

async function codeAnswer(
  planned: PlannedTry,
  { language, code, at, variables, messages }: Extract<Possible, { kind: 'code' }>,
  { evaluate }: Executors,
): Promise<Answered> {
  const [result] = await evaluate({
    suite: planned.suite,
    side: planned.side,
    language,
    code,
    ...(at !== undefined && { at }),
    outputs: ['output', 'messages?'],
    inputs: [variables],
  });
  if (result === undefined || result.status === 'error') {
    const message = `prompt code: ${result?.message ?? 'gave no answer'}`;
    return { messages, completion: { status: 'error', kind: 'code', message }, own: null };
  }
  const own = ownAnswer(partsOf(outputText(result.values['output'])));
  return {
    messages: sentMessages(result.values['messages']) ?? messages,
    completion: { status: 'ok', ...own, latency_ms: null, reused: false },
    own: null,
  };
}

function sentMessages(messages: Json | undefined): Message[] | null {
  if (!Array.isArray(messages)) return null;
  return messages.filter(isMap).map(({ role, content }) => ({
    role: ROLE_NAMES[jsonText(role ?? '')] ?? 'user',
    content: jsonText(content ?? ''),
  }));
}

/** Prompt code may return a string, or a LangChain message: an object with `content`. */
function outputText(output: Json | undefined): string {
  if (typeof output === 'string') return output;
  if (isMap(output) && typeof output['content'] === 'string') return output['content'];
  return JSON.stringify(output ?? null);
}
