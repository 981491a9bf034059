import {
  scoringsOf,
  type NextTries,
  type ReferenceRun,
  type SuiteComparison,
  type SuiteRun,
} from '../kernel/plan/suite-run.ts';
import type { Reason } from '../kernel/result/reason.ts';
import type { Generation, ResolvedSuite, Selection } from '../kernel/select/affected-suite.ts';
import type { GateSettings, SuiteGate } from '../kernel/suite/gate-settings.ts';
import { judgingTargets } from '../kernel/suite/metrics.ts';
import type { Suite, Tests } from '../kernel/suite/suite.ts';
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
}

export interface Again {
  /** The number of comparisons. Each uses new tries. */
  runs: number;
  select(head: readonly ResolvedSuite[], today: string): Selection;
  gate(gate: GateSettings): GateSettings;
  ownGate(tests: Tests): SuiteGate;
}

/** The calls that a run certainly makes: its first round of tries. Adaptive tries may add more. */
export interface Plan {
  /**
   * The number of prompts with a reference that runs, and of these references. Variants of a sweep
   * count once.
   */
  suites: number;
  references: number;
  /** The number of different calls. The two sides and duplicate references share calls. */
  prompt_calls: number;
  /**
   * The number of recorded answers and grades that are used. They are not calls, and no cap counts
   * them.
   */
  replayed: number;
  /**
   * Estimated number of grades and embeddings. Repeated answers need fewer, and unreadable replies
   * need more.
   */
  grader_calls: number;
  /** Other calls that are always made, by their key in `plan --json`. */
  certain: Readonly<Record<string, number>>;
  /** The most calls that are made only after a regression, by their key in `plan --json`. */
  possible: Readonly<Record<string, number>>;
  /** How many of the `possible` calls a regression usually takes. */
  usual_possible: number;
}

export interface Prepared {
  mode: 'diff' | 'sweep';
  suites: SuiteComparison[];
  gate: GateSettings;
  next(suites: readonly SuiteComparison[]): NextTries;
  plan: Plan;
  features: readonly PlannedFeature[];
  price: Price;
  ownRules: Reason[];
  problems: Problem[];
  notices: Notice[];
}

export function headSuites({ suites }: Prepared): Suite[] {
  return suites.flatMap(
    ({
      run: {
        suite: { head },
      },
    }) => head?.suite ?? [],
  );
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

/** The number of requests and of runs of prompt code. Each counts as one call. */
export function answerCallsOf({
  affected: { base, head },
}: ReferenceRun): Extract<Generation, { kind: 'request' | 'code' }>[] {
  return [base, head].flatMap((generation) =>
    generation?.kind === 'request' || generation?.kind === 'code' ? [generation] : [],
  );
}

export function isReplayedTarget(generation: Generation): boolean {
  return generation.kind === 'request' && generation.target.provider === 'replay';
}
