import { z } from 'zod';
import { pathText, type Document, type Path, valueAt } from '../documents/document.ts';
import { stemOf } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import { materialUsed, showsNothing } from '../metrics/keywords.ts';
import type { Better, Rubric } from '../types/metric.ts';
import { isMap, type JsonMap, type Notice, type Problem } from '../types/plain.ts';
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
  missing,
  numberBetween,
  oneOf,
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

const WITHOUT_EFFECT = [
  'input_outputs',
  'output_template',
  'model',
  'engine',
  'temperature',
] as const;

const GRADERS_KEYS: readonly string[] = ['model', 'engine', 'temperature'];

export function rubricsSchema() {
  return z.union([rubricSchema, z.record(z.string(), rubricSchema)]);
}

export async function readRubrics(
  document: Document,
  context: RubricContext,
  problems: Problem[],
): Promise<{ rubrics: Rubric[]; notices: Notice[] }> {
  const rubrics: Rubric[] = [];
  const notices: Notice[] = [];
  const value = document.value;
  if (!isMap(value)) {
    const message = 'must be a map of rubric name to prompt and choice_scores';
    problems.push(problem(document.placeOf([]), message));
    return { rubrics, notices };
  }
  for (const [name, path] of rubricsIn(document.file, value)) {
    if (!isMap(valueAt(value, path))) {
      problems.push(
        problem(document.placeOf(path), `${name} must be a map with prompt and choice_scores`),
      );
      continue;
    }
    const before = problems.length;
    const rubric = await readRubric({ document, name, path, problems, notices }, context);
    if (problems.length === before) rubrics.push(rubric);
  }
  return { rubrics, notices };
}

export function rubricsIn(file: string, value: JsonMap): [string, [] | [string]][] {
  const isOne = typeof value['prompt'] === 'string' || Array.isArray(value['messages']);
  return isOne
    ? [[typeof value['name'] === 'string' ? value['name'] : stemOf(file), []]]
    : Object.keys(value).map((name) => [name, [name]]);
}

interface RubricReader {
  document: Document;
  name: string;
  path: Path;
  problems: Problem[];
  notices: Notice[];
}

async function readRubric(reader: RubricReader, context: RubricContext): Promise<Rubric> {
  const { document, name, path, problems, notices } = reader;
  const left = anything().optional();
  const written = checkMembers(
    document,
    path,
    { ...rubricShape, messages: left, examples: left, choice_scores: left, choices: left },
    problems,
  );
  const choices = readChoices(document, path, written.choice_strings);
  if (choices.problem !== null) problems.push(choices.problem);
  for (const key of WITHOUT_EFFECT) {
    if (written[key] === undefined) continue;
    const message =
      `${pathText([...path, key])} has no effect here` +
      (GRADERS_KEYS.includes(key)
        ? '; set the grader in the settings, or with grader: … in the metric'
        : '');
    notices.push({ kind: 'import', message, place: document.placeOf([...path, key]) });
  }
  const prompt = readPromptText(reader);
  const labelled = [...choices.scores.keys()];
  const examples = await readExamples(document, path, labelled, context, problems);
  if (materialUsed(prompt).has('expected'))
    for (const { place } of examples.filter(({ ideal }) => ideal === null))
      problems.push(
        problem(
          place,
          `the rubric "${name}" contains {expected}, so this example needs the key ideal ` +
            'with the text to insert there',
        ),
      );
  const direction = readDirection(reader, written, choices);
  return {
    name,
    prompt,
    choice_scores: choices.scores,
    ...direction,
    eval_type: written.eval_type ?? (written.use_cot === false ? 'classify' : 'cot_classify'),
    notes: written.notes ?? written.description ?? null,
    examples,
    place: document.placeOf(path),
  };
}

function readDirection(
  { document, name, path, problems }: RubricReader,
  written: Pick<
    z.output<typeof rubricSchema>,
    'better' | 'pass' | 'threshold' | 'optimization_direction'
  >,
  choices: ReturnType<typeof readChoices>,
): Pick<Rubric, 'better' | 'pass'> {
  const phoenix = written.optimization_direction;
  const better = written.better ?? (phoenix === undefined ? undefined : DIRECTIONS[phoenix]);
  const labelsThatPass = labelTexts(document, [...path, 'pass'], written.pass);
  const passing = readPassing(choices.scores, better, labelsThatPass, written.threshold);
  for (const message of choices.problem === null ? passing.wrong : [])
    problems.push(
      problem(document.placeOf([...path, passing.key]), `the rubric "${name}": ${message}`),
    );
  return withoutUndefined({ better, pass: passing.pass });
}

function readPromptText(reader: RubricReader): string {
  const { document, path, name, problems, notices } = reader;
  const texts = promptTexts(reader);
  const prompt = texts.map(({ content }) => content).join('\n\n');
  for (const { written, message } of keywordProblems(prompt)) {
    const part = texts.find(({ content }) => content.includes(written));
    problems.push(
      problem(
        part === undefined ? document.placeOf(path) : document.placeOfText(part.at, written, 0),
        message,
      ),
    );
  }
  if (texts.length > 0 && showsNothing(prompt)) {
    notices.push({
      kind: 'unused',
      message:
        `the rubric "${name}" does not show the answer to the grader: use {completion}, {content} ` +
        'or {conversation}',
      place: document.placeOf(path),
    });
  }
  return prompt;
}

function promptTexts({
  document,
  path,
  name,
  problems,
}: RubricReader): { at: Path; content: string }[] {
  const at = [...path, 'prompt'];
  const prompt = valueAt(document.value, at);
  const hasMessages = valueAt(document.value, [...path, 'messages']) !== undefined;
  if (hasMessages && prompt !== undefined) {
    const message = `${pathText(path) || name} has prompt and messages; keep one of them`;
    problems.push(problem(document.placeOf(path), message));
  }
  if (!hasMessages && prompt === undefined) problems.push(missing(document, at));
  if (prompt !== undefined) return typeof prompt === 'string' ? [{ at, content: prompt }] : [];
  return checkItems(document, [...path, 'messages'], rubricMessageSchema, problems).map((item) => ({
    at: [...item.path, 'content'],
    content: item.value.content,
  }));
}
