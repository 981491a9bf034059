import { z } from 'zod';
import { shorten } from '../text/visible.ts';
import { jsonText, type Json } from '../types/plain.ts';
import { alternatives, type MetricAnswer } from './answer.ts';
import { textExpected, valueParameter } from './comparison.ts';
import {
  defineBatch,
  measureError,
  measurement,
  missingExpected,
  yesOrNo,
  type Description,
  type Expectation,
  type Measurement,
  type MetricContext,
  type MetricDefinition,
  type Options,
} from './definition.ts';
import { gradeMaterial } from './grade.ts';
import type { Materials, Question } from './grader-prompt.ts';
import { pairwisePreference } from './pairwise.ts';
import { fromGrade, idealText, materialsOf } from './rubric.ts';

interface LabelPrompt {
  prompt: string;
  labels: Record<string, number>;
  own?: Record<string, string>;
  material?: Materials;
}

function labelQuestion(name: string, { prompt, labels, own = {} }: LabelPrompt): Question {
  const choice_scores = new Map(Object.entries(labels));
  return { name, prompt, choice_scores, eval_type: 'cot_classify', own };
}

interface GradedSpec<S extends z.ZodRawShape> extends Omit<Description, 'group'> {
  parameters: S;
  expects?(options: Options<S>): Expectation | null;
  needed: number;
  /** If there is no question, returns why (a string). Null if `expected` is missing. */
  question(answer: MetricAnswer, options: Options<S>, name: string): LabelPrompt | string | null;
}

function graded<S extends z.ZodRawShape>(spec: GradedSpec<S>): MetricDefinition {
  const { question, needed, ...rest } = spec;
  return defineBatch<S>({
    ...rest,
    group: 'graded',
    needs: { model: true },
    score: (answers, options, { name, level, tools }) =>
      Promise.all(
        answers.map(async (answer) => {
          const asked = question(answer, options, name);
          if (asked === null) return missingExpected(name);
          if (typeof asked === 'string') return measureError(asked);
          const materials = { ...materialsOf(answer, level), ...asked.material };
          const grade = await gradeMaterial(labelQuestion(spec.name, asked), materials, tools);
          return fromGrade(grade, needed);
        }),
      ),
  });
}

const byCriterion = {
  parameters: {
    criteria: z
      .string()
      .min(1)
      .optional()
      .describe("What the answer must fulfil, in words. Default: the test's `expected`."),
  },
  expects: ({ criteria }: { criteria?: string | undefined }) =>
    criteria === undefined ? textExpected : null,
};

function withCriterion(
  { expected }: MetricAnswer,
  { criteria }: { criteria?: string | undefined },
  asked: LabelPrompt,
): LabelPrompt | null {
  const criterion =
    criteria ?? (expected === undefined ? undefined : alternatives(expected).join('\n'));
  return criterion === undefined ? null : { ...asked, own: { criterion, ...asked.own } };
}

const llmRubric = graded({
  ...byCriterion,
  name: 'llm_rubric',
  summary: 'A grader decides whether the answer meets a criterion in your own words.',
  ...yesOrNo,
  needed: 1,
  aliases: ['closed_qa'],
  source: 'own wording; promptfoo `llm-rubric`, openai/evals `closedqa`, autoevals `ClosedQA`',
  example: {
    output: 'Certainly, here you are.',
    with: { criteria: 'The answer is polite.' },
    reply: '{"reasons": "It is courteous.", "choice": "PASS"}',
    value: 1,
    pass: true,
  },
  question: (answer, options) =>
    withCriterion(answer, options, {
      labels: { PASS: 1, FAIL: 0 },
      prompt: `Decide whether an answer fulfils this criterion:

{criterion}

Take the criterion as it is written. Do not ask for more than it says, and do not forgive what it forbids.

What was asked:
{input}
The answer:
{completion}
PASS: the answer fulfils the criterion.
FAIL: it does not, or it is empty.`,
    }),
});

const gEval = graded({
  ...byCriterion,
  name: 'g_eval',
  summary:
    'A grader rates the answer by a criterion, from 1 to `scale`. The value is the rating, ' +
    'mapped to 0–1. It takes one call. Without `steps`, the grader plans its own steps.',
  parameters: {
    ...byCriterion.parameters,
    steps: z
      .array(z.string().min(1))
      .default([])
      .describe('Steps for the grader to take before it rates.'),
    scale: z.int().min(2).max(10).default(5).describe('The highest rating.'),
  },
  range: '0 to 1',
  passes: 'at 0.5 or more',
  needed: 0.5,
  source: 'Liu et al. (2023), G-Eval, without the weighting by token probabilities; own wording',
  example: {
    output: 'A short, clear text.',
    with: { criteria: 'Clarity of the text' },
    reply: '{"reasons": "Clear, though thin.", "choice": "4"}',
    value: 0.75,
    pass: true,
  },
  question: (answer, options) =>
    withCriterion(answer, options, {
      labels: Object.fromEntries(
        Array.from({ length: options.scale }, (_, index) => [
          String(index + 1),
          index / (options.scale - 1),
        ]),
      ),
      own: {
        plan:
          options.steps.length > 0
            ? 'Take these steps, in this order:\n' +
              `${options.steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}`
            : 'First work out, in a line or two, what to look for under this criterion; then look for it.',
      },
      prompt: `Rate an answer by this criterion:

{criterion}

{plan}

What was asked:
{input}
The answer:
{completion}
The rating is a whole number from 1 (does not meet the criterion at all) to ${options.scale} (meets it fully).`,
    }),
});

const STATEMENT_PROMPT: LabelPrompt = {
  labels: { YES: 1, NO: 0 },
  prompt: `Decide whether this one statement holds for an answer:

{criterion}

Other strengths and faults of the answer do not count.

What was asked:
{input}
The answer:
{completion}
YES: the statement holds, and you can point to the place that shows it.
NO: it does not hold, or nothing in the answer shows it.`,
};

const statement = z.union([
  z.string().min(1),
  z.strictObject({
    statement: z.string().min(1).describe('What must be true of the answer, in words.'),
    required: z.boolean().default(true).describe('Whether the metric fails if it is false.'),
  }),
]);

const criteriaMetric = defineBatch({
  name: 'criteria',
  group: 'graded',
  summary:
    'A checklist: a grader decides each statement about the answer separately, with one call ' +
    'each. The value is the share of true statements.',
  parameters: {
    statements: z
      .array(statement)
      .min(1)
      .optional()
      .describe(
        "Statements, or maps of `statement` and `required`. Default: the test's `expected`, " +
          'one statement or a list.',
      ),
  },
  needs: { model: true },
  expects: ({ statements }) => (statements === undefined ? textExpected : null),
  range: '0 to 1',
  passes: 'if all statements are true, except those with `required: false`',
  source: 'own wording; checklists of Agent Skills `evals.json`, mastra, Vertex',
  example: {
    output: 'Paris, of course!',
    with: { statements: ['Names Paris.', { statement: 'Is friendly.', required: false }] },
    reply: '{"reasons": "It is so.", "choice": "YES"}',
    value: 1,
    pass: true,
  },
  score: (answers, { statements }, context) =>
    Promise.all(
      answers.map((answer) => {
        if (statements === undefined && answer.expected === undefined)
          return missingExpected(context.name);
        const list = statements ?? alternatives(answer.expected ?? []);
        return checklist(
          list.map((entry) =>
            typeof entry === 'string' ? { statement: entry, required: true } : entry,
          ),
          answer,
          context,
        );
      }),
    ),
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
      grade: await gradeMaterial(
        labelQuestion('criteria', { ...STATEMENT_PROMPT, own: { criterion: entry.statement } }),
        materials,
        context.tools,
      ),
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

const share = z.number().min(0).max(1);

const factuality = graded({
  name: 'factuality',
  summary:
    'A grader compares the facts in the answer with those in the expected text. It decides ' +
    'whether they are the same, fewer, more, contradictory, or differ in ways that do not ' +
    'matter.',
  parameters: {
    ...valueParameter,
    scores: z
      .strictObject({
        same: share.default(1).describe('The same facts.'),
        fewer: share.default(0.4).describe('Only some of the expected facts.'),
        more: share.default(0.6).describe('All expected facts, and others.'),
        contradicts: share.default(0).describe('A fact contradicts an expected one.'),
        immaterial: share.default(1).describe('The texts differ only in ways that do not matter.'),
      })
      .prefault({})
      .describe(
        'Score of each outcome. Default: `same` and `immaterial` 1, `more` 0.6, `fewer` 0.4, ' +
          '`contradicts` 0.',
      ),
  },
  needed: 0.4,
  range: '0 to 1',
  passes: 'at 0.4 or more, so always unless the facts contradict each other',
  source:
    'own wording; openai/evals `fact` and autoevals `Factuality` (the five outcomes and their scores)',
  example: {
    output: 'Paris, on the Seine.',
    expected: 'Paris',
    reply: '{"reasons": "It adds a river.", "choice": "MORE"}',
    value: 0.6,
    pass: true,
  },
  expects: () => textExpected,
  question(answer, { value, scores: { same, fewer, more, contradicts, immaterial } }) {
    const expected = value ?? answer.expected;
    return expected === undefined
      ? null
      : {
          material: { expected: idealText(expected) },
          labels: {
            SAME: same,
            FEWER: fewer,
            MORE: more,
            CONTRADICTS: contradicts,
            IMMATERIAL: immaterial,
          },
          prompt:
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
        };
  },
});

const faithfulness = graded({
  name: 'faithfulness',
  summary:
    'A grader decides whether every claim in the answer is supported by the context in the ' +
    "test's input.",
  parameters: {
    context: z
      .union([z.string(), z.array(z.string()).min(1)])
      .default('context')
      .describe('The input variable that contains the context, or a list of variables.'),
  },
  needed: 1,
  range: '0, 0.5 or 1',
  passes: 'at 1',
  source:
    'our own wording; like faithfulness in ragas and autoevals, but with one judgement for all claims',
  example: {
    output: 'Open until 6.',
    input: { context: 'The shop closes at 6 pm.' },
    reply: '{"reasons": "Supported.", "choice": "SUPPORTED"}',
    value: 1,
    pass: true,
  },
  question({ input }, { context: names }, metric) {
    const given = [names].flat().map((name) => ({
      name,
      text: Object.hasOwn(input, name) ? input[name] : undefined,
    }));
    const missing = given.find(({ text }) => text === undefined);
    if (missing !== undefined)
      return `the input has no ${missing.name}, which metric ${metric} uses as context`;
    return {
      material: { context: given.map(({ text }) => jsonText((text ?? '') as Json)).join('\n\n') },
      labels: { SUPPORTED: 1, PARTLY: 0.5, UNSUPPORTED: 0 },
      prompt:
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
    };
  },
});

const answerRelevance = graded({
  name: 'answer_relevance',
  summary: 'A grader decides whether the answer addresses what the prompt asks.',
  parameters: {},
  needed: 1,
  range: '0, 0.5 or 1',
  passes: 'at 1',
  source:
    'own wording; ragas and autoevals answer relevancy, judged directly instead of by embeddings',
  example: {
    output: 'I like trains.',
    reply: '{"reasons": "Off topic.", "choice": "BESIDE THE POINT"}',
    value: 0,
    pass: false,
  },
  question: () => ({
    labels: { 'TO THE POINT': 1, PARTLY: 0.5, 'BESIDE THE POINT': 0 },
    prompt: `Decide whether an answer addresses what was asked. Whether it is right does not count.

What was asked:
{input}
The answer:
{completion}
TO THE POINT: it addresses all of what was asked, without much else.
PARTLY: it addresses a part, or buries the point in other matter.
BESIDE THE POINT: it addresses something else, evades, or is empty.`,
  }),
});

export const gradedMetrics: readonly MetricDefinition[] = [
  llmRubric,
  criteriaMetric,
  factuality,
  gEval,
  faithfulness,
  answerRelevance,
  pairwisePreference,
];
