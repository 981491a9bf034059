import { readAcp } from './acp.ts';
import type { AgentRow } from './agent-row.ts';

const MODEL = 'evaldiff/model';

export const opencode: AgentRow = {
  name: 'opencode',
  npm: { package: 'opencode-ai', bin: 'opencode', oldest: '1.15.3' },
  version: '1.18.33',
  protocol: 'acp',
  wires: ['openai', 'anthropic'],
  refusal: 400,
  // The CLI reads CLAUDE.md only if there is no AGENTS.md.
  instructionFiles: ['AGENTS.md', 'CLAUDE.md'],
  skillFolders: ['.opencode/skill', '.opencode/skills', '.claude/skills', '.agents/skills'],
  skillTool: { name: 'skill', argument: 'name' },
  ownFiles: ['.opencode/.gitignore'],
  clientValues: [],
  start: ({ spec, bin, url, token }) => ({
    command: [...bin, 'acp'],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        model: MODEL,
        small_model: MODEL,
        provider: {
          evaldiff: {
            npm: spec.at === 'anthropic' ? '@ai-sdk/anthropic' : '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: token },
            models: { model: { id: spec.model, limit: { context: 200_000, output: 8192 } } },
          },
        },
        permission: {
          ...{ bash: 'allow', edit: 'allow' },
          webfetch: spec.workspace.network === 'off' ? 'deny' : 'allow',
        },
      }),
    },
    home: {},
  }),
  read: readAcp,
};
