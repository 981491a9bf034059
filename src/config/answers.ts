import type { z } from 'zod';
import { isTable, readRows, rowDocument } from '../documents/dataset.ts';
import { Field } from '../documents/document.ts';
import { problem } from '../errors.ts';
import type { Place, Problem } from '../types/plain.ts';
import type { LoadData } from './rows.ts';
import { check } from './schema.ts';

/** Reads the columns that `schema` has. In a table, an empty cell counts as a missing key. */
export async function loadLabelled<S extends z.ZodObject>(
  from: Field,
  path: string,
  schema: S,
  { load }: { load: LoadData },
): Promise<{ field: Field; value: z.output<S> }[]> {
  const { problems } = from;
  const loaded = await load(path, from.place, problems);
  if (loaded === null) return [];
  const { file, content } = loaded;
  const table = isTable(file);
  return readRows(file, content, problems).flatMap(({ line, value, written }) => {
    const known = Object.entries(value).filter(
      ([key, member]) => Object.hasOwn(schema.shape, key) && !(table && member === ''),
    );
    const row = rowDocument({ file, line }, Object.fromEntries(known), written);
    const field = new Field(row, problems);
    const read = check(field, schema);
    return read === undefined ? [] : [{ field, value: read }];
  });
}

interface LabelledContent {
  what: string;
  label: string;
  place: Place;
}

/** An error, because no grader can give equal content different labels. */
export function reportContradictions(
  labelled: readonly LabelledContent[],
  problems: Problem[],
): void {
  const first = new Map<string, LabelledContent>();
  for (const answer of labelled) {
    const earlier = first.get(answer.what);
    if (earlier === undefined) first.set(answer.what, answer);
    else if (earlier.label !== answer.label) {
      const message =
        `the same answer is labelled "${earlier.label}" at ${earlier.place.file}:` +
        `${earlier.place.line} and "${answer.label}" here; keep one of the two`;
      problems.push(problem(answer.place, message));
    }
  }
}
