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
import { withCut } from '../../metrics/passing.ts';
import type { Metric, Score, DependsOn, MetricLevel, Rubric } from '../../types/metric.ts';
import { whyDeclined, type Message } from '../../types/model.ts';
import type { Scoring } from '../select/scoring.ts';
import { gatesByPreference, isPairwise, metricIdentity, metricsFor } from '../suite/metrics.ts';
import type { Reference } from '../suite/suite.ts';
import { inWaves, conditionMetric } from './conditions.ts';
import type { AnsweredTry } from './execute.ts';
import {
  seenAnswer,
  skippedScore,
  type AnswerRow,
  type ScoringTools,
  scorePairs,
  scoreSubjects,
  type Subject,
} from './score-metric.ts';

interface AnswerToScore {
  answer: AnsweredTry;
  reference: Reference;
}

/** Why the model declined to answer, which fails the try. Null if it answered. */
export function noAnswer({ completion, own }: AnsweredTry): string | null {
  return own?.failedElsewhere === true ? null : whyDeclined(completion);
}

export async function scoreAnswers(
  answers: readonly AnswerToScore[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<{ answer: AnsweredTry; scores: Score[] }[]> {
  const all = answers.map((item) => {
    const { answer, reference } = item;
    const isJudged = answer.completion.status === 'ok' && noAnswer(answer) === null;
    const seen = isJudged ? seenAnswer(answer, reference, tools.price) : null;
    return { ...item, row: seen && { answer, seen, scores: new Map<string, Score>() } };
  });
  const judged = all.flatMap(({ reference, row }) => (row === null ? [] : [{ reference, row }]));
  const rows = judged.map(({ row }) => row);
  for (const wave of inWaves(scoring.tests.metrics))
    await Promise.all(
      wave.map((metric) => {
        // Metrics that compare two answers affect the gate only if no other metrics do.
        const isAdvice = isPairwise(metric) && !gatesByPreference(scoring.tests);
        return scoreRows(isAdvice ? { ...metric, skip: true } : metric, rows, scoring, tools);
      }),
    );
  const own = judged.flatMap(({ reference: { metrics = [] }, row }) =>
    metrics.map((metric) => ({ metric, row })),
  );
  await Promise.all(
    [...Map.groupBy(own, ({ metric }) => metricIdentity(metric)).values()].map((equal) => {
      const [first] = equal;
      const of = equal.map(({ row }) => row);
      return first && scoreRows(first.metric, of, scoring, tools);
    }),
  );
  return all.map((item) => ({
    answer: item.answer,
    scores: answerScores(item, item.row, scoring),
  }));
}

function answerScores(
  { answer, reference }: AnswerToScore,
  row: AnswerRow | null,
  { tests }: Scoring,
): Score[] {
  const metrics = metricsFor(tests, reference);
  const reason = noAnswer(answer);
  if (reason !== null) return metrics.map((metric) => failedScore(metric, reason));
  if (row === null || answer.completion.status === 'error') return [];
  const isCut = answer.completion.ended === 'length';
  return metrics.map(({ name }) => {
    const score = row.scores.get(name);
    if (score === undefined) throw new TypeError(`metric "${name}" has no score for an answer`);
    return isCut ? withCut(score) : score;
  });
}

function failedScore(metric: Metric, reason: string): Score {
  const skipped = skippedScore(metric, reason);
  return isPairwise(metric) ? skipped : { ...skipped, status: 'fail', reason };
}

/** First scores the metrics that `metric` depends on. */
async function scoreRows(
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
      const ofAnswer = at === answerAt ? judged : undefined;
      const score =
        judged?.objects === undefined
          ? ofAnswer
          : judged.objects.scores.find((object) => object.at === at);
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
