import { structuredPatch } from 'diff';
import type { ReferenceResult, TryResult } from '../kernel/result/reference-result.ts';
import type { AffectedSuite, SuiteSide } from '../kernel/select/affected-suite.ts';
import type { Prompt } from '../kernel/suite/suite.ts';
import { answerText } from '../report/answers/text.ts';
import { count, counted } from '../text/amounts.ts';
import { MAX_DIFF_EDITS } from '../text/cut-out.ts';
import { estimateTokens } from '../text/estimated-tokens.ts';
import { jsonText } from '../types/plain.ts';
import type { ReferenceGroup } from '../types/reference-group.ts';

/** What a grader sees of a comparison. All of it is untrusted. */
export interface Packet {
  materials: Record<'task' | 'change' | 'groups' | 'cases', string>;
  /** Whether a text names one of the cases. */
  quotes(text: string): boolean;
}

export const PACKET_TEXT = [
  'The prompt of an application, before a change:\n{{task}}',
  'The change (lines with - before it, with + after it):\n{{change}}',
  'Kinds of test cases, with the share that passes (may be empty):\n{{groups}}',
  'Test cases:\n{{cases}}',
].join('\n');

/** Most tokens of each part of a question, 6,000 in total. */
const PART_TOKENS = { task: 1_500, change: 1_000, groups: 800, fell: 1_800, stable: 900 };

const CASE_TOKENS = { input: 150, expected: 60, answer: 150, reason: 60, group: 25 };

const NOTE_TOKENS = 20;

const SHOWN_CASES = { fell: 6, stable: 4 };

export interface PacketInput {
  suite: Pick<AffectedSuite, 'base' | 'head'>;
  groups: readonly ReferenceGroup[];
  fell: readonly ReferenceResult[];
  stable: readonly ReferenceResult[];
}

export function packetOf({ suite, groups, fell, stable }: PacketInput): Packet {
  const { base, head } = suite;
  const task = base ?? head;
  const written = [base, head].map((side) => (side === null ? '' : packetPrompt(side)));
  const worse = fell.slice(0, SHOWN_CASES.fell);
  const kept = spread(stable, SHOWN_CASES.stable);
  const identifiers = ownIdentifiers(
    [...worse, ...kept].map(({ input }) => jsonText(input)),
    written.join('\n'),
  );
  const shownCase = (noun: string) => (reference: ReferenceResult, at: number) =>
    packetCase(reference, `${noun} ${at + 1}`, groups);
  return {
    materials: {
      task: task === null ? '' : taskText(task.suite.prompt),
      change: packetChange(written[0] ?? '', written[1] ?? ''),
      groups: fitBudget(
        [...groups].sort((a, b) => Number(b.isWorse) - Number(a.isWorse)).map(({ words }) => words),
        PART_TOKENS.groups,
        'row',
      ),
      cases: [
        fitBudget(worse.map(shownCase('case')), PART_TOKENS.fell, 'case'),
        fitBudget(kept.map(shownCase('stable case')), PART_TOKENS.stable, 'stable case'),
      ].join('\n'),
    },
    quotes: (text) => (text.match(WORD_PATTERN) ?? []).some((word) => identifiers.has(word)),
  };
}

export function taskText(prompt: Pick<Prompt, 'messages' | 'code'>): string {
  return trimToBudget(bodyText(prompt), PART_TOKENS.task);
}

function bodyText({ messages, code }: Pick<Prompt, 'messages' | 'code'>): string {
  return code === null
    ? messages.map(({ role, content }) => `[${role}]\n${content}`).join('\n')
    : code.source;
}

function packetPrompt({ suite: { prompt }, variant: { model, parameters } }: SuiteSide): string {
  const settings = Object.entries({ model, ...parameters });
  return [...settings.map(([key, value]) => `${key}: ${jsonText(value)}`), bodyText(prompt)].join(
    '\n',
  );
}

function packetChange(before: string, after: string): string {
  const options = { context: 1, maxEditLength: MAX_DIFF_EDITS };
  const patch = structuredPatch('', '', before, after, '', '', options);
  if (patch === undefined) return '[… the two texts have little in common …]';
  const hunks = patch.hunks.map(({ lines }) =>
    trimToBudget(lines.join('\n'), PART_TOKENS.change - NOTE_TOKENS),
  );
  return fitBudget(hunks, PART_TOKENS.change, 'change');
}

function packetCase(
  { id, input, expected, base, head }: ReferenceResult,
  title: string,
  groups: readonly ReferenceGroup[],
): string {
  const rate = (side: typeof base) =>
    side === null ? 'not run' : `${count(side.passes)} of ${count(side.tries_judged)}`;
  const before = base?.tries.find(({ outcome }) => outcome === 'pass') ?? base?.tries[0];
  const after = head?.tries.find(({ outcome }) => outcome === 'fail') ?? head?.tries[0];
  const reasons = (after?.scores ?? []).flatMap((score) =>
    score.status === 'fail' ? [`${score.metric}: ${score.reason ?? 'fails'}`] : [],
  );
  const belongs = groups.flatMap(({ id: group, members }) => {
    const own = members.find((member) => member.id === id);
    return own === undefined ? [] : [`${group} (${trimToBudget(own.reason, CASE_TOKENS.group)})`];
  });
  return [
    `${title}: passes ${rate(base)} before and ${rate(head)} after`,
    `input: ${trimToBudget(jsonText(input), CASE_TOKENS.input)}`,
    ...(expected === null
      ? []
      : [`expected: ${trimToBudget(jsonText(expected), CASE_TOKENS.expected)}`]),
    `answer before: ${caseAnswer(before)}`,
    `answer after: ${caseAnswer(after)}`,
    ...(reasons.length === 0
      ? []
      : [`why it fails after: ${trimToBudget(reasons.join('; '), CASE_TOKENS.reason)}`]),
    ...(belongs.length === 0 ? [] : [`belongs to: ${belongs.join(', ')}`]),
  ].join('\n');
}

function caseAnswer(made: TryResult | undefined): string {
  const text = made === undefined ? null : (answerText(made) ?? made.error);
  return text === null ? 'none' : trimToBudget(text, CASE_TOKENS.answer);
}

function fitBudget(texts: readonly string[], tokens: number, noun: string): string {
  let left = tokens - NOTE_TOKENS;
  const kept: string[] = [];
  for (const text of texts) {
    left -= estimateTokens(text);
    if (left < 0) break;
    kept.push(text);
  }
  const omitted = texts.length - kept.length;
  const note = omitted === 0 ? [] : [`[… ${counted(omitted, `more ${noun}`)} left out …]`];
  return [...kept, ...note].join('\n');
}

/** Cuts out the middle, because prompts give instructions at both ends. */
function trimToBudget(text: string, tokens: number): string {
  const size = estimateTokens(text);
  if (size <= tokens) return text;
  const half = Math.floor((text.length * (tokens - NOTE_TOKENS)) / size / 2);
  const note = `[… about ${count(Math.round(size - tokens))} tokens left out …]`;
  return `${text.slice(0, half)} ${note} ${text.slice(-half)}`;
}

function spread<Item>(items: readonly Item[], most: number): Item[] {
  const shown = Math.min(most, items.length);
  return Array.from(
    { length: shown },
    (_, at) => items[Math.floor((at * items.length) / shown)],
  ).filter((item) => item !== undefined);
}

const WORD_PATTERN = /[\p{L}\p{N}][\p{L}\p{N}_-]*/gu;

/** A number with fewer digits is probably an amount, not an id. */
const ID_DIGITS = 5;

/**
 * Words with digits that only one case has, such as `order-66`. A draft that memorises them has no
 * effect on other cases.
 */
function ownIdentifiers(inputs: readonly string[], prompts: string): Set<string> {
  const wordsOf = (text: string) => new Set(text.match(WORD_PATTERN));
  const all = inputs.map(wordsOf);
  const known = wordsOf(prompts);
  const isIdentifier = (word: string) =>
    /\d/.test(word) && (/\p{L}/u.test(word) || word.length >= ID_DIGITS) && !known.has(word);
  const isOwn = (word: string) => all.filter((words) => words.has(word)).length === 1;
  return new Set(all.flatMap((words) => [...words].filter(isIdentifier).filter(isOwn)));
}
