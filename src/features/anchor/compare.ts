import { extraTryMaker } from '../../app/run/confirm.ts';
import type { FeatureTools, Judged, ComparedRun } from '../../app/run/feature.ts';
import type { ExtraTry } from '../../kernel/ask/rounds.ts';
import { suiteClusters } from '../../kernel/plan/ledger.ts';
import { identityOf, type ReferenceRun, type SuiteRun } from '../../kernel/plan/suite-run.ts';
import { clusteredTries, contrast } from '../../kernel/statistics/look.ts';
import { countOutcomes, reachesLevel } from '../../kernel/statistics/table.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import type { Outcome } from '../../types/metric.ts';
import { ANCHOR_TRIES, type AnchoredSuite, type AnchorPlan } from './plan.ts';
import type { AnchoredResult, AnchorResult } from './result.ts';
import { fallWords } from './words.ts';

/** Significance levels to suspect a drop, and to confirm it with new answers. */
const LEVEL = 0.005;
const CONFIRM_LEVEL = 0.01;

/** The anchor is the prompt of an older commit. Skips suites that are already red. */
export async function compareWithAnchor(
  { own: { suites: planned, ...named } }: FeaturePlan<AnchorPlan>,
  run: ComparedRun,
  tools: FeatureTools,
): Promise<Partial<Judged>> {
  const open = run.rows.flatMap(({ comparison, result }) => {
    const suite = planned.find(({ identity }) => identity === identityOf(comparison.run));
    const isOpen = result.verdict !== 'regressed' && result.verdict !== 'not_compared';
    return suite !== undefined && isOpen ? [{ suite, comparison, result }] : [];
  });
  const found: AnchoredResult[] = [];
  for (const { suite, comparison, result } of open) {
    const { path, name, variant } = result;
    const tries = Math.max(1, result.compared.tries);
    const rows = suite.references.flatMap((reference): AnchorRow[] => {
      const own = comparison.run.runs[reference.run];
      return own === undefined
        ? []
        : [{ ...reference, own, then: [], head: headTries(own, tries) }];
    });
    const level = LEVEL / open.length;
    const ask = anchorAsker(tools, run.price, comparison.run);
    found.push({ path, suite: name, variant, ...(await compareRows(rows, level, ask)) });
  }
  if (found.length === 0) return {};
  const anchor: AnchorResult = { ...named, suites: found };
  const fell = found.filter(({ status }) => status === 'fell');
  return {
    parts: { anchor },
    findings: !(run.gate.anchor?.fail ?? false)
      ? []
      : fell.map((each) => ({
          suite: { path: each.path, name: each.suite, variant: each.variant },
          text: `${each.suite} ${fallWords(each, anchor)}`,
        })),
  };
}

interface AnchorRow {
  run: number;
  generation: AnchoredSuite['references'][number]['generation'];
  own: ReferenceRun;
  then: readonly Outcome[];
  head: readonly Outcome[];
}

function headTries({ head }: ReferenceRun, tries: number): Outcome[] {
  return head.slice(0, tries).map(({ byHead }) => byHead.outcome);
}

type Compared = Pick<AnchoredResult, 'status' | 'references' | 'then' | 'now' | 'p'>;

/** Reports a drop only if new answers confirm it. */
async function compareRows(
  rows: readonly AnchorRow[],
  level: number,
  ask: AskAnchor,
): Promise<Compared> {
  const earlier = await ask(rows, 'then', false);
  if (earlier === null) return sumCounts(rows, 'not-asked', null);
  const p = pOfFall(earlier);
  if (!reachesLevel(p, level)) return sumCounts(earlier, 'level', p);
  const today = await ask(rows, 'then', true);
  const isOld = rows.some(({ own }) => own.head.some(({ byHead }) => byHead.stored === true));
  const fresh = isOld && today !== null ? await ask(today, 'head', true) : today;
  if (fresh === null) return sumCounts(earlier, 'not-asked', null);
  const again = pOfFall(fresh);
  return sumCounts(fresh, reachesLevel(again, CONFIRM_LEVEL) ? 'fell' : 'not-confirmed', again);
}

function pOfFall(rows: readonly AnchorRow[]): number {
  const tries = rows.map(({ then, head }) => ({ base: then, head }));
  return contrast(clusteredTries(tries, suiteClusters(rows.map(({ own }) => own)))).test.midDown;
}

function sumCounts(
  rows: readonly AnchorRow[],
  status: Compared['status'],
  p: number | null,
): Compared {
  return {
    status,
    references: rows.length,
    p,
    then: countOutcomes(rows.flatMap(({ then }) => then)),
    now: countOutcomes(rows.flatMap(({ head }) => head)),
  };
}

/** Null if a call failed. */
type AskAnchor = (
  rows: readonly AnchorRow[],
  prompt: 'then' | 'head',
  anew: boolean,
) => Promise<AnchorRow[] | null>;

function anchorAsker(tools: FeatureTools, price: ComparedRun['price'], suite: SuiteRun): AskAnchor {
  return async (rows, prompt, anew) => {
    if (tools.spent.halted() !== null) return null;
    const extra = extraTryMaker(tools, price, anew ? { anew } : {});
    const tries = await extra.make(
      suite,
      rows.flatMap((row) => anchorTries(row, prompt)),
    );
    if (extra.isEnded()) return null;
    const byRow = Map.groupBy(tries, ({ wanted }) => wanted.row);
    return rows.map((row) => ({
      ...row,
      [prompt]: (byRow.get(row) ?? []).map(({ made }) => made.byHead.outcome),
    }));
  };
}

function anchorTries(row: AnchorRow, prompt: 'then' | 'head'): (ExtraTry & { row: AnchorRow })[] {
  const generation = prompt === 'then' ? row.generation : row.own.affected.head;
  if (generation === null) throw new TypeError('a compared reference has a head');
  return Array.from({ length: ANCHOR_TRIES }, (_, index) => ({
    row,
    run: row.run,
    generation,
    try: index,
    prompt,
  }));
}
