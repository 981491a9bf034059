import { OWN_FACTS, isOwnFacts, type Answer, type Part } from '../../../types/answer.ts';
import { AGENT_PROGRAM } from '../../../types/model.ts';
import type { Scalar } from '../../../types/plain.ts';

export const AGENT_NAMES = [
  'claude-code',
  'codex',
  'gemini-cli',
  'copilot',
  'opencode',
  'acp',
  'command',
] as const;

export type AgentName = (typeof AGENT_NAMES)[number];

export interface WorkspaceRules {
  /** Folder of the tree, or '' for the project. */
  from: string;
  /** Paths and patterns from the project's root. Their files are added and replace others. */
  with: readonly string[];
  /**
   * Paths and patterns from the project's root. Their files are only in the clean tree of checks,
   * never in the workspace.
   */
  hide: readonly string[];
  /** Patterns of the suite's files, which no tree contains. */
  own: readonly string[];
  /** Folder of the workspace → folder of the tree, '' for the project. Absent if there are none. */
  skills?: Readonly<Record<string, string>>;
  /** Command lines to run in the workspace before the agent. */
  setup: readonly string[];
  /** Hosts that the agent's processes may reach. */
  network: 'off' | readonly string[];
}

export interface RunLimits {
  turns: number;
  minutes: number;
  usd: number;
}

export interface Check {
  name: string;
  run: string;
}

/** An agent and its conditions. All fields are part of the key of a run. */
export interface AgentSpec {
  agent: AgentName;
  /** Pinned version of the CLI. Null for `acp` and `command`. */
  version: string | null;
  /** For `acp` and `command`; otherwise empty. */
  command: readonly string[];
  /** The model's name as it is sent to the vendor. */
  model: string;
  /** The vendor, or the endpoint of the workflow, that offers the model. */
  at: string;
  workspace: WorkspaceRules;
  limits: RunLimits;
  /** Commands of `runs` metrics. They run after the agent, in a clean tree with its changes. */
  checks: readonly Check[];
  /** Paths in the workspace. `files` metrics read the text there after the run. */
  watch: readonly string[];
}

export interface Task {
  task: string;
  /**
   * A skill that the agent should choose, or null if it should choose none. Absent if this is not a
   * trigger test.
   */
  trigger?: string | null;
  /** Path in the workspace → path in the tree. */
  files?: Readonly<Record<string, string>>;
}

/** What a run reports in addition to its last message, files and steps. */
export interface AgentFacts {
  version: string | null;
  /** `decided`: cut after the first decision. `turns` and `usd`: stopped at that limit. */
  ended: 'done' | 'decided' | 'turns' | 'usd';
  /** Number of model calls. */
  turns: number;
  /** Number of tool calls. */
  calls: number;
  /** Null if some calls were replayed. */
  seconds: number | null;
  /** Null if the price is unknown. */
  usd: number | null;
  /** Tokens of the instruction files and skill descriptions that the agent always loads. */
  context: number;
  /** Changed files. */
  files: readonly { path: string; kind: 'added' | 'changed' | 'deleted' }[];
  /** Text of watched files after the run. Null for a missing file. */
  watched: Readonly<Record<string, string | null>>;
  checks: readonly CheckResult[];
  /** Names of the skills that the agent used, in order. */
  skills: readonly string[];
  /** Places where the false key of the agent's environment was seen. */
  leaks: readonly string[];
}

export interface CheckResult {
  name: string;
  /** Exit code. Null if the process was killed. */
  code: number | null;
  output: string;
  timedOut?: true;
}

export function agentCommand(spec: Omit<AgentSpec, 'checks' | 'watch'>): string[] {
  return [AGENT_PROGRAM, JSON.stringify(spec)];
}

const RUN = 'run ';
const READ = 'read ';

/** Additional words of the command, for `checks` and `watch`. */
export function afterwardsWords(
  runs: readonly string[],
  paths: readonly string[],
): readonly string[] {
  const words = [...runs.map((run) => `${RUN}${run}`), ...paths.map((path) => `${READ}${path}`)];
  return [...new Set(words)].sort();
}

export function specOf(command: readonly string[]): AgentSpec | null {
  const [first, json = '', ...afterwards] = command;
  if (first !== AGENT_PROGRAM) return null;
  const after = (start: string): string[] =>
    afterwards.filter((word) => word.startsWith(start)).map((word) => word.slice(start.length));
  return {
    ...(JSON.parse(json) as Omit<AgentSpec, 'checks' | 'watch'>),
    checks: after(RUN).map((run) => ({ name: run, run })),
    watch: after(READ),
  };
}

/** Writes a task as variables of a reference. A null trigger is written `none`. */
export function taskVariables({ task, trigger, files = {} }: Task): Record<string, Scalar> {
  return {
    task,
    ...(trigger === undefined ? {} : { trigger: trigger ?? NO_SKILL }),
    ...(Object.keys(files).length === 0 ? {} : { files: JSON.stringify(files) }),
  };
}

const NO_SKILL = 'none';

export function taskOf({ task = '', trigger, files }: Readonly<Record<string, Scalar>>): Task {
  return {
    task: String(task),
    ...(trigger === undefined ? {} : { trigger: trigger === NO_SKILL ? null : String(trigger) }),
    ...(files === undefined ? {} : { files: JSON.parse(String(files)) as Record<string, string> }),
  };
}

/** Makes no `json` part, because such a part belongs to the answer's text. */
export function factsPart(facts: AgentFacts): Part {
  return { type: 'unknown', kind: OWN_FACTS, json: JSON.stringify(facts) };
}

/** Null if the answer is not an agent's. */
export function factsIn({ parts }: Pick<Answer, 'parts'>): AgentFacts | null {
  for (const part of parts)
    if (part.type === 'unknown' && isOwnFacts(part)) return JSON.parse(part.json) as AgentFacts;
  return null;
}
