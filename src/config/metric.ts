import type { z } from 'zod';
import { codePlaceOf, pathText, type Document, type Path, valueAt } from '../documents/document.ts';
import { problem } from '../errors.ts';
import type { BuiltInMetrics } from '../metrics/definition.ts';
import { boundsOf } from '../metrics/passing.ts';
import { boundsProblem } from '../metrics/range.ts';
import { nearest } from '../text/suggest.ts';
import type { Better, DependsOn, Metric, MetricLevel, MetricSource } from '../types/metric.ts';
import { isMap, type Problem } from '../types/plain.ts';
import type { dependsOnSchema, RawMetric } from './metric-schema.ts';
import {
  ownMetricSchema,
  metricSchema,
  flexEvalSchema,
  labelTexts,
  levelOf,
  NO_BOUND,
} from './metric-schema.ts';
import { readSource, levelsOf } from './metric-source.ts';
import { readGraders } from './models.ts';
import { checkItems } from './schema.ts';
import { withoutUndefined } from './settings.ts';

export function readMetrics(
  document: Document,
  builtIns: BuiltInMetrics,
  problems: Problem[],
): Metric[] {
  const metrics: Metric[] = [];
  for (const { path, value } of writtenMetrics(document, builtIns, problems)) {
    const metric = readMetric(document, path, value, builtIns, problems);
    if (metric === null) continue;
    const earlier = metrics.find(({ name }) => name === metric.name);
    if (earlier !== undefined) {
      const message = `the metric "${metric.name}" is already on line ${earlier.place.line}`;
      problems.push(problem(metric.place, message));
    } else {
      metrics.push(metric);
    }
  }
  return metrics;
}

export function readOwnMetrics(
  document: Document,
  path: Path,
  suite: readonly Metric[],
  builtIns: BuiltInMetrics,
  problems: Problem[],
): Metric[] {
  const metrics: Metric[] = [];
  for (const item of checkItems(document, [...path, 'metrics'], ownMetricSchema, problems)) {
    const metric = readMetric(document, item.path, item.value, builtIns, problems);
    if (metric === null) continue;
    const twice = [...suite, ...metrics].some(({ name }) => name === metric.name);
    if (twice) {
      const message =
        `the metric "${metric.name}" is also defined for all references; give the ` +
        "reference's own metric another name";
      problems.push(problem(metric.place, message));
    } else metrics.push(metric);
  }
  return metrics;
}

function asUses(type: string, builtIns: readonly string[]): string {
  const uses = type === 'equals' ? 'exact_match' : nearest(type, builtIns);
  return uses === null ? 'name the metric with uses, rubric or code' : `write uses: ${uses}`;
}

function writtenMetrics(
  document: Document,
  builtIns: BuiltInMetrics,
  problems: Problem[],
): { path: Path; value: RawMetric }[] {
  if (!isMap(valueAt(document.value, ['metrics'])))
    return checkItems(document, ['metrics'], metricSchema, problems, (key, value) =>
      key === 'type' ? asUses(String(value), [...builtIns.keys()]) : null,
    );
  return [
    ...checkItems(document, ['metrics', 'function'], flexEvalSchema, problems).map(
      ({ path, value }) => ({ path, value: { ...value, uses: value.name } }),
    ),
    ...checkItems(document, ['metrics', 'rubric'], flexEvalSchema, problems).map(
      ({ path, value }) => ({ path, value: { ...value, rubric: value.name } }),
    ),
  ];
}

function readMetric(
  document: Document,
  path: Path,
  written: RawMetric,
  builtIns: BuiltInMetrics,
  problems: Problem[],
): Metric | null {
  const place = document.placeOf(path);
  const source = readSource(document, path, written, builtIns, problems);
  const name = written.name ?? written.uses ?? written.rubric;
  if (source === null) return null;
  if (name === undefined) {
    problems.push(problem(place, `${pathText(path)}: "name" is missing`));
    return null;
  }
  const { key, level } = writtenLevel(written);
  const every = neededShare(document, path, written, problems);
  const at = levelsOf(source, builtIns);
  if (!at.includes(level)) {
    const message =
      `metric "${name}": ${source.kind === 'built-in' ? source.uses : 'code'} cannot judge ` +
      `level ${level}; it can judge ${at.join(', ')}`;
    problems.push(problem(document.placeOf([...path, key]), message));
  }
  return {
    name,
    source,
    threshold: written.threshold ?? null,
    ...readPassRules(document, path, written, source, builtIns, problems),
    level,
    ...readSide(document, path, written, name, level, problems),
    ...(every > 0 ? { every } : {}),
    depends_on: (written.depends_on ?? []).map((entry, index) =>
      dependsOn(entry, document, [...path, 'depends_on', index]),
    ),
    skip: written.skip ?? false,
    ...ownGraders(document, path, written, source, builtIns, problems),
    ...(source.kind === 'code'
      ? { codeAt: codePlaceOf(document, [...path, 'code'], source.code) }
      : {}),
    ...valuesFile(document, path, place.file),
    ...definitionOf(source, builtIns),
    place,
  };
}

function readSide(
  document: Document,
  path: Path,
  { of = 'assistant' }: RawMetric,
  name: string,
  level: MetricLevel,
  problems: Problem[],
): Pick<Metric, 'of'> {
  if (of === 'user' && (level === 'Thread' || level === 'ToolCall')) {
    const message = `metric "${name}": of: user has no level ${level}; use Turn or Message`;
    problems.push(problem(document.placeOf([...path, 'of']), message));
  }
  return of === 'assistant' ? {} : { of };
}

/** The share of a dialogue's turns (or other parts) that must pass by default. */
const HALF = 0.5;

function neededShare(
  document: Document,
  path: Path,
  { every = false, all = false }: RawMetric,
  problems: Problem[],
): number {
  if (all && typeof every === 'number' && every < 1)
    problems.push(
      problem(
        document.placeOf([...path, 'all']),
        `all: true requires every turn to pass, but every: ${String(every)} requires only ` +
          'that share of them; keep one',
      ),
    );
  return all ? 1 : every === true ? HALF : Number(every);
}

export function definitionOf(
  source: MetricSource,
  builtIns: BuiltInMetrics,
): Pick<Metric, 'definition'> {
  const found = source.kind === 'built-in' ? builtIns.get(source.uses) : undefined;
  if (found === undefined) return {};
  const { better, needs, limits } = found;
  const expects = source.kind === 'built-in' && found.usesExpected(source.with);
  const asks = needs.model ? 'model' : needs.embeddings ? 'embeddings' : null;
  return {
    definition: {
      better,
      ...(asks && { asks }),
      ...(expects && { expects }),
      ...(limits && { limits }),
    },
  };
}

function valuesFile(document: Document, path: Path, own: string): Pick<Metric, 'valuesFile'> {
  const { file } = document.placeOf([...path, 'with']);
  return file === own ? {} : { valuesFile: file };
}

function readPassRules(
  document: Document,
  path: Path,
  written: RawMetric,
  source: MetricSource,
  builtIns: BuiltInMetrics,
  problems: Problem[],
): Pick<Metric, 'better' | 'min' | 'max' | 'pass'> {
  const { better, min, max } = written;
  const name = written.name ?? written.uses ?? written.rubric ?? pathText(path);
  const builtIn = source.kind === 'built-in' ? builtIns.get(source.uses) : undefined;
  const own = builtIn?.better;
  for (const [key, message] of [
    ...rulesProblems(written, source),
    ...directionProblems(written, source, own),
    ...(builtIn === undefined
      ? []
      : rangeProblems(written, better ?? builtIn.better, builtIn.range)),
  ])
    problems.push(problem(document.placeOf([...path, key]), `metric "${name}": ${message}`));
  const pass = labelTexts(document, [...path, 'pass'], written.pass);
  return withoutUndefined({ better, min, max, pass });
}

function rangeProblems(
  { threshold, min, max }: RawMetric,
  better: Better,
  range: string,
): [string, string][] {
  const stated = withoutUndefined({ threshold: threshold ?? null, min, max });
  const found = boundsProblem(boundsOf(stated, better), range);
  const key = threshold !== undefined ? 'threshold' : min === undefined ? 'max' : 'min';
  return found === null ? [] : [[key, `${key}: ${found}`]];
}

function rulesProblems(
  { min, max, threshold, pass }: RawMetric,
  { kind }: MetricSource,
): [string, string][] {
  const found: [string, string][] = [];
  const bounds = { threshold, min, max };
  const [bounded] = (['threshold', 'min', 'max'] as const).filter(
    (key) => bounds[key] !== undefined,
  );
  if (pass !== undefined && kind !== 'rubric')
    found.push([
      'pass',
      'pass is only for the labels of a rubric; for numbers, use min, max or threshold',
    ]);
  else if (pass !== undefined && bounded !== undefined)
    found.push(['pass', `pass and ${bounded} both define what passes; keep one of them`]);
  if (threshold !== undefined && (min ?? max) !== undefined)
    found.push(['threshold', 'threshold cannot be combined with min or max; keep one of them']);
  if (min !== undefined && max !== undefined && min > max)
    found.push(['max', `max ${String(max)} is below min ${String(min)}, so nothing can pass`]);
  return found;
}

function directionProblems(
  { better }: RawMetric,
  source: MetricSource,
  own: Better | undefined,
): [string, string][] {
  if (source.kind !== 'built-in' || better === undefined) return [];
  if (own === undefined || own === 'none' || own === better) return [];
  return [['better', `for ${source.uses}, ${own} values are always better; remove this key`]];
}

function ownGraders(
  document: Document,
  path: Path,
  { grader, name }: RawMetric,
  source: MetricSource,
  builtIns: BuiltInMetrics,
  problems: Problem[],
): Pick<Metric, 'graders'> {
  const at = [...path, 'grader'];
  const graders = readGraders(document, at, grader, problems);
  const graded =
    source.kind === 'rubric' ||
    (source.kind === 'built-in' && builtIns.get(source.uses)?.needs.model === true);
  if (grader !== undefined && !graded) {
    const message =
      `metric "${name ?? pathText(path)}": grader is only for metrics that a model grades, such ` +
      'as a rubric';
    problems.push(problem(document.placeOf(at), message));
  }
  return graders.length === 0 ? {} : { graders };
}

function writtenLevel({ metric_level, level }: RawMetric): { key: string; level: MetricLevel } {
  return {
    key: metric_level === undefined ? 'level' : 'metric_level',
    level: levelOf(metric_level ?? level ?? 'Turn') ?? 'Turn',
  };
}

function dependsOn(
  entry: z.output<typeof dependsOnSchema>,
  document: Document,
  path: Path,
): DependsOn {
  return {
    name: entry.name,
    type: entry.type ?? null,
    kwargs: entry.kwargs ?? entry.with ?? null,
    metric_name: entry.metric_name ?? null,
    metric_level: entry.metric_level === undefined ? null : levelOf(entry.metric_level),
    relative_object_position: entry.relative_object_position ?? 0,
    metric_min_value: entry.metric_min_value ?? -NO_BOUND,
    metric_max_value: entry.metric_max_value ?? NO_BOUND,
    place: document.placeOf(path),
  };
}
