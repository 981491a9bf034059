import type { AffectedSuite } from '../../kernel/select/affected-suite.ts';
import { createRandom, nextFloat } from '../../kernel/statistics/random.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import type { Reference } from '../../kernel/suite/suite.ts';
import { transcript } from '../../metrics/transcript.ts';
import { createInputCounter } from '../../money/tokens.ts';
import { attributeLimit, referenceText, type ReferenceText } from './text.ts';

/** Includes unchanged references, so that a pull request cannot affect the attributes. */
export function explainedReferences({ base, head }: AffectedSuite): ReferenceText[] {
  const written = [base, head].flatMap((side) => side?.suite.tests.references ?? []);
  const found = new Map(written.map((reference) => [reference.id, reference]));
  return referenceTexts([...found.values()]);
}

export function byReferences<Of extends { run: { suite: AffectedSuite } }>(
  suites: readonly Of[],
): { path: string; references: ReferenceText[]; suites: Of[] }[] {
  const groups = new Map<string, { path: string; references: ReferenceText[]; suites: Of[] }>();
  for (const suite of suites) {
    const references = explainedReferences(suite.run.suite);
    const { path } = suite.run.suite;
    const key = JSON.stringify([path, references.map(({ id }) => id)]);
    const group = groups.get(key) ?? { path, references, suites: [] };
    groups.set(key, group);
    group.suites.push(suite);
  }
  return [...groups.values()];
}

/** Prefers references that ran on both sides. Otherwise, the choice is random but reproducible. */
export function sampleReferences<Of extends { id: string; compared: boolean }>(
  references: readonly Of[],
  most: number,
  seed: number,
): readonly Of[] {
  const placed = references.map((reference) => ({
    reference,
    place: Number(reference.compared) - nextFloat(createRandom(`${seed} ${reference.id}`)),
  }));
  const chosen = placed.sort((a, b) => b.place - a.place).slice(0, most);
  const kept = new Set(chosen.map(({ reference }) => reference));
  return references.filter((reference) => kept.has(reference));
}

export function referenceTexts(references: readonly Reference[]): ReferenceText[] {
  return references.map(({ id, input, expected, thread }) => ({
    id,
    input: thread === null ? input : { ...input, dialogue: transcript(thread) },
    expected,
  }));
}

export function referenceTokens(references: readonly ReferenceText[]): number {
  const inputOf = createInputCounter();
  const tokensOf = (reference: ReferenceText) =>
    inputOf({ messages: [{ role: 'user', content: referenceText(reference) }], schema: null });
  return sum(references.map(tokensOf));
}

/**
 * Limit of attributes per question, because ratings with quoted evidence must fit into one reply.
 */
export const PER_QUESTION = 30;

/**
 * References per question (k in QualEval). Each round shortens the list of attributes to a quarter
 * (p in QualEval).
 */
export const GROUP = 5;
export const SHRINK = 4;

/** How many attributes of each kind the model may return for a question. */
export const PER_GROUP = 5;

/** How many attributes the model may merge in a question. */
export const CHUNK = 60;

/** `pinned`: number of attributes in the file, or null if a model finds them. */
export function explainCalls(
  references: number,
  { pinned, most, alignment }: { pinned: number | null; most: number; alignment: boolean },
): number {
  const limit = attributeLimit(references, most);
  const discovery = pinned === null ? discoveryCalls(references, limit) : 0;
  const ratings = references * Math.ceil((pinned ?? 2 * limit) / PER_QUESTION);
  const answers = alignment ? 2 * references * Math.ceil((pinned ?? limit) / PER_QUESTION) : 0;
  return discovery + ratings + answers;
}

export function discoveryCalls(references: number, limit: number): number {
  const groups = Math.ceil(references / GROUP);
  let rounds = 0;
  let left = groups * PER_GROUP;
  if (groups > 1 || left > limit) {
    do {
      rounds += Math.ceil(left / CHUNK);
      left = Math.max(limit, Math.ceil(left / SHRINK));
    } while (left > limit);
  }
  return groups + 2 * rounds;
}

/** With `qualeval: auto`, no attributes are discovered for smaller suites. */
export const AUTO_REFERENCES = 20;

export const FEWEST_COMPARED = 8;

/** Default limit of calls of a run to find and try insights. */
export const MOST_INSIGHT_CALLS = 400;
