import {
  explain,
  isExplained,
  type Explanation,
  type ExplainReference,
  type ExplainSuite,
  type ExplainTools,
} from '../../qualeval/explain.ts';
import type { GateSettings, SuiteResult, Variant } from '../../types.ts';
import type { ComparedLane } from '../compare/verdict.ts';
import { canonicalJson } from '../fingerprint/canonical.ts';
import type { Halt } from '../gate/halt.ts';
import { gates } from '../select/select.ts';
import { isExplainable, type ExplainPlan } from './explain-plan.ts';
import { explainedReferences } from './references.ts';

export interface ComparedRun {
  mode: 'diff' | 'sweep';
  explaining: ExplainPlan | null;
  gate: GateSettings;
  /** Lanes that are shown, and what each came to, in the same order. */
  lanes: readonly ComparedLane[];
  suites: readonly SuiteResult[];
  /** Why no further call is made; null while calls are. */
  halt: Halt | null;
}

/** `unexplained`: names of suites whose attributes were wanted and could not be worked out. */
export interface RunExplanation extends Explanation {
  unexplained: string[];
}

const NOTHING: RunExplanation = { attributes: [], insights: [], notices: [], unexplained: [] };

/**
 * Which kinds of inputs got worse, once the suites are compared. A run that was ended asks nobody,
 * and says so.
 */
export async function explainRun(
  { mode, explaining, gate, lanes, suites, halt }: ComparedRun,
  tools: ExplainTools,
): Promise<RunExplanation> {
  if (explaining === null) return NOTHING;
  const wanted = lanes.flatMap((lane, index) => {
    const suite = suites[index];
    const asked = suite === undefined ? null : explainSuite(lane, suite, mode);
    return suite === undefined || asked === null || !isExplained(asked, explaining)
      ? []
      : [{ suite, asked, isJudged: isExplainable(lane, mode) }];
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
 * A lane as it is to be explained; null where no attribute could say anything and nothing
 * regressed.
 */
function explainSuite(
  lane: ComparedLane,
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
  } = suite;
  const regressed =
    verdict === 'regressed' || references.some(({ status }) => status === 'regressed');
  if (!isExplainable(lane, mode) && (!regressed || lane.policy.kind === 'pairs')) return null;
  return {
    path,
    name,
    variant,
    regressed,
    tries: mode === 'sweep' || lane.policy.kind !== 'adaptive' ? null : tries,
    references: withTries(lane, mode),
  };
}

function withTries({ run, compared }: ComparedLane, mode: ComparedRun['mode']): ExplainReference[] {
  const counted = new Set(
    mode === 'sweep' ? run.runs.filter(({ case: one }) => gates(run.lane, one)) : compared,
  );
  const byId = new Map(run.runs.map((one) => [one.case.reference.id, one]));
  return explainedReferences(run.lane).map((reference) => {
    const found = byId.get(reference.id);
    if (found === undefined) return { ...reference, compared: false, base: [], head: [] };
    return {
      ...reference,
      compared: counted.has(found),
      base: found.base.map(({ result }) => result),
      head: found.head.map(({ result }) => result),
    };
  });
}
