import type { Conversation, Json } from '../../types.ts';
import { canonicalJson } from '../fingerprint/canonical.ts';
import type { Evaluator } from './evaluators.ts';
import { targetIdentity } from '../fingerprint/generation.ts';

/**
 * What leads a dialogue and judges it: who evaluates, by which criteria, and for how many steps.
 */
export interface Steering {
  conversation: Conversation;
  /** Empty when one of them has no known model: nothing can be judged then. */
  evaluators: Evaluator[];
  /** Equal for steerings that ask and judge alike. */
  fingerprint: string;
}

/** Equal fingerprints lead a dialogue alike. */
export function steeringOf(conversation: Conversation, evaluators: Evaluator[]): Steering {
  return {
    conversation,
    evaluators,
    fingerprint: canonicalJson(steeringParts(conversation, evaluators)),
  };
}

/**
 * The parts of a steering by the key of `conversation` that they are written under. Labelled
 * examples steer nothing.
 */
export function steeringParts(
  { max_steps, criteria, instructions }: Conversation,
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
  };
}
