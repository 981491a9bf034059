import { z } from 'zod';
import { noticeSchema, problemSchema } from '../../types/notice-schema.ts';
import type { Conclusion, TrustLevel } from '../../types/plain.ts';
import { usageTotalsSchema, countSchema } from '../../types/usage-totals.ts';
import { gateSettingsSchema } from '../suite/gate-settings.ts';
import { changedTextSchema } from './changes.ts';
import type { FeatureParts, OwnKeys } from './feature-parts.ts';
import { runOutcomeSchema } from './outcome.ts';
import { reasonSchema } from './reason.ts';
import { scoringResultSchema } from './scoring-result.ts';
import { suiteResultSchema } from './suite-result.ts';

export const RESULT_VERSION = 2;

const overrideSchema = z.strictObject({
  label: z.string().describe('The label on the pull request.'),
  by: z.string().describe('The account that added the label, and its role in the repository.'),
  reason: z
    .string()
    .describe("The reason given in the pull request or in the label's description."),
});

const replacedSchema = z.strictObject({
  suite: z.string().describe('Name of the suite.'),
  by: z
    .enum(['recordings', 'a program', 'prompt code'])
    .describe('What head uses instead of the model.'),
});

export const resultSchema = z.strictObject({
  schema_version: z.literal(RESULT_VERSION).describe('Version of this format.'),
  mode: z
    .enum(['diff', 'sweep'])
    .describe('Whether base and head are compared, or one commit runs alone.'),
  outcome: runOutcomeSchema.describe(
    'Outcome of the run. The conclusion, the title and all reports follow from it.',
  ),
  conclusion: z
    .enum(['success', 'failure', 'neutral', 'error'])
    .describe('Conclusion of the run as a GitHub check.') satisfies z.ZodType<Conclusion>,
  title: z.string().describe('Outcome of the run in one line of at most 255 characters.'),
  reasons: z.array(reasonSchema).describe('Reasons for the outcome, as codes with figures.'),
  trust: z
    .enum(['trusted', 'member', 'untrusted'])
    .describe('Whether the change may call models and run code.') satisfies z.ZodType<TrustLevel>,
  base: z
    .strictObject({ sha: z.string().describe('Full commit id.') })
    .nullable()
    .describe('The commit that head is compared with; null in sweeps.'),
  head: z
    .strictObject({ sha: z.string().describe('Full commit id, or `worktree`.') })
    .describe('The commit that was evaluated.'),
  source: z
    .strictObject({
      url: z.string().describe('Web address of the repository that head is in.'),
      directory: z.string().describe("The project's folder in the repository; `.` is its root."),
    })
    .describe("Where head's files are shown on the web; absent if unknown.")
    .exactOptional(),
  local_options: z
    .string()
    .describe('Options to repeat this run with `evaldiff diff`, in addition to the two commits.')
    .exactOptional(),
  gate: gateSettingsSchema.describe('The settings that the gate used.'),
  n_tries: z
    .union([countSchema, z.literal('adaptive')])
    .describe('Number of tries per reference, or `adaptive`.'),
  suites: z.array(suiteResultSchema({})).describe('One result per suite and variant that ran.'),
  changes: z
    .array(changedTextSchema)
    .describe(
      'Changes of the pull request in the files that cause suites to run; absent if they were not compared.',
    )
    .exactOptional(),
  scoring: z
    .array(scoringResultSchema)
    .describe(
      'One entry for each suite whose scoring changed, with the effect of that change alone.',
    ),
  notices: z.array(noticeSchema).describe('Notices that do not affect the verdict.'),
  problems: z
    .array(problemSchema)
    .describe('Problems that the user must fix; empty unless the conclusion is `error`.'),
  usage: usageTotalsSchema.describe('Calls, tokens and dollars of the run.'),
  override: overrideSchema
    .nullable()
    .describe('The label that overrode a red verdict; null if none did.'),
  replaced: z
    .array(replacedSchema)
    .describe('Suites in which base calls a model, but head uses something else.')
    .exactOptional(),
  adaptive_tries: z
    .strictObject({
      made: countSchema.describe('Number of tries that the adaptive suites made.'),
      fixed: countSchema.describe(
        'Number of tries that they would have made with five per reference.',
      ),
    })
    .nullable()
    .describe('Tries of the adaptive suites; null if no suite is adaptive.'),
});

export type Replaced = z.infer<typeof replacedSchema>;

export type Result = z.infer<typeof resultSchema> & FeatureParts;

export function resultSchemaWith(own: OwnKeys): z.ZodType<Result> {
  const { description } = resultSchema.shape.suites;
  const suites = z.array(suiteResultSchema(own)).describe(description ?? '');
  return resultSchema.extend({ suites, ...own.run }) as unknown as z.ZodType<Result>;
}

export type Override = z.infer<typeof overrideSchema>;
