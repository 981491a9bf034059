import type { Metric, Reference, Tests } from '../../types.ts';
import { canonicalJson } from '../fingerprint/canonical.ts';

/** What judges one reference: the suite's metrics, then those of its own. */
export function metricsFor(
  { metrics }: Pick<Tests, 'metrics'>,
  { metrics: own = [] }: Pick<Reference, 'metrics'>,
): Metric[] {
  return [...metrics, ...own];
}

/** Every metric that the suite or any of its references has. */
export function everyMetric({
  metrics,
  references,
}: Pick<Tests, 'metrics' | 'references'>): Metric[] {
  return [...metrics, ...references.flatMap(({ metrics: own = [] }) => own)];
}

/** Equal for metrics that score alike, wherever they stand. */
export function metricIdentity({ place: _, depends_on, graders, ...metric }: Metric): string {
  const bare = <T extends { place: unknown }>(some: readonly T[] | undefined): unknown =>
    some?.map(({ place: _place, ...rest }) => rest);
  return canonicalJson(
    JSON.parse(
      JSON.stringify({ ...metric, depends_on: bare(depends_on), graders: bare(graders) }),
    ) as never,
  );
}

/**
 * The references' own metrics with the positions they judge; equal ones are one, so that they are
 * scored in one batch.
 */
export function ownMetrics(
  references: readonly (Pick<Reference, 'metrics'> | null)[],
): { metric: Metric; positions: number[] }[] {
  const groups = new Map<string, { metric: Metric; positions: number[] }>();
  references.forEach((reference, position) => {
    for (const metric of reference?.metrics ?? []) {
      const key = metricIdentity(metric);
      const group = groups.get(key) ?? { metric, positions: [] };
      groups.set(key, group);
      group.positions.push(position);
    }
  });
  return [...groups.values()];
}
