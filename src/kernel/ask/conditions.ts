import type { DependsOn, Metric } from '../../types/metric.ts';
import { canonicalJson } from '../suite/canonical-json.ts';

/**
 * Finds the metrics that the condition names. If there are none, finds those that use a built-in
 * metric or rubric of that name.
 */
export function dependencies(entry: DependsOn, metrics: readonly Metric[]): Metric[] {
  const named = metrics.filter(({ name }) => name === entry.name);
  const candidates =
    named.length > 0 ? named : metrics.filter(({ source }) => usedName(source) === entry.name);
  return candidates.filter((metric) => fits(entry, metric));
}

function usedName(source: Metric['source']): string | null {
  if (source.kind === 'built-in') return source.uses;
  return source.kind === 'rubric' ? source.rubric : null;
}

function fits({ type, metric_level: level, kwargs }: DependsOn, metric: Metric): boolean {
  const { source } = metric;
  if (type !== null && (type === 'rubric') !== (source.kind === 'rubric')) return false;
  if (level !== null && level !== metric.level) return false;
  return (
    kwargs === null ||
    canonicalJson(kwargs) === canonicalJson(source.kind === 'built-in' ? source.with : {})
  );
}

export function conditionMetric(condition: DependsOn, metrics: readonly Metric[]): Metric | null {
  return dependencies(condition, metrics)[0] ?? null;
}

export function inWaves(metrics: readonly Metric[]): Metric[][] {
  const waves: Metric[][] = [];
  const waveOf = new Map<Metric, number>();
  const place = (metric: Metric): number => {
    const known = waveOf.get(metric);
    if (known !== undefined) return known;
    waveOf.set(metric, 0);
    const before = metric.depends_on.flatMap((each) => conditionMetric(each, metrics) ?? []);
    const wave = Math.max(-1, ...before.map(place)) + 1;
    waveOf.set(metric, wave);
    (waves[wave] ??= []).push(metric);
    return wave;
  };
  metrics.forEach(place);
  return waves;
}
