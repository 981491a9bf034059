import { oursOf } from '../config/templates.ts';
import type { Prompt, PromptPart } from '../kernel/suite/suite.ts';
import { partsOfText } from '../text/content.ts';
import type { Side } from '../types/plain.ts';
import { joinParts, lineUnit, wholePart, type MergedPart } from './change-unit.ts';
import { align, wordSimilarity, wholeSpan } from './text-units.ts';
import { textPart, type Places } from './unit-places.ts';

export type PlacedMessage = Prompt['messages'][number];

const MIN_MESSAGE_LIKELIHOOD = 0.2;

const ROLE = 0.3;

export type MergeMessages = (
  base: readonly PlacedMessage[],
  head: readonly PlacedMessage[],
  places: Places,
) => MergedPart<PlacedMessage[]>;

export const mergeMessages: MergeMessages = (base, head, places) => {
  const parts: MergedPart<PlacedMessage[]>[] = [];
  let [i, j] = [0, 0];
  for (const [before, after] of [
    ...pairMessages(base, head),
    [base.length, head.length] as const,
  ]) {
    for (const message of base.slice(i, before))
      parts.push(oneSided(message, 'base', head[j], places));
    for (const message of head.slice(j, after))
      parts.push(oneSided(message, 'head', message, places));
    const [own, other] = [base[before], head[after]];
    if (own !== undefined && other !== undefined) parts.push(onBothSides(own, other, places));
    [i, j] = [before + 1, after + 1];
  }
  const { units, compose } = joinParts(parts);
  return { units, compose: (has) => compose(has).flat() };
};

function pairMessages(
  base: readonly PlacedMessage[],
  head: readonly PlacedMessage[],
): readonly (readonly [number, number])[] {
  const alike = base.length === head.length && base.every(({ role }, i) => role === head[i]?.role);
  if (alike) return base.map((_, i) => [i, i]);
  return align(base, head, (before, after) => {
    const words = wordSimilarity(before.content, after.content);
    return words < MIN_MESSAGE_LIKELIHOOD ? 0 : words + (before.role === after.role ? ROLE : 0);
  });
}

function messageText({ content, written }: PlacedMessage, isForeign: boolean): string {
  return isForeign ? (written ?? content) : content;
}

export function onBothSides(
  base: PlacedMessage,
  head: PlacedMessage,
  places: Places,
): MergedPart<PlacedMessage[]> {
  // Another tool's template is converted after composing.
  const isForeign = base.written !== undefined && head.written !== undefined;
  const texts = { base: messageText(base, isForeign), head: messageText(head, isForeign) };
  const roles = { base: base.role, head: head.role };
  const isSameRole = base.role === head.role;
  const { units, compose } = joinParts([
    wholePart(isSameRole ? null : lineUnit('role', head.place, roles), base.role, head.role),
    textPart(places, texts, { base: base.place, head: head.place }, 'lines'),
  ]);
  const known = [...(base.parts ?? []), ...(head.parts ?? [])];
  return {
    units,
    compose(has) {
      const [role, text] = compose(has);
      const content = isForeign ? { content: oursOf(text), written: text } : { content: text };
      return [{ role, place: base.place, ...content, ...shownParts(text, known) }];
    },
  };
}

function shownParts(text: string, known: readonly PromptPart[]): Pick<PlacedMessage, 'parts'> {
  const files = known.filter((part) => part.type !== 'text');
  const parts = partsOfText(text, files);
  return parts.some(({ type }) => type !== 'text') ? { parts } : {};
}

/** `next`: the message that follows on head. */
export function oneSided(
  message: PlacedMessage,
  side: Side,
  next: PlacedMessage | undefined,
  places: Places,
): MergedPart<PlacedMessage[]> {
  const text = messageText(message, true);
  const none = { base: null, head: null };
  const unit = { ...none, [side]: wholeSpan(text), kind: 'hunk' as const, anchor: 0 };
  const found = places.unitOf(unit, { ...none, [side]: text }, { ...none, [side]: message.place });
  // For quoted or escaped text, only the line of its message is known.
  const { file, line } = message.place;
  const lines = found.lines.from === 0 ? { from: line, to: line } : found.lines;
  const head = side === 'head' ? { file, line: lines.from } : (next?.place ?? found.head);
  const own = { base: [], head: [], [side]: [message] };
  return wholePart(
    { ...found, kind: 'message', name: message.role, lines, head },
    own.base,
    own.head,
  );
}
