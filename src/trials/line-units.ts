import type { AffectedReference, Generation, SuiteSide } from '../kernel/select/affected-suite.ts';
import { createGeneration, withDependencies } from '../kernel/select/generation.ts';
import { placeholders } from '../kernel/suite/template.ts';
import { partsOfText } from '../text/content.ts';
import { takesOverlay } from '../types/model.ts';
import { isMap, type Json, type JsonMap } from '../types/plain.ts';
import { joinParts, wholePart, type ChangeUnit, type MergedPart } from './change-unit.ts';
import { oneSided, onBothSides, type PlacedMessage } from './message-units.ts';
import { mergeParameters } from './prompt-units.ts';
import { createPlaces, type Places, type ReadLines } from './unit-places.ts';

/**
 * The parts of a prompt that can be taken away: lines, sentences of long lines, pairs of example
 * messages, and descriptions in parameters (such as those of tools). Lines that insert an input, or
 * are in a template block, always stay.
 */
export interface PromptLines {
  units: ChangeUnit[];
  /** The request without these units. */
  generation(reference: AffectedReference, without: ReadonlySet<number>): Generation;
}

/** `isAsked`: false for texts that must stay. */
export function promptLines(
  side: SuiteSide,
  read: ReadLines,
  isAsked: IsAsked,
): PromptLines | { units: null; reason: string } {
  const { suite, variant } = side;
  const { prompt, tests } = suite;
  if (prompt.code !== null) return { units: null, reason: 'the prompt is code' };
  if (prompt.made !== undefined)
    return { units: null, reason: 'code makes its messages for each test' };
  if (takesOverlay(variant.target))
    return { units: null, reason: 'instruction files of agents are not examined' };
  const bare = withoutDescriptions(variant.parameters, isAsked);
  const { units, compose } = joinParts([
    mergeParameters({ ...side, variant: { ...variant, parameters: bare } }, side, read),
    removableMessages(prompt.messages, createPlaces(prompt, prompt, read), isAsked),
  ]);
  return {
    units,
    generation(affected, without) {
      if (without.size === 0 && affected.head !== null) return affected.head;
      const { reference } = affected;
      const [parameters, messages] = compose((unit) => !without.has(unit));
      const asked = createGeneration(
        { ...prompt, messages, variables: [] },
        { ...variant, parameters },
        reference,
      );
      return withDependencies(asked, tests, reference);
    },
  };
}

/** The lines, messages and descriptions of a prompt, without white space around them. */
export function promptTexts({ suite: { prompt }, variant }: SuiteSide): Set<string> {
  const texts = prompt.messages.map(textOf).flatMap((text) => [text, ...text.split('\n')]);
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

function textOf({ content, written }: PlacedMessage): string {
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
    const whole = `${textOf(own)}\n${textOf(next)}`;
    const [unit = null] = oneSided(own, 'head', own, places).units;
    if (unit === null || !isAsked(textOf(own).trim())) return wholePart(null, [own, next], []);
    return wholePart({ ...unit, name: 'example', head_text: whole }, [], [own, next]);
  });
  const { units, compose } = joinParts(parts);
  // Vendors refuse empty messages.
  return {
    units,
    compose: (has) =>
      compose(has)
        .flat()
        .filter((message) => textOf(message).trim() !== ''),
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
    [own, next].every((message) => message.parts === undefined && !insertsInput(textOf(message)))
  );
}

function removableLines(
  message: PlacedMessage,
  places: Places,
  isAsked: IsAsked,
  isLast: boolean,
): MergedPart<PlacedMessage[]> {
  const lines = textOf(message).split('\n');
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
    .filter((line, at) => at === kept || isFixed(line, at) || !isAsked(line.trim()))
    .join('\n');
  const written = message.written === undefined ? {} : { written: content };
  return onBothSides({ ...message, content, ...written }, message, places);
}

/** In other tools' templates, a variable begins with `{{`. */
function insertsInput(text: string): boolean {
  return text.includes('{{') || placeholders(text).length > 0;
}
