import { codePlaceOf, type Field } from '../documents/document.ts';
import type { BuiltInMetrics, MetricDefinition } from '../metrics/definition.ts';
import { boundsOf } from '../metrics/passing.ts';
import { boundsProblem } from '../metrics/range.ts';
import { didYouMean, nearest } from '../text/suggest.ts';
import type { Metric, MetricSource } from '../types/metric.ts';
import { isMap, type Json } from '../types/plain.ts';
import {
  type RawMetric,
  LEVELS,
  ownMetricSchema,
  metricSchema,
  flexEvalSchema,
  labelTexts,
} from './metric-schema.ts';
import { readGraders } from './models.ts';
import { alreadyAt, checkItems } from './schema.ts';
import { withoutUndefined } from './settings.ts';

interface WrittenMetric {
  field: Field;
  value: RawMetric;
}

export function readMetrics(file: Field, builtIns: BuiltInMetrics): Metric[] {
  return distinctMetrics(writtenMetrics(file.at('metrics'), builtIns), [], builtIns);
}

export function readOwnMetrics(
  reference: Field,
  suite: readonly Metric[],
  builtIns: BuiltInMetrics,
): Metric[] {
  return distinctMetrics(checkItems(reference.at('metrics'), ownMetricSchema), suite, builtIns);
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

function asUses(type: string, builtIns: readonly string[]): string {
  const uses = type === 'equals' ? 'exact_match' : nearest(type, builtIns);
  return uses === null ? 'name the metric with uses, rubric or code' : `write uses: ${uses}`;
}

function distinctMetrics(
  written: readonly WrittenMetric[],
  suite: readonly Metric[],
  builtIns: BuiltInMetrics,
): Metric[] {
  const metrics: Metric[] = [];
  for (const item of written) {
    const metric = readMetric(item, builtIns);
    if (metric === null) continue;
    const { name, place } = metric;
    const earlier = [...suite, ...metrics].find((each) => each.name === name);
    if (earlier === undefined) metrics.push(metric);
    else item.field.refuse(`the metric "${name}" is already ${alreadyAt(earlier.place, place)}`);
  }
  return metrics;
}

const KINDS = ['uses', 'rubric', 'code'] as const;

function readMetric(
  { field, value: written }: WrittenMetric,
  builtIns: BuiltInMetrics,
): Metric | null {
  const { name = written.uses ?? written.rubric, uses, rubric, code } = written;
  const subject = name === undefined ? field.name : `metric "${name}"`;
  const refuse = (path: readonly string[], message: string) => {
    field.at(...path).refuse(`${subject}: ${message}`);
    return null;
  };
  if (KINDS.filter((key) => written[key] !== undefined).length !== 1) {
    field.refuse(`${subject} needs exactly one of uses, rubric and code`);
    return null;
  }
  if (name === undefined) return refuse([], '"name" is missing');
  const builtIn = builtIns.get(uses ?? '');
  if (uses !== undefined && builtIn === undefined)
    return refuse(
      ['uses'],
      `there is no built-in metric "${uses}"${didYouMean(uses, [...builtIns.keys()])}`,
    );
  const parameters = builtIn === undefined ? {} : readMetricParameters(field, written, builtIn);
  for (const { key, isBroken, message } of RULES)
    if (isBroken(written, builtIn)) refuse([key], message(written, builtIn));
  for (const { path, message } of builtIn === undefined
    ? []
    : flawsOf(parameters, written, builtIn))
    refuse(path, message);
  const source: MetricSource =
    uses !== undefined
      ? { kind: 'built-in', uses, with: parameters }
      : rubric === undefined
        ? { kind: 'code', language: written.language ?? 'python', code: code ?? '' }
        : { kind: 'rubric', rubric };
  return fromWritten({ field, value: { ...written, name } }, source, builtIns);
}

function fromWritten(
  { field, value: { name, ...written } }: { field: Field; value: RawMetric & { name: string } },
  source: MetricSource,
  builtIns: BuiltInMetrics,
): Metric {
  const { place } = field;
  const { threshold = null, better, min, max, of = 'assistant', depends_on = [] } = written;
  const graders = readGraders(field.at('grader'), written.grader);
  const valuesFile = field.at('with').place.file;
  const every = shareOf(written);
  return {
    name,
    source,
    threshold,
    ...withoutUndefined({ better, min, max, pass: labelTexts(field.at('pass'), written.pass) }),
    level: levelIn(written),
    ...(of !== 'assistant' && { of }),
    ...(every > 0 && { every }),
    depends_on: depends_on.map((entry, index) => ({
      ...entry,
      place: field.at('depends_on', index).place,
    })),
    skip: written.skip ?? false,
    ...(graders.length > 0 && { graders }),
    ...(source.kind === 'code' && { codeAt: codePlaceOf(field.at('code'), source.code) }),
    ...(valuesFile !== place.file && { valuesFile }),
    ...definitionOf(source, builtIns),
    place,
  };
}

/** The share of a dialogue's turns (or other parts) that must pass by default. */
const HALF = 0.5;

function shareOf({ every = false, all = false }: RawMetric): number {
  if (all) return 1;
  return every === true ? HALF : Number(every);
}

function levelIn({ metric_level, level = 'Turn' }: RawMetric): Metric['level'] {
  return metric_level ?? level;
}

function readMetricParameters(
  field: Field,
  written: RawMetric,
  builtIn: MetricDefinition,
): Record<string, Json> {
  const parameters = { ...written.kwargs, ...written.with };
  const text = field.at(parametersKey(written), 'value').spelled(parameters['value']);
  if (text !== undefined && builtIn.expects(parameters)?.reads === 'text')
    parameters['value'] = text;
  return parameters;
}

function parametersKey(written: RawMetric): 'with' | 'kwargs' {
  return written.with === undefined ? 'kwargs' : 'with';
}

/** Wrong parameters and bounds of a built-in metric. */
function flawsOf(
  parameters: Record<string, Json>,
  written: RawMetric,
  builtIn: MetricDefinition,
): { path: string[]; message: string }[] {
  const key = parametersKey(written);
  const flaws = builtIn.problems(parameters).map((message) => {
    const [, at = ''] = /^with\.(\w+)/.exec(message) ?? [];
    return { path: Object.hasOwn(written[key] ?? {}, at) ? [key, at] : [key], message };
  });
  const { threshold, min, max, better = builtIn.better } = written;
  const stated = withoutUndefined({ threshold: threshold ?? null, min, max });
  const wrong = boundsProblem(boundsOf(stated, better), builtIn.range);
  const [bound = 'max'] = boundsIn(written);
  return wrong === null ? flaws : [...flaws, { path: [bound], message: `${bound}: ${wrong}` }];
}

function boundsIn(written: RawMetric): ('threshold' | 'min' | 'max')[] {
  return (['threshold', 'min', 'max'] as const).filter((key) => written[key] !== undefined);
}

/** A rule between the keys of a metric, and what to say where it is broken. */
interface MetricRule {
  key: keyof RawMetric;
  isBroken(written: RawMetric, builtIn: MetricDefinition | undefined): boolean;
  message(written: RawMetric, builtIn: MetricDefinition | undefined): string;
}

const NO_PARAMETERS =
  'parameters are only for uses; write threshold, min, max, better, pass or grader beside ' +
  'the rubric or the code';

const levelRule = (key: 'level' | 'metric_level'): MetricRule => ({
  key,
  isBroken: (written, builtIn) =>
    written.rubric === undefined &&
    written[key] !== undefined &&
    !levelsOf(builtIn).includes(levelIn(written)),
  message: (written, builtIn) =>
    `${written.uses ?? 'code'} cannot judge level ${levelIn(written)}; it can judge ` +
    levelsOf(builtIn).join(', '),
});

function levelsOf(builtIn: MetricDefinition | undefined): readonly Metric['level'][] {
  return builtIn?.levels ?? LEVELS.filter((word) => word !== 'ToolCall');
}

const onlyFor = (
  key: keyof RawMetric,
  kind: (typeof KINDS)[number],
  message: string,
): MetricRule => ({
  key,
  isBroken: (written) => written[key] !== undefined && written[kind] === undefined,
  message: () => message,
});

const RULES: readonly MetricRule[] = [
  onlyFor('with', 'uses', NO_PARAMETERS),
  onlyFor('kwargs', 'uses', NO_PARAMETERS),
  onlyFor('language', 'code', 'language is only for code'),
  onlyFor(
    'pass',
    'rubric',
    'pass is only for the labels of a rubric; for numbers, use min, max or threshold',
  ),
  levelRule('level'),
  levelRule('metric_level'),
  {
    key: 'grader',
    isBroken: ({ grader, rubric }, builtIn) =>
      grader !== undefined && rubric === undefined && builtIn?.needs.model !== true,
    message: () => 'grader is only for metrics that a model grades, such as a rubric',
  },
  {
    key: 'of',
    isBroken: (written) =>
      written.of === 'user' && ['Thread', 'ToolCall'].includes(levelIn(written)),
    message: (written) => `of: user has no level ${levelIn(written)}; use Turn or Message`,
  },
  {
    key: 'all',
    isBroken: ({ all, every }) => all === true && typeof every === 'number' && every < 1,
    message: ({ every }) =>
      `all: true requires every turn to pass, but every: ${String(every)} requires only that ` +
      'share of them; keep one',
  },
  {
    key: 'better',
    isBroken: ({ better }, builtIn) =>
      better !== undefined && !['none', better].includes(builtIn?.better ?? 'none'),
    message: ({ uses = '' }, builtIn) =>
      `for ${uses}, ${builtIn?.better ?? ''} values are always better; remove this key`,
  },
  {
    key: 'pass',
    isBroken: (written) =>
      written.pass !== undefined && written.rubric !== undefined && boundsIn(written).length > 0,
    message: (written) =>
      `pass and ${boundsIn(written)[0] ?? ''} both define what passes; keep one of them`,
  },
  {
    key: 'threshold',
    isBroken: ({ threshold, min, max }) => threshold !== undefined && (min ?? max) !== undefined,
    message: () => 'threshold cannot be combined with min or max; keep one of them',
  },
  {
    key: 'max',
    isBroken: ({ min, max }) => min !== undefined && max !== undefined && min > max,
    message: ({ min, max }) =>
      `max ${String(max)} is below min ${String(min)}, so nothing can pass`,
  },
];

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
      ...(expects && { expects }),
      ...(limits && { limits }),
    },
  };
}
