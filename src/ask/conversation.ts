import type {
  ConversationOutcome,
  ConversationTurn,
  CriterionWord,
  EvaluatorVerdict,
} from '../result/conversations.ts';
import type { Steering } from '../select/conversation-rules.ts';
import type { Criterion } from '../suite/suite.ts';
import type { Completion, ErrorKind, Message } from '../types/model.ts';
import { evaluateDialogue, type EvaluatorTools } from './evaluators.ts';

/**
 * Whether a criterion is met, given each evaluator's word on it. "Unknown" does not count as yes.
 */
export function combineWords(rule: Criterion['combine'], words: readonly CriterionWord[]): boolean {
  const yes = words.filter((word) => word === 'yes').length;
  if (rule === 'all') return yes === words.length && yes > 0;
  return rule === 'any' ? yes > 0 : yes > words.length / 2;
}

/** Whether each criterion is met, by the words of all evaluators together. */
export function satisfiedBy(
  criteria: readonly Criterion[],
  verdicts: readonly EvaluatorVerdict[],
): Record<string, boolean> {
  return Object.fromEntries(
    criteria.map(({ name, combine }) => [
      name,
      combineWords(
        combine,
        verdicts.map(({ words }) => words[name] ?? 'unknown'),
      ),
    ]),
  );
}

export function allSatisfied(satisfied: Readonly<Record<string, boolean>>): boolean {
  return Object.values(satisfied).every(Boolean);
}

/**
 * The next question and who asks it: the first evaluator, in the file's order, that is not
 * satisfied and wrote one.
 */
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
 * By criterion: the turn, from 1, since which it has been met without a break up to the last judged
 * turn; null when the last judged turn does not meet it.
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

type Answer = Extract<Completion, { status: 'ok' }>;

/** A dialogue with its judgement, as it went. */
export interface Dialogue {
  outcome: ConversationOutcome;
  /** What was sent for the first answer. */
  opening: Message[];
  turns: ConversationTurn[];
  /** The answers as they came, one for each turn that has one. */
  answers: Answer[];
  /** Why it ended as an error; null for the other outcomes. */
  error: { kind: ErrorKind; message: string } | null;
}

/** What is judged turn by turn: a dialogue under way, or one that was recorded. */
interface Script {
  answer(messages: readonly Message[], step: number): Promise<Completion>;
  /** The question that follows an unsatisfying turn, or how the dialogue ends without one. */
  next(
    verdicts: readonly EvaluatorVerdict[],
    step: number,
  ): Asked | Pick<Dialogue, 'outcome' | 'error'>;
}

interface Asked {
  question: string;
  asked_by: string | null;
}

/**
 * Leads a dialogue: `ask` answers, every evaluator judges the whole, the first unsatisfied one with
 * a question asks it, until they are satisfied or `max_steps` answers were given. Nothing is asked
 * after the last step. Errors end it as a tag.
 */
export function leadConversation(
  opening: Message[],
  steering: Steering,
  tryIndex: number,
  ask: (messages: Message[]) => Promise<Completion>,
  tools: EvaluatorTools,
): Promise<Dialogue> {
  return judgeTurns(opening, steering, tryIndex, tools, {
    answer: (messages) => ask([...messages]),
    next: (verdicts) => nextQuestion(verdicts) ?? { outcome: 'no_follow_up', error: null },
  });
}

/**
 * Judges a finished dialogue again, turn by turn, without any new answer. It may end earlier than
 * it did; where it would have gone on, it ends as `no_follow_up`, since nobody can say what would
 * have been answered, or with the error that cut it short.
 */
export function judgeAgain(
  { opening, turns, answers, outcome, error }: Dialogue,
  steering: Steering,
  tryIndex: number,
  tools: EvaluatorTools,
): Promise<Dialogue> {
  const cut: Pick<Dialogue, 'outcome' | 'error'> =
    outcome === 'evaluator_error' ? { outcome, error } : { outcome: 'no_follow_up', error: null };
  return judgeTurns(opening, steering, tryIndex, tools, {
    answer: (_, step) =>
      Promise.resolve(
        answers[step] ?? {
          status: 'error',
          kind: error?.kind ?? 'reply',
          message: error?.message ?? 'no answer was recorded',
        },
      ),
    next: (_, step) => {
      const turn = turns[step + 1];
      return turn === undefined ? cut : { question: turn.question, asked_by: turn.asked_by };
    },
  });
}

async function judgeTurns(
  opening: Message[],
  { conversation, evaluators }: Steering,
  tryIndex: number,
  tools: EvaluatorTools,
  script: Script,
): Promise<Dialogue> {
  const turns: ConversationTurn[] = [];
  const answers: Answer[] = [];
  const messages = [...opening];
  const ended = (outcome: ConversationOutcome, error: Dialogue['error'] = null): Dialogue => ({
    outcome,
    opening,
    turns,
    answers,
    error,
  });
  let asked: Asked = { question: lastQuestion(opening), asked_by: null };
  for (let step = 0; ; step++) {
    const completion = await script.answer(messages, step);
    if (completion.status === 'error') {
      turns.push({ ...asked, answer: null, verdicts: [], satisfied: null });
      return ended('model_error', { kind: completion.kind, message: completion.message });
    }
    answers.push(completion);
    messages.push({ role: 'assistant', content: completion.output });
    const { verdicts, error } = await evaluateDialogue(
      conversation,
      evaluators,
      messages,
      tryIndex,
      tools,
    );
    const satisfied = error === null ? satisfiedBy(conversation.criteria, verdicts) : null;
    turns.push({ ...asked, answer: completion.output, verdicts, satisfied });
    if (satisfied === null) return ended('evaluator_error', error);
    if (allSatisfied(satisfied)) return ended('complete');
    if (step + 1 >= conversation.max_steps) return ended('max_steps');
    const next = script.next(verdicts, step);
    if ('outcome' in next) return ended(next.outcome, next.error);
    asked = next;
    messages.push({ role: 'user', content: next.question });
  }
}

/**
 * The question of the opening: the user's last message, or the system message where it stands
 * alone.
 */
function lastQuestion(opening: readonly Message[]): string {
  return (opening.findLast(({ role }) => role === 'user') ?? opening.at(-1))?.content ?? '';
}
