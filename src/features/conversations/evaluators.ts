import type { AnswererTools } from '../../kernel/suite/own-suite.ts';
import { MAX_MATERIAL, askTwice } from '../../metrics/ask-twice.ts';
import { lastWords, replyObject, verdictOf } from '../../metrics/verdict.ts';
import { textOf } from '../../types/answer.ts';
import type { ErrorKind, Message } from '../../types/model.ts';
import type { Json } from '../../types/plain.ts';
import type { Evaluator } from './conversation-rules.ts';
import { evaluatorPrompt, missingNote, type EvaluatorTask } from './evaluator-prompt.ts';
import type { EvaluatorVerdict, CriterionWord } from './result.ts';

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

interface EvaluatorReply {
  /** Without criteria that have no clear word. */
  words: EvaluatorVerdict['words'];
  /** Criteria without a clear word. They are not a no. */
  missing: string[];
  analysis: string | null;
  follow_up: string | null;
}

const CRITERION_WORDS: readonly CriterionWord[] = ['yes', 'no', 'unknown'];

/** Reads a JSON object. Null if no criterion has a clear word (yes, no or unknown). */
export function readEvaluation(output: string, criteria: readonly string[]): EvaluatorReply | null {
  if (output.length > MAX_MATERIAL) return null;
  const nameOf = (key: string) =>
    criteria.includes(key)
      ? key
      : [...criteria, 'analysis', 'follow_up'].find((name) => normalise(name) === normalise(key));
  const object = replyObject(output, CRITERION_WORDS, (value) =>
    Object.keys(value).some((key) => nameOf(key) !== undefined),
  );
  const found = Map.groupBy(Object.entries(object ?? {}), ([key]) => nameOf(key));
  const valuesOf = (name: string) => (found.get(name) ?? []).map(([, value]) => value);
  const words = criteria.flatMap((name): [string, CriterionWord][] => {
    const [word, ...others] = new Set(valuesOf(name).map(asWord));
    return word && others.length === 0 ? [[name, word]] : [];
  });
  if (words.length === 0) return null;
  return {
    words: Object.fromEntries(words),
    missing: criteria.filter((name) => words.every(([own]) => own !== name)),
    analysis: firstText(valuesOf('analysis')),
    follow_up: questionIn(firstText(valuesOf('follow_up'))),
  };
}

/** Reads a second reply, which may only have the criteria that the first one lacks. */
function readAgain(
  output: string,
  criteria: readonly string[],
  first: EvaluatorReply,
): EvaluatorReply {
  const second = readEvaluation(output, criteria);
  if (second === null) return first;
  const words = { ...first.words, ...second.words };
  return {
    words,
    missing: criteria.filter((name) => !Object.hasOwn(words, name)),
    analysis: second.analysis ?? first.analysis,
    follow_up: second.follow_up ?? first.follow_up,
  };
}

function normalise(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
}

function asWord(value: Json): CriterionWord | null {
  const label = verdictOf(value, CRITERION_WORDS);
  return CRITERION_WORDS.find((word) => word === label) ?? null;
}

function firstText(values: readonly Json[]): string | null {
  const texts = values.map((value) => (typeof value === 'string' ? value.trim() : ''));
  return texts.find((text) => text !== '') ?? null;
}

/** In characters. Longer texts are questions; shorter ones may be "none". */
const MAX_REMARK = 60;

function questionIn(text: string | null): string | null {
  if (text === null || text.length > MAX_REMARK) return text;
  return /^[\s*_`"'()[\]-]*(?:none|n\/?a|null|nothing|empty|no follow-?up(?: question)?(?: (?:is )?(?:needed|required))?)?[\s*_`"'()[\].!-]*$/i.test(
    text,
  )
    ? null
    : text;
}
