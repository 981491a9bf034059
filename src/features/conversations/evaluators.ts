import type { AnswererTools } from '../../kernel/suite/own-suite.ts';
import { lastReplyLine } from '../../metrics/grade.ts';
import { textOf } from '../../types/answer.ts';
import type { ErrorKind, Message, Request } from '../../types/model.ts';
import type { Evaluator } from './conversation-rules.ts';
import {
  askEvaluatorAgain,
  evaluatorPrompt,
  type EvaluatorPrompt,
  type EvaluatorTask,
} from './evaluator-prompt.ts';
import { readEvaluation, type EvaluatorReply } from './evaluator-reply.ts';
import type { EvaluatorVerdict } from './result.ts';

interface EvaluatorVerdicts {
  verdicts: EvaluatorVerdict[];
  error: { kind: ErrorKind; message: string } | null;
}

/** A longer dialogue is not sent, in characters. */
const MAX_DIALOGUE = 1_048_576;

/** Calls every evaluator on a dialogue that ends with an answer. `tryIndex`: of the dialogue. */
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
      error: { kind: 'request', message: 'no model is known for an evaluator' },
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

/** Asks once more if a criterion has no word. Words still missing are unknown. */
async function askEvaluator(
  task: EvaluatorTask,
  evaluator: Evaluator,
  dialogue: readonly Message[],
  tryIndex: number,
  tools: AnswererTools,
): Promise<Opinion> {
  if (dialogue.reduce((sum, { content }) => sum + content.length, 0) > MAX_DIALOGUE)
    return unreadable('request', 'the dialogue is too long for an evaluator (over 1 MiB)');
  const { name } = evaluator;
  const criteria = task.criteria.map((criterion) => criterion.name);
  const question = evaluatorPrompt(task, dialogue, evaluator.twin, tools.random);
  const first = await requestEvaluation(question, evaluator, criteria, tryIndex, tools);
  if (first.failed !== null)
    return unreadable(first.failed.kind, `the evaluator ${name} failed: ${first.failed.message}`);
  if (first.reply?.missing.length === 0) return asOpinion(name, first.reply);
  const usable = (output: string): boolean =>
    readEvaluation(output, criteria)?.missing.length === 0;
  const second = await requestEvaluation(
    { ...askEvaluatorAgain(question, first.reply?.missing ?? criteria), usable },
    evaluator,
    criteria,
    tryIndex,
    tools,
  );
  const reply = [second.reply, first.reply]
    .filter((given) => given !== null)
    .sort((a, b) => a.missing.length - b.missing.length)[0];
  if (reply !== undefined) return asOpinion(name, reply);
  if (second.failed !== null)
    return unreadable(second.failed.kind, `the evaluator ${name} failed: ${second.failed.message}`);
  return unreadable(
    'reply',
    `the evaluator ${name} gave no readable verdict: ${lastReplyLine(second.output)}`,
  );
}

async function requestEvaluation(
  { messages, schema, ...more }: EvaluatorPrompt & Pick<Request, 'usable'>,
  { target, parameters }: Evaluator,
  criteria: readonly string[],
  tryIndex: number,
  { complete }: AnswererTools,
): Promise<{ reply: EvaluatorReply | null; output: string; failed: EvaluatorVerdicts['error'] }> {
  const completion = await complete({
    target,
    parameters,
    messages,
    try: tryIndex,
    schema,
    purpose: 'evaluator',
    ...more,
  });
  if (completion.status === 'error') return { reply: null, output: '', failed: completion };
  return {
    reply: readEvaluation(textOf(completion), criteria),
    output: textOf(completion),
    failed: null,
  };
}

function unreadable(kind: ErrorKind, message: string): Opinion {
  return { status: 'error', error: { kind, message } };
}

function asOpinion(evaluator: string, { words, analysis, follow_up }: EvaluatorReply): Opinion {
  return { status: 'read', verdict: { evaluator, words, analysis, follow_up } };
}
