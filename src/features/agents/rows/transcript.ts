import type { Step } from '../../../types/answer.ts';
import { jsonText, parseMap } from '../../../types/plain.ts';
import type { AgentEvent, AgentRow } from './agent-row.ts';
import { textIn } from './fields.ts';

export type CallStep = Extract<Step, { type: 'tool_call' }>;
type MessageStep = Extract<Step, { type: 'message' }>;

export interface Transcript {
  steps: Step[];
  last: string;
  end: { ok: boolean; why: string | null } | null;
}

/** Reads what an agent printed. */
export function readTranscript(row: AgentRow, stdout: string): Transcript {
  const steps: Step[] = [];
  const calls = new Map<string | null, CallStep>();
  let end: Transcript['end'] = null;
  let open: MessageStep | null = null;
  for (const event of stdout.split('\n').flatMap((line) => eventsIn(row, line))) {
    if (event.kind === 'end') end = { ok: event.ok, why: event.why };
    else if (event.kind === 'message' && event.isPiece && open !== null) open.text += event.text;
    else if (event.kind === 'message') {
      const step: MessageStep = { type: 'message', role: 'assistant', text: event.text };
      steps.push(step);
      open = event.isPiece ? step : null;
    } else {
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
  // A custom command may print plain text.
  if (row.name !== 'command' || line === '') return [];
  return [{ kind: 'message', text: `${line}\n`, isPiece: true }];
}

/** A result without an id belongs to the latest call without one. */
function addCall(
  steps: Step[],
  calls: Map<string | null, CallStep>,
  event: Extract<AgentEvent, { kind: 'tool_call' | 'tool_result' }>,
): void {
  const { id } = event;
  if (event.kind === 'tool_result') {
    const known = calls.get(id);
    if (known !== undefined) known.result = event.output;
    return;
  }
  const { name, input } = event;
  const step: CallStep = { type: 'tool_call', name, arguments: jsonText(input), result: null };
  steps.push(step);
  calls.set(id, step);
}

export function skillsUsed(
  { skillTool, skillFolders }: AgentRow,
  steps: readonly Step[],
): string[] {
  const isOffered = (folder: string) =>
    skillFolders?.some((each) => folder === each || folder.endsWith(`/${each}`)) ?? true;
  const used = steps.flatMap((step) => {
    if (step.type !== 'tool_call') return [];
    const { name: tool, arguments: given } = step;
    if (tool === skillTool?.name) return textIn(parseMap(given), skillTool.argument) ?? [];
    const opened = [...given.matchAll(/([\w./-]*)\/([\w.-]+)\/SKILL\.md\b/g)];
    return opened.flatMap(([, folder = '', name = '']) => (isOffered(folder) ? [name] : []));
  });
  return [...new Set(used)];
}
