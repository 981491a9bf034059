import { z } from 'zod';
import { noticeSchema, problemSchema } from '../../types/notice-schema.ts';
import type { Conclusion, TrustLevel } from '../../types/plain.ts';
import { usageTotalsSchema } from '../../types/usage-totals.ts';
import { gateSettingsSchema } from '../suite/gate-settings.ts';
import { changedTextSchema } from './changes.ts';
import type { FeatureParts, OwnKeys } from './feature-parts.ts';
import { runOutcomeSchema } from './outcome.ts';
import { countSchema } from './pieces.ts';
import { reasonSchema } from './reason.ts';
import { scoringResultSchema } from './scoring-result.ts';
import { suiteResultSchema } from './suite-result.ts';

export const RESULT_VERSION = 2;

const overrideSchema = z.strictObject({
  label: z.string().describe('The label on the pull request.'),
  reason: z
    .string()
    .describe("Why, in the words of the pull request or of the label's description."),
});

const replacedSchema = z.strictObject({
  suite: z.string().describe('Name of the suite.'),
  by: z
    .enum(['recordings', 'a program', 'prompt code'])
    .describe('The model that head uses instead.'),
});

const evaluationsSchema = z.strictObject({
  made: countSchema.describe('How often code scored something.'),
  repeated: countSchema.describe('Calls that were repeated in a fresh process.'),
  differing: countSchema.describe('Repeated calls with a different result.'),
});

/** Features add keys with {@link resultSchemaWith}. */
export const resultSchema = z.strictObject({
  schema_version: z.literal(RESULT_VERSION).describe('Version of this format.'),
  mode: z.enum(['diff', 'sweep']).describe('Base against head, or one commit alone.'),
  outcome: runOutcomeSchema.describe(
    "What the run came to. Conclusion, title and every surface's words follow from it.",
  ),
  conclusion: z
    .enum(['success', 'failure', 'neutral', 'error'])
    .describe(
      'What the run came to, as a check on GitHub names it.',
    ) satisfies z.ZodType<Conclusion>,
  title: z.string().describe('Outcome of the run in one line of at most 255 characters.'),
  reasons: z.array(reasonSchema).describe('Why: codes with their figures.'),
  trust: z
    .enum(['trusted', 'member', 'untrusted'])
    .describe(
      'How far the change was trusted to call models and run code.',
    ) satisfies z.ZodType<TrustLevel>,
  base: z
    .strictObject({ sha: z.string().describe('Full commit id.') })
    .nullable()
    .describe('The commit compared with; null in sweeps.'),
  head: z
    .strictObject({ sha: z.string().describe('Full commit id, or `worktree`.') })
    .describe('The commit that was evaluated.'),
  source: z
    .strictObject({
      url: z.string().describe('Web address of the repository that head is in.'),
      directory: z.string().describe("The project's folder in it; `.`: the repository's root."),
    })
    .describe("Where head's files are shown on the web; absent: not known.")
    .exactOptional(),
  local_options: z
    .string()
    .describe(
      'What `evaldiff diff` needs beside the commits to run the same in a checkout; absent: nothing.',
    )
    .exactOptional(),
  gate: gateSettingsSchema.describe('The settings that the gate used.'),
  n_tries: z
    .union([countSchema, z.literal('adaptive')])
    .describe('Tries of each reference, or `adaptive`.'),
  suites: z.array(suiteResultSchema({})).describe('One for each suite and variant that ran.'),
  changes: z
    .array(changedTextSchema)
    .describe(
      'What the pull request changes in the files because of which suites run; absent: not looked at.',
    )
    .exactOptional(),
  scoring: z
    .array(scoringResultSchema)
    .describe('Suites whose scoring changed: what the change alone does.'),
  notices: z.array(noticeSchema).describe('What a reader must know that changes no verdict.'),
  problems: z
    .array(problemSchema)
    .describe('What the user has to fix; empty unless the conclusion is `error`.'),
  usage: usageTotalsSchema.describe('Calls, tokens and dollars of the run.'),
  override: overrideSchema
    .nullable()
    .describe('The label that made a red verdict neutral; null: none did.'),
  replaced: z
    .array(replacedSchema)
    .describe(
      'Suites in which head puts something of its own in the place of a model that base asks; absent: none.',
    )
    .exactOptional(),
  evaluations: evaluationsSchema
    .describe('What code scored; absent: no code scored anything.')
    .exactOptional(),
  adaptive_tries: z
    .strictObject({
      made: countSchema.describe('Tries that the adaptive suites made.'),
      fixed: countSchema.describe('Tries that five fixed ones of each reference would have made.'),
    })
    .nullable()
    .describe('Tries of the adaptive suites; null: no suite is adaptive.'),
});

export type Replaced = z.infer<typeof replacedSchema>;

export type Evaluations = z.infer<typeof evaluationsSchema>;

export type Result = z.infer<typeof resultSchema> & FeatureParts;

export function resultSchemaWith(own: OwnKeys): z.ZodType<Result> {
  const { description } = resultSchema.shape.suites;
  const suites = z.array(suiteResultSchema(own)).describe(description ?? '');
  return resultSchema.extend({ suites, ...own.run }) as unknown as z.ZodType<Result>;
}

export type Override = z.infer<typeof overrideSchema>;
