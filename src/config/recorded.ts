import { z } from 'zod';
import type { Field } from '../documents/document.ts';
import { toolMessage } from '../metrics/transcript.ts';
import { callId, type ToolCall } from '../types/answer.ts';
import { ROLE_NAMES, type Message, type Role } from '../types/model.ts';
import {
  filledText,
  isMap,
  jsonText,
  ownEntry,
  parseMap,
  type Json,
  type JsonMap,
} from '../types/plain.ts';
import { anything, listOf } from './schema.ts';

const recordedMessage = z
  .looseObject(
    {
      role: anything()
        .describe('Role of the message: system, developer, user, assistant or tool.')
        .optional(),
      content: anything()
        .describe('The text, or a list of parts; may be missing if the message calls tools.')
        .optional(),
      tool_calls: anything().describe('The tool calls of the message.').optional(),
      tool_call_id: anything().describe("For the role tool: the call's id.").optional(),
    },
    { error: 'must be a map with role and content' },
  )
  .describe(
    "A message in the form of OpenAI, Anthropic or ShareGPT, or an item of OpenAI's Responses.",
  );

export const recordedMessages = () =>
  z.union([
    listOf(recordedMessage),
    z.strictObject({
      messages: listOf(recordedMessage).describe('The messages of the dialogue.'),
    }),
  ]);

/** Reports what cannot be read, at its line. */
export function readRecordedMessages(
  written: z.output<ReturnType<typeof recordedMessages>>,
  field: Field,
): Message[] {
  const items = Array.isArray(written) ? written : written.messages;
  const list = Array.isArray(written) ? field : field.at('messages');
  const read = items.map((item) => readTranscriptItem(item as JsonMap));
  const { messages, flaws } = pairCalls(read);
  const own = read.flatMap(({ flaw }, index) => (flaw === undefined ? [] : [{ ...flaw, index }]));
  for (const { index, key, message } of [...own, ...flaws]) {
    const at = key === undefined ? list.at(index) : list.at(index, key);
    at.refuse(`${at.name} ${message}`);
  }
  return messages;
}

interface ItemFlaw {
  message: string;
  key?: string;
}

interface ReadCall extends Omit<ToolCall, 'id'> {
  given: string | null;
}

interface ToolOutput {
  given: string | null;
  name: string | null;
  output: string;
}

interface ReadItem {
  role: 'system' | 'user' | 'assistant' | 'tool' | null;
  texts: string[];
  calls: ReadCall[];
  results: ToolOutput[];
  metadata: JsonMap;
  /** Part of the assistant's message before it. */
  continues?: true;
  flaw?: ItemFlaw;
}

const RECORDED_ROLES: Readonly<Record<string, ReadItem['role']>> = {
  ...ROLE_NAMES,
  developer: 'system',
  model: 'assistant',
  gpt: 'assistant',
  tool: 'tool',
  function: 'tool',
  observation: 'tool',
};

const NO_ITEM: Omit<ReadItem, 'role'> = { texts: [], calls: [], results: [], metadata: {} };

/** Reads a message in the form of any vendor, or an item of OpenAI's Responses. */
export function readTranscriptItem(item: JsonMap): ReadItem {
  const { role: written = item['from'], type } = item;
  if (item['role'] === undefined && typeof type === 'string') return readResponsesItem(item, type);
  if (written === undefined) return refusedItem('must be a map with role and content');
  if (written === 'function_call') {
    const call = item['value'] ?? item['content'];
    return readCalls(typeof call === 'string' ? parseMap(call) : call) ?? refusedItem(NO_CALL);
  }
  const role = ownEntry(RECORDED_ROLES, jsonText(written)) ?? null;
  if (role === null)
    return refusedItem(
      `has the role "${jsonText(written)}", which is not known; write system, developer, user, ` +
        'assistant or tool',
    );
  return role === 'tool' ? readToolMessage(item) : readMessage(item, role);
}

const OWN_KEYS = ['role', 'from', 'content', 'value', 'tool_calls', 'function_call'];

function otherKeys(item: JsonMap): JsonMap {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !OWN_KEYS.includes(key)));
}

function writtenContent({ content, value }: JsonMap): Json {
  return content ?? value ?? null;
}

function readToolMessage(item: JsonMap): ReadItem {
  const { tool_call_id: id, call_id, name } = item;
  const results = [outputOfTool(id ?? call_id, name, writtenContent(item))];
  return { ...NO_ITEM, results, role: 'tool', metadata: otherKeys(item) };
}

function readMessage(item: JsonMap, role: ReadItem['role']): ReadItem {
  const { tool_calls: calls, function_call: call } = item;
  const content = writtenContent(item);
  const read = typeof content === 'string' ? { texts: [content] } : readContentParts(content ?? []);
  const listed = [calls ?? [], call ?? []].flat().map(readCall);
  if (listed.includes(null) || isMap(calls)) return refusedItem(NO_CALL, 'tool_calls');
  const all: ReadItem = { ...NO_ITEM, ...read, role, metadata: otherKeys(item) };
  all.calls = [...all.calls, ...listed.filter((each) => each !== null)];
  const isEmpty = content === null && all.calls.length === 0;
  return isEmpty ? { ...all, flaw: { key: 'content', message: 'must be text' } } : all;
}

const NO_CALL = 'needs the name of the called tool, and its arguments';

function refusedItem(message: string, key?: string): ReadItem {
  return { ...NO_ITEM, role: null, flaw: { message, ...(key !== undefined && { key }) } };
}

/** Items of OpenAI's Responses API. */
function readResponsesItem(item: JsonMap, type: string): ReadItem {
  if (type === 'reasoning') return { ...NO_ITEM, role: null };
  if (type === 'function_call' || type === 'custom_tool_call')
    return readCalls(item) ?? refusedItem(NO_CALL);
  if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    const output = plainText(item['output'] ?? null);
    const given = filledText(item['call_id']);
    return { ...NO_ITEM, role: 'tool', results: [{ given, name: null, output }] };
  }
  return refusedItem(
    `is an item of type "${type}", which cannot be read; write a message with role and content`,
  );
}

function readCalls(written: Json | undefined): ReadItem | null {
  const call = readCall(written ?? null);
  return call && { ...NO_ITEM, role: 'assistant', calls: [call], continues: true };
}

/** A call in the form of any vendor. */
function readCall(written: Json): ReadCall | null {
  if (!isMap(written)) return null;
  const { function: called, ...own } = written;
  const { name, arguments: given, args, input } = isMap(called) ? called : own;
  if (typeof name !== 'string' || name === '') return null;
  const { type: _, name: __, arguments: ___, args: ____, input: _____, ...rest } = own;
  const values = given ?? args ?? input ?? {};
  return {
    given: filledText(own['call_id'] ?? own['id']),
    name,
    arguments: typeof values === 'string' ? values : JSON.stringify(values),
    ...(Object.keys(rest).length === 0 ? {} : { metadata: rest }),
  };
}

type ReadParts = Pick<ReadItem, 'texts' | 'calls' | 'results' | 'flaw'>;

function readContentParts(content: Json): ReadParts {
  if (!Array.isArray(content))
    return { ...NO_ITEM, flaw: { key: 'content', message: 'must be text, or a list of parts' } };
  const read: ReadParts = { texts: [], calls: [], results: [] };
  for (const part of content) {
    const found = readContentPart(part);
    if (typeof found === 'string') {
      read.flaw ??= { key: 'content', message: found };
      continue;
    }
    read.texts.push(...(found.texts ?? []));
    read.calls.push(...(found.calls ?? []));
    read.results.push(...(found.results ?? []));
  }
  return read;
}

const THOUGHT_TYPES = ['thinking', 'redacted_thinking', 'reasoning'];

function readContentPart(part: Json): Partial<ReadParts> | string {
  if (typeof part === 'string') return { texts: [part] };
  if (!isMap(part)) return 'has a part that is neither text nor a map';
  const type = jsonText(part['type'] ?? 'text');
  if (THOUGHT_TYPES.includes(type)) return {};
  if (type === 'tool_result')
    return { results: [outputOfTool(part['tool_use_id'], undefined, part['content'])] };
  if (type === 'tool_use') {
    const call = readCall(part);
    return call === null ? NO_CALL : { calls: [call] };
  }
  const said = part['text'] ?? part['refusal'] ?? (type === 'text' ? part['content'] : null);
  return typeof said === 'string'
    ? { texts: [said] }
    : `has a part of type "${type}", which a recorded dialogue cannot contain; write a ` +
        'text in its place, such as { type: text, text: "[image]" }';
}

function outputOfTool(
  id: Json | undefined,
  name: Json | undefined,
  output: Json | undefined,
): ToolOutput {
  return { given: filledText(id), name: filledText(name), output: plainText(output ?? '') };
}

function plainText(content: Json): string {
  if (content === null) return '';
  if (!Array.isArray(content)) return jsonText(content);
  const { texts, flaw } = readContentParts(content);
  return flaw === undefined && texts.length > 0 ? texts.join('\n') : JSON.stringify(content);
}

interface Paired {
  messages: Message[];
  calls: { own: ToolCall; given: string | null; answered: boolean }[];
  flaws: (ItemFlaw & { index: number })[];
}

/**
 * Gives each result the id of its call, and each call with a result an id. Results without an id
 * belong to the first open call with their name, or else to the first open call.
 */
function pairCalls(items: readonly ReadItem[]): Paired {
  const paired: Paired = { messages: [], calls: [], flaws: [] };
  for (const [index, item] of items.entries()) {
    for (const result of item.results) addResult(result, item, index, paired);
    const isOnlyResults = item.results.length > 0 && item.texts.length === 0;
    const { role } = item;
    if (role !== null && role !== 'tool' && !isOnlyResults) addMessage({ ...item, role }, paired);
  }
  return paired;
}

function addResult(
  { given, name, output }: ToolOutput,
  { role, metadata }: ReadItem,
  index: number,
  { messages, calls, flaws }: Paired,
): void {
  const call = callOf(given, name, calls);
  if (call === undefined)
    flaws.push(...missingCall(given, calls).map((message) => ({ index, message })));
  const ordinal = call === undefined ? calls.length : calls.indexOf(call);
  const id = call?.given ?? callId(ordinal + 1);
  if (call !== undefined) Object.assign(call, { answered: true }).own.id = id;
  const kept = role === 'tool' && Object.keys(metadata).length > 0 ? { metadata } : {};
  messages.push({ ...toolMessage(id, name ?? call?.own.name ?? 'tool', output), ...kept });
}

function callOf(
  id: string | null,
  name: string | null,
  calls: Paired['calls'],
): Paired['calls'][number] | undefined {
  const open = calls.filter(({ answered }) => !answered);
  return id === null
    ? (open.find(({ own }) => own.name === name) ?? open[0])
    : open.find((each) => each.given === id);
}

function addMessage(
  { role, texts, metadata, continues, ...item }: ReadItem & { role: Role },
  { messages, calls }: Paired,
): void {
  const made = item.calls.map(({ given, ...own }) => ({ own, given, answered: false }));
  calls.push(...made);
  const own = made.map((call) => call.own);
  const last = messages.at(-1);
  if (continues === true && last?.role === 'assistant') {
    last.tool_calls = [...(last.tool_calls ?? []), ...own];
    return;
  }
  const kept = Object.keys(metadata).length === 0 ? {} : { metadata };
  const content = texts.join('\n');
  const tool_calls = own.length === 0 ? {} : { tool_calls: own };
  messages.push(
    role === 'assistant' ? { role, content, ...tool_calls, ...kept } : { role, content, ...kept },
  );
}

/** FlexEval's files have results without any calls. */
function missingCall(id: string | null, calls: readonly { given: string | null }[]): string[] {
  if (id === null && calls.length === 0) return [];
  if (id === null)
    return [
      'is the result of a tool, but no message before it makes a call without a result; add the ' +
        "assistant's message with this call, or remove the result",
    ];
  return [
    calls.some(({ given }) => given === id)
      ? `is a second result of the call "${id}"; keep one`
      : `is the result of the call "${id}", but no message before it makes this call; add the ` +
        "assistant's message with this call, or remove the result",
  ];
}
