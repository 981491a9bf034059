import type { z } from 'zod';
import { readRows, rowDocument } from '../documents/dataset.ts';
import { asWritten, type Document, type Path } from '../documents/document.ts';
import type { Limits } from '../documents/limits.ts';
import { problem } from '../errors.ts';
import type { Rubric } from '../types/metric.ts';
import type { Place, Problem } from '../types/plain.ts';
import { reportContradictions } from './answers.ts';
import type { LoadData } from './rows.ts';
import { check, checkItems, closed, filled, scalar, anyText } from './schema.ts';

export interface RubricContext {
  limits: Limits;
  load: LoadData;
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

interface Example {
  content: string;
  context?: string | undefined;
  ideal: string | null;
  expected: string;
  place: Place;
}

export async function readExamples(
  document: Document,
  path: Path,
  labels: readonly string[],
  context: RubricContext,
  problems: Problem[],
): Promise<Rubric['examples']> {
  const written = checkItems(document, [...path, 'examples'], exampleSchema, problems).map((item) =>
    exampleAt(document, item.path, item.value),
  );
  const examples = [
    ...written,
    ...(await loadExamples(document, [...path, 'examples_from'], context, problems)),
  ];
  const found = examples.flatMap(({ content, context: earlier, ideal, expected, place }) => {
    const label = matchingLabel(expected, labels);
    if (label === null && labels.length > 0) {
      const message =
        `the example's expected "${expected}" is not a label of the rubric ` +
        `(${labels.join(', ')})`;
      problems.push(problem(place, message));
    }
    return label === null
      ? []
      : [{ content, context: earlier ?? null, ideal, expected: label, place }];
  });
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

function exampleAt(
  document: Document,
  path: Path,
  written: z.output<typeof exampleSchema>,
): Example {
  const { ideal, expected } = written;
  return {
    ...written,
    ideal: asWritten(document, [...path, 'ideal'], ideal)?.toString() ?? null,
    expected: String(asWritten(document, [...path, 'expected'], expected)),
    place: document.placeOf(path),
  };
}

async function loadExamples(
  document: Document,
  path: Path,
  context: RubricContext,
  problems: Problem[],
): Promise<Example[]> {
  const from = check(document, path, examplesFromSchema.optional(), problems);
  const loaded =
    from === undefined
      ? null
      : await context.load(from.file, document.placeOf([...path, 'file']), problems);
  if (loaded === null) return [];
  return readRows(loaded.file, loaded.content, context.limits, problems).flatMap(
    ({ line, value, written }) => {
      const known = Object.entries(value).filter(([key]) =>
        Object.hasOwn(exampleSchema.shape, key),
      );
      const row = rowDocument({ file: loaded.file, line }, Object.fromEntries(known), written);
      const example = check(row, [], exampleSchema, problems);
      return example === undefined ? [] : [exampleAt(row, [], example)];
    },
  );
}

function matchingLabel(written: string, labels: readonly string[]): string | null {
  if (labels.includes(written)) return written;
  const [only, ...others] = labels.filter((label) => label.toLowerCase() === written.toLowerCase());
  return only !== undefined && others.length === 0 ? only : null;
}
