import type { Message, Target } from '../../types/model.ts';
import type { CodeLanguage, CodePlace, Json, Notice, Problem, Side } from '../../types/plain.ts';
import type { Variant } from '../result/pieces.ts';
import type { Because } from '../result/suite-result.ts';
import { countsIn } from '../suite/gate.ts';
import type { Dependency } from '../suite/own-suite.ts';
import type { Reference, Suite } from '../suite/suite.ts';
import type { Scoring } from './scoring.ts';

/** `target` is null only for prompts that compute their output with code. */
export interface ResolvedVariant extends Variant {
  target: Target | null;
}

/** What has to be asked to get one answer. Equal fingerprints share their answers, try by try. */
export type Generation = { dependencies?: readonly Dependency[] } & (
  | {
      kind: 'request';
      target: Target;
      parameters: Record<string, Json>;
      messages: Message[];
      /** For a program that takes them; absent: it is told the messages alone. */
      variables?: Reference['input'];
      fingerprint: string;
      /** Added to the try index, so that equal questions get answers of their own. */
      draw?: number;
    }
  /** Recorded with its answers: no call. `after`: messages after the last answer; absent: none. */
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

/** Equal for generations that ask the same; an impossible one is told by its reason. */
export function fingerprintOf(generation: Generation): string {
  return generation.kind === 'impossible'
    ? `impossible: ${generation.message}`
    : generation.fingerprint;
}

export interface AffectedReference {
  reference: Reference;
  /** What base's prompt asks for head's input; null: base lacks the prompt or cannot render it. */
  base: Generation | null;
  head: Generation | null;
  change: 'both' | 'added' | 'removed' | 'edited';
  /** Base's definition, if any: its expected value belongs to base's scoring. */
  baseReference: Reference | null;
  /** The prompt whose reference it was on base, where that is another one. */
  from?: string;
}

/** As a side's scoring has it; one that is missing there keeps its own expected value. */
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

/** A suite in each variant of the settings' `sweep`; one where nothing is swept. */
export interface ResolvedSuite {
  suite: Suite;
  variants: SuiteSide[];
}

/** One suite in one variant, with the references that have to run; none: it is not affected. */
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
  /** Ids of references of the base branch's tip that head's prompt cannot be asked; absent: none. */
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
