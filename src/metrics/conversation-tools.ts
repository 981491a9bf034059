import { z } from 'zod';
import type { ToolCall } from '../types/answer.ts';
import type { ExactJson } from '../types/exact-json.ts';
import { isMap, type Json } from '../types/plain.ts';
import { callsAt, messagesAt, textAt } from './answer.ts';
import {
  type Measurement,
  type MetricDefinition,
  type MetricExample,
  countBounds,
  boundsRule,
  defineMetric,
  inBounds,
  measurement,
  passOrFail,
  yesOrNo,
} from './definition.ts';
import { decimalOf } from './measures/decimal.ts';
import { parseJson } from './measures/json.ts';
import { jsonNumber } from './measures/numbers.ts';

/*
 * FlexEval functions about the structure of a recording: tool calls, roles, tool results, errors.
 */

export const flexEval = {
  group: 'conversation',
  source: 'FlexEval function metric of this name',
} as const;

export const flexCount = { ...flexEval, passes: boundsRule, better: 'none' } as const;

function countByTool(
  name: string,
  summary: string,
  example: MetricExample,
  namesIn: (call: ToolCall) => string[],
): MetricDefinition {
  return defineMetric({
    ...flexCount,
    name,
    calls: true,
    summary,
    parameters: { tool: z.string().optional().describe('Count this tool only.'), ...countBounds },
    range: 'a map of tool and number',
    example,
    measure: ({ answer, options, context }) =>
      perName(callsAt(answer, context.level).flatMap(namesIn), options.tool ?? null, options),
  });
}

export const callsByName = countByTool(
  'count_tool_calls_by_name',
  'Tool calls of the answer by tool; `min` and `max` apply to the one `tool`, if given, else to each.',
  {
    output: '',
    calls: [
      { name: 'plot', arguments: '{}' },
      { name: 'plot', arguments: '{}' },
    ],
    with: { tool: 'plot', max: 1 },
    value: { plot: 2 },
    pass: false,
  },
  ({ name }) => [name],
);

/** The bounds apply to `only`, or to each name found. */
export function perName(
  names: readonly string[],
  only: string | null,
  limit: { min?: number | undefined; max?: number | undefined },
): Measurement {
  const counts = new Map<string, number>(only === null ? [] : [[only, 0]]);
  for (const name of names)
    if (only === null || name === only) counts.set(name, (counts.get(name) ?? 0) + 1);
  const outside = [...counts]
    .map(([name, count]) => inBounds(count, limit, name))
    .find((result) => result.status === 'measured' && !result.pass);
  const value: Json = Object.fromEntries(counts);
  return outside?.status === 'measured' ? { ...outside, value } : measurement(value, true);
}

export const toolWasCalled = defineMetric({
  ...flexEval,
  name: 'tool_was_called',
  calls: true,
  summary: 'The answer calls a tool, or the one `tool`.',
  parameters: { tool: z.string().optional().describe('The tool that has to be called.') },
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

export const numericParameters = countByTool(
  'count_numeric_tool_call_params_by_name',
  "Numeric arguments of the answer's tool calls, by tool.",
  {
    output: '',
    calls: [{ name: 'plot', arguments: '{"x": 1, "y": "2", "label": "a"}' }],
    value: { plot: 2 },
    pass: true,
  },
  (call) => numericArguments(call).map(() => call.name),
);

function numericArguments(call: ToolCall): ExactJson[] {
  const parsed = parseJson(call.arguments, 'raw');
  if (!parsed.ok || parsed.value === null || typeof parsed.value !== 'object') return [];
  return Object.values(parsed.value).filter(
    (value) =>
      jsonNumber(value) !== null || (typeof value === 'string' && decimalOf(value.trim()) !== null),
  );
}

const identityMetric = defineMetric({
  ...flexEval,
  name: 'identity',
  summary: 'The judged text itself, to be read in the report.',
  parameters: {},
  range: 'a text',
  passes: 'always',
  better: 'none',
  example: { output: 'Hello!', value: 'Hello!', pass: true },
  measure: ({ answer, context }) => measurement(textAt(answer, context.level), true),
});

const constant = defineMetric({
  ...flexEval,
  name: 'constant',
  summary: 'The same number for everything, for conditions and for trying a file out.',
  parameters: { response: z.number().default(0).describe('The number.') },
  range: 'the number',
  passes: 'always',
  better: 'none',
  example: { output: 'anything', with: { response: 2 }, value: 2, pass: true },
  measure: ({ options }) => measurement(options.response, true),
});

const isLastTurn = defineMetric({
  ...flexEval,
  name: 'is_last_turn_in_thread',
  summary: 'Nothing is said after it: the last object, where `every` judges them all.',
  parameters: {},
  ...yesOrNo,
  better: 'none',
  example: { output: 'Bye.', value: 1, pass: true },
  measure: ({ answer }) => passOrFail(answer.followed !== true, 'more is said after it'),
});

const countModels = defineMetric({
  ...flexCount,
  name: 'count_llm_models',
  summary:
    "Messages at the metric's level by the model that wrote them: a recorded message's " +
    '`model_name` or `model`, and the model that is asked.',
  parameters: countBounds,
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
  measure({ answer, options, context }) {
    const names = messagesAt(answer, context.level).flatMap(({ metadata = {} }) => {
      const name = metadata['model_name'] ?? metadata['model'];
      return typeof name === 'string' ? [name] : [];
    });
    return perName(names, null, options);
  },
});

const countErrors = defineMetric({
  ...flexCount,
  name: 'count_errors',
  calls: true,
  summary: 'Recorded tool calls with a member such as `python_errors`, by that member.',
  parameters: countBounds,
  range: 'a map of kind and number',
  better: 'lower',
  example: {
    output: '',
    calls: [{ name: 'run', arguments: '{}', metadata: { python_errors: 'NameError' } }],
    with: { max: 0 },
    value: { python_errors: 1 },
    pass: false,
  },
  measure: ({ answer, options, context }) =>
    perName(
      callsAt(answer, context.level).flatMap(({ metadata = {} }) =>
        Object.entries(metadata).flatMap(([key, value]) =>
          key.endsWith('_errors') && value !== null ? [key] : [],
        ),
      ),
      null,
      options,
    ),
});

const countsByTool = defineMetric({
  ...flexCount,
  name: 'value_counts_by_tool_name',
  summary:
    'What tools gave back, counted: recorded messages of a tool hold JSON, and the values of ' +
    'one key in it are counted as `tool_value`.',
  parameters: { json_key: z.string().describe('The key.'), ...countBounds },
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
  measure({ answer, options: { json_key: key, ...limit }, context }) {
    const names = messagesAt(answer, context.level).flatMap(({ content, metadata = {} }) =>
      metadata['role'] === 'tool'
        ? valuesIn(content, key).map((value) => `${String(metadata['name'] ?? 'tool')}_${value}`)
        : [],
    );
    return perName(names, null, limit);
  },
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

export const recordMetrics: readonly MetricDefinition[] = [
  identityMetric,
  constant,
  isLastTurn,
  countModels,
  countErrors,
  countsByTool,
];
