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
  verdict?: EvaluatorVerdict;
  /** Why criteria have no word: the call failed, or two replies had no clear word. */
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
    verdicts: opinions.flatMap(({ verdict }) => verdict ?? []),
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
  if (dialogue.reduce((sum, { content }) => sum + content.length, 0) > MAX_MATERIAL)
    return unjudged('request', 'the dialogue is too long for an evaluator (over 1 MiB)');
  const { name } = evaluator;
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
    return unjudged(failed.kind, `the evaluator ${name} failed: ${failed.message}`);
  const { missing = criteria, ...verdict } = last?.reply ?? {};
  const unread =
    `the evaluator ${name} gave no readable verdict on ${missing.join(', ')}: ` +
    lastWords(last === undefined ? '' : textOf(last.completion));
  const opinion = missing.length === 0 ? { error: null } : unjudged('reply', unread);
  return 'words' in verdict ? { verdict: { evaluator: name, ...verdict }, ...opinion } : opinion;
}

function unjudged(kind: ErrorKind, message: string): Opinion {
  return { error: { kind, message } };
}
