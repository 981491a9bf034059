import { unmetReason } from '../../metrics/conditions.ts';
import { materialUsed } from '../../metrics/keywords.ts';
import {
  OBJECT_WORDS,
  countObjects,
  dialogueObjects,
  objectScore,
  readsExpected,
  scoreOfObjects,
  type JudgedObjects,
} from '../../metrics/objects.ts';
import type { DependsOn, Metric, MetricLevel, Rubric, Score } from '../../types/metric.ts';
import type { Message } from '../../types/model.ts';
import type { Scoring } from '../select/scoring.ts';
import { isPairwise } from '../suite/metrics.ts';
import { conditionMetric } from './conditions.ts';
import {
  scorePairs,
  scoreSubjects,
  skippedScore,
  type AnswerRow,
  type ScoringTools,
  type Subject,
} from './score-metric.ts';

/** First scores the metrics that `metric` depends on. */
export async function scoreRows(
  metric: Metric,
  rows: readonly AnswerRow[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<void> {
  const subjects = new Map(rows.map((row) => [row, subjectsOf(metric, row, scoring)]));
  const all = [...subjects.values()].flat();
  const reasons = await unmetConditions(metric, all, scoring, tools);
  const open = all.filter((subject) => !reasons.has(subject));
  const scores = await (isPairwise(metric) ? scorePairs : scoreSubjects)(
    metric,
    open,
    scoring,
    tools,
  );
  const scoreOf = (subject: Subject): Score => {
    const reason = reasons.get(subject);
    return reason === undefined ? scoreFor(scores, subject, metric) : skippedScore(metric, reason);
  };
  for (const [row, own] of subjects) {
    const [only] = own;
    row.scores.set(
      metric.name,
      metric.every === undefined && only !== undefined
        ? scoreOf(only)
        : scoreOfObjects(
            metric,
            own.map((subject) => objectScore(subject.at, scoreOf(subject), subject.seen)),
          ),
    );
  }
}

function scoreFor(scores: ReadonlyMap<Subject, Score>, subject: Subject, { name }: Metric): Score {
  const score = scores.get(subject);
  if (score === undefined) throw new TypeError(`metric "${name}" has no score for an answer`);
  return score;
}

function subjectsOf(metric: Metric, row: AnswerRow, { rubrics }: Scoring): Subject[] {
  const { source, level, every, of } = metric;
  const { seen } = row;
  const rubric = source.kind === 'rubric' ? rubrics.get(source.rubric) : undefined;
  const last = countMessages(seen.thread) - 1;
  const judgesAnswer = of !== 'user' && materialUsed(rubric?.prompt ?? '').has('completion');
  const isOne = judgesAnswer || (every === undefined && level !== 'Thread');
  if (isOne && (of === undefined || level === 'ToolCall'))
    return [{ row, at: Math.max(0, countObjects(seen.thread, metric) - 1), message: last, seen }];
  const all = objectsIn(row, metric);
  if (isOne) return all.filter((each) => countMessages(each.seen.messages) <= last).slice(-1);
  return isCompared(metric, seen, rubric)
    ? all.filter((each) => each.seen.expected !== undefined)
    : all;
}

function isCompared(metric: Metric, { turns }: AnswerRow['seen'], rubric?: Rubric): boolean {
  return turns !== undefined && readsExpected(metric, rubric);
}

function countMessages(thread: readonly Message[]): number {
  return countObjects(thread, { level: 'Message', of: 'both' });
}

function objectsIn(row: AnswerRow, judged: JudgedObjects): Subject[] {
  return dialogueObjects(row.seen, judged).map(({ message, answer }, at) => ({
    row,
    at,
    message,
    seen: answer,
  }));
}

async function unmetConditions(
  metric: Metric,
  subjects: readonly Subject[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<Map<Subject, string>> {
  const { depends_on: conditions, level } = metric;
  const reasons = new Map<Subject, string>();
  for (const condition of conditions) {
    const dependency = conditionMetric(condition, scoring.tests.metrics);
    const open = subjects.filter((subject) => !reasons.has(subject));
    const found =
      dependency === null
        ? new Map<Subject, ConditionScore>()
        : await scoresOn(dependency, metric, condition, open, scoring, tools);
    for (const subject of open) {
      const score = found.get(subject);
      const reason =
        score === 'none'
          ? `depends on ${condition.name} of an earlier ` +
            `${OBJECT_WORDS[dependency?.level ?? level]}, which does not exist`
          : unmetReason(condition, score);
      if (reason !== null) reasons.set(subject, reason);
    }
  }
  return reasons;
}

/** `none`: the part of the dialogue that the condition refers to does not exist. */
type ConditionScore = Pick<Score, 'value'> | 'none';

/**
 * Finds the score of the part (such as a turn) that contains the subject, or of the part `step`
 * places away.
 */
async function scoresOn(
  dependency: Metric,
  { level }: Metric,
  { relative_object_position: step }: DependsOn,
  subjects: readonly Subject[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<Map<Subject, ConditionScore>> {
  const found = new Map<Subject, ConditionScore>();
  const missing = new Map<Subject, Subject>();
  for (const [row, own] of Map.groupBy(subjects, (subject) => subject.row)) {
    const { thread } = row.seen;
    const all = objectsIn(row, dependency);
    const judged = row.scores.get(dependency.name);
    const answerAt = countObjects(thread, dependency) - 1;
    for (const subject of own) {
      const at = positionOf(subject, level, dependency, all) + step;
      const score = judgedAt(judged, at, answerAt);
      const object = all[at];
      if (score !== undefined) found.set(subject, score);
      else if (object !== undefined) missing.set(subject, object);
      else found.set(subject, step === 0 && judged !== undefined ? judged : 'none');
    }
  }
  const scores = await scoreSubjects(dependency, [...new Set(missing.values())], scoring, tools);
  for (const [subject, object] of missing) found.set(subject, scoreFor(scores, object, dependency));
  return found;
}

/** If no part contains the subject, returns the position after the last part before it. */
function positionOf(
  { at, message, row }: Subject,
  level: MetricLevel,
  { level: wanted }: JudgedObjects,
  all: readonly Subject[],
): number {
  if (level === 'ToolCall' && wanted === 'ToolCall') return at;
  const last = level === 'Thread' ? countMessages(row.seen.thread) - 1 : message;
  const found = all.findIndex((object) => object.message >= last);
  return found === -1 ? all.length : found;
}

function judgedAt(
  score: Score | undefined,
  at: number,
  answerAt: number,
): Pick<Score, 'value'> | undefined {
  if (score?.objects !== undefined) return score.objects.scores.find((object) => object.at === at);
  return at === answerAt ? score : undefined;
}
