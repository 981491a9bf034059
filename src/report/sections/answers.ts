import type { TryResult } from '../../kernel/result/reference-result.ts';
import { shorten } from '../../text/visible.ts';
import type { Part, Step } from '../../types/answer.ts';
import { jsonText, type Json } from '../../types/plain.ts';
import { expectedParts } from '../answers/accept.ts';
import { argumentChanges, answerRuns, type ArgumentChange } from '../answers/difference.ts';
import { answerText, argumentText, textOfParts, type WithParts } from '../answers/text.ts';
import { code, type Line, type Piece } from './document.ts';
import {
  COMPARED_CHARACTERS,
  emphasise,
  emphasised,
  whole,
  type Emphasised,
  type Room,
} from './emphasis.ts';

type Shown = Pick<TryResult, 'parts' | 'error'>;

export function answerPieces(made: WithParts, characters: number): Piece[] | null {
  const said = answerText(made);
  return said === null ? null : whole(said, characters);
}

export function answerLine(made: Shown | null, characters: number): Line {
  if (made === null) return ['not run'];
  const pieces = answerPieces(made, characters);
  return pieces === null
    ? ['no answer: ', code(made.error ?? 'unknown error', characters)]
    : [{ kind: 'pieces', pieces }];
}

export function expectedText(expected: Json): string {
  const parts = expectedParts(expected);
  return parts === null ? jsonText(expected) : textOfParts(parts);
}

export function expectedLine(expected: Json, characters: number): Line {
  const parts = expectedParts(expected);
  return parts === null
    ? [code(jsonText(expected), characters)]
    : [{ kind: 'pieces', pieces: whole(textOfParts(parts), characters) }];
}

export function answerWords(made: Shown, length: number): string {
  const said = answerText(made);
  return said === null
    ? `no answer, ${shorten(made.error ?? 'unknown error', length)}`
    : shorten(said, length);
}

export function markedAnswers(
  base: WithParts | null,
  head: WithParts | null,
  room: Room,
): Emphasised | null {
  if (!base?.parts || !head?.parts) return null;
  const texts = [textOfParts(base.parts), textOfParts(head.parts)] as const;
  const isPlain = [...base.parts, ...head.parts].every(({ type }) => type === 'text');
  return isPlain || texts.some(({ length }) => length > COMPARED_CHARACTERS)
    ? emphasise(...texts, room)
    : emphasised(answerRuns(base.parts, head.parts), room);
}

/** For example `create_order: quantity: 3 → amount: 3`. */
export function changedArguments(base: WithParts | null, head: WithParts | null): string[] {
  if (!base?.parts || !head?.parts) return [];
  const changes = argumentChanges(base.parts, head.parts);
  return [...Map.groupBy(changes, ({ call }) => call)].map(
    ([call, own]) => `${call}: ${own.map(changeText).join(', ')}`,
  );
}

function changeText({ base, head }: ArgumentChange): string {
  if (base === null) return head === null ? '' : `${argumentText(head)} added`;
  return head === null
    ? `${argumentText(base)} removed`
    : `${argumentText(base)} → ${argumentText(head)}`;
}

type ImagePart = Extract<Part, { type: 'image' }>;

export function answerImages({ parts }: WithParts): (ImagePart & { data: string })[] {
  return (parts ?? []).flatMap((part) =>
    part.type === 'image' && part.data !== null ? [{ ...part, data: part.data }] : [],
  );
}

export function stepLines({ steps = [] }: { steps?: readonly Step[] }): string[] {
  return steps.map((step) =>
    step.type === 'message'
      ? `${step.role}: ${step.text}`
      : `${textOfParts([{ type: 'tool_call', name: step.name, arguments: step.arguments }])} → ` +
        (step.result ?? 'no result'),
  );
}
