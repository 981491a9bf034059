import { oursOf } from '../config/templates.ts';
import type { Prompt, PromptPart } from '../kernel/suite/suite.ts';
import { partsOfText } from '../text/content.ts';
import type { ChangeUnit } from './change-unit.ts';
import { composeText, mergeTexts, type Rewording } from './merged-text.ts';
import { type MergedText, align, wordSimilarity, wholeSpan } from './text-units.ts';
import type { Places } from './unit-places.ts';

type PlacedMessage = Prompt['messages'][number];

type MergedMessage =
  | { kind: 'one side'; side: 'base' | 'head'; message: PlacedMessage; unit: number }
  | {
      kind: 'both';
      base: PlacedMessage;
      head: PlacedMessage;
      first: number;
      text: MergedText;
      /** Whether the text is another tool's template. If so, it is converted after composing. */
      isForeign: boolean;
      role: number | null;
    };

interface MergedMessages {
  list: readonly MergedMessage[];
  swap: Swap | null;
}

interface Swap {
  base: readonly PlacedMessage[];
  head: readonly PlacedMessage[];
  unit: number;
}

const MIN_MESSAGE_LIKELIHOOD = 0.2;

const ROLE = 0.3;

export function mergeMessages(
  base: readonly PlacedMessage[],
  head: readonly PlacedMessage[],
): MergedMessages {
  const moved = movedMessages(base, head);
  const inOrder = [...head];
  for (const { to, slot } of moved) inOrder[slot] = to;
  const list = pairMessages(base, inOrder);
  const isKept = moved.every(({ from, to }) =>
    list.some((each) => each.kind === 'both' && each.base === from && each.head === to),
  );
  if (moved.length === 0 || !isKept) return { list: pairMessages(base, head), swap: null };
  const swapped = new Set(moved.map(({ to }) => to));
  const swap: Swap = {
    base: moved.map(({ from }) => from),
    head: head.filter((message) => swapped.has(message)),
    unit: list.reduce((sum, each) => sum + unitCount(each), 0),
  };
  return { list, swap };
}

function unitCount(message: MergedMessage): number {
  if (message.kind === 'one side') return 1;
  return message.text.units.length + (message.role === null ? 0 : 1);
}

/** Finds messages that changed places. `slot`: the index on head if base's order had been kept. */
function movedMessages(
  base: readonly PlacedMessage[],
  head: readonly PlacedMessage[],
): { from: PlacedMessage; to: PlacedMessage; slot: number }[] {
  const key = ({ role, content, written, parts }: PlacedMessage) =>
    JSON.stringify([role, content, written, parts]);
  const left = head.map(key);
  const pairs = base.flatMap((from) => {
    const at = left.indexOf(key(from));
    const to = head[at];
    if (to === undefined) return [];
    left[at] = '';
    return [{ from, to, at }];
  });
  const slots = pairs.map(({ at }) => at).sort((a, b) => a - b);
  return pairs
    .map(({ from, to, at }, index) => ({ from, to, at, slot: slots[index] ?? at }))
    .filter(({ at, slot }) => slot !== at);
}

function pairMessages(
  base: readonly PlacedMessage[],
  head: readonly PlacedMessage[],
): MergedMessage[] {
  const alike = base.length === head.length && base.every(({ role }, i) => role === head[i]?.role);
  const pairs: readonly (readonly [number, number])[] = alike
    ? base.map((_, i) => [i, i] as const)
    : align(base, head, (before, after) => {
        const words = wordSimilarity(before.content, after.content);
        return words < MIN_MESSAGE_LIKELIHOOD ? 0 : words + (before.role === after.role ? ROLE : 0);
      });
  const merged: MergedMessage[] = [];
  let [i, j, units] = [0, 0, 0];
  const alone = (side: 'base' | 'head', message: PlacedMessage | undefined) => {
    if (message !== undefined) merged.push({ kind: 'one side', side, message, unit: units++ });
  };
  for (const [before, after] of [...pairs, [base.length, head.length] as const]) {
    while (i < before) alone('base', base[i++]);
    while (j < after) alone('head', head[j++]);
    const [own, other] = [base[i++], head[j++]];
    if (own === undefined || other === undefined) continue;
    const role = own.role === other.role ? null : units++;
    const isForeign = own.written !== undefined && other.written !== undefined;
    const text = mergeTexts(messageText(own, isForeign), messageText(other, isForeign), 'lines');
    merged.push({ kind: 'both', base: own, head: other, first: units, text, role, isForeign });
    units += text.units.length;
  }
  return merged;
}

function messageText({ content, written }: PlacedMessage, isForeign: boolean): string {
  return isForeign ? (written ?? content) : content;
}

export function composedMessages(
  { list, swap }: MergedMessages,
  has: (unit: number) => boolean,
  reworded: Rewording | null = null,
): PlacedMessage[] {
  return list.flatMap((message) => {
    if (message.kind === 'one side')
      return has(message.unit) === (message.side === 'head') ? [message.message] : [];
    const { base, head, first, text, role, isForeign } = message;
    const swapped =
      swap !== null && has(swap.unit) ? swap.head[swap.base.indexOf(base)] : undefined;
    if (swapped !== undefined) return [swapped];
    const composed = composeText(
      text,
      (unit) => has(first + unit),
      reworded === null ? null : { ...reworded, unit: reworded.unit - first },
    );
    return [
      {
        role: role !== null && has(role) ? head.role : base.role,
        place: base.place,
        ...(isForeign ? { content: oursOf(composed), written: composed } : { content: composed }),
        ...shownParts(composed, [...(base.parts ?? []), ...(head.parts ?? [])]),
      },
    ];
  });
}

function shownParts(text: string, known: readonly PromptPart[]): Pick<PlacedMessage, 'parts'> {
  const files = known.filter((part) => part.type !== 'text');
  const parts = partsOfText(text, files);
  return parts.some(({ type }) => type !== 'text') ? { parts } : {};
}

export function messageUnits({ list, swap }: MergedMessages, places: Places): ChangeUnit[] {
  const changes = list.flatMap((message): ChangeUnit[] => {
    if (message.kind === 'one side') return [wholeMessage(message, list, places)];
    const { base, head, text, role, isForeign } = message;
    const at = { base: base.place, head: head.place };
    const texts = { base: messageText(base, isForeign), head: messageText(head, isForeign) };
    const { file, line } = head.place;
    return [
      ...(role === null
        ? []
        : [
            {
              kind: 'role' as const,
              name: null,
              file,
              side: 'head' as const,
              lines: { from: line, to: line },
              head: { file, line },
              base_text: base.role,
              head_text: head.role,
            },
          ]),
      ...text.units.map((unit) => places.unitOf(unit, texts, at)),
    ];
  });
  return swap === null ? changes : [...changes, swapUnit(swap)];
}

function swapUnit({ base, head }: Swap): ChangeUnit {
  const { file = '', line = 0 } = head[0]?.place ?? {};
  const own = head.filter(({ place }) => place.file === file);
  const words = (messages: readonly PlacedMessage[]) =>
    messages.map((message) => `${message.role}: ${messageText(message, true)}`).join('\n');
  return {
    kind: 'swap',
    name: null,
    file,
    side: 'head',
    lines: { from: line, to: own.at(-1)?.place.line ?? line },
    head: { file, line },
    base_text: words(base),
    head_text: words(head),
  };
}

function wholeMessage(
  own: Extract<MergedMessage, { kind: 'one side' }>,
  merged: readonly MergedMessage[],
  places: Places,
): ChangeUnit {
  const { side, message } = own;
  const text = messageText(message, true);
  const none = { base: null, head: null };
  const unit = { ...none, [side]: wholeSpan(text), kind: 'hunk' as const, anchor: 0 };
  const found = places.unitOf(unit, { ...none, [side]: text }, { ...none, [side]: message.place });
  // For quoted or escaped text, only the line of its message is known.
  const { file, line } = message.place;
  const lines = found.lines.from === 0 ? { from: line, to: line } : found.lines;
  const next = merged.slice(merged.indexOf(own)).flatMap(placeOnHead)[0];
  const head = side === 'head' ? { file, line: lines.from } : (next ?? found.head);
  return { ...found, kind: 'message', name: message.role, lines, head };
}

function placeOnHead(mergedMessage: MergedMessage): ChangeUnit['head'][] {
  const message =
    mergedMessage.kind === 'both'
      ? mergedMessage.head
      : mergedMessage.side === 'head'
        ? mergedMessage.message
        : null;
  return message === null ? [] : [message.place];
}
