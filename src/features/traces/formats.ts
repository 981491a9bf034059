import { readTranscriptItem } from '../../config/recorded.ts';
import { emptyMap } from '../../documents/document.ts';
import {
  filledText,
  isMap,
  jsonText,
  ownEntry,
  parsedJson,
  type Json,
  type JsonMap,
} from '../../types/plain.ts';

export type TraceMessage = Record<'role' | 'content', string>;

interface TraceTexts {
  answer: string | null;
  model: string | null;
  correction: string | null;
  error: string | null;
  time: string | null;
  id: string | null;
}

export interface Trace extends TraceTexts {
  /** Null if the trace has no messages, or some that are not text. */
  messages: TraceMessage[] | null;
  isDisliked: boolean;
  tags: string;
}

/** For each part of a trace, dotted paths; the first that has a value counts. */
type TraceMap = Readonly<
  Record<keyof TraceTexts | 'system' | 'messages' | 'scores' | 'tags', string>
>;

interface TraceFormat {
  /** Paths of which each object has at least one. */
  mark: string;
  /** Where one object contains several traces. `*` stands for each element. */
  within?: string;
  map: Partial<TraceMap>;
}

const COMMON_PATHS: TraceMap = {
  system: 'instructions',
  messages: 'input.messages input',
  answer: 'output.choices.0 output',
  model: 'model metadata.model',
  correction: 'correction expected expectedOutput',
  error: 'error statusMessage',
  time: 'start_time startTime created created_at timestamp',
  id: 'trace_id traceId root_span_id id',
  scores: 'scores',
  tags: 'tags',
};

const SPAN: Partial<TraceMap> = {
  system: 'gen_ai.system_instructions',
  messages: 'gen_ai.input.messages gen_ai.prompt llm.input_messages',
  answer: 'gen_ai.output.messages gen_ai.completion llm.output_messages',
  model: 'gen_ai.request.model llm.model_name',
  error: 'error.type exception.message status_message status.message',
  time: 'startTimeUnixNano timeUnixNano start_time',
  id: 'traceId context.trace_id',
  scores: 'annotations',
};

const TRACE_FORMATS: Readonly<Record<string, TraceFormat>> = {
  OpenTelemetry: {
    mark: 'resourceSpans resourceLogs',
    within: 'resourceSpans.*.scopeSpans.*.spans.* resourceLogs.*.scopeLogs.*.logRecords.*',
    map: SPAN,
  },
  OpenInference: { mark: 'span_kind context.span_id', map: SPAN },
  LangSmith: {
    mark: 'run_type',
    map: {
      messages: 'inputs.messages inputs.input',
      answer:
        'outputs.generations.0.0.message outputs.generations.0.0 outputs.choices.0 ' +
        'outputs.messages outputs.output outputs',
      model: 'extra.metadata.ls_model_name extra.invocation_params.model',
      scores: 'feedback_stats',
    },
  },
  Braintrust: { mark: 'span_attributes root_span_id', map: {} },
  langfuse: { mark: 'observations traceId trace_id projectId', within: 'observations.*', map: {} },
  'OpenAI stored completions': {
    mark: 'object messages item',
    map: {
      messages: 'messages.data messages request.messages input item.input',
      answer: 'choices.0 output sample.output_text',
      model: 'model sample.model',
    },
  },
};

export const TRACE_FORMAT_NAMES = Object.keys(TRACE_FORMATS).join(', ');

/** Null if the object is in none of the formats. */
export function readTraces(written: JsonMap): Trace[] | null {
  const value = withDotsAsLevels(written);
  const format = Object.values(TRACE_FORMATS).find(
    ({ mark }) => valuesAtPaths(value, mark).length > 0,
  );
  if (format === undefined) return null;
  const { scores = null, tags = null } = value;
  const inside = valuesAtPaths(value, format.within ?? '').filter(isMap);
  const items = inside.length === 0 ? [value] : inside.map((item) => ({ scores, tags, ...item }));
  return items.map((item) => readTrace(withAttributes(item), { ...COMMON_PATHS, ...format.map }));
}

function readTrace(item: JsonMap, map: TraceMap): Trace {
  const part = (name: keyof TraceMap): Json => valuesAtPaths(item, map[name])[0] ?? null;
  const text = (name: keyof TraceTexts) => textOfAnswer(part(name));
  const system = traceList(part('system')).map((each): Json => ({
    role: 'system',
    ...(isMap(each) ? each : { content: each }),
  }));
  const read = [...system, ...traceList(part('messages')).flat()].map(readTraceMessage);
  const messages = read.filter((each) => each !== null);
  return {
    messages: messages.length === read.length && read.length > 0 ? messages : null,
    ...{ answer: text('answer'), model: text('model'), correction: text('correction') },
    ...{ error: text('error'), time: text('time'), id: text('id') },
    isDisliked: isDisliked(part('scores')),
    tags: traceList(part('tags')).map(jsonText).sort().join(', '),
  };
}

/** The values at the first of several paths that has any. */
function valuesAtPaths(value: Json, paths: string): Json[] {
  for (const path of paths.split(' ')) {
    const values = path
      .split('.')
      .reduce<Json[]>((all, step) => all.flatMap((each) => membersAt(each, step)), [value]);
    const given = values.filter((each) => each !== null && each !== '');
    if (given.length > 0) return given;
  }
  return [];
}

function membersAt(written: Json, step: string): Json[] {
  if (step === '*') return traceList(written);
  const value = openedJson(written);
  const isNode = typeof value === 'object' && value !== null;
  return isNode ? [ownEntry(value as JsonMap, step) ?? null] : [];
}

/** Parses a text that is a list or a map in JSON. */
function openedJson(value: Json): Json {
  const parsed = typeof value === 'string' && /^\s*[[{]/.test(value) ? parsedJson(value) : value;
  return (parsed ?? value) as Json;
}

/** Reads lists, and maps whose keys are numbers. */
function traceList(written: Json): Json[] {
  const value = openedJson(written);
  if (value === null || Array.isArray(value)) return value ?? [];
  const isList = isMap(value) && Object.keys(value).every((key) => /^\d+$/.test(key));
  return isList ? Object.values(value) : [value];
}

const MAX_KEY_STEPS = 20;

/** Changes `{ 'a.b': 1 }` into `{ a: { b: 1 } }`. */
function withDotsAsLevels(value: JsonMap): JsonMap {
  const all = emptyMap();
  for (const [key, member] of Object.entries(value)) {
    const steps = key.split('.', MAX_KEY_STEPS);
    const last = steps.pop() ?? '';
    let node = all;
    for (const step of steps) {
      const inner = node[step];
      node = isMap(inner) ? inner : (node[step] = emptyMap());
    }
    node[last] = member;
  }
  return all;
}

/** Adds a span's attributes, and those of its events, to the span. */
function withAttributes(span: JsonMap): JsonMap {
  const events = traceList(span['events'] ?? null).filter(isMap);
  return {
    ...span,
    ...withDotsAsLevels(Object.assign({}, ...[...events, span].map(spanAttributes))),
  };
}

function spanAttributes({ attributes = null }: JsonMap): JsonMap {
  if (!Array.isArray(attributes)) return isMap(attributes) ? attributes : {};
  const listed = attributes.filter(isMap);
  return Object.fromEntries(
    listed.map(({ key = '', value = null }) => [jsonText(key), valueOfAny(value)]),
  );
}

/** Reads an `AnyValue` of OTLP. */
function valueOfAny(value: Json): Json {
  if (!isMap(value)) return value;
  const { arrayValue, kvlistValue } = value;
  if (isMap(arrayValue)) return traceList(arrayValue['values'] ?? null).map(valueOfAny);
  if (isMap(kvlistValue)) return spanAttributes({ attributes: kvlistValue['values'] ?? null });
  return Object.values(value)[0] ?? null;
}

/** Null for a message with tool calls, images or anything else that is not text. */
function readTraceMessage(value: Json): TraceMessage | null {
  if (!isMap(value)) return { role: 'user', content: jsonText(value) };
  const own = innerMessage(innerMessage(withDotsAsLevels(value)));
  const { type = 'assistant', contents, text, ...rest } = own;
  const role = jsonText(own['role'] ?? type)
    .replace(/message(chunk)?$/i, '')
    .toLowerCase();
  const content = [rest['content'], rest['parts'], contents, text].find(
    (each) => each !== undefined && each !== null,
  );
  const read = readTranscriptItem({ ...rest, role, content: content ?? null });
  const isText = read.flaw === undefined && read.calls.length === 0 && read.results.length === 0;
  return isText && read.role !== null ? { role: read.role, content: read.texts.join('\n') } : null;
}

function innerMessage(value: JsonMap): JsonMap {
  const inner = [value['message'], value['kwargs'], value['data']].find(isMap);
  return inner === undefined ? value : { ...value, message: null, ...withDotsAsLevels(inner) };
}

const MESSAGE_KEYS = /^(?:role|content|parts|message|kwargs|text)(?:\.|$)/;

/** The text of a message, of the last of several, or of other JSON. */
function textOfAnswer(value: Json): string | null {
  const last =
    typeof value === 'string' && !/"(?:role|parts)"/.test(value) ? value : traceList(value).at(-1);
  if (last === undefined) return null;
  const isMessage = isMap(last) && Object.keys(last).some((key) => MESSAGE_KEYS.test(key));
  return filledText(isMessage ? readTraceMessage(last)?.content : jsonText(last));
}

const OF_USERS = /feedback|thumb|rating|user|vote|like/i;

const DISLIKED =
  /^(?:-.*|0|thumbs?[-_ ]?down|down(?:vote)?|negative|bad|dislike|incorrect|no|false)$/i;

/** Reads lists of scores with a name and a value, and maps of them. */
function isDisliked(scores: Json): boolean {
  const list = isMap(scores)
    ? Object.entries(scores).map(([name, value]): Json => ({ name, value }))
    : traceList(scores);
  return list.some((score) => {
    const name = valuesAtPaths(score, 'name key')[0] ?? '';
    const value =
      valuesAtPaths(
        score,
        'stringValue value.avg value.score value score result.label result.score',
      )[0] ?? '';
    return OF_USERS.test(jsonText(name)) && DISLIKED.test(jsonText(value));
  });
}
