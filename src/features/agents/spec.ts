import { AGENT_PROGRAM } from '../../types/model.ts';
import type { Json, Scalar } from '../../types/plain.ts';

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
  /** Paths and patterns from the project's root, laid on top. */
  with: readonly string[];
  /** Paths and patterns from the project's root. Never inside. */
  hide: readonly string[];
  /** Command lines, run in the workspace before the agent. */
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

/** An agent and its conditions. All of it is part of the key of a run. */
export interface AgentSpec {
  agent: AgentName;
  /** Pinned version of the CLI. Null for `acp` and `command`. */
  version: string | null;
  /** For `acp` and `command`; else empty. */
  command: readonly string[];
  /** As sent to the vendor. */
  model: string;
  /** The vendor, or the endpoint of the workflow, that has the model. */
  at: string;
  workspace: WorkspaceRules;
  limits: RunLimits;
  /** Commands of `runs` metrics. They run afterwards, in a clean tree with the agent's changes. */
  checks: readonly Check[];
}

export interface Task {
  task: string;
  /** A skill that the agent should choose, or null for none. Absent: not a trigger test. */
  trigger?: string | null;
  /** Path in the workspace → path in the tree. */
  files?: Readonly<Record<string, string>>;
}

/** What a run reports beside its text, files and steps, as the `json` part of its answer. */
export interface AgentFacts {
  version: string | null;
  ended: 'done' | 'decided' | 'turns' | 'usd' | 'stopped';
  turns: number;
  calls: number;
  seconds: number;
  /** Null: the price is unknown. */
  usd: number | null;
  /** Changed files. */
  files: readonly { path: string; kind: 'added' | 'changed' | 'deleted' }[];
  checks: readonly CheckResult[];
  /** Names of the skills that the agent used, in order. */
  skills: readonly string[];
}

export interface CheckResult {
  name: string;
  /** Exit code. Null: it was killed. */
  code: number | null;
  output: string;
  timedOut?: true;
}

export function agentCommand(spec: AgentSpec): string[] {
  return [AGENT_PROGRAM, JSON.stringify(spec)];
}

export function specOf(command: readonly string[]): AgentSpec | null {
  const [first, json = ''] = command;
  return first === AGENT_PROGRAM ? (JSON.parse(json) as AgentSpec) : null;
}

/** A task as variables of a reference. No trigger: ''. A trigger of null: `none`. */
export function taskVariables({ task, trigger, files = {} }: Task): Record<string, Scalar> {
  return {
    task,
    trigger: trigger === undefined ? '' : (trigger ?? 'none'),
    files: Object.keys(files).length === 0 ? '' : JSON.stringify(files),
  };
}

export function taskOf(variables: Readonly<Record<string, Scalar>>): Task {
  const { task = '', trigger = '', files = '' } = variables;
  return {
    task: String(task),
    ...(trigger === '' ? {} : { trigger: trigger === 'none' ? null : String(trigger) }),
    ...(files === '' ? {} : { files: JSON.parse(String(files)) as Record<string, string> }),
  };
}

/** The facts in an answer's `json` part. Null: the answer is not an agent's. */
export function factsIn(parts: readonly { type: string; value?: Json }[]): AgentFacts | null {
  for (const { type, value } of parts)
    if (type === 'json' && value !== null && typeof value === 'object' && 'agent' in value)
      return value['agent'] as unknown as AgentFacts;
  return null;
}
