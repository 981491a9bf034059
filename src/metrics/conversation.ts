import { z } from 'zod';
import type { ToolCall } from '../types/answer.ts';
import type { ExactJson } from '../types/exact-json.ts';
import type { MetricLevel } from '../types/metric.ts';
import type { Message } from '../types/model.ts';
import { isMap, type Json } from '../types/plain.ts';
import { callsAt, messagesAt, textAt, type MetricAnswer } from './answer.ts';
import {
  boundsRule,
  countBounds,
  defineMetric,
  inBounds,
  measureError,
  measurement,
  passOrFail,
  yesOrNo,
  type Description,
  type Measurement,
  type MetricDefinition,
  type Options,
} from './definition.ts';
import { decimalOf } from './measures/decimal.ts';
import { parseJson } from './measures/json.ts';
import { fleschKincaidGrade, fleschReadingEase } from './measures/language.ts';
import { AS_WRITTEN, normaliseText } from './measures/normalise.ts';
import { jsonNumber } from './measures/numbers.ts';
import { compilePattern } from './measures/pattern.ts';
import type { Bounds } from './passing.ts';
import { turnsOf } from './transcript.ts';

const flexEval = {
  group: 'conversation',
  source: "FlexEval's function metric with this name",
} as const;

const flexCount = { ...flexEval, ...boundsRule, better: 'none' } as const;

interface CountRow<S extends z.ZodRawShape> extends Pick<
  Description,
  'name' | 'summary' | 'example' | 'better' | 'calls' | 'whole'
> {
  range?: string;
  parameters?: S;
  unit?: string;
  check?(options: Options<S>): string[];
  /** Returns a number, or names to count. Null if the text has no words to count. */
  count(
    answer: MetricAnswer,
    level: MetricLevel,
    options: Options<S>,
  ): number | readonly string[] | { error: string } | null;
  only?(options: Options<S>): string | null;
}

function counter<S extends z.ZodRawShape>(row: CountRow<S>): MetricDefinition {
  const { count, only, check, unit = 'counted', parameters, ...rest } = row;
  return defineMetric({
    ...flexCount,
    range: 'a number',
    ...rest,
    parameters: { ...parameters, ...countBounds } as typeof countBounds,
    check: (options) => check?.(options as unknown as Options<S>) ?? [],
    measure({ answer, options, context: { level } }) {
      const own = options as unknown as Options<S>;
      const found = count(answer, level, own);
      if (found === null) return measurement(null, false, 'the text has no words');
      if (typeof found === 'number') return inBounds(found, options, unit);
      if ('error' in found) return measureError(found.error);
      return perName(found, only?.(own) ?? null, options);
    },
  });
}

function perName(names: readonly string[], only: string | null, limit: Bounds): Measurement {
  const counts = new Map<string, number>(only === null ? [] : [[only, 0]]);
  for (const name of names)
    if (only === null || name === only) counts.set(name, (counts.get(name) ?? 0) + 1);
  const outside = [...counts]
    .map(([name, count]) => inBounds(count, limit, name))
    .find((result) => result.status === 'measured' && !result.pass);
  const value: Json = Object.fromEntries(counts);
  return outside?.status === 'measured' ? { ...outside, value } : measurement(value, true);
}

const dialogue: Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello! 👋🏽' },
];

const exampleAnswer = { output: 'Hello! 👋🏽', thread: dialogue };

let emojis: RegExp | null = null;

const roleSchema = z.enum(['user', 'human', 'assistant', 'ai', 'system', 'tool']);

function standardRole(name: z.output<typeof roleSchema>): Message['role'] {
  return name === 'human' ? 'user' : name === 'ai' ? 'assistant' : name;
}

const counters = [
  counter({
    name: 'count_emojis',
    summary:
      'Number of emojis in the judged text. A combined emoji, such as one with a skin tone, ' +
      'counts once.',
    example: { ...exampleAnswer, value: 1, pass: true },
    count: (answer, level) =>
      textAt(answer, level).match((emojis ??= new RegExp('\\p{RGI_Emoji}', 'gv')))?.length ?? 0,
  }),
  counter({
    name: 'count_messages',
    summary: 'Number of messages in the judged part of the dialogue, without system messages.',
    example: { ...exampleAnswer, value: 1, pass: true },
    count: (answer, level) => messagesAt(answer, level).length,
  }),
  counter({
    name: 'count_turns',
    summary:
      'Number of turns in the conversation. Successive messages from the same side are one turn.',
    example: { ...exampleAnswer, with: { max: 1 }, value: 2, pass: false },
    count: (answer) => turnsOf(answer.thread).length,
  }),
  counter({
    name: 'index_in_thread',
    summary: 'Position of the judged turn, counted from 0.',
    example: { ...exampleAnswer, value: 1, pass: true },
    count: (answer) => Math.max(0, turnsOf(answer.thread).length - 1),
  }),
  counter({
    name: 'flesch_reading_ease',
    summary:
      'How easy the text is to read, about 0 (hard) to 100 (easy). English only; syllables are estimated.',
    example: {
      output: 'The cat sat on the mat.',
      with: { min: 60 },
      value: 206.835 - 1.015 * 6 - 84.6,
      pass: true,
    },
    count: (answer, level) => fleschReadingEase(textAt(answer, level)),
  }),
  counter({
    name: 'flesch_kincaid_grade',
    summary: 'US school grade that a reader needs. English only; syllables are estimated.',
    example: {
      output: 'The cat sat on the mat.',
      with: { max: 8 },
      value: 0.39 * 6 + 11.8 - 15.59,
      pass: true,
    },
    count: (answer, level) => fleschKincaidGrade(textAt(answer, level)),
  }),
  counter({
    name: 'count_tool_calls',
    summary: 'Number of tool calls in the answer.',
    example: {
      output: '',
      calls: [{ name: 'search', arguments: '{}' }],
      with: { max: 0 },
      value: 1,
      pass: false,
    },
    count: (answer, level) => callsAt(answer, level).length,
  }),
  counter({
    name: 'count_messages_per_role',
    summary:
      'Number of messages by role, in the judged part of the dialogue. `min` and `max` apply ' +
      'to `role`, or to each role if it is not set.',
    parameters: { role: roleSchema.optional().describe('Count only this role.') },
    range: 'a map of role and number',
    example: { ...exampleAnswer, value: { assistant: 1 }, pass: true },
    count: (answer, level) => messagesAt(answer, level).map(({ role }) => role),
    only: ({ role }) => (role === undefined ? null : standardRole(role)),
  }),
];

const isRole = defineMetric({
  ...flexEval,
  name: 'is_role',
  summary:
    'All judged messages have the role. The value is a map with the role as its key, which ' +
    'conditions can refer to (`metric_name`).',
  parameters: { role: roleSchema.describe('The role.') },
  range: 'a map of role and 0 or 1',
  passes: 'at 1',
  better: 'none',
  example: { ...exampleAnswer, with: { role: 'assistant' }, value: { assistant: 1 }, pass: true },
  measure({ answer, options, context }) {
    const wanted = standardRole(options.role);
    const messages = messagesAt(answer, context.level);
    const roles = wanted === 'assistant' ? [wanted, 'tool'] : [wanted];
    const pass = messages.length > 0 && messages.every(({ role }) => roles.includes(role));
    return passOrFail(pass, `is not by ${wanted}`, { [options.role]: pass ? 1 : 0 });
  },
});

const tool = z.string().optional().describe('Count only this tool.');

const callsByName = counter({
  name: 'count_tool_calls_by_name',
  calls: true,
  summary:
    'Number of tool calls in the answer by tool. `min` and `max` apply to `tool`, or to each ' +
    'tool if it is not set.',
  parameters: { tool },
  range: 'a map of tool and number',
  example: {
    output: '',
    calls: [
      { name: 'plot', arguments: '{}' },
      { name: 'plot', arguments: '{}' },
    ],
    with: { tool: 'plot', max: 1 },
    value: { plot: 2 },
    pass: false,
  },
  count: (answer, level) => callsAt(answer, level).map(({ name }) => name),
  only: (options) => options.tool ?? null,
});

const toolWasCalled = defineMetric({
  ...flexEval,
  name: 'tool_was_called',
  calls: true,
  summary: 'The answer calls a tool (if `tool` is set: this one).',
  parameters: { tool: z.string().optional().describe('The tool that must be called.') },
  ...yesOrNo,
  example: {
    output: '',
    calls: [{ name: 'plot', arguments: '{}' }],
    with: { tool: 'search' },
    value: 0,
    pass: false,
  },
  measure({ answer, options: { tool }, context }) {
    const called = callsAt(answer, context.level).some(
      ({ name }) => tool === undefined || name === tool,
    );
    return passOrFail(called, tool === undefined ? 'calls no tool' : `does not call ${tool}`);
  },
});

const numericParameters = counter({
  name: 'count_numeric_tool_call_params_by_name',
  calls: true,
  summary: "Number of numeric arguments in the answer's tool calls, by tool.",
  parameters: { tool },
  range: 'a map of tool and number',
  example: {
    output: '',
    calls: [{ name: 'plot', arguments: '{"x": 1, "y": "2", "label": "a"}' }],
    value: { plot: 2 },
    pass: true,
  },
  count: (answer, level) =>
    callsAt(answer, level).flatMap((call) => numericArguments(call).map(() => call.name)),
  only: (options) => options.tool ?? null,
});

function numericArguments(call: ToolCall): ExactJson[] {
  const parsed = parseJson(call.arguments, 'raw');
  if (!parsed.ok || parsed.value === null || typeof parsed.value !== 'object') return [];
  return Object.values(parsed.value).filter(
    (value) =>
      jsonNumber(value) !== null || (typeof value === 'string' && decimalOf(value.trim()) !== null),
  );
}

const plainFlags = { ignore_case: false, multiline: false, dot_all: false };

const ofPattern = {
  parameters: {
    expression: z.string().describe('RE2 syntax: no look-around, no back-references.'),
  },
  check({ expression }: { expression: string }): string[] {
    const compiled = compilePattern(expression, plainFlags);
    return typeof compiled === 'string' ? [compiled] : [];
  },
};

/** Patterns match text in composed form (NFC), so this composes the text. */
function matchesIn(expression: string, answer: MetricAnswer, level: MetricLevel): number {
  const compiled = compilePattern(expression, plainFlags);
  const text = normaliseText(textAt(answer, level), AS_WRITTEN);
  return typeof compiled === 'string' ? 0 : [...compiled.matchAll(text)].length;
}

const matchesRegex = defineMetric({
  ...flexEval,
  ...ofPattern,
  name: 'message_matches_regex',
  summary: 'The judged text matches the pattern.',
  ...yesOrNo,
  example: { ...exampleAnswer, with: { expression: '^Hello' }, value: 1, pass: true },
  measure: ({ answer, options: { expression }, context: { level } }) =>
    passOrFail(matchesIn(expression, answer, level) > 0, 'the pattern is not found'),
});

const countRegex = counter({
  ...ofPattern,
  name: 'count_of_parts_matching_regex',
  summary: 'Number of non-overlapping matches of the pattern in the judged text.',
  range: '0 and up',
  example: {
    output: 'one, two, three',
    with: { expression: '\\w+', max: 2 },
    value: 3,
    pass: false,
  },
  unit: 'parts',
  count: (answer, level, { expression }) => matchesIn(expression, answer, level),
});

const identityMetric = defineMetric({
  ...flexEval,
  name: 'identity',
  summary: 'The judged text itself, shown in the report.',
  parameters: {},
  range: 'a text',
  passes: 'always',
  limits: ['negate'],
  better: 'none',
  example: { output: 'Hello!', value: 'Hello!', pass: true },
  measure: ({ answer, context }) => measurement(textAt(answer, context.level), true),
});

const constant = defineMetric({
  ...flexEval,
  name: 'constant',
  summary: 'Always the same number, whatever the answer. Useful for conditions and experiments.',
  parameters: { response: z.number().default(0).describe('The number.') },
  range: 'the number',
  passes: 'always',
  limits: ['negate'],
  better: 'none',
  example: { output: 'anything', with: { response: 2 }, value: 2, pass: true },
  measure: ({ options }) => measurement(options.response, true),
});

const isLastTurn = defineMetric({
  ...flexEval,
  name: 'is_last_turn_in_thread',
  summary:
    'Whether the judged turn or message is the last one. Useful with `every`, which judges ' +
    'all turns or messages.',
  parameters: {},
  ...yesOrNo,
  better: 'none',
  example: { output: 'Bye.', value: 1, pass: true },
  measure: ({ answer }) =>
    passOrFail(answer.followed !== true, 'it is not the last turn or message'),
});

const countModels = counter({
  name: 'count_llm_models',
  summary:
    'Number of judged messages by the model that wrote them: `model_name` or `model` in ' +
    'recorded messages, or the model that this run calls.',
  range: 'a map of model and number',
  example: {
    output: 'Hi',
    thread: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi', metadata: { model: 'tutor-1' } },
    ],
    value: { 'tutor-1': 1 },
    pass: true,
  },
  count: (answer, level) =>
    messagesAt(answer, level).flatMap(({ metadata = {} }) => {
      const name = metadata['model_name'] ?? metadata['model'];
      return typeof name === 'string' ? [name] : [];
    }),
});

const countErrors = counter({
  name: 'count_errors',
  calls: true,
  summary: 'Number of recorded tool calls with an error field such as `python_errors`, by field.',
  range: 'a map of kind and number',
  better: 'lower',
  example: {
    output: '',
    calls: [{ name: 'run', arguments: '{}', metadata: { python_errors: 'NameError' } }],
    with: { max: 0 },
    value: { python_errors: 1 },
    pass: false,
  },
  count: (answer, level) =>
    callsAt(answer, level)
      .flatMap(({ metadata = {} }) => Object.entries(metadata))
      .flatMap(([key, value]) => (key.endsWith('_errors') && value !== null ? [key] : [])),
});

const countsByTool = counter({
  name: 'value_counts_by_tool_name',
  summary:
    "Counts the values that one key has in the JSON of recorded tool messages. An entry's " +
    'name is `tool_value`, such as `plot_line`.',
  parameters: { json_key: z.string().describe('The key.') },
  range: 'a map of tool and value, and number',
  example: {
    output: '[{"kind": "line"}, {"kind": "line"}]',
    thread: [
      { role: 'user', content: 'Plot it' },
      {
        role: 'assistant',
        content: '[{"kind": "line"}, {"kind": "line"}]',
        metadata: { role: 'tool', name: 'plot' },
      },
    ],
    with: { json_key: 'kind' },
    value: { plot_line: 2 },
    pass: true,
  },
  count: (answer, level, { json_key: key }) =>
    messagesAt(answer, level).flatMap(({ role, content, metadata = {}, ...message }) => {
      if (role !== 'tool' && metadata['role'] !== 'tool') return [];
      const name = 'name' in message ? message.name : metadata['name'];
      return valuesIn(content, key).map((value) => `${name ?? 'tool'}_${value}`);
    }),
});

function valuesIn(content: string, key: string): string[] {
  const parsed = parseJson(content, 'raw');
  const all = !parsed.ok ? [] : Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  return all.flatMap((entry) => {
    const value = isMap(entry) && Object.hasOwn(entry, key) ? entry[key] : undefined;
    const isScalar = typeof value !== 'object' || jsonNumber(value) !== null;
    return value === undefined || !isScalar ? [] : [String(value)];
  });
}

export const conversationMetrics: readonly MetricDefinition[] = [
  isRole,
  ...counters,
  toolWasCalled,
  callsByName,
  numericParameters,
  matchesRegex,
  countRegex,
  identityMetric,
  constant,
  isLastTurn,
  countModels,
  countErrors,
  countsByTool,
];
