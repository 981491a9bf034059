import type { CaseRun, ComparedLane } from '../plan/suite-run.ts';
import { criticalOf, outcomesOf } from '../plan/tries.ts';
import type { Verdict } from '../result/suite-result.ts';
import {
  FRESH_TRIES,
  FULL_TRIES,
  SCREEN_TRIES,
  adaptiveLevels,
  type AdaptiveLevels,
} from '../statistics/adaptive-levels.ts';
import { adaptive, type Adaptive } from '../statistics/adaptive.ts';
import { combinedGate, judgeFamily, type Gate } from '../statistics/gate.ts';
import { differenceInterval } from '../statistics/interval.ts';
import { suiteTest } from '../statistics/suite-test.ts';
import { mirrored, type Table } from '../statistics/table.ts';
import { designOf, visibleDrop } from '../statistics/visible-drop.ts';
import type { GateSettings } from '../suite/suite.ts';
import { preferenceTables, tableOf } from './tables.ts';

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
  /**
   * Smallest fall of the pass rate (0–1) that this kind of comparison usually sees at its level;
   * null: none.
   */
  visibleDrop: number | null;
}

/**
 * Judges all lanes of a pull request under one alpha, shared by Holm's procedure; lanes with
 * nothing to compare are null. Alpha and what gates are the run's; the margins are each lane's own.
 */
export function judgeLanes(
  lanes: readonly ComparedLane[],
  settings: Pick<GateSettings, 'alpha' | 'gate_on'>,
): (LaneVerdict | null)[] {
  const levels = levelsByAlpha(settings.gate_on);
  const open = lanes.filter(({ compared }) => compared.length > 0);
  const judged = judgeFamily(
    open.map((lane) => judgeOf(lane, settings.gate_on, levels)),
    settings.alpha,
  );
  const verdicts = new Map(open.map((lane, index) => [lane, judged[index]]));
  return lanes.map((lane) => {
    const found = verdicts.get(lane);
    return found === undefined ? null : conclude(lane, found.alpha, found.result, settings.gate_on);
  });
}

type LevelsAt = (alpha: number) => AdaptiveLevels;

/**
 * A hundred lanes in as many steps of Holm's procedure need a hundred different levels, not ten
 * thousand.
 */
function levelsByAlpha(on: GateSettings['gate_on']): LevelsAt {
  const known = new Map<number, AdaptiveLevels>();
  return (alpha) => {
    const levels = known.get(alpha) ?? adaptiveLevels(alpha, on);
    known.set(alpha, levels);
    return levels;
  };
}

type Judgement =
  | { kind: 'fixed'; regressed: boolean; gate: Gate; tables: Table[]; own: Table[]; tries: number }
  | { kind: 'adaptive'; regressed: boolean; state: Adaptive; levels: AdaptiveLevels };

function judgeOf(
  lane: ComparedLane,
  gateOn: GateSettings['gate_on'],
  levelsAt: LevelsAt,
): (alpha: number, before: Judgement | null) => Judgement {
  const {
    policy,
    compared,
    gate: { min_drop: minDrop },
  } = lane;
  const on = gatedOn(lane, gateOn);
  const critical = policy.kind === 'pairs' ? [] : criticalOf(compared);
  if (policy.kind === 'adaptive') {
    const tries = compared.map(outcomesOf);
    return (alpha, before) => {
      const keep = before?.kind === 'adaptive' ? (before.state.confirm?.suite.level ?? 0) : 0;
      const levels = levelsAt(alpha);
      const state = adaptive(tries, { levels, minDrop, critical, keep });
      return { kind: 'adaptive', regressed: state.regressed, state, levels };
    };
  }
  const { tables, own } = fixedTables(lane);
  return (alpha, before) => {
    const keep = before?.kind === 'fixed' ? before.gate.suite.level : 0;
    const gate = combinedGate(tables, { alpha, on, minDrop, first: critical, keep });
    return { kind: 'fixed', regressed: gate.regressed, gate, tables, own, tries: policy.tries };
  };
}

/**
 * A comparison of two answers is a table of its own, and none can show alone that a reference
 * broke.
 */
function gatedOn({ policy }: ComparedLane, on: GateSettings['gate_on']): GateSettings['gate_on'] {
  return policy.kind === 'pairs' ? 'suite' : on;
}

function fixedTables({ run, policy, compared }: ComparedLane): { tables: Table[]; own: Table[] } {
  const own = compared.map((one) => tableOf(one));
  if (policy.kind !== 'pairs') return { tables: own, own };
  return {
    tables: preferenceTables(run.deciding.tests, compared),
    own: own.map(() => ({ base: NOTHING, head: NOTHING })),
  };
}

const NOTHING = { passes: 0, tries: 0 };

function conclude(
  lane: ComparedLane,
  alpha: number,
  judgement: Judgement,
  gateOn: GateSettings['gate_on'],
): LaneVerdict {
  const { compared, gate } = lane;
  const on = gatedOn(lane, gateOn);
  const [tables, own, hits, tries] =
    judgement.kind === 'fixed'
      ? ([
          judgement.tables,
          judgement.own,
          judgement.gate.references.hits,
          judgement.tries,
        ] as const)
      : ([
          judgement.state.common,
          ownTables(judgement.state, compared),
          judgement.state.hits,
          judgement.state.commonTries,
        ] as const);
  const improved =
    judgement.kind === 'adaptive'
      ? judgement.state.improved
      : combinedGate(mirrored(tables), { alpha, on, minDrop: gate.min_drop }).regressed;
  const interval = differenceInterval(tables);
  const verdict = judgement.regressed
    ? 'regressed'
    : improved
      ? 'improved'
      : interval !== null && interval.low > -gate.tolerance
        ? 'unchanged'
        : 'inconclusive';
  const broke = new Set(hits.map((hit) => compared[hit]).filter((run) => run !== undefined));
  return {
    alpha,
    verdict,
    broke,
    interval,
    p: suiteTest(tables).midDown,
    tables,
    own,
    tries,
    visibleDrop: smallestDrop(judgement, tables, alpha),
  };
}

/**
 * What a comparison of this size and noise usually sees. Adaptive tries that stopped at two would
 * have gone on to five had it looked worse, so they see what five tries see at the level of the
 * last step: within 6 % of a simulation of the whole policy, on 10 to 100 references and three
 * kinds of noise, while the two tries that were made would say up to 1.9 times as much.
 */
function smallestDrop(
  judgement: Judgement,
  tables: readonly Table[],
  alpha: number,
): number | null {
  const design = designOf(tables);
  if (judgement.kind === 'fixed') return visibleDrop(design, alpha);
  return visibleDrop(
    { ...design, tries: { base: FULL_TRIES, head: FULL_TRIES } },
    judgement.levels.extend,
  );
}

/**
 * A suspect's own verdict stands on its fresh tries alone: the first ones are what made it a
 * suspect.
 */
function ownTables({ own, suspects }: Adaptive, compared: readonly CaseRun[]): Table[] {
  const isSuspect = new Set(suspects);
  return own.map((table, index) => {
    const run = compared[index];
    if (run === undefined || !isSuspect.has(index)) return table;
    const fresh = tableOf(run, SCREEN_TRIES, SCREEN_TRIES + FRESH_TRIES);
    return fresh.base.tries > 0 && fresh.head.tries > 0 ? fresh : table;
  });
}
