import { z } from 'zod';
import { codePlaceOf, pathText, type Document, type Path, valueAt } from '../documents/document.ts';
import { problem } from '../errors.ts';
import type { BuiltInMetrics } from '../suite/metrics.ts';
import { suggestion } from '../text/suggest.ts';
import type { Better, DependsOn, Metric, MetricLevel, MetricSource } from '../types/metric.ts';
import { isMap, type Problem, type Scalar } from '../types/plain.ts';
import { gradersSchema, readGraders } from './models.ts';
import {
  anything,
  checkItems,
  closed,
  filled,
  flag,
  listOf,
  mapOf,
  number,
  oneOf,
  scalar,
  anyText,
} from './schema.ts';
import { defined } from './settings.ts';

const LEVELS: readonly MetricLevel[] = ['Message', 'Turn', 'Thread', 'ToolCall'];

const LANGUAGES = ['python', 'javascript'] as const;

const UNBOUNDED = Number.MAX_VALUE;

/** FlexEval's guide writes levels in lower case, its code with capitals. */
const level = () =>
  anyText()
    .refine((word) => levelOf(word) !== null, { error: `must be one of ${LEVELS.join(', ')}` })
    .meta({ enum: [...LEVELS, ...LEVELS.map((word) => word.toLowerCase())] });

export const BETTER = ['higher', 'lower', 'none'] as const;

/** One label or several; YAML reads some labels as numbers or truth values. */
export const labels = () =>
  z.union([scalar(), listOf(scalar()).min(1, { error: 'must name at least one label' })], {
    error: 'must be a label or a list of labels',
  });

/** Labels as text, however YAML read them. */
export function labelsOf(written: Scalar | Scalar[] | undefined): string[] | undefined {
  return written === undefined ? undefined : [written].flat().map(String);
}

const parameters = () => mapOf(anything(), 'a map of values');

const dependsOnSchema = closed({
  name: filled().describe('The metric that must hold: its name, its function or its rubric.'),
  type: oneOf(['function', 'rubric'])
    .describe('What kind of metric it is; absent: either.')
    .optional(),
  kwargs: parameters().describe('Parameters that the metric must have been given.').optional(),
  with: parameters().describe('The same as kwargs.').optional(),
  metric_name: filled()
    .describe('Of FlexEval’s files, without effect: name says which metric is meant.')
    .optional(),
  metric_level: level().describe('Level of that metric.').optional(),
  relative_object_position: z
    .int({ error: 'must be 0 or a negative whole number' })
    .max(0, { error: 'must be 0 or a negative whole number' })
    .describe('Which turn or message is looked at: 0 the same (the default), -1 the one before.')
    .optional(),
  metric_min_value: number(-UNBOUNDED, UNBOUNDED)
    .describe('The condition holds from this value.')
    .optional(),
  metric_max_value: number(-UNBOUNDED, UNBOUNDED)
    .describe('The condition holds up to this value.')
    .optional(),
});

const metricSchema = closed({
  name: filled()
    .describe('Name of the metric; unique in the suite. Default: what it uses.')
    .optional(),
  uses: filled().describe('Name of a built-in metric.').optional(),
  with: parameters().describe('Parameters of the built-in metric.').optional(),
  kwargs: parameters().describe('The same as with.').optional(),
  rubric: filled().describe('Name of a rubric that a model grades by.').optional(),
  code: filled()
    .describe('Code that sees prompt, actual, input and expected, and sets metric and result.')
    .optional(),
  language: oneOf(LANGUAGES).describe('Language of the code. Default: python.').optional(),
  threshold: number(-UNBOUNDED, UNBOUNDED)
    .describe(
      'Value that the metric has to reach (where less is better: not to exceed) to pass. Default: the metric’s own rule.',
    )
    .optional(),
  better: oneOf(BETTER)
    .describe(
      'Which way its value should move, where neither the built-in metric nor the rubric says it.',
    )
    .optional(),
  min: number(-UNBOUNDED, UNBOUNDED).describe('Smallest value that passes.').optional(),
  max: number(-UNBOUNDED, UNBOUNDED).describe('Largest value that passes.').optional(),
  pass: labels()
    .describe('Labels of the rubric that pass, in place of the rubric’s own.')
    .optional(),
  metric_level: level()
    .describe('What it judges: Turn (the default), Message, Thread or ToolCall.')
    .optional(),
  level: level().describe('The same as metric_level.').optional(),
  depends_on: listOf(dependsOnSchema)
    .describe('Conditions on other metrics; where one does not hold, the metric is skipped.')
    .optional(),
  skip: flag().describe('It runs and is shown, but does not gate.').optional(),
  grader: gradersSchema
    .describe('The models that grade it, in place of the settings’ grader.')
    .optional(),
});

/** FlexEval's form: what a metric is made of follows from the list it stands in. */
const flexEvalSchema = metricSchema
  .omit({ uses: true, rubric: true, code: true, language: true, with: true })
  .required({ name: true });

/**
 * A metric of one reference alone; conditions look at the suite's metrics, which it is not among.
 */
export const ownMetricSchema = metricSchema.omit({ depends_on: true });

export const metricsSchema = z.union(
  [
    listOf(metricSchema),
    closed({
      function: listOf(flexEvalSchema).describe('Built-in metrics, in FlexEval’s form.').optional(),
      rubric: listOf(flexEvalSchema).describe('Rubrics, in FlexEval’s form.').optional(),
    }),
  ],
  { error: 'must be a list of metrics' },
);

type Written = z.output<typeof metricSchema>;

/**
 * Reads `metrics` of a test file: a list, or FlexEval's `{function: […], rubric: […]}`. Names are
 * unique.
 */
export function readMetrics(
  document: Document,
  builtIns: BuiltInMetrics,
  problems: Problem[],
): Metric[] {
  const metrics: Metric[] = [];
  for (const { path, value } of writtenMetrics(document, problems)) {
    const metric = readMetric(document, path, value, builtIns, problems);
    if (metric === null) continue;
    const earlier = metrics.find(({ name }) => name === metric.name);
    if (earlier !== undefined) {
      problems.push(
        problem(
          metric.place,
          `the metric "${metric.name}" is already on line ${earlier.place.line}`,
        ),
      );
    } else {
      metrics.push(metric);
    }
  }
  return metrics;
}

/**
 * Reads `metrics` of the reference at `path`. Names must not be `taken` by the suite's metrics, and
 * are unique in the reference.
 */
export function readOwnMetrics(
  document: Document,
  path: Path,
  taken: readonly string[],
  builtIns: BuiltInMetrics,
  problems: Problem[],
): Metric[] {
  const metrics: Metric[] = [];
  for (const item of checkItems(document, [...path, 'metrics'], ownMetricSchema, problems)) {
    const metric = readMetric(document, item.path, item.value, builtIns, problems);
    if (metric === null) continue;
    const twice = taken.includes(metric.name) || metrics.some(({ name }) => name === metric.name);
    if (twice)
      problems.push(
        problem(
          metric.place,
          `the metric "${metric.name}" is there twice; give the reference's own metric another name`,
        ),
      );
    else metrics.push(metric);
  }
  return metrics;
}

function writtenMetrics(document: Document, problems: Problem[]): { path: Path; value: Written }[] {
  if (!isMap(valueAt(document.value, ['metrics'])))
    return checkItems(document, ['metrics'], metricSchema, problems);
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
  written: Written,
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
  const at = levelsOf(source, builtIns);
  if (!at.includes(level)) {
    const what = source.kind === 'built-in' ? source.uses : 'code';
    problems.push(
      problem(
        document.placeOf([...path, key]),
        `metric "${name}": ${what} has nothing to judge at level ${level}; it is for ${at.join(', ')}`,
      ),
    );
  }
  return {
    name,
    source,
    threshold: written.threshold ?? null,
    ...readPassing(document, path, written, source, builtIns, problems),
    level,
    depends_on: (written.depends_on ?? []).map((entry, index) =>
      dependsOn(entry, document, [...path, 'depends_on', index]),
    ),
    skip: written.skip ?? false,
    ...ownGraders(document, path, written, source, builtIns, problems),
    ...(source.kind === 'code'
      ? { codeAt: codePlaceOf(document, [...path, 'code'], source.code) }
      : {}),
    place,
  };
}

/** What the metric itself says of its values. */
function readPassing(
  document: Document,
  path: Path,
  written: Written,
  source: MetricSource,
  builtIns: BuiltInMetrics,
  problems: Problem[],
): Pick<Metric, 'better' | 'min' | 'max' | 'pass'> {
  const { better, min, max } = written;
  const name = written.name ?? written.uses ?? written.rubric ?? pathText(path);
  const own = source.kind === 'built-in' ? builtIns.get(source.uses)?.better : undefined;
  for (const [key, message] of [
    ...rulesProblems(written, source),
    ...directionProblems(written, source, own),
  ])
    problems.push(problem(document.placeOf([...path, key]), `metric "${name}": ${message}`));
  return defined({ better, min, max, pass: labelsOf(written.pass) });
}

/** Two rules for what passes would be one too many. By key, what is wrong. */
function rulesProblems(
  { min, max, threshold, pass }: Written,
  { kind }: MetricSource,
): [string, string][] {
  const found: [string, string][] = [];
  const bounds = { threshold, min, max };
  const [bounded] = (['threshold', 'min', 'max'] as const).filter(
    (key) => bounds[key] !== undefined,
  );
  if (pass !== undefined && kind !== 'rubric')
    found.push(['pass', 'pass names labels of a rubric; a number passes by min, max or threshold']);
  else if (pass !== undefined && bounded !== undefined)
    found.push(['pass', `pass and ${bounded} both say what passes; keep one of them`]);
  if (threshold !== undefined && (min ?? max) !== undefined)
    found.push([
      'threshold',
      'threshold is one bound, and min and max are the same; keep one form',
    ]);
  if (min !== undefined && max !== undefined && min > max)
    found.push(['max', `max ${String(max)} is below min ${String(min)}, so that nothing passes`]);
  return found;
}

function directionProblems(
  { better }: Written,
  source: MetricSource,
  own: Better | undefined,
): [string, string][] {
  if (source.kind !== 'built-in' || better === undefined) return [];
  if (own === undefined || own === 'none' || own === better) return [];
  return [['better', `${source.uses} knows its direction: ${own} is better`]];
}

/**
 * The graders that the metric names for itself, in place of the settings'; nothing where it names
 * none.
 */
function ownGraders(
  document: Document,
  path: Path,
  { grader, name }: Written,
  source: MetricSource,
  builtIns: BuiltInMetrics,
  problems: Problem[],
): Pick<Metric, 'graders'> {
  const at = [...path, 'grader'];
  const graders = readGraders(document, at, grader, problems);
  const graded =
    source.kind === 'rubric' ||
    (source.kind === 'built-in' && builtIns.get(source.uses)?.needs.model === true);
  if (grader !== undefined && !graded)
    problems.push(
      problem(
        document.placeOf(at),
        `metric "${name ?? pathText(path)}": grader belongs to a rubric, or to a metric that a model judges`,
      ),
    );
  return graders.length === 0 ? {} : { graders };
}

function writtenLevel({ metric_level, level }: Written): { key: string; level: MetricLevel } {
  return {
    key: metric_level === undefined ? 'level' : 'metric_level',
    level: levelOf(metric_level ?? level ?? 'Turn') ?? 'Turn',
  };
}

/** Code sees whole answers; a rubric may be asked about anything. */
function levelsOf(source: MetricSource, builtIns: BuiltInMetrics): readonly MetricLevel[] {
  if (source.kind === 'rubric') return LEVELS;
  const all = LEVELS.filter((word) => word !== 'ToolCall');
  return source.kind === 'code' ? all : (builtIns.get(source.uses)?.levels ?? all);
}

function readSource(
  document: Document,
  path: Path,
  written: Written,
  builtIns: BuiltInMetrics,
  problems: Problem[],
): MetricSource | null {
  const name = written.name === undefined ? pathText(path) : `metric "${written.name}"`;
  const refuse = (key: string | Path, message: string): void => {
    problems.push(problem(document.placeOf([...path, key].flat()), `${name}: ${message}`));
  };
  const given = (['uses', 'rubric', 'code'] as const).filter((key) => written[key] !== undefined);
  if (given.length !== 1) {
    problems.push(
      problem(document.placeOf(path), `${name} needs exactly one of uses, rubric and code`),
    );
    return null;
  }
  if (written.uses === undefined) refuseParameters(document, path, written, name, problems);
  if (written.code !== undefined)
    return { kind: 'code', language: written.language ?? 'python', code: written.code };
  if (written.language !== undefined) refuse('language', 'language belongs to code');
  return written.rubric === undefined
    ? readBuiltIn(written, builtIns, refuse)
    : { kind: 'rubric', rubric: written.rubric };
}

/** What a rubric or code is told stands beside it; below `with` nobody would read it. */
function refuseParameters(
  document: Document,
  path: Path,
  written: Written,
  name: string,
  problems: Problem[],
): void {
  const kind = written.rubric === undefined ? 'code' : 'a rubric';
  for (const key of ['with', 'kwargs'] as const) {
    for (const parameter of Object.keys(written[key] ?? {})) {
      const beside = Object.hasOwn(metricSchema.shape, parameter);
      problems.push(
        problem(
          document.placeOf([...path, key, parameter]),
          `${name}: ${key}.${parameter} is not read, ${kind} has no parameters` +
            (beside
              ? `; write ${parameter} beside ${kind === 'code' ? 'code' : 'rubric'}`
              : suggestion(parameter, [
                  'better',
                  'threshold',
                  'min',
                  'max',
                  ...(kind === 'code' ? [] : ['pass', 'grader']),
                ])),
        ),
      );
    }
  }
}

function readBuiltIn(
  written: Written,
  builtIns: BuiltInMetrics,
  refuse: (key: string | Path, message: string) => void,
): MetricSource | null {
  const { uses = '', with: values, kwargs } = written;
  const builtIn = builtIns.get(uses);
  if (builtIn === undefined) {
    refuse(
      'uses',
      `there is no built-in metric "${uses}"${suggestion(uses, [...builtIns.keys()])}`,
    );
    return null;
  }
  const parameters = { ...kwargs, ...values };
  for (const message of builtIn.problems(parameters)) {
    const [, at = ''] = /^with\.(\w+)/.exec(message) ?? [];
    const key = values === undefined ? 'kwargs' : 'with';
    refuse(Object.hasOwn((key === 'with' ? values : kwargs) ?? {}, at) ? [key, at] : key, message);
  }
  return { kind: 'built-in', uses, with: parameters };
}

function dependsOn(
  entry: z.output<typeof dependsOnSchema>,
  document: Document,
  path: Path,
): DependsOn {
  const given = entry.kwargs ?? entry.with;
  return {
    name: entry.name,
    type: entry.type ?? null,
    kwargs: given ?? null,
    metric_name: entry.metric_name ?? null,
    metric_level: entry.metric_level === undefined ? null : levelOf(entry.metric_level),
    relative_object_position: entry.relative_object_position ?? 0,
    metric_min_value: entry.metric_min_value ?? -UNBOUNDED,
    metric_max_value: entry.metric_max_value ?? UNBOUNDED,
    place: document.placeOf(path),
  };
}

function levelOf(word: string): MetricLevel | null {
  return LEVELS.find((each) => each.toLowerCase() === word.toLowerCase()) ?? null;
}
