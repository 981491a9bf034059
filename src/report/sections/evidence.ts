import type { ConversationResult, ConversationTurn } from '../../result/conversations.ts';
import type { ReferenceResult, TryResult } from '../../result/reference-result.ts';
import { counted } from '../../text/amounts.ts';
import type { Score } from '../../types/metric.ts';
import type { Json } from '../../types/plain.ts';
import {
  code,
  joinLines,
  text,
  type Block,
  type Detail,
  type Line,
  lineBreak,
  paragraph,
} from './document.ts';
import { emphasise, whole } from './emphasis.ts';
import { ownFailures } from './failures.ts';
import { exampleTries, transcriptLine, whyNot, endedLine, turnLine } from './order.ts';
import { stripLine, stripName, stripsOf } from './strips.ts';

/**
 * Input, expected value, both answers, and what of head's did not pass; two dialogues side by side.
 */
export function evidence(title: Line, reference: ReferenceResult, { characters }: Detail): Block[] {
  const { base, head } = exampleTries(reference);
  const failed = ownFailures(head).map((score) => ({
    name: [code(score.metric)],
    value: scoreLine(score, base, characters),
  }));
  const strips = stripsOf(base, head)
    .filter(({ parted, base: before }) => parted !== null || before === null)
    .slice(0, MOST_STRIPS)
    .map((strip) => ({
      name: [code(strip.metric), text(` ${stripName(strip)}`)],
      value: stripLine(strip, characters),
    }));
  const given = [
    { name: [text('Input')], value: inputLine(reference, characters) },
    ...(reference.expected === null
      ? []
      : [{ name: [text('Expected')], value: [code(jsonText(reference.expected), characters)] }]),
  ];
  if (base?.conversation && head?.conversation) {
    const said = whyNot(head.conversation.turns.at(-1), characters);
    const why = said.length === 0 ? [] : [{ name: [text('Why')], value: said }];
    return [
      { kind: 'facts', title, rows: [...given, ...failed, ...strips, ...why] },
      ...dialogueBlocks(base.conversation, head.conversation, characters),
    ];
  }
  const answers = answerPieces(base, head, characters);
  return [
    {
      kind: 'facts',
      title,
      rows: [
        ...given,
        ...(base === null ? [] : [{ name: sideName('Base', base), value: answers.base }]),
        ...(head === null
          ? []
          : [
              {
                name: sideName(reference.base === null ? 'Answer' : 'Head', head),
                value: answers.head,
              },
            ]),
        ...failed,
        ...strips,
      ],
    },
  ];
}

/** Metrics by turn that are shown of one reference. */
const MOST_STRIPS = 3;

/** `Base ✓`: whose answer it is, and whether it passed. */
function sideName(side: string, { outcome }: TryResult): Line {
  if (outcome !== 'pass' && outcome !== 'fail') return [text(side)];
  const pass = outcome === 'pass';
  return [text(`${side} `), { kind: 'sign', sign: pass ? '✓' : '✗', tone: pass ? 'good' : 'bad' }];
}

function answerPieces(
  base: TryResult | null,
  head: TryResult | null,
  characters: number,
): { base: Line; head: Line } {
  if (base?.conversation || head?.conversation)
    return { base: dialogueLine(base, characters), head: dialogueLine(head, characters) };
  const [before, after] = [base?.actual ?? null, head?.actual ?? null];
  if (before !== null && after !== null) {
    const { base: left, head: right } = emphasise(before, after, { characters, gaps: true });
    return { base: [{ kind: 'pieces', pieces: left }], head: [{ kind: 'pieces', pieces: right }] };
  }
  return { base: answerLine(base, characters), head: answerLine(head, characters) };
}

function dialogueLine(tryResult: TryResult | null, characters: number): Line {
  return tryResult?.conversation
    ? transcriptLine(tryResult.conversation, characters)
    : answerLine(tryResult, characters);
}

function answerLine(tryResult: TryResult | null, characters: number): Line {
  if (tryResult === null) return [text('not run')];
  if (tryResult.actual === null)
    return [text('no answer: '), code(tryResult.error ?? 'unknown error', characters)];
  return [{ kind: 'pieces', pieces: whole(tryResult.actual, characters) }];
}

export function inputLine({ input }: ReferenceResult, characters: number): Line {
  const entries = Object.entries(input);
  if (entries.length === 0) return [text('none')];
  const share = Math.max(40, Math.floor(characters / entries.length));
  return joinLines(
    entries.map(([name, value]): Line => [code(name), text(' = '), code(String(value), share)]),
    ', ',
  );
}

/** Why head's try fails by the metric, and its values on both sides where they say more. */
function scoreLine(score: Score, base: TryResult | null, characters: number): Line {
  const before = base?.scores.find(({ metric }) => metric === score.metric)?.value ?? null;
  const line: Line = [text(score.status)];
  if (score.reason !== null) line.push(text(': '), code(score.reason, characters));
  if (saysMore(score.value) || saysMore(before)) {
    if (score.value !== null) line.push(text(', value '), code(jsonText(score.value), characters));
    if (before !== null) line.push(text(', on base '), code(jsonText(before), characters));
  }
  if (score.skip) line.push(text(' (shown, does not gate)'));
  return line;
}

/** Whether a value says more than pass or fail do: 0, 1 and truth values do not. */
function saysMore(value: Json): boolean {
  return value !== null && typeof value !== 'boolean' && value !== 0 && value !== 1;
}

/** Text as it is, anything else as JSON. */
export function jsonText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Turns shown side by side; the rest is counted. */
const SHOWN_TURNS = 6;

/** A text of a turn is not cut shorter than this, in characters. */
const SHORTEST = 60;

/**
 * Two dialogues side by side, from the first turn at which they part; how each ended stands in the
 * first row. Equal turns before are counted.
 */
function dialogueBlocks(
  base: ConversationResult,
  head: ConversationResult,
  characters: number,
): Block[] {
  const length = Math.max(base.turns.length, head.turns.length);
  const first = firstParted(base, head);
  const shown = Array.from(
    { length: Math.min(SHOWN_TURNS, length - first) },
    (_, at) => first + at,
  );
  const each = Math.max(SHORTEST, Math.floor(characters / Math.max(1, shown.length)));
  const cell = ({ turns }: ConversationResult, index: number): Line => {
    const turn = turns[index];
    return turn === undefined ? [text('–')] : turnLine(turn, index, each);
  };
  const left = length - first - shown.length;
  return [
    ...(first === 0 ? [] : [paragraph([text(`After ${counted(first, 'equal turn')}:`)])]),
    {
      kind: 'table',
      head: [
        [text('Base'), lineBreak, ...endedLine(base)],
        [text('Head'), lineBreak, ...endedLine(head)],
      ],
      rows: shown.map((index) => [cell(base, index), cell(head, index)]),
    },
    ...(left === 0 ? [] : [paragraph([text(`and ${counted(left, 'more turn')}.`)])]),
  ];
}

/** The first turn with another question or answer; the last one where all are equal. */
function firstParted(base: ConversationResult, head: ConversationResult): number {
  const length = Math.max(base.turns.length, head.turns.length);
  for (let at = 0; at < length; at += 1) if (!sameTurn(base.turns[at], head.turns[at])) return at;
  return Math.max(0, length - 1);
}

function sameTurn(a: ConversationTurn | undefined, b: ConversationTurn | undefined): boolean {
  return a?.question === b?.question && a?.answer === b?.answer;
}
