import type { z } from 'zod';
import type { Field } from '../documents/document.ts';
import type { Rubric } from '../types/metric.ts';
import type { Notice } from '../types/plain.ts';
import { loadLabelled, reportContradictions } from './answers.ts';
import type { LoadData } from './rows.ts';
import { closed, filled, scalar, anyText } from './schema.ts';

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
