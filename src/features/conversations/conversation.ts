import type { AnswererTools } from '../../kernel/suite/own-suite.ts';
import { callsAmong } from '../../metrics/transcript.ts';
import type { Completion, EvaluateAnswers, Message } from '../../types/model.ts';
import type { Script } from '../../types/script.ts';
import type { Steering } from './conversation-rules.ts';
import {
  assistantMessage,
  questionMessage,
  wholeThread,
  turnResult,
  type AssistantTurn,
  type Dialogue,
  type DialogueTurn,
} from './dialogue.ts';
import { evaluateDialogue } from './evaluators.ts';
import type {
  ConversationOutcome,
  ConversationTurn,
  Criterion,
  CriterionWord,
  EvaluatorVerdict,
} from './result.ts';
import { criteriaOf } from './scripts.ts';
import { MAX_TURN_CALLS, toolMessages, type ToolResults } from './tool-results.ts';

/** Words that are null could not be read. If they could decide, the result is null, too. */
export function combineWords(
  rule: Criterion['combine'],
  words: readonly (CriterionWord | null)[],
): boolean | null {
  const count = words.length;
  const needed = { all: Math.max(1, count), any: 1, majority: Math.floor(count / 2) + 1 }[rule];
  const yes = words.filter((word) => word === 'yes').length;
  if (yes >= needed) return true;
  return yes + words.filter((word) => word === null).length >= needed ? null : false;
}

/** Null if a criterion is open, because some of the evaluators gave no readable word for it. */
export function isSatisfiedBy(
  criteria: readonly Criterion[],
  verdicts: readonly EvaluatorVerdict[],
  evaluators: number,
): Record<string, boolean> | null {
  const satisfied: Record<string, boolean> = {};
  for (const { name, combine } of criteria) {
    const words = Array.from({ length: evaluators }, (_, at) => verdicts[at]?.words[name] ?? null);
    const isMet = evaluators === 0 ? null : combineWords(combine, words);
    if (isMet === null) return null;
    satisfied[name] = isMet;
  }
  return satisfied;
}

export function allSatisfied(satisfied: Readonly<Record<string, boolean>>): boolean {
  return Object.values(satisfied).every(Boolean);
}

export function nextQuestion(
  verdicts: readonly EvaluatorVerdict[],
): { question: string; asked_by: string } | null {
  const asking = verdicts.find(
    ({ words, follow_up }) =>
      follow_up !== null && Object.values(words).some((word) => word !== 'yes'),
  );
  return asking === undefined || asking.follow_up === null
    ? null
    : { question: asking.follow_up, asked_by: asking.evaluator };
}

/**
 * The turn (counted from 1) from which a criterion is always met. Null if it is unmet at the end.
 */
export function turnsTo(
  criteria: readonly Criterion[],
  turns: readonly ConversationTurn[],
): Record<string, number | null> {
  const judged = turns.map(({ satisfied }) => satisfied).filter((satisfied) => satisfied !== null);
  return Object.fromEntries(
    criteria.map(({ name }) => {
      const lastMiss = judged.findLastIndex((satisfied) => satisfied[name] !== true);
      return [name, lastMiss === judged.length - 1 ? null : lastMiss + 2];
    }),
  );
}

type DialogueEnd = Pick<Dialogue, 'outcome' | 'error'>;

interface Lead {
  script: Script | undefined;
  speak(messages: readonly Message[], step: number): Promise<SpokenTurn>;
  next(verdicts: readonly EvaluatorVerdict[], step: number): NextQuestion | DialogueEnd;
}

interface SpokenTurn extends AssistantTurn {
  /** Set if the dialogue ends with this turn. */
  end?: DialogueEnd;
}

type NextQuestion = Pick<ConversationTurn, 'question' | 'asked_by'>;

/** Calls the prompt's model, and the code of tools. */
export interface ModelCalls {
  ask(messages: Message[]): Promise<Completion>;
  evaluate: EvaluateAnswers;
}

/** Evaluators judge each answer. Without a script, they also write the next question. */
export function leadConversation(
  opening: Message[],
  steering: Steering,
  tryIndex: number,
  asked: ModelCalls,
  tools: AnswererTools,
  script?: Script,
): Promise<Dialogue> {
  const [first, ...others] = script?.turns ?? [];
  const said = first?.user === undefined ? [] : [{ role: 'user', content: first.user } as const];
  return judgeTurns([...opening, ...said], steering, tryIndex, tools, {
    script,
    speak: (messages) => speakTurn(messages, steering.conversation.tool_results, asked),
    next: (verdicts, step) => {
      const user = others[step]?.user;
      const next = user === undefined ? null : { question: user, asked_by: null };
      const question = first === undefined ? nextQuestion(verdicts) : next;
      return question ?? { outcome: 'no_follow_up', error: null };
    },
  });
}

/** Asks the model until it answers without calling a tool. */
async function speakTurn(
  messages: readonly Message[],
  results: ToolResults | null,
  { ask, evaluate }: ModelCalls,
): Promise<SpokenTurn> {
  const turn: AssistantTurn = { said: [], answers: [] };
  for (;;) {
    const before = [...messages, ...turn.said];
    const completion = await ask(before);
    if (completion.status === 'error') {
      const { kind, message } = completion;
      return { ...turn, end: { outcome: 'model_error', error: { kind, message } } };
    }
    const message = assistantMessage(completion, before, results !== null);
    turn.answers.push(completion);
    turn.said.push(message);
    const calls = callsAmong([message]).filter(({ id }) => id !== undefined);
    if (calls.length === 0 || results === null) return turn;
    if (results === 'end') return { ...turn, end: { outcome: 'tool_call', error: null } };
    if (turn.answers.length === MAX_TURN_CALLS)
      return { ...turn, end: { outcome: 'tool_limit', error: null } };
    const found = await toolMessages(calls, results, evaluate);
    if ('error' in found) return { ...turn, end: { outcome: 'tool_error', ...found } };
    turn.said.push(...found.messages);
  }
}

export function judgeAgain(
  { opening, turns, outcome, error, script }: Dialogue,
  steering: Steering,
  tryIndex: number,
  tools: AnswererTools,
): Promise<Dialogue> {
  const last = turns.length - 1;
  const cut: DialogueEnd =
    outcome === 'evaluator_error' ? { outcome, error } : { outcome: 'no_follow_up', error: null };
  const isCut = TOOL_ENDS.has(outcome) || (error !== null && outcome !== 'evaluator_error');
  return judgeTurns(opening, steering, tryIndex, tools, {
    script,
    speak: (_, step) =>
      Promise.resolve({
        ...(turns[step] ?? { said: [], answers: [] }),
        ...(turns[step] === undefined && { end: { outcome: 'model_error', error: NO_ANSWER } }),
        ...(isCut && step === last && { end: { outcome, error } }),
      }),
    next: (_, step) => turns[step + 1]?.result ?? cut,
  });
}

const NO_STEPS: DialogueEnd = { outcome: 'max_steps', error: null };

const NO_ANSWER = { kind: 'reply', message: 'there is no recorded answer' } as const;

const TOOL_ENDS: ReadonlySet<ConversationOutcome> = new Set(['tool_call', 'tool_limit']);

async function judgeTurns(
  opening: Message[],
  { conversation, evaluators }: Steering,
  tryIndex: number,
  tools: AnswererTools,
  lead: Lead,
): Promise<Dialogue> {
  const { script } = lead;
  const { turns: scripted = [] } = script ?? {};
  const criteria = criteriaOf(conversation, script);
  const task = { instructions: conversation.instructions, criteria, script };
  const turns: DialogueTurn[] = [];
  const ended = (outcome: ConversationOutcome, error: Dialogue['error'] = null) => ({
    outcome,
    opening,
    turns,
    error,
    script,
  });
  let asked = openingQuestion(opening);
  for (let step = 0; ; step++) {
    const before = turns.length === 0 ? [] : [questionMessage(asked)];
    const messages = [...wholeThread({ opening, turns }), ...before];
    const { end, said, answers } = await lead.speak(messages, step);
    const { question, asked_by } = asked;
    const result = turnResult(said, { question, asked_by });
    if (isUnanswered(end)) {
      turns.push({ said, answers, result });
      return ended(end.outcome, end.error);
    }
    const thread = [...messages, ...said];
    const { verdicts, error } = await evaluateDialogue(task, evaluators, thread, tryIndex, tools);
    const satisfied = isSatisfiedBy(criteria, verdicts, evaluators.length);
    turns.push({ said, answers, result: { ...result, verdicts, satisfied } });
    if (satisfied === null) return ended('evaluator_error', error);
    if (allSatisfied(satisfied) && turns.length >= scripted.length) return ended('complete');
    const isLast = turns.length >= conversation.max_steps;
    const next = end ?? (isLast ? NO_STEPS : lead.next(verdicts, step));
    if ('outcome' in next) return ended(next.outcome, next.error);
    asked = next;
  }
}

function openingQuestion(opening: readonly Message[]): NextQuestion {
  const first = opening.findLast(({ role }) => role === 'user') ?? opening.at(-1);
  return { question: first?.content ?? '', asked_by: null };
}

/** The evaluators judge a dialogue that ends at a call, but not one without an answer. */
function isUnanswered(end: DialogueEnd | undefined): end is DialogueEnd {
  return end !== undefined && (end.error !== null || end.outcome === 'tool_limit');
}
