import { z } from 'zod';
import { countSchema, differenceSchema, ends, shareSchema, sides } from './pieces.ts';

/** How a number moved, apart from the sign of its difference. */
export const moveDirection = {
  way: z.enum(['rose', 'fell']).describe('Which way it moved.'),
  by: z
    .enum(['mean', 'ranks'])
    .describe('Where that shows: in the mean, or in most tries, whatever the mean does.'),
};

const levels = z.enum(['Message', 'Turn', 'Thread', 'ToolCall']);

/** Set if the number is a share of objects that pass. */
export const shareLevel = levels
  .describe('The number is the share of these objects that pass.')
  .exactOptional();

const metricValuesSchema = z.strictObject({
  ...sides(z.number().nullable(), 'Mean on {side}, over references; null: no number there.'),
  difference: z.number().nullable().describe('Head − base; null where nothing was compared.'),
  ...ends(
    z.number().nullable(),
    "the difference's two-sided 90 % interval; null: it cannot be said.",
  ),
  p: shareSchema
    .nullable()
    .describe(
      'Mid-p of the permutation test: one-sided for "worse", two-sided where neither way is ' +
        'better; null where nothing was compared.',
    ),
  references: countSchema.describe('References with numbers on both sides.'),
  gate: z
    .enum(['fail', 'warn', 'ignore'])
    .describe('What a metric that got worse does to the run.'),
  moved: z
    .enum(['worse', 'better', 'higher', 'lower'])
    .nullable()
    .describe(
      'Called under the error rate of the run; `higher` or `lower` where neither way is better. ' +
        'Null: within chance.',
    ),
  share: shareLevel,
  exploded: z
    .array(
      z.strictObject({
        reference: z.string().describe('Its id.'),
        ...sides(z.number(), 'Median on {side}.'),
      }),
    )
    .describe('References whose value moved far beyond all others.')
    .exactOptional(),
  way: moveDirection.way.exactOptional(),
  by: moveDirection.by.exactOptional(),
});

const objectsOfSideSchema = z
  .strictObject({
    passes: countSchema.describe('Passing ones.'),
    judged: countSchema.describe('Objects that pass or fail, in the tries of the verdict.'),
  })
  .describe('Of one side.');

const metricObjectsSchema = z.strictObject({
  level: levels.describe('What the metric judges one by one.'),
  ...sides(objectsOfSideSchema.nullable(), 'Null where {side} did not run.'),
  difference: differenceSchema
    .nullable()
    .describe(
      'Mean over dialogues of the share that passes, head − base: ' +
        'objects of one dialogue are alike, so each dialogue counts once. ' +
        'Null where nothing was compared.',
    ),
  ...ends(z.number().nullable(), 'its two-sided 90 % interval.'),
});

export const metricResultSchema = z.strictObject({
  name: z
    .string()
    .describe('Name of the metric; `metric.entry` for one number of a map of several.'),
  ...sides(shareSchema.nullable(), "Share of {side}'s scores that pass; null: none was judged."),
  judged_base: countSchema.describe('Scores on base that pass or fail.'),
  judged_head: countSchema.describe('Scores on head that pass or fail.'),
  gates: z.boolean().describe('It counts in the outcome of a try.'),
  better: z.enum(['higher', 'lower', 'none']).describe('Which way its value should move.'),
  values: metricValuesSchema
    .describe('Its numbers, where they say more than pass and fail.')
    .exactOptional(),
  labels: z
    .array(
      z.strictObject({
        label: z.string().describe('The label.'),
        ...sides(countSchema, 'Scores on {side} with this label.'),
      }),
    )
    .describe('How often each label was given, where the metric gives labels.')
    .exactOptional(),
  objects: metricObjectsSchema
    .describe('The turns, messages or tool calls one by one, of a metric with `every`.')
    .exactOptional(),
});

export type MetricResult = z.infer<typeof metricResultSchema>;

export type MetricObjects = z.infer<typeof metricObjectsSchema>;

export interface MoveDirection {
  way: 'rose' | 'fell';
  by: 'mean' | 'ranks';
}

export type MetricValues = z.infer<typeof metricValuesSchema>;
