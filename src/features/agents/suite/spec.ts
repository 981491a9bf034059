import type { Settings } from '../../../project/settings.ts';
import { OWN_FACTS, isOwnFacts, type Answer, type Part } from '../../../types/answer.ts';
import { AGENT_PROGRAM } from '../../../types/model.ts';
import type { Scalar } from '../../../types/plain.ts';
import type { AgentRunFacts } from '../../../wording/agent-runs.ts';

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

type Network = 'off' | readonly string[];

export interface WorkspaceRules {
  /** A folder of the repository. Empty means the project's root. */
  from: string;
  /** Paths and patterns of files to add or replace. */
  with: readonly string[];
  /** Paths and patterns of files that only checks see. */
  hide: readonly string[];
  own: readonly string[];
  /** Folder in the workspace → folder in the repository. */
  skills?: Readonly<Record<string, string>>;
  setup: { run: readonly string[]; network: Network };
  network: Network;
}

/** Every field is part of the key under which a run is stored. */
export interface SuiteSpec {
  agent: AgentName;
  version: string | null;
  command: readonly string[];
  /** Only for your own agents. Absent if unknown. */
  skillTool?: { name: string; argument: string };
  model: string;
  at: string;
  /** Names of further models, by the vendor's names. */
  models: readonly string[];
  /** Names of request contents that the gateway would refuse. */
  allow: readonly string[];
  workspace: WorkspaceRules;
  limits: { turns: number; minutes: number; usd: number };
}

export interface AgentSpec extends SuiteSpec {
  /** Command lines that run after the agent. */
  checks: readonly string[];
  /** Paths of files that `files` metrics read after the run. */
  watch: readonly string[];
}

export interface Task {
  task: string;
  /**
   * The skill that the agent should choose; null for none. Absent unless this is a trigger test.
   */
  trigger?: string | null;
  files?: Readonly<Record<string, string>>;
}

export interface AgentFacts extends AgentRunFacts {
  version: string | null;
  /** Equal if two runs sent the model the same requests. */
  requests: string;
  /** Tokens that every request contains: instruction files and skill descriptions. */
  context: number;
  files: readonly { path: string; kind: 'added' | 'changed' | 'deleted' }[];
  watched: Readonly<Record<string, string | null>>;
  skills: readonly string[];
  /** Set if the agent may have used a skill by a tool that evaldiff does not know. */
  isSkillToolUnknown?: true;
  /** Changed instruction files of the workspace, and whether the model got their changes. */
  read?: Readonly<Record<string, boolean>>;
  /** Where the canary, a fake API key, was found. */
  leaks: readonly string[];
}

export function agentCommand(spec: SuiteSpec): string[] {
  return [AGENT_PROGRAM, JSON.stringify(spec)];
}

const RUN = 'run ';
const READ = 'read ';

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
  const after = (start: string) =>
    afterwards.filter((word) => word.startsWith(start)).map((word) => word.slice(start.length));
  return {
    ...(JSON.parse(json) as SuiteSpec),
    checks: after(RUN),
    watch: after(READ),
  };
}

/** The agent that works on a suite. Null if a model answers its prompt. */
export function agentOf(
  { model }: { model: string | null },
  { models }: Settings,
): AgentSpec | null {
  return specOf(models.get(model ?? '')?.command ?? []);
}

export function taskVariables({ task, trigger, files = {} }: Task): Record<string, Scalar> {
  return {
    task,
    ...(trigger !== undefined && { trigger: trigger ?? NO_SKILL }),
    ...(Object.keys(files).length !== 0 && { files: JSON.stringify(files) }),
  };
}

const NO_SKILL = 'none';

export function taskOf({ task = '', trigger, files }: Readonly<Record<string, Scalar>>): Task {
  return {
    task: String(task),
    ...(trigger !== undefined && { trigger: trigger === NO_SKILL ? null : String(trigger) }),
    ...(files !== undefined && { files: JSON.parse(String(files)) as Record<string, string> }),
  };
}

/** Has the type `unknown`, because a `json` part would count as text of the answer. */
export function factsPart(facts: AgentFacts): Part {
  return { type: 'unknown', kind: OWN_FACTS, json: JSON.stringify(facts) };
}

export function factsIn({ parts }: Pick<Answer, 'parts'>): AgentFacts | null {
  for (const part of parts)
    if (part.type === 'unknown' && isOwnFacts(part)) return JSON.parse(part.json) as AgentFacts;
  return null;
}
