import { z } from 'zod';
import { reportContradictions } from '../../config/answers.ts';
import { readRecordedMessages, recordedMessages } from '../../config/recorded.ts';
import { check, checkItems, closed, filled, flag } from '../../config/schema.ts';
import type { OwnContext } from '../../config/suite-key.ts';
import { isTable, readRows, rowDocument } from '../../documents/dataset.ts';
import { type Document, type Path, valueAt } from '../../documents/document.ts';
import { problem } from '../../errors.ts';
import type { Message } from '../../types/model.ts';
import type { Problem } from '../../types/plain.ts';
import type { LabelledAnswer } from './conversation-rules.ts';

export const labelledAnswerSchema = closed({
  question: filled().describe('Question of the user.').optional(),
  answer: filled().describe('The answer.').optional(),
  input: recordedMessages()
    .describe('A whole dialogue that ends with the answer, instead of question and answer.')
    .optional(),
  accepted: flag().describe('Whether people accepted the answer.'),
});

const answersFileSchema = closed({
  file: filled().describe('Path of a .jsonl, .ndjson, .csv or .tsv file.'),
});

export const answersFromSchema = z.union([filled(), answersFileSchema], {
  error: 'must be a file, or a map with file',
});

type AnswerEntry = z.output<typeof labelledAnswerSchema>;

export async function readAnswers(
  document: Document,
  path: Path,
  context: Pick<OwnContext, 'limits' | 'load'>,
  problems: Problem[],
): Promise<LabelledAnswer[]> {
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
  { limits, load }: Pick<OwnContext, 'limits' | 'load'>,
  problems: Problem[],
): Promise<LabelledAnswer[]> {
  const written = checkItems(
    document,
    [...path, 'examples'],
    labelledAnswerSchema,
    problems,
  ).flatMap((item) => toExample(item.value, document, item.path, problems));
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
      // In a table, an empty cell counts as a missing key.
      const known = Object.entries(value).filter(
        ([key, member]) =>
          Object.hasOwn(labelledAnswerSchema.shape, key) && !(table && member === ''),
      );
      const row = rowDocument(place, Object.fromEntries(known));
      const accepted = valueAt(row.value, ['accepted']);
      const truth =
        table && typeof accepted === 'string'
          ? { ...row, value: { ...Object.fromEntries(known), accepted: truthOf(accepted) } }
          : row;
      const answer = check(truth, [], labelledAnswerSchema, problems);
      return answer === undefined ? [] : toExample(answer, row, [], problems);
    }),
  ];
}

function truthOf(cell: string): boolean | string {
  const word = cell.trim().toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : cell;
}

function toExample(
  { question, answer, input, accepted }: AnswerEntry,
  document: Document,
  path: Path,
  problems: Problem[],
): LabelledAnswer[] {
  const place = document.placeOf(path);
  const messages: Message[] | null =
    input !== undefined
      ? question === undefined && answer === undefined
        ? readRecordedMessages(input, document, [...path, 'input'], problems)
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
        'a labelled dialogue must end with the accepted or rejected answer, a message of the assistant',
      ),
    );
    return [];
  }
  return [{ messages, accepted, place }];
}
