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
  wholePercent,
  wholeRates,
} from '../text/amounts.ts';
import { isSilent, passesNothing, valueWords } from './figures.ts';
import { orderWords } from './rates.ts';
import { fallInWords } from './scoring.ts';
import { plainWords, type Words } from './words.ts';

const MAX_NAMED = 5;

export const NOTHING_PASSES = 'Nothing passes on base';

export function suiteSummary(suite: SuiteResult): string {
  const { evidence } = suite;
  const compared =
    evidence.references === evidence.of
      ? ''
      : `${evidence.references} of ${counted(evidence.of, 'test')} compared; `;
  return `${compared}${verdictSentence(suite)}`;
}

function verdictSentence(suite: SuiteResult): string {
  const { base, head, low, high, p } = suite.pass_rate;
  const values = valueWords(suite);
  if (values !== null && suite.reason !== null)
    return `${plainWords(values)}. ${confirmationSentence(suite) ?? ''}`.trim();
  if (low === null || high === null)
    return suite.reason?.by === 'unanswered'
      ? `${whatFell(suite).replace(/; $/, '')}.`
      : `${plainWords(uncomparedWords(suite))}.`;
  return (
    `${whatFell(suite)}${whatPasses(suite)} ${percent(base)} → ${percent(head)}, ` +
    `${pointsBetween(base, head)}; 90 % sure to lie between ${signed(low)} and ${signed(high)}` +
    `${p === null ? '' : ` (${pValue(p)})`}. ${whatIsSeen(suite)}${whyOpen(suite)}` +
    `${whatIsHidden(suite)}${whatConfirms(suite)}`
  );
}

function whatPasses({ unit, rollups }: SuiteResult): string {
  if (unit === 'pairs') return "answers no worse than the other side's";
  return unit === 'references' ? `tests that pass (${rollups.policy})` : 'pass rate';
}

function whatFell(suite: SuiteResult): string {
  const { verdict, reason } = suite;
  if (verdict !== 'regressed' || !reason) return '';
  const ids = reason.references;
  const named = counted(ids.length, 'test');
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
        ? 'tests broke, with too few answers to say which; '
        : `${named} broke ${list}`;
    default:
      return '';
  }
}

function whatIsSeen(suite: SuiteResult): string {
  const { compared, visible_drop: drop } = suite;
  const size = `${counted(compared.references, 'test')} × ${counted(compared.tries, 'answer')}`;
  if (passesNothing(suite)) return `${NOTHING_PASSES}, so nothing could break (${size}).`;
  return drop === null
    ? `${size}: a comparison of this size usually finds only a collapse.`
    : `${size}: a comparison of this size finds drops of ${inSize(drop)} points or more 4 times in 5.`;
}

type SentenceOf = (named: string, tolerance: string) => string;

/**
 * The sentence after the rates, which says what decided. `named` are tests or metrics, `tolerance`
 * is in points.
 */
const DECIDED_BY: Readonly<Partial<Record<VerdictReason['by'], SentenceOf>>> = {
  suspicious: (named) => `Perhaps worse: ${named}.`,
  named: (named) => `Worse by themselves: ${named}.`,
  metric: (named) => `Fell more than chance explains: ${named}.`,
  uncompared: (named) => `No answer to compare: ${named}.`,
  endings: () => "One side's answers ended differently, so the rates cannot be compared.",
  unsettled: (_, tolerance) => `A drop above ${tolerance} (gate.tolerance) is still possible.`,
  'not-lower': (_, tolerance) =>
    `Head is no lower, but the suite is too small to exclude a drop above ${tolerance} (gate.tolerance).`,
  run: (_, tolerance) =>
    'Alone it is too small to exclude such a drop; ' +
    `all suites of the run together exclude one above ${tolerance}.`,
  rise: (_, tolerance) => `gate.tolerance: ${tolerance}.`,
  bound: (_, tolerance) => `gate.tolerance: ${tolerance}.`,
};

const RESTS_ON: Readonly<Record<ConfirmationResult['rests_on'], string>> = {
  stored: 'against stored answers',
  session: 'in one session of the program on each side',
};

const UNCONFIRMED: Readonly<Record<NonNullable<ConfirmationResult['limit']> | 'settled', string>> =
  {
    settled: 'which new answers of both sides could not confirm',
    max_calls: 'and max_calls left too few calls to run it again',
    max_cost_usd: 'and max_cost_usd left too little to run it again',
    time: 'and the time limit came before base ran again',
    errors: 'and base no longer answers',
  };

/** For example `fell against stored answers, and max_calls left too few calls to run it again`. */
export function unconfirmedFall({
  metric,
  rests_on,
  limit,
}: Pick<ConfirmationResult, 'metric' | 'rests_on' | 'limit'>): string {
  const what = metric === undefined ? 'fell' : `got worse in the mean of ${metric}`;
  return `${what} ${RESTS_ON[rests_on]}, ${UNCONFIRMED[limit ?? 'settled']}`;
}

function driftWords({ drift, metric }: Pick<ConfirmationResult, 'drift' | 'metric'>): string {
  if (drift === null) return '';
  return metric === undefined
    ? wholeRates(drift.stored, drift.today)
    : `${metric} ${meansInWords(drift.stored, drift.today)}`;
}

export function confirmationWords(confirmation: Confirmation): string {
  return confirmation.status === 'model'
    ? `${MODEL_CHANGED}: ${baseDrops(confirmation)}.`
    : `It ${unconfirmedFall(confirmation)}.`;
}

export function baseDrops(confirmation: Pick<ConfirmationResult, 'metric' | 'drift'>): string {
  const fall = driftWords(confirmation);
  return `base also drops when re-run today${fall === '' ? '' : ` (${fall})`}`;
}

export function modelFellToo(
  name: string,
  confirmation: Pick<ConfirmationResult, 'drift' | 'metric'>,
): string {
  return (
    `${name}: ${baseDrops(confirmation)}: the model changed, ` +
    'and new answers of both sides show that head is worse'
  );
}

export const MODEL_CHANGED = 'The model changed, not your prompt';

function confirmationSentence({ reason, confirmation }: SuiteResult): string | null {
  if (reason?.by !== 'unconfirmed' && reason?.by !== 'model') return null;
  return confirmation === undefined ? null : confirmationWords(confirmation);
}

function whyOpen(suite: SuiteResult): string {
  const { reason } = suite;
  const confirmed = confirmationSentence(suite);
  if (confirmed !== null) return ` ${confirmed}`;
  const sentence = reason ? DECIDED_BY[reason.by] : undefined;
  const nothingPassed = reason?.by === 'not-lower' && passesNothing(suite);
  if (!reason || sentence === undefined || nothingPassed) return '';
  const named = firstWords([...reason.references, ...reason.metrics], MAX_NAMED);
  const tolerance = `${inSize(reason.tolerance)} points`;
  return ` ${sentence(named, tolerance)}`;
}

function whatIsHidden({ reason }: SuiteResult): string {
  const under = reason?.under_base;
  return under === undefined ? '' : ` But ${fallInWords(under.base, under.head, under.excused)}.`;
}

function whatConfirms({ verdict, confirmation }: SuiteResult): string {
  if (verdict !== 'regressed' || confirmation?.rests_on !== 'stored') return '';
  const { oldest } = confirmation.stored;
  const date = oldest === null ? null : new Date(oldest).toISOString().slice(0, 10);
  return ` Confirmed by new answers${date === null ? '' : `; the oldest stored one is from ${date}`}.`;
}

export function uncomparedWords(suite: SuiteResult): Words {
  const {
    verdict,
    unasked,
    references,
    pass_rate: { head },
  } = suite;
  const rate = valueWords(suite) ?? [`pass rate ${wholePercent(head)}`];
  switch (verdict) {
    case 'new':
      return ['new: ', ...rate, ', nothing to compare with'];
    case 'removed':
      return ['deleted by this change'];
    case 'unchanged':
      return ['the prompt asks for the same answers on both sides; ', ...rate];
    case 'not_compared': {
      if (!references.some(countsForVerdict))
        return ['nothing is compared: all its tests are skipped or in quarantine'];
      const why =
        unasked === undefined
          ? 'these tests could not be compared'
          : `${unasked} cannot answer these tests`;
      return [why, head === null ? '' : `; pass rate on head ${wholePercent(head)}`];
    }
    default:
      return ['nothing was judged'];
  }
}

export function preferenceSummary(preference: PreferenceSummary): string {
  const { head, base, ties, difference, low, high, p, gates, by_order: byOrder } = preference;
  if (byOrder !== undefined)
    return (
      `${orderWords(byOrder)}; of the others head's answer is preferred in ` +
      `${head} and base's in ${base}.`
    );
  return (
    `of ${counted(head + base + ties, 'comparison')} head's answer is preferred in ` +
    `${head} and base's in ${base}, ${ties} are ties ` +
    `(${points(difference)}, 90 % sure to lie between ${signed(low)} and ${signed(high)}, ` +
    `${pValue(p)})${gates ? '' : '; advice only, because other metrics decide'}.`
  );
}
