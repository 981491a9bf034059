import type { AffectedSuite } from '../../kernel/select/affected-suite.ts';
import { pairReferences } from '../../kernel/select/pair.ts';
import type { Scoring } from '../../kernel/select/scoring.ts';
import { countsIn } from '../../kernel/suite/gate.ts';
import type { Tests } from '../../kernel/suite/suite.ts';
import type { Notice } from '../../types/plain.ts';

/**
 * Quarantined references run and are shown, but do not affect the verdict. `today`: `YYYY-MM-DD`.
 */
export function quarantineOf(tests: Tests, today: string): (id: string) => boolean {
  const active = new Set(
    tests.quarantine.filter(({ until }) => until >= today).map(({ id }) => id),
  );
  return (id) => active.has(id);
}

export function newlyQuarantined(
  { suite: { base }, scoring }: { suite: Pick<AffectedSuite, 'base'>; scoring: Scoring },
  today: string,
): string[] {
  if (base === null || scoring.side === 'base') return [];
  const before = base.scoring.tests;
  const { tests } = scoring;
  const isOut = { before: quarantineOf(before, today), after: quarantineOf(tests, today) };
  const out = tests.references.filter(({ id }) => isOut.after(id));
  if (out.length === 0) return [];
  const counterparts = pairReferences(before.references, tests.references);
  return out.flatMap((reference) => {
    const was = counterparts.get(reference);
    const gated = was !== undefined && countsIn(before, was) && !isOut.before(was.id);
    return gated ? [reference.id] : [];
  });
}

export function quarantineNotices(tests: Tests, today: string): Notice[] {
  return tests.quarantine.map(({ id, reason, until, place }) => ({
    kind: 'quarantine',
    place,
    message:
      until >= today
        ? `${id} is in quarantine until ${until} and does not affect the verdict: ${reason}`
        : `the quarantine of ${id} expired on ${until}, so it affects the verdict again; ` +
          'fix the reference or renew the entry',
  }));
}
