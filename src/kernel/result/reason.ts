import { z } from 'zod';
import { countSchema } from '../../types/usage-totals.ts';
import { moveDirection, shareLevel } from './metric-result.ts';
import { judgedTwice, shareSchema, sides, variantSchema } from './pieces.ts';
import { becauseSchema } from './suite-result.ts';

export const HALTS = ['budget', 'time', 'interrupted', 'cancelled'] as const;

export type HaltCode = (typeof HALTS)[number];

export const progress = {
  halt: z
    .enum(HALTS)
    .describe(
      'What ended the run early: a budget, a time limit, a signal to a command ' +
        '(`interrupted`), or a signal to a job (`cancelled`, for example by a newer commit).',
    ),
  why: z.string().describe('The limit or signal that ended the run, in words.'),
  made: countSchema.describe('Number of tries that were made.'),
  planned: countSchema.describe('Number of tries that were planned.'),
};

const answererSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('prompt code').describe('What it is.') }),
    z.strictObject({
      kind: z.enum(['model', 'program', 'recordings']).describe('What it is.'),
      name: z.string().describe('The model, the command, or the file of the recordings.'),
    }),
  ])
  .describe('The model, program, code or recordings that answer or grade.');

const suite = z.string().describe('Name of the suite.');
const metric = z.string().describe('Name of the metric.');
const ids = z.array(z.string()).describe('Ids of the references.');
const named = z.array(z.string()).describe('References as `suite: id`.');
const fails = z.boolean().describe('Whether the gate settings let this fail the run.');
const of = countSchema.describe('The total number.');
const references = countSchema.describe('Number of references.');
const changed = countSchema
  .describe('Number of these references whose own mean moved in this direction.')
  .exactOptional();
const rates = sides(shareSchema, 'Pass rate on {side}.');
const means = { ...sides(z.number().nullable(), 'Mean on {side}.'), share: shareLevel };
const shareOfSide = z
  .strictObject({ has: countSchema.describe('Number of tries for which this is the case.'), of })
  .describe('Counts on one side.');
const tries = { base: shareOfSide, head: shareOfSide };
const passed = z
  .strictObject({ passes: countSchema.describe('Number of tries that passed.'), of })
  .describe('Counts on one side.');
const oneSuite = {
  suite,
  path: z.string().describe("File of the suite's prompt."),
  variant: variantSchema.describe("Head's model and parameters."),
};

function reason<const C extends string, S extends z.core.$ZodLooseShape>(
  code: C,
  about: string,
  figures: S,
) {
  const named = z.literal(code).describe('Code of the reason.');
  return z.strictObject({ code: named, ...figures }).describe(about);
}

export const reasonSchema = z.discriminatedUnion('code', [
  reason('no-test', 'No test ran.', {}),
  reason('nothing-counts', 'All tests that ran are skipped or quarantined.', {}),
  reason('nothing-judged', 'No metric judges any answer.', {}),
  reason(
    'unused-changes',
    'An outside contributor changed something that the run does not use.',
    {},
  ),
  reason('errors', 'Too many tries ended in an error.', {
    errors: countSchema.describe('Number of tries that ended in an error.'),
    of,
  }),
  reason('no-grades', 'No try was judged. The grades of some could not be read.', {
    ungraded: countSchema.describe('Number of tries without a readable grade.'),
    of,
  }),
  reason('words', 'The text of an error message or of a grader.', {
    text: z.string().describe('The text.'),
  }),
  reason('feature', 'What a feature found.', {
    text: z.string().describe('The finding as a sentence.'),
  }),
  reason('base-unreadable', 'Base could not be read, or a change was not judged.', {
    text: z.string().describe('Why, with file and line.'),
  }),
  reason('preference-alone', "The only metric compares both sides' answers, but base has none.", {
    suite,
  }),
  reason('nothing-gates', 'No metric of the suite affects the gate.', { suite }),
  reason('regressed', 'A suite got worse.', oneSuite),
  reason('inconclusive', 'A suite may have got worse.', oneSuite),
  reason('pool', 'The pass rate of all suites together fell.', rates),
  reason('below-floor', 'The pass rate is below `gate.min_pass_rate`.', {
    suite,
    rate: shareSchema.describe('Pass rate on head.'),
    floor: shareSchema.describe('The value of `gate.min_pass_rate`.'),
  }),
  reason('failed', 'References fail on head, and `fail_on` is `failure`.', { suite, ids }),
  reason('metric-worse', "A metric's values got worse, beyond chance.", {
    suite,
    metric,
    ...means,
    ...moveDirection,
    references,
    changed,
    fails,
  }),
  reason('metric-moved', 'A metric changed, beyond chance. Neither direction is better.', {
    suite,
    metric,
    ...means,
    ...moveDirection,
    references,
    changed,
  }),
  reason('value-exploded', "The value of one reference changed far more than the others'.", {
    suite,
    metric,
    reference: z.string().describe('Id of the reference.'),
    ...sides(z.number(), 'Median on {side}.'),
  }),
  reason('scoring-moved', 'The pass rate changes through the new scoring alone.', {
    suite,
    base: shareSchema.nullable().describe("Base's answers under base's scoring."),
    head: shareSchema.nullable().describe("Base's answers under head's scoring."),
    ...judgedTwice,
    fails,
  }),
  reason('scoring-excuses', "Head is worse if base's scoring judges, but not if head's does.", {
    suite,
    ...rates,
    fails,
  }),
  reason('worse-under-base', "References are worse if base's scoring judges, not if head's does.", {
    references: z
      .array(
        z.strictObject({
          reference: z.string().describe('The reference as `suite: id`.'),
          base: countSchema.describe('Number of tries on base, which all pass.'),
          head: countSchema.describe('Number of tries on head, which all fail.'),
        }),
      )
      .describe('The references.'),
    fails,
  }),
  reason('mean-under-base', "A metric's mean is worse only if base's scoring judges.", {
    suite,
    metric,
    ...means,
    ...moveDirection,
    references,
    fails,
  }),
  reason('unread-by-base', "Base's scoring cannot judge some of head's answers.", {
    suite,
    answers: countSchema.describe("Number of head's answers that base's scoring cannot judge."),
    of,
  }),
  reason('new-failed', 'New references fail on head, and `gate.new` is `fail`.', { named }),
  reason('removed', 'References are removed, newly skipped or quarantined.', { named, fails }),
  reason('asked-anew', 'The question of references changed.', { named, fails }),
  reason('worse-and-skipped', 'References that are newly skipped pass less often on head.', {
    references: z
      .array(
        z.strictObject({
          reference: z.string().describe('The reference as `suite: id`.'),
          base: passed,
          head: passed,
        }),
      )
      .describe('The references.'),
  }),
  reason('uncompared', 'Too many references of a suite could not be judged.', {
    suite,
    judged: countSchema.describe('Number of references that could be judged.'),
    of,
    missing: ids,
    unasked: z.boolean().describe("Whether base's prompt cannot answer the missing references."),
  }),
  reason('skipped-tries', "Metrics skip more of head's answers than of base's.", {
    suite,
    metrics: z.array(z.string()).describe('Metrics that judged fewer answers.'),
    ...tries,
  }),
  reason('seldom-judged', "A metric depends on a condition that fewer of head's answers meet.", {
    suite,
    metric,
    ...tries,
  }),
  reason('metric-silent', 'A metric judged answers of base, but none of head.', {
    suite,
    metric,
    answers: countSchema.describe("Number of base's answers that the metric judged."),
  }),
  reason('values-missing', 'A metric that affects the gate has no value for any answer.', {
    suite,
    metric,
  }),
  reason(
    'values-fewer-references',
    'A metric that affects the gate has values for fewer references on head.',
    {
      suite,
      metric,
      ...sides(countSchema, 'Number of references with a value on {side}.'),
      of,
    },
  ),
  reason('values-fewer-tries', 'A metric that counts has values for fewer tries on head.', {
    suite,
    metric,
    ...tries,
  }),
  reason('ungraded', 'The grades of many tries of a suite could not be read.', {
    suite,
    tries: countSchema.describe('Number of tries without a readable grade.'),
    of,
  }),
  reason('lost-checks', "Metrics that judge base's answers do not judge any of head's.", {
    checks: z.array(z.strictObject({ suite, metric, references })).describe('The metrics.'),
  }),
  reason('own-rules', 'The settings file of this pull request applies, because base has none.', {
    rules: z.array(z.string()).describe('The settings.'),
  }),
  reason('replaced', "Head uses something other than base's model to answer or to grade.", {
    suite,
    what: z.enum(['answers', 'grades']).describe('Whether it answers or grades.'),
    base: answererSchema,
    head: answererSchema,
  }),
  reason('recorded', 'Head uses recorded answers; base calls a model.', { suite, ids }),
  reason('held', 'Some findings do not fail the run, because `fail_on` is `never`.', {
    held: countSchema.describe('Number of these findings.'),
    others: z.boolean().describe('Whether other findings fail the run.'),
  }),
  reason('ended', 'The run ended before it made all planned tries.', {
    ...progress,
    effect: z
      .enum(['enough', 'too-few', 'waiting', 'passed'])
      .describe(
        'Whether there are enough tries for a verdict, too few, the run waits for a batch, or it ' +
          'cost more than its cap.',
      ),
  }),
  reason('waiting', 'A vendor is still processing batches.', {
    requests: countSchema.describe('Number of requests in the batches.'),
    batches: z.array(z.string()).describe('Ids of the batches.'),
  }),
  reason('keys-withheld', 'GitHub gives this pull request no model keys.', {
    from: z
      .enum(['fork', 'dependabot'])
      .describe('Why: the pull request is from a fork or from Dependabot.'),
  }),
  reason('not-run', 'Suites that may not run for an outside contributor were not judged.', {
    suites: z.array(z.string()).describe('Names of the suites.'),
    what: z
      .enum(['agents', 'programs', 'prompt code', 'new prompts'])
      .describe('What does not run for outside contributors.'),
    files: z.array(z.string()).describe('Changed files that the suites read.'),
    fails,
  }),
  reason('left-out', 'A suite that needs a model key was not run.', {
    suite,
    references,
    because: z.array(becauseSchema).describe('Why the suite is affected.'),
  }),
]);

export type Reason = z.infer<typeof reasonSchema>;

export type ReasonCode = Reason['code'];

export type ReasonOf<C extends ReasonCode> = Extract<Reason, { code: C }>;
