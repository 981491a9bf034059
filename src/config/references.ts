import { z } from 'zod';
import { isTable, readRows, rowDocument } from '../documents/dataset.ts';
import { Field } from '../documents/document.ts';
import { FILE_LIMITS } from '../documents/limits.ts';
import { problem } from '../errors.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import type { Reference } from '../kernel/suite/suite.ts';
import { appearance } from '../text/visible.ts';
import { isMap, type JsonMap, type Place, type Problem } from '../types/plain.ts';
import {
  type ReferenceContext,
  type DraftReference,
  type WrittenReference,
  readDraft,
  referenceSchema,
  withMissing,
} from './reference.ts';
import { recogniseRows } from './row-formats.ts';
import { misspeltFields, rowAsReference } from './rows.ts';
import { alreadyAt, check, closed, filled, listOf, mapOf } from './schema.ts';

const columnMap = z.union([filled(), mapOf(filled(), 'a map of variable to column')], {
  error: 'must be a column, or a map of variable to column',
});

const sourceSchema = closed({
  file: filled().describe('Path of a .jsonl, .ndjson, .json, .csv or .tsv file.'),
  map: closed({
    id: filled().describe('Column of the id.'),
    input: columnMap.describe(
      "Column of the prompt's only variable, or a map of variable to column.",
    ),
    expected: filled().describe('Column of the expected answer.'),
    tags: filled().describe('Column of the tags.'),
    skip: filled().describe('Column that contains true for references to skip.'),
    cluster: filled().describe('Column of the cluster.'),
  })
    .exactPartial()
    .describe("Names of the file's columns, if they differ from these keys.")
    .optional(),
});

export const referencesFromSchema = z.union([sourceSchema, listOf(sourceSchema)], {
  error: 'must be a map with file',
});

interface WrittenReferences {
  references?: WrittenReference[] | undefined;
  references_from?: z.output<typeof referencesFromSchema> | undefined;
}

/** `empty`: the lists and files without any reference. */
export async function readReferences(
  tests: Field,
  { references: list, references_from: sources = [] }: WrittenReferences,
  context: ReferenceContext,
): Promise<{ references: Reference[]; empty: Place[] }> {
  const field = tests.at('references');
  const empty = list?.length === 0 ? [field.place] : [];
  const most = FILE_LIMITS.references;
  if (list !== undefined && list.length > most)
    field.refuse(
      `has ${list.length} references; the limit is ${most}. Move them into a JSONL or CSV file ` +
        '(references_from)',
      field.document.file,
    );
  const drafts = (list ?? [])
    .slice(0, most)
    .map((written, index) => readDraft(field.at(index), written, index + 1, context));
  const from = tests.at('references_from');
  for (const [index, source] of [sources].flat().entries()) {
    const at = Array.isArray(sources) ? from.at(index) : from;
    drafts.push(...(await readDataSource(at.at('file'), source, context, empty)));
  }
  tests.problems.push(...lonelyClusters(drafts));
  const inputs = inputNames(drafts);
  const variables = context.isInferred
    ? context.variables.filter((name) => inputs.has(name))
    : context.variables;
  const checked = drafts.map((draft) => withMissing(draft, variables));
  return { references: identify(checked, context.hash, tests.problems), empty };
}

export function inputNames(references: readonly Pick<Reference, 'input'>[]): Set<string> {
  return new Set(references.flatMap(({ input }) => Object.keys(input)));
}

function lonelyClusters(drafts: readonly DraftReference[]): Problem[] {
  const members = new Map<string, DraftReference[]>();
  for (const draft of drafts)
    if (draft.cluster !== undefined)
      members.set(draft.cluster, [...(members.get(draft.cluster) ?? []), draft]);
  return [...members].flatMap(([name, [first, ...others]]) =>
    first === undefined || others.length > 0
      ? []
      : [
          problem(
            first.place,
            `the cluster "${name}" has only this reference; give all references with the ` +
              'same template the same cluster, or remove it',
          ),
        ],
  );
}

async function readDataSource(
  { place: from, problems }: Field,
  source: z.output<typeof sourceSchema>,
  context: ReferenceContext,
  empty: Place[],
): Promise<DraftReference[]> {
  const loaded = await context.load(source.file, from, problems);
  if (loaded === null) return [];
  const { file, content } = loaded;
  const { variables, isLed } = context;
  const given = source.map ?? {};
  const all = readRows(file, content, problems);
  const { name, columns, rows: read, lost } = recogniseRows(file, all, given, variables, problems);
  const needed = { input: columns.input, ...given };
  const rules = { map: columns, needed, variables, isLed, table: isTable(file) };
  const rows = read.map(({ line, value, written }) => ({
    place: { file, line },
    value,
    mapped: rowAsReference(value, rules),
    written: written && rowAsReference(written, rules),
  }));
  const [first] = rows;
  if (first === undefined) {
    empty.push({ file, line: 0 });
    return [];
  }
  const top = { file, line: isTable(file) ? 1 : first.place.line };
  const flaw = first.mapped;
  if (typeof flaw === 'string' && rows.every(({ mapped }) => mapped === flaw)) {
    problems.push(problem(top, flaw));
    return [];
  }
  const drafts = rowDrafts(rows, context, problems).map((draft) => ({ ...draft, columns }));
  const columnNames = rows.flatMap(({ value }) => Object.keys(value));
  const lacks = isTable(file) ? 'has no column' : 'no line has';
  const ofFile = {
    place: top,
    lacks,
    names: new Set([...columnNames, ...inputNames(drafts), ...[columns.expected ?? []].flat()]),
  } as const;
  for (const { what, line, times } of lost)
    context.notices.push({
      kind: 'import',
      place: { file, line },
      message: `${what} of ${name} is not read (${times})`,
    });
  const misspelt = rows.flatMap(({ value }) => misspeltFields(value, rules));
  for (const message of new Set(misspelt))
    context.notices.push({ kind: 'unused', place: top, message });
  return drafts.map((draft) => ({ ...draft, source: ofFile }));
}

function rowDrafts(
  rows: readonly {
    place: Place;
    mapped: JsonMap | string;
    written?: JsonMap | string | undefined;
  }[],
  context: ReferenceContext,
  problems: Problem[],
): DraftReference[] {
  const dialogues = rows.some(({ mapped }) => isMap(mapped) && Array.isArray(mapped['input']));
  return rows.flatMap(({ place, mapped, written }, index) => {
    const input = typeof mapped === 'string' ? null : mapped['input'];
    const isEmpty = dialogues && isMap(input) && Object.keys(input).length === 0;
    const value = isEmpty ? NO_DIALOGUE : mapped;
    if (typeof value === 'string') {
      problems.push(problem(place, value));
      return [];
    }
    const row = rowDocument(place, value, typeof written === 'object' ? written : undefined);
    const field = new Field(row, problems);
    const reference = check(field, referenceSchema);
    return reference === undefined ? [] : [readDraft(field, reference, index + 1, context)];
  });
}

const NO_DIALOGUE =
  'has no "input", but other rows of the file have recorded dialogues as input; add a list ' +
  'of messages, or remove the row';

/** 40 bits, enough to avoid collisions in any suite. */
const REFERENCE_HASH_DIGITS = 10;

function identify(
  drafts: readonly DraftReference[],
  hash: (text: string) => string,
  problems: Problem[],
): Reference[] {
  const given = new Map<string, { id: string; place: Place }>();
  for (const { given: id, place: at } of drafts) {
    if (id === null) continue;
    const known = given.get(appearance(id));
    if (known === undefined) {
      given.set(appearance(id), { id, place: at });
      continue;
    }
    const where = alreadyAt(known.place, at);
    const message =
      id === known.id
        ? `the reference id "${id}" is already ${where}`
        : `the reference id "${id}" looks like the id "${known.id}" ${where}; they differ only ` +
          'in white space, invisible characters or Unicode forms. Give it another id';
    problems.push(problem(at, message));
  }
  const counts = new Map<string, number>();
  return drafts.map(({ given: own, recorded, source: _, ...draft }) => {
    if (own !== null) return { id: own, ...draft };
    const stem = hash(
      canonicalJson(
        recorded === null
          ? draft.input
          : { thread: recorded.map(({ role, content }) => ({ role, content })) },
      ),
    ).slice(0, REFERENCE_HASH_DIGITS);
    let ordinal = (counts.get(stem) ?? 0) + 1;
    while (given.has(withOrdinal(stem, ordinal))) ordinal += 1;
    counts.set(stem, ordinal);
    return { id: withOrdinal(stem, ordinal), ...draft };
  });
}

function withOrdinal(stem: string, ordinal: number): string {
  return ordinal === 1 ? stem : `${stem}-${ordinal}`;
}
