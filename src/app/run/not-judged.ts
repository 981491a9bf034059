import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { Reason } from '../../kernel/result/reason.ts';
import type { Result } from '../../kernel/result/result.ts';
import { DEFAULT_GATE, type GateSettings } from '../../kernel/suite/gate-settings.ts';
import { plannedFeature, type PlannedFeature } from '../../money/feature-plan.ts';
import { targetsOf } from '../../money/prepared.ts';
import type { Target } from '../../types/model.ts';
import type { Problem, TrustLevel, Withheld } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { UsageTotals } from '../../types/usage-totals.ts';
import { outcomeFields } from '../../wording/outcomes.ts';
import { collectEmptyParts, type Features, type RunPlan, type Untitled } from './feature.ts';

interface ResultHead {
  mode: Result['mode'];
  base: Pick<SourceTree, 'commit'> | null;
  head: Pick<SourceTree, 'commit'>;
  trust: TrustLevel;
  features: Features;
  gate?: GateSettings;
  n_tries?: Result['n_tries'];
}

const NO_USAGE: UsageTotals = {
  calls: 0,
  reused: 0,
  replayed: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  by_purpose: {},
};

export function createEmptyResult({
  mode,
  base,
  head,
  trust,
  features,
  gate = DEFAULT_GATE,
  n_tries = 'adaptive',
}: ResultHead): Result {
  return {
    schema_version: 2,
    mode,
    ...outcomeFields({ kind: 'not-judged' }),
    trust,
    base: base === null ? null : { sha: base.commit },
    head: { sha: head.commit },
    gate,
    n_tries,
    suites: [],
    scoring: [],
    ...collectEmptyParts(features),
    notices: [],
    problems: [],
    usage: NO_USAGE,
    override: null,
    adaptive_tries: null,
  };
}

export function notEvaluated(
  emptyResult: Result,
  problems: Problem[],
  notices = emptyResult.notices,
): Result {
  const outcome = outcomeFields({ kind: 'not-evaluated', problems: problems.length });
  return { ...emptyResult, ...outcome, problems, notices };
}

export function withTitle(result: Untitled): Result {
  return { ...result, ...outcomeFields(result.outcome, result) };
}

/** Runs everything that needs no key. The verdict may be red but never green. */
export async function judgeWithoutKeys<Plan extends RunPlan & { emptyResult: Result }>(
  plan: Plan,
  withheld: Withheld,
  missingKeys: (targets: readonly Target[]) => Problem[],
  judge: (open: Plan) => Promise<Result>,
): Promise<Result> {
  const hasKeys = (targets: readonly Target[]) => missingKeys(targets).length === 0;
  const isOpen = (suite: SuiteComparison) => hasKeys(targetsOf({ suites: [suite], features: [] }));
  const open = plan.suites.filter(isOpen);
  const left = plan.suites
    .filter((suite) => !isOpen(suite))
    .map(({ run: { suite, runs } }): Reason => {
      const { name, because } = suite;
      return { code: 'left-out', suite: name, references: runs.length, because };
    });
  const withheldKeys: Reason[] = [{ code: 'keys-withheld', from: withheld }];
  const keyless = (reasons: Reason[], judged: boolean) =>
    outcomeFields({ kind: 'without-keys', judged }, { reasons });
  if (!open.some(({ run: { suite } }) => suite.references.length > 0))
    return { ...plan.emptyResult, ...keyless([...withheldKeys, ...plan.notRun, ...left], false) };
  const features: PlannedFeature[] = [];
  const notices = [...plan.emptyResult.notices];
  for (const feature of plan.features) {
    const { key, asker, withKeys } = feature;
    if (asker !== null || hasKeys(targetsOf({ suites: [], features: [feature] })))
      features.push(feature);
    else if (withKeys !== undefined) {
      const reduced = plannedFeature(key, withKeys(hasKeys));
      features.push(reduced);
      notices.push(...reduced.notices);
    }
  }
  const emptyResult = { ...plan.emptyResult, notices };
  const judged = await judge({ ...plan, suites: open, features, emptyResult });
  const reasons = [...judged.reasons, ...withheldKeys, ...left];
  return judged.conclusion === 'success' || judged.conclusion === 'neutral'
    ? { ...judged, ...keyless(reasons, true) }
    : { ...judged, reasons };
}
