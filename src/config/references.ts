import { z } from 'zod';
import { isTable, readRows } from '../documents/dataset.ts';
import { type Document, type Path, valueAt } from '../documents/document.ts';
import { perLimits, type Limits } from '../documents/limits.ts';
import { problem } from '../errors.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import type { BuiltInMetrics } from '../suite/metrics.ts';
import type { Reference } from '../suite/suite.ts';
import type { Message } from '../types/model.ts';
import type { Json, Place, Problem, Scalar } from '../types/plain.ts';
import { messageOf, recordedMessage } from './answers.ts';
import { ownMetricSchema, readOwnMetrics } from './metric.ts';
import { rowAsReference, type LoadData } from './rows.ts';
import {
  anything,
  check,
  closed,
  filled,
  flag,
  listOf,
  mapOf,
  scalar,
  wholeNumber,
} from './schema.ts';

const inputSchema = z.union([mapOf(scalar(), 'a map of variables'), listOf(recordedMessage)], {
  error: 'must be a map of variables',
});

const columnMap = z.union([filled(), mapOf(filled(), 'a map of variable to column')], {
  error: 'must be a column, or a map of variable to column',
});

export const referenceSchema = perLimits((limits) =>
  closed({
    id: z
      .union([filled(), wholeNumber(0, Number.MAX_SAFE_INTEGER)], { error: 'must be text' })
      .describe('Unique in its suite. Default: a hash of the input.')
      .optional(),
    input: inputSchema
      .describe('Values of the prompt’s variables, or the messages of a recorded dialogue.')
      .optional(),
    expected: anything().describe('The gold answer, for metrics that compare with it.').optional(),
    skip: flag().describe('It runs and is shown, but does not gate.').optional(),
    tags: z
      .union([filled(), listOf(filled())], { error: 'must be a list of words' })
      .describe('Words to choose references by; critical ones gate one by one.')
      .optional(),
    n_tries: wholeNumber(1, limits.tries)
      .describe('Tries of this reference on each side. Default: those of the suite.')
      .optional(),
    cluster: filled()
      .describe('References with one name here move together, like texts from one template.')
      .optional(),
    metrics: listOf(ownMetricSchema)
      .describe('What judges this reference besides the suite’s metrics.')
      .optional(),
  }),
);

const sourceSchema = closed({
  file: filled().describe('Path of a .jsonl, .ndjson, .csv or .tsv file.'),
  map: closed({
    id: filled().describe('Column of the id.').optional(),
    input: columnMap.describe('Column of the only variable, or columns by variable.').optional(),
    expected: filled().describe('Column of the gold answer.').optional(),
    tags: filled().describe('Column of the tags.').optional(),
    skip: filled().describe('Column that says whether the reference is skipped.').optional(),
    cluster: filled().describe('Column of the cluster.').optional(),
  })
    .describe('Columns of the file, where they have other names than here.')
    .optional(),
});

export const referencesFromSchema = z
  .union([sourceSchema, listOf(sourceSchema)], { error: 'must be a map with file' })
  .optional();

type Source = z.output<typeof sourceSchema>;

/** What a suite's references are read with. */
interface ReferenceContext {
  limits: Limits;
  /** Of the prompt, in order. */
  variables: readonly string[];
  /** Name of a metric that judges every reference by `expected`; null: none does. */
  needsExpected: string | null;
  /** Whether recorded dialogues get a new last answer; null: those that end with a question. */
  doCompletion: boolean | null;
  hash(text: string): string;
  load: LoadData;
  /** Names of the suite's metrics, which a reference's own must not have. */
  metricNames: readonly string[];
  /** Whether the suite judges references that have no metrics of their own. */
  isJudged: boolean;
  builtIns: BuiltInMetrics;
}

/**
 * The context, with the schema of one reference, which takes longer to make than a reference takes
 * to check.
 */
interface Reader extends ReferenceContext {
  schema: ReturnType<typeof referenceSchema>;
}

/** One reference before it has its identity. */
interface Draft extends Omit<Reference, 'id'> {
  given: string | null;
  recorded: Message[] | null;
}

/**
 * Reads `references` and `references_from` of a test file. What one reference lacks becomes its own
 * `problem`.
 */
export async function readReferences(
  document: Document,
  context: ReferenceContext,
  problems: Problem[],
): Promise<Reference[]> {
  const reader: Reader = { ...context, schema: referenceSchema(context.limits) };
  const drafts = readWritten(document, reader, problems);
  const written = check(document, ['references_from'], referencesFromSchema, problems);
  const sources = written === undefined ? [] : Array.isArray(written) ? written : [written];
  for (const [index, source] of sources.entries()) {
    const path = Array.isArray(written) ? ['references_from', index] : ['references_from'];
    drafts.push(
      ...(await readSource(document.placeOf([...path, 'file']), source, reader, problems)),
    );
  }
  problems.push(...lonelyClusters(drafts));
  return identify(drafts, context.hash, problems);
}

/** A cluster of one reference says nothing: most likely its name is misspelt. */
function lonelyClusters(drafts: readonly Draft[]): Problem[] {
  const members = new Map<string, Draft[]>();
  for (const draft of drafts)
    if (draft.cluster !== undefined)
      members.set(draft.cluster, [...(members.get(draft.cluster) ?? []), draft]);
  return [...members].flatMap(([name, [first, ...others]]) =>
    first === undefined || others.length > 0
      ? []
      : [
          problem(
            first.place,
            `the cluster "${name}" has this reference only; give its name to all references that share a template, or leave it out`,
          ),
        ],
  );
}

function readWritten(document: Document, context: Reader, problems: Problem[]): Draft[] {
  const list = valueAt(document.value, ['references']);
  const { limits } = context;
  if (list === undefined) return [];
  if (!Array.isArray(list)) {
    problems.push(problem(document.placeOf(['references']), 'references must be a list'));
    return [];
  }
  if (list.length > limits.references) {
    const message = `has ${list.length} references; the limit is ${limits.references}. Move them into a JSONL or CSV file (references_from)`;
    problems.push(problem({ file: document.file, line: 0 }, message));
    return [];
  }
  return list.flatMap(
    (_, index) => readDraft(document, ['references', index], index + 1, context, problems) ?? [],
  );
}

async function readSource(
  from: Place,
  source: Source,
  context: Reader,
  problems: Problem[],
): Promise<Draft[]> {
  const loaded = await context.load(source.file, from, problems);
  if (loaded === null) return [];
  const { file, content } = loaded;
  return readRows(file, content, context.limits, problems).flatMap(({ line, value }, index) => {
    const place = { file, line };
    const mapped = rowAsReference(value, {
      map: source.map ?? {},
      variables: context.variables,
      table: isTable(file),
    });
    if (typeof mapped === 'string') {
      problems.push(problem(place, mapped));
      return [];
    }
    const row: Document = { file, value: mapped, placeOf: () => place, placeOfText: () => place };
    return readDraft(row, [], index + 1, context, problems) ?? [];
  });
}

function readDraft(
  document: Document,
  path: Path,
  ordinal: number,
  context: Reader,
  problems: Problem[],
): Draft | null {
  const written = check(document, path, context.schema, problems);
  if (written === undefined) return null;
  const recorded = Array.isArray(written.input) ? written.input.map(messageOf) : null;
  const thread = recorded && completed(recorded, context.doCompletion);
  const input = variablesOf(written.input);
  const own = ownMetrics(written.metrics, document, path, context, problems);
  return {
    given: written.id === undefined ? null : String(written.id),
    place: document.placeOf(path),
    input,
    thread,
    recorded,
    expected: written.expected,
    skip: written.skip ?? false,
    tags: [written.tags ?? []].flat(),
    n_tries: written.n_tries ?? null,
    ...(written.cluster === undefined ? {} : { cluster: written.cluster }),
    ...own,
    problem:
      unusable(ordinal, thread, context) ??
      lack(ordinal, thread === null ? input : null, written.expected, context) ??
      unjudged(ordinal, own, context),
  };
}

/**
 * Why the reference cannot run, or null. `input` is null for a recorded dialogue, which needs no
 * variables.
 */
function lack(
  ordinal: number,
  input: Record<string, Scalar> | null,
  expected: Json | undefined,
  context: ReferenceContext,
): string | null {
  const absent =
    input === null ? [] : context.variables.filter((name) => !Object.hasOwn(input, name));
  if (absent.length > 0)
    return `reference ${ordinal} has no value for ${absent.map((name) => `{${name}}`).join(', ')}`;
  if (expected === undefined && context.needsExpected !== null) {
    return `reference ${ordinal} has no expected value, and metric ${context.needsExpected} uses it`;
  }
  return null;
}

function variablesOf(input: z.output<typeof inputSchema> | undefined): Record<string, Scalar> {
  return input === undefined || Array.isArray(input) ? {} : input;
}

/** The reference's own metrics; nothing where it has none, which is most of them. */
function ownMetrics(
  written: unknown,
  document: Document,
  path: Path,
  { metricNames, builtIns }: ReferenceContext,
  problems: Problem[],
): Pick<Reference, 'metrics'> {
  return written === undefined
    ? {}
    : { metrics: readOwnMetrics(document, path, metricNames, builtIns, problems) };
}

function unjudged(
  ordinal: number,
  { metrics = [] }: Pick<Reference, 'metrics'>,
  { isJudged }: ReferenceContext,
): string | null {
  return isJudged || metrics.length > 0
    ? null
    : `reference ${ordinal} has no metric of its own, and the file has none for all`;
}

/**
 * With a completion a recorded dialogue ends with the question to answer anew, without one with the
 * answer to judge.
 */
function completed(thread: readonly Message[], doCompletion: boolean | null): Message[] {
  if (doCompletion === null) return [...thread];
  return thread.slice(
    0,
    thread.findLastIndex(({ role }) => (role === 'assistant') !== doCompletion) + 1,
  );
}

function unusable(
  ordinal: number,
  thread: readonly Message[] | null,
  { doCompletion }: ReferenceContext,
): string | null {
  if (thread === null || thread.length > 0) return null;
  if (doCompletion === null) return `reference ${ordinal} is a dialogue without a message`;
  return doCompletion
    ? `reference ${ordinal} is a dialogue without a question to answer`
    : `reference ${ordinal} is a dialogue without an answer, and do_completion is false`;
}

/** Letters of a hash that name a reference: 40 bits are far from colliding in the largest suite. */
const HASH_LETTERS = 10;

/**
 * The given id, else a hash of what is asked (never of what is expected), with an ordinal for the
 * second of its kind.
 */
function identify(
  drafts: readonly Draft[],
  hash: (text: string) => string,
  problems: Problem[],
): Reference[] {
  const given = new Map<string, Place>();
  for (const { given: id, place } of drafts) {
    const earlier = id === null ? undefined : given.get(id);
    if (earlier !== undefined) {
      const where =
        earlier.file === place.file
          ? `on line ${earlier.line}`
          : `in ${earlier.file}, line ${earlier.line}`;
      problems.push(problem(place, `the reference id "${id}" is already ${where}`));
    } else if (id !== null) {
      given.set(id, place);
    }
  }
  const counts = new Map<string, number>();
  return drafts.map(({ given: own, recorded, ...draft }) => {
    if (own !== null) return { id: own, ...draft };
    const stem = hash(
      canonicalJson(
        recorded === null
          ? draft.input
          : { thread: recorded.map(({ role, content }) => ({ role, content })) },
      ),
    ).slice(0, HASH_LETTERS);
    let ordinal = (counts.get(stem) ?? 0) + 1;
    while (given.has(withOrdinal(stem, ordinal))) ordinal += 1;
    counts.set(stem, ordinal);
    return { id: withOrdinal(stem, ordinal), ...draft };
  });
}

function withOrdinal(stem: string, ordinal: number): string {
  return ordinal === 1 ? stem : `${stem}-${ordinal}`;
}
