import {
  conclusionOf,
  type OutcomeKind,
  type OutcomeOf,
  type RunOutcome,
} from '../kernel/result/outcome.ts';
import type { Result } from '../kernel/result/result.ts';
import { count, counted, firstWords, percent, pointsBetween } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import { allSuites, brokenInWords, metricInWords, replacedInShort } from './rates.ts';
import { endedWords, reasonWords } from './reasons.ts';
import { variantWords } from './variants.ts';

/** What else of a result its title names. */
interface Found {
  reasons: Result['reasons'];
  suites: Result['suites'];
  replaced: NonNullable<Result['replaced']>;
}

type TitleOf<O extends RunOutcome> = (outcome: O, first: string, found: Found) => string;

/** One line for the check, the outputs and the log; no full stop is needed. `first`: the reason. */
const TITLES: { [K in OutcomeKind]: TitleOf<OutcomeOf<K>> } = {
  'nothing-to-run': nothingToRun,
  'not-evaluated': ({ problems }) => `Not judged: ${counted(problems, 'problem')} to fix`,
  'not-judged': (_, first) => `Not judged: ${first}`,
  'ended-early': endedWords,
  waiting: (outcome) => `Waiting for a batch; run again to pick it up. ${endedWords(outcome)}`,
  'without-keys': () => 'Checked without a model key',
  'no-verdict': (_, first) => first,
  'not-comparable': (_outcome, _first, { replaced }) =>
    `Not comparable: ${replacedInShort(replaced) ?? ''}`,
  'only-removed': ({ references }) =>
    `Nothing to run: ${counted(references, 'reference')} removed, newly skipped or quarantined`,
  cancelled: endedWords,
  'model-changed': ({ suites }) => `The model changed, not your prompt: ${inShort(suites)}`,
  fixed: ({ references, worse }) => `Fixed: ${namesOf(references)}${worseSuffix(worse)}`,
  'new-failing': ({ references, of, worse }) =>
    `${count(references.length)} of ${counted(of, 'new reference')} ` +
    `${references.length === 1 ? 'fails' : 'fail'}: ${namesOf(references)}${worseSuffix(worse)}`,
  regressed: ({ suites, pool }) => {
    const all = pool === undefined ? [] : [allSuites(pool)];
    return `Regressed: ${[...all, ...(suites.length === 0 ? [] : [inShort(suites)])].join('; ')}`;
  },
  failed: ({ fails }, first) => (fails ? first : `Not failed, because fail_on is never: ${first}`),
  overridden: ({ by }, first, found) => `Overridden: ${titleOf(by)(by, first, found)}`,
  inconclusive: ({ suites, ran, worse }) =>
    `Inconclusive for ${counted(suites, 'suite')} of ${String(ran)}${worseSuffix(worse)}`,
  improved: ({ suites, worse }) => `Improved: ${inShort(suites)}${worseSuffix(worse)}`,
  'no-regression': (outcome) => {
    const { references, fresh = 0, ran, worse, evidence = null } = outcome;
    if (comparesNothing(outcome))
      return `Nothing compared: ${counted(fresh, 'new reference')} in ${counted(ran, 'suite')}`;
    const all = evidence === null ? `${counted(references, 'affected reference')} of ` : '';
    const uncompared = fresh === 0 ? '' : `; ${count(fresh)} of them new, not compared`;
    const size = `${all}${counted(ran, 'suite')}${uncompared}`;
    return worse === 0
      ? `No regression in ${size}`
      : `No suite regressed in ${size}${worseSuffix(worse)}`;
  },
  'scoring-changed': ({ suites: [first = '', ...more] }) =>
    `Scoring changed: ${first}${more.length === 0 ? '' : ` and ${count(more.length)} more`}`,
  evaluated: evaluatedTitle,
};

export function comparesNothing({
  references,
  fresh = 0,
}: Pick<OutcomeOf<'no-regression'>, 'references' | 'fresh'>): boolean {
  return fresh > 0 && fresh >= references;
}

/** The table's type ties each key to its member, which TypeScript forgets. */
function titleOf<O extends RunOutcome>(outcome: O): TitleOf<O> {
  return TITLES[outcome.kind] as unknown as TitleOf<O>;
}

/** GitHub's limit for titles that annotations and checks share. */
const TITLE_LIMIT = 255;

/** Title and conclusion of an outcome. What is not given of a result is empty. */
export function outcomeFields(
  outcome: RunOutcome,
  { reasons = [], suites = [], replaced = [] }: Partial<Found> = {},
): Pick<Result, 'outcome' | 'conclusion' | 'title' | 'reasons'> {
  const title = outcomeTitle(outcome, { reasons, suites, replaced });
  return { outcome, conclusion: conclusionOf(outcome), title, reasons };
}

/** The outcome in one line of at most 255 characters, its end kept. */
function outcomeTitle(outcome: RunOutcome, found: Found): string {
  const [reason] = found.reasons;
  const first = reason === undefined ? NOTHING_RAN : reasonWords(reason, found.suites);
  const compared = evidenceFirst(outcome);
  const title = `${compared === null ? '' : `${compared}. `}${titleOf(outcome)(outcome, first, found)}`;
  const cautions = [replacedIn(outcome, found.replaced), ungradedIn(outcome)].filter(
    (part) => part !== null,
  );
  if (cautions.length === 0) return shorten(title, TITLE_LIMIT);
  const end = `; ${cautions.join('; ')}`;
  return `${shorten(title.replace(/\.$/, ''), TITLE_LIMIT - end.length)}${end}`;
}

const NOTHING_RAN = 'nothing ran';

export function evidenceFirst(outcome: RunOutcome): string | null {
  if (outcome.kind === 'overridden') return evidenceFirst(outcome.by);
  const evidence = 'evidence' in outcome ? (outcome.evidence ?? null) : null;
  if (evidence === null) return null;
  const alone = outcome.kind === 'evaluated' || outcome.kind === 'no-verdict';
  return (
    `${count(evidence.references)} of ${counted(evidence.of, 'reference')} ` +
    `${alone ? 'judged' : 'compared'}`
  );
}

/** Who answers in place of a model, beside a verdict that is red all the same; else null. */
export function replacedIn(outcome: RunOutcome, replaced: Result['replaced']): string | null {
  if (outcome.kind === 'overridden') return replacedIn(outcome.by, replaced);
  const isRed = outcome.kind === 'regressed' || outcome.kind === 'failed';
  return isRed ? replacedInShort(replaced) : null;
}

export function ungradedIn(outcome: RunOutcome): string | null {
  if (outcome.kind === 'overridden') return ungradedIn(outcome.by);
  if (!('ungraded' in outcome) || outcome.ungraded === null) return null;
  const { tries, of } = outcome.ungraded;
  return `${count(tries)} of ${count(of)} tries have no readable grade`;
}

export function nothingToRun({ rubrics }: OutcomeOf<'nothing-to-run'>): string {
  return rubrics === 0
    ? 'No prompt, rubric or test changed: nothing to run.'
    : `No reference is affected; ${counted(rubrics, 'rubric')} tested on labelled examples`;
}

function evaluatedTitle({ suites, references, lowest, highest }: OutcomeOf<'evaluated'>): string {
  const size = `Evaluated ${counted(references, 'reference')} of ${counted(suites, 'suite')}`;
  if (lowest === null || highest === null) return size;
  return lowest === highest
    ? `${size}: pass rate ${percent(lowest)}`
    : `${size}: pass rates from ${percent(lowest)} to ${percent(highest)}`;
}

export function namesOf(references: OutcomeOf<'fixed'>['references']): string {
  return firstWords(references.map(({ id }) => id));
}

function worseSuffix(worse: number): string {
  return worse === 0 ? '' : `; ${counted(worse, 'reference')} got worse`;
}

function inShort(
  suites: readonly (OutcomeOf<'improved'>['suites'][number] &
    Pick<OutcomeOf<'regressed'>['suites'][number], 'silent' | 'broke' | 'metric'>)[],
): string {
  return suites
    .map(({ name, variant, base, head, silent, broke, metric }) => {
      const of = variant === undefined ? name : `${name} (${variantWords(variant)})`;
      if (broke !== undefined) return `${of}: ${brokenInWords(broke, { base, head })}`;
      if (metric !== undefined) return `${of}: ${metricInWords(metric)}`;
      if (silent === undefined)
        return `${of} ${percent(base)} → ${percent(head)} (${pointsBetween(base, head)})`;
      const how = silent.partly === true ? 'answers less often' : 'does not answer';
      return `head ${how} in ${count(silent.in)} of ${counted(silent.of, 'reference')} of ${of}`;
    })
    .join(', ');
}
