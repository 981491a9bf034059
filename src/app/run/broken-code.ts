import type { SuiteRow } from '../../kernel/judge/suite-row.ts';
import type { ReferenceRun, SuiteRun } from '../../kernel/plan/suite-run.ts';
import { metricIdentity, metricsFor } from '../../kernel/suite/metrics.ts';
import type { Metric, Score } from '../../types/metric.ts';
import type { Notice, Problem } from '../../types/plain.ts';

export type RolledSuite = Pick<SuiteRow, 'comparison' | 'rollUps'>;

/** Finds scoring code that always fails. The pass rates of `broken` suites mean nothing. */
export function findBrokenCode(rolled: readonly RolledSuite[]): {
  problems: Problem[];
  notices: Notice[];
  broken: ReadonlySet<SuiteRun>;
} {
  const { checks, notices } = brokenChecks(rolled.map(({ comparison: { run } }) => run));
  const rollups = rolled.flatMap(brokenRollup);
  const all = [...checks, ...rollups];
  const problems = new Map(all.map(({ problem }) => [JSON.stringify(problem), problem]));
  return {
    problems: [...problems.values()],
    notices,
    broken: new Set(all.flatMap(({ suites }) => suites)),
  };
}

interface Broken {
  problem: Problem;
  suites: SuiteRun[];
}

interface Use {
  metric: Metric;
  references: Set<ReferenceRun>;
  suites: Set<SuiteRun>;
  isShared: boolean;
  tool: string | undefined;
  scores: Score[];
}

/** Errors that only the code can cause, whatever the answer. */
const BROKEN_CODE_ERROR =
  /^(?:ReferenceError|NameError|UnboundLocalError|ImportError|ModuleNotFoundError|PermissionError)\b/;

function brokenChecks(suites: readonly SuiteRun[]) {
  const found: { checks: Broken[]; notices: Notice[] } = { checks: [], notices: [] };
  const uses = new Map<string, Use>();
  for (const suite of suites)
    for (const run of suite.runs)
      for (const metric of metricsFor(suite.scoring.tests, run.affected.reference))
        if (metric.source.kind === 'code') noteUse(uses, metric, suite, run);
  for (const { metric, references, suites: own, isShared, tool, scores } of uses.values()) {
    const judged = scores.filter(({ status }) => status !== 'skipped');
    const raised = judged.filter((score) => 'raised' in score);
    const reasons = raised.map(({ reason }) =>
      (reason ?? '').replace(/^metric "[^]*?":? (?=\S)/, ''),
    );
    const [said] = reasons;
    if (said === undefined || raised.length < judged.length) continue;
    if (!isShared && references.size === 1) continue;
    const { name, place } = metric;
    // In promptfoo, a check may report a fail by throwing, so even a correct check may throw on
    // every answer.
    if (tool === 'promptfoo' && !reasons.some((reason) => BROKEN_CODE_ERROR.test(reason))) {
      const message =
        `metric "${name}" raised an error on every answer of both sides, which counts as a fail, as in promptfoo. ` +
        `Is the check broken? ${said}`;
      found.notices.push({ kind: 'import', place, message });
    } else {
      const message =
        `metric "${name}" raises an error on every answer of both sides, so ` +
        `it has no scores: ${said}`;
      found.checks.push({ problem: { place, message }, suites: [...own] });
    }
  }
  return found;
}

function noteUse(uses: Map<string, Use>, metric: Metric, suite: SuiteRun, run: ReferenceRun): void {
  const isShared = suite.scoring.tests.metrics.includes(metric);
  const key = `${metric.place.file} ${isShared ? metric.place.line : ''} ${metricIdentity(metric)}`;
  const use = uses.get(key) ?? {
    metric,
    references: new Set<ReferenceRun>(),
    suites: new Set<SuiteRun>(),
    isShared,
    tool: suite.scoring.tests.tool,
    scores: [],
  };
  uses.set(key, use);
  use.references.add(run);
  use.suites.add(suite);
  for (const { byHead } of [...run.base, ...run.head])
    if (byHead.error === null)
      use.scores.push(...byHead.scores.filter((score) => score.metric === metric.name));
}

function brokenRollup({ comparison: { run }, rollUps }: RolledSuite): Broken[] {
  const { rollup } = run.scoring.tests;
  if (rollup.kind !== 'code') return [];
  const [error] = [...rollUps.values()].flatMap(({ base, head }) =>
    [base.error, head.error].filter((text) => text !== null),
  );
  return error === undefined
    ? []
    : [{ problem: { place: rollup.place, message: error }, suites: [run] }];
}
