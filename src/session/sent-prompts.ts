import type { Prepared } from '../plan/prepared.ts';
import type { SentPrompts } from '../report/sections/reference-view.ts';
import type { Generation } from '../select/generation.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import type { Variant } from '../suite/suite.ts';
import type { Message } from '../types/model.ts';
import type { Json } from '../types/plain.ts';

/** What tells a suite of a result from the others. */
interface Which {
  path: string;
  name: string;
  variant: Variant;
}

/** The prompts of a run that was planned, by suite and reference. */
export function sentPrompts({ suites }: Pick<Prepared, 'suites'>): Map<string, SentPrompts> {
  return new Map(
    suites.flatMap(({ run: { suite, runs } }) =>
      runs.map(({ affected: { reference, base, head } }): [string, SentPrompts] => [
        sentKey(suite, reference.id),
        { base: messagesOf(base), head: messagesOf(head) },
      ]),
    ),
  );
}

export function sentKey({ path, name, variant }: Which, id: string): string {
  return canonicalJson({
    path,
    name,
    model: variant.model,
    parameters: variant.parameters as Record<string, Json>,
    id,
  });
}

function messagesOf(generation: Generation | null): Message[] | null {
  if (generation === null) return null;
  if (generation.kind === 'request') return generation.messages;
  if (generation.kind !== 'recorded') return null;
  const { thread, after = [] } = generation;
  return [...thread, ...after];
}
