import type { MetricLevel, Rubric } from '../types.ts';
import {
  failure,
  measured,
  missingExpected,
  reaches,
  type Measured,
  type MetricContext,
  type MetricSample,
} from './definition.ts';
import { asText } from './expected.ts';
import { gradeMaterial, type Grade } from './grading/grade.ts';
import type { Materials, Question } from './grading/grader-prompt.ts';
import { materialUsed } from './keywords.ts';
import { messagesAt, transcript, turnsOf } from './levels.ts';

/**
 * Grades every sample by a rubric of the project. Passes at the rubric's highest score, unless the
 * metric has a threshold.
 */
export async function scoreRubric(
  name: string,
  samples: readonly MetricSample[],
  context: MetricContext,
): Promise<Measured[]> {
  const rubric = context.tools.rubrics.get(name);
  if (rubric === undefined) return samples.map(() => failure(`there is no rubric ${name}`));
  const used = materialUsed(rubric.prompt);
  return await Promise.all(
    samples.map(async (sample) => {
      if (used.has('expected') && sample.expected === undefined)
        return missingExpected(context.name);
      if (context.level === 'ToolCall' && sample.completion.tool_calls.length === 0)
        return { status: 'skipped', reason: 'the answer calls no tool' } as const;
      return fromGrade(
        await gradeMaterial(rubric, materialsOf(sample, context.level), context.tools),
        topScore(rubric),
      );
    }),
  );
}

/** A grade as a measurement that passes from `needed` on. The label stands before its reasons. */
export function fromGrade(grade: Grade, needed: number): Measured {
  if (grade.status !== 'graded') return { status: grade.status, reason: grade.reason };
  const { label, reasons, score } = grade;
  return measured(score, reaches(score, needed), reasons === null ? label : `${label}: ${reasons}`);
}

/** The score of a rubric's best label, which passes where no threshold is given. */
export function topScore({ choice_scores }: Question): number {
  return Math.max(...choice_scores.values());
}

/**
 * The text behind every keyword at a level. Turn: earlier messages are the context and this turn
 * the content, each as `role: text` lines without the system prompt. Message: the context has the
 * system prompt, the content no role. Thread: everything but the last message, and the last.
 * ToolCall: as Turn, with the calls as content.
 */
export function materialsOf(sample: MetricSample, level: MetricLevel): Materials {
  const { completion, thread, messages, expected } = sample;
  const dialogue = thread.filter(({ role }) => role !== 'system');
  const calls = completion.tool_calls
    .map(({ name, arguments: given }) => `${name}(${given})`)
    .join('\n');
  const parts = {
    Message: { context: transcript(thread.slice(0, -1)), content: thread.at(-1)?.content ?? '' },
    Thread: { context: transcript(dialogue.slice(0, -1)), content: transcript(dialogue.slice(-1)) },
    Turn: turnParts(sample),
    ToolCall: { ...turnParts(sample), content: calls },
  }[level];
  return {
    ...parts,
    conversation: transcript(dialogue),
    completion: completion.output,
    tool_calls: calls === '' ? '(none)' : calls,
    input: transcript(messages),
    expected:
      expected === undefined
        ? undefined
        : Array.isArray(expected)
          ? expected.map(asText).join('\n')
          : asText(expected),
  };
}

function turnParts(sample: MetricSample): { context: string; content: string } {
  return {
    context: transcript(turnsOf(sample.thread).slice(0, -1).flat()),
    content: transcript(messagesAt(sample, 'Turn')),
  };
}

/**
 * A labelled example of a rubric, as material: its content stands for the answer however the rubric
 * names it.
 */
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
