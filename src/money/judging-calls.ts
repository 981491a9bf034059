import { scoringsOf, type NextTries, type SuiteRun } from '../kernel/plan/suite-run.ts';
import { referenceOn, type AffectedReference } from '../kernel/select/affected-suite.ts';
import { gradersIdentity, type Scoring } from '../kernel/select/scoring.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import {
  comparesEmbeddings,
  embedderFor,
  gradersFor,
  metricsFor,
} from '../kernel/suite/metrics.ts';
import type { Reference } from '../kernel/suite/suite.ts';
import { asksNothing } from '../kernel/suite/template.ts';
import { alternatives } from '../metrics/answer.ts';
import { countObjects } from '../metrics/objects.ts';
import type { Metric } from '../types/metric.ts';
import type { Grader, Message } from '../types/model.ts';

export interface JudgingCalls {
  asked: Grader;
  purpose: 'grader' | 'embedding' | 'moderation' | 'evaluator';
  calls: number;
}

/**
 * Estimates the first round's calls of graders and evaluators. Equal answers share a call, and
 * unreadable replies cause retries.
 */
export function judgingCalls(suites: readonly SuiteRun[], next: NextTries): JudgingCalls[] {
  const graded = new Map<string, JudgingCalls>();
  const add = (purpose: 'grader' | 'evaluator', asked: Grader, calls: number) => {
    const key = `${purpose} ${graderKey(asked)}`;
    graded.set(key, { asked, purpose, calls: calls + (graded.get(key)?.calls ?? 0) });
  };
  const embedded = new Map<string, Omit<JudgingCalls, 'calls'> & { texts: Set<string> }>();
  const judge = (
    scoring: Scoring,
    metric: Metric,
    reference: Reference,
    answers: readonly string[],
  ) => {
    for (const asked of gradersFor(metric, scoring))
      add('grader', asked, questionsOf(metric) * objectsOf(metric, reference) * answers.length);
    const asked = embedderFor(metric, scoring);
    if (asked === null) return;
    const key = graderKey(asked);
    const texts = embedded.get(key)?.texts ?? new Set();
    const purpose = metric.definition?.ownModel === undefined ? 'embedding' : 'moderation';
    embedded.set(key, { asked, purpose, texts });
    const objects = Array.from({ length: objectsOf(metric, reference) }, (_, at) => `object ${at}`);
    const judged = answers.flatMap((answer) => objects.map((object) => `${object} of ${answer}`));
    for (const text of [...judged, ...comparedTexts(metric, reference)]) texts.add(text);
  };
  for (const suite of suites) {
    const scorings = scoringsOf(suite).filter(
      ({ graders, embedder, named }) =>
        graders.length > 0 || embedder !== undefined || named !== undefined,
    );
    const evaluators = evaluatorsOf(suite);
    for (const [index, tries] of scorings.length + evaluators.length === 0 ? [] : next(suite)) {
      const affected = suite.runs[index]?.affected;
      if (affected === undefined) continue;
      const answers = answerNames(affected, tries);
      for (const asked of evaluators) add('evaluator', asked, answers.length);
      for (const scoring of scorings) {
        const reference = referenceOn(affected, scoring.side);
        for (const metric of metricsFor(scoring.tests, reference))
          judge(scoring, metric, reference, answers);
      }
    }
  }
  return [
    ...graded.values(),
    ...[...embedded.values()].map(({ texts, ...each }): JudgingCalls => ({
      ...each,
      calls: texts.size,
    })),
  ];
}

function evaluatorsOf(suite: SuiteRun): Grader[] {
  const answerers = scoringsOf(suite).flatMap(({ answerer }) => answerer ?? []);
  const distinct = new Map(answerers.map((answerer) => [answerer.fingerprint, answerer]));
  return [...distinct.values()].flatMap(({ graders }) => graders);
}

function graderKey(asked: Grader): string {
  return canonicalJson(gradersIdentity([asked]));
}

function answerNames(affected: AffectedReference, tries: number): string[] {
  const asked = [affected.base, affected.head].flatMap((generation) =>
    generation === null || generation.kind === 'impossible' ? [] : [generation.fingerprint],
  );
  return [...new Set(asked)].flatMap((fingerprint) =>
    Array.from({ length: tries }, (_, index) => `answer ${index} ${fingerprint}`),
  );
}

function comparedTexts(metric: Metric, { expected }: Reference): string[] {
  const value =
    comparesEmbeddings(metric) && metric.source.kind === 'built-in'
      ? (metric.source.with['value'] ?? (metric.definition?.expects && expected))
      : undefined;
  return value === undefined ? [] : alternatives(value).map((text) => `expected ${text}`);
}

function objectsOf(metric: Metric, { thread, after = [] }: Reference): number {
  if (metric.every === undefined) return 1;
  const recorded = thread ?? [];
  const messages: Message[] = asksNothing(recorded)
    ? [...recorded, ...after]
    : [...recorded, { role: 'assistant', content: '' }];
  return Math.max(1, countObjects(messages, metric));
}

function questionsOf({ source }: Metric): number {
  const statements = source.kind === 'built-in' ? source.with['statements'] : undefined;
  return Array.isArray(statements) ? statements.length : 1;
}
