import type { Replaced } from '../kernel/result/result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import { counted, percent, pointsBetween, signedBetween } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';

interface Rates {
  base: number | null;
  head: number | null;
}

/** `all suites together 90.0 % → 85.0 % (−5.0 points)`. */
export function allSuites({ base, head }: Rates): string {
  return `all suites together ${percent(base)} → ${percent(head)} (${pointsBetween(base, head)})`;
}

/** `facts 100.0 % → 85.0 %`; without rates `facts fell`. */
export function metricInWords({ name, base, head }: Rates & { name: string }): string {
  if (base === null || head === null) return `${name} fell`;
  return `${name} ${percent(base)} → ${percent(head)}`;
}

/** `1 reference broke (r0); the mean rose 8.0 points`. */
export function brokenInWords(broke: readonly string[], { base, head }: Rates): string {
  const [first] = broke;
  const which = first === undefined ? '' : ` (${first}${broke.length > 1 ? ', …' : ''})`;
  const who = broke.length === 0 ? 'references' : counted(broke.length, 'reference');
  const flat = base === null || head === null || base === head;
  const moved = flat ? 'stayed' : `rose ${signedBetween(base, head).slice(1)} points`;
  return `${who} broke${which}; the mean ${moved}`;
}

/** In whose place who answers, for the first line; null: base's models answer. */
export function replacedInShort(replaced: readonly Replaced[] = []): string | null {
  if (replaced.length === 0) return null;
  const by = [...new Set(replaced.map((replacement) => replacement.by))].join(' and ');
  const suites = [...new Set(replaced.map(({ suite }) => suite))];
  const shown = shorten(suites.slice(0, 2).join(', '), 60);
  const more = suites.length > 2 ? ` and ${String(suites.length - 2)} more` : '';
  return `${by} in place of a model in ${shown}${more}`;
}

/** `pass rates from 70.0 % to 100.0 %`; null: nothing could be judged. */
export function rateRange(suites: readonly SuiteResult[]): string | null {
  const heads = suites.map(({ pass_rate }) => pass_rate.head).filter((rate) => rate !== null);
  if (heads.length === 0) return null;
  const [lowest, highest] = [Math.min(...heads), Math.max(...heads)];
  return lowest === highest
    ? `pass rate ${percent(lowest)}`
    : `pass rates from ${percent(lowest)} to ${percent(highest)}`;
}
