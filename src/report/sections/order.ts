import type {
  ConversationOutcome,
  ConversationResult,
  ConversationTurn,
} from '../../features/conversations/result.ts';
import type {
  ReferenceResult,
  ReferenceStatus,
  SideResult,
  TryResult,
} from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult, Verdict } from '../../kernel/result/suite-result.ts';
import { counted } from '../../text/amounts.ts';
import { byCodeUnits } from '../../text/order.ts';
import { shorten } from '../../text/visible.ts';
import { code, lineBreak, strong, text, type Line } from './document.ts';

export const OUTCOME_WORDS: Readonly<Record<ConversationOutcome, string>> = {
  complete: 'complete',
  max_steps: 'the steps ran out',
  no_follow_up: 'ended without a further question',
  evaluator_error: 'an evaluator gave no verdict',
  model_error: 'the model gave no answer',
};

/** A text of a transcript is not cut shorter than this, in characters. */
const SHORTEST = 60;

/**
 * A dialogue turn by turn, with what was met after each answer, and why the last one did not
 * satisfy.
 */
export function transcriptLine({ outcome, turns }: ConversationResult, characters: number): Line {
  // Questions and answers of all turns share the room.
  const each = Math.max(SHORTEST, Math.floor((2 * characters) / Math.max(1, turns.length)));
  const lines = turns.flatMap((turn, index): Line => [...turnLine(turn, index, each), lineBreak]);
  return [...lines, ...endedLine({ outcome, turns }), ...lastWord({ outcome, turns }, characters)];
}

/** One question with its answer, and what was met after it. */
export function turnLine(turn: ConversationTurn, index: number, characters: number): Line {
  return [
    strong(`Question ${String(index + 1)}`),
    text(askedBy(turn)),
    code(turn.question, characters),
    lineBreak,
    strong(`Answer ${String(index + 1)}`),
    ...(turn.answer === null ? [text(': none')] : [text(': '), code(turn.answer, characters)]),
    ...metLine(turn),
  ];
}

/** `After 2 turns: the steps ran out`. */
export function endedLine({ outcome, turns }: Pick<ConversationResult, 'outcome' | 'turns'>): Line {
  return [text(`After ${counted(turns.length, 'turn')}: ${OUTCOME_WORDS[outcome]}`)];
}

/** What is said of the last answer of a dialogue that was not completed. */
function lastWord(
  { outcome, turns }: Pick<ConversationResult, 'outcome' | 'turns'>,
  characters: number,
): Line {
  const said = outcome === 'complete' ? [] : whyNot(turns.at(-1), characters);
  return said.length === 0 ? [] : [text('. '), ...said];
}

function askedBy({ asked_by: name }: ConversationTurn): string {
  return name === null ? ': ' : ' (an evaluator asks): ';
}

function metLine({ satisfied }: ConversationTurn): Line {
  if (satisfied === null) return [];
  const unmet = Object.entries(satisfied)
    .filter(([, met]) => !met)
    .map(([name]) => name);
  return [text(unmet.length === 0 ? ' – all criteria met' : ` – not met: ${unmet.join(', ')}`)];
}

/** What the first evaluator that is not satisfied says about the last answer. */
export function whyNot(turn: ConversationTurn | undefined, characters: number): Line {
  const first = turn?.verdicts.find(({ words }) =>
    Object.values(words).some((word) => word !== 'yes'),
  );
  return first === undefined || first.analysis === null
    ? []
    : [code(first.evaluator), text(' says: '), code(first.analysis, characters)];
}

/** How much there is to read, in UTF-16 units: a shorter transcript convinces sooner. */
function readingLength({ actual, conversation }: TryResult): number {
  if (!conversation) return actual?.length ?? 0;
  return conversation.turns.reduce(
    (sum, { question, answer }) => sum + question.length + (answer?.length ?? 0),
    0,
  );
}

/** A reference with the suite it was run in. */
export interface ReferenceEntry {
  suite: SuiteResult;
  reference: ReferenceResult;
}

const WORST_FIRST: readonly Verdict[] = [
  'regressed',
  'inconclusive',
  'no_data',
  'not_compared',
  'removed',
  'new',
  'improved',
  'unchanged',
];

/** Suites as a reader wants them: the worst verdict first, then the deepest fall, then by path. */
export function suitesWorstFirst(suites: readonly SuiteResult[]): SuiteResult[] {
  return [...suites].sort(
    (a, b) =>
      WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict) ||
      (a.pass_rate.difference ?? 0) - (b.pass_rate.difference ?? 0) ||
      byCodeUnits(a.path, b.path),
  );
}

/**
 * References of the given statuses: the largest fall of the pass share first, then the most certain,
 * then the shortest to read.
 */
export function entriesOf(result: Result, ...statuses: ReferenceStatus[]): ReferenceEntry[] {
  const wanted = new Set(statuses);
  return result.suites
    .flatMap((suite) =>
      suite.references
        .filter(({ status }) => wanted.has(status))
        .map((reference) => ({ suite, reference })),
    )
    .map((entry) => ({ entry, fall: fallOf(entry.reference), length: lengthOf(entry.reference) }))
    .sort(
      (a, b) =>
        b.fall - a.fall ||
        (a.entry.reference.q ?? 1) - (b.entry.reference.q ?? 1) ||
        a.length - b.length ||
        byCodeUnits(a.entry.reference.id, b.entry.reference.id),
    )
    .map(({ entry }) => entry);
}

/**
 * How far the share of passed tries fell, 0–1; 0 where a side has none, and for a rise a negative
 * number.
 */
export function fallOf({ base, head }: ReferenceResult): number {
  const [before, after] = [shareOf(base), shareOf(head)];
  if (after === null) return 0;
  return (before ?? 1) - after;
}

function shareOf(side: SideResult | null): number | null {
  return side === null || side.tries_judged === 0 ? null : side.passes / side.tries_judged;
}

function lengthOf(reference: ReferenceResult): number {
  const { base, head } = exampleTries(reference);
  return (base === null ? 0 : readingLength(base)) + (head === null ? 0 : readingLength(head));
}

/**
 * The tries that show best what happened: one that base passed and one that head failed, else the
 * first with an answer. Of several dialogues the shortest, which convinces soonest.
 */
export function exampleTries({ base, head }: Pick<ReferenceResult, 'base' | 'head'>): {
  base: TryResult | null;
  head: TryResult | null;
} {
  return { base: firstOf(base, 'pass'), head: firstOf(head, 'fail') };
}

function firstOf(side: SideResult | null, outcome: TryResult['outcome']): TryResult | null {
  const tries = side?.tries ?? [];
  const fitting = tries.filter((tryResult) => tryResult.outcome === outcome);
  const dialogues = fitting
    .filter(({ conversation }) => conversation)
    .sort((a, b) => readingLength(a) - readingLength(b));
  return (
    dialogues[0] ?? fitting[0] ?? tries.find(({ actual }) => actual !== null) ?? tries[0] ?? null
  );
}

/**
 * What happened to a reference in lines of plain text: both answers, and each metric that head does
 * not pass.
 */
export function referenceWords(reference: ReferenceResult, part: number): string[] {
  const { base, head } = exampleTries(reference);
  const scores = (head?.scores ?? []).filter(
    ({ status }) => status !== 'pass' && status !== 'skipped',
  );
  return [
    ...answer('Base', base, part),
    ...answer('Head', head, part),
    ...scores.map(
      ({ metric, status, reason }) =>
        `${metric}: ${status}${reason === null ? '' : `, ${shorten(reason, part)}`}`,
    ),
  ];
}

function answer(side: string, tryResult: TryResult | null, part: number): string[] {
  if (tryResult === null) return [];
  return [
    tryResult.actual === null
      ? `${side}: no answer, ${shorten(tryResult.error ?? 'unknown error', part)}`
      : `${side}: ${shorten(tryResult.actual, part)}`,
  ];
}

/** Things with equal keys together, each group where its first thing stood. */
export function alike<T>(things: readonly T[], keyOf: (thing: T) => string): [T, ...T[]][] {
  return [...Map.groupBy(things, keyOf).values()].flatMap(([first, ...others]): [T, ...T[]][] =>
    first === undefined ? [] : [[first, ...others]],
  );
}
