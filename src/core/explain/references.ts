import type { ReferenceText } from '../../qualeval/material.ts';
import type { Reference } from '../../types.ts';
import type { Lane } from '../select/select.ts';

/**
 * All references of a suite, both sides' together, the ones that a change does not touch among them: which attributes a
 * reference gets must not depend on what else a pull request changes. Head's wording where both sides have one.
 */
export function explainedReferences({ base, head }: Lane): ReferenceText[] {
  const written = [base, head].flatMap((side) => side?.suite.tests.references ?? []);
  const found = new Map(written.map((reference) => [reference.id, reference]));
  return textsOf([...found.values()]);
}

/** References as a model reads them. */
export function textsOf(references: readonly Reference[]): ReferenceText[] {
  return references.map(textOf);
}

/** A recorded dialogue has its messages in place of values. */
function textOf({ id, input, expected, thread }: Reference): ReferenceText {
  if (thread === null) return { id, input, expected };
  return { id, input: { ...input, dialogue: thread.map(({ role, content }) => `${role}: ${content}`).join('\n') }, expected };
}
