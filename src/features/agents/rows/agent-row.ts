import type { Json, JsonMap } from '../../../types/plain.ts';
import type { AgentName, AgentSpec } from '../suite/spec.ts';
import type { Normaliser } from './normaliser.ts';

/** An API that an agent calls. `openai`: Responses and Chat Completions. */
type AgentWire = 'anthropic' | 'openai' | 'gemini';

export type AgentEvent =
  | { kind: 'message'; text: string; isPiece?: true }
  /** A second call with the same id completes the first. */
  | { kind: 'tool_call'; id: string | null; name: string; input: Json }
  /** `id` null: the result of the latest call. */
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
  /** Null: the suite names the command. */
  npm: CliPackage | null;
  /** The version that `npm run test:agents` uses; the default of a suite. */
  version: string | null;
  /** `acp`: JSON-RPC over stdin and stdout. `lines`: the task is an argument; stdout has events. */
  protocol: 'acp' | 'lines';
  wires: readonly AgentWire[];
  /** The status that makes the CLI stop, rather than retry, when a cap is reached. */
  refusal: 400 | 403;
  /** Globs of files that are in every first request, as observed on the wire. */
  instructionFiles: readonly string[];
  /** Folders whose `NAME/SKILL.md` is offered to the model, as observed. Null: unknown. */
  skillFolders: readonly string[] | null;
  /** Null: skills are used by reading their files. */
  skillTool: { name: string; argument: string } | null;
  /** Files that the CLI writes into the workspace by itself. */
  ownFiles?: readonly string[];
  /**
   * In addition to the common ones. Null: the normalisers of all rows, because any CLI can be
   * behind it.
   */
  normalisers: readonly Normaliser[] | null;
  start(run: RunSetup): AgentStart;
  /** The events of one JSON object of stdout. */
  read(line: JsonMap): AgentEvent[];
  /** Absent: other lines of stdout are ignored. */
  readText?(line: string): AgentEvent[];
}
