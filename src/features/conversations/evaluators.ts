import type { AnswererTools } from '../../kernel/suite/own-suite.ts';
import { MAX_MATERIAL, askTwice } from '../../metrics/ask-twice.ts';
import { lastReplyLine } from '../../metrics/grade.ts';
import { textOf } from '../../types/answer.ts';
import type { ErrorKind, Message } from '../../types/model.ts';
import type { Evaluator } from './conversation-rules.ts';
import { evaluatorPrompt, missingNote, type EvaluatorTask } from './evaluator-prompt.ts';
import { readEvaluation, type EvaluatorReply } from './evaluator-reply.ts';
import type { EvaluatorVerdict } from './result.ts';

interface EvaluatorVerdicts {
  verdicts: EvaluatorVerdict[];
  error: { kind: ErrorKind; message: string } | null;
}

export async function evaluateDialogue(
  task: EvaluatorTask,
  evaluators: readonly Evaluator[],
  dialogue: readonly Message[],
  tryIndex: number,
  tools: AnswererTools,
): Promise<EvaluatorVerdicts> {
  if (evaluators.length === 0)
    return {
      verdicts: [],
      error: { kind: 'request', message: 'an evaluator has no model' },
    };
  const opinions = await Promise.all(
    evaluators.map((evaluator) => askEvaluator(task, evaluator, dialogue, tryIndex, tools)),
  );
  return {
    verdicts: opinions.flatMap((opinion) => (opinion.status === 'read' ? [opinion.verdict] : [])),
    error: opinions.find((opinion) => opinion.status === 'error')?.error ?? null,
  };
}

type Opinion =
  | { status: 'read'; verdict: EvaluatorVerdict }
  | { status: 'error'; error: { kind: ErrorKind; message: string } };

/** If a criterion has no clear word, asks again once, then counts it as "unknown". */
async function askEvaluator(
  task: EvaluatorTask,
  evaluator: Evaluator,
  dialogue: readonly Message[],
  tryIndex: number,
  tools: AnswererTools,
): Promise<Opinion> {
  if (dialogue.reduce((sum, { content }) => sum + content.length, 0) > MAX_MATERIAL)
    return unreadable('request', 'the dialogue is too long for an evaluator (over 1 MiB)');
  const { name } = evaluator;
  const criteria = task.criteria.map((criterion) => criterion.name);
  const { replies, failed } = await askTwice<EvaluatorReply>(
    {
      prompt: evaluatorPrompt(task, dialogue, evaluator.twin, tools.random),
      grader: evaluator,
      purpose: 'evaluator',
      try: tryIndex,
      read: (output) => readEvaluation(output, criteria),
      isEnough: ({ missing }) => missing.length === 0,
      note: (first) => missingNote(first?.missing ?? criteria),
    },
    tools.complete,
  );
  const [best] = replies
    .flatMap(({ reply }) => reply ?? [])
    .reverse()
    .sort((a, b) => a.missing.length - b.missing.length);
  if (best !== undefined) return asOpinion(name, best);
  if (failed !== null)
    return unreadable(failed.kind, `the evaluator ${name} failed: ${failed.message}`);
  const last = replies.at(-1);
  return unreadable(
    'reply',
    `the evaluator ${name} gave no readable verdict: ` +
      lastReplyLine(last === undefined ? '' : textOf(last.completion)),
  );
}

function unreadable(kind: ErrorKind, message: string): Opinion {
  return { status: 'error', error: { kind, message } };
}

function asOpinion(evaluator: string, { words, analysis, follow_up }: EvaluatorReply): Opinion {
  return { status: 'read', verdict: { evaluator, words, analysis, follow_up } };
}
