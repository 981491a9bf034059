import type { MetricAnswer } from '../../metrics/answer.ts';
import { materialUsed } from '../../metrics/keywords.ts';
import {
  OBJECT_WORDS,
  countObjects,
  dialogueObjects,
  scoreOfObjects,
  type DialogueObject,
} from '../../metrics/objects.ts';
import type { DependsOn, Metric, MetricLevel, ObjectScore, Score } from '../../types/metric.ts';
import type { Message } from '../../types/model.ts';
import type { Scoring } from '../select/scoring.ts';
import { isPairwise } from '../suite/metrics.ts';
import { conditionMetric, unmetReason } from './conditions.ts';
import type { ScoringItem } from './execute.ts';
import {
  metricAnswer,
  scoreAnswers,
  scoreFor,
  scorePairs,
  type ScoringTools,
} from './score-metric.ts';

export interface AnswerRow {
  item: ScoringItem;
  scores: Map<string, Score>;
  objects: Map<MetricLevel, DialogueObject[]>;
}

interface ObjectToScore {
  row: AnswerRow;
  at: number;
  object: DialogueObject;
  /** The key for score lookups; a copy of the row's own item. */
  item: ScoringItem;
}

export async function scoreRows(
  metric: Metric,
  rows: readonly AnswerRow[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<void> {
  const parts = rows.map((row) => ({ row, own: objectsToScore(metric, row, scoring, tools) }));
  const all = parts.flatMap(({ own }) => own);
  const reasons = await unmetConditions(metric, all, scoring, tools);
  const open = all.filter((part) => !reasons.has(part));
  const objects = new Map(open.map(({ item, object }) => [item, object.answer]));
  const score = (some: readonly ScoringItem[]): Promise<Map<ScoringItem, Score>> =>
    scoreAnswers(
      metric,
      some,
      (item) => objects.get(item) ?? metricAnswer(item, tools.price),
      scoring,
      tools,
    );
  const items = open.map(({ item }) => item);
  const scores = await (isPairwise(metric) ? scorePairs(metric, items, score) : score(items));
  const scoreOf = (part: ObjectToScore): Score => {
    const reason = reasons.get(part);
    return reason === undefined
      ? scoreFor(scores, part.item, metric.name)
      : { metric: metric.name, status: 'skipped', value: null, reason, skip: metric.skip };
  };
  for (const { row, own } of parts) {
    const scored = own.map((part) => ({ at: part.at, score: scoreOf(part) }));
    const [only] = scored;
    row.scores.set(
      metric.name,
      metric.every === undefined && only !== undefined
        ? only.score
        : scoreOfObjects(metric, scored.map(objectScore)),
    );
  }
}

function objectScore({ at, score }: { at: number; score: Score }): ObjectScore {
  const { status, value, reason } = score;
  const label = 'label' in score ? score.label : undefined;
  return {
    at,
    status,
    value,
    reason,
    ...('raised' in score ? { raised: true } : {}),
    ...(label === undefined ? {} : { label }),
    ...(score.grade === undefined ? {} : { grade: score.grade }),
  };
}

function objectsToScore(
  { source, level, every }: Metric,
  row: AnswerRow,
  { rubrics }: Scoring,
  { price }: ScoringTools,
): ObjectToScore[] {
  const rubric = source.kind === 'rubric' ? rubrics.get(source.rubric) : undefined;
  const ofAnswer =
    (every === undefined && level !== 'Thread') ||
    materialUsed(rubric?.prompt ?? '').has('completion');
  const answer = metricAnswer(row.item, price);
  const whole = { message: countObjects(answer.thread, 'Message') - 1, answer };
  const parts = ofAnswer
    ? [{ at: Math.max(0, countObjects(answer.thread, level) - 1), object: whole }]
    : objectsIn(row, level, price).map((object, at) => ({ at, object }));
  return parts.map((part) => ({ ...part, row, item: { ...row.item } }));
}

async function unmetConditions(
  { depends_on: conditions, level }: Metric,
  parts: readonly ObjectToScore[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<Map<ObjectToScore, string>> {
  const reasons = new Map<ObjectToScore, string>();
  for (const condition of conditions) {
    const dependency = conditionMetric(condition, scoring.tests.metrics);
    const open = parts.filter((part) => !reasons.has(part));
    const found =
      dependency === null
        ? new Map<ObjectToScore, Looked>()
        : await scoresOn(dependency, level, condition, open, scoring, tools);
    for (const part of open) {
      const looked = found.get(part);
      const reason =
        looked === 'none'
          ? `depends on ${condition.name} of an earlier ` +
            `${OBJECT_WORDS[dependency?.level ?? level]}, and there is none`
          : unmetReason(condition, looked);
      if (reason !== null) reasons.set(part, reason);
    }
  }
  return reasons;
}

type Looked = Pick<Score, 'value'> | 'none';

/** Finds the object that contains a part, or an earlier one. Computes missing scores. */
async function scoresOn(
  dependency: Metric,
  level: Metric['level'],
  { relative_object_position: step }: DependsOn,
  parts: readonly ObjectToScore[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<Map<ObjectToScore, Looked>> {
  const found = new Map<ObjectToScore, Looked>();
  const wanted = new Map<ObjectToScore, MetricAnswer>();
  for (const part of parts) {
    const all = objectsIn(part.row, dependency.level, tools.price);
    const { thread } = metricAnswer(part.row.item, tools.price);
    const at = positionOf(part, level, dependency.level, all, thread) + step;
    const there = part.row.scores.get(dependency.name);
    const judged = judgedAt(there, at, countObjects(thread, dependency.level) - 1);
    const object = all[at];
    if (judged !== undefined) found.set(part, judged);
    else if (object !== undefined) wanted.set(part, object.answer);
    else found.set(part, step === 0 && there !== undefined ? there : 'none');
  }
  const items = [...wanted.keys()].map(({ item }) => item);
  const answers = new Map([...wanted].map(([{ item }, answer]) => [item, answer]));
  const scores = await scoreAnswers(
    dependency,
    items,
    (item) => answers.get(item) ?? metricAnswer(item, tools.price),
    scoring,
    tools,
  );
  for (const part of wanted.keys()) found.set(part, scoreFor(scores, part.item, dependency.name));
  return found;
}

/** −1: no object contains the part. In a dialogue, `thread` ends with that answer. */
function positionOf(
  { at, object }: ObjectToScore,
  level: MetricLevel,
  wanted: MetricLevel,
  all: readonly DialogueObject[],
  thread: readonly Message[],
): number {
  if (level === 'ToolCall' && wanted === 'ToolCall') return at;
  const own = level === 'Thread' ? countObjects(thread, 'Message') - 1 : object.message;
  return all.findIndex(({ message }) => message >= own);
}

/** undefined: not judged there. Without objects it is the answer's score. */
function judgedAt(
  score: Score | undefined,
  at: number,
  answerAt: number,
): Pick<Score, 'value'> | undefined {
  if (score?.objects !== undefined) return score.objects.scores.find((object) => object.at === at);
  return at === answerAt ? score : undefined;
}

function objectsIn(
  row: AnswerRow,
  level: MetricLevel,
  price: ScoringTools['price'],
): readonly DialogueObject[] {
  const known = row.objects.get(level) ?? dialogueObjects(metricAnswer(row.item, price), level);
  row.objects.set(level, known);
  return known;
}
