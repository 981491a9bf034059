import { isGranted } from '../suite/network.ts';
import type { AgentRow } from './agent-row.ts';
import { mapIn, textIn } from './fields.ts';

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
  clientValues: [
    // ids of the session
    { at: 'prompt_cache_key' },
    // ids of the session
    { at: 'client_metadata' },
    // ids of messages
    { at: 'input.*.type=message.id' },
    // ids of outputs
    { at: 'input.*.type=function_call_output.id' },
    // number of an output, before its text
    {
      at: 'input.*.type=function_call_output.output',
      text: /(?<=^Chunk ID: )[\da-f]+(?=\nWall time: )/,
    },
    // duration, before the text of an output
    {
      at: 'input.*.type=function_call_output.output',
      text: /(?<=^Chunk ID: [\da-f]*\nWall time: )[\d.]+(?= seconds\n)/,
    },
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
      case 'item.completed': {
        const { type, text } = mapIn(line, 'item');
        return type === 'agent_message' && typeof text === 'string'
          ? [{ kind: 'message', text }]
          : [];
      }
      case 'turn.completed':
        return [{ kind: 'end', ok: true, why: null }];
      case 'turn.failed':
        return [{ kind: 'end', ok: false, why: textIn(mapIn(line, 'error'), 'message') }];
      default:
        return [];
    }
  },
};
