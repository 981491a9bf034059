import { z } from 'zod';
import { loadLabelled, reportContradictions } from '../../config/answers.ts';
import { readRecordedMessages, recordedMessages } from '../../config/recorded.ts';
import { check, checkItems, closed, filled, flag } from '../../config/schema.ts';
import type { OwnContext } from '../../config/suite-key.ts';
import type { Field } from '../../documents/document.ts';
import type { Message } from '../../types/model.ts';
import type { LabelledAnswer } from './conversation-rules.ts';

export const labelledAnswerSchema = closed({
  question: filled().describe('Question of the user.').optional(),
  answer: filled().describe('The answer.').optional(),
  input: recordedMessages()
    .describe('A whole dialogue that ends with the answer, instead of question and answer.')
    .optional(),
  accepted: flag().describe('Whether people accepted the answer.'),
});

/** A cell of a table has a word. */
const truthOf = (cell: unknown): unknown =>
  ({ true: true, false: false })[String(cell).trim().toLowerCase()] ?? cell;

const rowSchema = labelledAnswerSchema.extend({ accepted: z.preprocess(truthOf, flag()) });

const answersFileSchema = closed({
  file: filled().describe('Path of a .jsonl, .ndjson, .csv or .tsv file.'),
});

export const answersFromSchema = z.union([filled(), answersFileSchema], {
  error: 'must be a file, or a map with file',
});

type AnswerEntry = z.output<typeof labelledAnswerSchema>;

export async function readAnswers(
  conversation: Field,
  context: Pick<OwnContext, 'load'>,
): Promise<LabelledAnswer[]> {
  const answers = await writtenAnswers(conversation, context);
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

async function writtenAnswers(
  conversation: Field,
  context: Pick<OwnContext, 'load'>,
): Promise<LabelledAnswer[]> {
  const written = checkItems(conversation.at('examples'), labelledAnswerSchema);
  const from = conversation.at('examples_from');
  const source = check(from, answersFromSchema.optional());
  const path = typeof source === 'string' ? source : source?.file;
  const loaded = path === undefined ? [] : await loadLabelled(from, path, rowSchema, context);
  return [...written, ...loaded].flatMap(toExample);
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
