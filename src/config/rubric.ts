import { z } from 'zod';
import type { Field } from '../documents/document.ts';
import { stemOf } from '../documents/paths.ts';
import { materialUsed, showsNothing } from '../metrics/keywords.ts';
import type { Rubric } from '../types/metric.ts';
import { isMap, type JsonMap, type Notice } from '../types/plain.ts';
import { loadLabelled, reportContradictions } from './answers.ts';
import { BETTER, labels, labelTexts } from './metric-schema.ts';
import type { LoadData } from './rows.ts';
import { choiceProblems, rubricChoices, keywordProblems, labelsAt } from './rubric-choices.ts';
import {
  anything,
  check,
  closed,
  filled,
  flag,
  listOf,
  numberBetween,
  oneOf,
  optional,
  anyText,
  scalar,
} from './schema.ts';
import { withoutUndefined } from './settings.ts';

const exampleSchema = closed({
  content: filled().describe('The answer.'),
  context: anyText().describe('The conversation before the answer.').optional(),
  ideal: scalar().describe('The text that replaces {expected} in the rubric.').optional(),
  expected: scalar().describe('The label that people gave the answer.'),
});

const examplesFromSchema = closed({
  file: filled().describe('Path of a .jsonl, .ndjson, .csv or .tsv file.'),
});

const rubricScore = numberBetween(-Number.MAX_VALUE, Number.MAX_VALUE);

/** FlexEval's and autoevals' map of labels, or the labels of `choice_strings`. */
const scoresSchema = z.union(
  [
    z.record(z.string(), rubricScore).transform((scores) => Object.entries(scores)),
    z.literal('from_strings'),
  ],
  { error: 'must map at least one label to a number' },
);

const withoutEffect = anything().describe(
  "No effect; allowed because other tools' files contain it.",
);

const rubricShape = {
  name: filled()
    .describe('Name of the rubric, if the file contains only one. Default: the name of the file.')
    .optional(),
  prompt: filled().describe(
    'The prompt of the grader. The keywords {completion}, {content}, {conversation} and ' +
      'others insert the text to judge.',
  ),
  ...optional({
    choice_scores: scoresSchema.describe('The labels, and the score of each.'),
    better: oneOf(BETTER).describe(
      'Whether higher or lower scores are better. The labels with the best score pass.',
    ),
    pass: labels().describe('The labels that pass. Default: the best one.'),
    threshold: rubricScore.describe('Lowest score that passes, or the highest if lower is better.'),
    choice_strings: z
      .union([filled(), listOf(filled())], { error: 'must be a list of labels' })
      .describe('The labels: a list, or one word whose letters are the labels (openai/evals).'),
    eval_type: oneOf(['classify', 'cot_classify', 'classify_cot']).describe(
      'What the grader replies: only the label (classify), reasons and then the label ' +
        '(cot_classify, default), or the label and then reasons (classify_cot).',
    ),
    notes: anyText().describe('A text for people. The grader does not see it.'),
    description: anyText().describe('The same as notes.'),
    examples: listOf(exampleSchema).describe(
      'Answers with the labels that people gave them, to test the grader with.',
    ),
    examples_from: examplesFromSchema.describe('Data file with more examples.'),
    input_outputs: withoutEffect,
    output_template: withoutEffect,
    use_cot: flag().describe(
      'false: the grader replies with the label and without reasons (autoevals).',
    ),
    model: withoutEffect,
    engine: withoutEffect,
    temperature: withoutEffect,
  }),
};

const rubricSchema = closed(rubricShape, 'a map with prompt and choice_scores');

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
    const before = problems.length;
    const field = file.at(...path);
    const written = check(field, rubricSchema);
    const rubric = written && (await readRubric({ ...written, name }, field, context));
    if (rubric !== undefined && problems.length === before) rubrics.push(rubric);
  }
  return rubrics;
}

export function rubricsIn(file: string, value: JsonMap): [string, [] | [string]][] {
  const isOne = typeof value['prompt'] === 'string' || Array.isArray(value['messages']);
  return isOne
    ? [[typeof value['name'] === 'string' ? value['name'] : stemOf(file), []]]
    : Object.keys(value).map((name) => [name, [name]]);
}

type WrittenRubric = z.output<typeof rubricSchema> & { name: string };

async function readRubric(
  written: WrittenRubric,
  field: Field,
  context: RubricContext,
): Promise<Rubric> {
  const { name, prompt, threshold, use_cot } = written;
  const choices = rubricChoices(written, {
    better: written.better,
    pass: labelTexts(field.at('pass'), written.pass),
  });
  const flaws = choiceProblems(choices, written);
  for (const [key, message] of flaws) field.at(key).refuse(`the rubric "${name}": ${message}`);
  noticeKeysWithoutEffect(field, context.notices);
  checkPromptText(written, field, context.notices);
  const labels = flaws.length > 0 ? [] : [...choices.scores.keys()];
  const examples = await readExamples(field, written, labels, context);
  if (materialUsed(prompt).has('expected'))
    for (const { place } of examples.filter(({ ideal }) => ideal === null))
      field.refuse(
        `the rubric "${name}" contains {expected}, so this example needs the key ideal with the ` +
          'text to insert there',
        place,
      );
  const pass = threshold === undefined ? choices.pass : labelsAt(threshold, choices);
  return {
    name,
    prompt,
    choice_scores: choices.scores,
    ...withoutUndefined({ better: choices.better, pass }),
    eval_type: written.eval_type ?? (use_cot === false ? 'classify' : 'cot_classify'),
    examples,
    place: field.place,
  };
}

function noticeKeysWithoutEffect(field: Field, notices: Notice[]): void {
  for (const [key, instead] of Object.entries(WITHOUT_EFFECT)) {
    const { isGiven, name, place } = field.at(key);
    if (isGiven)
      notices.push({ kind: 'import', message: `${name} has no effect here${instead}`, place });
  }
}

function checkPromptText({ name, prompt }: WrittenRubric, field: Field, notices: Notice[]): void {
  for (const { written, message } of keywordProblems(prompt))
    field.refuse(message, field.at('prompt').placeOfText(written));
  if (!showsNothing(prompt)) return;
  const message =
    `the rubric "${name}" does not show the answer to the grader: use {completion}, {content} ` +
    'or {conversation}';
  notices.push({ kind: 'unused', message, place: field.place });
}

interface RubricContext {
  load: LoadData;
  notices: Notice[];
}

async function readExamples(
  rubric: Field,
  written: {
    examples?: z.output<typeof exampleSchema>[] | undefined;
    examples_from?: z.output<typeof examplesFromSchema> | undefined;
  },
  labels: readonly string[],
  context: RubricContext,
): Promise<Rubric['examples']> {
  const own = (written.examples ?? []).map((value, index) => ({
    field: rubric.at('examples', index),
    value,
  }));
  const { examples_from: from } = written;
  const field = rubric.at('examples_from', 'file');
  const loaded = from ? await loadLabelled(field, from.file, exampleSchema, context) : [];
  const found = [...own, ...loaded].flatMap(
    ({ field, value: { content, context: before = null, ...example } }) => {
      const { place } = field;
      const ideal = field.at('ideal').spelled(example.ideal)?.toString() ?? null;
      const expected = String(field.at('expected').spelled(example.expected));
      const label = matchingLabel(expected, labels);
      if (label === null && labels.length > 0)
        field.refuse(
          `the example's expected "${expected}" is not a label of the rubric (${labels.join(', ')})`,
        );
      return label === null ? [] : [{ content, context: before, ideal, expected: label, place }];
    },
  );
  reportContradictions(
    found.map(({ content, context: before, ideal, expected, place }) => ({
      what: JSON.stringify([content, before, ideal]),
      label: expected,
      place,
    })),
    rubric.problems,
  );
  return found;
}

function matchingLabel(written: string, labels: readonly string[]): string | null {
  if (labels.includes(written)) return written;
  const [only, ...others] = labels.filter((label) => label.toLowerCase() === written.toLowerCase());
  return only !== undefined && others.length === 0 ? only : null;
}
