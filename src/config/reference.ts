import { z } from 'zod';
import type { Field } from '../documents/document.ts';
import { FILE_LIMITS } from '../documents/limits.ts';
import type { Reference } from '../kernel/suite/suite.ts';
import { asksNothing } from '../kernel/suite/template.ts';
import { readExpected } from '../metrics/comparison.ts';
import type { BuiltInMetrics } from '../metrics/definition.ts';
import { callsAmong } from '../metrics/transcript.ts';
import { didYouMean } from '../text/suggest.ts';
import type { Metric } from '../types/metric.ts';
import type { Message } from '../types/model.ts';
import { jsonText, type Notice, type Place, type Scalar } from '../types/plain.ts';
import { writtenOwnMetric } from './metric-schema.ts';
import { readOwnMetrics } from './metric.ts';
import { readRecordedMessages, recordedMessages } from './recorded.ts';
import type { LoadData } from './rows.ts';
import { anything, closed, filled, flag, listOf, mapOf, scalar, wholeNumber } from './schema.ts';
import { readScript, scriptMembers } from './script.ts';
import { withoutUndefined } from './settings.ts';

const inputSchema = z.union([mapOf(scalar(), 'a map of variables'), recordedMessages()], {
  error: 'must be a map of variables',
});

export const referenceSchema = closed({
  id: z
    .union([filled(), wholeNumber(0, Number.MAX_SAFE_INTEGER)], { error: 'must be text' })
    .describe('Id, unique in the suite. Default: a hash of the input.'),
  input: inputSchema.describe(
    "Values of the prompt's variables, or the messages of a recorded dialogue.",
  ),
  expected: anything().describe('The expected answer, for metrics that compare with it.'),
  skip: flag().describe('The reference runs and is shown, but does not affect the verdict.'),
  tags: z
    .union([filled(), listOf(filled())], { error: 'must be a list of words' })
    .describe(
      'Labels to select references by. A reference with the tag critical can fail the run ' +
        'on its own.',
    ),
  n_tries: wholeNumber(1, FILE_LIMITS.tries).describe(
    "Tries of this reference on each side. Default: the suite's n_tries.",
  ),
  cluster: filled().describe(
    'Name of a group of related references, such as texts from one template.',
  ),
  metadata: mapOf(anything(), 'a map of values').describe(
    'Additional data, which metric code reads as dialogue.metadata.',
  ),
  ...scriptMembers,
  metrics: listOf(writtenOwnMetric).describe('Additional metrics for this reference.'),
}).exactPartial();

export interface ReferenceContext {
  variables: readonly string[];
  isInferred?: boolean;
  /**
   * For recorded dialogues: whether the model writes a new last answer. Null: only if a dialogue
   * ends with a question.
   */
  doCompletion: boolean | null;
  hash(text: string): string;
  load: LoadData;
  metrics: readonly Metric[];
  isJudged: boolean;
  isLed: boolean;
  builtIns: BuiltInMetrics;
  notices: Notice[];
}

interface DataSource {
  place: Place;
  lacks: 'has no column' | 'no line has';
  names: ReadonlySet<string>;
}

export interface DraftReference extends Omit<Reference, 'id'> {
  given: string | null;
  recorded: Message[] | null;
  source?: DataSource;
}

const NO_EXPECTED = 'the reference has no expected value';

export type WrittenReference = z.output<typeof referenceSchema>;

export function readDraft(
  field: Field,
  written: WrittenReference,
  ordinal: number,
  context: ReferenceContext,
): DraftReference {
  const recorded = isDialogue(written.input)
    ? readRecordedMessages(written.input, field.at('input'))
    : null;
  const { thread, ...after } = threadOf(recorded, context.doCompletion);
  const read = writtenTexts(field, written);
  const own = readOwnMetrics(field, context.metrics, context.builtIns);
  const scripted = readScript(field, written);
  const metrics = [...context.metrics, ...own];
  const undecidable = undecidableReason(metrics, { ...read, ...scripted }, context.builtIns);
  const problem =
    dialogueProblem(ordinal, recorded, thread, { ...context, metrics }) ??
    undecidable ??
    notJudgedReason(ordinal, metrics, context);
  const at = problem === undecidable ? field.at('expected') : field;
  return {
    given: written.id === undefined ? null : String(field.at('id').spelled(written.id)),
    place: field.place,
    ...read,
    ...filesOfValues(read.input, field),
    thread,
    ...after,
    recorded,
    skip: written.skip ?? false,
    tags: [written.tags ?? []].flat(),
    n_tries: written.n_tries ?? null,
    ...withoutUndefined({ cluster: written.cluster, metadata: written.metadata }),
    ...scripted,
    ...(field.at('metrics').isGiven && { metrics: own }),
    problem,
    ...(problem !== null && { problemAt: at.place }),
  };
}

/** Called after all references are read, so that a missing column is reported once. */
export function withMissing(draft: DraftReference, variables: readonly string[]): DraftReference {
  const { source, columns, problem, thread } = draft;
  const absent = variables.filter((name) => !Object.hasOwn(draft.input, name));
  if (thread !== null || absent.length === 0)
    return problem?.startsWith(NO_EXPECTED) === true
      ? withLack(draft, columns?.expected ?? 'expected', problem.slice(NO_EXPECTED.length))
      : draft;
  const lacked = absent.find((name) => source?.names.has(name) === false);
  if (lacked !== undefined) return withLack(draft, lacked, ` for {${lacked}}`);
  const message =
    `the reference has no value for ${absent.map((name) => `{${name}}`).join(', ')}: add it ` +
    'to its input, or remove it from the prompt';
  return { ...draft, problem: message, problemAt: draft.place };
}

function withLack(draft: DraftReference, name: string, use: string): DraftReference {
  const { source } = draft;
  if (source === undefined || source.names.has(name)) return draft;
  const message = `${source.lacks} "${name}"${use}${didYouMean(name, [...source.names])}`;
  return { ...draft, problem: message, problemAt: source.place };
}

function undecidableReason(
  metrics: readonly Metric[],
  given: Pick<Reference, 'expected' | 'values' | 'script'>,
  builtIns: BuiltInMetrics,
): string | null {
  const turns = (given.script?.turns ?? []).flatMap(({ expected }) =>
    expected === undefined ? [] : { expected },
  );
  const reasons = metrics.flatMap(({ name, source, skip, depends_on, every, level }) => {
    const builtIn = source.kind === 'built-in' ? builtIns.get(source.uses) : undefined;
    if (source.kind !== 'built-in' || builtIn === undefined) return [];
    if (skip || depends_on.length > 0 || !builtIn.usesExpected(source.with)) return [];
    const how = builtIn.expects(source.with);
    const isByTurn = every !== undefined && level === 'Turn' && turns.length > 0;
    return (isByTurn ? turns : [given]).flatMap((own) => {
      const expected = how === null ? own.expected : readExpected(how, own);
      if (expected === undefined) return `${NO_EXPECTED}, but metric ${name} needs one`;
      const wrong = how?.wrong(expected) ?? null;
      return wrong === null ? [] : `metric "${name}": ${wrong}`;
    });
  });
  return reasons.length === 0 || (given.expected === undefined && turns.length === 0)
    ? (reasons[0] ?? null)
    : reasons.join('; ');
}

type WrittenInput = z.output<typeof inputSchema> | undefined;

function isDialogue(input: WrittenInput): input is z.output<ReturnType<typeof recordedMessages>> {
  return Array.isArray(input) || Array.isArray(input?.['messages']);
}

function filesOfValues(input: Record<string, Scalar>, field: Field): Pick<Reference, 'inputFiles'> {
  const own = field.place.file;
  const found = Object.keys(input).flatMap((name) => {
    const { file } = field.at('input', name).place;
    return file === own ? [] : [[name, file]];
  });
  return found.length === 0 ? {} : { inputFiles: Object.fromEntries(found) };
}

function writtenTexts(
  field: Field,
  given: WrittenReference,
): Pick<Reference, 'input' | 'expected' | 'values'> {
  const variables = Object.entries(isDialogue(given.input) ? {} : (given.input ?? {}));
  const texts = variables.map(([name, value]): [string, Scalar] => [
    name,
    field.at('input', name).spelled(value),
  ]);
  const changed = variables.filter(([, value], index) => texts[index]?.[1] !== value);
  const expected = field.at('expected').spelled(given.expected);
  const isSame = expected === given.expected;
  return {
    input: Object.fromEntries(texts),
    expected,
    ...(changed.length === 0 && isSame
      ? {}
      : {
          values: {
            input: Object.fromEntries(changed),
            ...(isSame ? {} : { expected: given.expected }),
          },
        }),
  };
}

function notJudgedReason(
  ordinal: number,
  metrics: readonly Metric[],
  { isJudged }: ReferenceContext,
): string | null {
  return isJudged || metrics.length > 0
    ? null
    : `no metric judges reference ${ordinal}: add metrics to it or to its file`;
}

function threadOf(
  recorded: readonly Message[] | null,
  doCompletion: boolean | null,
): Pick<Reference, 'thread' | 'after'> {
  if (recorded === null || doCompletion === null) return { thread: recorded && [...recorded] };
  const end =
    recorded.findLastIndex(({ role }) =>
      doCompletion ? role === 'user' || role === 'system' : role === 'assistant',
    ) + 1;
  const thread = recorded.slice(0, end);
  return doCompletion || end === recorded.length
    ? { thread }
    : { thread, after: recorded.slice(end) };
}

/** What an empty dialogue lacks, by `do_completion`. */
const LACKS: Readonly<Record<string, string>> = {
  null: 'a message',
  true: 'a question to answer',
  false: 'an answer, and do_completion is false',
};

function dialogueProblem(
  ordinal: number,
  recorded: readonly Message[] | null,
  thread: readonly Message[] | null,
  { doCompletion, metrics }: ReferenceContext,
): string | null {
  if (recorded === null || thread === null) return null;
  if (thread.length === 0)
    return `reference ${ordinal} is a dialogue without ${LACKS[String(doCompletion)] ?? ''}`;
  const open = openCallProblem(thread);
  if (open !== null) return open;
  // In FlexEval's files, a tool's results count as the assistant's messages.
  const isFlexEval = metrics.some(({ of }) => of === 'both');
  return doCompletion === false && !isFlexEval && recorded.at(-1)?.role === 'tool'
    ? `reference ${ordinal} ends with the result of a tool, so it has no answer; add the ` +
        "assistant's answer, or remove do_completion: false"
    : null;
}

/** Why the model cannot continue a dialogue: a call that its vendor must get a result for. */
function openCallProblem(thread: readonly Message[]): string | null {
  if (asksNothing(thread)) return null;
  const open = callsAmong(thread).find(({ id, metadata }) => id === undefined && metadata?.['id']);
  return open === undefined
    ? null
    : `the call of ${open.name} has no result, so the model cannot continue the dialogue; add ` +
        `{ role: tool, tool_call_id: ${jsonText(open.metadata?.['id'] ?? '')}, content: TEXT } after it`;
}
