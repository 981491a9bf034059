import { z } from 'zod';
import { partSchema, stepSchema, usageSchema } from '../../types/answer-schema.ts';
import { ENDED } from '../../types/answer.ts';
import { jsonSchema, outcomeSchema, scoreSchema, tallySchema } from '../../types/score-schema.ts';
import { countSchema } from '../../types/usage-totals.ts';
import { withKeys, type OwnKeys, type TryParts } from './feature-parts.ts';
import { ends, passesSchema, shareSchema, sideSchema, sides } from './pieces.ts';

const tryResultSchema = z.strictObject({
  try: countSchema.describe('Number of the try, from 0.'),
  outcome: outcomeSchema.describe(
    'Outcome of the try: `pass` if every metric that affects the gate passes.',
  ),
  parts: z
    .array(partSchema)
    .nullable()
    .describe("The answer's text, tool calls and other parts; null if there is no answer."),
  error: z.string().nullable().describe('Why there is no answer; null if there is one.'),
  scores: z.array(scoreSchema).describe('One score per metric of the reference.'),
  usage: usageSchema.nullable().describe('Tokens of the call; null if unknown.'),
  latency_ms: z
    .number()
    .nonnegative()
    .nullable()
    .describe(
      'Duration in milliseconds of the original call, even if its answer was reused; null if unknown.',
    ),
  reused: z.boolean().describe('Whether the answer was reused without a new call.'),
  stored: z.literal(true).describe('Set if an earlier run made the answer.').exactOptional(),
  unjudged: z
    .literal(true)
    .describe('Set if a grader or an evaluator failed, so the error says nothing of the answer.')
    .exactOptional(),
  ended: z
    .enum(ENDED)
    .nullable()
    .describe(
      'Why the model stopped, even if the answer is empty (`parts` is null); null if unknown ' +
        'or without an answer.',
    ),
  ended_as: z
    .string()
    .describe("The server's own reason for stopping, if evaldiff does not know it.")
    .exactOptional(),
  served: z
    .strictObject({
      model: z.string().nullable().describe("The server's name for the model that answered."),
      fingerprint: z
        .string()
        .nullable()
        .describe(
          "The server's fingerprint of its configuration (`system_fingerprint`); null if there " +
            'is none.',
        ),
      at: z
        .number()
        .nullable()
        .describe('Time of the answer in milliseconds since 1970; rounded to the hour if stored.'),
    })
    .describe('Which model answered and when; absent if the server did not report it.')
    .exactOptional(),
  steps: z
    .array(stepSchema)
    .describe('The steps that led to the answer, in order; absent if unknown.')
    .exactOptional(),
});

const sideResultSchema = (own: OwnKeys) =>
  z.strictObject({
    tally: tallySchema.describe(
      'Counts over all metrics and tries, defined and named as in llmeval.',
    ),
    rollup: z
      .enum(['pass', 'fail'])
      .nullable()
      .describe(
        "Outcome of the tries together, by the suite's roll-up rule; null if no try could be " +
          'judged.',
      ),
    passes: countSchema.describe('Number of tries that pass.'),
    tries_judged: countSchema.describe('Number of tries that pass or fail.'),
    tries: z
      .array(withKeys(tryResultSchema, own.tries) as unknown as z.ZodType<TryResult>)
      .describe('All tries in order.'),
  });

const measuredRateSchema = z.strictObject({
  ...passesSchema.shape,
  ...ends(shareSchema, "the share's 95 % interval (Wilson)."),
});

const referenceStatus = z.enum([
  'regressed',
  // Passed on base and fails on head, in a suite that fell. Its own tries alone are not
  // significant.
  'fell',
  'improved',
  // Failed on base and passes on head, beyond chance.
  'fixed',
  // Failed on base and passes on head, in a suite that improved. Its own tries alone are not
  // significant.
  'rose',
  'unchanged',
  'flaky',
  'inconclusive',
  'added',
  'removed',
  'edited',
  'error',
  'ungraded',
  // In sweeps, which have only one side: the combined result of all tries.
  'pass',
  'fail',
]);

const shownFileSchema = z.strictObject({
  type: z.enum(['image', 'file']).describe('Type of the file; `file` means a PDF.'),
  path: z.string().describe('Path in the repository.'),
  media_type: z.string().describe('Media type, for example `image/png`.'),
  id: z.string().describe('Git object id of the content.'),
  bytes: countSchema.describe('Size in bytes.'),
  side: sideSchema
    .describe('The side that includes the file, if the other side ran and does not.')
    .exactOptional(),
});

export type ShownFile = z.infer<typeof shownFileSchema>;

export const referenceResultSchema = (own: OwnKeys) =>
  z.strictObject({
    id: z.string().describe('Id from the file, or a hash of the input; unique in its suite.'),
    file: z.string().describe('The file of the reference.'),
    line: countSchema.describe('Line of the reference, from 1; 0 means the whole file.'),
    tags: z.array(z.string()).describe('Tags as written in the file.'),
    skip: z
      .boolean()
      .describe('Whether the reference runs and is shown, but does not count for the verdict.'),
    quarantined: z
      .literal(true)
      .describe(
        'Set if the reference was in quarantine on the day of the run. It then does not ' +
          'count for the verdict.',
      )
      .exactOptional(),
    input: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe("Values of the prompt's variables."),
    files: z
      .array(shownFileSchema)
      .describe('Images and PDFs that the prompt includes.')
      .exactOptional(),
    expected: jsonSchema.describe('The expected answer as written; null if there is none.'),
    status: referenceStatus.describe(
      'How head compares with base; if only one side ran, its outcome (`pass`, `fail`).',
    ),
    p: shareSchema
      .nullable()
      .describe(
        'One-sided p of "head passes less often", before adjustment; null if not compared.',
      ),
    q: shareSchema
      .nullable()
      .describe(
        'False-discovery rate at which the reference counts as regressed; null if not compared.',
      ),
    history: measuredRateSchema
      .describe(
        'How often this question, as base asks it, passed in all stored tries; absent if none ' +
          'is stored.',
      )
      .exactOptional(),
    ...sides(sideResultSchema(own).nullable(), "{Side}'s tries; null if {side} did not run."),
  });

export type ReferenceStatus = z.infer<typeof referenceStatus>;

export type TryResult = z.infer<typeof tryResultSchema> & TryParts;

export type SideResult = z.infer<ReturnType<typeof sideResultSchema>>;

export type ReferenceResult = z.infer<ReturnType<typeof referenceResultSchema>>;

export type MeasuredRate = z.infer<typeof measuredRateSchema>;

/** Whether the try has no outcome because of the answer or a check, and not because of a judge. */
export function lacksAnswer({ outcome, unjudged }: TryResult): boolean {
  return outcome === 'error' && unjudged !== true;
}

export function errorOf({ outcome, error, scores }: TryResult): string | null {
  if (outcome !== 'error') return null;
  return error ?? scores.find(({ status }) => status === 'error')?.reason ?? 'unknown error';
}
