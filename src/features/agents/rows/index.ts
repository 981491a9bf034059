import type { AgentName } from '../suite/spec.ts';
import { acp } from './acp.ts';
import type { AgentRow } from './agent-row.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { command } from './command.ts';
import { copilot } from './copilot.ts';
import { geminiCli } from './gemini-cli.ts';
import { opencode } from './opencode.ts';

const AGENT_ROWS: Readonly<Record<AgentName, AgentRow>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
  copilot,
  opencode,
  acp,
  command,
};

export function agentRow(name: AgentName): AgentRow {
  return AGENT_ROWS[name];
}
