import type { Confirmation } from '../kernel/judge/confirmation.ts';
import { countsForVerdict } from '../kernel/result/counts.ts';
import type {
  PreferenceSummary,
  SuiteResult,
  ConfirmationResult,
  VerdictReason,
} from '../kernel/result/suite-result.ts';
import {
  counted,
  firstWords,
  inSize,
  meansInWords,
  pValue,
  percent,
  points,
  pointsBetween,
  signed,
} from '../text/amounts.ts';
import { isSilent } from './figures.ts';
import { fallInWords } from './scoring.ts';

const MAX_NAMED = 5;

/** The verdict of a suite in one sentence, with its numbers. */
export function suiteSummary(suite: SuiteResult): string {
  const { evidence } = suite;
  const compared =
    evidence.references === evidence.of
      ? ''
      : `${String(evidence.references)} of ${counted(evidence.of, 'reference')} compared; `;
  return `${compared}${verdictSentence(suite)}`;
}

function verdictSentence(suite: SuiteResult): string {
  const { base, head, low, high, p } = suite.pass_rate;
  if (low === null || high === null)
    return suite.reason?.by === 'unanswered'
      ? `${whatFell(suite).replace(/; $/, '')}.`
      : plainSentence(suite);
  return (
    `${whatFell(suite)}${whatPasses(suite)} ${percent(base)} → ` +
    `${percent(head)} (${pointsBetween(base, head)}, 90 % interval ` +
    `${signed(low)} to ${signed(high)}${p === null ? '' : `, ${pValue(p)}`}); ` +
    `${whatIsSeen(suite, low)}${whyOpen(suite)}${whatIsHidden(suite)}`
  );
}

function whatPasses({ unit, rollups }: SuiteResult): string {
  if (unit === 'pairs') return "answers no worse than the other side's";
  return unit === 'references' ? `references that pass (${rollups.policy})` : 'pass rate';
}

/** Why the suite is red; a reason other than its rate comes first. */
function whatFell(suite: SuiteResult): string {
  const { verdict, reason } = suite;
  if (verdict !== 'regressed' || !reason) return '';
  const ids = reason.references;
  const named = counted(ids.length, 'reference');
  const list = `(${firstWords(ids, MAX_NAMED)}); `;
  switch (reason.by) {
    case 'unanswered':
      return isSilent(suite)
        ? `head does not answer in ${named} that base answers ${list}`
        : `head answers less often in ${named} ${list}`;
    case 'fall':
      return reason.metrics.length === 0 ? '' : `${firstWords(reason.metrics, MAX_NAMED)} fell; `;
    case 'references':
      return ids.length === 0
        ? 'references broke, with too few tries to name them alone; '
        : `${named} broke ${list}`;
    default:
      return '';
  }
}

function whatIsSeen(suite: SuiteResult, low: number): string {
  const { verdict, compared, visible_drop: drop, pass_rate } = suite;
  const size = `${counted(compared.references, 'reference')} × ${triesInWords(compared.tries)}`;
  const sees =
    drop === null
      ? `this suite (${size}) usually detects only a collapse`
      : `this suite (${size}) detects drops of ${inSize(drop)} points or more (80 % power)`;
  if (verdict === 'regressed') return `${sees}.`;
  if (pass_rate.base === 0) return `no try passes on base, so nothing could get worse (${size}).`;
  return low <= -1
    ? `${sees}.`
    : `rules out a drop above ${inSize(Math.min(0, low))} points; ${sees}.`;
}

function triesInWords(tries: number): string {
  return tries === 1 ? '1 try' : `${String(tries)} tries`;
}

type SentenceOf = (named: string, tolerance: string, tries: string) => string;

/** What a verdict adds to the rates. `named`: references or metrics; `tolerance`: in points. */
const DECIDED_BY: Readonly<Partial<Record<VerdictReason['by'], SentenceOf>>> = {
  suspicious: (named) => `Suspicious still: ${named}.`,
  named: (named) => `Worse by themselves: ${named}.`,
  metric: (named) => `Fell beyond chance: ${named}.`,
  uncompared: (named) => `Without evidence: ${named}.`,
  endings: () => "One side's answers ended otherwise, so the rates say nothing.",
  unsettled: (_, tolerance, tries) =>
    `It could not rule out a drop above the tolerance of ${tolerance} with ${tries} a side.`,
  'not-lower': (_, tolerance) =>
    'Head is no lower, but the suite is too small to rule out a drop above the tolerance of ' +
    `${tolerance}.`,
  run: (_, tolerance) =>
    'By itself it cannot rule out a drop above its tolerance; ' +
    `all suites of the run together rule out one above ${tolerance}.`,
  rise: (_, tolerance) => `Tolerance ${tolerance}.`,
  bound: (_, tolerance) => `Tolerance ${tolerance}.`,
};

const RESTS_ON: Readonly<Record<ConfirmationResult['rests_on'], string>> = {
  stored: 'against stored answers',
  session: 'in one session of the program on each side',
};

/** Why a fall could not be confirmed. */
const UNCONFIRMED: Readonly<Record<NonNullable<ConfirmationResult['limit']> | 'settled', string>> =
  {
    settled: 'which new answers of both sides could not confirm',
    max_calls: 'and max_calls left too few calls to ask again',
    max_cost_usd: 'and max_cost_usd left too little to ask again',
    time: 'and the time was up before base was asked again',
    errors: 'and base no longer answers',
  };

/** `It fell against stored answers, and max_calls left too few calls to ask again.` */
export function unconfirmedWords({
  metric,
  rests_on,
  limit,
}: Pick<ConfirmationResult, 'metric' | 'rests_on' | 'limit'>): string {
  const what = metric === undefined ? 'It fell' : `The mean of ${metric} got worse`;
  return `${what} ${RESTS_ON[rests_on]}, ${UNCONFIRMED[limit ?? 'settled']}.`;
}

/** `100.0 % → 50.0 %`, or the means of a metric; nothing where base did not change. */
function driftWords({ drift, metric }: Pick<ConfirmationResult, 'drift' | 'metric'>): string {
  if (drift === null) return '';
  return metric === undefined
    ? `${percent(drift.stored)} → ${percent(drift.today)}`
    : `${metric} ${meansInWords(drift.stored, drift.today)}`;
}

/** Why a fall that rests on old answers is not red. */
export function confirmationWords(confirmation: Confirmation): string {
  if (confirmation.status !== 'model') return unconfirmedWords(confirmation);
  const fall = driftWords(confirmation);
  return `${MODEL_CHANGED}: base falls today, too${fall === '' ? '' : ` (${fall})`}.`;
}

/** `p: base falls today, too (100.0 % → 50.0 %): …`. */
export function modelFellToo(
  name: string,
  confirmation: Pick<ConfirmationResult, 'drift' | 'metric'>,
): string {
  return (
    `${name}: base falls today, too (${driftWords(confirmation)}): the model changed, ` +
    'and head is worse than base by new answers of both'
  );
}

export const MODEL_CHANGED = 'The model changed, not your prompt';

function confirmationSentence({ reason, confirmation }: SuiteResult): string | null {
  if (reason?.by !== 'unconfirmed' && reason?.by !== 'model') return null;
  return confirmation === undefined ? null : confirmationWords(confirmation);
}

function whyOpen(suite: SuiteResult): string {
  const { reason, compared, pass_rate } = suite;
  const confirmed = confirmationSentence(suite);
  if (confirmed !== null) return ` ${confirmed}`;
  const sentence = reason ? DECIDED_BY[reason.by] : undefined;
  const nothingPassed = reason?.by === 'not-lower' && pass_rate.base === 0;
  if (!reason || sentence === undefined || nothingPassed) return '';
  const named = firstWords([...reason.references, ...reason.metrics], MAX_NAMED);
  const tolerance = `${inSize(reason.tolerance)} points`;
  return ` ${sentence(named, tolerance, triesInWords(compared.tries))}`;
}

function whatIsHidden({ reason }: SuiteResult): string {
  const under = reason?.under_base;
  return under === undefined ? '' : ` ${fallInWords(under.base, under.head, under.excused)}.`;
}

function plainSentence(suite: SuiteResult): string {
  const {
    verdict,
    unasked,
    references,
    pass_rate: { head },
  } = suite;
  const rate = percent(head);
  switch (verdict) {
    case 'new':
      return `new: pass rate ${rate}, nothing to compare with.`;
    case 'removed':
      return 'removed by this change.';
    case 'unchanged':
      return `the prompt asks for the same answers on both sides; pass rate ${rate}.`;
    case 'not_compared': {
      if (!references.some(countsForVerdict))
        return 'nothing is compared: all its references are skipped or in quarantine.';
      const why =
        unasked === undefined
          ? 'these references could not be compared'
          : `${unasked} cannot answer these references`;
      return `${why}${head === null ? '' : `; pass rate on head ${rate}`}.`;
    }
    default:
      return 'nothing was judged.';
  }
}

export function preferenceSummary(preference: PreferenceSummary): string {
  const { head, base, ties, difference, low, high, p, gates } = preference;
  return (
    `of ${counted(head + base + ties, 'comparison')} head's answer is preferred in ` +
    `${String(head)} and base's in ${String(base)}, ${String(ties)} are ties ` +
    `(${points(difference)}, 90 % interval ${signed(low)} to ${signed(high)}, ` +
    `sign test ${pValue(p)})${gates ? '' : '; advice only, since other metrics gate'}.`
  );
}
