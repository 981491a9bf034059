import { MOST_RUNS } from '../../documents/limits.ts';
import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { AffectedReference } from '../../kernel/select/affected.ts';
import { drawnAgain } from '../../kernel/select/generation.ts';
import { pairReferences } from '../../kernel/select/pair.ts';
import {
  gates,
  selectAll,
  type AffectedSuite,
  type Selection,
} from '../../kernel/select/select.ts';
import type { ProjectSide } from '../../kernel/select/targets.ts';
import type { GateSettings, SuiteGate } from '../../kernel/suite/gate-settings.ts';
import { countsIn } from '../../kernel/suite/gate.ts';
import type { Tests } from '../../kernel/suite/suite.ts';
import type { Notice } from '../../types/plain.ts';

/**
 * Whether a reference is in quarantine today: it runs and is shown, but does not gate. `today` is
 * `YYYY-MM-DD`.
 */
export function quarantineOf(tests: Tests, today: string): (id: string) => boolean {
  const active = new Set(
    tests.quarantine.filter(({ until }) => until >= today).map(({ id }) => id),
  );
  return (id) => active.has(id);
}

/**
 * Ids of references that gate on base and that head puts into quarantine, whether or not they run.
 */
export function newlyQuarantined({ suite: { base }, deciding }: SuiteRun, today: string): string[] {
  if (base === null || deciding.side === 'base') return [];
  const [before, { tests }] = [base.scoring.tests, deciding];
  const isOut = { before: quarantineOf(before, today), after: quarantineOf(tests, today) };
  const out = tests.references.filter(({ id }) => isOut.after(id));
  if (out.length === 0) return [];
  const counterparts = pairReferences(before.references, tests.references);
  return out.flatMap((reference) => {
    const was = counterparts.get(reference);
    const gated = was !== undefined && countsIn(before, was) && !isOut.before(was.id);
    return gated ? [reference.id] : [];
  });
}

/**
 * What a reader must know about a suite's quarantine: who is in it until when, and what has
 * expired.
 */
export function quarantineNotices(tests: Tests, today: string): Notice[] {
  return tests.quarantine.map(({ id, reason, until, place }) => ({
    kind: 'quarantine',
    place,
    message:
      until >= today
        ? `${id} is in quarantine until ${until} and does not gate: ${reason}`
        : `the quarantine of ${id} expired on ${until}: it gates again; fix the reference or renew the entry`,
  }));
}

/**
 * More tries than any reference may have, so that the sides of a comparison, and several of them,
 * never share one.
 */
const TRIES_APART = 100;

const DAY_MS = 86_400_000;

/**
 * What has to be added to the try indices of one comparison so that its answers are new ones: by
 * the day, so that a measurement that was interrupted goes on with the answers it has paid for, and
 * by the comparison's number from 0.
 */
export function drawOf(today: string, run: number): number {
  return (Math.floor(Date.parse(today) / DAY_MS) * MOST_RUNS + run) * 2 * TRIES_APART;
}

/**
 * Every suite against itself, with the references that count and whose answers can differ from try
 * to try.
 */
export function selectTwice(side: ProjectSide, today: string): Selection {
  const { suites, problems } = selectAll(side);
  const replayed = suites.filter(
    ({ references }) => references.length > 0 && references.every(isReplayed),
  );
  const twice = suites
    .filter((suite) => !replayed.includes(suite))
    .map((suite) => ({
      ...suite,
      base: suite.head,
      because: [{ key: 'noise', file: suite.path }],
      references: suite.references.flatMap((reference) => twiceAsked(suite, reference, today)),
    }));
  const notices = replayed.map(({ name, path }): Notice => ({
    kind: 'repeats',
    place: { file: path, line: 0 },
    message: `${name}: recordings give the same answer on every try, so there is no noise to measure`,
  }));
  const empty = problems.length === 0 && twice.every(({ references }) => references.length === 0);
  return {
    suites: twice,
    notices,
    problems: empty
      ? [
          {
            place: null,
            message: `There is nothing to measure: no reference that counts is answered by a model.${replayed.length === 0 ? '' : ' Recordings give the same answer on every try.'}`,
          },
        ]
      : problems,
  };
}

function isReplayed({ head }: AffectedReference): boolean {
  return head?.kind === 'request' && head.target.provider === 'replay';
}

function twiceAsked(
  suite: AffectedSuite,
  affected: AffectedReference,
  today: string,
): AffectedReference[] {
  const { reference, head } = affected;
  const tests = suite.head?.scoring.tests;
  if (
    head === null ||
    head.kind === 'impossible' ||
    head.kind === 'recorded' ||
    isReplayed(affected)
  )
    return [];
  if (tests === undefined || !gates(suite, affected) || quarantineOf(tests, today)(reference.id))
    return [];
  return [
    {
      reference,
      change: 'both',
      baseReference: reference,
      base: head,
      head: drawnAgain(head, TRIES_APART),
    },
  ];
}

/**
 * The part of a gate that compares: what is red on base alone is red for another reason than noise.
 */
export function relativeGate(gate: GateSettings): GateSettings {
  return { ...gate, fail_on: 'regression', min_pass_rate: null, attributes: 'advise' };
}

/** The comparing part of the gate that a suite sets for itself; see {@link relativeGate}. */
export function relativeOwnGate({ gate = {} }: Tests): SuiteGate {
  const { fail_on: _never, min_pass_rate: _floor, ...margins } = gate;
  return margins;
}
