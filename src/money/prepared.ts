import type { NextTries, SuiteComparison, SuiteRun } from '../kernel/plan/suite-run.ts';
import type { Reason } from '../kernel/result/reason.ts';
import type { AffectedSuite, ResolvedSuite, Selection } from '../kernel/select/affected-suite.ts';
import type { Scoring } from '../kernel/select/scoring.ts';
import type { GateSettings, SuiteGate } from '../kernel/suite/gate-settings.ts';
import { embedderFor, everyMetric, gradersFor, judgingTargets } from '../kernel/suite/metrics.ts';
import type { Suite, Tests } from '../kernel/suite/suite.ts';
import type { Target } from '../types/model.ts';
import type { Notice, Problem } from '../types/plain.ts';
import type { Price } from '../types/price.ts';
import type { SourceTree } from '../types/repository.ts';
import type { PlannedFeature } from './feature-plan.ts';
import type { Plan } from './plan.ts';

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
      const answers = answerersOf(run);
      const graders = [
        ...judgingTargets(run.scoring),
        ...(run.baseScoring === null ? [] : judgingTargets(run.baseScoring)),
      ];
      const own = [run.scoring, run.baseScoring].flatMap(
        (scoring) => scoring?.answerer?.graders ?? [],
      );
      return [...answers, ...graders, ...own.map(({ target }) => target)];
    });
  return [...asked, ...features.flatMap(({ certain }) => certain).map(({ target }) => target)];
}

function answerersOf({ runs }: SuiteRun): Target[] {
  return runs
    .flatMap(({ affected: { base, head } }) => [base, head])
    .flatMap((generation) => (generation?.kind === 'request' ? [generation.target] : []));
}

/** A key only a metric needs is reported at the metric's line: others' users do not expect it. */
export function keyProblems(
  prepared: Prepared,
  missingKeys: (targets: readonly Target[]) => Problem[],
): Problem[] {
  const running = prepared.suites.map(({ run }) => run).filter(({ runs }) => runs.length > 0);
  const answering = missingKeys(running.flatMap(answerersOf)).map(({ message }) => message);
  const wanted = running
    .flatMap(({ scoring, baseScoring }) =>
      baseScoring === null ? [scoring] : [scoring, baseScoring],
    )
    .flatMap(modelsByMetric)
    .flatMap(({ target, ...metric }) =>
      missingKeys([target]).map(({ message }) => ({ ...metric, message, model: target.model })),
    );
  return missingKeys(targetsOf(prepared)).map((missing) => {
    const metric = wanted.find(({ message }) => message === missing.message);
    if (metric === undefined || answering.includes(missing.message)) return missing;
    const { place, name, model } = metric;
    return {
      place,
      message:
        `${missing.message} The metric "${name}" asks ${model}; ` +
        'where another server has it, say so in the settings file, models: ' +
        `{ ${JSON.stringify(model)}: { … } }, or take the metric out`,
    };
  });
}

function modelsByMetric(scoring: Scoring) {
  return everyMetric(scoring.tests).flatMap((metric) => {
    const embedder = embedderFor(metric, scoring);
    return [...gradersFor(metric, scoring), ...(embedder === null ? [] : [embedder])].map(
      ({ target }) => ({ target, name: metric.name, place: metric.place }),
    );
  });
}

export function removedIds({ path, references }: AffectedSuite): string[] {
  return references
    .filter(({ change }) => change === 'removed')
    .map(({ reference }) => `${path}: ${reference.id}`);
}
