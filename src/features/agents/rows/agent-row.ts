import type { Json, JsonMap } from '../../../types/plain.ts';
import type { AgentName, AgentSpec } from '../suite/spec.ts';
import type { Normaliser } from './normaliser.ts';

/** An API that an agent calls. `openai` is Responses and Chat Completions. */
export type Wire = 'anthropic' | 'openai' | 'gemini';

export type AgentEvent =
  | { kind: 'message'; text: string; isPiece?: true }
  /** A second event with the same id completes the first call. */
  | { kind: 'tool_call'; id: string | null; name: string; input: Json }
  /** A null `id` means the latest call. */
  | { kind: 'tool_result'; id: string | null; output: string }
  | { kind: 'end'; ok: boolean; why: string | null };

export interface RunSetup {
  spec: Pick<AgentSpec, 'command' | 'model' | 'at' | 'workspace'>;
  /** Program and first arguments. Empty for the agents `acp` and `command`. */
  bin: readonly string[];
  task: string;
  /** The gateway's address inside the sandbox, without a path. */
  url: string;
  token: string;
  home: string;
  work: string;
}

interface AgentStart {
  command: string[];
  env: Record<string, string>;
  home: Record<string, string>;
}

interface CliPackage {
  package: string;
  bin: string;
  /** The oldest version that passed `npm run test:agents`. */
  oldest: string;
}

export interface AgentRow {
  name: AgentName;
  /** Null if the suite names the command. */
  npm: CliPackage | null;
  /** The version that `npm run test:agents` uses, and the default of a suite. */
  version: string | null;
  /**
   * `acp`: JSON-RPC over stdin and stdout. `lines`: the task is an argument, events are lines of
   * stdout.
   */
  protocol: 'acp' | 'lines';
  wires: readonly Wire[];
  refusal: 400 | 403;
  /** Globs of files that are in every first request, as observed in requests. */
  instructionFiles: readonly string[];
  /**
   * Folders whose skills (`NAME/SKILL.md`) the agent offers, as observed in requests. Null if
   * unknown.
   */
  skillFolders: readonly string[] | null;
  /** Null if the agent uses a skill by reading its file. */
  skillTool: { name: string; argument: string } | null;
  /** Files that the CLI itself writes into the workspace. */
  ownFiles?: readonly string[];
  /** Added to the common ones. Null for all, because a custom command may start any CLI. */
  normalisers: readonly Normaliser[] | null;
  start(run: RunSetup): AgentStart;
  read(line: JsonMap): AgentEvent[];
  readText?(line: string): AgentEvent[];
}
