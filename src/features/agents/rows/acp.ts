import { isMap, type Json, type JsonMap } from '../../../types/plain.ts';
import type { AgentEvent, AgentRow } from './agent-row.ts';
import { modelVariables } from './command.ts';
import { listIn, mapIn, textIn } from './fields.ts';

interface AcpCall {
  id: string;
  title: string;
  kind: string;
}

type AcpRow = Omit<AgentRow, 'protocol' | 'read'> & {
  /** The protocol has no field for a tool's name. Null: use the call's kind or title. */
  toolOf?(call: AcpCall): { name: string; input?: JsonMap } | null;
};

export function acpRow({ toolOf = () => null, ...row }: AcpRow): AgentRow {
  return { ...row, protocol: 'acp', read: (line) => readAcp(line, toolOf) };
}

export const acp = acpRow({
  name: 'acp',
  npm: null,
  version: null,
  wires: ['anthropic', 'openai', 'gemini'],
  refusal: 400,
  instructionFiles: ['AGENTS.md'],
  skillFolders: null,
  skillTool: { name: 'skill', argument: 'name' },
  normalisers: null,
  start: (run) => ({ command: [...run.spec.command], env: modelVariables(run), home: {} }),
});

function readAcp(line: JsonMap, toolOf: NonNullable<AcpRow['toolOf']>): AgentEvent[] {
  const params = mapIn(line, 'params');
  // Some agents announce a call only by requesting permission.
  if (line['method'] === 'session/request_permission')
    return callEvents(mapIn(params, 'toolCall'), toolOf);
  if (line['method'] === 'session/update') return updateEvents(mapIn(params, 'update'), toolOf);
  if ('method' in line) return [];
  if (isMap(line['error']))
    return [{ kind: 'end', ok: false, why: textIn(line['error'], 'message') }];
  const stop = textIn(mapIn(line, 'result'), 'stopReason');
  return stop === null ? [] : [{ kind: 'end', ok: stop === 'end_turn', why: stop }];
}

function updateEvents(update: JsonMap, toolOf: NonNullable<AcpRow['toolOf']>): AgentEvent[] {
  switch (update['sessionUpdate']) {
    case 'agent_message_chunk': {
      const text = textIn(mapIn(update, 'content'), 'text');
      return text === null ? [] : [{ kind: 'message', text, isPiece: true }];
    }
    case 'tool_call':
    case 'tool_call_update':
      return callEvents(update, toolOf);
    default:
      return [];
  }
}

function callEvents(call: JsonMap, toolOf: NonNullable<AcpRow['toolOf']>): AgentEvent[] {
  const id = textIn(call, 'toolCallId') ?? '';
  const [title, kind] = [textIn(call, 'title') ?? '', textIn(call, 'kind') ?? 'other'];
  const tool = toolOf({ id, title, kind });
  const name = tool?.name ?? (kind === 'other' ? title : kind);
  const event: AgentEvent = { kind: 'tool_call', id, name, input: rawInput(call, tool?.input) };
  if (call['status'] !== 'completed' && call['status'] !== 'failed') return [event];
  return [event, { kind: 'tool_result', id, output: toolOutput(call) }];
}

function rawInput(call: JsonMap, own: JsonMap | undefined): Json {
  if (own !== undefined) return own;
  if (isMap(call['rawInput'])) return call['rawInput'];
  const path = listIn(call, 'locations').flatMap((place) => textIn(place, 'path') ?? []);
  const text = listIn(call, 'content').flatMap((part) => textIn(part, 'newText') ?? []);
  const shown = { title: textIn(call, 'title') ?? '', path: path[0], content: text[0] };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value)) as JsonMap;
}

function toolOutput(call: JsonMap): string {
  const texts = listIn(call, 'content').flatMap(
    (part) => textIn(mapIn(part, 'content'), 'text') ?? [],
  );
  const raw = mapIn(call, 'rawOutput');
  return texts.length > 0
    ? texts.join('\n')
    : (textIn(raw, 'content') ?? textIn(raw, 'output') ?? '');
}
