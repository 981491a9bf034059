import type { Question } from './grader-prompt.ts';

export interface Factual {
  same: number;
  fewer: number;
  more: number;
  contradicts: number;
  immaterial: number;
}

/** `own`: text from the user's file, inserted without replacing keywords in it. */
function question(
  name: string,
  prompt: string,
  scores: Record<string, number>,
  own: Record<string, string> = {},
): Question {
  return {
    name,
    prompt,
    choice_scores: new Map(Object.entries(scores)),
    eval_type: 'cot_classify',
    own,
  };
}

export function llmRubric(criterion: string): Question {
  return question(
    'llm_rubric',
    `Decide whether an answer fulfils this criterion:

{criterion}

Take the criterion as it is written. Do not ask for more than it says, and do not forgive what it forbids.

What was asked:
{input}
The answer:
{completion}
PASS: the answer fulfils the criterion.
FAIL: it does not, or it is empty.`,
    { PASS: 1, FAIL: 0 },
    { criterion },
  );
}

export function statementMet(statement: string): Question {
  return question(
    'criteria',
    `Decide whether this one statement holds for an answer:

{criterion}

Other strengths and faults of the answer do not count.

What was asked:
{input}
The answer:
{completion}
YES: the statement holds, and you can point to the place that shows it.
NO: it does not hold, or nothing in the answer shows it.`,
    { YES: 1, NO: 0 },
    { criterion: statement },
  );
}

export function closedQa(criterion: string): Question {
  return question(
    'closed_qa',
    `Somebody asked a question and got an answer. Decide whether the answer meets this requirement:

{criterion}

The question:
{input}
The answer:
{completion}
YES: the answer meets the requirement.
NO: it does not.`,
    { YES: 1, NO: 0 },
    { criterion },
  );
}

export function gEval(criterion: string, steps: readonly string[], scale: number): Question {
  const plan =
    steps.length > 0
      ? 'Take these steps, in this order:\n' +
        `${steps.map((step, index) => `${String(index + 1)}. ${step}`).join('\n')}`
      : 'First work out, in a line or two, what to look for under this criterion; then look for it.';
  const ratings = Object.fromEntries(
    Array.from({ length: scale }, (_, index) => [String(index + 1), index / (scale - 1)]),
  );
  return question(
    'g_eval',
    `Rate an answer by this criterion:

{criterion}

{plan}

What was asked:
{input}
The answer:
{completion}
The rating is a whole number from 1 (does not meet the criterion at all) to ${String(scale)} (meets it fully).`,
    ratings,
    { criterion, plan },
  );
}

export function factuality({ same, fewer, more, contradicts, immaterial }: Factual): Question {
  return question(
    'factuality',
    'Compare the facts in an answer with the facts in a reference written by an expert. ' +
      `Style, order, spelling and length do not count.

What was asked:
{input}
The reference:
{expected}
The answer:
{completion}
SAME: both state the same facts.
FEWER: everything the answer states agrees with the reference, but it leaves facts of the reference out.
MORE: the answer states all facts of the reference and further ones that do not contradict it.
CONTRADICTS: at least one fact of the answer contradicts the reference, or the answer is empty or refuses.
IMMATERIAL: the two differ, but in nothing that matters to what was asked.`,
    { SAME: same, FEWER: fewer, MORE: more, CONTRADICTS: contradicts, IMMATERIAL: immaterial },
  );
}

export function faithfulness(): Question {
  return question(
    'faithfulness',
    'Decide whether an answer stays within its sources. Go through its claims one by one; a ' +
      'claim is supported when the sources state it or it follows from them directly. What you ' +
      `know yourself does not count.

The sources:
{context}
What was asked:
{input}
The answer:
{completion}
SUPPORTED: every claim is supported, or the answer says that the sources do not tell.
PARTLY: most claims are supported, and what is not is minor.
UNSUPPORTED: an important claim is not supported, one contradicts the sources, or the answer is empty.`,
    { SUPPORTED: 1, PARTLY: 0.5, UNSUPPORTED: 0 },
  );
}

export function answerRelevance(): Question {
  return question(
    'answer_relevance',
    `Decide whether an answer addresses what was asked. Whether it is right does not count.

What was asked:
{input}
The answer:
{completion}
TO THE POINT: it addresses all of what was asked, without much else.
PARTLY: it addresses a part, or buries the point in other matter.
BESIDE THE POINT: it addresses something else, evades, or is empty.`,
    { 'TO THE POINT': 1, PARTLY: 0.5, 'BESIDE THE POINT': 0 },
  );
}
