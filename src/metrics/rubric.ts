import { filesText, madeCalls, textOf } from '../types/answer.ts';
import { filesIn } from '../types/media.ts';
import type { Metric, MetricLevel, Rubric } from '../types/metric.ts';
import type { Message } from '../types/model.ts';
import { jsonText, type Json } from '../types/plain.ts';
import { callsAt, messagesAt, type MetricAnswer } from './answer.ts';
import {
  measureError,
  measurement,
  missingExpected,
  reaches,
  type Measurement,
  type MetricContext,
} from './definition.ts';
import { flexEvalRubrics } from './flexeval/rubrics.ts';
import { gradeMaterial, type Grade } from './grade.ts';
import type { Materials } from './grader-prompt.ts';
import { materialUsed } from './keywords.ts';
import { passingLabels } from './passing.ts';
import { callsAmong, transcript, turnsOf } from './transcript.ts';

export const builtInRubrics: ReadonlyMap<string, Rubric> = new Map(
  Object.entries(flexEvalRubrics).map(([name, { choice_scores, ...own }]): [string, Rubric] => [
    name,
    {
      ...own,
      name,
      choice_scores: new Map(Object.entries(choice_scores)),
      eval_type: 'cot_classify',
      examples: [],
      place: { file: `the built-in rubric ${name}`, line: 0 },
    },
  ]),
);

/**
 * If neither the metric nor the rubric says which labels pass, all labels pass, and the metric does
 * not affect the verdict.
 */
export async function scoreRubric(
  name: string,
  metric: Metric,
  answers: readonly MetricAnswer[],
  context: MetricContext,
): Promise<Measurement[]> {
  const rubric = context.tools.rubrics.get(name);
  if (rubric === undefined) return answers.map(() => measureError(`there is no rubric ${name}`));
  const used = materialUsed(rubric.prompt);
  const passing = passingLabels(rubric, metric);
  return await Promise.all(
    answers.map(async (answer) => {
      if (used.has('expected') && answer.expected === undefined)
        return missingExpected(context.name);
      if (context.level === 'ToolCall' && madeCalls(answer.completion).length === 0)
        return { status: 'skipped', reason: 'the answer calls no tool' } as const;
      const grade = await gradeMaterial(rubric, materialsOf(answer, context.level), context.tools);
      const found = fromGrade(grade, 0);
      if (grade.status !== 'graded' || found.status !== 'measured') return found;
      return { ...found, pass: passing?.has(grade.label) ?? true, label: grade.label };
    }),
  );
}

export function fromGrade(grade: Grade, needed: number): Measurement {
  const kept = grade.record && { grade: grade.record };
  if (grade.status !== 'graded') return { status: grade.status, reason: grade.reason, ...kept };
  const { label, reasons, score } = grade;
  return {
    ...measurement(
      score,
      reaches(score, needed),
      reasons === null ? label : `${label}: ${reasons}`,
    ),
    ...kept,
  };
}

/** As in FlexEval, the context of a single message includes the system prompt. */
export function materialsOf(answer: MetricAnswer, level: MetricLevel): Materials {
  const { completion, thread, messages, expected } = answer;
  const dialogue = thread.filter(({ role }) => role !== 'system');
  const calls = callsAt(answer, level)
    .map(({ name, arguments: given }) => `${name}(${given})`)
    .join('\n');
  const parts = {
    Message: { context: transcript(thread.slice(0, -1)), content: lastText(thread) },
    Thread: { context: transcript(dialogue.slice(0, -1)), content: transcript(dialogue.slice(-1)) },
    Turn: turnParts(answer),
    ToolCall: { ...turnParts(answer), content: calls },
  }[level];
  const changes = filesText(completion);
  return {
    ...parts,
    ...(level !== 'ToolCall' && { content: `${parts.content}${changes}` }),
    conversation: `${transcript(dialogue)}${changes}`,
    completion: `${textOf(completion)}${changes}`,
    tool_calls: calls === '' ? '(none)' : calls,
    input: transcript(messages),
    files: filesIn(thread),
    expected: expected === undefined ? undefined : idealText(expected),
  };
}

function lastText(thread: readonly Message[]): string {
  const last = thread.slice(-1);
  return callsAmong(last).length > 0 ? transcript(last) : (last[0]?.content ?? '');
}

export function idealText(expected: Json): string {
  return Array.isArray(expected) ? expected.map(jsonText).join('\n') : jsonText(expected);
}

function turnParts(answer: MetricAnswer) {
  return {
    context: transcript(turnsOf(answer.thread).slice(0, -1).flat()),
    content: transcript(messagesAt(answer, 'Turn')),
  };
}

export function exampleMaterials({
  content,
  context,
  ideal,
}: Rubric['examples'][number]): Materials {
  const conversation = context === null ? content : `${context}\n${content}`;
  return {
    conversation,
    content,
    completion: content,
    context: context ?? '',
    input: context ?? '',
    tool_calls: '(none)',
    expected: ideal ?? undefined,
  };
}
