import { z } from 'zod';
import {
  anyText,
  anything,
  check,
  checkMembers,
  closed,
  filled,
  listOf,
  mapOf,
  missing,
  oneOf,
  wholeNumber,
} from '../../config/schema.ts';
import type { OwnContext, SuiteKey } from '../../config/suite-key.ts';
import { codePlaceOf, pathText, type Document, valueAt } from '../../documents/document.ts';
import { readParameters } from '../../documents/parameters.ts';
import { problem } from '../../errors.ts';
import type { Settings } from '../../project/settings.ts';
import { didYouMean } from '../../text/suggest.ts';
import { isMap, type Problem } from '../../types/plain.ts';
import { conversationKind, conversationSuite } from './answerer.ts';
import type { Conversation } from './conversation-rules.ts';
import { labelledAnswerSchema, answersFromSchema, readAnswers } from './labelled-answers.ts';
import { checkOpening, criterionFault, withScripts } from './scripts.ts';
import { checkTools, type ToolResult, type ToolResults } from './tool-results.ts';

const MAX_STEPS = 50;

const combine = oneOf(['all', 'any', 'majority']);

const criterion = z.union(
  [
    combine,
    closed({
      combine: combine
        .describe("How several evaluators' words are combined. Default: all.")
        .optional(),
    }),
  ],
  {
    error: 'must be a map like { combine: all }; combine is one of all, any, majority',
  },
);

const combineRules = z.union([combine, mapOf(combine)], {
  error: 'must be all, any or majority, or a map of criterion to one of them',
});

const toolResult = z.union(
  [
    anyText(),
    closed({
      code: filled().describe('Code that reads args, the arguments of the call, and sets output.'),
      language: oneOf(['python', 'javascript'])
        .describe('Language of the code. Default: python.')
        .optional(),
    }),
  ],
  { error: 'must be a text, or a map with code' },
);

const shape = {
  max_steps: wholeNumber(1, MAX_STEPS)
    .describe('Maximum answers in one conversation. Default: 5.')
    .optional(),
  evaluators: listOf(z.union([filled(), mapOf(anything())], { error: 'must be a map with model' }))
    .describe('Models that judge the dialogue and ask the next question. Default: the grader.')
    .optional(),
  criteria: mapOf(criterion, 'a map of criterion to { combine: all }')
    .describe(
      'Criteria that evaluators answer with yes or no, by name. Default: understanding, ' +
        'correctness, completeness.',
    )
    .optional(),
  combine: combineRules
    .describe("How several evaluators' words are combined: for all criteria, or per criterion.")
    .optional(),
  instructions: filled()
    .describe(
      'Instructions: the role of the evaluators and the meaning of the criteria. {persona}, ' +
        '{goal} and variables of the input are filled in.',
    )
    .optional(),
  tool_results: z
    .union([z.literal('end'), mapOf(toolResult, 'a map of tool to result')], {
      error:
        'must be end, or a map of tool to its result, such as { stock: "41 apples" } or ' +
        '{ stock: { code: "output = 41" } }',
    })
    .describe(
      'What the tools of the prompt return: a text for each tool, or code that sets output. ' +
        'end: the dialogue ends at the first call.',
    )
    .optional(),
  examples: listOf(labelledAnswerSchema)
    .describe('Answers that people accepted or rejected. They test the evaluators.')
    .optional(),
  examples_from: answersFromSchema.describe('Data file with more examples.').optional(),
};

export const conversationKey: SuiteKey = {
  key: conversationKind.key,
  schema: closed(shape).describe(
    'Runs each reference as a dialogue that evaluators judge and continue.',
  ),
  async read(document, context, problems) {
    const value = await readConversation(document, context, problems);
    return value && conversationSuite(value);
  },
  checkPrompt: (own, suite, problems) => {
    checkTools(own.value as Conversation, suite, problems);
    checkOpening(suite, problems);
  },
  scripted: ({ value }, references, problems) =>
    withScripts(value as Conversation, references, problems),
};

const DEFAULT_STEPS = 5;

const DEFAULT_CRITERIA: Conversation['criteria'] = [
  { name: 'understanding', combine: 'all' },
  { name: 'correctness', combine: 'all' },
  { name: 'completeness', combine: 'any' },
];

/** By default, evaluators use the grader's model. */
async function readConversation(
  document: Document,
  { grader, ...context }: OwnContext,
  problems: Problem[],
): Promise<Conversation | null> {
  const key = 'conversation';
  const written = valueAt(document.value, [key]);
  if (written === undefined) return null;
  const left = anything().optional();
  const { max_steps, instructions, tool_results } = checkMembers(
    document,
    [key],
    {
      ...shape,
      evaluators: left,
      criteria: left,
      combine: left,
      examples: left,
      examples_from: left,
    },
    problems,
  );
  const readable = isMap(written);
  return {
    max_steps: max_steps ?? DEFAULT_STEPS,
    evaluators: readable ? readEvaluators(document, grader, problems) : [],
    criteria: readable ? readRules(document, readCriteria(document, problems), problems) : [],
    instructions: instructions ?? null,
    instructionsAt: document.placeOf([key, 'instructions']),
    tool_results: readToolResults(document, tool_results),
    examples: readable ? await readAnswers(document, [key], context, problems) : [],
    place: document.placeOf([key]),
  };
}

function readToolResults(
  document: Document,
  written: z.output<typeof shape.tool_results>,
): ToolResults | null {
  if (written === undefined || written === 'end') return written ?? null;
  const results = Object.entries(written).map(([name, result]): [string, ToolResult] => {
    const place = document.placeOf(['conversation', 'tool_results', name]);
    if (typeof result === 'string') return [name, { text: result, place }];
    const { code, language = 'python' } = result;
    const at = codePlaceOf(document, ['conversation', 'tool_results', name, 'code'], code);
    return [name, { code, language, at, place }];
  });
  return Object.fromEntries(results);
}

function readEvaluators(
  document: Document,
  grader: Settings['grader'],
  problems: Problem[],
): Conversation['evaluators'] {
  const path = ['conversation', 'evaluators'];
  const list = valueAt(document.value, path);
  if (list === undefined || (Array.isArray(list) && list.length === 0)) {
    if (grader !== null && list === undefined)
      return [{ ...grader, place: document.placeOf(['conversation']) }];
    problems.push(
      problem(
        document.placeOf(path),
        'conversation needs at least one evaluator: evaluators: [{ model: … }]',
      ),
    );
    return [];
  }
  const items = check(document, path, shape.evaluators, problems) ?? [];
  return items.flatMap((item, index) => {
    const at = [...path, index];
    const place = document.placeOf(at);
    if (typeof item === 'string') return [{ model: item, parameters: {}, place }];
    const parameters = readParameters(document, at, ['model'], problems);
    if (item['model'] === undefined) {
      if (grader === null) problems.push(missing(document, [...at, 'model']));
      return grader === null
        ? []
        : [{ model: grader.model, parameters: { ...grader.parameters, ...parameters }, place }];
    }
    const model = check(document, [...at, 'model'], filled(), problems);
    return model === undefined ? [] : [{ model, parameters, place }];
  });
}

function readCriteria(document: Document, problems: Problem[]): Conversation['criteria'] {
  const path = ['conversation', 'criteria'];
  const written = valueAt(document.value, path);
  if (written === undefined) return DEFAULT_CRITERIA;
  const names = Object.keys(
    check(document, path, mapOf(anything(), 'a map of criterion to { combine: all }'), problems) ??
      {},
  );
  if (isMap(written) && names.length === 0)
    problems.push(problem(document.placeOf(path), 'criteria must name at least one criterion'));
  return names.flatMap((name) => {
    const place = document.placeOf([...path, name]);
    const fault = criterionFault(name);
    if (fault !== null) problems.push(problem(place, `${pathText(path)}: ${fault}`));
    const value = check(document, [...path, name], criterion, problems);
    if (value === undefined) return [];
    return [{ name, combine: (typeof value === 'string' ? value : value.combine) ?? 'all' }];
  });
}

function readRules(
  document: Document,
  criteria: Conversation['criteria'],
  problems: Problem[],
): Conversation['criteria'] {
  const path = ['conversation', 'combine'];
  const written = check(document, path, combineRules.optional(), problems);
  if (written === undefined) return criteria;
  if (typeof written === 'string') return criteria.map(({ name }) => ({ name, combine: written }));
  const names = criteria.map(({ name }) => name);
  for (const name of Object.keys(written)) {
    if (!names.includes(name))
      problems.push(
        problem(
          document.placeOf([...path, name]),
          `${pathText(path)}: there is no criterion "${name}"${didYouMean(name, names)}`,
        ),
      );
  }
  return criteria.map(({ name, combine: rule }) => ({ name, combine: written[name] ?? rule }));
}
