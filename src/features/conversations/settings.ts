import { z } from 'zod';
import { loadLabelled, reportContradictions } from '../../config/answers.ts';
import { readModelChoice } from '../../config/models.ts';
import { readRecordedMessages, recordedMessages } from '../../config/recorded.ts';
import {
  anyText,
  anything,
  check,
  checkMembers,
  closed,
  codeLanguage,
  filled,
  listOf,
  mapOf,
  oneOf,
  wholeNumber,
  checkItems,
  flag,
} from '../../config/schema.ts';
import type { OwnContext, SuiteKey } from '../../config/suite-key.ts';
import { codePlaceOf, type Field } from '../../documents/document.ts';
import { readParameters } from '../../documents/parameters.ts';
import type { Settings } from '../../project/settings.ts';
import type { Message } from '../../types/model.ts';
import { isMap } from '../../types/plain.ts';
import { conversationKind, conversationSuite } from './answerer.ts';
import { CODE_CHAT_EVAL } from './code-chat-eval/evaluator.ts';
import type { Conversation, LabelledAnswer } from './conversation-rules.ts';
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

const toolResult = z.union(
  [
    anyText(),
    closed({
      code: filled().describe('Code that reads args, the arguments of the call, and sets output.'),
      language: codeLanguage.optional(),
    }),
  ],
  { error: 'must be a text, or a map with code' },
);

const labelledAnswerSchema = closed({
  question: filled().describe('Question of the user.').optional(),
  answer: filled().describe('The answer.').optional(),
  input: recordedMessages()
    .describe('A whole dialogue that ends with the answer, instead of question and answer.')
    .optional(),
  accepted: flag().describe('Whether people accepted the answer.'),
});

/** A cell of a table has a word. */
const truthOf = (cell: unknown): unknown =>
  typeof cell === 'string'
    ? ({ true: true, false: false }[cell.trim().toLowerCase()] ?? cell)
    : cell;

const rowSchema = labelledAnswerSchema.extend({ accepted: z.preprocess(truthOf, flag()) });

const answersFileSchema = closed({
  file: filled().describe('Path of a .jsonl, .ndjson, .csv or .tsv file.'),
});

const answersFromSchema = z.union([filled(), answersFileSchema], {
  error: 'must be a file, or a map with file',
});

export const conversationShape = {
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
  instructions: filled()
    .describe(
      'Instructions: the role of the evaluators and the meaning of the criteria. {persona}, ' +
        '{goal} and variables of the input are filled in. code_chat_eval: the evaluator text of ' +
        'code_chat_eval.',
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
  schema: closed(conversationShape).describe(
    'Runs each reference as a dialogue that evaluators judge and continue.',
  ),
  read: async (field, context) => conversationSuite(await readConversation(field, context)),
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
  field: Field,
  { grader, ...context }: OwnContext,
): Promise<Conversation> {
  const left = anything().optional();
  const { max_steps, instructions, tool_results } = checkMembers(field, {
    ...conversationShape,
    evaluators: left,
    criteria: left,
    examples: left,
    examples_from: left,
  });
  const readable = isMap(field.value);
  return {
    max_steps: max_steps ?? DEFAULT_STEPS,
    evaluators: readable ? readEvaluators(field, grader) : [],
    criteria: readable ? readCriteria(field.at('criteria')) : [],
    // Its published accuracy holds only for its own words. Only its rules for the form of the reply
    // are left out, because evaldiff asks for JSON.
    instructions: instructions === 'code_chat_eval' ? CODE_CHAT_EVAL : (instructions ?? null),
    instructionsAt: field.at('instructions').place,
    tool_results: readToolResults(field.at('tool_results'), tool_results),
    examples: readable ? await readAnswers(field, context) : [],
    place: field.place,
  };
}

function readToolResults(
  field: Field,
  written: z.output<typeof conversationShape.tool_results>,
): ToolResults | null {
  if (written === undefined || written === 'end') return written ?? null;
  const results = Object.entries(written).map(([name, result]): [string, ToolResult] => {
    const { place } = field.at(name);
    if (typeof result === 'string') return [name, { text: result, place }];
    const { code, language = 'python' } = result;
    return [name, { code, language, at: codePlaceOf(field.at(name, 'code'), code), place }];
  });
  return Object.fromEntries(results);
}

function readEvaluators(
  conversation: Field,
  grader: Settings['grader'],
): Conversation['evaluators'] {
  const list = conversation.at('evaluators');
  if (!list.isGiven && grader !== null) return [{ ...grader, place: conversation.place }];
  if (!list.isGiven || (Array.isArray(list.value) && list.value.length === 0)) {
    list.refuse('conversation needs at least one evaluator: evaluators: [{ model: … }]');
    return [];
  }
  return (check(list, conversationShape.evaluators) ?? []).map((item, index) => {
    const field = list.at(index);
    if (grader === null || typeof item === 'string' || item['model'] !== undefined)
      return readModelChoice(field, item);
    const parameters = { ...grader.parameters, ...readParameters(field, ['model']) };
    return { ...grader, parameters, place: field.place };
  });
}

function readCriteria(field: Field): Conversation['criteria'] {
  if (!field.isGiven) return DEFAULT_CRITERIA;
  const written = check(field, mapOf(anything(), 'a map of criterion to { combine: all }'));
  const names = Object.keys(written ?? {});
  if (written !== undefined && names.length === 0)
    field.refuse('criteria must name at least one criterion');
  return names.flatMap((name) => {
    const fault = criterionFault(name);
    if (fault !== null) field.at(name).refuse(`${field.name}: ${fault}`);
    const value = check(field.at(name), criterion);
    if (value === undefined) return [];
    return [{ name, combine: (typeof value === 'string' ? value : value.combine) ?? 'all' }];
  });
}

type AnswerEntry = z.output<typeof labelledAnswerSchema>;

async function readAnswers(
  conversation: Field,
  context: Pick<OwnContext, 'load'>,
): Promise<LabelledAnswer[]> {
  const written = checkItems(conversation.at('examples'), labelledAnswerSchema);
  const from = conversation.at('examples_from');
  const source = check(from, answersFromSchema.optional());
  const path = typeof source === 'string' ? source : source?.file;
  const loaded = path === undefined ? [] : await loadLabelled(from, path, rowSchema, context);
  const answers = [...written, ...loaded].flatMap(toExample);
  reportContradictions(
    answers.map(({ messages, accepted, place }) => ({
      what: JSON.stringify(messages.map(({ role, content }) => [role, content])),
      label: accepted ? 'accepted' : 'rejected',
      place,
    })),
    conversation.problems,
  );
  return answers;
}

function toExample({
  field,
  value: { question, answer, input, accepted },
}: {
  field: Field;
  value: AnswerEntry;
}): LabelledAnswer[] {
  const messages: Message[] | null =
    input !== undefined
      ? question === undefined && answer === undefined
        ? readRecordedMessages(input, field.at('input'))
        : null
      : question === undefined || answer === undefined
        ? null
        : [
            { role: 'user', content: question },
            { role: 'assistant', content: answer },
          ];
  if (messages === null) {
    field.refuse('a labelled answer has question and answer, or the whole dialogue as input');
    return [];
  }
  if (messages.at(-1)?.role !== 'assistant') {
    field.refuse(
      'a labelled dialogue must end with the accepted or rejected answer, a message of the assistant',
    );
    return [];
  }
  return [{ messages, accepted, place: field.place }];
}
