import type { ConversationTurn, Criterion, CriterionWord, EvaluatorVerdict } from '../../types.ts';

/**
 * Whether a criterion is met by one word per evaluator. Unknown is no yes: not to know is not to be
 * satisfied.
 */
export function combined(rule: Criterion['combine'], words: readonly CriterionWord[]): boolean {
  const yes = words.filter((word) => word === 'yes').length;
  if (rule === 'all') return yes === words.length && yes > 0;
  return rule === 'any' ? yes > 0 : yes > words.length / 2;
}

/** Each criterion's word of all evaluators together. */
export function satisfiedBy(
  criteria: readonly Criterion[],
  verdicts: readonly EvaluatorVerdict[],
): Record<string, boolean> {
  return Object.fromEntries(
    criteria.map(({ name, combine }) => [
      name,
      combined(
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
 * By criterion: the first turn, from 1, from which it stays met to the last judged one; null when
 * it is not met there.
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
