import type { AffectedSuite } from '../../kernel/select/select.ts';
import type { Reference } from '../../kernel/suite/suite.ts';
import { attributeLimit, type ReferenceText } from './text.ts';

/**
 * All references of a suite, both sides' together, the ones that a change does not touch among
 * them: which attributes a reference gets must not depend on what else a pull request changes.
 * Head's wording where both sides have one.
 */
export function explainedReferences({ base, head }: AffectedSuite): ReferenceText[] {
  const written = [base, head].flatMap((side) => side?.suite.tests.references ?? []);
  const found = new Map(written.map((reference) => [reference.id, reference]));
  return referenceTexts([...found.values()]);
}

/**
 * Suites that share what is asked about their references: the variants of a prompt, and the prompts
 * of one file that are held to the same tests.
 */
export function byReferences<Of extends { run: { suite: AffectedSuite } }>(
  suites: readonly Of[],
): { references: ReferenceText[]; suites: Of[] }[] {
  const groups = new Map<string, { references: ReferenceText[]; suites: Of[] }>();
  for (const suite of suites) {
    const references = explainedReferences(suite.run.suite);
    const key = JSON.stringify([suite.run.suite.path, references.map(({ id }) => id)]);
    const group = groups.get(key) ?? { references, suites: [] };
    groups.set(key, group);
    group.suites.push(suite);
  }
  return [...groups.values()];
}

/** References as a model reads them. */
export function referenceTexts(references: readonly Reference[]): ReferenceText[] {
  return references.map(toReferenceText);
}

/** The text of a reference; a recorded dialogue has its messages in place of values. */
function toReferenceText({ id, input, expected, thread }: Reference): ReferenceText {
  if (thread === null) return { id, input, expected };
  return {
    id,
    input: {
      ...input,
      dialogue: thread.map(({ role, content }) => `${role}: ${content}`).join('\n'),
    },
    expected,
  };
}

/**
 * Attributes per question: a rating of each, with its evidence, fits into what vendors answer by
 * default.
 */
export const PER_QUESTION = 30;

/**
 * References per question, and the factor by which a round shrinks the list: k and p of the paper.
 */
export const GROUP = 5;

export const SHRINK = 4;

/** Most attributes of a kind that one group is asked for. */
export const PER_GROUP = 5;

/** Candidates per question of a round. */
export const CHUNK = 60;

interface CostOptions {
  /** Attributes of both kinds that are pinned; null: they are discovered. */
  pinned: number | null;
  most: number;
  alignment: boolean;
}

/**
 * Calls that explaining a suite of so many references takes at most, when every reply can be read;
 * those that are cached cost nothing.
 */
export function explainCalls(references: number, { pinned, most, alignment }: CostOptions): number {
  const limit = attributeLimit(references, most);
  const discovery = pinned === null ? discoveryCalls(references, limit) : 0;
  const ratings = references * Math.ceil((pinned ?? 2 * limit) / PER_QUESTION);
  const answers = alignment ? 2 * references * Math.ceil((pinned ?? limit) / PER_QUESTION) : 0;
  return discovery + ratings + answers + 1;
}

/** One question per group of references, then per kind the rounds of merging. */
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

/**
 * In `auto`, a suite without pinned attributes is explained when something in it regressed and it
 * has as many references.
 */
export const AUTO_REFERENCES = 20;

/** Fewer compared references than this are too few for a verdict. */
export const FEWEST_COMPARED = 8;
