import type { Completion, Grader, Request } from '../../types.ts';
import type { MetricTools } from '../definition.ts';
import { excerpt } from '../expected.ts';
import {
  askAgain,
  graderPrompt,
  type GraderPrompt,
  type Materials,
  type Question,
} from './grader-prompt.ts';
import { readReply } from './reply.ts';
import { majority } from './vote.ts';

/** A grader's word on one piece of material. */
export type Grade =
  | { status: 'graded'; label: string; score: number; reasons: string | null }
  | { status: 'ungraded' | 'error'; reason: string };

export type GraderTools = Pick<MetricTools, 'complete' | 'graders' | 'random' | 'try'>;

/** More material than this is not sent to a grader, in characters. */
const MAX_MATERIAL = 1_048_576;

/**
 * Asks every grader once, and once more when its reply gives no single label; of several the
 * majority's label counts. A second unreadable reply, or votes without a majority, are `ungraded`,
 * a failed call or a missing grader `error`; none of these is ever a pass, a fail or a number.
 */
export async function gradeMaterial(
  question: Question,
  materials: Materials,
  tools: GraderTools,
): Promise<Grade> {
  const size = Object.values(materials).reduce((sum, text) => sum + (text?.length ?? 0), 0);
  if (size > MAX_MATERIAL)
    return { status: 'error', reason: 'the material is too long for a grader (over 1 MiB)' };
  const { graders } = tools;
  if (graders.length === 0)
    return {
      status: 'error',
      reason: 'the grader failed: none is set; add grader: { model: … } to the settings',
    };
  const prompt = graderPrompt(question, materials, tools.random);
  const votes = await Promise.all(
    graders.map(async (grader) => ({
      grader: grader.target.model,
      grade: await askGrader(question, prompt, grader, tools),
    })),
  );
  return majority(votes);
}

async function askGrader(
  question: Question,
  prompt: GraderPrompt,
  grader: Grader,
  tools: GraderTools,
): Promise<Grade> {
  const labels = [...question.choice_scores.keys()];
  let unread = '';
  const read = (output: string): Grade | null => {
    const reply = readReply(output, labels, question.eval_type);
    const score = reply === null ? undefined : question.choice_scores.get(reply.label);
    return reply === null || score === undefined ? null : { status: 'graded', score, ...reply };
  };
  const usable = (output: string): boolean => read(output) !== null;
  // The first reply leads to the second question, whatever it is; without a word in the second one
  // nothing is graded.
  for (const asked of [{ ...prompt }, { ...askAgain(prompt, labels), usable }]) {
    const completion = await ask(asked, grader, tools);
    if (completion.status === 'error')
      return { status: 'error', reason: `the grader failed: ${completion.message}` };
    const grade = read(completion.output);
    if (grade !== null) return grade;
    unread = completion.output;
  }
  const last =
    unread.trim() === ''
      ? 'an empty reply'
      : JSON.stringify(excerpt(unread.trim().split('\n').at(-1) ?? '', 120));
  return {
    status: 'ungraded',
    reason: `grader gave no single choice of ${labels.join(', ')}: ${last}`,
  };
}

async function ask(
  { messages, schema, ...more }: GraderPrompt & Pick<Request, 'usable'>,
  { target, parameters }: Grader,
  { complete, try: index }: GraderTools,
): Promise<Completion> {
  return await complete({
    target,
    parameters,
    messages,
    try: index,
    schema,
    purpose: 'grader',
    ...more,
  });
}
