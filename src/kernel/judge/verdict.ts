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
import {
  evidenceBySuite,
  suiteTablesOf,
  type SuiteTables,
  type LevelsAt,
  type VerdictSettings,
} from './suite-tables.ts';
import { calledMoves, fellAt, metricMoves, type MetricMove } from './values.ts';

export interface SuiteVerdict {
  /** Share of alpha (0–1) that the suite was judged at. */
  alpha: number;
  verdict: Extract<Verdict, 'regressed' | 'improved' | 'unchanged' | 'inconclusive'>;
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
}

interface JudgeOptions {
  /** Whether every wanted try was made, so that a missing answer says something. */
  complete?: boolean;
  rollUps?: ReadonlyMap<ReferenceRun, RunRollUps>;
}

/** Suites share one alpha by Holm's procedure; null: nothing to compare. */
export function judgeSuites(
  suites: readonly SuiteComparison[],
  settings: VerdictSettings,
  { complete = true, rollUps = new Map() }: JudgeOptions = {},
): (SuiteVerdict | null)[] {
  const { all } = comparing(suites);
  const evidence = evidenceBySuite(suites, settings);
  const seen = all.map((suite) => suiteTablesOf(suite, rollUps, evidence.get(suite)));
  const levels = (alpha: number): readonly number[] => levelsAt(alpha, settings.gate_on);
  const moves = seen.map((entry) => metricMoves(entry.suite, entry.tries));
  const gating = moves.flat().filter(({ gate }) => gate === 'fail');
  const family = judgeFamily<{ regressed: boolean; judgement: Judgement | null }>(
    [
      ...seen.map((entry) => (alpha: number) => {
        const judgement = judgementOf(entry, settings.gate_on, alpha, levels);
        return { regressed: judgement.regressed, judgement };
      }),
      ...gating.map((move) => (alpha: number) => ({
        regressed: fellAt(move, alpha),
        judgement: null,
      })),
    ],
    settings.alpha,
  );
  const fell = gating.filter((_, i) => family[seen.length + i]?.result.regressed === true);
  const called = calledMoves(moves.flat(), new Set(fell), settings.alpha);
  const verdicts = new Map(
    seen.flatMap((entry, i) => {
      const { alpha, result } = family[i] ?? { alpha: 0, result: null };
      if (result === null || result.judgement === null) return [];
      const own = (moves[i] ?? []).map((move) => ({ ...move, moved: called.get(move) ?? null }));
      return [
        [entry.suite, { ...conclude(entry, alpha, result.judgement, levels), moves: own }] as const,
      ];
    }),
  );
  settleTogether(seen, verdicts);
  if (complete)
    for (const [suite, evidence] of judgeEvidence(suites, settings.alpha, rollUps)) {
      const verdict = verdicts.get(suite);
      if (verdict !== undefined) verdicts.set(suite, withEvidence(verdict, evidence));
    }
  for (const [suite, verdict] of verdicts)
    verdicts.set(suite, withBaseScoring(suite, verdict, settings.gate_on));
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

function conclude(
  seen: SuiteTables,
  alpha: number,
  judgement: Judgement,
  levelsFor: LevelsAt,
): Omit<SuiteVerdict, 'moves'> {
  const { suite, tables, bundles, own, q, tries, called, looks } = seen;
  const levels = levelsFor(alpha);
  const adaptive = suite.policy.kind === 'adaptive';
  const visible = adaptive ? visibleAt(tables, levels) : visibleDrop(designOf(tables), alpha);
  const tolerance = toleranceOf(suite.gate.tolerance, visible);
  const worse = own.flatMap((_, i) =>
    called.includes(i) || (q.down[i] ?? 1) <= REFERENCE_FDR ? [i] : [],
  );
  const rise = adaptive
    ? (decidingLook(looks, levels, suite.gate.min_drop, 'up')?.test.midUp ?? null)
    : fixedRise(seen, alpha);
  const interval = looks.at(-1)?.interval ?? differenceInterval(tables, { bundles });
  const { verdict, ...reason } = colour({ seen, judgement, worse, rise, interval, tolerance });
  const ids = (positions: readonly number[]): string[] =>
    positions.flatMap((i) => suite.compared[i]?.affected.reference.id ?? []);
  return {
    alpha,
    verdict,
    reason: { ...reason, references: ids(reason.references), tolerance },
    broke: new Set(called.flatMap((i) => suite.compared[i] ?? [])),
    interval,
    p: suiteTest(tables, bundles).midDown,
    tables,
    own,
    q,
    tries,
    visibleDrop: visible,
  };
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

interface VerdictFacts {
  seen: SuiteTables;
  judgement: Judgement;
  worse: number[];
  rise: number | null;
  interval: SuiteVerdict['interval'];
  tolerance: number;
}

type RuleVerdict = Pick<SuiteVerdict, 'verdict'> &
  Pick<VerdictReason, 'by' | 'p'> & { references: number[] };

/** The first rule that holds. A reference named as worse, or still suspicious, rules out green. */
function colour({ seen, judgement, worse, rise, interval, tolerance }: VerdictFacts): RuleVerdict {
  const { open, tries, tables, bundles, suite } = seen;
  const plain = { p: null, references: [] };
  const { regressed, by, p } = judgement;
  if (regressed) return { verdict: 'regressed', by, p, references: by === 'fall' ? [] : worse };
  if (worse.length > 0) return { verdict: 'inconclusive', by: 'named', p: null, references: worse };
  if (open.length > 0)
    return { verdict: 'inconclusive', by: 'suspicious', p: null, references: open };
  if (rise !== null) return { verdict: 'improved', by: 'rise', p: rise, references: [] };
  const look = { tries, tables, bundles, interval, test: suiteTest(tables, bundles) };
  const final = suite.policy.kind === 'adaptive' ? look : { ...look, tries: MOST_TRIES };
  const calm = ruledOutBy(final, tolerance);
  if (calm !== null) return { verdict: 'unchanged', by: calm, ...plain };
  return { verdict: 'inconclusive', by: 'unsettled', ...plain };
}

/** Rules out a drop over suites that are each too small alone, where none looks worse. */
function settleTogether(
  seen: readonly SuiteTables[],
  verdicts: Map<SuiteComparison, SuiteVerdict>,
): void {
  const blocked = [...verdicts.values()].some(
    ({ verdict, reason }) =>
      verdict === 'regressed' || (verdict === 'inconclusive' && reason.by !== 'unsettled'),
  );
  if (blocked || seen.some(({ suite }) => suite.policy.kind === 'pairs')) return;
  const looks = seen.map((entry) => ({ ...entry, test: suiteTest(entry.tables, entry.bundles) }));
  if (!isCalmTogether(looks)) return;
  for (const [suite, found] of verdicts)
    if (found.verdict === 'inconclusive')
      verdicts.set(suite, verdictBy(found, 'unchanged', 'run', []));
}

/** A prompt that broke is not green because the scoring changed beside it. */
function withBaseScoring(
  suite: SuiteComparison,
  verdict: SuiteVerdict,
  gateOn: GateSettings['gate_on'],
): SuiteVerdict {
  const green = verdict.verdict === 'unchanged' || verdict.verdict === 'improved';
  if (!green && verdict.reason.by !== 'unsettled') return verdict;
  const hidden = fallUnderBase(suite, { alpha: verdict.alpha, gate_on: gateOn });
  if (hidden === null) return verdict;
  const known = { ...verdict, hidden };
  if (hidden.excuse !== 'passes')
    return verdictBy(known, 'inconclusive', 'scoring', hidden.references);
  if (verdict.verdict !== 'improved') return known;
  // Better by head's own scoring and worse by base's is neither.
  const isBound = (verdict.interval?.low ?? -1) > -verdict.reason.tolerance;
  return verdictBy(known, 'unchanged', isBound ? 'bound' : 'level', []);
}

/** Applies missing evidence: a silent head is worse, and what was not compared is not green. */
function withEvidence(verdict: SuiteVerdict, evidence: EvidenceVerdict): SuiteVerdict {
  const { lost, open, missing, apart } = evidence;
  if (verdict.verdict === 'regressed') return verdict;
  if (lost !== null) return verdictBy(verdict, 'regressed', 'unanswered', lost.references, lost.p);
  const told = verdict.verdict === 'inconclusive' && verdict.interval !== null;
  if (open && !told) return verdictBy(verdict, 'inconclusive', 'uncompared', missing);
  return apart.has(verdict.verdict) ? verdictBy(verdict, 'inconclusive', 'endings', []) : verdict;
}

function verdictBy(
  suite: SuiteVerdict,
  verdict: SuiteVerdict['verdict'],
  by: VerdictReason['by'],
  references: string[],
  p: number | null = null,
): SuiteVerdict {
  return { ...suite, verdict, reason: { ...suite.reason, by, p, references } };
}
