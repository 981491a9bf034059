import { z } from 'zod';
import type { ToolCall } from '../types/model.ts';
import type { Json } from '../types/plain.ts';
import { callsAt } from './answer.ts';
import {
  bounds,
  passOrFail,
  defineMetric,
  measurement,
  type Measured,
  inBounds,
} from './definition.ts';
import { parseJson } from './measures/json.ts';

export const SOURCE = 'FlexEval function metric of this name';

export const boundsRule = 'from `min` to `max`; without bounds always';

export const callsByName = defineMetric({
  name: 'count_tool_calls_by_name',
  group: 'conversation',
  calls: true,
  summary:
    'Tool calls of the answer by tool; `min` and `max` apply to the one `tool`, if given, else to each.',
  parameters: { tool: z.string().optional().describe('Count this tool only.'), ...bounds },
  range: 'a map of tool and number',
  passes: boundsRule,
  better: 'none',
  source: SOURCE,
  example: {
    output: '',
    completion: {
      tool_calls: [
        { name: 'plot', arguments: '{}' },
        { name: 'plot', arguments: '{}' },
      ],
    },
    with: { tool: 'plot', max: 1 },
    value: { plot: 2 },
    pass: false,
  },
  measure: ({ answer, options, context }) =>
    perName(
      callsAt(answer, context.level).map(({ name }) => name),
      options.tool ?? null,
      options,
    ),
});

/** Counts by name, as a map; the bounds hold for the one name asked for, or for each name found. */
export function perName(
  names: readonly string[],
  only: string | null,
  limit: { min?: number | undefined; max?: number | undefined },
): Measured {
  const counts = new Map<string, number>(only === null ? [] : [[only, 0]]);
  for (const name of names)
    if (only === null || name === only) counts.set(name, (counts.get(name) ?? 0) + 1);
  const outside = [...counts]
    .map(([name, count]) => inBounds(count, limit, name))
    .find((one) => one.status === 'measured' && !one.pass);
  const value: Json = Object.fromEntries(counts);
  return outside?.status === 'measured' ? { ...outside, value } : measurement(value, true);
}

export const toolWasCalled = defineMetric({
  name: 'tool_was_called',
  group: 'conversation',
  calls: true,
  summary: 'The answer calls a tool, or the one `tool`.',
  parameters: { tool: z.string().optional().describe('The tool that has to be called.') },
  range: '0 or 1',
  passes: 'at 1',
  source: SOURCE,
  example: {
    output: '',
    completion: { tool_calls: [{ name: 'plot', arguments: '{}' }] },
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

export const numericParameters = defineMetric({
  name: 'count_numeric_tool_call_params_by_name',
  group: 'conversation',
  calls: true,
  summary: 'Numeric arguments of the answer’s tool calls, by tool.',
  parameters: { tool: z.string().optional().describe('Count this tool only.'), ...bounds },
  range: 'a map of tool and number',
  passes: boundsRule,
  better: 'none',
  source: SOURCE,
  example: {
    output: '',
    completion: { tool_calls: [{ name: 'plot', arguments: '{"x": 1, "y": "2", "label": "a"}' }] },
    value: { plot: 2 },
    pass: true,
  },
  measure: ({ answer, options, context }) =>
    perName(
      callsAt(answer, context.level).flatMap((call) => numericArguments(call).map(() => call.name)),
      options.tool ?? null,
      options,
    ),
});

/** Arguments that are numbers, or text that is one. */
function numericArguments(call: ToolCall): Json[] {
  const parsed = parseJson(call.arguments, 'raw');
  if (!parsed.ok || parsed.value === null || typeof parsed.value !== 'object') return [];
  return Object.values(parsed.value).filter(
    (value) =>
      typeof value === 'number' ||
      (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))),
  );
}
