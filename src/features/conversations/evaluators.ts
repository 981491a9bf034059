import type { AnswererTools } from '../../kernel/suite/own-suite.ts';
import { MAX_MATERIAL, askTwice } from '../../metrics/ask-twice.ts';
import { lastWords } from '../../metrics/verdict.ts';
import { textOf } from '../../types/answer.ts';
import type { ErrorKind, Message } from '../../types/model.ts';
import type { Evaluator } from './conversation-rules.ts';
import { evaluatorPrompt, missingNote, type EvaluatorTask } from './evaluator-prompt.ts';
import { readAgain, readEvaluation, type EvaluatorReply } from './evaluator-reply.ts';
import type { EvaluatorVerdict } from './result.ts';

interface EvaluatorError {
  kind: ErrorKind;
  message: string;
}

interface Opinion {
  verdict: EvaluatorVerdict;
  /** Why the verdict lacks criteria: the call failed, or two replies had no clear word. */
  error: EvaluatorError | null;
}

export async function evaluateDialogue(
  task: EvaluatorTask,
  evaluators: readonly Evaluator[],
  dialogue: readonly Message[],
  tryIndex: number,
  tools: AnswererTools,
): Promise<{ verdicts: EvaluatorVerdict[]; error: EvaluatorError | null }> {
  if (evaluators.length === 0)
    return { verdicts: [], error: { kind: 'request', message: 'an evaluator has no model' } };
  const opinions = await Promise.all(
    evaluators.map((evaluator) => askEvaluator(task, evaluator, dialogue, tryIndex, tools)),
  );
  const errors = opinions.flatMap(({ error }) => error ?? []);
  return {
    verdicts: opinions.map(({ verdict }) => verdict),
    error: errors.find(({ kind }) => kind !== 'reply') ?? errors[0] ?? null,
  };
}

/** If a criterion has no clear word, asks again once. Then the criterion is missing. */
async function askEvaluator(
  task: EvaluatorTask,
  evaluator: Evaluator,
  dialogue: readonly Message[],
  tryIndex: number,
  tools: AnswererTools,
): Promise<Opinion> {
  const { name } = evaluator;
  const without = (kind: ErrorKind, message: string): Opinion => ({
    verdict: { evaluator: name, words: {}, analysis: null, follow_up: null },
    error: { kind, message },
  });
  if (dialogue.reduce((sum, { content }) => sum + content.length, 0) > MAX_MATERIAL)
    return without('request', 'the dialogue is too long for an evaluator (over 1 MiB)');
  const criteria = task.criteria.map((criterion) => criterion.name);
  const { replies, failed } = await askTwice<EvaluatorReply>(
    {
      prompt: evaluatorPrompt(task, dialogue, evaluator.twin, tools.random),
      grader: evaluator,
      purpose: 'evaluator',
      try: tryIndex,
      read: (output, first) =>
        first === null ? readEvaluation(output, criteria) : readAgain(output, criteria, first),
      isEnough: ({ missing }) => missing.length === 0,
      note: (first) => missingNote(first?.missing ?? criteria),
    },
    tools.complete,
  );
  const last = replies.at(-1);
  if (failed !== null && !last?.reply)
    return without(failed.kind, `the evaluator ${name} failed: ${failed.message}`);
  const unread = (missing: readonly string[]): string =>
    `the evaluator ${name} gave no readable verdict on ${missing.join(', ')}: ` +
    lastWords(last === undefined ? '' : textOf(last.completion));
  if (!last?.reply) return without('reply', unread(criteria));
  const { missing, ...said } = last.reply;
  const error = missing.length === 0 ? null : { kind: 'reply' as const, message: unread(missing) };
  return { verdict: { evaluator: name, ...said }, error };
}
