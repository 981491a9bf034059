import { readTranscriptItem } from '../../../config/recorded.ts';
import { emptyMap } from '../../../documents/document.ts';
import { filledText, isMap, jsonText, member, type Json } from '../../../types/plain.ts';
import { jsonOf } from './json-values.ts';

export type TraceMessage = Record<'role' | 'content', string>;

type TraceText = 'answer' | 'model' | 'time' | 'id' | 'error' | 'correction';

/** What an application sent to a model, and what became of it. */
export interface Trace extends Record<TraceText, string | null> {
  format: string;
  /** Empty also if some are not text. */
  messages: TraceMessage[];
  isDisliked: boolean;
}

type TracePaths = Record<TraceText | 'system' | 'messages' | 'feedback', string>;

/** `a|b` is a or else b; `a.b` is b in a. */
const COMMON_PATHS: TracePaths = {
  system: 'instructions',
  messages: 'input.messages|input',
  answer: 'output.choices|output',
  model: 'model|metadata.model',
  time: 'start_time|startTime|created|created_at|timestamp',
  id: 'trace_id|traceId|root_span_id|id',
  error: 'error|statusMessage',
  correction: 'correction|expected',
  feedback: 'scores',
};

const SPAN: Partial<TracePaths> = {
  system: 'attributes.gen_ai.system_instructions|events.0.attributes.gen_ai.system_instructions',
  messages:
    'attributes.gen_ai.input.messages|attributes.llm.input_messages|' +
    'events.0.attributes.gen_ai.input.messages',
  answer:
    'attributes.gen_ai.output.messages|attributes.llm.output_messages|' +
    'events.0.attributes.gen_ai.output.messages',
  model: 'attributes.gen_ai.request.model|attributes.llm.model_name',
  time: 'startTimeUnixNano|timeUnixNano|start_time',
  id: 'traceId|context.trace_id',
  error: 'attributes.error.type|status_message|status.message',
  feedback: 'annotations',
};

/** `marks`: where traces of this format, and of none before it, have a value. */
const TRACE_FORMATS: readonly (Partial<TracePaths> & Record<'name' | 'marks', string>)[] = [
  { name: 'OpenTelemetry', marks: 'startTimeUnixNano|timeUnixNano|observedTimeUnixNano', ...SPAN },
  { name: 'OpenInference', marks: 'span_kind|context.span_id', ...SPAN },
  {
    name: 'LangSmith',
    marks: 'run_type',
    messages: 'inputs.messages|inputs.input|inputs',
    answer: 'outputs.generations|outputs.choices|outputs.messages|outputs.output|outputs',
    model: 'extra.metadata.ls_model_name|extra.invocation_params.model',
    feedback: 'feedback_stats',
  },
  { name: 'Braintrust', marks: 'span_attributes|root_span_id' },
  { name: 'Langfuse', marks: 'traceId|trace_id|projectId|observations' },
  {
    name: 'OpenAI',
    marks: 'object|messages',
    messages: 'messages.data|messages|input',
    answer: 'choices|output',
  },
];

export const TRACE_FORMAT_NAMES = TRACE_FORMATS.map(({ name }) => name).join(', ');

/** Null stands for a value in none of the formats. */
export function readTraces(value: Json): (Trace | null)[] {
  if (Array.isArray(value)) return value.flatMap((each) => readTraces(each));
  if (!isMap(value)) return [null];
  // Where exports nest their traces.
  const lists =
    'data|runs|traces|resourceSpans|scopeSpans|spans|resourceLogs|scopeLogs|logRecords|observations'
      .split('|')
      .map((key) => jsonListOf(value[key] ?? ''));
  const inside = lists.flat().filter(isMap);
  const scores = value['scores'] ?? null;
  if (inside.length > 0) return readTraces(inside.map((each) => ({ scores, ...each })));
  const own = readTrace(normalised(value));
  // Collectors also write empty batches.
  return own === null && lists.some((list) => list.length === 0) ? [] : [own];
}

function readTrace(item: Json): Trace | null {
  const format = TRACE_FORMATS.find(({ marks }) => valueAtPaths(item, marks) !== null);
  if (format === undefined) return null;
  const paths = { ...COMMON_PATHS, ...format };
  const part = (name: keyof TracePaths) => valueAtPaths(item, paths[name]);
  const system = jsonListOf(part('system'));
  const first = system.length === 0 ? [] : [{ role: 'system', content: system }];
  const read = [...first, ...jsonListOf(part('messages'))].map(readTraceMessage);
  const scores = feedbackOf(part('feedback'));
  const corrected = scores.find(({ type }) => type === 'CORRECTION');
  return {
    format: format.name,
    messages: read.includes(null) ? [] : read.filter((each) => each !== null),
    answer: traceText(part('answer')),
    model: traceText(part('model')),
    time: traceText(part('time')),
    id: traceText(part('id')),
    error: traceText(part('error')),
    correction: corrected?.value ?? traceText(part('correction')),
    isDisliked: scores.some(({ name, value }) => OF_USERS.test(name) && DISLIKED.test(value)),
  };
}

/** The first value that is given. Opens texts that are JSON on its way. */
function valueAtPaths(item: Json, paths: string): Json {
  for (const path of paths.split('|')) {
    const found = path
      .split('.')
      .reduce((outer, step) => (member(opened(outer), step) ?? null) as Json, item);
    if (found !== null && found !== '') return found;
  }
  return null;
}

/** A text that is a list or a map in JSON becomes one. */
function opened(value: Json): Json {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return normalised(jsonOf(value) ?? value);
}

/** Also reads lists of lists, and maps whose keys are numbers. */
function jsonListOf(written: Json): Json[] {
  const value = opened(written);
  return isMap(value) && '0' in value ? Object.values(value) : [value ?? []].flat(2);
}

/** Changes `{ 'a.b': 1 }` into `{ a: { b: 1 } }`, and attributes of OTLP into maps. */
function normalised(value: Json): Json {
  if (Array.isArray(value)) {
    const pairs = value.filter(isMap).filter((each) => Object.keys(each).join() === 'key,value');
    if (pairs.length === 0) return value.map(normalised);
    return normalised(Object.fromEntries(pairs.map((each) => [each['key'], each['value']])));
  }
  if (!isMap(value)) return value;
  const [[only, inner] = ['', null], ...others] = Object.entries(value);
  if (others.length === 0 && /^(?:string|int|double|bool|bytes|array|kvlist)Value$/.test(only))
    return normalised((member(inner, 'values') ?? inner) as Json);
  const all = emptyMap();
  for (const [key, own] of Object.entries(value)) {
    const steps = key.split('.', 20);
    const last = steps.pop() ?? '';
    let node = all;
    for (const step of steps) {
      const inside = node[step];
      node = isMap(inside) ? inside : (node[step] = emptyMap());
    }
    node[last] = normalised(own);
  }
  return all;
}

/** Null for a message with tool calls, images or anything else that is not text. */
function readTraceMessage(value: Json): TraceMessage | null {
  if (!isMap(value)) return { role: 'user', content: jsonText(value) };
  const { message, kwargs, data, ...own } = value;
  const inner = [message, kwargs, data].find(isMap);
  if (inner !== undefined) return readTraceMessage({ ...own, ...inner });
  const types = JSON.stringify([own['type'], own['id']]);
  const [, type = 'assistant'] = /(system|human|ai)(?:message|")/i.exec(types) ?? [];
  const role = own['role'] ?? type.toLowerCase();
  const content = own['content'] ?? own['parts'] ?? own['text'] ?? null;
  const read = readTranscriptItem({ ...own, role, content });
  if (read.role === null || read.flaw !== undefined) return null;
  return read.calls.length + read.results.length > 0
    ? null
    : { role: read.role, content: read.texts.join('\n') };
}

/** The text of a message, of the last of several, or of other JSON. */
function traceText(value: Json): string | null {
  const isText = typeof value === 'string' && !/"(?:role|parts)"/.test(value);
  const last = (isText ? value : jsonListOf(value).at(-1)) ?? '';
  return filledText((isMap(last) ? readTraceMessage(last)?.content : null) ?? jsonText(last));
}

const OF_USERS = /feedback|thumb|rating|user|vote|like/i;

const DISLIKED =
  /^(?:-.*|0|thumbs?[-_ ]?down|down(?:vote)?|negative|bad|dislike|incorrect|no|false)$/i;

/** Reads lists of scores with a name and a value, and maps of them. */
function feedbackOf(scores: Json) {
  const list = isMap(scores)
    ? Object.entries(scores).map(([name, value]) => ({ name, value }))
    : jsonListOf(scores);
  return list.map((score) => ({
    name: jsonText(valueAtPaths(score, 'name|key')),
    type: valueAtPaths(score, 'dataType'),
    value: jsonText(
      valueAtPaths(
        score,
        'stringValue|value.avg|value.score|value.0|value|score|result.label|result.score',
      ),
    ),
  }));
}
