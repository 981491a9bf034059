import { acpRow } from './acp.ts';
import { SESSION_FOLDERS } from './normaliser.ts';

export const copilot = acpRow({
  name: 'copilot',
  npm: { package: '@github/copilot', bin: 'copilot', oldest: '1.0.80' },
  version: '1.0.102',
  wires: ['openai', 'anthropic'],
  refusal: 400,
  instructionFiles: [
    ...['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', '.claude/rules/**/*.md'],
    ...['.github/copilot-instructions.md', '.github/instructions/**/*.instructions.md'],
  ],
  skillFolders: ['.github/skills', '.claude/skills', '.agents/skills'],
  skillTool: { name: 'skill', argument: 'skill' },
  normalisers: [
    SESSION_FOLDERS,
    { why: 'the time of the task', text: /(?<=<current_datetime>)[^<]{1,40}/g, in: 'messages' },
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
  toolOf({ title }) {
    const skill = /^Using skill: (.+)$/.exec(title)?.[1];
    return skill === undefined ? null : { name: 'skill', input: { skill } };
  },
});
