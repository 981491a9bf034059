import type { z } from 'zod';
import {
  asWritten,
  codePlaceOf,
  pathText,
  type Document,
  type Path,
  valueAt,
} from '../documents/document.ts';
import { problem } from '../errors.ts';
import type { BuiltInMetrics } from '../metrics/definition.ts';
import { boundsOf } from '../metrics/passing.ts';
import { boundsProblem } from '../metrics/range.ts';
import { didYouMean, nearest } from '../text/suggest.ts';
import type { Better, DependsOn, Metric, MetricLevel, MetricSource } from '../types/metric.ts';
import { isMap, type Problem } from '../types/plain.ts';
import {
  type dependsOnSchema,
  type RawMetric,
  LEVELS,
  ownMetricSchema,
  metricSchema,
  flexEvalSchema,
  labelTexts,
  levelOf,
  NO_BOUND,
} from './metric-schema.ts';
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
): { metrics?: Metric[] } {
  if (valueAt(document.value, [...path, 'metrics']) === undefined) return {};
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
  return { metrics };
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

/** What reading one metric needs. `refuse` reports a problem at a key of the metric. */
interface MetricReader {
  document: Document;
  path: Path;
  written: RawMetric;
  builtIns: BuiltInMetrics;
  problems: Problem[];
  refuse(key: string | Path, message: string): void;
}

function readMetric(
  document: Document,
  path: Path,
  written: RawMetric,
  builtIns: BuiltInMetrics,
  problems: Problem[],
): Metric | null {
  const place = document.placeOf(path);
  const name = written.name ?? written.uses ?? written.rubric;
  const refuse = (key: string | Path, message: string): void => {
    const subject = name === undefined ? pathText(path) : `metric "${name}"`;
    problems.push(problem(document.placeOf([...path, key].flat()), `${subject}: ${message}`));
  };
  const reader: MetricReader = { document, path, written, builtIns, problems, refuse };
  const source = readSource(reader);
  if (source === null) return null;
  if (name === undefined) {
    refuse([], '"name" is missing');
    return null;
  }
  const level = readLevel(source, reader);
  const every = neededShare(reader);
  const { file: valuesFile } = document.placeOf([...path, 'with']);
  return {
    name,
    source,
    threshold: written.threshold ?? null,
    ...readPassRules(source, reader),
    level,
    ...readSide(level, reader),
    ...(every > 0 ? { every } : {}),
    depends_on: (written.depends_on ?? []).map((entry, index) =>
      dependsOn(entry, document, [...path, 'depends_on', index]),
    ),
    skip: written.skip ?? false,
    ...ownGraders(source, reader),
    ...(source.kind === 'code'
      ? { codeAt: codePlaceOf(document, [...path, 'code'], source.code) }
      : {}),
    ...(valuesFile === place.file ? {} : { valuesFile }),
    ...definitionOf(source, builtIns),
    place,
  };
}

function readLevel(source: MetricSource, { written, builtIns, refuse }: MetricReader): MetricLevel {
  const { metric_level, level: short = 'Turn' } = written;
  const level = levelOf(metric_level ?? short) ?? 'Turn';
  const parts = LEVELS.filter((word) => word !== 'ToolCall');
  const own = source.kind === 'built-in' ? (builtIns.get(source.uses)?.levels ?? parts) : parts;
  if (source.kind !== 'rubric' && !own.includes(level))
    refuse(
      metric_level === undefined ? 'level' : 'metric_level',
      `${source.kind === 'built-in' ? source.uses : 'code'} cannot judge level ${level}; it can ` +
        `judge ${own.join(', ')}`,
    );
  return level;
}

function readSource(reader: MetricReader): MetricSource | null {
  const { document, path, written, problems, refuse } = reader;
  const given = (['uses', 'rubric', 'code'] as const).filter((key) => written[key] !== undefined);
  if (given.length !== 1) {
    const name = written.name === undefined ? pathText(path) : `metric "${written.name}"`;
    problems.push(
      problem(document.placeOf(path), `${name} needs exactly one of uses, rubric and code`),
    );
    return null;
  }
  if (written.uses === undefined) refuseParameters(written, refuse);
  if (written.code !== undefined)
    return { kind: 'code', language: written.language ?? 'python', code: written.code };
  if (written.language !== undefined) refuse('language', 'language is only for code');
  return written.rubric === undefined
    ? readBuiltIn(reader)
    : { kind: 'rubric', rubric: written.rubric };
}

function readBuiltIn({
  document,
  path,
  written,
  builtIns,
  refuse,
}: MetricReader): MetricSource | null {
  const { uses = '', with: values, kwargs } = written;
  const builtIn = builtIns.get(uses);
  if (builtIn === undefined) {
    refuse(
      'uses',
      `there is no built-in metric "${uses}"${didYouMean(uses, [...builtIns.keys()])}`,
    );
    return null;
  }
  const key = values === undefined ? 'kwargs' : 'with';
  const parameters = { ...kwargs, ...values };
  const text = asWritten(document, [...path, key, 'value'], parameters['value']);
  if (text !== undefined && builtIn.expects(parameters)?.reads === 'text')
    parameters['value'] = text;
  for (const message of builtIn.problems(parameters)) {
    const [, at = ''] = /^with\.(\w+)/.exec(message) ?? [];
    refuse(Object.hasOwn(written[key] ?? {}, at) ? [key, at] : key, message);
  }
  return { kind: 'built-in', uses, with: parameters };
}

function refuseParameters(written: RawMetric, refuse: MetricReader['refuse']): void {
  const kind = written.rubric === undefined ? 'code' : 'a rubric';
  for (const key of ['with', 'kwargs'] as const)
    for (const parameter of Object.keys(written[key] ?? {})) {
      const fix = Object.hasOwn(metricSchema.shape, parameter)
        ? `; write ${parameter} beside ${kind === 'code' ? 'code' : 'rubric'}`
        : didYouMean(parameter, [
            'better',
            'threshold',
            'min',
            'max',
            ...(kind === 'code' ? [] : ['pass', 'grader']),
          ]);
      refuse([key, parameter], `${key}.${parameter} is not read, ${kind} has no parameters${fix}`);
    }
}

function readSide(level: MetricLevel, { written, refuse }: MetricReader): Pick<Metric, 'of'> {
  const { of = 'assistant' } = written;
  if (of === 'user' && (level === 'Thread' || level === 'ToolCall'))
    refuse('of', `of: user has no level ${level}; use Turn or Message`);
  return of === 'assistant' ? {} : { of };
}

/** The share of a dialogue's turns (or other parts) that must pass by default. */
const HALF = 0.5;

function neededShare({ document, path, written, problems }: MetricReader): number {
  const { every = false, all = false } = written;
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

function readPassRules(
  source: MetricSource,
  { document, path, written, builtIns, refuse }: MetricReader,
): Pick<Metric, 'better' | 'min' | 'max' | 'pass'> {
  const { better, min, max } = written;
  const builtIn = source.kind === 'built-in' ? builtIns.get(source.uses) : undefined;
  const own = builtIn?.better ?? 'none';
  for (const [key, message] of rulesProblems(written, source)) refuse(key, message);
  if (better !== undefined && own !== 'none' && own !== better)
    refuse('better', `for ${written.uses ?? ''}, ${own} values are always better; remove this key`);
  if (builtIn !== undefined) refuseBounds(written, better ?? own, builtIn.range, refuse);
  const pass = labelTexts(document, [...path, 'pass'], written.pass);
  return withoutUndefined({ better, min, max, pass });
}

function refuseBounds(
  { threshold, min, max }: RawMetric,
  better: Better,
  range: string,
  refuse: MetricReader['refuse'],
): void {
  const stated = withoutUndefined({ threshold: threshold ?? null, min, max });
  const found = boundsProblem(boundsOf(stated, better), range);
  const key = threshold !== undefined ? 'threshold' : min === undefined ? 'max' : 'min';
  if (found !== null) refuse(key, `${key}: ${found}`);
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

function ownGraders(
  source: MetricSource,
  { document, path, written, builtIns, problems, refuse }: MetricReader,
): Pick<Metric, 'graders'> {
  const graders = readGraders(document, [...path, 'grader'], written.grader, problems);
  const graded =
    source.kind === 'rubric' ||
    (source.kind === 'built-in' && builtIns.get(source.uses)?.needs.model === true);
  if (written.grader !== undefined && !graded)
    refuse('grader', 'grader is only for metrics that a model grades, such as a rubric');
  return graders.length === 0 ? {} : { graders };
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
