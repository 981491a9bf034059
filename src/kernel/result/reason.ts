import { z } from 'zod';
import { moveDirection, shareLevel } from './metric-result.ts';
import { countSchema, shareSchema, sides, variantSchema } from './pieces.ts';
import { becauseSchema } from './suite-result.ts';

export const HALTS = ['budget', 'time', 'interrupted', 'cancelled'] as const;

export type HaltCode = (typeof HALTS)[number];

export const progress = {
  halt: z
    .enum(HALTS)
    .describe(
      'What ended the run before its plan was done: a cap, `timeout`, a signal to a command ' +
        '(`interrupted`), or a signal to a job (`cancelled`, as by a newer commit).',
    ),
  why: z.string().describe('The limit or the signal that ended it, in words.'),
  made: countSchema.describe('Tries that were made.'),
  planned: countSchema.describe('Tries that were planned.'),
};

const answererSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('prompt code').describe('Which kind it is.') }),
    z.strictObject({
      kind: z.enum(['model', 'program', 'recordings']).describe('Which kind it is.'),
      name: z.string().describe('The model, the command, or the file of the recordings.'),
    }),
  ])
  .describe('Who answers.');

const suite = z.string().describe('Name of the suite.');
const metric = z.string().describe('Name of the metric.');
const ids = z.array(z.string()).describe('Ids of the references.');
const named = z.array(z.string()).describe('References as `suite: id`.');
const fails = z.boolean().describe('A setting of the gate makes the run fail by it.');
const of = countSchema.describe('Of so many.');
const references = countSchema.describe('So many references.');
const rates = sides(shareSchema, 'Pass rate on {side}.');
const means = { ...sides(z.number().nullable(), 'Mean on {side}.'), share: shareLevel };
const shareOfSide = z
  .strictObject({ has: countSchema.describe('Tries that have it.'), of })
  .describe('On one side.');
const tries = { base: shareOfSide, head: shareOfSide };
const passed = z
  .strictObject({ passes: countSchema.describe('Tries that passed.'), of })
  .describe('On one side.');
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
  const named = z.literal(code).describe('Which reason it is.');
  return z.strictObject({ code: named, ...figures }).describe(about);
}

export const reasonSchema = z.discriminatedUnion('code', [
  reason('no-test', 'No test ran.', {}),
  reason('nothing-counts', 'All tests that ran are skipped or in quarantine.', {}),
  reason('nothing-judged', 'No metric judges any answer.', {}),
  reason('unused-changes', 'What an outside contributor changes is not used.', {}),
  reason('errors', 'Too many tries ended in an error.', {
    errors: countSchema.describe('Tries that ended in an error.'),
    of,
  }),
  reason('no-grades', 'No try was judged, and some have no readable grade.', {
    ungraded: countSchema.describe('Tries without a readable grade.'),
    of,
  }),
  reason('words', 'The words of an error message or of a grader.', {
    text: z.string().describe('The words.'),
  }),
  reason('feature', 'What a feature found.', {
    text: z.string().describe('The finding as a sentence.'),
  }),
  reason('base-unreadable', 'Something of base, or of the base branch, cannot be compared with.', {
    text: z.string().describe('Why, with its place.'),
  }),
  reason('preference-alone', 'Preference alone judges, and base has no answer.', { suite }),
  reason('nothing-gates', 'No metric of the suite gates.', { suite }),
  reason('regressed', 'A suite got worse.', oneSuite),
  reason('inconclusive', 'A suite may have got worse.', oneSuite),
  reason('pool', 'The pass rate over all suites together fell.', rates),
  reason('below-floor', '`gate.min_pass_rate` is not reached.', {
    suite,
    rate: shareSchema.describe('Pass rate on head.'),
    floor: shareSchema.describe('The smallest rate that is allowed.'),
  }),
  reason('failed', 'References fail on head, and `fail_on` is `failure`.', { suite, ids }),
  reason('metric-worse', 'The values of a metric got worse beyond chance.', {
    ...{ suite, metric, ...means, ...moveDirection, references, fails },
  }),
  reason('metric-moved', 'The values of a metric moved beyond chance; neither way is better.', {
    ...{ suite, metric, ...means, ...moveDirection, references },
  }),
  reason('value-exploded', "One reference's value moved far beyond the others'.", {
    suite,
    metric,
    reference: z.string().describe('Id of the reference.'),
    ...sides(z.number(), 'Median on {side}.'),
  }),
  reason('scoring-moved', 'The new scoring alone moves the pass rate.', {
    suite,
    base: shareSchema.nullable().describe("Base's answers under base's scoring."),
    head: shareSchema.nullable().describe("Base's answers under head's scoring."),
    pass_fail: countSchema.describe('Same answers that now fail.'),
    fail_pass: countSchema.describe('Same answers that now pass.'),
    fails,
  }),
  reason('scoring-excuses', "Head falls under base's scoring, and its own passes it.", {
    ...{ suite, ...rates, fails },
  }),
  reason('worse-under-base', "References fall under base's scoring and not under head's.", {
    references: z
      .array(
        z.strictObject({
          reference: z.string().describe('The reference as `suite: id`.'),
          base: countSchema.describe('Tries on base, which all pass.'),
          head: countSchema.describe('Tries on head, which all fail.'),
        }),
      )
      .describe('The references.'),
    fails,
  }),
  reason('mean-under-base', "A metric's mean got worse under base's scoring alone.", {
    ...{ suite, metric, ...means, ...moveDirection, references, fails },
  }),
  reason('unread-by-base', "Base's scoring cannot judge some of head's answers.", {
    ...{ suite, answers: countSchema.describe("Head's answers that it cannot judge."), of },
  }),
  reason('new-failed', 'New references fail on head, and `gate.new` is `fail`.', { named }),
  reason('removed', 'References are removed, newly skipped or quarantined.', { named, fails }),
  reason('asked-anew', 'References ask something else than on base.', { named, fails }),
  reason('worse-and-skipped', 'Of the newly skipped: those that pass less often on head.', {
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
  reason('uncompared', 'Too many references of a suite lack evidence.', {
    suite,
    judged: countSchema.describe('References that could be judged.'),
    of,
    missing: ids,
    unasked: z.boolean().describe("Base's prompt cannot be asked the missing ones."),
  }),
  reason('skipped-tries', "Checks skip head's answers more often than base's.", {
    ...{
      suite,
      metrics: z.array(z.string()).describe('Metrics that judged fewer answers.'),
      ...tries,
    },
  }),
  reason('seldom-judged', 'The condition of a metric holds less often on head.', {
    ...{ suite, metric, ...tries },
  }),
  reason('metric-silent', 'A metric judged answers of base and none of head.', {
    ...{ suite, metric, answers: countSchema.describe('Answers of base that it judged.') },
  }),
  reason('values-missing', 'No answer has a value of a metric that gates.', { suite, metric }),
  reason('values-fewer-references', 'Fewer references have a value of a gating metric on head.', {
    suite,
    metric,
    ...sides(countSchema, 'References with a value on {side}.'),
    of,
  }),
  reason('values-fewer-tries', 'Fewer tries have a value of a gating metric on head.', {
    ...{ suite, metric, ...tries },
  }),
  reason('ungraded', 'Many tries of a suite have no readable grade.', {
    ...{ suite, tries: countSchema.describe('Tries without a readable grade.'), of },
  }),
  reason('lost-checks', 'Checks of base judge no answer on head.', {
    checks: z.array(z.strictObject({ suite, metric, references })).describe('The checks.'),
  }),
  reason('own-rules', 'Rules of a first settings file are in force.', {
    rules: z.array(z.string()).describe('The settings.'),
  }),
  reason('replaced', 'Something else than a model of base answers or grades on head.', {
    suite,
    what: z.enum(['answers', 'grades']).describe('What comes from it.'),
    base: answererSchema,
    head: answererSchema,
  }),
  reason('recorded', 'Head has recorded what base asks a model.', { suite, ids }),
  reason('held', 'Findings that may not fail: their `fail_on` is `never`.', {
    held: countSchema.describe('Such findings.'),
    others: z.boolean().describe('Further findings fail the run.'),
  }),
  reason('ended', 'The run was ended before its plan was done.', {
    ...progress,
    effect: z
      .enum(['enough', 'too-few', 'waiting'])
      .describe('Whether the tries are enough for the verdict, or a batch is waited for.'),
  }),
  reason('waiting', 'A vendor still works on batches.', {
    requests: countSchema.describe('Requests in them.'),
    batches: z.array(z.string()).describe('Their ids.'),
  }),
  reason('keys-withheld', 'The pull request gets no model key.', {
    from: z.enum(['fork', 'dependabot']).describe('Whose pull request it is.'),
  }),
  reason('left-out', 'A suite that needs a model key was not run.', {
    ...{ suite, references, because: z.array(becauseSchema).describe('Why it is affected.') },
  }),
]);

export type Reason = z.infer<typeof reasonSchema>;

export type ReasonCode = Reason['code'];

export type ReasonOf<C extends ReasonCode> = Extract<Reason, { code: C }>;
