import { problem } from '../errors.ts';
import { dependencies } from '../kernel/ask/conditions.ts';
import { didYouMean } from '../text/suggest.ts';
import type { DependsOn, Metric, MetricLevel } from '../types/metric.ts';
import type { Problem } from '../types/plain.ts';

const COARSENESS: Readonly<Record<MetricLevel, number>> = {
  ToolCall: 0,
  Message: 1,
  Turn: 2,
  Thread: 3,
};

export function checkDependencies(metrics: readonly Metric[], problems: Problem[]): void {
  const edges = new Map<Metric, { to: Metric; entry: DependsOn }[]>();
  for (const metric of metrics) {
    edges.set(
      metric,
      metric.depends_on.flatMap((entry) => {
        const found = dependencies(entry, metrics);
        const [to] = found;
        const message = entryProblem(metric, entry, found, metrics);
        if (message !== null)
          problems.push(problem(entry.place, `metric "${metric.name}": ${message}`));
        return message === null && to !== undefined ? [{ to, entry }] : [];
      }),
    );
  }
  const circle = findCircle(metrics, edges);
  if (circle !== null) {
    problems.push(
      problem(circle.entry.place, `depends_on forms a cycle: ${circle.names.join(' -> ')}`),
    );
  }
}

function entryProblem(
  metric: Metric,
  entry: DependsOn,
  found: readonly Metric[],
  metrics: readonly Metric[],
): string | null {
  const [only] = found;
  if (only === undefined) {
    const names = metrics.map(({ name }) => name).filter((name) => name !== metric.name);
    const exists = names.includes(entry.name);
    const why = exists ? ' of that type, level and kwargs' : didYouMean(entry.name, names);
    return `depends_on "${entry.name}" matches no metric of this file${why}`;
  }
  if (found.length > 1) {
    return (
      `depends_on "${entry.name}" matches ${found.length} metrics ` +
      `(${found.map(({ name }) => name).join(', ')}); write the name of one, ` +
      'or add kwargs, type or metric_level'
    );
  }
  if (COARSENESS[only.level] < COARSENESS[metric.level]) {
    return (
      `depends_on "${entry.name}" judges at level ${only.level}, which is a smaller part than ` +
      `this metric's ${metric.level}`
    );
  }
  const isOther = only.of !== metric.of && only.of !== 'both' && only.level !== 'Thread';
  if (isOther && entry.relative_object_position === 0) {
    return (
      `depends_on "${entry.name}" judges the ${only.of ?? 'assistant'}'s turns, and this metric ` +
      'others; add relative_object_position: -1 for the turn before'
    );
  }
  return null;
}

function findCircle(
  metrics: readonly Metric[],
  edges: ReadonlyMap<Metric, readonly { to: Metric; entry: DependsOn }[]>,
): { names: string[]; entry: DependsOn } | null {
  const open = new Set(metrics);
  const openEdge = (metric: Metric) => edges.get(metric)?.find(({ to }) => open.has(to));
  for (let before = 0; before !== open.size;) {
    before = open.size;
    for (const metric of open) if (openEdge(metric) === undefined) open.delete(metric);
  }
  // Each metric that is left depends on another one that is left.
  const trail: Metric[] = [];
  for (let [metric] = open; metric !== undefined;) {
    trail.push(metric);
    const edge = openEdge(metric);
    const from = trail.findIndex((each) => each === edge?.to);
    if (edge !== undefined && from !== -1)
      return {
        names: [...trail.slice(from), edge.to].map(({ name }) => name),
        entry: edge.entry,
      };
    metric = edge?.to;
  }
  return null;
}
