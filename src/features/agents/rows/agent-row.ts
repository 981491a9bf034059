import type { Json, JsonMap } from '../../../types/plain.ts';
import type { AgentName, AgentSpec } from '../suite/spec.ts';
import type { Normaliser } from './normaliser.ts';

/** An API that an agent calls. `openai`: Responses and Chat Completions. */
export type Wire = 'anthropic' | 'openai' | 'gemini';

export type AgentEvent =
  | { kind: 'message'; text: string; isPiece?: true }
  /** A second event with the same id completes the first call. */
  | { kind: 'tool_call'; id: string | null; name: string; input: Json }
  /** If `id` is null, this is the result of the latest call. */
  | { kind: 'tool_result'; id: string | null; output: string }
  | { kind: 'end'; ok: boolean; why: string | null };

export interface RunSetup {
  spec: Pick<AgentSpec, 'command' | 'model' | 'at' | 'workspace'>;
  /** Program and first arguments of the CLI. Empty for `acp` and `command`. */
  bin: readonly string[];
  task: string;
  /** The gateway's address inside the walls, without a path. */
  url: string;
  token: string;
  /** Absolute paths inside the walls. */
  home: string;
  work: string;
}

interface AgentStart {
  command: string[];
  env: Record<string, string>;
  /** Files of the new HOME: path → text. */
  home: Record<string, string>;
}

/** A CLI that npm installs. */
interface CliPackage {
  package: string;
  bin: string;
  /** The oldest version that `npm run test:agents` passed with. */
  oldest: string;
}

export interface AgentRow {
  name: AgentName;
  /** Null if the suite names the command. */
  npm: CliPackage | null;
  /** The version that `npm run test:agents` uses; the default of a suite. */
  version: string | null;
  /**
   * `acp`: JSON-RPC over stdin and stdout. `lines`: the task is an argument, and stdout contains
   * events.
   */
  protocol: 'acp' | 'lines';
  wires: readonly Wire[];
  /** The status that makes the CLI stop instead of retrying when a cap is reached. */
  refusal: 400 | 403;
  /** Globs of files whose text is in every first request, as observed in requests. */
  instructionFiles: readonly string[];
  /**
   * The agent offers each `NAME/SKILL.md` in these folders to the model, as observed in requests.
   * Null if unknown.
   */
  skillFolders: readonly string[] | null;
  /** Null if the agent uses skills by reading their files. */
  skillTool: { name: string; argument: string } | null;
  /** Files that the CLI writes into the workspace by itself. */
  ownFiles?: readonly string[];
  /**
   * Used in addition to the common ones. Null uses the normalisers of all rows, because any CLI can
   * run behind the command.
   */
  normalisers: readonly Normaliser[] | null;
  start(run: RunSetup): AgentStart;
  /** Returns the events of one JSON object on stdout. */
  read(line: JsonMap): AgentEvent[];
  /** Absent: other lines of stdout are ignored. */
  readText?(line: string): AgentEvent[];
}
