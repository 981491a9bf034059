import type { ReferenceText } from '../../qualeval/material.ts';
import type { Reference } from '../../types.ts';
import type { Lane } from '../select/select.ts';

/**
 * All references of a suite, both sides' together, the ones that a change does not touch among
 * them: which attributes a reference gets must not depend on what else a pull request changes.
 * Head's wording where both sides have one.
 */
export function explainedReferences({ base, head }: Lane): ReferenceText[] {
  const written = [base, head].flatMap((side) => side?.suite.tests.references ?? []);
  const found = new Map(written.map((reference) => [reference.id, reference]));
  return textsOf([...found.values()]);
}

/**
 * Lanes that share what is asked about their references: the variants of a prompt, and the prompts
 * of one file that are held to the same tests.
 */
export function byReferences<Of extends { run: { lane: Lane } }>(
  lanes: readonly Of[],
): { references: ReferenceText[]; lanes: Of[] }[] {
  const groups = new Map<string, { references: ReferenceText[]; lanes: Of[] }>();
  for (const one of lanes) {
    const references = explainedReferences(one.run.lane);
    const key = JSON.stringify([one.run.lane.path, references.map(({ id }) => id)]);
    const group = groups.get(key) ?? { references, lanes: [] };
    groups.set(key, group);
    group.lanes.push(one);
  }
  return [...groups.values()];
}

/** References as a model reads them. */
export function textsOf(references: readonly Reference[]): ReferenceText[] {
  return references.map(textOf);
}

/** A recorded dialogue has its messages in place of values. */
function textOf({ id, input, expected, thread }: Reference): ReferenceText {
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
