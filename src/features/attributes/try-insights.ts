import type { Added, DecidedRun, FeatureTools, PlanningRun } from '../../app/run/feature.ts';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { SuiteSide } from '../../kernel/select/affected-suite.ts';
import { createGeneration, withDependencies } from '../../kernel/select/generation.ts';
import type { Prompt } from '../../kernel/suite/suite.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import { visibleLine } from '../../text/visible.ts';
import { createAsker } from '../../trials/asker.ts';
import { splitFallen } from '../../trials/drafts.ts';
import { hasFallen, retestRate, stableReferences, worstFirst } from '../../trials/fallen.ts';
import { fixGate } from '../../trials/fix-gate.ts';
import { packetOf } from '../../trials/packet.ts';
import { countCalls, experimentCalls, extraTries, type CallCounter } from '../../trials/tries.ts';
import { fileLines, linePlaces } from '../../trials/unit-places.ts';
import type { Grader } from '../../types/model.ts';
import { AUTO_REFERENCES } from './cost.ts';
import { attributesWorstFirst } from './explained-suites.ts';
import { insightText, proposeInsights, type ProposedInsight } from './insight.ts';
import { isExplainable } from './plan.ts';
import { suiteAttributes, type AttributeResult, type Insight } from './result.ts';

/** Default cap of a run: a change is tried twice on every stable reference. */
const MOST_CALLS = 400;

/** Chance of an insight that does not improve on head, over all that are tried. */
const LEVEL = 0.05;

/** Attributes of a run with insights, those that fell most. */
const MOST_ATTRIBUTES = 3;

export interface InsightPlan {
  maxCalls: number | null;
}

/** Null: no insight is possible. */
export function planInsights({
  input: { mode, code, again },
  head,
  suites,
}: PlanningRun<unknown>): FeaturePlan<InsightPlan> | null {
  const { enabled, insight_calls: maxCalls } = head.project.settings.qualeval;
  if (mode !== 'diff' || again !== undefined || enabled === 'off') return null;
  const largest = Math.max(
    0,
    ...suites.filter((suite) => isExplainable(suite, mode)).map(({ compared }) => compared.length),
  );
  const asker = createAsker(head, code)?.asker ?? null;
  const isPossible =
    (asker?.grader ?? null) !== null && (enabled === 'on' || largest >= AUTO_REFERENCES);
  const possible = isPossible ? (maxCalls ?? MOST_CALLS) : 0;
  return {
    own: { maxCalls },
    certain: [],
    possible,
    usual: Math.min(possible, usualCalls(largest)),
    asker,
    tested: 0,
    problems: [],
    notices: [],
  };
}

/** One question, ten tries of what fell, and two of every other reference. */
function usualCalls(references: number): number {
  return 11 + 2 * references;
}

/** Fallen references that the model sees: of the attribute, and others. */
const SHOWN = { inside: 4, outside: 2 };

type Suite = DecidedRun['suites'][number];

interface Trial extends Suite {
  attribute: AttributeResult;
}

/**
 * Asks for insights about regressed attributes and tries their changes. An insight is shown if its
 * change passes the gate of fixes. Nothing is asked for an outside contributor.
 */
export async function tryInsights(
  { own: { maxCalls }, asker }: FeaturePlan<InsightPlan>,
  run: DecidedRun,
  tools: FeatureTools,
): Promise<Added> {
  const grader = asker?.grader ?? null;
  const trials = regressedAttributes(run).slice(0, MOST_ATTRIBUTES);
  if (grader === null || run.trust === 'untrusted' || tools.spent.halted() !== null)
    return { parts: {}, notices: [] };
  const all: (Found & Pick<Insight, 'path' | 'suite' | 'variant'>)[] = [];
  let room = maxCalls ?? experimentCalls(run.calls, MOST_CALLS);
  for (const [index, trial] of trials.entries()) {
    const share = Math.ceil(room / (trials.length - index));
    const counter = countCalls(tools.spent.complete, share, 'qualeval.insight_calls');
    const bench = { grader, counter, level: LEVEL / trials.length };
    const { path, suite, variant } = trial.attribute;
    if (share > 0)
      all.push({ path, suite, variant, ...(await insightOf(trial, bench, run, tools)) });
    room -= counter.made();
  }
  return added(all);
}

function added(all: readonly (Found & Pick<Insight, 'path' | 'suite' | 'variant'>)[]): Added {
  const dropped = all.flatMap(({ insight: _, faults, ...of }) =>
    faults.length === 0 ? [] : [{ ...of, count: faults.length }],
  );
  return {
    parts: {
      insights: all.flatMap(({ insight, faults: _, ...of }) =>
        insight === null ? [] : [{ ...of, ...insight }],
      ),
      ...(dropped.length === 0 ? {} : { dropped_insights: dropped }),
    },
    notices: all.flatMap(({ path, faults }) =>
      faults.map((fault) => ({ kind: 'qualeval', message: `${path}: ${fault}`, place: null })),
    ),
  };
}

function regressedAttributes({ suites, parts }: DecidedRun): Trial[] {
  const found = suites
    .filter(({ result }) => hasFallen(result))
    .flatMap((suite) =>
      suiteAttributes(suite.result, parts.attributes ?? [])
        .filter(({ verdict }) => verdict === 'regressed')
        .map((attribute) => ({ ...suite, attribute })),
    );
  const order = attributesWorstFirst(found.map(({ attribute }) => attribute));
  return found.sort((a, b) => order.indexOf(a.attribute) - order.indexOf(b.attribute));
}

interface Bench {
  grader: Grader;
  counter: CallCounter;
  level: number;
}

interface Found {
  insight: Omit<Insight, 'path' | 'suite' | 'variant'> | null;
  faults: string[];
}

/** The first proposal that passes. */
async function insightOf(
  trial: Trial,
  { grader, counter, level }: Bench,
  run: DecidedRun,
  tools: FeatureTools,
): Promise<Found> {
  const { comparison, result, attribute } = trial;
  const { head } = comparison.run.suite;
  const worse = worstFirst(result);
  const inside = worse.filter(({ id }) => attribute.references.includes(id));
  const stable = stableReferences(result);
  const prompt = head?.suite.prompt;
  const isTryable = prompt !== undefined && prompt.code === null && prompt.made === undefined;
  if (head === null || !isTryable || inside.length === 0 || stable.length === 0)
    return { insight: null, faults: [] };
  const { shown, withheld } = splitFallen(inside);
  const outside = worse.filter((reference) => !inside.includes(reference));
  const fell = [...shown.slice(0, SHOWN.inside), ...outside.slice(0, SHOWN.outside)];
  const { suite } = comparison.run;
  const packet = packetOf({ suite, groups: run.groups(result), fell, stable });
  const { evaluate, checkSchema, random, scoreMetric } = tools;
  const asking = { grader, complete: counter.complete, random };
  const { insights, faults } = await proposeInsights(attribute, packet, prompt.messages, asking);
  const bench = { head, references: [...inside, ...stable], withheld, shown, stable };
  const ids = bench.references.map(({ id }) => id);
  const making = { evaluate, checkSchema, random, scoreMetric, price: run.price };
  const trying = {
    make: extraTries(comparison.run, ids, { ...making, complete: counter.complete }),
    retestRate: retestRate(result),
    level: level / insights.length,
  };
  for (const proposed of insights) {
    const found = await gateOf(proposed, bench, trying);
    if (typeof found === 'object') {
      const { restores: recovers, costs } = found;
      const gain = { recovers, stable: costs.of };
      return {
        insight: {
          text: insightText(attribute, { why: proposed.why, ...gain }),
          attributes: [attribute.id],
          references: inside.map(({ id }) => id),
          change: await changeIn(prompt.messages, proposed, tools),
          ...gain,
        },
        faults,
      };
    }
    faults.push(
      found === 'unjudged'
        ? `an insight could not be tried: ${counter.ended() ?? 'some tries were not judged'}`
        : 'an insight was dropped: its change does not recover what fell, or breaks another test',
    );
  }
  return { insight: null, faults };
}

interface GateBench extends ReturnType<typeof splitFallen<ReferenceResult>> {
  head: SuiteSide;
  references: readonly ReferenceResult[];
  stable: readonly ReferenceResult[];
}

function gateOf(
  { messages, change }: ProposedInsight,
  { head, references, withheld, shown, stable }: GateBench,
  {
    make,
    retestRate: rate,
    level,
  }: Pick<Parameters<typeof fixGate>[1], 'make' | 'retestRate'> & { level: number },
): ReturnType<typeof fixGate> {
  const { suite, variant } = head;
  const prompt = { ...suite.prompt, messages };
  const numbersOf = (of: readonly ReferenceResult[]): number[] =>
    of.map((reference) => references.indexOf(reference));
  return fixGate(
    {
      prompt: `insight ${change.becomes}`,
      generation: ({ reference }) =>
        withDependencies(createGeneration(prompt, variant, reference), suite.tests, reference),
      isNew: true,
    },
    {
      references,
      fell: numbersOf(withheld),
      shown: shown === withheld ? [] : numbersOf(shown),
      stable: numbersOf(stable),
      retestRate: rate,
      make,
    },
    level,
  );
}

/** Where the changed line is in head's file. */
async function changeIn(
  messages: Prompt['messages'],
  { change: { message, line, was, becomes } }: ProposedInsight,
  { sources }: FeatureTools,
): Promise<Insight['change']> {
  const { place, content } = messages[message] ?? {};
  if (place === undefined || content === undefined) throw new TypeError('a message has a place');
  const lines = await fileLines(sources?.head ?? null, place.file);
  const found = linePlaces(lines, place.line, content)[line]?.from ?? 0;
  return {
    file: place.file,
    line: found > 0 ? found : place.line,
    was: visibleLine(was),
    becomes: visibleLine(becomes),
  };
}
