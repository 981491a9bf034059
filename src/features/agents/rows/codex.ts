import type { JsonMap } from '../../../types/plain.ts';
import { isGranted } from '../suite/network.ts';
import type { AgentEvent, AgentRow } from './agent-row.ts';
import { mapIn, textIn } from './fields.ts';
import { SESSION_FIELDS, SESSION_FOLDERS } from './normaliser.ts';

const KEY_VARIABLE = 'EVALDIFF_GATEWAY_TOKEN';

export const codex: AgentRow = {
  name: 'codex',
  npm: { package: '@openai/codex', bin: 'codex', oldest: '0.122.0' },
  version: '0.171.0',
  protocol: 'lines',
  wires: ['openai'],
  refusal: 400,
  // AGENTS.override.md replaces AGENTS.md.
  instructionFiles: ['AGENTS.md', 'AGENTS.override.md'],
  skillFolders: ['.agents/skills', '.codex/skills'],
  skillTool: null,
  normalisers: [
    ...[SESSION_FIELDS, SESSION_FOLDERS],
    { why: 'number of an output', text: /Chunk ID: \w+/g, in: 'results' },
    { why: 'duration', text: /Wall time: [\d.]+ seconds/g, in: 'results' },
  ],
  start: ({ spec, bin, task, url, token, home }) => ({
    command: [
      ...[...bin, 'exec', '--json', '--ephemeral', '--skip-git-repo-check', '-m', spec.model],
      // codex's own sandbox cannot start inside ours.
      ...['-s', 'danger-full-access', '-c', 'model_provider="evaldiff"', '-c'],
      `model_providers.evaldiff={name="evaldiff",base_url="${url}/v1",` +
        `env_key="${KEY_VARIABLE}",wire_api="responses"}`,
      ...(isGranted(spec.workspace.network, 'web_search') ? [] : ['-c', 'web_search="disabled"']),
      ...['--', task],
    ],
    env: { [KEY_VARIABLE]: token, CODEX_HOME: `${home}/.codex` },
    home: { '.codex/config.toml': '' },
  }),
  read(line) {
    switch (line['type']) {
      case 'item.completed':
        return eventsOf(mapIn(line, 'item'));
      case 'turn.completed':
        return [{ kind: 'end', ok: true, why: null }];
      case 'turn.failed':
        return [{ kind: 'end', ok: false, why: textIn(mapIn(line, 'error'), 'message') }];
      default:
        return [];
    }
  },
};

function eventsOf(item: JsonMap): AgentEvent[] {
  const id = textIn(item, 'id');
  const call = (name: string, input: JsonMap, output: string | null): AgentEvent[] => [
    { kind: 'tool_call', id, name, input },
    ...(output === null ? [] : [{ kind: 'tool_result', id, output } as const]),
  ];
  switch (item['type']) {
    case 'agent_message':
      return [{ kind: 'message', text: textIn(item, 'text') ?? '' }];
    case 'command_execution':
      return call('shell', { command: item['command'] ?? '' }, textIn(item, 'aggregated_output'));
    case 'file_change':
      return call('file_change', { changes: item['changes'] ?? [] }, textIn(item, 'status'));
    case 'mcp_tool_call':
      return call(textIn(item, 'tool') ?? 'mcp', mapIn(item, 'arguments'), null);
    case 'web_search':
      return call('web_search', { query: item['query'] ?? '' }, null);
    default:
      return [];
  }
}
