import type { GateSettings, Verdict } from '../types.ts';
import { adaptive, type Adaptive, type Tries } from '../statistics/adaptive.ts';
import { adaptiveLevels, FRESH_TRIES, SCREEN_TRIES } from '../statistics/adaptive-levels.ts';
import { judgeFamily } from '../statistics/family.ts';
import { combinedGate, type Gate } from '../statistics/gate.ts';
import { differenceInterval } from '../statistics/interval.ts';
import { suiteTest } from '../statistics/suite-test.ts';
import { mirrored, type Table } from '../statistics/table.ts';
import type { CaseRun, LaneRun } from './rounds.ts';
import { isCompared, tableOf } from './tables.ts';

/** How tries are planned in a lane: the adaptive policy, or llmeval's fixed number. */
export type TryPolicy = { kind: 'adaptive' } | { kind: 'fixed'; tries: number };

/** A lane with the runs that enter its tests. */
export interface ComparedLane { run: LaneRun; policy: TryPolicy; compared: CaseRun[] }

/** The statistical answer for one lane, before it is put into words. */
export interface LaneVerdict {
  /** Share of alpha (0–1) that the lane was judged at. */
  alpha: number;
  verdict: Extract<Verdict, 'regressed' | 'improved' | 'unchanged' | 'inconclusive'>;
  /** Runs of references that clearly broke. */
  broke: ReadonlySet<CaseRun>;
  interval: { difference: number; low: number; high: number } | null;
  /** One-sided mid-p of "head is worse". */
  p: number;
  /** Tables that the rates, the interval and p stand on: the tries that all references share. */
  tables: Table[];
  /** What each reference's own verdict stands on, in the order of `compared`. */
  own: Table[];
  /** Tries a side in `tables`. */
  tries: number;
}

export function comparedLane(run: LaneRun, policy: TryPolicy, quarantined: (id: string) => boolean): ComparedLane {
  return { run, policy, compared: run.runs.filter((one) => isCompared(run, one, quarantined)) };
}

/** Judges all lanes of a pull request under one alpha, shared by Holm's procedure; lanes with nothing to compare are null. */
export function judgeLanes(lanes: readonly ComparedLane[], settings: GateSettings): (LaneVerdict | null)[] {
  const open = lanes.filter(({ compared }) => compared.length > 0);
  const judged = judgeFamily(open.map((lane) => judgeOf(lane, settings)), settings.alpha);
  const verdicts = new Map(open.map((lane, index) => [lane, judged[index]]));
  return lanes.map((lane) => {
    const found = verdicts.get(lane);
    return found === undefined ? null : conclude(lane, found.alpha, found.result, settings);
  });
}

type Judgement = { kind: 'fixed'; regressed: boolean; gate: Gate; tables: Table[]; tries: number } | { kind: 'adaptive'; regressed: boolean; state: Adaptive };

function judgeOf({ policy, compared }: ComparedLane, settings: GateSettings): (alpha: number, before: Judgement | null) => Judgement {
  const critical = criticalOf(compared);
  const { gate_on: on, min_drop: minDrop } = settings;
  if (policy.kind === 'adaptive') {
    const tries = compared.map(outcomesOf);
    return (alpha, before) => {
      const keep = before?.kind === 'adaptive' ? before.state.confirm?.suite.level ?? 0 : 0;
      const state = adaptive(tries, { levels: adaptiveLevels(alpha, on), minDrop, critical, keep });
      return { kind: 'adaptive', regressed: state.regressed, state };
    };
  }
  const tables = compared.map((one) => tableOf(one));
  return (alpha, before) => {
    const keep = before?.kind === 'fixed' ? before.gate.suite.level : 0;
    const gate = combinedGate(tables, { alpha, on, minDrop, first: critical, keep });
    return { kind: 'fixed', regressed: gate.regressed, gate, tables, tries: policy.tries };
  };
}

/** Positions of references tagged `critical`: they gate one by one, before all others. */
export function criticalOf(compared: readonly CaseRun[]): number[] {
  return compared.flatMap(({ case: one }, index) => (one.reference.tags.includes('critical') ? [index] : []));
}

export function outcomesOf({ base, head }: CaseRun): Tries {
  return { base: base.map(({ result }) => result.outcome), head: head.map(({ result }) => result.outcome) };
}

function conclude({ compared }: ComparedLane, alpha: number, judgement: Judgement, settings: GateSettings): LaneVerdict {
  const [tables, own, hits, tries] = judgement.kind === 'fixed'
    ? [judgement.tables, judgement.tables, judgement.gate.references.hits, judgement.tries] as const
    : [judgement.state.common, ownTables(judgement.state, compared), judgement.state.hits, judgement.state.commonTries] as const;
  const improved = judgement.kind === 'adaptive' ? judgement.state.improved : improves(tables, alpha, settings);
  const interval = differenceInterval(tables);
  const verdict = judgement.regressed ? 'regressed'
    : improved ? 'improved'
      : interval !== null && interval.low > -settings.tolerance ? 'unchanged' : 'inconclusive';
  const broke = new Set(hits.map((hit) => compared[hit]).filter((run) => run !== undefined));
  return { alpha, verdict, broke, interval, p: suiteTest(tables).midDown, tables, own, tries };
}

/** A suspect's own verdict stands on its fresh tries alone: the first ones are what made it a suspect. */
function ownTables({ own, suspects }: Adaptive, compared: readonly CaseRun[]): Table[] {
  const isSuspect = new Set(suspects);
  return own.map((table, index) => {
    const run = compared[index];
    if (run === undefined || !isSuspect.has(index)) return table;
    const fresh = tableOf(run, SCREEN_TRIES, SCREEN_TRIES + FRESH_TRIES);
    return fresh.base.tries > 0 && fresh.head.tries > 0 ? fresh : table;
  });
}

function improves(tables: readonly Table[], alpha: number, { gate_on: on, min_drop: minDrop }: GateSettings): boolean {
  return combinedGate(mirrored(tables), { alpha, on, minDrop }).regressed;
}

