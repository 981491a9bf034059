import { codePlaceOf, type Field } from '../documents/document.ts';
import type { BuiltInMetrics, MetricDefinition } from '../metrics/definition.ts';
import { boundsOf, boundsProblem } from '../metrics/passing.ts';
import { didYouMean, nearest } from '../text/suggest.ts';
import type { Metric, MetricSource } from '../types/metric.ts';
import { isMap, type Json } from '../types/plain.ts';
import {
  type RawMetric,
  LEVELS,
  writtenOwnMetric,
  writtenMetric,
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
  return distinctMetrics(checkItems(reference.at('metrics'), writtenOwnMetric), suite, builtIns);
}

function writtenMetrics(field: Field, builtIns: BuiltInMetrics): WrittenMetric[] {
  if (!isMap(field.value))
    return checkItems(field, writtenMetric, ({ path, value }) => {
      if (path.at(-1) === 'all') return 'to require all turns to pass, write every: 1';
      return path.at(-1) === 'type' ? asUses(String(value), [...builtIns.keys()]) : null;
    });
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

function readMetric(
  { field, value: written }: WrittenMetric,
  builtIns: BuiltInMetrics,
): Metric | null {
  const { name = written.uses ?? written.rubric } = written;
  const subject = name === undefined ? field.name : `metric "${name}"`;
  const builtIn = builtIns.get(written.uses ?? '');
  const parameters = parametersOf(field, written, builtIn);
  const flaws = [
    ...RULES.map((rule) => rule(written, builtIn, builtIns)).filter((flaw) => flaw !== false),
    ...(builtIn?.problems(parameters) ?? []).map((message) => parameterFlaw(message, written)),
  ];
  for (const [path, message] of flaws) field.at(...path).refuse(`${subject}: ${message}`);
  return name === undefined || flaws.length > 0
    ? null
    : fromWritten(field, { ...written, name }, parameters, builtIns);
}

function parametersOf(
  field: Field,
  written: RawMetric,
  builtIn: MetricDefinition | undefined,
): Record<string, Json> {
  const parameters = { ...written.kwargs, ...written.with };
  const value = field.at(parametersKey(written), 'value').spelled(parameters['value']);
  return value !== undefined && builtIn?.expects(parameters)?.reads === 'text'
    ? { ...parameters, value }
    : parameters;
}

function parametersKey(written: RawMetric): 'with' | 'kwargs' {
  return written.with === undefined ? 'kwargs' : 'with';
}

function parameterFlaw(message: string, written: RawMetric): MetricFlaw {
  const [, name = ''] = /^with\.(\w+)/.exec(message) ?? [];
  const key = parametersKey(written);
  return [Object.hasOwn(written[key] ?? {}, name) ? [key, name] : [key], message];
}

function fromWritten(
  field: Field,
  written: RawMetric & { name: string },
  parameters: Record<string, Json>,
  builtIns: BuiltInMetrics,
): Metric {
  const { place } = field;
  const { name, threshold = null, better, min, max, of = 'assistant', depends_on = [] } = written;
  const source = metricSource(written, parameters);
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

function metricSource(
  { uses, rubric, language = 'python', code = '', modules }: RawMetric,
  parameters: Record<string, Json>,
): MetricSource {
  if (uses !== undefined) return { kind: 'built-in', uses, with: parameters };
  return rubric === undefined
    ? { kind: 'code', language, code, ...(modules && { modules }) }
    : { kind: 'rubric', rubric };
}

/** The share of a dialogue's turns (or other parts) that must pass by default. */
const HALF = 0.5;

function shareOf({ every = false }: RawMetric): number {
  return every === true ? HALF : Number(every);
}

function levelIn({ metric_level, level = 'Turn' }: RawMetric): Metric['level'] {
  return metric_level ?? level;
}

function boundsIn(written: RawMetric): ('threshold' | 'min' | 'max')[] {
  return (['threshold', 'min', 'max'] as const).filter((key) => written[key] !== undefined);
}

/** The path of the wrong key, and what is wrong with it. */
type MetricFlaw = [path: string[], message: string];

/** A rule between the keys of a metric. `builtIn` is the metric that `uses` names. */
type MetricRule = (
  written: RawMetric,
  builtIn: MetricDefinition | undefined,
  builtIns: BuiltInMetrics,
) => MetricFlaw | false;

const RULES: readonly MetricRule[] = [
  ({ uses, rubric, code }) =>
    [uses, rubric, code].filter((each) => each !== undefined).length !== 1 && [
      [],
      'needs exactly one of uses, rubric and code',
    ],
  ({ name, code }) => code !== undefined && name === undefined && [[], '"name" is missing'],
  ({ uses }, builtIn, builtIns) =>
    uses !== undefined &&
    builtIn === undefined && [
      ['uses'],
      `there is no built-in metric "${uses}"${didYouMean(uses, [...builtIns.keys()])}`,
    ],
  (written) =>
    written.uses === undefined &&
    written[parametersKey(written)] !== undefined && [
      [parametersKey(written)],
      'parameters are only for uses; write threshold, min, max, better, pass or grader beside ' +
        'the rubric or the code',
    ],
  ({ language, code }) =>
    language !== undefined && code === undefined && [['language'], 'language is only for code'],
  (written, builtIn) => {
    const { rubric, uses, metric_level } = written;
    const level = levelIn(written);
    const known = builtIn?.levels ?? LEVELS.filter((word) => word !== 'ToolCall');
    const subject = uses ?? 'code';
    return (
      rubric === undefined &&
      !known.includes(level) && [
        [metric_level === undefined ? 'level' : 'metric_level'],
        `${subject} cannot judge level ${level}; it can judge ${known.join(', ')}`,
      ]
    );
  },
  ({ grader, rubric }, builtIn) =>
    grader !== undefined &&
    rubric === undefined &&
    builtIn?.needs.model !== true && [
      ['grader'],
      'grader is only for metrics that a model grades, such as a rubric',
    ],
  (written) =>
    written.of === 'user' &&
    ['Thread', 'ToolCall'].includes(levelIn(written)) && [
      ['of'],
      `of: user has no level ${levelIn(written)}; use Turn or Message`,
    ],
  ({ uses, better }, builtIn) =>
    uses !== undefined &&
    better !== undefined &&
    !['none', better].includes(builtIn?.better ?? 'none') && [
      ['better'],
      `for ${uses}, ${builtIn?.better ?? ''} values are always better; remove this key`,
    ],
  ({ pass, rubric }) =>
    pass !== undefined &&
    rubric === undefined && [
      ['pass'],
      'pass is only for the labels of a rubric; for numbers, use min, max or threshold',
    ],
  (written) => {
    const [bound] = boundsIn(written);
    return (
      written.pass !== undefined &&
      written.rubric !== undefined &&
      bound !== undefined && [
        ['pass'],
        `pass and ${bound} both define what passes; keep one of them`,
      ]
    );
  },
  ({ threshold, min, max }) =>
    threshold !== undefined &&
    (min ?? max) !== undefined && [
      ['threshold'],
      'threshold cannot be combined with min or max; keep one of them',
    ],
  ({ min, max }) =>
    min !== undefined &&
    max !== undefined &&
    min > max && [['max'], `max ${max} is below min ${min}, so nothing can pass`],
  (written, builtIn) => {
    const { threshold = null, min, max, better = builtIn?.better ?? 'none' } = written;
    const bounds = boundsOf({ threshold, ...withoutUndefined({ min, max }) }, better);
    const wrong = builtIn === undefined ? null : boundsProblem(bounds, builtIn.range);
    const [key = ''] = boundsIn(written);
    return wrong !== null && [[key], `${key}: ${wrong}`];
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
      ...(needs.ownModel && { ownModel: needs.ownModel }),
      ...(expects && { expects }),
      ...(limits && { limits }),
    },
  };
}
