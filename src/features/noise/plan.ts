import { quarantineOf } from '../../app/run/quarantine.ts';
import { MOST_RUNS } from '../../documents/limits.ts';
import {
  gates,
  type AffectedSuite,
  type Generation,
  type ResolvedSuite,
  type Selection,
  type AffectedReference,
} from '../../kernel/select/affected-suite.ts';
import { selectAll } from '../../kernel/select/select.ts';
import type { Again } from '../../money/prepared.ts';
import { DAY_MS } from '../../text/amounts.ts';
import { drawnAgain } from '../../trials/draws.ts';

/** More tries than any reference has, so that comparisons never share a try. */
const TRIES_APART = 100;

/**
 * Offset of a comparison's try indices. Constant for a day, so that an interrupted measurement can
 * resume.
 */
export function drawOf(today: string, run: number): number {
  return (Math.floor(Date.parse(today) / DAY_MS) * MOST_RUNS + run) * 2 * TRIES_APART;
}

type Repeat = (affected: AffectedReference, head: Generation) => AffectedReference;

function selectRepeated(
  head: readonly ResolvedSuite[],
  today: string,
  baseOf: (suite: AffectedSuite) => Partial<AffectedSuite>,
  repeat: Repeat,
): Selection {
  const suites = selectAll(head).map((suite) => ({
    ...suite,
    ...baseOf(suite),
    references: suite.references.flatMap((reference) =>
      isMeasured(suite, reference, today) && reference.head !== null
        ? [repeat(reference, reference.head)]
        : [],
    ),
  }));
  const message =
    'There is nothing to measure: no reference that counts for the verdict calls a model. ' +
    'Recordings give the same answer on every try.';
  const isEmpty = suites.every(({ references }) => references.length === 0);
  return { suites, notices: [], problems: isEmpty ? [{ place: null, message }] : [] };
}

function isMeasured(suite: AffectedSuite, affected: AffectedReference, today: string): boolean {
  const { reference, head } = affected;
  const tests = suite.head?.scoring.tests;
  if (head === null || head.kind === 'impossible' || head.kind === 'recorded') return false;
  if (head.kind === 'request' && head.target.provider === 'replay') return false;
  return tests !== undefined && gates(suite, affected) && !quarantineOf(tests, today)(reference.id);
}

export function againOf(runs: number): Again {
  return {
    runs,
    select: (suites, today) =>
      selectRepeated(
        suites,
        today,
        ({ head, path }) => ({ base: head, because: [{ key: 'noise', file: path }] }),
        ({ reference }, head) => ({
          reference,
          change: 'both',
          baseReference: reference,
          base: head,
          head: drawnAgain(head, TRIES_APART),
        }),
      ),
    gate: (gate) => ({ ...gate, fail_on: 'regression', min_pass_rate: null, attributes: 'advise' }),
    ownGate({ gate: { fail_on: _never, min_pass_rate: _floor, ...margins } = {} }) {
      return margins;
    },
  };
}

/** Asks every question again, with new tries on each day. */
export const ONCE_A_DAY: Again = {
  ...againOf(1),
  select(suites, today) {
    const draw = drawOf(today, 0);
    return selectRepeated(
      suites,
      today,
      () => ({}),
      (affected, head) => ({ ...affected, head: drawnAgain(head, draw) }),
    );
  },
};
