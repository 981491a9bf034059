import { extraTryMaker } from '../../app/run/extra-tries.ts';
import type { ComparedRun, FeatureTools, Judged } from '../../app/run/feature.ts';
import type { ExtraTry } from '../../kernel/ask/rounds.ts';
import { suiteBlocks } from '../../kernel/plan/ledger.ts';
import { identityOf, type ReferenceRun } from '../../kernel/plan/suite-run.ts';
import { clusteredTries, contrast } from '../../kernel/statistics/look.ts';
import { countOutcomes, reachesLevel } from '../../kernel/statistics/table.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import type { Outcome } from '../../types/metric.ts';
import { ANCHOR_TRIES, type AnchoredSuite, type AnchorPlan } from './plan.ts';
import type { AnchoredResult, AnchorResult } from './result.ts';
import { fallWords } from './words.ts';

/** Levels (0–1): of one pull request by earlier answers, and of the answers of today. */
const LEVEL = 0.005;
const CONFIRM_LEVEL = 0.01;

/** Compares head's tries with those of the older commit's prompt. Red suites are told already. */
export async function compareWithAnchor(
  { own: { suites: planned, ...named } }: FeaturePlan<AnchorPlan>,
  run: ComparedRun,
  tools: FeatureTools,
): Promise<Judged> {
  const asker = anchorAsker(tools, run);
  const open = run.suites.flatMap(({ comparison, result }) => {
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
      return own === undefined ? [] : [{ ...reference, own, head: headTries(own, tries) }];
    });
    const level = LEVEL / open.length;
    found.push({ path, suite: name, variant, ...(await compareRows(rows, level, asker(suite))) });
  }
  if (found.length === 0) return { parts: {}, findings: [], unjudged: [], notices: [] };
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
    unjudged: [],
    notices: [],
  };
}

interface AnchorRow {
  run: number;
  generation: AnchoredSuite['references'][number]['generation'];
  own: ReferenceRun;
  head: Outcome[];
}

function headTries({ head }: ReferenceRun, tries: number): Outcome[] {
  return head.slice(0, tries).map(({ byHead }) => byHead.outcome);
}

type Compared = Pick<AnchoredResult, 'status' | 'references' | 'then' | 'now' | 'p'>;

/** By earlier answers first. A fall is only told if answers of today show it, too. */
async function compareRows(
  rows: readonly AnchorRow[],
  level: number,
  ask: AskAnchor,
): Promise<Compared> {
  const then = await ask(rows, 'then', false);
  if (then === null)
    return summed(
      rows,
      rows.map(() => []),
      'not-asked',
      null,
    );
  const p = pOfFall(rows, then);
  if (!reachesLevel(p, level)) return summed(rows, then, 'level', p);
  const today = await ask(rows, 'then', true);
  const isOld = rows.some(({ own }) => own.head.some(({ byHead }) => byHead.stored === true));
  const head = isOld ? await ask(rows, 'now', true) : rows.map((row) => row.head);
  if (today === null || head === null) return summed(rows, then, 'not-asked', null);
  const fresh = rows.map((row, i) => ({ ...row, head: head[i] ?? [] }));
  const again = pOfFall(fresh, today);
  const isConfirmed = reachesLevel(again, CONFIRM_LEVEL);
  return summed(fresh, today, isConfirmed ? 'fell' : 'not-confirmed', again);
}

function pOfFall(rows: readonly AnchorRow[], then: readonly Outcome[][]): number {
  const tries = rows.map(({ head }, i) => ({ base: then[i] ?? [], head }));
  return contrast(clusteredTries(tries, suiteBlocks(rows.map(({ own }) => own)))).test.midDown;
}

function summed(
  rows: readonly AnchorRow[],
  then: readonly Outcome[][],
  status: Compared['status'],
  p: number | null,
): Compared {
  const now = rows.flatMap(({ head }) => head);
  return {
    status,
    references: rows.length,
    then: countOutcomes(then.flat()),
    now: countOutcomes(now),
    p,
  };
}

/** Outcomes of each row's new tries; null: a call was not made. */
type AskAnchor = (
  rows: readonly AnchorRow[],
  side: 'then' | 'now',
  anew: boolean,
) => Promise<Outcome[][] | null>;

function anchorAsker(
  tools: FeatureTools,
  { price, suites }: ComparedRun,
): (suite: AnchoredSuite) => AskAnchor {
  return ({ identity }) => {
    const run = suites
      .map(({ comparison }) => comparison.run)
      .find((each) => identityOf(each) === identity);
    return async (rows, side, anew) => {
      if (run === undefined || tools.spent.halted() !== null) return null;
      const extra = extraTryMaker(tools, price, anew ? { anew } : {});
      const wanted = rows.flatMap((row) => extraTries(row, side));
      const results = await extra.make(run, wanted);
      if (extra.isEnded()) return null;
      return rows.map((_, i) =>
        results.slice(i * ANCHOR_TRIES, (i + 1) * ANCHOR_TRIES).map(({ outcome }) => outcome),
      );
    };
  };
}

function extraTries({ run, generation, own }: AnchorRow, side: 'then' | 'now'): ExtraTry[] {
  const asked = side === 'then' ? generation : own.affected.head;
  if (asked === null) throw new TypeError('a compared reference has a head');
  return Array.from({ length: ANCHOR_TRIES }, (_, index) => ({
    run,
    generation: asked,
    try: index,
    prompt: side,
  }));
}
