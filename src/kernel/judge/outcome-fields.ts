import { count, counted, firstWords, percent, pointsBetween } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import type { Conclusion } from '../../types/plain.ts';
import { brokenInWords } from '../result/counts.ts';
import type { OutcomeKind, OutcomeOf, RunOutcome } from '../result/outcome.ts';
import type { Override, Result } from '../result/result.ts';
import { variantWords } from '../suite/suite.ts';

interface FieldsRow<O extends RunOutcome> {
  conclusion: Conclusion;
  /** One line for the check, the outputs and the log; no full stop is needed. */
  title(outcome: O): string;
}

/** What the surfaces say of an outcome is in `report/sections/outcomes.ts`. */
const FIELDS: { [K in OutcomeKind]: FieldsRow<OutcomeOf<K>> } = {
  'nothing-to-run': {
    conclusion: 'success',
    title: nothingToRun,
  },
  'not-evaluated': {
    conclusion: 'error',
    title: ({ problems }) => `Not judged: ${counted(problems, 'problem')} to fix`,
  },
  'not-judged': {
    conclusion: 'error',
    title: ({ why }) => `Not judged: ${why}`,
  },
  'ended-early': {
    conclusion: 'error',
    title: ({ why }) => why,
  },
  waiting: {
    conclusion: 'neutral',
    title: ({ why }) => `Waiting for a batch; run again to pick it up. ${why}`,
  },
  'without-keys': {
    conclusion: 'neutral',
    title: () => 'Checked without a model key',
  },
  'no-verdict': {
    conclusion: 'neutral',
    title: ({ why }) => why,
  },
  'not-comparable': {
    conclusion: 'neutral',
    title: ({ why }) => `Not comparable: ${why}`,
  },
  'only-removed': {
    conclusion: 'neutral',
    title: ({ references }) =>
      `Nothing to run: ${counted(references, 'reference')} removed, newly skipped or quarantined`,
  },
  cancelled: {
    conclusion: 'neutral',
    title: ({ why }) => why,
  },
  fixed: {
    conclusion: 'success',
    title: ({ references, worse }) => `Fixed: ${namesOf(references)}${worseSuffix(worse)}`,
  },
  'new-failing': {
    conclusion: 'success',
    title: ({ references, of, worse }) =>
      `${count(references.length)} of ${counted(of, 'new reference')} ` +
      `${references.length === 1 ? 'fails' : 'fail'}: ${namesOf(references)}${worseSuffix(worse)}`,
  },
  regressed: {
    conclusion: 'failure',
    title: ({ suites, pool }) => {
      const all = pool === undefined ? [] : [allSuites(pool)];
      return `Regressed: ${[...all, ...(suites.length === 0 ? [] : [inShort(suites)])].join('; ')}`;
    },
  },
  failed: {
    conclusion: 'failure',
    title: ({ why, fails }) => (fails ? why : `Not failed, because fail_on is never: ${why}`),
  },
  overridden: {
    conclusion: 'neutral',
    title: ({ by }) => `Overridden: ${fieldsRowOf(by).title(by)}`,
  },
  inconclusive: {
    conclusion: 'neutral',
    title: ({ suites, ran, worse }) =>
      `Inconclusive for ${counted(suites, 'suite')} of ${String(ran)}${worseSuffix(worse)}`,
  },
  'model-changed': {
    conclusion: 'failure',
    title: ({ suites }) => `The model changed, not your prompt: ${inShort(suites)}`,
  },
  improved: {
    conclusion: 'success',
    title: ({ suites, worse }) => `Improved: ${inShort(suites)}${worseSuffix(worse)}`,
  },
  'no-regression': {
    conclusion: 'success',
    title: (outcome) => {
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
  },
  'scoring-changed': {
    conclusion: 'success',
    title: ({ suites: [first = '', ...more] }) =>
      `Scoring changed: ${first}${more.length === 0 ? '' : ` and ${count(more.length)} more`}`,
  },
  evaluated: {
    conclusion: 'success',
    title: evaluatedTitle,
  },
};

export function comparesNothing({
  references,
  fresh = 0,
}: Pick<OutcomeOf<'no-regression'>, 'references' | 'fresh'>): boolean {
  return fresh > 0 && fresh >= references;
}

/** The row of an outcome. The table's type ties each key to its member, which TypeScript forgets. */
function fieldsRowOf<O extends RunOutcome>(outcome: O): FieldsRow<O> {
  return FIELDS[outcome.kind] as unknown as FieldsRow<O>;
}

export function conclusionOf(outcome: RunOutcome): Conclusion {
  const held = 'fails' in outcome && !outcome.fails;
  return held ? 'neutral' : FIELDS[outcome.kind].conclusion;
}

/** GitHub's limit for titles that annotations and checks share. */
const TITLE_LIMIT = 255;

/** The outcome in one line of at most 255 characters, its end kept. */
function outcomeTitle(outcome: RunOutcome): string {
  const said = caution(outcome);
  const first = evidenceFirst(outcome);
  const title = `${first === null ? '' : `${first}. `}${fieldsRowOf(outcome).title(outcome)}`;
  if (said === null) return shorten(title, TITLE_LIMIT);
  const end = `; ${said}`;
  return `${shorten(title.replace(/\.$/, ''), TITLE_LIMIT - end.length)}${end}`;
}

export function outcomeFields(
  outcome: RunOutcome,
): Pick<Result, 'outcome' | 'conclusion' | 'title'> {
  return { outcome, conclusion: conclusionOf(outcome), title: outcomeTitle(outcome) };
}

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

function caution(outcome: RunOutcome): string | null {
  const said = [replacedIn(outcome), ungradedIn(outcome)].filter((part) => part !== null);
  return said.length === 0 ? null : said.join('; ');
}

export function replacedIn(outcome: RunOutcome): string | null {
  if (outcome.kind === 'overridden') return replacedIn(outcome.by);
  return 'replaced' in outcome ? outcome.replaced : null;
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

/** `all suites together 90.0 % → 85.0 % (−5.0 points)`. */
export function allSuites({ base, head }: { base: number; head: number }): string {
  return `all suites together ${percent(base)} → ${percent(head)} (${pointsBetween(base, head)})`;
}

export function namesOf(references: OutcomeOf<'fixed'>['references']): string {
  return firstWords(references.map(({ id }) => id));
}

function worseSuffix(worse: number): string {
  return worse === 0 ? '' : `; ${counted(worse, 'reference')} got worse`;
}

function inShort(
  suites: readonly (OutcomeOf<'improved'>['suites'][number] &
    Pick<OutcomeOf<'regressed'>['suites'][number], 'silent' | 'broke'>)[],
): string {
  return suites
    .map(({ name, variant, base, head, silent, broke }) => {
      const of = variant === undefined ? name : `${name} (${variantWords(variant)})`;
      if (broke !== undefined) return `${of}: ${brokenInWords(broke, { base, head })}`;
      if (silent === undefined)
        return `${of} ${percent(base)} → ${percent(head)} (${pointsBetween(base, head)})`;
      const how = silent.partly === true ? 'answers less often' : 'does not answer';
      return `head ${how} in ${count(silent.in)} of ${counted(silent.of, 'reference')} of ${of}`;
    })
    .join(', ');
}

export const LONGEST_REASON = 500;

interface PullWords {
  labels: readonly { name: string; description: string | null }[];
  body: string;
}

type FoundOverride =
  | { status: 'none' }
  | { status: 'no-reason'; message: string }
  | { status: 'found'; override: Override };

/**
 * Whether the override label is on the pull request, and why: a line of its text that begins with
 * the label's name and a colon, else the label's own description. Without a reason it does not
 * count, for then nobody could learn it later.
 */
export function findOverride({ labels, body }: PullWords, label: string): FoundOverride {
  const found = labels.find(({ name }) => name.toLowerCase() === label.toLowerCase());
  if (found === undefined) return { status: 'none' };
  const start = `${label.toLowerCase()}:`;
  const line = body
    .split(/\r?\n/)
    .map((text) => text.trim())
    .find((text) => text.toLowerCase().startsWith(start) && text.slice(start.length).trim() !== '');
  const reason = (line?.slice(start.length) ?? found.description ?? '')
    .trim()
    .slice(0, LONGEST_REASON);
  if (reason !== '') return { status: 'found', override: { label: found.name, reason } };
  return {
    status: 'no-reason',
    message:
      `The label "${label}" does not override the gate, because nobody says why: ` +
      `add a line "${label}: the reason" to the pull request's text, or give the label a ` +
      'description.',
  };
}

/** Sets a red verdict aside, in sight of everybody. What could not be judged stays an error. */
export function withOverride(result: Result, override: Override): Result {
  const { outcome } = result;
  const red = outcome.kind === 'regressed' || outcome.kind === 'failed';
  if (!red || conclusionOf(outcome) !== 'failure') return result;
  const reasons = [
    `Not red, because the label "${override.label}" overrides the gate: ${override.reason}`,
    ...result.reasons,
  ];
  return {
    ...result,
    ...outcomeFields({ kind: 'overridden', by: outcome }),
    reasons,
    override,
  };
}
