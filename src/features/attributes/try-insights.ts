import type { Added, DecidedRun, FeatureTools } from '../../app/run/feature.ts';
import type { SuiteRow } from '../../kernel/judge/suite-row.ts';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { PlannedFeature } from '../../money/feature-plan.ts';
import { splitFallen } from '../../trials/drafts.ts';
import { hasFallen, retestRate, stableReferences, worstFirst } from '../../trials/fallen.ts';
import { headFiles } from '../../trials/fix-edit.ts';
import { provenFix } from '../../trials/fix.ts';
import { packetOf } from '../../trials/packet.ts';
import { isWritten, proposedFixes } from '../../trials/proposals.ts';
import { countCalls, experimentCalls, extraTries, type CallCounter } from '../../trials/tries.ts';
import type { Grader } from '../../types/model.ts';
import { MOST_INSIGHT_CALLS } from './cost.ts';
import { insightQuestion } from './insight.ts';
import type { ExplainOwn } from './plan.ts';
import { suiteAttributes, type AttributeResult, type Insight } from './result.ts';

/** Probability that a run accepts a change that does not help. */
const INSIGHT_LEVEL = 0.05;

/** Only the largest drops get insights (proposed prompt changes). */
const MOST_ATTRIBUTES = 3;

/**
 * Number of regressed references that the model sees: with the attribute (`inside`) and without it.
 */
const MOST_SHOWN = { inside: 4, outside: 2 };

type Trial = SuiteRow & { attribute: AttributeResult };

/**
 * Shows only changes that pass a trial, and why there is none. Makes no calls for outside
 * contributors.
 */
export async function tryInsights(
  { own, asker }: PlannedFeature<ExplainOwn>,
  run: DecidedRun,
  tools: FeatureTools,
): Promise<Partial<Added>> {
  const grader = asker?.grader ?? null;
  const maxCalls = own?.settings.insight_calls ?? null;
  const isAsked = grader !== null && maxCalls !== 0 && run.mode === 'diff';
  if (own === null || !isAsked) return {};
  const insights: Insight[] = [];
  const trials = triedAttributes(run);
  let room = maxCalls ?? experimentCalls(run.calls, MOST_INSIGHT_CALLS);
  for (const [index, trial] of trials.entries()) {
    const share = Math.ceil(room / (trials.length - index));
    const counter = countCalls(tools.spent.complete, share, 'qualeval.insight_calls');
    const bench = { grader, counter, level: INSIGHT_LEVEL / trials.length };
    const untried = whyUntried(run, tools, share);
    const found =
      untried === null
        ? await insightOf(trial, bench, run, tools)
        : { references: fallenWith(trial).map(({ id }) => id), fix: null, no_fix: untried };
    room -= counter.made();
    const { path, suite, variant, id } = trial.attribute;
    insights.push({ path, suite, variant, attribute: id, ...found });
  }
  return { parts: { insights } };
}

function whyUntried(
  { emptyResult: { trust } }: DecidedRun,
  { spent }: FeatureTools,
  calls: number,
): string | null {
  if (trust === 'untrusted') return 'changes of an outside contributor are not tried';
  const halted = spent.halted();
  if (halted !== null) return halted.why;
  return calls === 0 ? 'no calls are left for it (qualeval.insight_calls)' : null;
}

function triedAttributes({ rows, parts }: DecidedRun): Trial[] {
  return rows
    .filter(({ result }) => hasFallen(result))
    .flatMap((suite) =>
      suiteAttributes(suite.result, parts.attributes ?? []).flatMap((attribute) =>
        attribute.verdict === 'regressed' ? [{ ...suite, attribute }] : [],
      ),
    )
    .sort((a, b) => (a.attribute.difference ?? 0) - (b.attribute.difference ?? 0))
    .slice(0, MOST_ATTRIBUTES);
}

async function insightOf(
  { comparison, result, attribute }: Trial,
  { grader, counter, level }: { grader: Grader; counter: CallCounter; level: number },
  run: DecidedRun,
  tools: FeatureTools,
): Promise<Pick<Insight, 'references' | 'fix' | 'no_fix'>> {
  const { suite } = comparison.run;
  const { head: side } = suite;
  const inside = fallenWith({ result, attribute });
  const outside = worstFirst(result).filter((reference) => !inside.includes(reference));
  const stable = stableReferences(result);
  const fallen = inside.map(({ id }) => id);
  const none = (no_fix: string) => ({ references: fallen, fix: null, no_fix });
  if (!isWritten(side))
    return none('code makes this prompt, and only written messages can be changed');
  if (inside.length === 0) return none('none of its tests broke beyond chance');
  if (stable.length === 0)
    return none('no other test passes on both sides, which a change could break');
  const { shown } = splitFallen(inside);
  const fell = [...shown.slice(0, MOST_SHOWN.inside), ...outside.slice(0, MOST_SHOWN.outside)];
  const packet = packetOf({ suite, groups: run.groups(result), fell, stable });
  const { complete } = counter;
  const asking = { grader, complete, random: tools.random };
  const prompt = { side, files: headFiles(side.suite.prompt, tools) };
  const question = insightQuestion(attribute);
  const { candidates, why } = await proposedFixes(question, packet, prompt, asking);
  const references = [...inside, ...stable];
  const ids = references.map(({ id }) => id);
  const trial = {
    ...{ references, fell: inside, stable, ended: counter.ended },
    retestRate: retestRate(result),
    make: extraTries(comparison.run, ids, { ...tools, complete, price: run.price }),
  };
  if (candidates.length === 0) return none(why);
  const { fix = null, ...unfixed } = await provenFix(candidates, trial, level);
  return { references: fallen, fix, ...unfixed };
}

function fallenWith({ result, attribute }: Pick<Trial, 'result' | 'attribute'>): ReferenceResult[] {
  return worstFirst(result).filter(({ id }) => attribute.references.includes(id));
}
