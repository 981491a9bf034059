import { z } from 'zod';
import { levelSchema } from '../../types/score-schema.ts';
import { countSchema } from '../../types/usage-totals.ts';
import { differenceSchema, ends, shareSchema, sides } from './pieces.ts';

export const moveDirection = {
  way: z.enum(['rose', 'fell']).describe('Whether the metric rose or fell.'),
  by: z
    .enum(['mean', 'ranks'])
    .describe('What changed: the mean, or the values of most tries although the mean did not.'),
};

export const shareLevel = levelSchema
  .describe('The kind of object (such as turns), if the number is the share of objects that pass.')
  .exactOptional();

const metricValuesSchema = z.strictObject({
  ...sides(z.number().nullable(), 'Mean over references on {side}; null without numbers.'),
  difference: z.number().nullable().describe('Head − base; null if nothing was compared.'),
  ...ends(
    z.number().nullable(),
    "the difference's two-sided 90 % interval; null if it cannot be computed.",
  ),
  p: shareSchema
    .nullable()
    .describe(
      'Mid-p of the permutation test: one-sided for "worse", or two-sided if neither ' +
        'direction is better; null if nothing was compared.',
    ),
  references: countSchema.describe('Number of references with numbers on both sides.'),
  fell: countSchema
    .describe('Number of these references whose mean is lower on head.')
    .exactOptional(),
  rose: countSchema
    .describe('Number of these references whose mean is higher on head.')
    .exactOptional(),
  gate: z
    .enum(['fail', 'warn', 'ignore'])
    .describe('What happens to the run if this metric gets worse.'),
  decides: z
    .literal(true)
    .describe(
      'Set if this value decides the verdict, because no answer can fail by it, or base rarely passes.',
    )
    .exactOptional(),
  moved: z
    .enum(['worse', 'better', 'higher', 'lower'])
    .nullable()
    .describe(
      'Direction of a significant change: `higher` or `lower` if neither is better. Null if ' +
        'the difference may be chance.',
    ),
  share: shareLevel,
  exploded: z
    .array(
      z.strictObject({
        reference: z.string().describe('Id of the reference.'),
        ...sides(z.number(), 'Median on {side}.'),
      }),
    )
    .describe('References whose value changed far more than all others.')
    .exactOptional(),
  way: moveDirection.way.exactOptional(),
  by: moveDirection.by.exactOptional(),
});

const objectsOfSideSchema = z
  .strictObject({
    passes: countSchema.describe('Number of objects that pass.'),
    judged: countSchema.describe(
      'Number of objects that pass or fail in the tries used for the verdict.',
    ),
  })
  .describe('Objects on one side.');

const metricObjectsSchema = z.strictObject({
  level: levelSchema.describe('The kind of object that the metric judges.'),
  ...sides(objectsOfSideSchema.nullable(), 'Objects on {side}; null if {side} did not run.'),
  difference: differenceSchema
    .nullable()
    .describe(
      'Share of passing objects on head − the share on base. The mean over dialogues, so ' +
        'that each dialogue counts once; null if nothing was compared.',
    ),
  ...ends(z.number().nullable(), 'its two-sided 90 % interval.'),
});

export const metricResultSchema = z.strictObject({
  name: z
    .string()
    .describe('Name of the metric; `metric.entry` if the metric returns a map of numbers.'),
  ...sides(shareSchema.nullable(), "Share of {side}'s scores that pass; null if none was judged."),
  judged_base: countSchema.describe('Number of scores on base that pass or fail.'),
  judged_head: countSchema.describe('Number of scores on head that pass or fail.'),
  gates: z.boolean().describe('Whether the metric affects the outcome of a try.'),
  better: z
    .enum(['higher', 'lower', 'none'])
    .describe('Whether higher or lower values are better.'),
  values: metricValuesSchema
    .describe("The metric's numbers, if they say more than pass and fail.")
    .exactOptional(),
  labels: z
    .array(
      z.strictObject({
        label: z.string().describe('The label.'),
        ...sides(countSchema, 'Number of scores on {side} with this label.'),
      }),
    )
    .describe('How often each label was given, if the metric gives labels.')
    .exactOptional(),
  objects: metricObjectsSchema
    .describe('Results for individual turns, messages or tool calls, if the metric uses `every`.')
    .exactOptional(),
});

export type MetricResult = z.infer<typeof metricResultSchema>;

export type MetricObjects = z.infer<typeof metricObjectsSchema>;

export interface MoveDirection {
  way: 'rose' | 'fell';
  by: 'mean' | 'ranks';
}

export type MetricValues = z.infer<typeof metricValuesSchema>;
