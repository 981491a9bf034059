import { bothTries, showsOnly } from '../kernel/result/counts.ts';
import { lacksAnswer } from '../kernel/result/reference-result.ts';
import type { SuiteResult, VerdictReason } from '../kernel/result/suite-result.ts';
import { isWithoutOutcome } from '../kernel/statistics/table.ts';
import { count, counted, wholeRates } from '../text/amounts.ts';
import { endingShares } from './endings.ts';
import { passedOf } from './facts.ts';
import {
  brokenIn,
  brokeWord,
  decidingMetrics,
  passesNothing,
  shareFigures,
  valueWords,
} from './figures.ts';
import { orderWords, preferredWords } from './rates.ts';
import { fallInWords } from './scoring.ts';
import { baseDrops, NOTHING_PASSES, uncomparedWords, unconfirmedFall } from './suites.ts';
import { firstOf, namedIds, type Words } from './words.ts';

interface Decided {
  suite: SuiteResult;
  reason: VerdictReason;
  /** No other suite has this verdict, so there is room to name tests. */
  isOnly: boolean;
}

const SENTENCES: Readonly<Record<VerdictReason['by'], (decided: Decided) => Words>> = {
  fall: rateFallWords,
  values: ({ suite, reason }) => {
    const how = suite.verdict === 'regressed' ? 'worse' : 'better';
    return [...suiteRates(suite, reason.metrics), `: clearly ${how}${byChance(reason)}`];
  },
  references: ({ suite, reason, isOnly }) =>
    isOnly && reason.references.length > 0
      ? [`${brokeWords(suite) ?? ''}: `, ...eachPassed(suite, reason.references), although(suite)]
      : [...suiteRates(suite), ': ', brokeWords(suite) ?? 'several tests pass less often'],
  unanswered: ({ suite }) => uncomparedWords(suite),
  rise: ({ suite, reason }) => [...suiteRates(suite), `: clearly better${byChance(reason)}`],
  bound: unnoticedWords,
  'not-lower': unnoticedWords,
  run: unnoticedWords,
  suspicious: ({ suite, reason }) => [
    ...eachPassed(suite, reason.references),
    ': perhaps worse, too few answers to tell',
  ],
  named: ({ suite, reason }) => [
    ...eachPassed(suite, reason.references),
    ': worse, but not enough to call the suite regressed',
  ],
  metric: ({ suite, reason }) => [
    ...metricWords(suite, reason.metrics[0] ?? ''),
    ': perhaps worse, too few answers to tell',
  ],
  unsettled: ({ suite }) => [
    ...suiteRates(suite),
    `: ${tooFewTests(suite)} to tell whether it got worse`,
  ],
  uncompared: ({ suite, reason: { references } }) => [
    `${whyUncompared(suite, references)} ${count(references.length)} of ` +
      `${counted(suite.evidence.of, 'test')} (`,
    ...namedIds(references),
    ')',
  ],
  endings: ({ suite }) => [`answers ${endingShares(suite.references).join('; ')}`],
  scoring: ({ reason: { under_base: under } }) => [
    under === undefined
      ? "worse under base's scoring; the scoring changed too"
      : fallInWords(under.base, under.head, under.excused),
  ],
  model: ({ suite: { confirmation } }) => [
    confirmation === undefined ? 'base also drops when re-run today' : baseDrops(confirmation),
  ],
  unconfirmed: ({ suite: { confirmation } }) => [
    confirmation === undefined
      ? 'fell, and new answers could not confirm it'
      : unconfirmedFall(confirmation),
  ],
};

function whyUncompared(
  { references, preference }: SuiteResult,
  missing: readonly string[],
): string {
  if (preference?.gates === true && preference.by_order)
    return `${orderWords(preference.by_order)} in`;
  const tries = references.filter(({ id }) => missing.includes(id)).flatMap(bothTries);
  const isUnread =
    tries.some(({ outcome }) => isWithoutOutcome(outcome)) && !tries.some(lacksAnswer);
  return isUnread ? 'no readable verdict on' : 'no answer to compare in';
}

export function suiteSentence(suite: SuiteResult, { isOnly }: { isOnly: boolean }): Words {
  const { reason, verdict } = suite;
  if (showsOnly(suite) && verdict !== 'regressed')
    return ['none of its metrics decides, so their values are only shown', ...shownOnly(suite)];
  if (reason === null)
    return suite.pass_rate.difference === null ? uncomparedWords(suite) : suiteRates(suite);
  return SENTENCES[reason.by]({ suite, reason, isOnly });
}

/** For example `100 → 70 %`, or which answers are preferred. */
export function suiteRates(suite: SuiteResult, metrics?: readonly string[]): Words {
  const { unit, rollups, pass_rate, reason } = suite;
  const isByPasses = reason?.by === 'fall' || reason?.by === 'references';
  const preferred = preferredWords(suite);
  if (preferred !== null) return [preferred];
  const rates = wholeRates(pass_rate.base, pass_rate.head);
  const words = isByPasses ? null : valueWords(suite, metrics);
  return words ?? [unit === 'references' ? `${rates} by ${rollups.policy}` : rates];
}

function shownOnly(suite: SuiteResult): Words {
  const words = valueWords(suite);
  return words === null ? [] : [': ', ...words];
}

function rateFallWords({ suite, reason }: Decided): Words {
  const [name] = reason.metrics;
  const { base, head } = suite.pass_rate;
  const own = suite.metrics.find((metric) => metric.name === name);
  const isRate = own?.base === base && own.head === head;
  const what = name === undefined || isRate ? suiteRates(suite) : metricWords(suite, name);
  return [...what, `: ${brokeWords(suite) ?? `clearly worse${byChance(reason)}`}`];
}

/** For example `format 100 → 85 %, although correct rose 80 → 97 %`. */
function metricWords({ metrics }: SuiteResult, name: string): Words {
  const own = metrics.find((metric) => metric.name === name);
  const known = typeof own?.base === 'number' && typeof own.head === 'number';
  const [risen] = metrics
    .filter(({ gates, base, head }) => gates && base !== null && head !== null && head > base)
    .sort((a, b) => riseOf(b) - riseOf(a));
  return [
    { name },
    known ? ` ${wholeRates(own.base, own.head)}` : ' fell',
    ...(risen === undefined
      ? []
      : [', although ', { name: risen.name }, ` rose ${wholeRates(risen.base, risen.head)}`]),
  ];
}

function riseOf({ base, head }: SuiteResult['metrics'][number]): number {
  return (head ?? 0) - (base ?? 0);
}

function brokeWords(suite: SuiteResult): string | null {
  const worse = brokenIn(suite);
  if (worse.length === 0) return null;
  return `${count(worse.length)} of ${countedTests(suite)} ${brokeWord(worse)}`;
}

function countedTests({ compared, evidence }: SuiteResult): string {
  return counted(compared.references === 0 ? evidence.of : compared.references, 'test');
}

/** For example `a 6 of 6 → 0 of 6, b 4 of 4 → 0 of 4`. */
function eachPassed({ references }: SuiteResult, ids: readonly string[]): Words {
  return firstOf(
    references
      .filter(({ id }) => ids.includes(id))
      .map((reference) => [
        { name: reference.id },
        ` ${passedOf([reference], 'base')} → ${passedOf([reference], 'head')}`,
      ]),
  );
}

function although({ pass_rate: { base, head } }: SuiteResult): string {
  if (base === null || head === null || head < base) return '';
  return `, although the rate ${head > base ? 'rose' : 'stayed'} ${wholeRates(base, head)}`;
}

function byChance({ p }: VerdictReason): string {
  if (p === null) return '';
  return ` (${p < 0.001 ? 'under 0.1' : (p * 100).toFixed(1)} % likely by chance)`;
}

/** In points. A suite that might miss such a drop has too few tests. */
const LARGE_DROP = 20;

function unnoticedWords({ suite }: Decided): Words {
  const blind = blindWords(suite);
  const unnoticed = unnoticedDrop(suite);
  return [
    ...suiteRates(suite),
    ...(blind === null ? [] : ['. ', ...blind]),
    unnoticed === null ? '' : `. ${unnoticed.sentence}`,
  ];
}

/** Why the suite's passes cannot show a fall, and what would change that. Null if they can. */
export function blindWords(suite: SuiteResult): Words | null {
  const { reason, verdict } = suite;
  const isByValues = decidingMetrics(suite).length > 0;
  if (reason === null || (verdict !== 'unchanged' && !isByValues)) return null;
  if (showsOnly(suite)) return ['No metric decides: set a threshold, min, max or better.'];
  if (passesNothing(suite)) return [`${NOTHING_PASSES}, so nothing could break.`];
  if (!isByValues || suite.unit === 'values') return null;
  const why = suite.pass_rate.base === 0 ? NOTHING_PASSES : 'Hardly any answer passes on base';
  return [`${why}, so values decide: set a `, { name: 'threshold' }, ' that answers reach.'];
}

function tooFewTests(suite: SuiteResult): string {
  return `${countedTests(suite)} ${suite.compared.references === 1 ? 'is' : 'are'} too few`;
}

/** The largest drop that a green suite might miss. Null if even a small drop would be noticed. */
export function unnoticedDrop(
  suite: SuiteResult,
): { points: number; isSmall: boolean; sentence: string } | null {
  const shares = shareFigures(suite).map(({ values }) => values);
  const { base, low } =
    shares.toSorted((a, b) => (a.low ?? 0) - (b.low ?? 0)).at(0) ?? suite.pass_rate;
  if (base === 0) return null;
  // Rounds up, but ignores floating-point errors.
  const most = Math.min(-(low ?? 0), base ?? 1);
  const points = Math.ceil(Number((most * 100).toFixed(6)));
  if (points <= 0) return null;
  if (points < LARGE_DROP)
    return {
      points,
      isSmall: false,
      sentence: `A drop of ${counted(points, 'point')} or less could go unnoticed.`,
    };
  const drop =
    points >= 100 ? 'a large' : `${points >= 80 && points < 90 ? 'an' : 'a'} ${points}-point`;
  return {
    points,
    isSmall: true,
    sentence: `${tooFewTests(suite)}: even ${drop} drop could go unnoticed.`,
  };
}
