import {
  scoringsOf,
  type NextTries,
  type ReferenceRun,
  type SuiteComparison,
  type SuiteRun,
} from '../kernel/plan/suite-run.ts';
import type { Reason, ReasonOf } from '../kernel/result/reason.ts';
import type { Generation, ResolvedSuite, Selection } from '../kernel/select/affected-suite.ts';
import type { GateSettings, SuiteGate } from '../kernel/suite/gate-settings.ts';
import { judgingTargets } from '../kernel/suite/metrics.ts';
import type { Tests } from '../kernel/suite/suite.ts';
import type { Target } from '../types/model.ts';
import type { Notice, Problem } from '../types/plain.ts';
import type { Price } from '../types/price.ts';
import type { SourceTree } from '../types/repository.ts';
import type { PlannedFeature } from './feature-plan.ts';

export interface PrepareInput {
  mode: 'diff' | 'sweep';
  base: SourceTree | null;
  head: SourceTree;
  maxCalls: number | null;
  failOn: GateSettings['fail_on'] | null;
  code: 'sandbox' | 'host' | 'off';
  today: string;
  again?: Again;
  /** An outside contributor wrote head, even if a maintainer approved it. */
  isOutsiders?: boolean;
  /** The run is in a merge queue. */
  isQueue?: boolean;
}

/** How `noise` and `drift` compare a commit with itself: what they select, and no gate. */
export interface Again {
  runs: number;
  select(head: readonly ResolvedSuite[], today: string): Selection;
  gate(gate: GateSettings): GateSettings;
  ownGate(tests: Tests): SuiteGate;
}

/** The calls of the first round. Adaptive tries may add more. */
export interface Plan {
  /** A suite's variants in a sweep count as one, and so do an agent's tasks and trigger tests. */
  suites: number;
  /** How many of the suites are suites of agents. Absent: none. */
  agent_suites?: number;
  references: number;
  /** A call that both sides or equal references share counts once. */
  prompt_calls: number;
  /** Recorded answers and grades. They do not count towards caps. */
  replayed: number;
  /** An estimate that includes embeddings. */
  grader_calls: number;
  /** Other calls that are always made. Keyed as in `plan --json`. */
  certain: Readonly<Record<string, number>>;
  /** Upper limit of calls that only a regression or a fix causes. Keyed as in `plan --json`. */
  possible: Readonly<Record<string, number>>;
  /** Upper limit of calls after the verdict that need no regression. Absent: none. */
  always?: Readonly<Record<string, number>>;
}

export interface Prepared {
  mode: 'diff' | 'sweep';
  suites: readonly SuiteComparison[];
  gate: GateSettings;
  next(suites: readonly SuiteComparison[]): NextTries;
  plan: Plan;
  features: readonly PlannedFeature[];
  price: Price;
  ownRules: Reason[];
  notRun: ReasonOf<'not-run'>[];
  problems: Problem[];
  notices: Notice[];
}

export function targetsOf({ suites, features }: Pick<Prepared, 'suites' | 'features'>): Target[] {
  const asked = suites
    .filter(({ run }) => run.runs.length > 0)
    .flatMap(({ run }) => {
      const scorings = scoringsOf(run);
      const own = scorings.flatMap(({ answerer }) => answerer?.graders ?? []);
      return [
        ...answerersOf(run),
        ...scorings.flatMap(judgingTargets),
        ...own.map(({ target }) => target),
      ];
    });
  return [...asked, ...features.flatMap(({ certain }) => certain).map(({ target }) => target)];
}

export function answerersOf({ runs }: SuiteRun): Target[] {
  return runs.flatMap(requestsOf).map(({ target }) => target);
}

export function requestsOf(run: ReferenceRun): Extract<Generation, { kind: 'request' }>[] {
  return answerCallsOf(run).filter((generation) => generation.kind === 'request');
}

export function answerCallsOf({
  affected: { base, head },
}: ReferenceRun): Extract<Generation, { kind: 'request' | 'code' }>[] {
  return [base, head].flatMap((generation) =>
    generation?.kind === 'request' || generation?.kind === 'code' ? [generation] : [],
  );
}

/** The tries of all runs of a measurement that repeats one comparison. */
export function repeatedTries(next: NextTries, { runs = 1 }: Partial<Again> = {}): NextTries {
  return (suite) => new Map([...next(suite)].map(([index, tries]) => [index, tries * runs]));
}

/** Each question that the suites ask, once, with the most tries that a reference wants of it. */
export function plannedQuestions(
  suites: readonly SuiteRun[],
  next: NextTries,
): { generation: ReturnType<typeof answerCallsOf>[number]; tries: number }[] {
  const questions = new Map<string, ReturnType<typeof plannedQuestions>[number]>();
  for (const suite of suites)
    for (const [index, wanted] of next(suite)) {
      const run = suite.runs[index];
      for (const generation of run === undefined ? [] : answerCallsOf(run)) {
        const tries = Math.max(wanted, questions.get(generation.fingerprint)?.tries ?? 0);
        questions.set(generation.fingerprint, { generation, tries });
      }
    }
  return [...questions.values()];
}

export function isReplayedTarget(generation: Generation): boolean {
  return generation.kind === 'request' && generation.target.provider === 'replay';
}
