import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { type Message, type Target, targetIdentity } from '../../types/model.ts';
import type { Json, Place } from '../../types/plain.ts';
import type { Criterion } from './result.ts';
import { toolParts, type ToolResults } from './tool-results.ts';

export interface Conversation {
  max_steps: number;
  evaluators: { model: string; parameters: Record<string, Json>; place: Place }[];
  criteria: Criterion[];
  instructions: string | null;
  instructionsAt: Place;
  examples: LabelledAnswer[];
  /** Null: not set. */
  tool_results: ToolResults | null;
  place: Place;
}

export interface LabelledAnswer {
  messages: Message[];
  accepted: boolean;
  place: Place;
}

export interface Evaluator {
  name: string;
  target: Target;
  parameters: Record<string, Json>;
  /** Number of earlier evaluators with the same model and parameters. */
  twin: number;
}

export function nameEvaluators(
  written: Conversation['evaluators'],
  targets: readonly Target[],
): Evaluator[] {
  const evaluators = written.slice(0, targets.length);
  const identities = targets.map((target, index) =>
    canonicalJson([targetIdentity(target), evaluators[index]?.parameters ?? null]),
  );
  return targets.flatMap((target, index) => {
    const evaluator = evaluators[index];
    if (evaluator === undefined) return [];
    const { model, parameters } = evaluator;
    const namesakes = evaluators.slice(0, index).filter((other) => other.model === model).length;
    const twins = identities.slice(0, index).filter((each) => each === identities[index]);
    const name = namesakes === 0 ? model : `${model} (${namesakes + 1})`;
    return { name, target, parameters, twin: twins.length };
  });
}

export interface Steering {
  conversation: Conversation;
  evaluators: Evaluator[];
  /** Equal parts mean equal requests and equal rules for judging. */
  parts: Record<string, Json>;
}

export function steeringOf(conversation: Conversation, evaluators: Evaluator[]): Steering {
  const { max_steps, criteria, instructions, tool_results: results } = conversation;
  const parts = {
    max_steps,
    instructions,
    criteria: criteria.map(({ name, combine }) => ({ name, combine })),
    evaluators: evaluators.map(({ target, parameters }) => ({
      target: targetIdentity(target),
      parameters,
    })),
    ...(results !== null && { tool_results: toolParts(results) }),
  };
  return { conversation, evaluators, parts };
}
