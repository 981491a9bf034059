import { groupVerdicts } from '../../src/features/attributes/verdicts.ts';
import type { ClusteredTries } from '../../src/kernel/statistics/clusters.ts';
import { fellOrBroke } from '../../src/kernel/statistics/fixed-tries.ts';
import { holmLevels } from '../../src/kernel/statistics/holm.ts';
import { contrast } from '../../src/kernel/statistics/look.ts';
import { nextFloat, type Random } from '../../src/kernel/statistics/random.ts';
import type { Outcome } from '../../src/types/metric.ts';
import { LAWS, moved, nothing, turned, type Change, type Law } from './scenarios.ts';

const ATTRIBUTES = 5;

/** References per attribute; each reference has two attributes. */
const MEMBERS = 40;

/** Tries per side: the median of adaptive suites that continued. */
const TRIES = 3;

const ALPHA = 0.05;

/** What changes: references of the first attribute, or some of any attribute. */
interface Planted {
  name: string;
  change: Change;
  anywhere?: true;
}

const PLANTED: readonly Planted[] = [
  { name: 'nothing changed', change: nothing, anywhere: true },
  { name: 'three of no attribute go from 1 to 0', change: turned(3, 1, 0), anywhere: true },
  { name: 'three of one go from 1 to 0', change: turned(3, 1, 0) },
  {
    name: 'ten of one pass half as often',
    change: (at, rate) => ({ base: rate, head: at < 10 ? rate / 2 : rate }),
  },
  { name: 'all of one fall by 10 points', change: moved(-0.1) },
  { name: 'all of one fall by 20 points', change: moved(-0.2) },
];

export interface AttributeRow extends Planted {
  law: Law;
}

export const ATTRIBUTE_ROWS: readonly AttributeRow[] = (
  ['all 0.95', 'Beta(½, ½)', 'Beta(0.4, 0.1)'] as const
).flatMap((law) =>
  PLANTED.map((planted) => ({ ...planted, name: `${law}, ${planted.name}`, law })),
);

/** Share of runs in which the changed attribute was called; any attribute if none changed. */
export interface Called {
  name: string;
  runs: number;
  /** By the sum of passes, as in evaldiff. */
  sum: number;
  /**
   * By the suites' two tests for fixed tries (means and broken references), with Holm's procedure
   * over all.
   */
  suites: number;
}

/** References of which at most two share an attribute. */
const SPREAD = [0, 33, 66];

/** Each reference has an attribute and the next one, so neighbours share half of theirs. */
function groupsOf(): number[][] {
  const references = [...Array((ATTRIBUTES * MEMBERS) / 2).keys()];
  return [...Array(ATTRIBUTES).keys()].map((own) =>
    references.filter((at) => at % ATTRIBUTES === own || (at + 1) % ATTRIBUTES === own),
  );
}

export function measureAttributes(row: AttributeRow, runs: number, random: Random): Called {
  const groups = groupsOf();
  const changed = row.anywhere === true ? SPREAD : (groups[0] ?? []);
  const count = { sum: 0, suites: 0 };
  for (let run = 0; run < runs; run += 1) {
    const rows = drawRows(row, changed, random);
    const sum = groupVerdicts(
      rows,
      groups.map((group) => group.map((at) => ({ at, weight: 1 }))),
      { alpha: ALPHA, seed: run },
    ).map(({ verdict }) => verdict === 'regressed');
    const judges = groups.map((group) => (alpha: number) => {
      const seen = contrast(group.flatMap((at) => rows[at] ?? []));
      return fellOrBroke(seen, { alpha, minDrop: 0, isMeanOnly: false });
    });
    const levels = holmLevels(new Map(judges.map((judge) => [judge, judge])), ALPHA);
    const suites = judges.map((judge) => judge(levels.get(judge) ?? 0));
    const isCalled = (called: readonly boolean[]): boolean =>
      row.anywhere === true ? called.includes(true) : called[0] === true;
    count.sum += Number(isCalled(sum));
    count.suites += Number(isCalled(suites));
  }
  return { name: row.name, runs, sum: count.sum / runs, suites: count.suites / runs };
}

function drawRows(
  { law, change }: AttributeRow,
  changed: readonly number[],
  random: Random,
): ClusteredTries[] {
  const references = (ATTRIBUTES * MEMBERS) / 2;
  const place = new Map(changed.map((at, i) => [at, i]));
  return Array.from({ length: references }, (_, at) => {
    const rate = LAWS[law](random);
    const position = place.get(at);
    const { base, head } =
      position === undefined ? { base: rate, head: rate } : change(position, rate);
    return { tries: { base: outcomes(base, random), head: outcomes(head, random) }, cluster: null };
  });
}

function outcomes(rate: number, random: Random): Outcome[] {
  return Array.from({ length: TRIES }, () => (nextFloat(random) < rate ? 'pass' : 'fail'));
}
