import type { SuiteSide } from '../kernel/select/affected-suite.ts';
import { placeholders } from '../kernel/suite/template.ts';
import { partsOfText } from '../text/content.ts';
import { takesOverlay } from '../types/model.ts';
import { isMap, type Json, type JsonMap } from '../types/plain.ts';
import { joinParts, wholePart, type MergedPart } from './change-unit.ts';
import { withoutInstructions } from './file-units.ts';
import { oneSided, onBothSides, type MergeMessages, type PlacedMessage } from './message-units.ts';
import { promptChange } from './prompt-units.ts';
import type { SideFiles } from './side-files.ts';
import type { Places } from './unit-places.ts';

/**
 * The parts of a prompt that can be taken away, as changes of a prompt without them: lines, sentences
 * of long lines, pairs of example messages, descriptions in parameters (such as those of tools), and
 * lines of an agent's instruction files.
 * Lines that insert an input, or are in a template block, always stay. `isAsked`: false for texts
 * that must stay.
 */
export function promptLines(
  side: SuiteSide,
  { lines: read, bytes }: SideFiles,
  isAsked: IsAsked,
): ReturnType<typeof promptChange> {
  const { suite, variant } = side;
  if (suite.prompt.code !== null) return { units: null, reason: 'the prompt is code' };
  const parameters = withoutDescriptions(variant.parameters, isAsked);
  const files = takesOverlay(variant.target) ? withoutInstructions(variant.target, bytes) : null;
  const target = files?.target ?? variant.target;
  const bare = { ...side, variant: { ...variant, parameters, target } };
  const merge: MergeMessages = (messages, _, places) =>
    removableMessages(messages, places, isAsked);
  const change = promptChange(bare, side, read, files?.read, merge);
  if (change.units === null) return change;
  return {
    ...change,
    generation: (affected, chosen) =>
      change.generation({ ...affected, base: null, baseReference: null }, chosen),
  };
}

/** The lines, messages and descriptions of a prompt, without white space around them. */
export function promptTexts({ suite: { prompt }, variant }: SuiteSide): Set<string> {
  const texts = prompt.messages.map(writtenText).flatMap((text) => [text, ...text.split('\n')]);
  withoutDescriptions(variant.parameters, (text) => texts.push(text) > 0);
  return new Set(texts.map((text) => text.trim()));
}

type IsAsked = (text: string) => boolean;

function withoutDescriptions(map: JsonMap, isAsked: IsAsked): JsonMap {
  const strip = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(strip);
    return isMap(value) ? withoutDescriptions(value, isAsked) : value;
  };
  return Object.fromEntries(
    Object.entries(map).flatMap(([key, own]) =>
      key === 'description' && typeof own === 'string' && isAsked(own.trim())
        ? []
        : [[key, strip(own)]],
    ),
  );
}

function writtenText({ content, written }: PlacedMessage): string {
  return written ?? content;
}

function removableMessages(
  messages: readonly PlacedMessage[],
  places: Places,
  isAsked: IsAsked,
): MergedPart<PlacedMessage[]> {
  const last = messages.at(-1);
  const parts = messages.map((own, at): MergedPart<PlacedMessage[]> => {
    const [before, next] = [messages[at - 1], messages[at + 1]];
    if (isExample(before, own, last)) return wholePart(null, [], []);
    if (!isExample(own, next, last)) return removableLines(own, places, isAsked, own === last);
    const whole = `${writtenText(own)}\n${writtenText(next)}`;
    const [unit = null] = oneSided(own, 'head', own, places).units;
    if (unit === null || !isAsked(writtenText(own).trim())) return wholePart(null, [own, next], []);
    return wholePart({ ...unit, name: 'example', head_text: whole }, [], [own, next]);
  });
  const { units, compose } = joinParts(parts);
  // Vendors refuse empty messages.
  return {
    units,
    compose: (has) =>
      compose(has)
        .flat()
        .filter((message) => writtenText(message).trim() !== ''),
  };
}

/** A message of a user and its answer, before the last message. */
function isExample(
  own: PlacedMessage | undefined,
  next: PlacedMessage | undefined,
  last: PlacedMessage | undefined,
): next is PlacedMessage {
  return (
    own?.role === 'user' &&
    next?.role === 'assistant' &&
    next !== last &&
    [own, next].every(
      (message) => message.parts === undefined && !insertsInput(writtenText(message)),
    )
  );
}

function removableLines(
  message: PlacedMessage,
  places: Places,
  isAsked: IsAsked,
  isLast: boolean,
): MergedPart<PlacedMessage[]> {
  const whole = writtenText(message);
  const lines = whole.trimEnd().split('\n');
  const files = (message.parts ?? []).filter((part) => part.type !== 'text');
  const isOpen = (text: string) => text.includes('{%');
  const [first, end] = [lines.findIndex(isOpen), lines.findLastIndex(isOpen)];
  const isFixed = (line: string, at: number) =>
    insertsInput(line) ||
    (first >= 0 && at >= first && at <= end) ||
    partsOfText(line, files).some(({ type }) => type !== 'text');
  // A conversation must not end without its last message.
  const mustStay = isLast && message.role !== 'system' && !lines.some(isFixed);
  const kept = lines.findLastIndex((line) => mustStay && line.trim() !== '');
  const content = lines
    .filter(
      (line, at) => at === kept || isFixed(line, at) || line.trim() === '' || !isAsked(line.trim()),
    )
    .join('\n');
  const withText = (own: PlacedMessage, text: (own: string) => string): PlacedMessage => ({
    ...own,
    content: text(own.content),
    ...(own.written === undefined ? {} : { written: text(own.written) }),
  });
  const base = withText(message, () => content);
  const head = withText(message, (own) => own.trimEnd());
  const { units, compose } = onBothSides(base, head, places);
  // White space at the end belongs to no line, so it stays if the last line is away.
  const blank = whole.slice(whole.trimEnd().length);
  return {
    units,
    compose: (has) => compose(has).map((own) => withText(own, (text) => `${text}${blank}`)),
  };
}

/** In other tools' templates, a variable begins with `{{`. */
function insertsInput(text: string): boolean {
  return text.includes('{{') || placeholders(text).length > 0;
}
