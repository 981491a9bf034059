import type { Notice, Tests } from '../../types.ts';

/**
 * Whether a reference is in quarantine today: it runs and is shown, but does not gate. `today` is
 * `YYYY-MM-DD`.
 */
export function quarantineOf(tests: Tests, today: string): (id: string) => boolean {
  const active = new Set(
    tests.quarantine.filter(({ until }) => until >= today).map(({ id }) => id),
  );
  return (id) => active.has(id);
}

/**
 * What a reader must know about a suite's quarantine: who is in it until when, and what has
 * expired.
 */
export function quarantineNotices(tests: Tests, today: string): Notice[] {
  return tests.quarantine.map(({ id, reason, until, place }) => ({
    kind: 'quarantine',
    place,
    message:
      until >= today
        ? `${id} is in quarantine until ${until} and does not gate: ${reason}`
        : `the quarantine of ${id} expired on ${until}: it gates again; mend the reference or renew the entry`,
  }));
}
