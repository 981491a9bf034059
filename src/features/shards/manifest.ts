import { z } from 'zod';
import { MOST_SHARDS } from '../../documents/limits.ts';
import { HALTS } from '../../kernel/result/reason.ts';
import type { Prepared } from '../../money/prepared.ts';
import { type Target, targetIdentity } from '../../types/model.ts';
import { parsedJson } from '../../types/plain.ts';
import { countSchema, usageTotalsSchema } from '../../types/usage-totals.ts';
import { shardName } from './part.ts';

/**
 * An id of the plan, equal in all shards and the merge. Omits the gate (rules for the verdict),
 * because only the merge judges.
 */
export function planIdentity({ suites }: Prepared, hash: (text: string) => string): string {
  const known = new Map<object, string>();
  // Hashes each object once, because variants share large objects.
  const once = (value: object) => {
    const found = known.get(value) ?? hash(stringifyWithMaps(value));
    known.set(value, found);
    return found;
  };
  return hash(
    stringifyWithMaps(
      suites.map(
        ({
          run: {
            suite: { path, variant, head },
            scoring,
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
          tests: once(scoring.tests),
          rubrics: once(scoring.rubrics),
          graders: scoring.graders.map(withTargetIdentity),
          evaluators: (scoring.answerer?.graders ?? []).map(withTargetIdentity),
        }),
      ),
    ),
  );
}

/** Omits the folder where a program is checked out, which may differ between jobs. */
function withTargetIdentity<T extends { target: Target }>(
  role: T,
): Omit<T, 'target'> & { target: unknown } {
  return { ...role, target: targetIdentity(role.target) };
}

function stringifyWithMaps(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    member instanceof Map ? [...(member as ReadonlyMap<unknown, unknown>)] : member,
  );
}

/** Inputs that must be the same in every job of a sweep. An empty text means not set. */
export type SharedInputs = Readonly<Record<string, string>>;

export const PART_VERSION = 1;

export const PART_FILES = {
  manifest: 'manifest.json',
  answers: 'answers.sqlite',
  others: 'others.jsonl',
} as const;

const hex = z.string().regex(/^[0-9a-f]{64}$/);

const seal = z.strictObject({ bytes: countSchema, sha256: hex });

const shown = z.string().max(200);

const shard = z
  .strictObject({ index: z.int().min(1), count: z.int().min(1).max(MOST_SHARDS) })
  .refine(({ index, count: of }) => index <= of, 'is outside the sweep');

const manifest = z.strictObject({
  part_version: z.literal(PART_VERSION),
  evaldiff: shown,
  shard,
  /** Full commit id, or `worktree`. */
  head: z.union([z.string().regex(/^[0-9a-f]{40,64}$/), z.literal('worktree')]),
  trust: z.enum(['trusted', 'member', 'untrusted']),
  inputs: z.record(z.string().max(60), z.string()),
  plan: hex,
  /**
   * `of`: references of the whole sweep. `answers`: replies that can be stored. `others`: replies
   * that cannot.
   */
  counts: z.strictObject({
    references: countSchema,
    of: countSchema,
    answers: countSchema,
    others: countSchema,
  }),
  usage: usageTotalsSchema.omit({ unpriced: true, saved_usd: true, by_purpose: true }),
  /** Paid attempts including retries, as the call cap counts them. */
  attempts: countSchema,
  halted: z
    .strictObject({
      code: z.enum(HALTS),
      why: z.string().max(1000),
      cap: z.enum(['max_calls', 'max_cost_usd']).exactOptional(),
    })
    .nullable(),
  files: z.strictObject({ answers: seal, others: seal }),
});

export type Manifest = z.infer<typeof manifest>;

/** `flaw` continues a message that begins with the part's name. */
export function readManifest(text: string): { manifest: Manifest } | { flaw: string } {
  const parsed = manifest.safeParse(parsedJson(text));
  if (parsed.success) return { manifest: parsed.data };
  const [issue] = parsed.error.issues;
  return {
    flaw:
      `${PART_FILES.manifest} is not the manifest of a part ` +
      `(field ${issue?.path.join('.') || 'part_version'}: ${issue?.message ?? 'unreadable'}). ` +
      'Run the shard again, with this evaldiff',
  };
}

export function partName({ shard: own }: Manifest): string {
  return `shard ${shardName(own)}`;
}
