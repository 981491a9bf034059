import type { Step } from '../../../types/answer.ts';
import { isMap, jsonText, parseMap, type Json } from '../../../types/plain.ts';
import type { AgentEvent, AgentRow } from './agent-row.ts';

type CallStep = Extract<Step, { type: 'tool_call' }>;
type MessageStep = Extract<Step, { type: 'message' }>;
type CallEvent = Extract<AgentEvent, { kind: 'tool_call' | 'tool_result' }>;

export interface Transcript {
  steps: Step[];
  last: string;
  end: { ok: boolean; why: string | null } | null;
}

export function readTranscript(row: AgentRow, stdout: string): Transcript {
  const steps: Step[] = [];
  const calls = new Map<string, CallStep>();
  let end: Transcript['end'] = null;
  let open: MessageStep | null = null;
  for (const event of stdout.split('\n').flatMap((line) => eventsIn(row, line))) {
    if (event.kind === 'message' && event.isPiece && open !== null) open.text += event.text;
    else if (event.kind === 'message') {
      const step: MessageStep = { type: 'message', role: 'assistant', text: event.text };
      steps.push(step);
      open = event.isPiece ? step : null;
    } else if (event.kind === 'end') end = { ok: event.ok, why: event.why };
    else {
      open = null;
      addCall(steps, calls, event);
    }
  }
  const said = steps.filter((step) => step.type !== 'message' || step.text.trim() !== '');
  const last = said.findLast((step) => step.type === 'message')?.text.trim() ?? '';
  return { steps: said, last, end };
}

function eventsIn(row: AgentRow, line: string): AgentEvent[] {
  const map = line.startsWith('{') ? parseMap(line) : null;
  if (map !== null) return row.read(map);
  return line === '' ? [] : (row.readText?.(line) ?? []);
}

function addCall(steps: Step[], calls: Map<string, CallStep>, event: CallEvent): void {
  // Agents that send no ids run one call at a time.
  const known = calls.get(event.id ?? LATEST);
  if (event.kind === 'tool_result') {
    if (known !== undefined) known.result = event.output;
  } else if (event.id !== null && known !== undefined) {
    if (isFuller(event.input, known.arguments)) known.arguments = jsonText(event.input);
  } else {
    const { name, input } = event;
    const step: CallStep = { type: 'tool_call', name, arguments: jsonText(input), result: null };
    steps.push(step);
    calls.set(event.id ?? LATEST, step);
  }
}

const LATEST = '';

/** Agents report a call several times, first with few arguments. */
function isFuller(input: Json, known: string): boolean {
  const before = parseMap(known);
  return before !== null && isMap(input) && Object.keys(input).length > Object.keys(before).length;
}

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
