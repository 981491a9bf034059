import { problem } from '../../errors.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import type {
  Answered,
  Answerer,
  AnswererTools,
  OwnSuite,
  SuiteKind,
} from '../../kernel/suite/own-suite.ts';
import type { Tests } from '../../kernel/suite/suite.ts';
import { asksNothing } from '../../kernel/suite/template.ts';
import { turnsOf } from '../../metrics/transcript.ts';
import type { Score } from '../../types/metric.ts';
import type { Target } from '../../types/model.ts';
import type { Place, Problem, Purpose } from '../../types/plain.ts';
import {
  nameEvaluators,
  steeringOf,
  type Conversation,
  type Steering,
} from './conversation-rules.ts';
import { judgeAgain, leadConversation, turnsTo } from './conversation.ts';
import {
  assistantMessage,
  completionOf,
  fromThread,
  wholeThread,
  type Dialogue,
} from './dialogue.ts';
import { CONVERSATION_KEY, isErrorOutcome, type ConversationResult } from './result.ts';
import { criteriaOf } from './scripts.ts';
import { MAX_TURN_CALLS } from './tool-results.ts';

export const conversationKind: SuiteKind<Conversation> = {
  key: CONVERSATION_KEY,
  scores: [CONVERSATION_KEY],
  soleScore({ value: { max_steps } }, references) {
    const judgesOneAnswer = references.every(
      ({ thread }) =>
        thread !== null &&
        asksNothing(thread) &&
        turnsOf(thread).filter(([first]) => first?.role === 'user').length === 1,
    );
    return max_steps === 1 || judgesOneAnswer ? CONVERSATION_KEY : null;
  },
  answererOf,
};

export function conversationSuite(value: Conversation): OwnSuite<Conversation> {
  return { kind: conversationKind, value, place: value.place, models: value.evaluators };
}

export function conversationOf({ own }: Pick<Tests, 'own'>): Conversation | null {
  return own?.kind === conversationKind ? (own.value as Conversation) : null;
}

export function steeringFor(scoring: {
  tests: Pick<Tests, 'own'>;
  answerer: Pick<Answerer, 'graders'> | null;
}): Steering | null {
  const conversation = conversationOf(scoring.tests);
  const targets = scoring.answerer?.graders.map(({ target }) => target) ?? [];
  return conversation && steeringOf(conversation, nameEvaluators(conversation.evaluators, targets));
}

function answererOf(own: OwnSuite<Conversation>, targets: readonly Target[]): Answerer {
  const { value } = own;
  const evaluators = nameEvaluators(value.evaluators, targets);
  const steering = steeringOf(value, evaluators);
  const judged = async (recorded: Dialogue, tryIndex: number, tools: AnswererTools) =>
    toAnswered(await judgeAgain(recorded, steering, tryIndex, tools), steering, []);
  return {
    own,
    fingerprint: canonicalJson(steering.parts),
    parts: steering.parts,
    graders: evaluators,
    mostCalls:
      value.max_steps *
      ((value.tool_results === null || value.tool_results === 'end' ? 1 : MAX_TURN_CALLS) +
        Math.max(1, evaluators.length)),
    problems: (prompts, code) => problemsOf(steering, prompts, code),
    async answer({ messages, tryIndex, ask, evaluate, script }, tools) {
      if (ask === null) return judged(fromThread(messages, script), tryIndex, tools);
      const calls = { ask, evaluate };
      const opening = [...messages];
      const dialogue = await leadConversation(opening, steering, tryIndex, calls, tools, script);
      const answers = dialogue.turns.flatMap((turn) => turn.answers);
      return toAnswered(
        dialogue,
        steering,
        answers.map(() => 'prompt'),
      );
    },
    async judgeAgain(answer, tryIndex, tools) {
      const recorded = answer.own === null ? singleAnswer(answer) : (answer.own.record as Dialogue);
      return recorded === null ? answer : judged(recorded, tryIndex, tools);
    },
    firstAnswer: (record) => completionOf(firstTurn(record as Dialogue)),
  };
}

/** Omits `max_steps`, because it does not affect how an answer is judged. */
export function judgingFingerprint({ parts }: Steering): string {
  return canonicalJson({ ...parts, max_steps: null });
}

function toAnswered(dialogue: Dialogue, steering: Steering, calls: readonly Purpose[]): Answered {
  const { outcome, script } = dialogue;
  const turns = dialogue.turns.map(({ result }) => result);
  const judged = turns.flatMap(({ verdicts }) => verdicts);
  const turns_to = turnsTo(criteriaOf(steering.conversation, script), turns);
  return {
    ...completionOf(dialogue),
    own: {
      record: dialogue,
      thread: wholeThread(dialogue),
      scores: conversationScore(dialogue),
      parts: { conversation: { outcome, turns, turns_to } satisfies ConversationResult },
      failedElsewhere: outcome === 'evaluator_error',
      calls: [...calls, ...judged.map((): Purpose => 'evaluator')],
    },
  };
}

function firstTurn(dialogue: Dialogue): Dialogue {
  const turns = dialogue.turns.slice(0, 1);
  const isOnly = dialogue.turns.length < 2 && dialogue.outcome !== 'evaluator_error';
  return { ...dialogue, turns, error: isOnly ? dialogue.error : null };
}

function singleAnswer({ messages, completion }: Answered): Dialogue | null {
  if (completion.status === 'error') return null;
  const recorded = fromThread([...messages, assistantMessage(completion, messages, false)]);
  const last = recorded.turns.at(-1);
  const turns = last === undefined ? [] : [{ ...last, answers: [completion] }];
  return { ...recorded, turns: [...recorded.turns.slice(0, -1), ...turns] };
}

const OUTCOME_ENDINGS: Partial<Record<ConversationResult['outcome'], string>> = {
  max_steps: 'no steps left',
  tool_call: 'a tool was called, and tool_results: end ends the dialogue there',
  tool_limit: `the model called tools ${MAX_TURN_CALLS} times in a row without an answer`,
};

/** The value is the number of turns. Errors have no score. */
function conversationScore({ outcome, turns }: Dialogue): Score[] {
  if (isErrorOutcome(outcome)) return [];
  const own = { metric: CONVERSATION_KEY, value: turns.length, skip: false };
  if (outcome === 'complete') return [{ ...own, status: 'pass', reason: null }];
  const unmet = Object.entries(turns.at(-1)?.result.satisfied ?? {})
    .filter(([, met]) => !met)
    .map(([name]) => name)
    .join(', ');
  const ending = OUTCOME_ENDINGS[outcome] ?? 'there was no further question';
  const reason = `${outcome}: ${ending}${unmet === '' ? '' : `; not met: ${unmet}`}`;
  return [{ ...own, status: 'fail', reason }];
}

function problemsOf(
  { conversation: { place }, evaluators }: Steering,
  prompts: readonly { code: { place: Place } | null }[],
  code: string,
): Problem[] {
  const programs = evaluators.filter(({ target }) => target.provider === 'program');
  return [
    ...prompts.flatMap((prompt) => (prompt.code === null ? [] : problem(prompt.code.place, MADE))),
    ...(code === 'host' ? [] : programs).map(({ name }) =>
      problem(
        place,
        `the evaluator "${name}" is a program of this repository. It runs only with ` +
          'code: host (input code, or --code host).',
      ),
    ),
  ];
}

const MADE =
  'a conversation needs a prompt with messages, because code answers only one question; use a ' +
  'model (provider: program)';
