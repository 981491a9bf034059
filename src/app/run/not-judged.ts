import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { FeatureParts } from '../../kernel/result/feature-parts.ts';
import type { Reason } from '../../kernel/result/reason.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import { targetsOf, type Prepared } from '../../money/prepared.ts';
import type { Target } from '../../types/model.ts';
import type { Notice, Problem, TrustLevel, Withheld } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { UsageTotals } from '../../types/usage-totals.ts';
import { outcomeFields } from '../../wording/outcomes.ts';
import type { Untitled } from './run.ts';

export interface ResultHead {
  mode: Result['mode'];
  base: Pick<SourceTree, 'commit'> | null;
  head: Pick<SourceTree, 'commit'>;
  trust: TrustLevel;
  gate: GateSettings;
  n_tries: Result['n_tries'];
  emptyParts: FeatureParts;
}

export const NO_USAGE: UsageTotals = {
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
  gate,
  n_tries,
  emptyParts,
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
    ...emptyParts,
    notices: [],
    problems: [],
    usage: NO_USAGE,
    override: null,
    adaptive_tries: null,
  };
}

export function notEvaluated(head: ResultHead, problems: Problem[], notices: Notice[]): Result {
  return {
    ...createEmptyResult(head),
    ...outcomeFields({ kind: 'not-evaluated', problems: problems.length }),
    problems,
    notices,
  };
}

export function withTitle(result: Untitled): Result {
  return { ...result, ...outcomeFields(result.outcome, result) };
}

function withoutKeys(
  head: ResultHead,
  withheld: Withheld,
  left: readonly Reason[],
  notices: Notice[],
): Result {
  const reasons: Reason[] = [{ code: 'keys-withheld', from: withheld }, ...left];
  return {
    ...createEmptyResult(head),
    ...outcomeFields({ kind: 'without-keys', judged: false }, { reasons }),
    notices,
  };
}

interface KeylessRun {
  prepared: Prepared;
  head: ResultHead;
  notices: Notice[];
  withheld: Withheld;
  missingKeys(targets: readonly Target[]): Problem[];
  judge(prepared: Prepared): Promise<Result>;
}

/** Runs everything that needs no key. The verdict may be red but never green. */
export async function judgeWithoutKeys({
  prepared,
  head,
  notices,
  withheld,
  missingKeys,
  judge,
}: KeylessRun): Promise<Result> {
  const hasKeys = (targets: readonly Target[]): boolean => missingKeys(targets).length === 0;
  const isOpen = (suite: SuiteComparison): boolean =>
    hasKeys(targetsOf({ suites: [suite], features: [] }));
  const open = prepared.suites.filter(isOpen);
  const left = prepared.suites.filter((suite) => !isOpen(suite)).map(leftOut);
  if (!open.some(({ run: { suite } }) => suite.references.length > 0))
    return withoutKeys(head, withheld, [...prepared.notRun, ...left], notices);
  const unasked = withoutKeys(head, withheld, left, notices);
  const judged = await judge({
    ...prepared,
    suites: open,
    features: prepared.features.flatMap((feature) => {
      const { key, asker, withKeys } = feature;
      if (asker !== null || hasKeys(targetsOf({ suites: [], features: [feature] })))
        return [feature];
      return withKeys === undefined ? [] : [{ key, ...withKeys(hasKeys) }];
    }),
  });
  const reasons = [...judged.reasons, ...unasked.reasons];
  return judged.conclusion === 'success' || judged.conclusion === 'neutral'
    ? { ...judged, ...outcomeFields({ kind: 'without-keys', judged: true }, { reasons }) }
    : { ...judged, reasons };
}

function leftOut({ run: { suite, runs } }: SuiteComparison): Reason {
  const { name, because } = suite;
  return { code: 'left-out', suite: name, references: runs.length, because };
}
