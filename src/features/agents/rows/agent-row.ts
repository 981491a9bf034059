import type { Json, JsonMap } from '../../../types/plain.ts';
import type { AgentName, AgentSpec } from '../suite/spec.ts';

/** The API that an agent calls. `openai` means the Responses and Chat Completions APIs. */
export type Wire = 'anthropic' | 'openai' | 'gemini';

/** What an agent prints. Only the agent `command` reports tool calls. */
export type AgentEvent =
  | { kind: 'message'; text: string; isPiece?: true }
  | { kind: 'tool_call'; id: string | null; name: string; input: Json }
  /** A null `id` stands for the latest call without one. */
  | { kind: 'tool_result'; id: string | null; output: string }
  | { kind: 'end'; ok: boolean; why: string | null };

export interface RunSetup {
  spec: Pick<AgentSpec, 'command' | 'model' | 'at' | 'workspace'>;
  /** Empty for the agents `acp` and `command`. */
  bin: readonly string[];
  task: string;
  url: string;
  token: string;
  home: string;
}

interface AgentStart {
  command: string[];
  env: Record<string, string>;
  home: Record<string, string>;
}

/**
 * A value that a client generates and writes at a fixed place of its requests, as its recording in
 * fixtures/agents/requests shows. Keys of stored replies omit it.
 */
export interface ClientValue {
  /**
   * Keys from the request's root. `*` stands for every item of a list, and `name=run` for a map
   * whose `name` is `run`.
   */
  at: string;
  /** The value within the text at that place. If absent, all of it. */
  text?: RegExp;
}

interface CliPackage {
  package: string;
  bin: string;
  /** The oldest version that passes `npm run test:agents`. */
  oldest: string;
}

export interface AgentRow {
  name: AgentName;
  /** Null if the suite gives the command. */
  npm: CliPackage | null;
  /** The default version. */
  version: string | null;
  /** `acp`: JSON-RPC. `lines`: the task is an argument, and stdout has one event per line. */
  protocol: 'acp' | 'lines';
  wires: readonly Wire[];
  refusal: 400 | 403;
  /** Files whose text is in the first request of every run. Found by observing the agent. */
  instructionFiles: readonly string[];
  /** Folders in which the agent looks for skills, also found by observation. Null if unknown. */
  skillFolders: readonly string[] | null;
  /** Null if the agent has no tool for skills and reads the skills' files. */
  skillTool: { name: string; argument: string } | null;
  ownFiles?: readonly string[];
  clientValues: readonly ClientValue[];
  start(run: RunSetup): AgentStart;
  read(line: JsonMap): AgentEvent[];
}
