import { readGrade } from '../../src/metrics/grade.ts';
import { graderPrompt } from '../../src/metrics/grader-prompt.ts';
import type { Part, Row } from './page.ts';

/** FlexEval's template with its sections in our own words. */
const templateWith = (keyword: string): string => `Your Role:
You read lessons.

Your Task:
Decide whether a drawing is asked for.

Data:
What was said follows.
[BEGIN DATA]
***
{${keyword}}
***
[END DATA]

__start rubric__
A drawing is any picture.
__end rubric__

Output:
First the reasons, then the decision.`;

const LABELS = new Map([
  ['YES', 1],
  ['NO', 0],
]);

/** Keywords of the template's data block, each with the text that replaces it. */
const KEYWORDS = {
  conversation: 'the whole conversation',
  context: 'the entries before',
  turn: 'the current entry',
  completion: 'the new completion',
} as const;

/** Checks the template, keywords, marks and labels of FlexEval's Rubric Guide. */
export function guide(): Part {
  const { conversation, context, turn: content, completion } = KEYWORDS;
  const askedWith = (keyword: string): string =>
    graderPrompt(
      {
        name: 'asks_for_drawing',
        prompt: templateWith(keyword),
        choice_scores: LABELS,
        eval_type: 'cot_classify',
      },
      {
        conversation,
        context,
        content,
        completion,
        input: '',
        tool_calls: '',
        expected: undefined,
      },
      () => 'mark',
    ).messages.at(-1)?.content ?? '';
  const keywords = Object.entries(KEYWORDS).map(([keyword, seed]): Row => ({
    what: `{${keyword}} becomes`,
    seed,
    ours: askedWith(keyword).split('\n***\n')[1]?.trim().split('\n')[1] ?? '',
  }));
  const asked = askedWith('turn');
  const marks = ['[BEGIN DATA]', '[END DATA]', '__start rubric__', '__end rubric__'].map(
    (mark): Row => ({
      what: 'reaches the grader',
      seed: mark,
      ours: asked.includes(mark) ? mark : '',
    }),
  );
  const labels = [...LABELS].map(([label, score]): Row => {
    const read = readGrade(`It is plain to see.\n${label}`, [...LABELS.keys()], 'cot_classify');
    return {
      what: `reasons, then ${label}, scores`,
      seed: String(score),
      ours: String(LABELS.get(read?.label ?? '')),
    };
  });
  return {
    title: 'FlexEval: the template of the Rubric Guide',
    text: "The rows show what the grader gets from FlexEval's sections, marks and keywords, filled with our own words.",
    rows: [...keywords, ...marks, ...labels],
  };
}
