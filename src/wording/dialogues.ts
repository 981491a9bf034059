import type { Tone } from './outcomes.ts';

export const DIALOGUE_ENDS = {
  complete: 'complete',
  max_steps: 'no steps left',
  no_follow_up: 'ended without a further question',
  tool_call: 'ended at a tool call',
  tool_limit: 'the model called tools without an answer',
  tool_error: "a tool's code failed",
  evaluator_error: 'an evaluator gave no verdict',
  model_error: 'the model gave no answer',
} as const;

export function dialogueTone(outcome: keyof typeof DIALOGUE_ENDS): Tone {
  if (outcome === 'complete') return 'good';
  return outcome.endsWith('_error') ? 'open' : 'bad';
}

interface ShownTurn {
  question: string;
  answer: string | null;
  steps?: readonly unknown[];
}

/** In characters, to choose the shortest of several dialogues. */
export function dialogueLength(turns: readonly ShownTurn[]): number {
  const texts = turns.flatMap(({ question, answer, steps = [] }) => [
    question,
    answer ?? '',
    ...steps.map((step) => JSON.stringify(step)),
  ]);
  return texts.join('').length;
}
