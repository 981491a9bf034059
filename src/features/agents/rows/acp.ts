import { isMap, type JsonMap } from '../../../types/plain.ts';
import type { AgentEvent, AgentRow } from './agent-row.ts';
import { modelVariables } from './command.ts';
import { listIn, mapIn, textIn } from './fields.ts';

export const acp: AgentRow = {
  name: 'acp',
  npm: null,
  version: null,
  protocol: 'acp',
  wires: ['anthropic', 'openai', 'gemini'],
  refusal: 400,
  instructionFiles: ['AGENTS.md'],
  skillFolders: null,
  skillTool: { name: 'skill', argument: 'name' },
  clientValues: [],
  start: (run) => ({ command: [...run.spec.command], env: modelVariables(run), home: {} }),
  read: readAcp,
};

/** Messages of the Agent Client Protocol. */
export function readAcp(line: JsonMap): AgentEvent[] {
  const params = mapIn(line, 'params');
  // Some agents announce a call only by requesting permission.
  if (line['method'] === 'session/request_permission') return callEvents(mapIn(params, 'toolCall'));
  if (line['method'] === 'session/update') return updateEvents(mapIn(params, 'update'));
  if ('method' in line) return [];
  if (isMap(line['error']))
    return [{ kind: 'end', ok: false, why: textIn(line['error'], 'message') }];
  const stop = textIn(mapIn(line, 'result'), 'stopReason');
  return stop === null ? [] : [{ kind: 'end', ok: stop === 'end_turn', why: stop }];
}

function updateEvents(update: JsonMap): AgentEvent[] {
  const kind = textIn(update, 'sessionUpdate') ?? '';
  if (kind.startsWith('tool_call')) return callEvents(update);
  const text = textIn(mapIn(update, 'content'), 'text');
  return kind !== 'agent_message_chunk' || text === null
    ? []
    : [{ kind: 'message', text, isPiece: true }];
}

/** The protocol has no field for a tool's name, so that is the call's kind or title. */
function callEvents(call: JsonMap): AgentEvent[] {
  const id = textIn(call, 'toolCallId') ?? '';
  const [title, kind] = [textIn(call, 'title') ?? '', textIn(call, 'kind') ?? 'other'];
  const name = kind === 'other' ? title : kind;
  const input = call['rawInput'] ?? { title };
  const event: AgentEvent = { kind: 'tool_call', id, name, input };
  if (call['status'] !== 'completed' && call['status'] !== 'failed') return [event];
  const output = listIn(call, 'content').map((part) => textIn(mapIn(part, 'content'), 'text'));
  return [event, { kind: 'tool_result', id, output: output.join('\n') }];
}
