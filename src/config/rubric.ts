import { z } from 'zod';
import type { Field } from '../documents/document.ts';
import { stemOf } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import { materialUsed, showsNothing } from '../metrics/keywords.ts';
import type { Better, Rubric } from '../types/metric.ts';
import { isMap, type JsonMap, type Notice } from '../types/plain.ts';
import { BETTER, labels, labelTexts } from './metric-schema.ts';
import { keywordProblems, readChoices, readPassing } from './rubric-choices.ts';
import {
  exampleSchema,
  examplesFromSchema,
  readExamples,
  type RubricContext,
} from './rubric-examples.ts';
import {
  anything,
  checkItems,
  checkMembers,
  closed,
  filled,
  flag,
  listOf,
  numberBetween,
  oneOf,
  refuseMissing,
  anyText,
} from './schema.ts';
import { withoutUndefined } from './settings.ts';

const rubricMessageSchema = closed({
  role: oneOf(['system', 'human', 'user', 'ai', 'assistant']).describe('Role of the message.'),
  content: filled().describe('The text, with keywords in braces.'),
});

const PHOENIX = ['maximize', 'minimize', 'neutral'] as const;

const DIRECTIONS: Readonly<Record<(typeof PHOENIX)[number], Better>> = {
  maximize: 'higher',
  minimize: 'lower',
  neutral: 'none',
};

const rubricScore = numberBetween(-Number.MAX_VALUE, Number.MAX_VALUE);

const scoresSchema = z.union(
  [
    z.record(z.string(), rubricScore),
    z.literal('from_strings'),
    listOf(
      closed({
        choice: filled().describe('The label.'),
        score: rubricScore.describe('Its score.'),
      }),
    ),
  ],
  { error: 'must map at least one answer to a number' },
);

const withoutEffect = anything()
  .describe("No effect; allowed because other tools' files contain it.")
  .optional();

const rubricShape = {
  name: filled()
    .describe('Name of the rubric, if the file contains only one. Default: the name of the file.')
    .optional(),
  prompt: filled()
    .describe(
      'The prompt of the grader. The keywords {completion}, {content}, {conversation} and ' +
        'others insert the text to judge.',
    )
    .optional(),
  messages: listOf(rubricMessageSchema)
    .describe('Messages instead of prompt (Phoenix).')
    .optional(),
  choice_scores: scoresSchema.describe('The labels, and the score of each.').optional(),
  choices: scoresSchema.describe('The same as choice_scores (Phoenix).').optional(),
  better: oneOf(BETTER)
    .describe('Whether higher or lower scores are better. The labels with the best score pass.')
    .optional(),
  pass: labels().describe('The labels that pass. Default: the best one.').optional(),
  threshold: rubricScore
    .describe('Lowest score that passes, or the highest if lower is better.')
    .optional(),
  choice_strings: z
    .union([filled(), listOf(filled())], { error: 'must be a list of labels' })
    .describe('The labels: a list, or one word whose letters are the labels (openai/evals).')
    .optional(),
  eval_type: oneOf(['classify', 'cot_classify', 'classify_cot'])
    .describe(
      'What the grader replies: only the label (classify), reasons and then the label ' +
        '(cot_classify, default), or the label and then reasons (classify_cot).',
    )
    .optional(),
  notes: anyText().describe('A text for people. The grader does not see it.').optional(),
  description: anyText().describe('The same as notes.').optional(),
  examples: listOf(exampleSchema)
    .describe('Answers with the labels that people gave them, to test the grader with.')
    .optional(),
  examples_from: examplesFromSchema.describe('Data file with more examples.').optional(),
  input_outputs: withoutEffect,
  output_template: withoutEffect,
  optimization_direction: oneOf(PHOENIX)
    .describe("Phoenix's name for better: maximize, minimize or neutral.")
    .optional(),
  use_cot: flag()
    .describe('false: the grader replies with the label and without reasons (autoevals).')
    .optional(),
  model: withoutEffect,
  engine: withoutEffect,
  temperature: withoutEffect,
};

const rubricSchema = closed(rubricShape);

const GRADER_ELSEWHERE = '; set the grader in the settings, or with grader: … in the metric';

const WITHOUT_EFFECT = {
  input_outputs: '',
  output_template: '',
  model: GRADER_ELSEWHERE,
  engine: GRADER_ELSEWHERE,
  temperature: GRADER_ELSEWHERE,
};

export function rubricsSchema() {
  return z.union([rubricSchema, z.record(z.string(), rubricSchema)]);
}

export async function readRubrics(file: Field, context: RubricContext): Promise<Rubric[]> {
  const rubrics: Rubric[] = [];
  const { value, problems } = file;
  if (!isMap(value)) {
    file.refuse('must be a map of rubric name to prompt and choice_scores');
    return rubrics;
  }
  for (const [name, path] of rubricsIn(file.document.file, value)) {
    const field = file.at(...path);
    if (!isMap(field.value)) {
      field.refuse(`${name} must be a map with prompt and choice_scores`);
      continue;
    }
    const before = problems.length;
    const rubric = await readRubric({ field, name, notices: context.notices }, context);
    if (problems.length === before) rubrics.push(rubric);
  }
  return rubrics;
}

export function rubricsIn(file: string, value: JsonMap): [string, [] | [string]][] {
  const isOne = typeof value['prompt'] === 'string' || Array.isArray(value['messages']);
  return isOne
    ? [[typeof value['name'] === 'string' ? value['name'] : stemOf(file), []]]
    : Object.keys(value).map((name) => [name, [name]]);
}

interface RubricReader {
  field: Field;
  name: string;
  notices: Notice[];
}

async function readRubric(reader: RubricReader, context: RubricContext): Promise<Rubric> {
  const { field, name } = reader;
  const left = anything().optional();
  const written = checkMembers(field, {
    ...rubricShape,
    messages: left,
    examples: left,
    choice_scores: left,
    choices: left,
  });
  const scores = readChoices(field, written.choice_strings);
  noticeKeysWithoutEffect(reader);
  const prompt = readPromptText(reader);
  const examples = await readExamples(field, [...(scores?.keys() ?? [])], context);
  if (materialUsed(prompt).has('expected'))
    for (const { place } of examples.filter(({ ideal }) => ideal === null))
      field.problems.push(
        problem(
          place,
          `the rubric "${name}" contains {expected}, so this example needs the key ideal ` +
            'with the text to insert there',
        ),
      );
  return {
    name,
    prompt,
    choice_scores: scores ?? new Map(),
    ...readDirection(reader, written, scores),
    eval_type: written.eval_type ?? (written.use_cot === false ? 'classify' : 'cot_classify'),
    notes: written.notes ?? written.description ?? null,
    examples,
    place: field.place,
  };
}

function noticeKeysWithoutEffect({ field, notices }: RubricReader): void {
  for (const [key, instead] of Object.entries(WITHOUT_EFFECT)) {
    const { isGiven, name, place } = field.at(key);
    if (isGiven)
      notices.push({ kind: 'import', message: `${name} has no effect here${instead}`, place });
  }
}

function readDirection(
  { field, name }: RubricReader,
  written: Pick<
    z.output<typeof rubricSchema>,
    'better' | 'pass' | 'threshold' | 'optimization_direction'
  >,
  scores: ReadonlyMap<string, number> | null,
): Pick<Rubric, 'better' | 'pass'> {
  const phoenix = written.optimization_direction;
  const better = written.better ?? (phoenix && DIRECTIONS[phoenix]);
  const labelsThatPass = labelTexts(field.at('pass'), written.pass);
  if (scores === null) return {};
  const { key, pass, wrong } = readPassing(scores, better, labelsThatPass, written.threshold);
  for (const message of wrong) field.at(key).refuse(`the rubric "${name}": ${message}`);
  return withoutUndefined({ better, pass });
}

function readPromptText(reader: RubricReader): string {
  const { field, name, notices } = reader;
  const texts = promptTexts(reader);
  const prompt = texts.map(({ content }) => content).join('\n\n');
  for (const { written, message } of keywordProblems(prompt)) {
    const part = texts.find(({ content }) => content.includes(written))?.at ?? field;
    field.problems.push(problem(part.placeOfText(written), message));
  }
  if (texts.length > 0 && showsNothing(prompt)) {
    notices.push({
      kind: 'unused',
      message:
        `the rubric "${name}" does not show the answer to the grader: use {completion}, {content} ` +
        'or {conversation}',
      place: field.place,
    });
  }
  return prompt;
}

function promptTexts({ field, name }: RubricReader): { at: Field; content: string }[] {
  const at = field.at('prompt');
  const messages = field.at('messages');
  if (messages.isGiven && at.isGiven)
    field.refuse(`${field.name || name} has prompt and messages; keep one of them`);
  if (!messages.isGiven && !at.isGiven) refuseMissing(at, Object.keys(rubricShape));
  if (at.isGiven) return typeof at.value === 'string' ? [{ at, content: at.value }] : [];
  return checkItems(messages, rubricMessageSchema).map((item) => ({
    at: item.field.at('content'),
    content: item.value.content,
  }));
}
