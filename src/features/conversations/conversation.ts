import type { AnswererTools } from '../../kernel/suite/own-suite.ts';
import { textOf } from '../../types/answer.ts';
import type { Completion, Message, OkCompletion } from '../../types/model.ts';
import type { Script } from '../../types/script.ts';
import type { Steering } from './conversation-rules.ts';
import type { Dialogue } from './dialogue.ts';
import { evaluateDialogue } from './evaluators.ts';
import type {
  ConversationOutcome,
  ConversationTurn,
  Criterion,
  CriterionWord,
  EvaluatorVerdict,
} from './result.ts';
import { criteriaOf } from './scripts.ts';

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

interface Lead {
  script: Script | undefined;
  answer(messages: readonly Message[], step: number): Promise<Completion>;
  next(
    verdicts: readonly EvaluatorVerdict[],
    step: number,
  ): NextQuestion | Pick<Dialogue, 'outcome' | 'error'>;
}

interface NextQuestion {
  question: string;
  asked_by: string | null;
}

/** Evaluators judge each answer. Without a script, they also write the next question. */
export function leadConversation(
  opening: Message[],
  steering: Steering,
  tryIndex: number,
  ask: (messages: Message[]) => Promise<Completion>,
  tools: AnswererTools,
  script?: Script,
): Promise<Dialogue> {
  const [first, ...others] = script?.turns ?? [];
  const said = first?.user === undefined ? [] : [{ role: 'user', content: first.user } as const];
  return judgeTurns([...opening, ...said], steering, tryIndex, tools, {
    script,
    answer: (messages) => ask([...messages]),
    next: (verdicts, step) => {
      const user = others[step]?.user;
      const next = user === undefined ? null : { question: user, asked_by: null };
      const asked = first === undefined ? nextQuestion(verdicts) : next;
      return asked ?? { outcome: 'no_follow_up', error: null };
    },
  });
}

export function judgeAgain(
  { opening, turns, answers, outcome, error, script }: Dialogue,
  steering: Steering,
  tryIndex: number,
  tools: AnswererTools,
): Promise<Dialogue> {
  const cut: Pick<Dialogue, 'outcome' | 'error'> =
    outcome === 'evaluator_error' ? { outcome, error } : { outcome: 'no_follow_up', error: null };
  return judgeTurns(opening, steering, tryIndex, tools, {
    script,
    answer: (_, step) =>
      Promise.resolve(
        answers[step] ?? {
          status: 'error',
          kind: error?.kind ?? 'reply',
          message: error?.message ?? 'there is no recorded answer',
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
  tools: AnswererTools,
  lead: Lead,
): Promise<Dialogue> {
  const { script } = lead;
  const criteria = criteriaOf(conversation, script);
  const task = { instructions: conversation.instructions, criteria, script };
  const turns: ConversationTurn[] = [];
  const answers: OkCompletion[] = [];
  const messages = [...opening];
  const ended = (outcome: ConversationOutcome, error: Dialogue['error'] = null): Dialogue => ({
    outcome,
    opening,
    turns,
    answers,
    error,
    script,
  });
  let asked: NextQuestion = { question: lastQuestion(opening), asked_by: null };
  for (let step = 0; ; step++) {
    const completion = await lead.answer(messages, step);
    if (completion.status === 'error') {
      turns.push({ ...asked, answer: null, verdicts: [], satisfied: null });
      return ended('model_error', { kind: completion.kind, message: completion.message });
    }
    answers.push(completion);
    messages.push({ role: 'assistant', content: textOf(completion) });
    const { verdicts, error } = await evaluateDialogue(task, evaluators, messages, tryIndex, tools);
    const satisfied = isSatisfiedBy(criteria, verdicts, evaluators.length);
    turns.push({ ...asked, answer: textOf(completion), verdicts, satisfied });
    if (satisfied === null) return ended('evaluator_error', error);
    const isScripted = step + 1 < (script?.turns?.length ?? 0);
    if (allSatisfied(satisfied) && !isScripted) return ended('complete');
    if (step + 1 >= conversation.max_steps) return ended('max_steps');
    const next = lead.next(verdicts, step);
    if ('outcome' in next) return ended(next.outcome, next.error);
    asked = next;
    messages.push({ role: 'user', content: next.question });
  }
}

function lastQuestion(opening: readonly Message[]): string {
  return (opening.findLast(({ role }) => role === 'user') ?? opening.at(-1))?.content ?? '';
}
