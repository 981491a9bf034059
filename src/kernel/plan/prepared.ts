import type { Target } from '../../types/model.ts';
import type { Notice, Problem } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { Scoring } from '../select/scoring.ts';
import type { AffectedSuite, Selection } from '../select/select.ts';
import type { ProjectSide } from '../select/targets.ts';
import type { GateSettings, SuiteGate } from '../suite/gate-settings.ts';
import { embedderFor, everyMetric, gradersFor, judgingTargets } from '../suite/metrics.ts';
import type { Suite, Tests } from '../suite/suite.ts';
import type { PlannedFeature } from './feature-plan.ts';
import type { Plan } from './plan.ts';
import type { Price } from './price.ts';
import type { NextTries, SuiteComparison, SuiteRun } from './suite-run.ts';

export interface PrepareInput {
  mode: 'diff' | 'sweep';
  base: SourceTree | null;
  head: SourceTree;
  maxCalls: number | null;
  failOn: GateSettings['fail_on'] | null;
  /** Where the project's own code may run. */
  code: 'sandbox' | 'host' | 'off';
  /** `YYYY-MM-DD`. */
  today: string;
  /** Head is compared with itself; absent: it is compared with base. */
  again?: Again;
}

/** How head is compared with itself. */
export interface Again {
  /** So many times, each time by new tries. */
  runs: number;
  select(head: ProjectSide, today: string): Selection;
  gate(gate: GateSettings): GateSettings;
  /** What of a suite's own gate holds. */
  ownGate(tests: Tests): SuiteGate;
}

/**
 * A run that is ready to ask: what runs, by which policy, under which gate. Nothing has been called
 * yet.
 */
export interface Prepared {
  mode: 'diff' | 'sweep';
  /** Every selected suite, those in which nothing runs included. */
  suites: SuiteComparison[];
  gate: GateSettings;
  /** By the policy, what these suites want beyond the tries that they have. */
  next(suites: readonly SuiteComparison[]): NextTries;
  plan: Plan;
  /** What features ask beside the tries, in the order of their table. */
  features: readonly PlannedFeature[];
  price: Price;
  /** What a pull request may choose of the rules it is judged by, in sentences. */
  ownRules: string[];
  problems: Problem[];
  notices: Notice[];
}

/** Head's suites as they were read, once for each variant that runs. */
export function headSuites({ suites }: Prepared): Suite[] {
  return suites.flatMap(
    ({
      run: {
        suite: { head },
      },
    }) => head?.suite ?? [],
  );
}

/** Every place that requests of this run go to. */
export function targetsOf({ suites, features }: Pick<Prepared, 'suites' | 'features'>): Target[] {
  const asked = suites
    .filter(({ run }) => run.runs.length > 0)
    .flatMap(({ run }) => {
      const answers = answerersOf(run);
      const graders = [
        ...judgingTargets(run.deciding),
        ...(run.other === null ? [] : judgingTargets(run.other)),
      ];
      const own = [run.deciding, run.other].flatMap((scoring) => scoring?.answerer?.graders ?? []);
      return [...answers, ...graders, ...own.map(({ target }) => target)];
    });
  return [...asked, ...features.flatMap(({ certain }) => certain).map(({ target }) => target)];
}

/** Where the answers of a suite come from. */
function answerersOf({ runs }: SuiteRun): Target[] {
  return runs
    .flatMap(({ affected: { base, head } }) => [base, head])
    .flatMap((generation) => (generation?.kind === 'request' ? [generation.target] : []));
}

/**
 * Why a run cannot call its models. A key that only a metric needs is reported at the metric's
 * line, for a user who has the keys of the answering models would not expect it there.
 */
export function keyProblems(
  prepared: Prepared,
  missingKeys: (targets: readonly Target[]) => Problem[],
): Problem[] {
  const running = prepared.suites.map(({ run }) => run).filter(({ runs }) => runs.length > 0);
  const answering = missingKeys(running.flatMap(answerersOf)).map(({ message }) => message);
  const wanted = running
    .flatMap(({ deciding, other }) => (other === null ? [deciding] : [deciding, other]))
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
      message: `${missing.message} The metric "${name}" asks ${model}; where another server has it, say so in the settings file, models: { ${JSON.stringify(model)}: { … } }, or take the metric out`,
    };
  });
}

/** Each metric with the models that it asks. */
function modelsByMetric(scoring: Scoring) {
  return everyMetric(scoring.tests).flatMap((metric) => {
    const embedder = embedderFor(metric, scoring);
    return [...gradersFor(metric, scoring), ...(embedder === null ? [] : [embedder])].map(
      ({ target }) => ({ target, name: metric.name, place: metric.place }),
    );
  });
}

/** References that base gates on and this change removes. */
export function removedIds({ path, references }: AffectedSuite): string[] {
  return references
    .filter(({ change }) => change === 'removed')
    .map(({ reference }) => `${path}: ${reference.id}`);
}
