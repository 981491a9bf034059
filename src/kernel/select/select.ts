import type { Variant } from '../result/pieces.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import type { AffectedSuite, ResolvedSuite, ResolvedVariant, SuiteSide } from './affected-suite.ts';
import { affectedReferences, type MovesHere } from './affected.ts';
import { findMoves, pairSuites } from './pair.ts';

export function selectAffected(
  base: readonly ResolvedSuite[],
  head: readonly ResolvedSuite[],
): AffectedSuite[] {
  const variants = new Map([...base, ...head].map((each) => [each.suite, each.variants]));
  const suitesOf = (side: readonly ResolvedSuite[]) => side.map(({ suite }) => suite);
  const paired = pairSuites(suitesOf(base), suitesOf(head));
  const known = new Set(paired.values());
  const pairs = [
    ...head.map(({ suite }) => ({ base: paired.get(suite) ?? null, head: suite })),
    ...suitesOf(base).flatMap((suite) => (known.has(suite) ? [] : [{ base: suite, head: null }])),
  ];
  const moves = findMoves(pairs);
  const sides = pairs.map((pair) => ({
    before: (pair.base && variants.get(pair.base)) ?? [],
    after: (pair.head && variants.get(pair.head)) ?? [],
  }));
  return sides.flatMap(({ before, after }) =>
    Array.from({ length: Math.max(before.length, after.length) }, (_, at) => {
      const others = sides.flatMap((side) => side.before.at(at) ?? side.before.at(0) ?? []);
      return affectedSuite(before.at(at) ?? null, after.at(at) ?? null, { ...moves, others });
    }),
  );
}

export function selectAll(head: readonly ResolvedSuite[]): AffectedSuite[] {
  return head.flatMap(({ variants }) => variants.map((side) => affectedSuite(null, side)));
}

function affectedSuite(
  base: SuiteSide | null,
  head: SuiteSide | null,
  moves?: MovesHere,
): AffectedSuite {
  const shown = head ?? base;
  if (shown === null) throw new TypeError('a suite has at least one side');
  const part = affectedReferences(base, head, moves);
  const variant = plainVariant(shown.variant);
  const before = base === null ? null : plainVariant(base.variant);
  return {
    path: shown.suite.prompt.file,
    name: shown.suite.prompt.name,
    variant,
    baseVariant:
      before !== null && canonicalJson({ ...before }) !== canonicalJson({ ...variant })
        ? before
        : null,
    base,
    head,
    ...part,
  };
}

function plainVariant({ model, parameters }: ResolvedVariant): Variant {
  return { model, parameters };
}
