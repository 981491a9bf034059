import { targetIdentity } from '../fingerprint/generation.ts';
import type { Prepared } from '../plan/prepare.ts';
import type { Target } from '../../types.ts';

/**
 * What a plan consists of, as a hash: prompts, tests, rubrics, graders, variants and numbers of
 * tries. Equal for every shard of one sweep and for its merge, since a shard keeps its suites
 * whole; the gate is no part of it, for only the merge judges.
 */
export function planIdentity(
  { lanes }: Pick<Prepared, 'lanes'>,
  hash: (text: string) => string,
): string {
  const known = new Map<object, string>();
  // Variants of a suite share what is large.
  const once = (value: object): string => {
    const found = known.get(value) ?? hash(textOf(value));
    known.set(value, found);
    return found;
  };
  return hash(
    textOf(
      lanes.map(
        ({
          run: {
            lane: { path, variant, head },
            deciding,
          },
          policy,
        }) => ({
          path,
          variant,
          policy,
          target:
            head === null || head.variant.target === null
              ? null
              : targetIdentity(head.variant.target),
          prompt: head === null ? null : once(head.suite.prompt),
          tests: once(deciding.tests),
          rubrics: once(deciding.rubrics),
          graders: deciding.graders.map(identified),
          evaluators: deciding.evaluators.map(identified),
        }),
      ),
    ),
  );
}

/**
 * Without the checkout that a program runs in, for a shard's may go by another name than the
 * merge's.
 */
function identified<T extends { target: Target }>(one: T): Omit<T, 'target'> & { target: unknown } {
  return { ...one, target: targetIdentity(one.target) };
}

/** JSON of plain data with maps in it, in the order in which they were read. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    member instanceof Map ? [...(member as ReadonlyMap<unknown, unknown>)] : member,
  );
}

/**
 * Inputs that every job of a sharded sweep must be given alike, each as a hash of its value: the
 * manifests hold nothing else of them.
 */
export type SharedInputs = Readonly<Record<string, string>>;

export function sharedInputs(
  values: Readonly<Record<string, unknown>>,
  hash: (text: string) => string,
): SharedInputs {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      hash(textOf(value ?? null)).slice(0, HASH_LETTERS),
    ]),
  );
}

const HASH_LETTERS = 16;
