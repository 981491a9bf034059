import type { Part, Step } from '../../../types/answer.ts';
import { isMap } from '../../../types/plain.ts';
import { imagePart } from './image.ts';

interface Item {
  type: string;
  [member: string]: unknown;
}

const BESIDE_INPUT = new Set([
  ...['id', 'type', 'status', 'call_id', 'container_id', 'approval_request_id', 'server_label'],
  ...['name', 'error', 'output', 'outputs', 'result', 'results', 'phase', 'content'],
]);

const RESULTS = ['output', 'outputs', 'results', 'error'];

export const OWN_CALLS = new Set(['function_call', 'custom_tool_call']);

const SILENT =
  /^(message|reasoning|compaction|mcp_list_tools|additional_tools)$|_output$|^tool_search/;

export function hostedWork(output: readonly Item[]): { parts: Part[]; steps: Step[] } {
  const others = output.filter(({ type }) => !OWN_CALLS.has(type) && !SILENT.test(type));
  const calls = others.filter(isCall).map((item) => ({ item, call: callOf(item) }));
  const unknown = others.filter((item) => !isCall(item));
  return {
    parts: [
      ...calls.map(({ call }): Part => ({ type: 'tool_call', ...call })),
      ...others.flatMap(imageOf),
      ...unknown.map((item): Part => ({
        type: 'unknown',
        kind: item.type,
        json: JSON.stringify(item),
      })),
    ],
    steps: calls.map(({ item, call }): Step => ({
      type: 'tool_call',
      ...call,
      result: resultOf(item),
    })),
  };
}

function isCall({ type }: Item): boolean {
  return type.endsWith('_call') || type === 'mcp_approval_request';
}

function callOf(item: Item): { name: string; arguments: string } {
  const { type, name, arguments: given, action } = item;
  const called = typeof name === 'string' && name !== '' ? name : type.replace(/_call$/, '');
  if (typeof given === 'string') return { name: called, arguments: given };
  const input = Object.fromEntries(Object.entries(item).filter(([key]) => !BESIDE_INPUT.has(key)));
  const isAction = isMap(action) && Object.keys(input).length === 1;
  return { name: called, arguments: JSON.stringify(isAction ? action : input) };
}

function resultOf(item: Item): string | null {
  const found = RESULTS.map((name) => item[name] ?? null).find((value) => value !== null) ?? null;
  return found === null || typeof found === 'string' ? found : JSON.stringify(found);
}

function imageOf({ type, result, output_format: format }: Item): Part[] {
  if (type !== 'image_generation_call' || typeof result !== 'string') return [];
  const isType = typeof format === 'string' && /^[\w.+-]+$/.test(format);
  return [imagePart(`image/${isType ? format : 'png'}`, result)];
}
