import { metricsFor } from '../kernel/suite/metrics.ts';
import type { Suite } from '../kernel/suite/suite.ts';
import { wantedCalls } from '../metrics/measures/tool-calls.ts';
import { didYouMean } from '../text/suggest.ts';
import { isMap, type Json, type JsonMap, type Notice } from '../types/plain.ts';

/** Arguments by tool. Null: the tool takes any. */
type Tools = ReadonlyMap<string, readonly string[] | null>;

/**
 * Finds expected calls that no answer can make, because the prompt's tools differ. A
 * notice, because a pull request that changes a tool must be judged.
 */
export function callNotices(suites: readonly Suite[]): Notice[] {
  return suites.flatMap(({ prompt, tests }) => {
    const tools = toolsOf(prompt.parameters['tools']);
    if (tools === null || prompt.code !== null) return [];
    return tests.references.flatMap((reference): Notice[] => {
      const compares = metricsFor(tests, reference).some(
        ({ source }) => source.kind === 'built-in' && source.uses === 'tool_call_match',
      );
      const calls = compares
        ? wantedCalls(reference.values?.expected ?? reference.expected ?? null)
        : null;
      const [message] = (calls ?? []).flatMap(({ name, arguments: given }) => {
        if (!tools.has(name))
          return `the prompt has no tool "${name}"${didYouMean(name, [...tools.keys()])}`;
        const known = tools.get(name) ?? null;
        const unknown = Object.keys(given ?? {}).filter((key) => known?.includes(key) === false);
        return unknown.map(
          (key) => `the tool "${name}" has no argument "${key}"${didYouMean(key, known ?? [])}`,
        );
      });
      return message === undefined
        ? []
        : [{ kind: 'settings', place: reference.place, message: `expected: ${message}` }];
    });
  });
}

/** Null if a tool has no name, because its vendor runs it and decides its calls. */
function toolsOf(tools: Json | undefined): Tools | null {
  if (!Array.isArray(tools) || tools.length === 0) return null;
  const found = tools
    .filter(isMap)
    .map((tool) => (isMap(tool['function']) ? tool['function'] : tool));
  const named = found.flatMap((tool): [string, string[] | null][] =>
    typeof tool['name'] === 'string' ? [[tool['name'], argumentsOf(tool)]] : [],
  );
  return named.length < tools.length ? null : new Map(named);
}

function argumentsOf({ parameters, input_schema: input }: JsonMap): string[] | null {
  const schema = parameters ?? input;
  if (!isMap(schema) || !isMap(schema['properties'])) return null;
  const isOpen = [
    'additionalProperties',
    'patternProperties',
    '$ref',
    'allOf',
    'anyOf',
    'oneOf',
  ].some((key) => schema[key] !== undefined && schema[key] !== false);
  return isOpen ? null : Object.keys(schema['properties']);
}
