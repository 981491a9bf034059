import type { Gate, GateOptions } from './gate.ts';
import { combinedGate } from './gate.ts';
import type { Table } from './table.ts';

/** A verdict and the level it was judged at. */
export interface Judged<Result> {
  alpha: number;
  result: Result;
}

/**
 * Holm's step-down over several judgements that share one alpha: all are judged at alpha / M; those
 * that fire keep their result and leave, the rest is judged again at alpha / (number left), until
 * none fires. The chance of any false alarm stays within alpha as long as a judge that fires at one
 * alpha also fires at every larger one; `before` is its result at the smaller alpha, for judges
 * that must take care of that.
 *
 * Source: Holm 1979.
 */
export function judgeFamily<Result extends { regressed: boolean }>(
  judges: readonly ((alpha: number, before: Result | null) => Result)[],
  alpha: number,
): Judged<Result>[] {
  const judged = new Map<number, Judged<Result>>();
  let open = judges.map((judge, i) => ({ judge, i }));
  while (open.length > 0) {
    const level = alpha / open.length;
    for (const { judge, i } of open)
      judged.set(i, { alpha: level, result: judge(level, judged.get(i)?.result ?? null) });
    const left = open.filter(({ i }) => judged.get(i)?.result.regressed === false);
    if (left.length === open.length) break;
    open = left;
  }
  return judges.flatMap((_, i) => judged.get(i) ?? []);
}

/** One suite of a family: its tables and, where they differ, the positions served first. */
export interface FamilyMember {
  tables: readonly Table[];
  first?: readonly number[];
}

/**
 * `combinedGate` for several suites under one alpha, in the order given. At a larger alpha the
 * suite test never gets less than it had before, so the alarms are nested as `judgeFamily` asks.
 */
export function gateFamily(
  members: readonly FamilyMember[],
  options: Omit<GateOptions, 'first' | 'keep'>,
): Judged<Gate>[] {
  const judges = members.map(
    ({ tables, first = [] }) =>
      (alpha: number, before: Gate | null): Gate =>
        combinedGate(tables, { ...options, alpha, first, keep: before?.suite.level ?? 0 }),
  );
  return judgeFamily(judges, options.alpha);
}
