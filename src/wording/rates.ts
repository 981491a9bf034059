import type { Replaced } from '../kernel/result/result.ts';
import type { PreferenceSummary, SuiteResult } from '../kernel/result/suite-result.ts';
import { andMore, count, counted, wholePercent, wholeRates } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';

interface Rates {
  base: number | null;
  head: number | null;
}

export function allSuites({ base, head }: Rates): string {
  return `all suites together ${wholeRates(base, head)}`;
}

/** Null unless comparisons of answers decide the suite. */
export function preferredWords({ preference }: SuiteResult): string | null {
  if (preference?.gates !== true) return null;
  const { head, base, ties, by_order: byOrder } = preference;
  if (byOrder !== undefined && head + base === 0) return orderWords(byOrder);
  const all = counted(head + base + ties, 'comparison');
  return head + base === 0
    ? `no answer preferred in ${all}`
    : `head's answer preferred in ${count(head)} of ${all}, base's in ${count(base)}`;
}

/** For example `in 20 of 20 comparisons judge-1 preferred whichever answer came first`. */
export function orderWords({
  graders,
  comparisons,
  of,
  chosen,
}: NonNullable<PreferenceSummary['by_order']>): string {
  const who = graders.length === 1 ? (graders[0] ?? '') : 'the graders';
  const what =
    chosen === 'order'
      ? `the choice of ${who} depended on the order of the answers`
      : `${who} preferred whichever answer came ${chosen}`;
  return `in ${count(comparisons)} of ${counted(of, 'comparison')} ${what}, so there is no evidence`;
}

export function replacedInShort(replaced: readonly Replaced[] = []): string | null {
  if (replaced.length === 0) return null;
  const by = [...new Set(replaced.map((replacement) => replacement.by))].join(' and ');
  const suites = [...new Set(replaced.map(({ suite }) => suite))];
  const shown = shorten(suites.slice(0, 2).join(', '), 60);
  return `${by} in place of a model in ${shown}${andMore(suites.length, 2)}`;
}

export function rateRange(suites: readonly SuiteResult[]): string | null {
  const heads = suites.map(({ pass_rate }) => pass_rate.head).filter((rate) => rate !== null);
  if (heads.length === 0) return null;
  const lowest = Math.min(...heads);
  const highest = Math.max(...heads);
  return lowest === highest
    ? `pass rate ${wholePercent(lowest)}`
    : `pass rates from ${wholePercent(lowest)} to ${wholePercent(highest)}`;
}
