import { z } from 'zod';
import { filesIn } from '../types/media.ts';
import { PAIRWISE, SAME_ANSWER, shownAnswer, type MetricAnswer } from './answer.ts';
import { defineBatch, measurement, type Measurement, type MetricContext } from './definition.ts';
import { gradeMaterial, type Grade } from './grade.ts';
import type { Question } from './grader-prompt.ts';
import { transcript } from './transcript.ts';

const DEFAULT_CRITERION = 'does better what was asked: right first, then complete, then clear';

function preference(criteria: string, first: string, second: string): Question {
  return {
    name: PAIRWISE,
    eval_type: 'cot_classify',
    own: { criteria },
    quoted: { first, second },
    choice_scores: new Map(Object.entries({ FIRST: 1, SECOND: 0, TIE: 0.5 })),
    prompt:
      'Compare two answers to the same request, and decide which one {criteria}. Their order ' +
      `means nothing, and neither does length by itself.

What was asked:
{input}
The first answer:
{first}
The second answer:
{second}
FIRST: the first answer is better.
SECOND: the second answer is better.
TIE: neither is better in a way that matters.`,
  };
}

/**
 * Grades in both orders of the answers, because graders favour one position. If the grades
 * disagree, it is a tie.
 */
async function compare(
  criteria: string,
  answer: MetricAnswer,
  otherAnswer: string,
  { tools }: MetricContext,
): Promise<Measurement> {
  const own = shownAnswer(answer);
  if (own === otherAnswer) return tie('both sides gave the same answer', SAME_ANSWER);
  const input = askedOfBoth(answer);
  const shown = filesIn([...(answer.otherMessages ?? []), ...answer.messages]);
  const files = [...new Map(shown.map((file) => [file.id, file])).values()];
  const [before, after] = await Promise.all(
    [preference(criteria, own, otherAnswer), preference(criteria, otherAnswer, own)].map(
      (question) => gradeMaterial(question, { input, files }, tools),
    ),
  );
  return joinGrades(before, after);
}

/** Returns both sides' prompts, because a grader that sees only head's would favour head. */
function askedOfBoth({ messages, otherMessages = messages }: MetricAnswer): string {
  const before = transcript(otherMessages);
  const after = transcript(messages);
  return before === after ? after : `${before}\n\nOr, in other words:\n\n${after}`;
}

function joinGrades(before: Grade | undefined, after: Grade | undefined): Measurement {
  if (before === undefined || after === undefined) throw new TypeError('grades are missing');
  if (before.status !== 'graded') return { status: before.status, reason: before.reason };
  if (after.status !== 'graded') return { status: after.status, reason: after.reason };
  const because = before.reasons === null ? '' : `: ${before.reasons}`;
  if (before.score === after.score && before.score !== 0.5)
    return tie(`the grader's choice depends on the order${because}`, before.label.toLowerCase());
  if (before.score + after.score !== 1)
    return tie(`the grader's choice depends on the order${because}`, 'order');
  if (before.score === 0.5) return measurement(0.5, true, `tie${because}`);
  return before.score === 1
    ? measurement(1, true, `preferred to the other side's answer${because}`)
    : measurement(0, false, `the other side's answer is preferred${because}`);
}

function tie(why: string, label: string): Measurement {
  return { status: 'measured', value: 0.5, pass: true, reason: `tie: ${why}`, label };
}

export const pairwisePreference = defineBatch({
  name: PAIRWISE,
  whole: true,
  group: 'graded',
  summary:
    "A grader compares base's answer with head's, in both orders. If the two results differ, " +
    'it is a tie, or no evidence if they differ in most comparisons of the suite. For prompts ' +
    'without expected answers. If other metrics of the suite affect ' +
    'the verdict, this one is only shown. Otherwise a sign test over all comparisons decides.',
  parameters: {
    criteria: z
      .string()
      .min(1)
      .default(DEFAULT_CRITERION)
      .describe('What makes an answer better; completes the sentence "decide which one …".'),
  },
  needs: { model: true },
  range: '1 (preferred), 0.5 (tie) or 0',
  passes: "at 0.5 or more, so always unless the other side's answer is preferred",
  source: 'own wording; Zheng et al. (2023), both orders and ties',
  example: {
    output: 'Paris.',
    otherAnswer: 'Paris, on the Seine.',
    reply: '{"reasons": "Both name it; the first one is shorter.", "choice": "FIRST"}',
    value: 0.5,
    pass: true,
  },
  score: (answers, { criteria }, context) =>
    Promise.all(
      answers.map(async (answer) => {
        const { otherAnswer = null } = answer;
        return otherAnswer === null
          ? { status: 'skipped', reason: 'the other side has no answer to compare with' }
          : await compare(criteria, answer, otherAnswer, context);
      }),
    ),
});
