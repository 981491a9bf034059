import type { Notice, Problem, Result, Target } from '../../types.ts';
import { evaluatorTargetsOf } from '../conversation/evaluator-tests.ts';
import { targetsOf, type Prepared } from './prepare.ts';
import { withoutKeys, type ResultHead } from '../result.ts';
import type { Withheld } from '../select/trust.ts';
import type { ComparedLane } from '../compare/verdict.ts';
import { plural } from '../../text/amounts.ts';

export interface KeylessRun {
  prepared: Prepared;
  head: ResultHead;
  notices: Notice[];
  withheld: Withheld;
  missingKeys(targets: readonly Target[]): Problem[];
  judge(prepared: Prepared): Promise<Result>;
}

/**
 * A run that GitHub gives no secrets: what can be judged without a key is judged and may fail; of
 * the rest is said what would have run. It is never a success, for something was left out.
 */
export async function judgeWithoutKeys({
  prepared,
  head,
  notices,
  withheld,
  missingKeys,
  judge,
}: KeylessRun): Promise<Result> {
  const isOpen = (lane: ComparedLane): boolean =>
    missingKeys(targetsOf({ lanes: [lane], rubricTests: [], evaluatorTests: [] })).length === 0;
  const open = prepared.lanes.filter(isOpen);
  const left = prepared.lanes.filter((lane) => !isOpen(lane)).map(leftOut);
  const unasked = withoutKeys(head, withheld, left, notices);
  if (!open.some(({ run: { lane } }) => lane.cases.length > 0)) return unasked;
  const hasKeys = (targets: readonly Target[]): boolean => missingKeys(targets).length === 0;
  const judged = await judge({
    ...prepared,
    lanes: open,
    rubricTests: hasKeys(
      targetsOf({ lanes: [], rubricTests: prepared.rubricTests, evaluatorTests: [] }),
    )
      ? prepared.rubricTests
      : [],
    evaluatorTests: prepared.evaluatorTests.filter((test) => hasKeys(evaluatorTargetsOf([test]))),
  });
  const reasons = [...judged.reasons, ...unasked.reasons];
  return judged.conclusion === 'success' || judged.conclusion === 'neutral'
    ? { ...judged, conclusion: 'neutral', title: unasked.title, reasons }
    : { ...judged, reasons };
}

function leftOut({ run: { lane, runs } }: ComparedLane): string {
  const why = lane.because.map(({ key, file }) => `${key} (${file})`).join(', ');
  return `${lane.name}: ${plural(runs.length, 'reference')} not run, affected by ${why}`;
}
