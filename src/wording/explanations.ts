import { COMPARED_RULES } from '../kernel/judge/suite-rules.ts';
import { runOutcomeSchema } from '../kernel/result/outcome.ts';
import { reasonSchema } from '../kernel/result/reason.ts';

/** What to do, a paragraph of docs/ that says more, and the codes for which this is so. */
const STEPS_OF_CODES: readonly (readonly [words: string, page: string, codes: string])[] = [
  [
    'Look at the cause and the worst test. Restore the line, or run `npx evaldiff fix`.',
    'verdicts.md#red',
    'regressed fall references values unanswered pool metric-worse',
  ],
  [
    'Fix the named tests or the prompt, or change the rule under `gate` on the base branch.',
    'verdicts.md#the-rules-for-passing',
    'failed below-floor new-failed new-failing own-rules',
  ],
  [
    'Add tests, or run the unsure ones again: `npx evaldiff diff references=ID n_tries=9`.',
    'verdicts.md#grey',
    'inconclusive unsettled suspicious named metric',
  ],
  [
    'Raise a cap that left too few calls. If the model changed, pin its version, or merge.',
    'statistics.md#stored-answers-never-make-red',
    'model model-changed unconfirmed',
  ],
  [
    'Fix the errors that the comment lists, then run the job again. Paid answers are reused.',
    'statistics.md#when-evidence-is-missing',
    'not-judged not-evaluated errors no-grades ungraded uncompared endings words base-unreadable',
  ],
  [
    'Look at the tests that the new scoring judges differently: is that what you want?',
    'statistics.md#when-the-scoring-changed-too',
    'scoring scoring-changed scoring-moved scoring-excuses worse-under-base mean-under-base ' +
      'unread-by-base',
  ],
  [
    'Restore the tests. If you meant it, merge; a red check needs `override-label`.',
    'verdicts.md#accept-a-red-verdict',
    'removed only-removed asked-anew worse-and-skipped lost-checks held overridden',
  ],
  [
    'Nothing to do. To detect smaller drops, add tests.',
    'verdicts.md#green',
    'no-regression improved fixed rise bound not-lower run evaluated nothing-to-run feature',
  ],
  [
    'Add a metric that can fail an answer, for example one with a `threshold`.',
    'values.md#values',
    'no-verdict no-test nothing-counts nothing-judged nothing-gates preference-alone ' +
      'metric-moved value-exploded',
  ],
  [
    "Compare the answers of both sides: why does the metric judge fewer of head's?",
    'rubrics.md#levels-and-conditions',
    'skipped-tries seldom-judged metric-silent values-missing values-fewer-references ' +
      'values-fewer-tries',
  ],
  [
    'A maintainer can approve the run, or push the commit to a branch of this repository.',
    'forks.md',
    'unused-changes not-run keys-withheld left-out without-keys',
  ],
  [
    'To compare, let head call the model that base calls.',
    'required-check.md#if-the-base-branch-has-moved-on',
    'replaced recorded not-comparable',
  ],
  [
    'Run it again. Paid answers are reused. If a cap ended the run, raise the cap.',
    'costs.md#the-caps-of-a-run',
    'ended ended-early cancelled waiting',
  ],
];

/** The paragraph of each code of an outcome, of a verdict's reason and of a finding. */
export function explanations(): ReadonlyMap<string, string> {
  const meanings = [
    ...runOutcomeSchema.options.map(({ shape, description }) => [shape.kind.value, description]),
    ...COMPARED_RULES.map(({ by, verdict, words }) => [by, `A suite is ${verdict}: ${words}.`]),
    ...reasonSchema.options.map(({ shape, description }) => [shape.code.value, description]),
  ];
  return new Map(
    STEPS_OF_CODES.flatMap(([step, page, codes]) =>
      codes.split(' ').map((code) => {
        const words = meanings.flatMap(([of, meaning]) => (of === code ? meaning : []));
        return [code, `${words.join(' ')} ${step}\nMore: docs/${page}`] as const;
      }),
    ),
  );
}
