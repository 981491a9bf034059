import type { Step } from '../../../types/answer.ts';
import { isMap, jsonText, parseMap, type Json } from '../../../types/plain.ts';
import type { AgentEvent, AgentRow } from './agent-row.ts';

type CallStep = Extract<Step, { type: 'tool_call' }>;

/** What an agent's output says about its run. */
export interface Transcript {
  steps: Step[];
  /** The last message; empty if there is none. */
  last: string;
  /** Null: the output does not say how the run ended. */
  end: { ok: boolean; why: string | null } | null;
}

export function readTranscript(row: AgentRow, stdout: string): Transcript {
  const transcript: Transcript = { steps: [], last: '', end: null };
  const calls = new Map<string, CallStep>();
  let open: Extract<Step, { type: 'message' }> | null = null;
  for (const event of stdout.split('\n').flatMap((line) => eventsIn(row, line))) {
    if (event.kind === 'message' && event.isPiece && open !== null) open.text += event.text;
    else if (event.kind === 'message') {
      const step = { type: 'message', role: 'assistant', text: event.text } as const;
      transcript.steps.push((open = { ...step }));
    } else if (event.kind === 'end') transcript.end = { ok: event.ok, why: event.why };
    else {
      open = null;
      addCall(transcript.steps, calls, event);
    }
    if (event.kind === 'message' && !event.isPiece) open = null;
  }
  const steps = transcript.steps.filter((step) => step.type !== 'message' || step.text.trim());
  const last = steps.findLast((step) => step.type === 'message')?.text.trim() ?? '';
  return { ...transcript, steps, last };
}

function eventsIn(row: AgentRow, line: string): AgentEvent[] {
  const map = line.startsWith('{') ? parseMap(line) : null;
  if (map !== null) return row.read(map);
  return line === '' ? [] : (row.readText?.(line) ?? []);
}

function addCall(
  steps: Step[],
  calls: Map<string, CallStep>,
  event: Extract<AgentEvent, { kind: 'tool_call' | 'tool_result' }>,
): void {
  const known = event.id === null ? undefined : calls.get(event.id);
  if (event.kind === 'tool_result') {
    const call = known ?? (event.id === null ? lastCall(steps) : undefined);
    if (call !== undefined) call.result = event.output;
    return;
  }
  if (known !== undefined) {
    if (isFuller(event.input, known.arguments)) known.arguments = jsonText(event.input);
    return;
  }
  const { name, input } = event;
  const step: CallStep = { type: 'tool_call', name, arguments: jsonText(input), result: null };
  steps.push(step);
  if (event.id !== null) calls.set(event.id, step);
}

function lastCall(steps: readonly Step[]): CallStep | undefined {
  return steps.findLast((step): step is CallStep => step.type === 'tool_call');
}

/** Agents announce a call with few of its arguments, and repeat some of them at its end. */
function isFuller(input: Json, known: string): boolean {
  const before = parseMap(known);
  return before !== null && isMap(input) && Object.keys(input).length > Object.keys(before).length;
}

/** Names of the skills that the agent loaded by its tool or whose SKILL.md it opened, in order. */
export function skillsUsed(row: AgentRow, steps: readonly Step[]): string[] {
  const used = steps.flatMap((step) => (step.type === 'tool_call' ? skillsIn(row, step) : []));
  return [...new Set(used)];
}

function skillsIn({ skillTool, skillFolders }: AgentRow, call: CallStep): string[] {
  if (call.name === skillTool?.name) {
    const name = parseMap(call.arguments)?.[skillTool.argument];
    return typeof name === 'string' ? [name] : [];
  }
  const opened = [...call.arguments.matchAll(/([\w./-]*)\/([\w.-]+)\/SKILL\.md\b/g)];
  const isOffered = (folder: string): boolean =>
    skillFolders?.some((each) => folder === each || folder.endsWith(`/${each}`)) ?? true;
  return opened.flatMap(([, folder = '', name = '']) => (isOffered(folder) ? [name] : []));
}
