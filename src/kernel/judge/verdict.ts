import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { comparing, criticalOf, levelsAt } from '../plan/tries.ts';
import type { Verdict, VerdictReason } from '../result/suite-result.ts';
import { combinedGate, judgeFamily, REFERENCE_FDR, type Gate } from '../statistics/gate.ts';
import { differenceInterval } from '../statistics/interval.ts';
import { MOST_TRIES } from '../statistics/looks.ts';
import {
  ruledOutBy,
  decidingLook,
  isCalmTogether,
  toleranceOf,
  visibleAt,
} from '../statistics/sequential.ts';
import { suiteTest } from '../statistics/suite-test.ts';
import { mirrorTables, type Table } from '../statistics/table.ts';
import { designOf, visibleDrop } from '../statistics/visible-drop.ts';
import type { GateSettings } from '../suite/gate-settings.ts';
import { judgeEvidence, type EvidenceVerdict } from './evidence.ts';
import type { RunRollUps } from './roll-up.ts';
import { fallUnderBase, type FallUnderBase } from './scoring-rates.ts';
import { ruleSuite, sideFacts, type SuiteFacts } from './suite-rules.ts';
import {
  evidenceBySuite,
  suiteTablesOf,
  type SuiteTables,
  type LevelsAt,
  type VerdictSettings,
} from './suite-tables.ts';
import type { TodayFinding } from './today.ts';
import { calledMoves, fellAt, metricMoves, type MetricMove } from './values.ts';

export interface SuiteVerdict {
  /** Share of alpha (0–1) that the suite was judged at. */
  alpha: number;
  verdict: Verdict;
  reason: VerdictReason;
  /** Runs of references that sequential evidence calls. */
  broke: ReadonlySet<ReferenceRun>;
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
  /** Smallest fall of the pass rate (0–1) detected with 80 % power at its level; null: none. */
  visibleDrop: number | null;
  moves: MetricMove[];
  hidden?: FallUnderBase;
  /** Absent: it does not rest on answers of an earlier run, or says nothing bad. */
  today?: TodayFinding;
}

interface JudgeOptions {
  /** Whether every wanted try was made, so that a missing answer says something. */
  complete?: boolean;
  rollUps?: ReadonlyMap<ReferenceRun, RunRollUps>;
  today?: ReadonlyMap<SuiteComparison, TodayFinding>;
}

/** Suites share one alpha by Holm's procedure; null: nothing to compare. */
export function judgeSuites(
  suites: readonly SuiteComparison[],
  settings: VerdictSettings,
  { complete = true, rollUps = new Map(), today = new Map() }: JudgeOptions = {},
): (SuiteVerdict | null)[] {
  const { all } = comparing(suites);
  const evidence = evidenceBySuite(suites, settings);
  const levels = (alpha: number): readonly number[] => levelsAt(alpha, settings.gate_on);
  const rows = all.map((suite) => {
    const seen = suiteTablesOf(suite, rollUps, evidence.get(suite));
    return { seen, moves: metricMoves(suite, seen.tries) };
  });
  const gating = rows.flatMap(({ moves }) => moves).filter(({ gate }) => gate === 'fail');
  const family = judgeFamily<{ regressed: boolean; judgement: Judgement | null }>(
    [
      ...rows.map(({ seen }) => (alpha: number) => {
        const judgement = judgementOf(seen, settings.gate_on, alpha, levels);
        return { regressed: judgement.regressed, judgement };
      }),
      ...gating.map((move) => (alpha: number) => ({
        regressed: fellAt(move, alpha),
        judgement: null,
      })),
    ],
    settings.alpha,
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
    return [{ ...measure(seen, alpha, result.judgement, levels), moves: own }];
  });
  const isBoundTogether = areBoundTogether(measured);
  const answered = complete ? judgeEvidence(suites, settings.alpha, rollUps) : new Map();
  const verdicts = new Map(
    measured.map((entry) => {
      const { suite } = entry.seen;
      const { alpha } = entry;
      const hidden = fallUnderBase(suite, { alpha, gate_on: settings.gate_on });
      const found = {
        ...missingEvidence(answered.get(suite)),
        today: today.get(suite) ?? null,
        hidden,
        isBoundTogether,
      };
      return [suite, verdictOf(entry, found)] as const;
    }),
  );
  return suites.map((suite) => verdicts.get(suite) ?? null);
}

interface Judgement {
  regressed: boolean;
  by: 'fall' | 'references';
  p: number | null;
}

function judgementOf(
  { suite, looks, called, tables, bundles }: SuiteTables,
  gateOn: GateSettings['gate_on'],
  alpha: number,
  levels: LevelsAt,
): Judgement {
  const { policy, compared, gate } = suite;
  const { min_drop: minDrop } = gate;
  if (policy.kind === 'adaptive') {
    const look = decidingLook(looks, levels(alpha), minDrop, 'down');
    if (look !== null) return { regressed: true, by: 'fall', p: look.test.midDown };
    return { regressed: called.length > 0, by: 'references', p: null };
  }
  // One comparison of two answers, or of two roll-ups, cannot show alone that it broke.
  const pairs = policy.kind === 'pairs' || policy.kind === 'references';
  const on = pairs ? 'suite' : gateOn;
  const critical = pairs ? [] : criticalOf(compared);
  return judgedFixed(combinedGate(tables, { alpha, on, minDrop, critical, bundles }));
}

function judgedFixed({ regressed, suite, references }: Gate): Judgement {
  return suite.hit
    ? { regressed, by: 'fall', p: suite.p }
    : { regressed, by: 'references', p: references.p };
}

/** Facts that the tries of a suite give without the rest of the run. */
type OwnFacts = Pick<
  SuiteFacts,
  'fall' | 'broken' | 'named' | 'suspicious' | 'rise' | 'interval' | 'isBound' | 'isLevel'
>;

interface MeasuredSuite {
  seen: SuiteTables;
  alpha: number;
  tolerance: number;
  visibleDrop: number | null;
  facts: OwnFacts;
  moves: MetricMove[];
}

function measure(
  seen: SuiteTables,
  alpha: number,
  { regressed, by, p }: Judgement,
  levelsFor: LevelsAt,
): Omit<MeasuredSuite, 'moves'> {
  const { suite, tables, bundles, own, q, tries, called, open, looks } = seen;
  const levels = levelsFor(alpha);
  const adaptive = suite.policy.kind === 'adaptive';
  const visible = adaptive ? visibleAt(tables, levels) : visibleDrop(designOf(tables), alpha);
  const tolerance = toleranceOf(suite.gate.tolerance, visible);
  const worse = own.flatMap((_, i) =>
    called.includes(i) || (q.down[i] ?? 1) <= REFERENCE_FDR ? [i] : [],
  );
  const rise = adaptive ? adaptiveRise(seen, levels) : fixedRise(seen, alpha);
  const interval = looks.at(-1)?.interval ?? differenceInterval(tables, { bundles });
  const look = { tries, tables, bundles, interval, test: suiteTest(tables, bundles) };
  const ruledOut = ruledOutBy(adaptive ? look : { ...look, tries: MOST_TRIES }, tolerance);
  const ids = (positions: readonly number[]): string[] =>
    positions.flatMap((i) => suite.compared[i]?.affected.reference.id ?? []);
  const facts: OwnFacts = {
    fall: regressed && by === 'fall' ? { p, references: [] } : null,
    broken: regressed && by === 'references' ? { p, references: ids(worse) } : null,
    named: ids(worse),
    suspicious: ids(open),
    rise: rise === null ? null : { p: rise, references: [] },
    interval,
    isBound: ruledOut === 'bound',
    isLevel: ruledOut === 'level',
  };
  return { seen, alpha, tolerance, visibleDrop: visible, facts };
}

function adaptiveRise({ suite, looks }: SuiteTables, levels: readonly number[]): number | null {
  return decidingLook(looks, levels, suite.gate.min_drop, 'up')?.test.midUp ?? null;
}

/** p of "head is better" on fixed tries, where it reaches alpha. */
function fixedRise(
  { suite: { gate }, tables, bundles }: SuiteTables,
  alpha: number,
): number | null {
  const { suite } = combinedGate(mirrorTables(tables), {
    alpha,
    on: 'suite',
    minDrop: gate.min_drop,
    bundles: bundles.map(({ members, base, head }) => ({ members, base: head, head: base })),
  });
  return suite.hit ? suite.p : null;
}

/** Rules out a drop over suites that are each too small alone, where none looks worse. */
function areBoundTogether(suites: readonly MeasuredSuite[]): boolean {
  const looksWorse = suites.some(
    ({ facts: { fall, broken, named, suspicious } }) =>
      fall !== null || broken !== null || named.length > 0 || suspicious.length > 0,
  );
  if (looksWorse || suites.some(({ seen }) => seen.suite.policy.kind === 'pairs')) return false;
  return isCalmTogether(
    suites.map(({ seen }) => ({ ...seen, test: suiteTest(seen.tables, seen.bundles) })),
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
  { seen, alpha, tolerance, visibleDrop: visible, facts, moves }: MeasuredSuite,
  found: Pick<
    SuiteFacts,
    'unanswered' | 'today' | 'missing' | 'endings' | 'hidden' | 'isBoundTogether'
  >,
): SuiteVerdict {
  const { suite, tables, bundles, own, q, tries, called } = seen;
  const all = { ...sideFacts(suite.run), isCompared: true, ...facts, ...found };
  const { verdict, by, p, references, hidden } = ruleSuite(all);
  if (by === null) throw new TypeError('a suite that is compared has a reason');
  return {
    alpha,
    verdict,
    reason: {
      ...{ by, p, references, tolerance },
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
    interval: facts.interval,
    p: suiteTest(tables, bundles).midDown,
    tables,
    own,
    q,
    tries,
    visibleDrop: visible,
    moves,
    ...(hidden === null ? {} : { hidden }),
    ...(found.today === null ? {} : { today: found.today }),
  };
}
