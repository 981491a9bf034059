import { z } from 'zod';
import type { Field } from '../documents/document.ts';
import type { DependsOn, MetricLevel } from '../types/metric.ts';
import type { Scalar } from '../types/plain.ts';
import { gradersSchema } from './models.ts';
import {
  anything,
  closed,
  codeLanguage,
  filled,
  flag,
  listOf,
  mapOf,
  numberBetween,
  oneOf,
  optional,
  scalar,
  anyText,
} from './schema.ts';

export const LEVELS: readonly MetricLevel[] = ['Message', 'Turn', 'Thread', 'ToolCall'];

const NO_BOUND = Number.MAX_VALUE;

/** FlexEval's guide uses lower case, but its code uses upper case. */
const level = () =>
  anyText()
    .refine((word) => levelOf(word) !== null, { error: `must be one of ${LEVELS.join(', ')}` })
    .meta({ enum: [...LEVELS, ...LEVELS.map((word) => word.toLowerCase())] })
    .transform((word) => levelOf(word) ?? 'Turn');

const EVERY = 'must be true, or a number above 0 and up to 1: the share of turns that must pass';

const turnShare = () => z.number({ error: EVERY }).gt(0, { error: EVERY }).max(1, { error: EVERY });

export const BETTER = ['higher', 'lower', 'none'] as const;

/** YAML reads labels such as `1` or `true` as numbers or booleans. */
export const labels = () =>
  z.union([scalar(), listOf(scalar()).min(1, { error: 'must name at least one label' })], {
    error: 'must be a label or a list of labels',
  });

export function labelTexts(
  field: Field,
  written: Scalar | Scalar[] | undefined,
): string[] | undefined {
  return written === undefined
    ? undefined
    : [field.spelled<Scalar | Scalar[]>(written)].flat().map(String);
}

const parameters = () => mapOf(anything(), 'a map of values');

const dependsOnSchema = closed({
  name: filled().describe('The other metric: its name, or its built-in function or rubric.'),
  ...optional({
    type: oneOf(['function', 'rubric']).describe('Kind of the other metric. Default: either kind.'),
    kwargs: parameters().describe('Parameters that the other metric must have.'),
    with: parameters().describe('The same as kwargs.'),
    metric_name: filled().describe("No effect; allowed because FlexEval's files contain it."),
    metric_level: level().describe('Part of the dialogue that the other metric judges.'),
    relative_object_position: z
      .int({ error: 'must be 0 or a negative whole number' })
      .max(0, { error: 'must be 0 or a negative whole number' })
      .describe(
        'Which turn or message the other metric must have judged: 0 is the same as this metric ' +
          '(default), -1 the one before.',
      ),
    metric_min_value: numberBetween(-NO_BOUND, NO_BOUND).describe(
      'Lowest value of the other metric that meets the condition.',
    ),
    metric_max_value: numberBetween(-NO_BOUND, NO_BOUND).describe(
      'Highest value of the other metric that meets the condition.',
    ),
  }),
}).transform(({ with: values, kwargs = values ?? null, ...written }): Omit<DependsOn, 'place'> => ({
  ...written,
  kwargs,
  type: written.type ?? null,
  metric_name: written.metric_name ?? null,
  metric_level: written.metric_level ?? null,
  relative_object_position: written.relative_object_position ?? 0,
  metric_min_value: written.metric_min_value ?? -NO_BOUND,
  metric_max_value: written.metric_max_value ?? NO_BOUND,
}));

export const metricSchema = closed({
  name: filled().describe(
    'Name of the metric, unique in the suite. Default: the name after uses or rubric.',
  ),
  uses: filled().describe('Name of a built-in metric.'),
  with: parameters().describe('Parameters of the built-in metric.'),
  kwargs: parameters().describe('The same as with.'),
  rubric: filled().describe('Name of the rubric with which a model grades.'),
  code: filled().describe(
    'Code that can read the variables prompt, actual, input, expected, calls and messages. It ' +
      'sets metric and result.',
  ),
  language: codeLanguage,
  modules: mapOf(anyText(), 'a map of texts').describe(
    'Modules that JavaScript code can import: path → source.',
  ),
  threshold: numberBetween(-NO_BOUND, NO_BOUND).describe(
    'Lowest value that passes, or the highest if lower is better. Default: the rule of the ' +
      'metric.',
  ),
  better: oneOf(BETTER).describe(
    'Whether higher or lower values are better, if the built-in metric or rubric does not ' +
      'say so.',
  ),
  min: numberBetween(-NO_BOUND, NO_BOUND).describe('Smallest value that passes.'),
  max: numberBetween(-NO_BOUND, NO_BOUND).describe('Largest value that passes.'),
  pass: labels().describe("Labels that pass, instead of the rubric's."),
  metric_level: level().describe(
    'Part of the dialogue that the metric judges: Turn (default), Message, Thread or ToolCall.',
  ),
  level: level().describe('The same as metric_level.'),
  of: oneOf(['assistant', 'user', 'both']).describe(
    'Whose turns or messages the metric judges: assistant (default), user, or both, as ' +
      'FlexEval does.',
  ),
  every: z
    .union([flag(), turnShare()], { error: EVERY })
    .describe(
      'true: judge every turn (message, tool call) of the assistant in a dialogue; a try passes ' +
        'if at least half of them pass. A number from 0 to 1 replaces this half; with 1, all ' +
        'must pass. ' +
        'Default: judge only the last one.',
    ),
  depends_on: listOf(dependsOnSchema).describe(
    'Conditions on other metrics. If one is not met, the metric is skipped.',
  ),
  skip: flag().describe('The metric runs and is shown, but does not affect the verdict.'),
  grader: gradersSchema.describe(
    'The models that grade this metric, instead of the grader in the settings.',
  ),
}).exactPartial();

/** `contains` is short for `{ uses: contains }`. */
const orName = (schema: z.ZodType<RawMetric>): z.ZodType<RawMetric> =>
  z.union([filled().transform((uses): RawMetric => ({ uses })), schema], {
    error: 'must be the name of a metric, or a map like { uses: contains }',
  });

export const writtenMetric = orName(metricSchema);

export const flexEvalSchema = metricSchema
  .omit({ uses: true, rubric: true, code: true, language: true, with: true })
  .required({ name: true });

/**
 * For metrics of one reference. They cannot have `depends_on`, which names metrics of the suite.
 */
export const ownMetricSchema = metricSchema.omit({ depends_on: true });

export const writtenOwnMetric = orName(ownMetricSchema);

export const metricsSchema = z.union(
  [
    listOf(writtenMetric),
    closed({
      function: listOf(flexEvalSchema).describe("Built-in metrics, in FlexEval's form."),
      rubric: listOf(flexEvalSchema).describe("Rubrics, in FlexEval's form."),
    }).exactPartial(),
  ],
  { error: 'must be a list of metrics' },
);

export type RawMetric = z.output<typeof metricSchema>;

export function levelOf(word: string): MetricLevel | null {
  return LEVELS.find((each) => each.toLowerCase() === word.toLowerCase()) ?? null;
}
