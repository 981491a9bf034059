import { z } from 'zod';
import { jsonText, type Json } from '../types/plain.ts';
import type { MetricAnswer } from './answer.ts';
import { valueParameter, textExpected } from './comparison.ts';
import {
  defineBatch,
  measureError,
  missingExpected,
  type Measurement,
  type MetricContext,
} from './definition.ts';
import { gradeMaterial } from './grade.ts';
import { answerRelevance, factuality, faithfulness, type Factual } from './graded-prompts.ts';
import type { Question } from './grader-prompt.ts';
import { fromGrade, materialsOf, topScore } from './rubric.ts';

/** `extra` replaces material, such as the source texts. */
export async function gradeAnswer(
  question: Question,
  answer: MetricAnswer,
  context: MetricContext,
  needed: number,
  extra: { context?: string } = {},
): Promise<Measurement> {
  const materials = { ...materialsOf(answer, context.level), ...extra };
  return fromGrade(await gradeMaterial(question, materials, context.tools), needed);
}

export function each(
  answers: readonly MetricAnswer[],
  ask: (answer: MetricAnswer) => Promise<Measurement>,
): Promise<Measurement[]> {
  return Promise.all(answers.map(ask));
}

const share = z.number().min(0).max(1);

export const factualityMetric = defineBatch({
  name: 'factuality',
  group: 'graded',
  summary:
    'A grader compares the facts of the answer with those of the expected text: the same, ' +
    'fewer, more, contradicting, or different without weight.',
  parameters: {
    ...valueParameter,
    scores: z
      .strictObject({
        same: share.default(1).describe('The same facts.'),
        fewer: share.default(0.4).describe('Only some of the expected facts.'),
        more: share.default(0.6).describe('All expected facts, and others.'),
        contradicts: share.default(0).describe('A fact contradicts an expected one.'),
        immaterial: share.default(1).describe('Differences without weight.'),
      })
      .prefault({})
      .describe(
        'Score of each outcome; without it `same` and `immaterial` 1, `more` 0.6, `fewer` ' +
          '0.4, `contradicts` 0.',
      ),
  },
  needs: { expected: true, model: true },
  range: '0 to 1',
  passes: 'from 0.4 on: unless the facts contradict',
  source:
    'own wording; openai/evals `fact` and autoevals `Factuality` (the five outcomes and their scores)',
  example: {
    output: 'Paris, on the Seine.',
    expected: 'Paris',
    reply: '{"reasons": "It adds a river.", "choice": "MORE"}',
    value: 0.6,
    pass: true,
  },
  usesExpected: ({ value }) => value === undefined,
  expects: () => textExpected,
  score: (answers, { value, scores }, context) =>
    each(answers, async (answer) => {
      const expected = value ?? answer.expected;
      return expected === undefined
        ? missingExpected(context.name)
        : await gradeAnswer(factuality(scores as Factual), { ...answer, expected }, context, 0.4);
    }),
});

export const faithfulnessMetric = defineBatch({
  name: 'faithfulness',
  group: 'graded',
  summary:
    'A grader decides whether every claim of the answer is supported by the context given in ' +
    "the reference's input.",
  parameters: {
    context: z
      .union([z.string(), z.array(z.string()).min(1)])
      .default('context')
      .describe('The input variable, or variables, that hold the context.'),
  },
  needs: { expected: false, model: true },
  range: '0, 0.5 or 1',
  passes: 'at 1',
  source:
    'own wording; ragas and autoevals faithfulness, as one judgement in place of claim by claim',
  example: {
    output: 'Open until 6.',
    input: { context: 'The shop closes at 6 pm.' },
    reply: '{"reasons": "Supported.", "choice": "SUPPORTED"}',
    value: 1,
    pass: true,
  },
  score: (answers, { context: names }, context) =>
    each(answers, async (answer) => {
      const given = (typeof names === 'string' ? [names] : names).map((name) => ({
        name,
        text: Object.hasOwn(answer.input, name) ? answer.input[name] : undefined,
      }));
      const missing = given.find(({ text }) => text === undefined);
      if (missing !== undefined)
        return measureError(
          `the input has no ${missing.name}, which metric ${context.name} takes as context`,
        );
      const question = faithfulness();
      return await gradeAnswer(question, answer, context, topScore(question), {
        context: given.map(({ text }) => jsonText((text ?? '') as Json)).join('\n\n'),
      });
    }),
});

export const answerRelevanceMetric = defineBatch({
  name: 'answer_relevance',
  group: 'graded',
  summary: 'A grader decides whether the answer addresses what the prompt asks.',
  parameters: {},
  needs: { expected: false, model: true },
  range: '0, 0.5 or 1',
  passes: 'at 1',
  source:
    'own wording; ragas and autoevals answer relevancy, judged directly in place of by embeddings',
  example: {
    output: 'I like trains.',
    reply: '{"reasons": "Off topic.", "choice": "BESIDE THE POINT"}',
    value: 0,
    pass: false,
  },
  score: (answers, _, context) =>
    each(answers, (answer) => gradeAnswer(answerRelevance(), answer, context, 1)),
});
