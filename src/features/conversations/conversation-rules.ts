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
  const evaluators = targets.flatMap((target, index) => {
    const evaluator = written[index];
    return evaluator === undefined
      ? []
      : [
          {
            model: evaluator.model,
            parameters: evaluator.parameters,
            target,
            identity: canonicalJson([targetIdentity(target), evaluator.parameters]),
          },
        ];
  });
  return evaluators.map(({ model, target, parameters, identity }, index) => {
    const before = evaluators.slice(0, index);
    const namesakes = before.filter((other) => other.model === model).length;
    return {
      name: namesakes === 0 ? model : `${model} (${namesakes + 1})`,
      target,
      parameters,
      twin: before.filter((other) => other.identity === identity).length,
    };
  });
}

export interface Steering {
  conversation: Conversation;
  evaluators: Evaluator[];
  /** Equal fingerprints mean equal requests and equal rules for judging. */
  fingerprint: string;
}

export function steeringOf(conversation: Conversation, evaluators: Evaluator[]): Steering {
  return {
    conversation,
    evaluators,
    fingerprint: canonicalJson(steeringParts(conversation, evaluators)),
  };
}

export function steeringParts(
  { max_steps, criteria, instructions, tool_results: results }: Conversation,
  evaluators: readonly Evaluator[],
): Record<string, Json> {
  return {
    max_steps,
    instructions,
    criteria: criteria.map(({ name, combine }) => ({ name, combine })),
    evaluators: evaluators.map(({ target, parameters }) => ({
      target: targetIdentity(target),
      parameters,
    })),
    ...(results !== null && { tool_results: toolParts(results) }),
  };
}
