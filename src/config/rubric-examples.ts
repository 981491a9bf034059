import type { z } from 'zod';
import { readRows, rowDocument } from '../documents/dataset.ts';
import { Field } from '../documents/document.ts';
import type { Rubric } from '../types/metric.ts';
import type { Notice } from '../types/plain.ts';
import { reportContradictions } from './answers.ts';
import type { LoadData } from './rows.ts';
import { check, checkItems, closed, filled, scalar, anyText } from './schema.ts';

export interface RubricContext {
  load: LoadData;
  notices: Notice[];
}

export const exampleSchema = closed({
  content: filled().describe('The answer.'),
  context: anyText().describe('The conversation before the answer.').optional(),
  ideal: scalar().describe('The text that replaces {expected} in the rubric.').optional(),
  expected: scalar().describe('The label that people gave the answer.'),
});

export const examplesFromSchema = closed({
  file: filled().describe('Path of a .jsonl, .ndjson, .csv or .tsv file.'),
});

export async function readExamples(
  rubric: Field,
  labels: readonly string[],
  context: RubricContext,
): Promise<Rubric['examples']> {
  const { problems } = rubric;
  const written = checkItems(rubric.at('examples'), exampleSchema);
  const examples = [...written, ...(await loadExamples(rubric.at('examples_from'), context))];
  const found = examples.flatMap(
    ({ field, value: { content, context: before = null, ...own } }) => {
      const { place } = field;
      const ideal = field.at('ideal').spelled(own.ideal)?.toString() ?? null;
      const expected = String(field.at('expected').spelled(own.expected));
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
    problems,
  );
  return found;
}

async function loadExamples(
  field: Field,
  { load }: RubricContext,
): Promise<{ field: Field; value: z.output<typeof exampleSchema> }[]> {
  const { problems } = field;
  const from = check(field, examplesFromSchema.optional());
  const loaded = from && (await load(from.file, field.at('file').place, problems));
  if (!loaded) return [];
  return readRows(loaded.file, loaded.content, problems).flatMap(({ line, value, written }) => {
    const known = Object.entries(value).filter(([key]) => Object.hasOwn(exampleSchema.shape, key));
    const place = { file: loaded.file, line };
    const row = new Field(rowDocument(place, Object.fromEntries(known), written), problems);
    const example = check(row, exampleSchema);
    return example === undefined ? [] : [{ field: row, value: example }];
  });
}

function matchingLabel(written: string, labels: readonly string[]): string | null {
  if (labels.includes(written)) return written;
  const [only, ...others] = labels.filter((label) => label.toLowerCase() === written.toLowerCase());
  return only !== undefined && others.length === 0 ? only : null;
}
