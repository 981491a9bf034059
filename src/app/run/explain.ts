import { decide } from '../../kernel/judge/gate.ts';
import { incomplete } from '../../kernel/plan/halt.ts';
import { MOST_TRIES } from '../../kernel/plan/looks.ts';
import type { SuiteComparison, Try } from '../../kernel/plan/suite-run.ts';
import type { FeatureParts } from '../../kernel/result/feature-parts.ts';
import { conclusionOf } from '../../kernel/result/outcome.ts';
import { inTurn, type Added, type DecidedRun, type Untitled } from './feature.ts';
import type { GatedRun } from './judge.ts';

/** Lets the features explain the verdict, then writes the result. */
export async function explainVerdict(run: GatedRun): Promise<Untitled> {
  const { emptyResult, gateInput, tools } = run;
  const { spent } = tools;
  const { calls, reused } = spent.meter.totals();
  const decided: DecidedRun = { ...run, parts: joinedParts(run.added), calls: calls + reused };
  let { rows } = run;
  const after = await inTurn(run, async ({ feature, plan }) => {
    const found = (await feature.after?.(plan, { ...decided, rows }, tools)) ?? {};
    rows = found.rows ?? rows;
    return found;
  });
  const added = [...run.added, ...after];
  const { replaced, scoring } = gateInput;
  return {
    ...emptyResult,
    ...decideRun(run),
    ...(replaced.length > 0 && { replaced: replaced.map(({ suite, by }) => ({ suite, by })) }),
    suites: rows.map(({ result }) => result),
    ...joinedParts(added),
    scoring: [...scoring],
    notices: [
      ...emptyResult.notices,
      ...tools.words.servedNotices(run.served),
      ...run.remarks,
      ...added.flatMap(({ notices = [] }) => notices),
    ],
    usage: spent.meter.totals(),
    adaptive_tries: countAdaptiveTries(run.suites),
  };
}

/** If calls that explain the verdict passed a cap, the cap decides. */
function decideRun({ gateInput, unmade, ...run }: GatedRun) {
  const now = run.tools.spent.halted();
  const halt = now?.isPassed === true ? now : run.halt;
  const { outcome, reasons } =
    halt === null || (halt.isPassed !== true && !incomplete(unmade))
      ? decide(gateInput)
      : decide(gateInput, { halt, unmade });
  return { conclusion: conclusionOf(outcome), outcome, reasons };
}

function joinedParts(added: readonly Partial<Added>[]): Partial<FeatureParts> {
  return Object.assign({}, ...added.map(({ parts }) => parts ?? {})) as Partial<FeatureParts>;
}

/** `fixed`: how many tries would have been made without early stops. */
function countAdaptiveTries(suites: readonly SuiteComparison[]) {
  const made = new Map<string, number>();
  for (const { run, policy } of suites) {
    if (policy.kind !== 'adaptive') continue;
    for (const { affected: reference, base, head } of run.runs) {
      if (reference.reference.n_tries !== null) continue;
      for (const [generation, tries] of [
        [reference.base, answersIn(base)],
        [reference.head, answersIn(head)],
      ] as const) {
        if (generation === null || generation.kind === 'impossible' || tries === 0) continue;
        made.set(generation.fingerprint, Math.max(tries, made.get(generation.fingerprint) ?? 0));
      }
    }
  }
  const sum = [...made.values()].reduce((total, tries) => total + tries, 0);
  return made.size === 0 ? null : { made: sum, fixed: MOST_TRIES * made.size };
}

function answersIn(tries: readonly Try[]): number {
  return tries.filter(({ byHead: { error } }) => error === null).length;
}
