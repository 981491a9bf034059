import type { Message, Target } from '../../types/model.ts';
import type { CodeLanguage, CodePlace, Json, Notice, Problem, Side } from '../../types/plain.ts';
import type { Script } from '../../types/script.ts';
import type { Variant } from '../result/pieces.ts';
import type { Because } from '../result/suite-result.ts';
import { countsIn } from '../suite/gate.ts';

import type { Reference, Suite } from '../suite/suite.ts';
import type { Scoring } from './scoring.ts';

/** `target` is null if code computes the prompt's output. */
export interface ResolvedVariant extends Variant {
  target: Target | null;
}

/**
 * How to get an answer. Tries with equal fingerprints share answers. `draw` is added to the try
 * index, so that a repeated question gets new answers.
 */
export type Generation = { script?: Script; draw?: number } & (
  | {
      kind: 'request';
      target: Target;
      parameters: Record<string, Json>;
      messages: Message[];
      variables?: Reference['input'];
      fingerprint: string;
    }
  /** `after`: the messages that follow the last answer. */
  | {
      kind: 'recorded';
      thread: Message[];
      after?: Message[];
      fingerprint: string;
    }
  | {
      kind: 'code';
      language: CodeLanguage;
      code: string;
      at?: CodePlace;
      variables: Record<string, Json>;
      messages: Message[];
      fingerprint: string;
    }
  | { kind: 'impossible'; message: string }
);

/** If no request is possible, the reason takes the place of the fingerprint. */
export function fingerprintOf(generation: Generation): string {
  return generation.kind === 'impossible'
    ? `impossible: ${generation.message}`
    : generation.fingerprint;
}

export interface AffectedReference {
  reference: Reference;
  /** Base's prompt with head's input. */
  base: Generation | null;
  head: Generation | null;
  change: 'both' | 'added' | 'removed' | 'edited';
  baseReference: Reference | null;
  /** Base's prompt for this reference, if it moved to another prompt. */
  from?: string;
}

export function referenceOn(
  { reference, baseReference }: AffectedReference,
  side: Side,
): Reference {
  return side === 'base' ? (baseReference ?? reference) : reference;
}

export interface SuiteSide {
  suite: Suite;
  variant: ResolvedVariant;
  scoring: Scoring;
}

export interface ResolvedSuite {
  suite: Suite;
  variants: SuiteSide[];
}

export interface AffectedSuite {
  path: string;
  name: string;
  variant: Variant;
  baseVariant: Variant | null;
  base: SuiteSide | null;
  head: SuiteSide | null;
  because: Because[];
  references: AffectedReference[];
  unaffected: number;
  /** References that were added on the base branch and cannot run with head's prompt. */
  unasked?: string[];
}

export interface Selection {
  suites: AffectedSuite[];
  problems: Problem[];
  notices?: Notice[];
}

export function gates(suite: AffectedSuite, reference: AffectedReference): boolean {
  const tests = (suite.head ?? suite.base)?.scoring.tests;
  return tests !== undefined && countsIn(tests, reference.reference);
}
