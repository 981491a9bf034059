import { z } from 'zod';
import { shorten } from '../text/visible.ts';
import { alternatives, type MetricAnswer } from './answer.ts';
import { textExpected } from './comparison.ts';
import {
  defineBatch,
  measureError,
  measurement,
  missingExpected,
  type Measurement,
  type MetricContext,
  type MetricDefinition,
  yesOrNo,
} from './definition.ts';
import {
  answerRelevanceMetric,
  each,
  factualityMetric,
  faithfulnessMetric,
  gradeAnswer,
} from './factuality.ts';
import { gradeMaterial } from './grade.ts';
import { closedQa, gEval, llmRubric, statementMet } from './graded-prompts.ts';
import type { Question } from './grader-prompt.ts';
import { pairwisePreference } from './pairwise.ts';
import { materialsOf } from './rubric.ts';

const criteria = z
  .string()
  .min(1)
  .optional()
  .describe("What the answer has to fulfil, in words; without it, the reference's `expected`.");

const gradedOnce = {
  group: 'graded',
  needs: { expected: true, model: true },
  usesExpected: (options: { criteria?: string | undefined }) => options.criteria === undefined,
  expects: () => textExpected,
} as const;

/** Grades each answer by the file's criterion, else its reference's. `needed`: the lowest pass. */
function gradeByCriterion(
  answers: readonly MetricAnswer[],
  given: string | undefined,
  context: MetricContext,
  questionOf: (criterion: string) => Question,
  needed: number,
): Promise<Measurement[]> {
  return each(answers, async (answer) => {
    if (given === undefined && answer.expected === undefined) return missingExpected(context.name);
    const criterion = given ?? alternatives(answer.expected ?? []).join('\n');
    return await gradeAnswer(questionOf(criterion), answer, context, needed);
  });
}

const llmRubricMetric = defineBatch({
  ...gradedOnce,
  name: 'llm_rubric',
  summary: 'A grader decides whether the answer fulfils a criterion in free words.',
  parameters: { criteria },
  ...yesOrNo,
  source: 'own wording; promptfoo `llm-rubric`',
  example: {
    output: 'Certainly, here you are.',
    with: { criteria: 'The answer is polite.' },
    reply: '{"reasons": "It is courteous.", "choice": "PASS"}',
    value: 1,
    pass: true,
  },
  score: (answers, options, context) =>
    gradeByCriterion(answers, options.criteria, context, llmRubric, 1),
});

const closedQaMetric = defineBatch({
  ...gradedOnce,
  name: 'closed_qa',
  summary: "A grader decides whether the answer to the prompt's question meets a criterion.",
  parameters: { criteria },
  ...yesOrNo,
  source: 'own wording; openai/evals `closedqa`, autoevals `ClosedQA`',
  example: {
    output: 'The Nile.',
    with: { criteria: 'Names a river in Africa.' },
    reply: 'The Nile flows through Africa.\nYES',
    value: 1,
    pass: true,
  },
  score: (answers, options, context) =>
    gradeByCriterion(answers, options.criteria, context, closedQa, 1),
});

const gEvalMetric = defineBatch({
  ...gradedOnce,
  name: 'g_eval',
  summary:
    'A grader rates the answer by a criterion from 1 to `scale`; the value is the rating on ' +
    'a scale from 0 to 1. One call: without `steps` the grader plans its own in its reasons.',
  parameters: {
    criteria,
    steps: z
      .array(z.string().min(1))
      .default([])
      .describe('Steps the grader has to take before it rates.'),
    scale: z.int().min(2).max(10).default(5).describe('The highest rating.'),
  },
  range: '0 to 1',
  passes: 'from 0.5 on',
  source: 'Liu et al. (2023), G-Eval, without the weighting by token probabilities; own wording',
  example: {
    output: 'A short, clear text.',
    with: { criteria: 'Clarity of the text' },
    reply: '{"reasons": "Clear, though thin.", "choice": "4"}',
    value: 0.75,
    pass: true,
  },
  score: (answers, { criteria: given, steps, scale }, context) =>
    gradeByCriterion(answers, given, context, (text) => gEval(text, steps, scale), 0.5),
});

const statement = z.union([
  z.string().min(1),
  z.strictObject({
    statement: z.string().min(1).describe('What has to hold of the answer, in words.'),
    required: z.boolean().default(true).describe('Whether the metric fails without it.'),
  }),
]);

const criteriaMetric = defineBatch({
  name: 'criteria',
  group: 'graded',
  summary:
    'A checklist: a grader decides each statement about the answer on its own, one call ' +
    'each. The value is the share that holds.',
  parameters: {
    statements: z
      .array(statement)
      .min(1)
      .optional()
      .describe(
        "Statements, or maps of `statement` and `required`; without them, the reference's " +
          '`expected`, one statement or a list.',
      ),
  },
  needs: { expected: true, model: true },
  usesExpected: ({ statements }) => statements === undefined,
  expects: () => textExpected,
  range: '0 to 1',
  passes: 'when every required statement holds (all are, unless `required: false`)',
  source: 'own wording; checklists of Agent Skills `evals.json`, mastra, Vertex',
  example: {
    output: 'Paris, of course!',
    with: { statements: ['Names Paris.', { statement: 'Is friendly.', required: false }] },
    reply: '{"reasons": "It is so.", "choice": "YES"}',
    value: 1,
    pass: true,
  },
  score: (answers, { statements }, context) =>
    each(answers, async (answer) => {
      if (statements === undefined && answer.expected === undefined)
        return missingExpected(context.name);
      const list = statements ?? alternatives(answer.expected ?? []);
      return await checklist(
        list.map((entry) =>
          typeof entry === 'string' ? { statement: entry, required: true } : entry,
        ),
        answer,
        context,
      );
    }),
});

async function checklist(
  list: { statement: string; required: boolean }[],
  answer: MetricAnswer,
  context: MetricContext,
): Promise<Measurement> {
  if (list.length === 0) return measureError('the checklist is empty');
  const materials = materialsOf(answer, context.level);
  const grades = await Promise.all(
    list.map(async (entry) => ({
      ...entry,
      grade: await gradeMaterial(statementMet(entry.statement), materials, context.tools),
    })),
  );
  const unmet: string[] = [];
  let met = 0;
  let pass = true;
  for (const { statement: text, required, grade } of grades) {
    if (grade.status !== 'graded')
      return { status: grade.status, reason: `${shorten(text, 80)}: ${grade.reason}` };
    if (grade.score === 1) met++;
    else {
      if (required) pass = false;
      unmet.push(`${shorten(text, 80)} (${grade.reasons ?? 'no reason given'})`);
    }
  }
  return measurement(
    met / list.length,
    pass,
    unmet.length === 0 ? null : `does not hold: ${unmet.join('; ')}`,
  );
}

export const gradedMetrics: readonly MetricDefinition[] = [
  llmRubricMetric,
  criteriaMetric,
  factualityMetric,
  closedQaMetric,
  gEvalMetric,
  faithfulnessMetric,
  answerRelevanceMetric,
  pairwisePreference,
];
