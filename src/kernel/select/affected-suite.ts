import type { Message, Target } from '../../types/model.ts';
import type { CodeLanguage, CodePlace, Json, Notice, Problem, Side } from '../../types/plain.ts';
import type { Script } from '../../types/script.ts';
import type { Variant } from '../result/pieces.ts';
import type { Because } from '../result/suite-result.ts';
import { countsIn } from '../suite/gate.ts';
import type { Dependency } from '../suite/own-suite.ts';
import type { Reference, Suite } from '../suite/suite.ts';
import type { Scoring } from './scoring.ts';

/** `target` is null for prompts that compute their output with code. */
export interface ResolvedVariant extends Variant {
  target: Target | null;
}

/** How to get one answer. Tries with equal fingerprints share answers. */
export type Generation = { dependencies?: readonly Dependency[]; script?: Script } & (
  | {
      kind: 'request';
      target: Target;
      parameters: Record<string, Json>;
      messages: Message[];
      variables?: Reference['input'];
      fingerprint: string;
      /** Added to the try index, so that repeated questions (draws) do not share answers. */
      draw?: number;
    }
  /** `after`: the messages that follow the last answer. */
  | {
      kind: 'recorded';
      thread: Message[];
      after?: Message[];
      fingerprint: string;
      draw?: number;
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

/** Identifies the question. If there is no possible request, the reason identifies it. */
export function fingerprintOf(generation: Generation): string {
  return generation.kind === 'impossible'
    ? `impossible: ${generation.message}`
    : generation.fingerprint;
}

export interface AffectedReference {
  reference: Reference;
  /** The request with base's prompt and head's input. */
  base: Generation | null;
  head: Generation | null;
  change: 'both' | 'added' | 'removed' | 'edited';
  baseReference: Reference | null;
  /** The prompt that had this reference on base, if it was another prompt. */
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

/** Without a `sweep`, there is one variant. */
export interface ResolvedSuite {
  suite: Suite;
  variants: SuiteSide[];
}

/** A suite with its references to run. Without any, the suite is not affected. */
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
  /** Ids of references on the tip of the base branch that cannot run with head's prompt. */
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
