import {
  conversation,
  published,
  publishedConversations,
} from '../../__tests__/unit/features/conversations/dialogues.ts';
import { gradeEvaluators } from '../../src/features/conversations/evaluator-tests.ts';
import type { EvaluatorGrade } from '../../src/features/conversations/result.ts';
import type { Part } from './page.ts';

/** Percentages of "yes" in code_chat_eval's README: accepted answers, then rejected ones. */
const VALIDATION: Readonly<Record<string, readonly number[]>> = {
  'gpt-4o-2024-08-06': [96, 87, 70, 69, 44, 26, 9, 9],
  'gpt-4o': [100, 93, 56, 56, 52, 29, 4, 4],
  'gemini-1.5-pro': [95, 80, 48, 47, 41, 25, 3, 3],
  'gpt-4o-mini': [76, 48, 5, 2, 19, 8, 0, 0],
  'gemini-1.5-flash': [95, 70, 34, 34, 48, 18, 4, 4],
};

/** Completed tasks and their average number of turns, from code_chat_eval's README. */
const COMPLETED: Readonly<Record<string, readonly [string, string]>> = {
  'gpt-4o-mini': ['100.00%', '1.1'],
  'gemini-1.5-flash': ['97.50%', '1.26'],
  'meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo': ['81.00%', '2.05'],
  'codellama/CodeLlama-34b-Instruct-hf': ['59.00%', '2.08'],
};

const CRITERIA = ['understanding', 'correctness', 'completeness'];

/**
 * Recomputes the table with which code_chat_eval chose its evaluator, from its published labels.
 */
export function validation(): Part {
  const { accepted, evaluators } = published('evaluators') as {
    accepted: string;
    evaluators: Record<string, string>;
  };
  const names = Object.keys(VALIDATION);
  const words = (name: string, index: number): Record<string, 'yes' | 'no'> => {
    const bits = Number(evaluators[name]?.[index]);
    return Object.fromEntries(
      CRITERIA.map((criterion, place) => [criterion, (bits & (4 >> place)) > 0 ? 'yes' : 'no']),
    );
  };
  const grades = gradeEvaluators(
    names,
    conversation().criteria,
    [...accepted].map((label, index) => ({
      accepted: label === '1',
      verdicts: names.map((evaluator) => ({
        evaluator,
        words: words(evaluator, index),
        analysis: null,
        follow_up: null,
      })),
    })),
  );
  const cells = ({ criteria, all }: EvaluatorGrade['accepted']): number[] =>
    [...CRITERIA.map((name) => criteria[name]?.share ?? NaN), all.share ?? NaN].map(
      (share) => Math.round(share * 1e6) / 1e4,
    );
  return {
    title: 'code_chat_eval: agreement of evaluators with people',
    text: "Each figure is the percentage of “yes” on 100 accepted or 100 rejected answers, for understanding, correctness, completeness and all three. evaldiff's test of evaluators computes it from the published labels.",
    rows: names.flatMap((name) => {
      const grade = grades.find(({ evaluators: group }) => group.join() === name);
      const ours = grade === undefined ? [] : [...cells(grade.accepted), ...cells(grade.rejected)];
      return (VALIDATION[name] ?? []).map((seed, place) => ({
        what: `${name}, ${place < 4 ? 'accepted' : 'rejected'}, ${[...CRITERIA, 'all'][place % 4] ?? ''}`,
        seed: String(seed),
        ours: String(ours[place]),
      }));
    }),
  };
}

/** Recomputes completion and turns of four models over 200 questions, and compares two models. */
export async function evaluation(): Promise<Part> {
  const { summary } = await publishedConversations();
  const alone = Object.entries(COMPLETED).flatMap(([model, [share, turns]]) => {
    const found = summary(null, model);
    const digits = turns.split('.')[1]?.length ?? 0;
    return [
      {
        what: `${model}: completed tasks`,
        seed: share,
        ours: `${(100 * (found.completed.head ?? NaN)).toFixed(2)}%`,
      },
      {
        what: `${model}: average turns in completed tasks, truncated like the seed`,
        seed: turns,
        ours: cut(found.turns.head ?? NaN, digits),
      },
    ];
  });
  const { completed } = summary('gemini-1.5-flash', 'meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo');
  return {
    title: 'code_chat_eval: tasks that the models complete',
    text: "evaldiff's rules for conversations compute the outcomes of the 800 published conversations, which have at most five steps. In the last row, one model is base and another is head.",
    rows: [
      ...alone,
      {
        what: 'gemini-1.5-flash → Llama-3.1-8B: completed',
        seed: '97.5 → 81.0',
        ours: [completed.base, completed.head]
          .map((share) => (100 * (share ?? NaN)).toFixed(1))
          .join(' → '),
      },
    ],
  };
}

/** code_chat_eval's README truncates figures instead of rounding. */
function cut(value: number, digits: number): string {
  return (Math.floor(value * 10 ** digits + 1e-9) / 10 ** digits).toFixed(digits);
}
