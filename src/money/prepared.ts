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
  /** `YYYY-MM-DD`. */
  today: string;
  /** Head is compared with itself; absent: it is compared with base. */
  again?: Again;
}

export interface Again {
  /** So many times, each time by new tries. */
  runs: number;
  select(head: readonly ResolvedSuite[], today: string): Selection;
  gate(gate: GateSettings): GateSettings;
  ownGate(tests: Tests): SuiteGate;
}

/** What a run certainly asks: its first round of tries. Adaptive tries may add to it. */
export interface Plan {
  /** Prompts with a reference that runs, and these references; once for all variants of a sweep. */
  suites: number;
  references: number;
  /** Distinct, after sharing between the sides and between duplicate references. */
  prompt_calls: number;
  /** Answers and grades that recordings give: they are not calls, and no cap counts them. */
  replayed: number;
  /** Grades and embeddings: about this many; repeats take fewer, unreadable replies more. */
  grader_calls: number;
  /** Further calls made in any case, by what `plan --json` names them. */
  certain: Readonly<Record<string, number>>;
  /** Most calls made only if something regresses, by what `plan --json` names them. */
  possible: Readonly<Record<string, number>>;
}

export interface Prepared {
  mode: 'diff' | 'sweep';
  /** Every selected suite, those in which nothing runs included. */
  suites: SuiteComparison[];
  gate: GateSettings;
  /** By the policy, what these suites want beyond the tries that they have. */
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

/** What base and head ask of a model or a recording, in this order. */
export function requestsOf({
  affected: { base, head },
}: ReferenceRun): (Generation & { kind: 'request' })[] {
  return [base, head].flatMap((generation) => (generation?.kind === 'request' ? [generation] : []));
}
