import { z } from 'zod';
import type { Document, Path } from '../documents/document.ts';
import { perLimits, type Limits } from '../documents/limits.ts';
import type { BuiltInMetrics } from '../suite/metrics.ts';
import type { Reference } from '../suite/suite.ts';
import type { Message } from '../types/model.ts';
import type { Json, Problem, Scalar } from '../types/plain.ts';
import { messageOf, recordedMessage } from './answers.ts';
import { ownMetricSchema } from './metric-schema.ts';
import { readOwnMetrics } from './metric.ts';
import type { LoadData } from './rows.ts';
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
import { withoutUndefined } from './settings.ts';

const inputSchema = z.union([mapOf(scalar(), 'a map of variables'), listOf(recordedMessage)], {
  error: 'must be a map of variables',
});

export const referenceSchema = perLimits((limits) =>
  closed({
    id: z
      .union([filled(), wholeNumber(0, Number.MAX_SAFE_INTEGER)], { error: 'must be text' })
      .describe('Unique in its suite. Default: a hash of the input.')
      .optional(),
    input: inputSchema
      .describe("Values of the prompt's variables, or the messages of a recorded dialogue.")
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
    metadata: mapOf(anything(), 'a map of values')
      .describe('Further facts, which metric code sees as dialogue.metadata.')
      .optional(),
    metrics: listOf(ownMetricSchema)
      .describe("What judges this reference besides the suite's metrics.")
      .optional(),
  }),
);

/** What a suite's references are read with. */
export interface ReferenceContext {
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
export interface ReferenceReader extends ReferenceContext {
  schema: ReturnType<typeof referenceSchema>;
}

/** One reference before it has its identity. */
export interface DraftReference extends Omit<Reference, 'id'> {
  given: string | null;
  recorded: Message[] | null;
}

export function readDraft(
  document: Document,
  path: Path,
  ordinal: number,
  context: ReferenceReader,
  problems: Problem[],
): DraftReference | null {
  const written = check(document, path, context.schema, problems);
  if (written === undefined) return null;
  const recorded = Array.isArray(written.input) ? written.input.map(messageOf) : null;
  const { thread, ...after } = threadOf(recorded, context.doCompletion);
  const input = variablesOf(written.input);
  const own = ownMetrics(written.metrics, document, path, context, problems);
  return {
    given: written.id === undefined ? null : String(written.id),
    place: document.placeOf(path),
    input,
    ...filesOfValues(input, document, path),
    thread,
    ...after,
    recorded,
    expected: written.expected,
    skip: written.skip ?? false,
    tags: [written.tags ?? []].flat(),
    n_tries: written.n_tries ?? null,
    ...withoutUndefined({ cluster: written.cluster, metadata: written.metadata }),
    ...own,
    problem:
      unusable(ordinal, thread, context) ??
      lack(thread === null ? input : null, written.expected, context) ??
      unjudged(ordinal, own, context),
  };
}

/**
 * Why the reference cannot run, or null. `input` is null for a recorded dialogue, which needs no
 * variables.
 */
function lack(
  input: Record<string, Scalar> | null,
  expected: Json | undefined,
  context: ReferenceContext,
): string | null {
  const absent =
    input === null ? [] : context.variables.filter((name) => !Object.hasOwn(input, name));
  if (absent.length > 0)
    return `the reference has no value for ${absent.map((name) => `{${name}}`).join(', ')}: add it to its input, or take it out of the prompt`;
  if (expected === undefined && context.needsExpected !== null) {
    return `the reference has no expected value, and metric ${context.needsExpected} uses it`;
  }
  return null;
}

/** The files that values are read from, where another tool's file names them. */
function filesOfValues(
  input: Record<string, Scalar>,
  document: Document,
  path: Path,
): Pick<Reference, 'inputFiles'> {
  const { file: own } = document.placeOf(path);
  const found = Object.keys(input).flatMap((name) => {
    const { file } = document.placeOf([...path, 'input', name]);
    return file === own ? [] : [[name, file]];
  });
  return found.length === 0 ? {} : { inputFiles: Object.fromEntries(found) };
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
 * answer to judge; what is said after that is kept beside it.
 */
function threadOf(
  recorded: readonly Message[] | null,
  doCompletion: boolean | null,
): Pick<Reference, 'thread' | 'after'> {
  if (recorded === null || doCompletion === null) return { thread: recorded && [...recorded] };
  const end = recorded.findLastIndex(({ role }) => (role === 'assistant') !== doCompletion) + 1;
  const thread = recorded.slice(0, end);
  return doCompletion || end === recorded.length
    ? { thread }
    : { thread, after: recorded.slice(end) };
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
