import { readAcp } from './acp.ts';
import type { AgentRow } from './agent-row.ts';

/** Only the first match is replaced, so a copy in an instruction file hides nothing. */
const SESSION =
  /(?<=\n<session_context>\nSession folder: \/home\/agent\/\.copilot\/session-state\/)[\da-f-]{36}(?=\n)/;

const TIME = /(?<=^<current_datetime>)[\dT:.Z+-]+(?=<)/;

export const copilot: AgentRow = {
  name: 'copilot',
  npm: { package: '@github/copilot', bin: 'copilot', oldest: '1.0.80' },
  version: '1.0.102',
  protocol: 'acp',
  wires: ['openai', 'anthropic'],
  refusal: 400,
  instructionFiles: [
    ...['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', '.claude/rules/**/*.md'],
    ...['.github/copilot-instructions.md', '.github/instructions/**/*.instructions.md'],
  ],
  skillFolders: ['.github/skills', '.claude/skills', '.agents/skills'],
  skillTool: { name: 'skill', argument: 'skill' },
  clientValues: [
    // the folder of the session
    { at: 'messages.0.content', text: SESSION },
    // the folder of the session
    { at: 'system.1.text', text: SESSION },
    // the time, before the task
    { at: 'messages.1.content', text: TIME },
    // the time, before the task
    { at: 'messages.0.content.0.text', text: TIME },
  ],
  start: ({ spec, bin, url, token }) => ({
    command: [...bin, '--acp', '--allow-all-tools', '--no-auto-update', '--disable-builtin-mcps'],
    env: {
      COPILOT_PROVIDER_BASE_URL: spec.at === 'anthropic' ? url : `${url}/v1`,
      COPILOT_PROVIDER_TYPE: spec.at === 'anthropic' ? 'anthropic' : 'openai',
      COPILOT_PROVIDER_API_KEY: token,
      COPILOT_MODEL: spec.model,
      COPILOT_OFFLINE: 'true',
    },
    home: {},
  }),
  read: readAcp,
};
