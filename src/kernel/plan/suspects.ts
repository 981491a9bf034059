import {
  eValueFdr,
  eValueOf,
  eValueOfRise,
  tryPairs,
  type PairedTry,
} from '../statistics/e-values.ts';
import { FIXED_FDR } from '../statistics/levels.ts';
import { mean, sum } from '../statistics/sums.ts';
import { triesMade } from '../statistics/table.ts';
import type { LedgerReference, SuiteLedger } from './ledger.ts';

export interface Suspicion {
  reference: LedgerReference;
  eValue: number;
  isOpen: boolean;
  isJudged: boolean;
  isBroken: boolean;
}

export const MOST_PAIRS = 40;

/**
 * The smallest e-value that keeps a reference suspicious, by number of pairs of tries. `steady` is
 * for references that nearly always passed: as for critical ones, one more failure on head is
 * enough. The false-alarm rate does not depend on these values.
 */
const SUSPICION_LEVELS = [
  { pairs: 14, other: 12, steady: 4, critical: 0.3 },
  { pairs: 8, other: 3, steady: 0.3, critical: 0.03 },
  { pairs: 0, other: 2, steady: 0.3, critical: 0.03 },
];

function looksWorse(
  pairs: readonly PairedTry[],
  eValue: number,
  { isCritical, isSteady }: LedgerReference,
): boolean {
  const failed = (side: 'base' | 'head') => pairs.filter((pair) => !pair[side]).length;
  const rung = SUSPICION_LEVELS.find((step) => pairs.length >= step.pairs);
  const needed = rung?.[isCritical ? 'critical' : isSteady ? 'steady' : 'other'] ?? Infinity;
  return failed('head') > failed('base') && eValue >= needed;
}

/**
 * Half of the e-value is that of all metrics together, and half is the mean over individual
 * metrics. A metric that never fails counts as 0.
 */
export function measureSuspicion(
  reference: LedgerReference,
): Pick<Suspicion, 'reference' | 'eValue' | 'isOpen'> {
  const { tries, metrics, judgedBy } = reference;
  const [whole, ...single] = [tries, ...metrics.values()].map((own) => {
    const pairs = tryPairs(own);
    const eValue = eValueOf(pairs);
    return { pairs, eValue, isOpen: looksWorse(pairs, eValue, reference) };
  });
  const all = whole?.eValue ?? 1;
  const bySingle = sum(single.map((own) => own.eValue)) / judgedBy;
  // If the only try on base fails, head's try cannot show that something got worse.
  const baseFailedOnce = whole?.pairs.length === 1 && whole.pairs[0]?.base === false;
  const isWorse = whole?.isOpen === true || single.some((own) => own.isOpen);
  return {
    reference,
    eValue: judgedBy < 2 ? all : all / 2 + bySingle / 2,
    isOpen: triesMade(tries) < MOST_PAIRS && (baseFailedOnce || isWorse),
  };
}

export type SuspectScope = 'none' | 'critical' | 'all';

const BROKEN_E_VALUE = 20;

interface JudgedReferences {
  isAnyBroken: boolean;
  suites: { ledger: SuiteLedger; references: Suspicion[] }[];
}

/**
 * Some references are broken if the weighted mean of e-values (also an e-value) reaches 1/level.
 * Half of the weight is on all references, half on critical ones. With fixed tries, this judges
 * only critical ones.
 */
export function judgeReferences(
  ledgers: readonly SuiteLedger[],
  { level, judged }: { level: number; judged: SuspectScope },
): JudgedReferences {
  const suites = ledgers.map((ledger) => {
    const isJudged = ({ isCritical }: LedgerReference) =>
      (judged === 'all' && ledger.isAdaptive) || (judged !== 'none' && isCritical);
    return {
      ledger,
      references: ledger.references.map((reference) => {
        const { eValue, isOpen } = measureSuspicion(reference);
        const own = isJudged(reference);
        return { reference, eValue, isOpen: isOpen && own, isJudged: own };
      }),
    };
  });
  const all = suites.flatMap(({ references }) => references.filter((own) => own.isJudged));
  const critical = all.filter(({ reference }) => reference.isCritical);
  const total = (some: typeof all) => mean(some.map(({ eValue }) => eValue));
  const eValue = critical.length === 0 ? total(all) : (total(all) + total(critical)) / 2;
  const isAnyBroken = level > 0 && eValue >= 1 / level;
  return {
    isAnyBroken,
    suites: suites.map(({ ledger, references }) => ({
      ledger,
      references: references.map((own) => ({
        ...own,
        isBroken: isAnyBroken && own.isJudged && own.eValue >= BROKEN_E_VALUE,
      })),
    })),
  };
}

const FIRST_PAIRS = 2;

export const MOST_FIXING_PAIRS = 9;

const MIN_E_VALUE = 1;

const AWAITED_PAIRS = 5;

/**
 * Finds references that head fixes. On average at most 5 % are wrong, whenever testing stops.
 * `open`: those that one more pair of tries could decide (all with `isAwaited`, and `most` others).
 * Source: Wang and Ramdas 2022 (e-BH).
 */
export function findFixed<Row extends { reference: Pick<LedgerReference, 'tries' | 'isAwaited'> }>(
  rows: readonly Row[],
  most = Infinity,
): { fixed: ReadonlySet<Row>; open: ReadonlySet<Row> } {
  const measured = rows.map((row) => {
    const pairs = tryPairs(row.reference.tries);
    return { row, pairs, eValue: eValueOfRise(pairs) };
  });
  const q = eValueFdr(measured.map(({ eValue }) => eValue));
  const candidates = measured
    .map((own) => ({ ...own, isFixed: (q.get(own.eValue) ?? 1) <= FIXED_FDR }))
    .filter(({ pairs, row }) => row.reference.isAwaited || looksFixed(pairs));
  const open = candidates
    .filter(({ isFixed }) => !isFixed)
    .filter(({ row, pairs: { length: made }, eValue }) =>
      eValue >= MIN_E_VALUE
        ? made < MOST_FIXING_PAIRS
        : row.reference.isAwaited && made < AWAITED_PAIRS,
    )
    .map(({ row }) => row);
  const isAwaited = ({ reference }: Row) => reference.isAwaited;
  const others = open.filter((row) => !isAwaited(row)).slice(0, most);
  return {
    fixed: new Set(candidates.flatMap(({ row, isFixed }) => (isFixed ? row : []))),
    open: new Set([...open.filter(isAwaited), ...others]),
  };
}

function looksFixed(pairs: readonly PairedTry[]): boolean {
  const first = pairs.slice(0, FIRST_PAIRS);
  return first.length === FIRST_PAIRS && first.every(({ base, head }) => !base && head);
}
