import {
  adaptiveLevels,
  FRESH_TRIES,
  FULL_TRIES,
  SCREEN_TRIES,
} from '../../src/statistics/adaptive-levels.ts';
import { adaptive } from '../../src/statistics/adaptive.ts';
import { combinedGate } from '../../src/statistics/gate.ts';
import { mcnemar } from '../../src/statistics/suite-test.ts';
import type { Table } from '../../src/statistics/table.ts';
import type { Tries } from '../../src/statistics/table.ts';
import { tableOf } from '../../src/statistics/table.ts';
import { studentCdf } from './student.ts';

/** Whether a rule blocks, and what it cost in model calls, both sides together. */
export interface Judgement {
  red: boolean;
  calls: number;
}
export interface Rule {
  name: string;
  ours: boolean;
  judge: (suite: readonly Tries[]) => Judgement;
}

const ALPHA = 0.05;

function fixed(
  name: string,
  tries: number,
  isRed: (tables: readonly Table[]) => boolean,
  ours = false,
): Rule {
  const label = `${name}, ${String(tries)} ${tries === 1 ? 'try' : 'tries'}`;
  return {
    name: label,
    ours,
    judge: (suite) => ({
      red: isRed(suite.map((own) => tableOf(own, 0, tries))),
      calls: 2 * tries * suite.length,
    }),
  };
}

const all = ({ passes, tries }: Table['base']): boolean => passes === tries;
const most = ({ passes, tries }: Table['base']): boolean => 2 * passes > tries;
const flips =
  (word: (side: Table['base']) => boolean) =>
  (tables: readonly Table[]): boolean =>
    tables.some(({ base, head }) => word(base) && !word(head));
const differences = (tables: readonly Table[]): number[] =>
  tables.map(({ base, head }) => head.passes / head.tries - base.passes / base.tries);
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function averageFell(tables: readonly Table[]): boolean {
  return mean(differences(tables)) < -0.05 - 1e-9;
}

function pairedT(tables: readonly Table[]): boolean {
  const values = differences(tables);
  const centre = mean(values);
  const square =
    values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
  if (square === 0) return centre < 0;
  return studentCdf(centre / Math.sqrt(square / values.length), values.length - 1) <= ALPHA;
}

function mcnemarOnMajorities(tables: readonly Table[]): boolean {
  const passFail = tables.filter(({ base, head }) => most(base) && !most(head)).length;
  const failPass = tables.filter(({ base, head }) => !most(base) && most(head)).length;
  return mcnemar({ passFail, failPass }).midOne <= ALPHA;
}

function gate(tables: readonly Table[]): boolean {
  return combinedGate(tables, { alpha: ALPHA, on: 'suite+references' }).regressed;
}

const levels = adaptiveLevels(ALPHA, 'suite+references');

/**
 * All tries are drawn beforehand; the policy ignores those it does not ask for, and its answer
 * tells what it took.
 */
function adaptively(suite: readonly Tries[]): Judgement {
  const { regressed, suspects, confirm, extend } = adaptive(suite, { levels });
  const confirmed = confirm === null ? 0 : suspects.length;
  const fresh = FRESH_TRIES * confirmed;
  const extended = extend === null ? 0 : (FULL_TRIES - SCREEN_TRIES) * (suite.length - confirmed);
  return { red: regressed, calls: 2 * (SCREEN_TRIES * suite.length + fresh + extended) };
}

/** The naive rules and evaldiff's, without a smallest drop that counts. */
export const RULES: readonly Rule[] = [
  fixed('any pass → fail', 1, flips(all)),
  fixed('any pass → fail (all must pass)', 5, flips(all)),
  fixed('any majority flip', 3, flips(most)),
  fixed('average dropped > 5 points', 3, averageFell),
  fixed('McNemar on majorities', 5, mcnemarOnMajorities),
  fixed('paired t-test on averages', 5, pairedT),
  fixed('evaldiff', 3, gate, true),
  fixed('evaldiff', 5, gate, true),
  { name: 'evaldiff, adaptive', ours: true, judge: adaptively },
];
