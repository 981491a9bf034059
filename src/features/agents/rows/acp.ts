import { isMap, type JsonMap } from '../../../types/plain.ts';
import type { AgentEvent, AgentRow } from './agent-row.ts';
import { modelVariables, OWN_AGENT } from './command.ts';
import { mapIn, textIn } from './fields.ts';

export const acp: AgentRow = {
  ...OWN_AGENT,
  name: 'acp',
  protocol: 'acp',
  start: (run) => ({ command: [...run.spec.command], env: modelVariables(run), home: {} }),
  read: readAcp,
};

/**
 * Messages of the Agent Client Protocol. Its tool calls have titles but no names, so the calls are
 * those that the model makes.
 */
export function readAcp(line: JsonMap): AgentEvent[] {
  if (isMap(line['error']))
    return [{ kind: 'end', ok: false, why: textIn(line['error'], 'message') }];
  const stop = textIn(mapIn(line, 'result'), 'stopReason');
  if (stop !== null) return [{ kind: 'end', ok: stop === 'end_turn', why: stop }];
  const update = mapIn(mapIn(line, 'params'), 'update');
  const text = textIn(mapIn(update, 'content'), 'text');
  if (update['sessionUpdate'] !== 'agent_message_chunk' || text === null) return [];
  return [{ kind: 'message', text, isPiece: true }];
}
