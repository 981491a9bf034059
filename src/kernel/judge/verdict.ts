import type { LookPlan } from '../plan/looks.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import type { VerdictSettings } from '../plan/tries.ts';
import type { Verdict, VerdictReason } from '../result/suite-result.ts';
import { judgeFamily } from '../statistics/gate.ts';
import { suiteTest } from '../statistics/suite-test.ts';
import type { Table } from '../statistics/table.ts';
import type { Confirmation } from './confirmation.ts';
import { judgeEvidence, type EvidenceVerdict } from './evidence.ts';
import {
  boundTogether,
  isPooled,
  judgementOf,
  measureSuite,
  runEvidence,
  type Judgement,
  type MeasuredSuite,
  type Pool,
} from './measure.ts';
import type { RunRollUps } from './roll-up.ts';
import { fallUnderBase, type FallUnderBase } from './scoring-rates.ts';
import { ruleSuite, sideFacts, type SuiteFacts } from './suite-rules.ts';
import { meanOfTables } from './suite-tables.ts';
import { calledMoves, fellAt, metricMoves, type MetricMove } from './values.ts';

export interface SuiteVerdict {
  /** Share of alpha (0–1) that the suite was judged at. */
  alpha: number;
  verdict: Verdict;
  reason: VerdictReason;
  /** Runs of references that sequential evidence calls. */
  broke: ReadonlySet<ReferenceRun>;
  /** Runs of references that failed on base and that head healed, beyond chance. */
  healed: ReadonlySet<ReferenceRun>;
  /** Two-sided 90 % for any number of looks; a drop larger than −low is ruled out. */
  interval: { difference: number; low: number; high: number } | null;
  p: number;
  /** Tables that the rates, the interval and p stand on: the tries that all references share. */
  tables: Table[];
  /** What each reference's own verdict stands on, in the order of `compared`. */
  own: Table[];
  /** By reference, false-discovery rates of "worse" and "better" on `own`. */
  q: { down: number[]; up: number[] };
  tries: number;
  plan: LookPlan;
  /** Smallest fall of the pass rate (0–1) detected with 80 % power at its level; null: none. */
  visibleDrop: number | null;
  moves: MetricMove[];
  hidden?: FallUnderBase;
  /** Absent: it does not rest on answers of an earlier run, or says nothing bad. */
  confirmation?: Confirmation;
}

interface JudgeOptions {
  /** Whether every wanted try was made, so that a missing answer says something. */
  complete?: boolean;
  rollUps?: ReadonlyMap<ReferenceRun, RunRollUps>;
  confirmations?: ReadonlyMap<SuiteComparison, Confirmation>;
}

/** All questions of a run of several suites in one contrast. */
interface PoolVerdict {
  /** Shares of alpha and p as for a suite; whether the rate fell at that level. */
  alpha: number;
  p: number;
  fell: boolean;
  /** The suites that regressed by themselves, or whose fall was refuted, are all that fell. */
  isExplained: boolean;
  /** Mean pass rates over the references, 0–1, and two-sided 90 % interval of the difference. */
  base: number;
  head: number;
  interval: SuiteVerdict['interval'];
}

export interface RunVerdict {
  /** In the order of the suites; null: nothing to compare. */
  suites: (SuiteVerdict | null)[];
  /** Null: fewer than two suites share it. */
  pool: PoolVerdict | null;
}

/** Suites share their part of alpha by Holm's procedure. */
export function judgeSuites(
  suites: readonly SuiteComparison[],
  settings: VerdictSettings,
  { complete = true, rollUps = new Map(), confirmations = new Map() }: JudgeOptions = {},
): RunVerdict {
  const evidence = runEvidence(suites, settings, rollUps);
  const { plan } = evidence;
  const rows = evidence.rows.map((seen) => ({
    seen,
    moves: metricMoves(seen.suite, { tries: seen.tries, plan }),
  }));
  const gating = rows.flatMap(({ moves }) => moves).filter(({ gate }) => gate === 'fail');
  const family = judgeFamily<{ regressed: boolean; judgement: Judgement | null }>(
    [
      ...rows.map(({ seen }) => (alpha: number) => {
        const judgement = judgementOf(seen, alpha, evidence);
        return { regressed: judgement.regressed, judgement };
      }),
      ...gating.map((move) => (alpha: number) => ({
        regressed: fellAt(move, alpha),
        judgement: null,
      })),
    ],
    evidence.shares.suites,
  );
  const fell = gating.filter((_, i) => family[rows.length + i]?.result.regressed === true);
  const called = calledMoves(
    rows.flatMap(({ moves }) => moves),
    new Set(fell),
    settings.alpha,
  );
  const measured = rows.flatMap(({ seen, moves }, i) => {
    const { alpha, result } = family[i] ?? { alpha: 0, result: null };
    if (result === null || result.judgement === null) return [];
    const own = moves.map((move) => ({ ...move, moved: called.get(move) ?? null }));
    const { judgement } = result;
    return [{ ...measureSuite(seen, { alpha, judgement }, evidence), moves: own }];
  });
  const bound = boundTogether(measured, evidence.pool);
  const answered = complete ? judgeEvidence(suites, settings.alpha, rollUps) : new Map();
  const verdicts = new Map(
    measured.map((entry) => {
      const { suite } = entry.seen;
      const { alpha } = entry;
      const hidden = fallUnderBase(suite, { alpha, gate_on: settings.gate_on });
      const found = {
        ...missingEvidence(answered.get(suite)),
        confirmation: confirmations.get(suite) ?? null,
        hidden,
        isBoundTogether: bound !== null && isPooled(entry.seen),
      };
      return [suite, { ...verdictOf(entry, found, bound), plan }] as const;
    }),
  );
  return {
    suites: suites.map((suite) => verdicts.get(suite) ?? null),
    pool: evidence.pool === null ? null : poolVerdict(evidence.pool, [...verdicts.values()]),
  };
}

function poolVerdict({ look, level, fell }: Pool, suites: readonly SuiteVerdict[]): PoolVerdict {
  const { test, tables, interval } = look;
  const rate = (side: 'base' | 'head'): number => meanOfTables(tables, side) ?? 0;
  const rates = { base: rate('base'), head: rate('head') };
  const rest = suites.filter(isUnexplained);
  const left = suiteTest(rest.flatMap((suite) => suite.tables));
  const isExplained = rest.length < suites.length && left.midDown > level;
  return { alpha: level, p: test.midDown, fell, isExplained, ...rates, interval };
}

/** Whether a fall of the pool may lie in it: it is neither red by itself, nor was its fall refuted. */
export function isUnexplained({ verdict, confirmation }: SuiteVerdict): boolean {
  return (
    verdict !== 'regressed' && (confirmation === undefined || confirmation.status === 'confirmed')
  );
}

function missingEvidence(
  evidence: EvidenceVerdict | undefined,
): Pick<SuiteFacts, 'unanswered' | 'missing' | 'endings'> {
  if (evidence === undefined) return { unanswered: null, missing: null, endings: new Set() };
  const { lost, open, missing, apart } = evidence;
  return { unanswered: lost, missing: open ? missing : null, endings: apart };
}

function verdictOf(
  {
    seen,
    alpha,
    tolerance,
    visibleDrop: visible,
    facts,
    moves,
  }: MeasuredSuite & {
    moves: MetricMove[];
  },
  found: Pick<
    SuiteFacts,
    'unanswered' | 'confirmation' | 'missing' | 'endings' | 'hidden' | 'isBoundTogether'
  >,
  bound: number | null,
): Omit<SuiteVerdict, 'plan'> {
  const { suite, look, own, q, tries, called, healed } = seen;
  const all = { ...sideFacts(suite), isCompared: true, ...facts, ...found };
  const { verdict, by, p, references, metrics, hidden } = ruleSuite(all);
  if (by === null) throw new TypeError('a suite that is compared has a reason');
  return {
    alpha,
    verdict,
    reason: {
      ...{ by, p, references, metrics },
      tolerance: by === 'run' && bound !== null ? bound : tolerance,
      ...(hidden === null
        ? {}
        : {
            under_base: {
              base: hidden.base,
              head: hidden.head,
              excused: hidden.excuse !== 'none',
            },
          }),
    },
    broke: new Set(called.flatMap((i) => suite.compared[i] ?? [])),
    healed: new Set(
      healed.flatMap((i) => suite.compared[i] ?? []).filter((run) => isMended(run, suite.run)),
    ),
    interval: facts.interval,
    p: look.test.midDown,
    tables: look.tables,
    own,
    q,
    tries,
    visibleDrop: visible,
    moves,
    ...(hidden === null ? {} : { hidden }),
    ...(found.confirmation === null ? {} : { confirmation: found.confirmation }),
  };
}

/** Whether head mends more than the scoring: base's answers fail by base's own scoring, too. */
function isMended({ base }: ReferenceRun, { scoring }: SuiteComparison['run']): boolean {
  return base.some(
    ({ byHead, byBase }) =>
      (scoring.side === 'head' && byBase !== null ? byBase : byHead).outcome === 'fail',
  );
}
