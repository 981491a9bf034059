import type { ReferenceRun, SuiteRun } from '../plan/suite-run.ts';
import { metricIdentity, metricsFor } from '../suite/metrics.ts';
import type { Metric, Score } from '../types/metric.ts';
import type { Problem } from '../types/plain.ts';
import type { RunRollUps } from './roll-up.ts';

/** A suite that ran, with the words of its roll-up. */
interface Rolled {
  run: SuiteRun;
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>;
}

/**
 * Code that scores and is broken, at its place: a check that breaks on every answer it was given,
 * and a roll-up that gives no word. `suites`: those whose rates would say nothing.
 */
export function brokenCode(rolled: readonly Rolled[]): {
  problems: Problem[];
  suites: ReadonlySet<SuiteRun>;
} {
  const broken = brokenChecks(rolled.map(({ run }) => run));
  const rollups = rolled.flatMap(brokenRollup);
  const all = [...broken, ...rollups];
  const problems = new Map(all.map(({ problem }) => [JSON.stringify(problem), problem]));
  return {
    problems: [...problems.values()],
    suites: new Set(all.flatMap(({ suites }) => suites)),
  };
}

interface Broken {
  problem: Problem;
  suites: SuiteRun[];
}

/** One check on all answers of the run, in whatever suites and variants it stands. */
interface Use {
  metric: Metric;
  /** It judges one reference alone, which may well fail every time. */
  references: Set<ReferenceRun>;
  suites: Set<SuiteRun>;
  isShared: boolean;
  scores: Score[];
}

function brokenChecks(suites: readonly SuiteRun[]): Broken[] {
  const uses = new Map<string, Use>();
  for (const suite of suites)
    for (const run of suite.runs)
      for (const metric of metricsFor(suite.deciding.tests, run.affected.reference))
        if (metric.source.kind === 'code') noteUse(uses, metric, suite, run);
  return [...uses.values()].flatMap(({ metric, references, suites: own, isShared, scores }) => {
    const judged = scores.filter(({ status }) => status !== 'skipped');
    const raised = judged.filter((score) => 'raised' in score);
    const [first] = raised;
    if (first === undefined || raised.length < judged.length) return [];
    if (!isShared && references.size === 1) return [];
    const said = (first.reason ?? '').replace(/^metric "[^]*?":? (?=\S)/, '');
    const message = `metric "${metric.name}" breaks on every answer of both sides, so it judges nothing: ${said}`;
    return [{ problem: { place: metric.place, message }, suites: [...own] }];
  });
}

function noteUse(uses: Map<string, Use>, metric: Metric, suite: SuiteRun, run: ReferenceRun): void {
  const isShared = suite.deciding.tests.metrics.includes(metric);
  const key = `${metric.place.file} ${isShared ? metric.place.line : ''} ${metricIdentity(metric)}`;
  const use = uses.get(key) ?? {
    metric,
    references: new Set<ReferenceRun>(),
    suites: new Set<SuiteRun>(),
    isShared,
    scores: [],
  };
  uses.set(key, use);
  use.references.add(run);
  use.suites.add(suite);
  for (const { result } of [...run.base, ...run.head])
    // What was never answered was never judged.
    if (result.error === null)
      use.scores.push(...result.scores.filter((score) => score.metric === metric.name));
}

function brokenRollup({ run, rollUps }: Rolled): Broken[] {
  const { rollup } = run.deciding.tests;
  if (rollup.kind !== 'code') return [];
  const [error] = [...rollUps.values()].flatMap(({ base, head }) =>
    [base.error, head.error].filter((one) => one !== null),
  );
  return error === undefined
    ? []
    : [{ problem: { place: rollup.place, message: error }, suites: [run] }];
}
