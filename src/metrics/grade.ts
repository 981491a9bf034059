import { shorten } from '../text/visible.ts';
import { type Usage, textOf } from '../types/answer.ts';
import type { GradeRecord, Rubric } from '../types/metric.ts';
import type { Grader } from '../types/model.ts';
import type { Json } from '../types/plain.ts';
import { type MetricTools } from './answer.ts';
import { MAX_MATERIAL, askTwice, type GraderPrompt } from './ask-twice.ts';
import { graderPrompt, labelNote, type Materials, type Question } from './grader-prompt.ts';
import { labelInLine } from './label.ts';
import { isJsonReply, lastWords, replyObject, verdictOf } from './verdict.ts';

interface Vote {
  grader: string;
  grade: Grade;
  reply: string;
  usage: Usage | null;
}

/**
 * Returns the label that more than half of the graders gave. If there is none, the answer is
 * ungraded or an error.
 */
export function majority(votes: readonly Pick<Vote, 'grader' | 'grade'>[]): Grade {
  const [first] = votes;
  if (first === undefined) throw new TypeError('nobody voted');
  if (votes.length === 1) return first.grade;
  const needed = Math.floor(votes.length / 2) + 1;
  const labels = votes.map(({ grade }) => (grade.status === 'graded' ? grade.label : null));
  const winner = votes.find(
    (_, index) =>
      labels[index] !== null && labels.filter((label) => label === labels[index]).length >= needed,
  );
  const said = votes.map(
    ({ grader, grade }) => `${grader}: ${grade.status === 'graded' ? grade.label : grade.status}`,
  );
  if (winner?.grade.status === 'graded') {
    const { label, score, reasons } = winner.grade;
    const others = said.filter((_, index) => labels[index] !== label);
    const count =
      `${votes.length - others.length} of ${votes.length} graders` +
      `${others.length === 0 ? '' : `; ${others.join(', ')}`}`;
    return {
      status: 'graded',
      label,
      score,
      reasons: reasons === null ? `(${count})` : `${reasons} (${count})`,
    };
  }
  const spoke = labels.filter((label) => label !== null).length;
  const failures = votes.flatMap(({ grader, grade }) =>
    grade.status === 'error' ? [`${grader}: ${grade.reason}`] : [],
  );
  if (failures.length > 0 && spoke < needed) {
    const reason =
      `only ${spoke} of ${votes.length} graders gave a label; ` + `${failures.join('; ')}`;
    return { status: 'error', reason };
  }
  return {
    status: 'ungraded',
    reason: `no majority of the graders chose the same label (${said.join(', ')})`,
  };
}

interface ParsedReply {
  label: string;
  reasons: string | null;
}

/**
 * Reads `choice` from JSON. In a reply without JSON, reads the last line, or the first line if the
 * rubric wants the label first.
 */
export function readGrade(
  output: string,
  labels: readonly string[],
  order: Rubric['eval_type'],
): ParsedReply | null {
  if (output.length > MAX_MATERIAL) return null;
  const parsed = replyObject(output, labels, (value) => Object.hasOwn(value, 'choice'));
  if (parsed !== null) return fromJson(parsed, labels);
  if (isJsonReply(output)) return null;
  return fromLines(output.split(/\r\n|[\n\r\u2028\u2029]/), labels, order);
}

function fromJson(
  { choice, reasons }: Record<string, Json>,
  labels: readonly string[],
): ParsedReply | null {
  const label = verdictOf(choice, labels);
  return label === null
    ? null
    : {
        label,
        reasons: typeof reasons === 'string' && reasons.trim() !== '' ? reasons.trim() : null,
      };
}

function fromLines(
  lines: readonly string[],
  labels: readonly string[],
  order: Rubric['eval_type'],
): ParsedReply | null {
  const filled = [...lines.entries()].filter(([, line]) => holdsText(line));
  const [index, line] = filled.at(order === 'classify_cot' ? 0 : -1) ?? [-1, ''];
  const label = labelInLine(line, labels);
  if (label === null) return null;
  const rest = lines
    .filter((_, other) => other !== index)
    .join('\n')
    .trim();
  return { label, reasons: rest === '' ? null : rest };
}

/** True also for symbols and emojis, because a label may be one. */
function holdsText(line: string): boolean {
  return /[^\s*_`#>~=|"'.:;,()[\]{}\u2013\u2014\u200b-]/u.test(line);
}

export type Grade = (
  | { status: 'graded'; label: string; score: number; reasons: string | null }
  | { status: 'ungraded' | 'error'; reason: string }
) & { record?: GradeRecord };

type GraderTools = Pick<MetricTools, 'complete' | 'graders' | 'random' | 'try' | 'keepGrades'>;

export async function gradeMaterial(
  question: Question,
  materials: Materials,
  tools: GraderTools,
): Promise<Grade> {
  const { files: _, ...texts } = materials;
  const size = Object.values(texts).reduce((sum, text) => sum + (text?.length ?? 0), 0);
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
    graders.map((grader) => askGrader(question, prompt, grader, tools)),
  );
  const grade = majority(votes);
  return tools.keepGrades === true ? { ...grade, record: recordOf(prompt, votes) } : grade;
}

const MAX_KEPT_CHARS = 20_000;

function recordOf({ messages }: GraderPrompt, votes: readonly Vote[]): GradeRecord {
  return {
    prompt: shorten(
      messages.findLast(({ role }) => role === 'user')?.content ?? '',
      MAX_KEPT_CHARS,
    ),
    replies: votes.map(({ grader, grade, reply, usage }) => ({
      grader,
      label: grade.status === 'graded' ? grade.label : null,
      reply: shorten(reply, MAX_KEPT_CHARS),
      usage,
    })),
  };
}

async function askGrader(
  question: Question,
  prompt: GraderPrompt,
  grader: Grader,
  { complete, try: index }: GraderTools,
): Promise<Vote> {
  const labels = [...question.choice_scores.keys()];
  const read = (output: string): Grade | null => {
    const reply = readGrade(output, labels, question.eval_type);
    const score = reply === null ? undefined : question.choice_scores.get(reply.label);
    return reply === null || score === undefined ? null : { status: 'graded', score, ...reply };
  };
  const asked = { prompt, grader, purpose: 'grader', try: index, read } as const;
  const { replies, failed } = await askTwice({ ...asked, note: () => labelNote(labels) }, complete);
  const last = replies.at(-1);
  const reply = last === undefined ? '' : textOf(last.completion);
  const vote: Omit<Vote, 'grade'> = {
    grader: grader.target.model,
    reply,
    usage: replies.map(({ completion }) => completion.usage).reduce(usageSum, null),
  };
  if (failed !== null)
    return { ...vote, grade: { status: 'error', reason: `the grader failed: ${failed.message}` } };
  if (last?.reply) return { ...vote, grade: last.reply };
  const cut =
    last?.completion.ended === 'length' ? '; the reply was cut off at its token limit' : '';
  const reason =
    `the grader did not choose exactly one of ${labels.join(', ')}: ` + lastWords(reply) + cut;
  return { ...vote, grade: { status: 'ungraded', reason } };
}

function usageSum(first: Usage | null, second: Usage | null): Usage | null {
  if (first === null || second === null) return first ?? second;
  return {
    input_tokens: first.input_tokens + second.input_tokens,
    output_tokens: first.output_tokens + second.output_tokens,
  };
}
