import type { z } from 'zod';
import { codePlaceOf, type Field } from '../documents/document.ts';
import type { BuiltInMetrics, MetricDefinition } from '../metrics/definition.ts';
import { boundsOf } from '../metrics/passing.ts';
import { boundsProblem } from '../metrics/range.ts';
import { didYouMean, nearest } from '../text/suggest.ts';
import type { Better, DependsOn, Metric, MetricLevel, MetricSource } from '../types/metric.ts';
import { isMap } from '../types/plain.ts';
import {
  type dependsOnSchema,
  type RawMetric,
  LEVELS,
  ownMetricSchema,
  metricSchema,
  flexEvalSchema,
  labelTexts,
  NO_BOUND,
} from './metric-schema.ts';
import { readGraders } from './models.ts';
import { checkItems } from './schema.ts';
import { withoutUndefined } from './settings.ts';

export function readMetrics(file: Field, builtIns: BuiltInMetrics): Metric[] {
  return distinctMetrics(
    writtenMetrics(file.at('metrics'), builtIns),
    builtIns,
    [],
    ({ place }) => `is already on line ${place.line}`,
  );
}

export function readOwnMetrics(
  reference: Field,
  suite: readonly Metric[],
  builtIns: BuiltInMetrics,
): { metrics?: Metric[] } {
  const field = reference.at('metrics');
  if (!field.isGiven) return {};
  const metrics = distinctMetrics(
    checkItems(field, ownMetricSchema),
    builtIns,
    suite,
    () => "is also defined for all references; give the reference's own metric another name",
  );
  return { metrics };
}

interface WrittenMetric {
  field: Field;
  value: RawMetric;
}

function distinctMetrics(
  written: readonly WrittenMetric[],
  builtIns: BuiltInMetrics,
  suite: readonly Metric[],
  fault: (earlier: Metric) => string,
): Metric[] {
  const metrics: Metric[] = [];
  for (const item of written) {
    const metric = readMetric(item, builtIns);
    if (metric === null) continue;
    const earlier = [...suite, ...metrics].find(({ name }) => name === metric.name);
    if (earlier === undefined) metrics.push(metric);
    else item.field.refuse(`the metric "${metric.name}" ${fault(earlier)}`);
  }
  return metrics;
}

function asUses(type: string, builtIns: readonly string[]): string {
  const uses = type === 'equals' ? 'exact_match' : nearest(type, builtIns);
  return uses === null ? 'name the metric with uses, rubric or code' : `write uses: ${uses}`;
}

function writtenMetrics(field: Field, builtIns: BuiltInMetrics): WrittenMetric[] {
  if (!isMap(field.value))
    return checkItems(field, metricSchema, (key, value) =>
      key === 'type' ? asUses(String(value), [...builtIns.keys()]) : null,
    );
  const listed = (kind: string, key: 'uses' | 'rubric') =>
    checkItems(field.at(kind), flexEvalSchema).map((item) => ({
      ...item,
      value: { ...item.value, [key]: item.value.name },
    }));
  return [...listed('function', 'uses'), ...listed('rubric', 'rubric')];
}

/** What reading one metric needs. `refuse` reports a problem at a key of the metric. */
interface MetricReader {
  field: Field;
  written: RawMetric;
  builtIns: BuiltInMetrics;
  refuse(key: readonly string[] | string, message: string): void;
}

function readMetric(
  { field, value: written }: WrittenMetric,
  builtIns: BuiltInMetrics,
): Metric | null {
  const { place } = field;
  const name = written.name ?? written.uses ?? written.rubric;
  const subject = name === undefined ? field.name : `metric "${name}"`;
  const refuse = (key: readonly string[] | string, message: string) => {
    field.at(...[key].flat()).refuse(`${subject}: ${message}`);
  };
  const reader: MetricReader = { field, written, builtIns, refuse };
  const source = readSource(reader);
  if (source === null) return null;
  if (name === undefined) {
    refuse([], '"name" is missing');
    return null;
  }
  const builtIn = source.kind === 'built-in' ? builtIns.get(source.uses) : undefined;
  const level = readLevel(source, builtIn, reader);
  const { file: valuesFile } = field.at('with').place;
  return {
    name,
    source,
    threshold: written.threshold ?? null,
    ...readPassRules(source, builtIn, reader),
    level,
    ...readSide(level, reader),
    ...readEvery(reader),
    depends_on: (written.depends_on ?? []).map((entry, index) =>
      dependsOn(entry, field.at('depends_on', index)),
    ),
    skip: written.skip ?? false,
    ...ownGraders(source, builtIn, reader),
    ...(source.kind === 'code' && { codeAt: codePlaceOf(field.at('code'), source.code) }),
    ...(valuesFile !== place.file && { valuesFile }),
    ...definitionOf(source, builtIns),
    place,
  };
}

function readLevel(
  { kind }: MetricSource,
  builtIn: MetricDefinition | undefined,
  { written, refuse }: MetricReader,
): MetricLevel {
  const { metric_level, level: short = 'Turn' } = written;
  const level = metric_level ?? short;
  const own = builtIn?.levels ?? LEVELS.filter((word) => word !== 'ToolCall');
  if (kind !== 'rubric' && !own.includes(level))
    refuse(
      metric_level === undefined ? 'level' : 'metric_level',
      `${written.uses ?? 'code'} cannot judge level ${level}; it can judge ${own.join(', ')}`,
    );
  return level;
}

function readSource(reader: MetricReader): MetricSource | null {
  const { field, written, refuse } = reader;
  const given = (['uses', 'rubric', 'code'] as const).filter((key) => written[key] !== undefined);
  if (given.length !== 1) {
    const name = written.name === undefined ? field.name : `metric "${written.name}"`;
    field.refuse(`${name} needs exactly one of uses, rubric and code`);
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

function readBuiltIn({ field, written, builtIns, refuse }: MetricReader): MetricSource | null {
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
  const text = field.at(key, 'value').spelled(parameters['value']);
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

function readEvery({ field, written }: MetricReader): Pick<Metric, 'every'> {
  const { every = false, all = false } = written;
  if (all && typeof every === 'number' && every < 1)
    field
      .at('all')
      .refuse(
        `all: true requires every turn to pass, but every: ${every} requires only ` +
          'that share of them; keep one',
      );
  const share = all ? 1 : every === true ? HALF : Number(every);
  return share > 0 ? { every: share } : {};
}

export function definitionOf(
  source: MetricSource,
  builtIns: BuiltInMetrics,
): Pick<Metric, 'definition'> {
  const builtIn = source.kind === 'built-in' ? builtIns.get(source.uses) : undefined;
  if (source.kind !== 'built-in' || builtIn === undefined) return {};
  const { better, needs, limits } = builtIn;
  const expects = builtIn.usesExpected(source.with);
  const asks = needs.model ? 'model' : needs.embeddings ? 'embeddings' : null;
  return {
    definition: {
      better,
      ...(asks && { asks }),
      ...(needs.ownModel && { ownModel: needs.ownModel }),
      ...(expects && { expects }),
      ...(limits && { limits }),
    },
  };
}

function readPassRules(
  source: MetricSource,
  builtIn: MetricDefinition | undefined,
  { field, written, refuse }: MetricReader,
): Pick<Metric, 'better' | 'min' | 'max' | 'pass'> {
  const { better, min, max } = written;
  const own = builtIn?.better ?? 'none';
  refuseContradictions(source, written, refuse);
  if (better !== undefined && own !== 'none' && own !== better)
    refuse('better', `for ${written.uses ?? ''}, ${own} values are always better; remove this key`);
  if (builtIn !== undefined) refuseBounds(written, better ?? own, builtIn.range, refuse);
  const pass = labelTexts(field.at('pass'), written.pass);
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

function refuseContradictions(
  { kind }: MetricSource,
  { min, max, threshold, pass }: RawMetric,
  refuse: MetricReader['refuse'],
): void {
  const bounds = { threshold, min, max };
  const [bounded] = (['threshold', 'min', 'max'] as const).filter(
    (key) => bounds[key] !== undefined,
  );
  if (pass !== undefined && kind !== 'rubric')
    refuse(
      'pass',
      'pass is only for the labels of a rubric; for numbers, use min, max or threshold',
    );
  else if (pass !== undefined && bounded !== undefined)
    refuse('pass', `pass and ${bounded} both define what passes; keep one of them`);
  if (threshold !== undefined && (min ?? max) !== undefined)
    refuse('threshold', 'threshold cannot be combined with min or max; keep one of them');
  if (min !== undefined && max !== undefined && min > max)
    refuse('max', `max ${max} is below min ${min}, so nothing can pass`);
}

function ownGraders(
  { kind }: MetricSource,
  builtIn: MetricDefinition | undefined,
  { field, written, refuse }: MetricReader,
): Pick<Metric, 'graders'> {
  const graders = readGraders(field.at('grader'), written.grader);
  if (written.grader !== undefined && kind !== 'rubric' && builtIn?.needs.model !== true)
    refuse('grader', 'grader is only for metrics that a model grades, such as a rubric');
  return graders.length === 0 ? {} : { graders };
}

function dependsOn(entry: z.output<typeof dependsOnSchema>, { place }: Field): DependsOn {
  const { with: values = null, ...given } = withoutUndefined(entry);
  return {
    type: null,
    kwargs: values,
    metric_name: null,
    metric_level: null,
    relative_object_position: 0,
    metric_min_value: -NO_BOUND,
    metric_max_value: NO_BOUND,
    ...given,
    place,
  };
}
