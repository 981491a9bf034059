import type { Confirmation } from '../kernel/judge/confirmation.ts';
import { countsForVerdict } from '../kernel/result/counts.ts';
import type {
  PreferenceSummary,
  SuiteResult,
  ConfirmationResult,
  VerdictReason,
} from '../kernel/result/suite-result.ts';
import {
  count,
  counted,
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
import { namedIds, plainWords, type Words } from './words.ts';

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
  if (low === null || high === null) return `${plainWords(uncomparedWords(suite))}.`;
  return (
    `${whatPasses(suite)} ${percent(base)} → ${percent(head)}, ` +
    `${pointsBetween(base, head)}; 90 % sure to lie between ${signed(low)} and ${signed(high)}` +
    `${p === null ? '' : ` (${pValue(p)})`}. ${whatIsSeen(suite)}` +
    `${whyOpen(suite)}${whatConfirms(suite)}`
  );
}

function whatPasses({ unit, rollups }: SuiteResult): string {
  if (unit === 'pairs') return "answers no worse than the other side's";
  return unit === 'references' ? `tests that pass (${rollups.policy})` : 'pass rate';
}

function whatIsSeen(suite: SuiteResult): string {
  const { compared, visible_drop: drop } = suite;
  const size = `${counted(compared.references, 'test')} × ${counted(compared.tries, 'answer')}`;
  if (passesNothing(suite)) return `${NOTHING_PASSES}, so nothing could break (${size}).`;
  return drop === null
    ? `${size}: a comparison of this size usually finds only a collapse.`
    : `${size}: a comparison of this size finds drops of ${inSize(drop)} points or more 4 times in 5.`;
}

/** The sentence about `gate.tolerance`, in points, if it decided. */
const DECIDED_BY: Readonly<Partial<Record<VerdictReason['by'], (tolerance: string) => string>>> = {
  unsettled: (tolerance) => `A drop above ${tolerance} (gate.tolerance) is still possible.`,
  'not-lower': (tolerance) =>
    `Head is no lower, but the suite is too small to exclude a drop above ${tolerance} (gate.tolerance).`,
  run: (tolerance) =>
    'Alone it is too small to exclude such a drop; ' +
    `all suites of the run together exclude one above ${tolerance}.`,
  rise: (tolerance) => `gate.tolerance: ${tolerance}.`,
  bound: (tolerance) => `gate.tolerance: ${tolerance}.`,
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
  return ` ${sentence(`${inSize(reason.tolerance)} points`)}`;
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
    reason,
    pass_rate: { head },
  } = suite;
  if (reason?.by === 'unanswered')
    return [
      `head ${isSilent(suite) ? 'does not answer' : 'answers less often in'} `,
      `${count(reason.references.length)} of ${counted(suite.evidence.of, 'test')} that base answers (`,
      ...namedIds(reason.references),
      ')',
    ];
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
