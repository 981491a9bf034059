import type { Halt } from '../../kernel/plan/halt.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { gates } from '../../kernel/select/select.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import type { Variant } from '../../kernel/suite/suite.ts';
import type { Completion, Request } from '../../types/model.ts';
import { rateReference } from './affinity.ts';
import type { ExplainReference, ExplainSuite, ExplainTools } from './attribute-results.ts';
import { byReferences, explainedReferences } from './cost.ts';
import { explain, isExplained, type Explanation } from './explain.ts';
import { pinnedFor } from './file.ts';
import { isExplainable, type ExplainPlan } from './plan.ts';

interface ComparedRun {
  mode: 'diff' | 'sweep';
  explaining: ExplainPlan | null;
  gate: GateSettings;
  /** Suites that are shown, and what each came to, in the same order. */
  comparisons: readonly SuiteComparison[];
  results: readonly SuiteResult[];
  /** Why no further call is made; null while calls are. */
  halt: Halt | null;
}

/** `unexplained`: names of suites whose attributes were wanted and could not be worked out. */
export interface RunExplanation extends Explanation {
  unexplained: string[];
}

const NOTHING: RunExplanation = {
  attributes: [],
  insights: [],
  droppedInsights: [],
  notices: [],
  unexplained: [],
};

/**
 * Which attributes got worse, once the suites are compared. A run that was ended makes no model calls,
 * and says so.
 */
export async function explainRun(
  { mode, explaining, gate, comparisons, results, halt }: ComparedRun,
  tools: ExplainTools,
): Promise<RunExplanation> {
  if (explaining === null) return NOTHING;
  const wanted = comparisons.flatMap((comparison, index) => {
    const suite = results[index];
    const asked = suite === undefined ? null : explainSuite(comparison, suite, mode);
    return suite === undefined || asked === null || !isExplained(asked, explaining)
      ? []
      : [{ suite, asked, isJudged: isExplainable(comparison, mode) }];
  });
  const { settings, pinned, seed } = explaining;
  const { grader, unasked } =
    halt === null
      ? explaining
      : { grader: null, unasked: `no further call is made, because ${halt.why}` };
  const explanation = await explain(
    {
      mode,
      suites: wanted.map(({ asked }) => asked),
      settings,
      pinned,
      grader,
      unasked,
      alignment: settings.alignment,
      metric: settings.metric,
      alpha: gate.alpha,
      seed,
    },
    tools,
  );
  const explained = new Set(
    explanation.attributes.map(({ path, suite, variant }) => identity(path, suite, variant)),
  );
  const unexplained = wanted.filter(
    ({ suite: { path, name, variant }, isJudged }) =>
      isJudged && !explained.has(identity(path, name, variant)),
  );
  return { ...explanation, unexplained: unexplained.map(({ suite }) => suite.name) };
}

function identity(path: string, name: string, variant: Variant): string {
  return canonicalJson([path, name, { ...variant }]);
}

/**
 * A suite as it is to be explained; null where no attribute could say anything and nothing
 * regressed.
 */
function explainSuite(
  comparison: SuiteComparison,
  suite: SuiteResult,
  mode: ComparedRun['mode'],
): ExplainSuite | null {
  const {
    path,
    name,
    variant,
    verdict,
    compared: { tries },
    references,
    metrics,
  } = suite;
  const regressed =
    verdict === 'regressed' || references.some(({ status }) => status === 'regressed');
  if (!isExplainable(comparison, mode) && (!regressed || comparison.policy.kind === 'pairs'))
    return null;
  return {
    path,
    name,
    variant,
    regressed,
    tries: mode === 'sweep' || comparison.policy.kind !== 'adaptive' ? null : tries,
    numbers: metrics.flatMap(({ name: metric, values }) => (values === undefined ? [] : [metric])),
    references: withTries(comparison, mode),
  };
}

function withTries(
  { run, compared }: SuiteComparison,
  mode: ComparedRun['mode'],
): ExplainReference[] {
  const counted = new Set(
    mode === 'sweep' ? run.runs.filter(({ affected }) => gates(run.suite, affected)) : compared,
  );
  const byId = new Map(
    run.runs.map((referenceRun) => [referenceRun.affected.reference.id, referenceRun]),
  );
  return explainedReferences(run.suite).map((reference) => {
    const found = byId.get(reference.id);
    if (found === undefined)
      return { ...reference, compared: false, cluster: null, base: [], head: [] };
    return {
      ...reference,
      compared: counted.has(found),
      cluster: found.affected.reference.cluster ?? null,
      base: found.base.map(({ result }) => result),
      head: found.head.map(({ result }) => result),
    };
  });
}

interface StoredTools {
  /** Whether an answer lies in a store. */
  stored(request: Request): boolean;
  /** As the run itself draws delimiters; absent: its questions are not known beforehand. */
  random?: ((purpose: string) => string) | undefined;
}

/**
 * The calls about attributes less the ratings that earlier runs have paid for. Only those of chosen
 * attributes are known beforehand; without this a pull request on a large suite would be refused
 * for calls that are never made.
 */
export async function withoutStored(
  explaining: ExplainPlan | null,
  suites: readonly SuiteComparison[],
  mode: 'diff' | 'sweep',
  { stored, random }: StoredTools,
): Promise<ExplainPlan | null> {
  if (
    explaining === null ||
    explaining.grader === null ||
    explaining.pinned === null ||
    explaining.calls.certain === 0 ||
    random === undefined
  )
    return explaining;
  const { grader, pinned, calls } = explaining;
  let known = 0;
  const look = (request: Request): Promise<Completion> => {
    if (stored(request)) known += 1;
    return Promise.resolve({ status: 'error', kind: 'aborted', message: 'only looked for' });
  };
  for (const {
    references,
    suites: [first],
  } of byReferences(suites.filter((suite) => isExplainable(suite, mode)))) {
    const attributes = first === undefined ? [] : pinnedFor(pinned, first.run.suite.path);
    if (attributes.length === 0) continue;
    for (const reference of references)
      await rateReference(reference, attributes, { grader, random, complete: look });
  }
  return { ...explaining, calls: { ...calls, certain: Math.max(0, calls.certain - known) } };
}
