import { evidenceOf, tryPairs, type PairedTry } from './evidence.ts';
import type { Column, SuiteLedger } from './ledger.ts';
import { sum } from './sums.ts';
import { triesMade } from './table.ts';

interface Suspicion {
  /** Its e-value. */
  value: number;
  /** Suspicious, and more tries would tell. */
  open: boolean;
  /** It is among the references that are judged alone. */
  counts: boolean;
}

export const MOST_PAIRS = 40;

/**
 * Least e-value to stay under suspicion after this many pairs; `watched` references (critical or
 * steady) start with one failure more on head. Chosen for power and cost; the level holds anyway.
 */
const SUSPICION_LEVELS = [
  { pairs: 14, evidence: 12, watched: 4 },
  { pairs: 8, evidence: 3, watched: 0.3 },
  { pairs: 0, evidence: 2, watched: 0.3 },
];

function isOpen(pairs: readonly PairedTry[], value: number, watched: boolean): boolean {
  const failed = (side: 'base' | 'head'): number => pairs.filter((pair) => !pair[side]).length;
  const rung = SUSPICION_LEVELS.find((step) => pairs.length >= step.pairs);
  const needed = rung === undefined ? Infinity : watched ? rung.watched : rung.evidence;
  return failed('head') > failed('base') && value >= needed;
}

/**
 * Evidence that one reference got worse: half of it on all metrics together, half shared by the
 * single ones. A metric that never fails is not among the columns and counts as no evidence.
 */
export function suspicionOf(
  { columns: [all, ...single], metrics, critical, steady }: SuiteLedger,
  at: number,
): Omit<Suspicion, 'counts'> {
  const watched = critical.has(at) || steady.has(at);
  const evidence = ({ tries }: Column): { pairs: PairedTry[]; value: number; open: boolean } => {
    const pairs = tryPairs(tries[at] ?? { base: [], head: [] });
    const value = evidenceOf(pairs);
    return { pairs, value, open: isOpen(pairs, value, watched) };
  };
  const [whole, parts] = [evidence(all), single.map(evidence)];
  const onSingle = sum(parts.map(({ value }) => value)) / Math.max(1, metrics);
  const value = metrics < 2 ? whole.value : whole.value / 2 + onSingle / 2;
  // A base that failed at its only try has hidden what head would show.
  const hidden = whole.pairs.length === 1 && whole.pairs[0]?.base === false;
  const tried = triesMade(all.tries[at] ?? { base: [], head: [] });
  return {
    value,
    open: tried < MOST_PAIRS && (hidden || [whole, ...parts].some(({ open }) => open)),
  };
}

export interface References {
  suspicions: Suspicion[][];
  /** Some broke: the weighted mean e-value has reached 1/level. */
  called: boolean;
}

/** `none`: no single reference is judged; `critical`: only critical ones. */
export type SuspectScope = 'none' | 'critical' | 'all';

/**
 * Tests single references together at one level, valid whatever is tried next: the weighted mean of
 * e-values is an e-value. Equal weights, but critical references have half in total. With a fixed
 * number of tries only critical references are judged here.
 */
export function judgeReferences(
  suites: readonly SuiteLedger[],
  { level, judged }: { level: number; judged: SuspectScope },
): References {
  const counts = ({ critical, fixed }: SuiteLedger, at: number): boolean =>
    judged === 'all' && fixed === null ? true : judged !== 'none' && critical.has(at);
  const suspicions = suites.map((suite) =>
    suite.columns[0].tries.map((_, at) => {
      const { value, open } = suspicionOf(suite, at);
      const own = counts(suite, at);
      return { value, open: open && own, counts: own };
    }),
  );
  const positions = suites.flatMap((suite, s) =>
    [...suite.columns[0].tries.keys()]
      .filter((at) => counts(suite, at))
      .map((at) => ({ critical: suite.critical.has(at), value: suspicions[s]?.[at]?.value ?? 0 })),
  );
  const criticals = positions.filter(({ critical }) => critical).length;
  const everyone = (criticals > 0 ? 0.5 : 1) / Math.max(1, positions.length);
  const mean = sum(
    positions.map(({ critical, value }) => value * (everyone + (critical ? 0.5 / criticals : 0))),
  );
  return { suspicions, called: level > 0 && mean >= 1 / level };
}

const NAMING_E_VALUE = 20;

export function calledReferences({ suspicions, called }: References, suite: number): number[] {
  const own = called ? (suspicions[suite] ?? []) : [];
  return own.flatMap(({ value, counts }, i) => (counts && value >= NAMING_E_VALUE ? [i] : []));
}
