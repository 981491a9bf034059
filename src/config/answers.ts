import { z } from 'zod';
import { isTable, readRows, rowDocument } from '../documents/dataset.ts';
import { type Document, type Path, valueAt } from '../documents/document.ts';
import type { Limits } from '../documents/limits.ts';
import { problem } from '../errors.ts';
import type { Conversation } from '../kernel/suite/suite.ts';
import type { Message, Role, ToolCall } from '../types/model.ts';
import type { Json, JsonMap, Place, Problem } from '../types/plain.ts';
import type { LoadData } from './rows.ts';
import {
  anyText,
  anything,
  check,
  checkItems,
  closed,
  filled,
  flag,
  listOf,
  oneOf,
} from './schema.ts';

/** FlexEval counts tool messages as the assistant's. */
const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
  tool: 'assistant',
};

const CALLED = {
  name: filled().describe('Name of the tool.'),
  arguments: anything().describe('What it was called with: a map, or its JSON as text.').optional(),
};

const calledTool = z
  .union([
    z.looseObject({
      function: z.looseObject(CALLED).describe('What was called.'),
    }),
    z.looseObject(CALLED),
  ])
  .describe('A call: name and arguments, or as OpenAI writes it.');

/** A message of a recorded dialogue. Other members are metadata, visible to code. */
export const recordedMessage = z
  .looseObject(
    {
      role: oneOf(['system', 'human', 'user', 'ai', 'assistant', 'tool']).describe('Who says it.'),
      content: anyText()
        .nullable()
        .default(null)
        .describe('The text; may be missing if tools are called.'),
      tool_calls: listOf(calledTool, 'a list of calls, each with its name')
        .describe('The tools that the message calls.')
        .optional(),
    },
    { error: 'must be a map with role and content' },
  )
  .refine(({ content, tool_calls: calls = [] }) => content !== null || calls.length > 0, {
    error: 'must be text',
    path: ['content'],
  });

/** Converts a recorded message and keeps its other members as metadata. */
export function messageOf({
  role,
  content,
  tool_calls: calls,
  ...rest
}: z.output<typeof recordedMessage>): Message {
  const kept = { ...(role === 'tool' ? { role } : {}), ...rest } as JsonMap;
  return {
    role: ROLES[role] ?? 'user',
    content: content ?? '',
    ...(calls === undefined || calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
    ...(Object.keys(kept).length === 0 ? {} : { metadata: kept }),
  };
}

function callOf(call: z.output<typeof calledTool>): ToolCall {
  const { name, arguments: given } = ('function' in call ? call['function'] : call) as {
    name: string;
    arguments?: Json;
  };
  const rest = Object.entries(call).filter(
    ([key]) => !['function', 'name', 'arguments', 'type'].includes(key),
  ) as [string, Json][];
  return {
    name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
    ...(rest.length === 0 ? {} : { metadata: Object.fromEntries(rest) }),
  };
}

export interface AnswersContext {
  limits: Limits;
  load: LoadData;
}

/** A question with its answer, or a dialogue that ends with one; accepted or rejected. */
export const answerSchema = closed({
  question: filled().describe('What the user asked.').optional(),
  answer: filled().describe('What was answered.').optional(),
  input: listOf(recordedMessage, 'a list of messages')
    .describe('A whole dialogue that ends with the answer, instead of question and answer.')
    .optional(),
  accepted: flag().describe('Whether people accepted the answer.'),
});

const sourceSchema = closed({
  file: filled().describe('Path of a .jsonl, .ndjson, .csv or .tsv file.'),
});

export const answersFromSchema = z.union([filled(), sourceSchema], {
  error: 'must be a file, or a map with file',
});

type Written = z.output<typeof answerSchema>;

/** Reads `examples` and `examples_from` below `path`: labelled answers that test the evaluators. */
export async function readAnswers(
  document: Document,
  path: Path,
  context: AnswersContext,
  problems: Problem[],
): Promise<Conversation['examples']> {
  const answers = await writtenAnswers(document, path, context, problems);
  reportContradictions(
    answers.map(({ messages, accepted, place }) => ({
      what: JSON.stringify(messages.map(({ role, content }) => [role, content])),
      label: accepted ? 'accepted' : 'rejected',
      place,
    })),
    problems,
  );
  return answers;
}

async function writtenAnswers(
  document: Document,
  path: Path,
  { limits, load }: AnswersContext,
  problems: Problem[],
): Promise<Conversation['examples']> {
  const written = checkItems(document, [...path, 'examples'], answerSchema, problems).flatMap(
    (item) => toExample(item.value, document.placeOf(item.path), problems),
  );
  const from = [...path, 'examples_from'];
  const source = check(document, from, answersFromSchema.optional(), problems);
  if (source === undefined) return written;
  const loaded = await load(
    typeof source === 'string' ? source : source.file,
    document.placeOf(from),
    problems,
  );
  if (loaded === null) return written;
  const table = isTable(loaded.file);
  return [
    ...written,
    ...readRows(loaded.file, loaded.content, limits, problems).flatMap(({ line, value }) => {
      const place = { file: loaded.file, line };
      // Other columns are the user's own. In a table an empty cell is absent.
      const known = Object.entries(value).filter(
        ([key, member]) => Object.hasOwn(answerSchema.shape, key) && !(table && member === ''),
      );
      const row = rowDocument(place, Object.fromEntries(known));
      const accepted = valueAt(row.value, ['accepted']);
      const truth =
        table && typeof accepted === 'string'
          ? { ...row, value: { ...Object.fromEntries(known), accepted: truthOf(accepted) } }
          : row;
      const answer = check(truth, [], answerSchema, problems);
      return answer === undefined ? [] : toExample(answer, place, problems);
    }),
  ];
}

function truthOf(cell: string): boolean | string {
  const word = cell.trim().toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : cell;
}

function toExample(
  { question, answer, input, accepted }: Written,
  place: Place,
  problems: Problem[],
): Conversation['examples'] {
  const messages: Message[] | null =
    input !== undefined
      ? question === undefined && answer === undefined
        ? input.map(messageOf)
        : null
      : question === undefined || answer === undefined
        ? null
        : [
            { role: 'user', content: question },
            { role: 'assistant', content: answer },
          ];
  if (messages === null) {
    problems.push(
      problem(place, 'a labelled answer has question and answer, or the whole dialogue as input'),
    );
    return [];
  }
  if (messages.at(-1)?.role !== 'assistant') {
    problems.push(
      problem(
        place,
        'a labelled dialogue ends with the answer that was accepted or rejected, a message of the assistant',
      ),
    );
    return [];
  }
  return [{ messages, accepted, place }];
}

interface Labelled {
  /** Equal for equal content. */
  what: string;
  label: string;
  place: Place;
}

/** Reports equal content with different labels: no grader can be right about both. */
export function reportContradictions(labelled: readonly Labelled[], problems: Problem[]): void {
  const first = new Map<string, Labelled>();
  for (const answer of labelled) {
    const earlier = first.get(answer.what);
    if (earlier === undefined) first.set(answer.what, answer);
    else if (earlier.label !== answer.label)
      problems.push(
        problem(
          answer.place,
          `the same answer is labelled "${earlier.label}" at ${earlier.place.file}:${String(earlier.place.line)} and "${answer.label}" here; keep one of the two`,
        ),
      );
  }
}
