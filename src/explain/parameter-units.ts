import type { CauseUnit } from '../result/causes.ts';
import { changedFile, partPlace, type SuiteSide } from '../select/prompt-changes.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import { isMap, type Json } from '../types/plain.ts';

type Parameters = Record<string, Json>;

/** A parameter, or a tool of the list of tools, that differs; undefined: the side has none. */
interface Difference {
  key: string;
  /** The tool's name; null: the parameter as a whole. */
  tool: string | null;
  base: Json | undefined;
  head: Json | undefined;
}

interface MergedParameters {
  base: Parameters;
  /** One unit each. */
  differences: Difference[];
}

/** Parameters that differ, one by one; a list of tools by the tools' names. */
export function mergeParameters(base: Parameters, head: Parameters): MergedParameters {
  const keys = [...new Set([...Object.keys(base), ...Object.keys(head)])];
  const differences = keys.flatMap((key): Difference[] => {
    const [before, after] = [valueOf(base, key), valueOf(head, key)];
    if (isEqual(before, after)) return [];
    const whole = { key, tool: null, base: before, head: after };
    const tools = key === 'tools' ? toolDifferences(before ?? [], after ?? []) : null;
    return tools ?? [whole];
  });
  return { base, differences };
}

/** The parameters with those units whose number `has`. */
export function composedParameters(
  { base, differences }: MergedParameters,
  has: (unit: number) => boolean,
): Parameters {
  const composed = { ...base };
  differences.forEach(({ key, tool, head }, unit) => {
    if (!has(unit)) return;
    const value = tool === null ? head : withTool(composed[key], tool, head);
    if (value === undefined) Reflect.deleteProperty(composed, key);
    else composed[key] = value;
  });
  return composed;
}

export function parameterUnits(
  { differences }: MergedParameters,
  base: SuiteSide,
  head: SuiteSide,
): CauseUnit[] {
  return differences.map(({ key, tool, base: before, head: after }) => {
    const side = after === undefined ? 'base' : 'head';
    const onHead = partPlace(head, key) ?? { file: changedFile(base, head, key), line: 0 };
    const { file, line } = (side === 'head' ? null : partPlace(base, key)) ?? onHead;
    return {
      kind: tool === null ? 'parameter' : 'tool',
      name: tool ?? key,
      file,
      side,
      lines: { from: line, to: line },
      head: onHead,
      base_text: before === undefined ? null : textOf(before),
      head_text: after === undefined ? null : textOf(after),
    };
  });
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function valueOf(parameters: Parameters, key: string): Json | undefined {
  return Object.hasOwn(parameters, key) ? parameters[key] : undefined;
}

function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}

/** Null where the lists are not told apart by name, or by their order too. */
function toolDifferences(before: Json, after: Json): Difference[] | null {
  const [base, head] = [toolsByName(before), toolsByName(after)];
  if (base === null || head === null) return null;
  const names = [...new Set([...base.keys(), ...head.keys()])];
  const differences = names.flatMap((tool): Difference[] => {
    const [own, other] = [base.get(tool), head.get(tool)];
    return isEqual(own, other) ? [] : [{ key: 'tools', tool, base: own, head: other }];
  });
  const all = differences.reduce<Json | undefined>(
    (tools, { tool, head: own }) => withTool(tools, tool ?? '', own),
    before,
  );
  return isEqual(all ?? [], after) ? differences : null;
}

function toolsByName(tools: Json): Map<string, Json> | null {
  if (!Array.isArray(tools)) return null;
  const names = tools.map(toolName);
  if (names.some((name) => name === null) || new Set(names).size < names.length) return null;
  return new Map(tools.map((tool, i) => [names[i] ?? '', tool]));
}

function toolName(tool: Json): string | null {
  if (!isMap(tool)) return null;
  const inner = tool['function'];
  const name = isMap(inner ?? null) ? (inner as Parameters)['name'] : tool['name'];
  return typeof name === 'string' ? name : null;
}

/** The list with the tool in its place, at the end, or out; undefined: no list is left. */
function withTool(tools: Json | undefined, name: string, tool: Json | undefined): Json | undefined {
  const list = Array.isArray(tools) ? tools : [];
  const has = list.some((own) => toolName(own) === name);
  if (tool === undefined) {
    const rest = list.filter((own) => toolName(own) !== name);
    return rest.length === 0 ? undefined : rest;
  }
  return has ? list.map((own) => (toolName(own) === name ? tool : own)) : [...list, tool];
}
