import { z } from 'zod';
import { partSchema, stepSchema, usageSchema } from '../../types/answer-schema.ts';
import { ENDED } from '../../types/answer.ts';
import { withKeys, type OwnKeys, type TryParts } from './feature-parts.ts';
import {
  countSchema,
  ends,
  jsonSchema,
  outcomeSchema,
  scoreSchema,
  shareSchema,
  sides,
  tallySchema,
} from './pieces.ts';

const tryResultSchema = z.strictObject({
  try: countSchema.describe('Number of the try, from 0.'),
  outcome: outcomeSchema.describe(
    'The try as a whole: pass when every gating metric passes in it.',
  ),
  parts: z
    .array(partSchema)
    .nullable()
    .describe('The answer: its text, tool calls and other parts; null: there is none.'),
  error: z.string().nullable().describe('Why there is no answer; null when there is one.'),
  scores: z.array(scoreSchema).describe('One for each metric of the reference.'),
  usage: usageSchema.nullable().describe('Tokens of the call; null: not known.'),
  latency_ms: z
    .number()
    .nonnegative()
    .nullable()
    .describe(
      'Milliseconds of the call that was paid for, also when its answer was reused; null: not known.',
    ),
  reused: z.boolean().describe('The answer comes from the store; nothing was asked.'),
  stored: z
    .literal(true)
    .describe('The answer was made by an earlier run; absent: by this one.')
    .exactOptional(),
  ended: z
    .enum(ENDED)
    .nullable()
    .describe(
      'Why the model stopped, also of an answer that says nothing (`parts` is null then); ' +
        'null: not known, or no answer.',
    ),
  ended_as: z
    .string()
    .describe("The server's own word for why it stopped, where evaldiff does not know it.")
    .exactOptional(),
  served: z
    .strictObject({
      model: z.string().nullable().describe('The model that answered, as the server calls it.'),
      fingerprint: z.string().nullable().describe('Of its configuration; null: none.'),
      at: z
        .number()
        .nullable()
        .describe('Time of the answer in milliseconds since 1970; rounded to the hour if stored.'),
    })
    .describe('Who answered, and when; absent: no server said.')
    .exactOptional(),
  steps: z
    .array(stepSchema)
    .describe('What happened on the way to the answer, in order; absent: nothing is known.')
    .exactOptional(),
});

const sideResultSchema = (own: OwnKeys) =>
  z.strictObject({
    tally: tallySchema.describe(
      "Counts over all metrics and tries, with llmeval's names and meaning.",
    ),
    rollup: z
      .enum(['pass', 'fail'])
      .nullable()
      .describe('Outcome under the roll-up policy; null when no try could be judged.'),
    passes: countSchema.describe('Tries that pass.'),
    tries_judged: countSchema.describe('Tries that pass or fail.'),
    tries: z
      .array(withKeys(tryResultSchema, own.tries) as unknown as z.ZodType<TryResult>)
      .describe('Every try in its order.'),
  });

export const measuredRateSchema = z.strictObject({
  passes: countSchema.describe('Tries that passed.'),
  tries: countSchema.describe('Tries that passed or failed.'),
  ...ends(shareSchema, "the share's 95 % interval (Wilson)."),
});

const referenceStatus = z.enum([
  'regressed',
  // Passed on base and fails on head, in a suite that fell. Its own tries are too few to decide.
  'fell',
  'improved',
  // Failed on base and passes on head, beyond chance.
  'fixed',
  // Failed on base and passes on head, in a suite that improved. Its own tries are too few to
  // decide.
  'rose',
  'unchanged',
  'flaky',
  'inconclusive',
  'added',
  'removed',
  'edited',
  'error',
  'ungraded',
  // Outcomes under the roll-up, in sweeps, which run only one side.
  'pass',
  'fail',
]);

const shownFileSchema = z.strictObject({
  type: z.enum(['image', 'file']).describe('`file`: a PDF.'),
  path: z.string().describe('Its path in the repository.'),
  media_type: z.string().describe('For example `image/png`.'),
  id: z.string().describe('Git object id of its content.'),
  bytes: countSchema.describe('Its size.'),
  side: z
    .enum(['base', 'head'])
    .describe('Only this side showed it; absent: every side that ran.')
    .exactOptional(),
});

export type ShownFile = z.infer<typeof shownFileSchema>;

export const referenceResultSchema = (own: OwnKeys) =>
  z.strictObject({
    id: z.string().describe('Given, or a hash of the input; unique in its suite.'),
    file: z.string().describe('The file of the reference.'),
    line: countSchema.describe('Its line, from 1; 0 means the whole file.'),
    tags: z.array(z.string()).describe('Its tags as written.'),
    skip: z.boolean().describe('It runs and is shown, but does not count for the verdict.'),
    quarantined: z
      .literal(true)
      .describe(
        'In quarantine on the day of the run: shown, and out of the verdict as with `skip`; ' +
          'absent: it is not.',
      )
      .exactOptional(),
    input: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe("Values of the prompt's variables."),
    files: z
      .array(shownFileSchema)
      .describe('Images and PDFs that the prompt showed to the model; absent: none.')
      .exactOptional(),
    expected: jsonSchema.describe('The gold answer as written; null when absent.'),
    status: referenceStatus.describe(
      'Head against base; where one side ran alone, its outcome (`pass`, `fail`).',
    ),
    p: shareSchema
      .nullable()
      .describe(
        'One-sided p of "head passes less often", before adjustment; null where not compared.',
      ),
    q: shareSchema
      .nullable()
      .describe(
        'False-discovery rate at which it would be called regressed; null where not compared.',
      ),
    history: measuredRateSchema
      .describe(
        'How often what base asks passed in all tries that the store knows of; absent: it knows of none.',
      )
      .exactOptional(),
    ...sides(sideResultSchema(own).nullable(), "{Side}'s tries; null where {side} did not run."),
  });

export type ReferenceStatus = z.infer<typeof referenceStatus>;

export type TryResult = z.infer<typeof tryResultSchema> & TryParts;

export type SideResult = z.infer<ReturnType<typeof sideResultSchema>>;

export type ReferenceResult = z.infer<ReturnType<typeof referenceResultSchema>>;

export type MeasuredRate = z.infer<typeof measuredRateSchema>;

export function errorOf({ outcome, error, scores }: TryResult): string | null {
  if (outcome !== 'error') return null;
  return error ?? scores.find(({ status }) => status === 'error')?.reason ?? 'unknown error';
}
