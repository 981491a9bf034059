import type { Grader, Metric, Reference, Side } from '../../types.ts';
import { alternatives } from '../../metrics/expected.ts';
import { canonicalJson } from '../fingerprint/canonical.ts';
import { comparesEmbeddings, embedderFor, gradersFor } from '../fingerprint/metric-models.ts';
import { gradersIdentity, type Yardstick } from '../fingerprint/yardstick.ts';
import type { Case } from '../select/affected.ts';
import { metricsFor } from '../trial/own-metrics.ts';
import type { LaneRun, NextTries } from '../trial/rounds.ts';

/** Calls that one model is asked for to judge the first round of tries. */
export interface JudgingCalls {
  asked: Grader;
  purpose: 'grader' | 'embedding';
  calls: number;
}

/**
 * Counts them by model, before anything is asked: fewer where answers repeat, more where a reply
 * has to be asked for again.
 */
export function judgingCalls(lanes: readonly LaneRun[], next: NextTries): JudgingCalls[] {
  const graded = new Map<string, JudgingCalls>();
  const embedded = new Map<string, { asked: Grader; texts: Set<string> }>();
  const judge = (
    yardstick: Yardstick,
    metric: Metric,
    reference: Reference,
    answers: readonly string[],
  ): void => {
    for (const asked of gradersFor(metric, yardstick)) {
      const key = identity(asked);
      const calls = graded.get(key)?.calls ?? 0;
      graded.set(key, {
        asked,
        purpose: 'grader',
        calls: calls + questionsOf(metric) * answers.length,
      });
    }
    const asked = embedderFor(metric, yardstick);
    if (asked === null) return;
    const key = identity(asked);
    const texts = embedded.get(key)?.texts ?? new Set();
    embedded.set(key, { asked, texts });
    for (const text of [...answers, ...comparedTexts(metric, reference)]) texts.add(text);
  };
  for (const lane of lanes) {
    const yardsticks = [lane.deciding, ...(lane.other === null ? [] : [lane.other])].filter(
      asksModels,
    );
    for (const [index, tries] of yardsticks.length === 0 ? [] : next(lane)) {
      const one = lane.runs[index]?.case;
      if (one === undefined) continue;
      const answers = answersOf(one, tries);
      for (const yardstick of yardsticks) {
        const reference = referenceOf(one, yardstick.side);
        for (const metric of metricsFor(yardstick.tests, reference))
          judge(yardstick, metric, reference, answers);
      }
    }
  }
  return [
    ...graded.values(),
    ...[...embedded.values()].map(({ asked, texts }): JudgingCalls => ({
      asked,
      purpose: 'embedding',
      calls: texts.size,
    })),
  ];
}

function asksModels({ graders, embedder, named }: Yardstick): boolean {
  return graders.length > 0 || embedder !== undefined || named !== undefined;
}

function identity(asked: Grader): string {
  return canonicalJson(gradersIdentity([asked]));
}

/** The different answers of a case, each under a name that no other text has. */
function answersOf({ base, head }: Case, tries: number): string[] {
  const different = new Set(
    [base, head].flatMap((one) =>
      one === null || one.kind === 'impossible' ? [] : [one.fingerprint],
    ),
  );
  return [...different].flatMap((fingerprint) =>
    Array.from({ length: tries }, (_, attempt) => `answer ${String(attempt)} ${fingerprint}`),
  );
}

function referenceOf({ reference, baseReference }: Case, side: Side): Reference {
  return side === 'base' ? (baseReference ?? reference) : reference;
}

/** What the answers are compared with, which is asked for once however many answers there are. */
function comparedTexts(metric: Metric, { expected }: Reference): string[] {
  const value =
    comparesEmbeddings(metric) && metric.source.kind === 'built-in'
      ? (metric.source.with['value'] ?? expected)
      : undefined;
  return value === undefined ? [] : alternatives(value).map((text) => `expected ${text}`);
}

/** A checklist asks about each statement on its own. */
function questionsOf({ source }: Metric): number {
  const statements = source.kind === 'built-in' ? source.with['statements'] : undefined;
  return Array.isArray(statements) ? statements.length : 1;
}
