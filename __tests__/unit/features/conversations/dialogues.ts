/** Scripted assistants and evaluators for dialogues, without a network. */
import { readFileSync } from 'node:fs';
import { conversationSuite } from '../../../../src/features/conversations/answerer.ts';
import {
  nameEvaluators,
  steeringOf,
  type Conversation,
  type Evaluator,
  type Steering,
} from '../../../../src/features/conversations/conversation-rules.ts';
import { leadConversation, turnsTo } from '../../../../src/features/conversations/conversation.ts';
import type {
  ConversationSummary,
  CriterionWord,
} from '../../../../src/features/conversations/result.ts';
import { conversationSummary } from '../../../../src/features/conversations/summary.ts';
import type { ReferenceRun, SuiteRun, Try } from '../../../../src/kernel/plan/suite-run.ts';
import type { Answerer } from '../../../../src/kernel/suite/own-suite.ts';
import type { Completion, Request } from '../../../../src/types/model.ts';
import { answer, reference, scoring, tests, tryResult } from '../../app/run/builders.ts';

const place = { file: 'prompts/tests/p.yaml', line: 3 };

export function conversation(
  changes: Partial<Conversation> & { models?: string[] } = {},
): Conversation {
  const { models = ['judge'], ...rest } = changes;
  return {
    max_steps: 3,
    instructionsAt: place,
    evaluators: models.map((model) => ({ model, parameters: {}, place })),
    criteria: [
      { name: 'understanding', combine: 'all' },
      { name: 'correctness', combine: 'all' },
      { name: 'completeness', combine: 'any' },
    ],
    instructions: null,
    examples: [],
    tool_results: null,
    place,
    ...rest,
  };
}

export function evaluatorsOf(of: Conversation): Evaluator[] {
  return nameEvaluators(
    of.evaluators,
    of.evaluators.map(({ model }) => ({ provider: 'openai', endpoint: null, model })),
  );
}

export function answerer(of: Conversation = conversation()): Answerer {
  const own = conversationSuite(of);
  return own.kind.answererOf(
    own,
    evaluatorsOf(of).map(({ target }) => target),
  );
}

export function steering(changes: Parameters<typeof conversation>[0] = {}): Steering {
  const of = conversation(changes);
  return steeringOf(of, evaluatorsOf(of));
}

/** An evaluator's reply in JSON; `words` has a letter per criterion: y, n or u. */
export function verdict(
  words: string,
  follow_up = '',
  analysis = 'Because.',
  names: readonly string[] = ['understanding', 'correctness', 'completeness'],
): string {
  const meaning: Record<string, CriterionWord> = { y: 'yes', n: 'no', u: 'unknown' };
  return JSON.stringify({
    analysis,
    ...Object.fromEntries(names.map((name, index) => [name, meaning[words[index] ?? 'u']])),
    follow_up,
  });
}

/** A model that records its requests; if `reply` throws a text, the call fails. */
export function scripted(reply: (request: Request) => string) {
  const requests: Request[] = [];
  const complete = async (request: Request): Promise<Completion> => {
    requests.push(request);
    try {
      return answer(reply(request));
    } catch (error) {
      return { status: 'error', kind: 'timeout', message: String(error) };
    }
  };
  const by = (purpose: Request['purpose']): Request[] =>
    requests.filter((request) => request.purpose === purpose);
  return { complete, requests, by };
}

/** Number of answers in the dialogue shown to an evaluator. */
export function answersShown(request: Request): number {
  return request.messages.at(-1)?.content.match(/^<<<answer /gm)?.length ?? 0;
}

/** Returns a different delimiter for every text, like the real one. */
export const random = (purpose: string): string =>
  `D${[...purpose].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 7).toString(16)}`;

const STEPS = 5;

/**
 * A dialogue with the outcome of the letter: complete at a turn (1-5), never complete (x), or ended
 * without a follow-up (a-e).
 */
async function leadAs(letter: string): Promise<Try> {
  const of = steering({ max_steps: STEPS });
  const stop = 'abcde'.indexOf(letter) + 1;
  let turn = 0;
  const { complete } = scripted(() =>
    verdict(String(turn) === letter ? 'yyy' : 'ynn', turn === stop ? '' : 'More?'),
  );
  const dialogue = await leadConversation(
    [{ role: 'user', content: 'q' }],
    of,
    0,
    {
      ask: () => {
        turn += 1;
        return Promise.resolve(answer('a'));
      },
      evaluate: () => Promise.resolve([]),
    },
    { complete, random },
  );
  const turns = dialogue.turns.map(({ result }) => result);
  return {
    byHead: {
      ...tryResult('pass'),
      conversation: {
        outcome: dialogue.outcome,
        turns,
        turns_to: turnsTo(of.conversation.criteria, turns),
      },
    },
    byBase: null,
  };
}

/** code_chat_eval's published evaluation of four models over 200 questions. */
interface PublishedConversations {
  /** One try for each letter. */
  led: ReadonlyMap<string, Try>;
  /** Runs of two models, or of one model if `base` is null. */
  runs(base: string | null, head: string): ReferenceRun[];
  summary(base: string | null, head: string): ConversationSummary;
}

export async function publishedConversations(): Promise<PublishedConversations> {
  const { models } = published('dialogues') as { models: Record<string, string> };
  const led = new Map<string, Try>();
  for (const letter of '12345xabcd') led.set(letter, await leadAs(letter));
  const tries = (model: string, index: number) => {
    const found = led.get(models[model]?.[index] ?? '');
    return found === undefined ? [] : [found];
  };
  const generation = (side: string) => ({
    kind: 'recorded' as const,
    thread: [],
    fingerprint: side,
  });
  const runs: PublishedConversations['runs'] = (base, head) =>
    [...(models[head] ?? '')].map((_, index) => ({
      affected: {
        reference: reference(`q${index}`),
        base: base === null ? null : generation('base'),
        head: generation('head'),
        change: 'both',
        baseReference: null,
      },
      base: base === null ? [] : tries(base, index),
      head: tries(head, index),
    }));
  const of = conversation({ max_steps: STEPS });
  const ownScoring = scoring(tests({ own: conversationSuite(of) }), { answerer: answerer(of) });
  return {
    led,
    runs,
    summary(base, head) {
      const found = runs(base, head);
      const suite = { scoring: ownScoring, baseScoring: null, runs: found } as unknown as SuiteRun;
      const summary = conversationSummary(suite, found, 1);
      if (summary === null) throw new TypeError('a conversation has a summary');
      return summary;
    },
  };
}

/** The published labels of code_chat_eval from `fixtures/conversations`. */
export function published(name: 'dialogues' | 'evaluators'): unknown {
  return JSON.parse(
    readFileSync(
      new URL(`../../../../fixtures/conversations/${name}.json`, import.meta.url),
      'utf8',
    ),
  );
}
