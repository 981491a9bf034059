import type { Message, MetricLevel } from '../types.ts';
import type { MetricSample } from './definition.ts';

/** FlexEval's sides: what follows one another from the same side is one turn. */
function side(message: Message): 'user' | 'assistant' {
  return message.role === 'assistant' ? 'assistant' : 'user';
}

/** A conversation as turns; system messages belong to none. */
export function turnsOf(thread: readonly Message[]): Message[][] {
  const turns: Message[][] = [];
  for (const message of thread) {
    if (message.role === 'system') continue;
    const last = turns.at(-1);
    if (last?.[0] !== undefined && side(last[0]) === side(message)) last.push(message);
    else turns.push([message]);
  }
  return turns;
}

/**
 * The messages a metric of that level judges: a reference is a thread, and its last turn or message
 * is the one judged.
 */
export function messagesAt(sample: MetricSample, level: MetricLevel): Message[] {
  if (level === 'Thread') return sample.thread.filter(({ role }) => role !== 'system');
  if (level === 'Turn') return turnsOf(sample.thread).at(-1) ?? [];
  return sample.thread.slice(-1);
}

/** Their text: contents joined by line ends. */
export function textAt(sample: MetricSample, level: MetricLevel): string {
  return messagesAt(sample, level)
    .map(({ content }) => content)
    .join('\n');
}

/** `role: text` lines, as graders and metric code see a conversation. */
export function transcript(messages: readonly Message[]): string {
  return messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
}
