import { jsonText } from '../../../types/plain.ts';
import type { AgentRow, RunSetup } from './agent-row.ts';
import { textIn } from './fields.ts';

export function modelVariables({ spec, url, token }: RunSetup): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: token,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: token,
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: token,
    EVALDIFF_MODEL: spec.model,
  };
}

/** What is known of an agent that the suite gives as a command. */
export const OWN_AGENT = {
  npm: null,
  version: null,
  wires: ['anthropic', 'openai', 'gemini'],
  refusal: 400,
  instructionFiles: ['AGENTS.md'],
  skillFolders: null,
  skillTool: { name: 'skill', argument: 'name' },
  clientValues: [],
} as const;

/** A user's program. Its last argument is the task, and it prints JSON Lines. */
export const command: AgentRow = {
  ...OWN_AGENT,
  name: 'command',
  protocol: 'lines',
  start: (run) => ({
    command: [...run.spec.command, run.task],
    env: { ...modelVariables(run), EVALDIFF_TASK: run.task },
    home: {},
  }),
  read(line) {
    const id = textIn(line, 'id');
    switch (line['type']) {
      case 'message':
        return [{ kind: 'message', text: textIn(line, 'text') ?? '' }];
      case 'tool_call':
        return [
          { kind: 'tool_call', id, name: textIn(line, 'name') ?? '', input: line['input'] ?? {} },
        ];
      case 'tool_result':
        return [{ kind: 'tool_result', id, output: jsonText(line['output'] ?? '') }];
      case 'end':
        return [{ kind: 'end', ok: line['ok'] !== false, why: textIn(line, 'reason') }];
      default:
        return [];
    }
  },
};
