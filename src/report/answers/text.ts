import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { isOwnFacts, type Part, type ToolCall } from '../../types/answer.ts';
import type { ExactJson } from '../../types/exact-json.ts';
import { MOST_LEVELS, isDeeper, parsedJson, type Json } from '../../types/plain.ts';

export interface WithParts {
  parts: readonly Part[] | null;
}

export interface Argument {
  name: string;
  value: ExactJson;
}

/** Writes calls as `create_order(item: "vase", amount: 3)`. */
export function textOfParts(parts: readonly Part[]): string {
  return visibleParts(parts).map(partText).join('\n');
}

export function visibleParts(parts: readonly Part[]): Part[] {
  return parts.filter((part) => !isOwnFacts(part));
}

export function answerText({ parts }: WithParts): string | null {
  return parts === null ? null : textOfParts(parts);
}

export function firstAnswerText(tries: readonly WithParts[]): string | null {
  const made = tries.find(({ parts }) => parts !== null);
  return made === undefined ? null : answerText(made);
}

export function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'tool_call':
      return callText(part);
    case 'json':
      return JSON.stringify(part.value);
    case 'image':
      return `image (${part.media_type}, ${part.bytes} bytes, ${part.digest.slice(0, 8)})`;
    case 'file':
      return `${part.path}\n${part.diff}`;
    case 'unknown':
      return `unknown part "${part.kind}": ${part.json}`;
  }
}

function callText(call: ToolCall): string {
  const given = argumentsOf(call);
  return `${call.name}(${given === null ? call.arguments : given.map(argumentText).join(', ')})`;
}

export function argumentText({ name, value }: Argument): string {
  return `${name}: ${JSON.stringify(value)}`;
}

export function argumentsOf({ arguments: given }: ToolCall): Argument[] | null {
  const value = readArguments(given.trim() === '' ? '{}' : given);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  return Object.entries(value).map(([name, of]) => ({ name, value: of }));
}

function readArguments(text: string): ExactJson | null {
  const value = parsedJson(text);
  return value === undefined || isDeeper(value, MOST_LEVELS) ? null : value;
}

/** Equal answers have equal keys, whatever the order of a call's arguments. */
export function answerKey(all: readonly Part[]): string {
  const parts = visibleParts(all);
  const [first] = parts;
  if (parts.length === 1 && first?.type === 'text') return `"${first.text}`;
  return JSON.stringify(parts.map(partKey));
}

export function partKey(part: Part): string {
  switch (part.type) {
    case 'tool_call': {
      const value = readArguments(part.arguments) ?? part.arguments;
      return `${part.type} ${part.name} ${valueKey(value)}`;
    }
    case 'json':
      return `${part.type} ${valueKey(part.value)}`;
    case 'image':
      return `${part.type} ${part.digest}`;
    default:
      return `${part.type} ${partText(part)}`;
  }
}

export function valueKey(value: ExactJson): string {
  return canonicalJson(value as Json);
}
