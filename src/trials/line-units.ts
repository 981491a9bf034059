import type { AffectedReference, Generation, SuiteSide } from '../kernel/select/affected-suite.ts';
import { createGeneration, withDependencies } from '../kernel/select/generation.ts';
import { placeholders } from '../kernel/suite/template.ts';
import { partsOfText } from '../text/content.ts';
import { takesOverlay } from '../types/model.ts';
import { isMap, type Json, type JsonMap } from '../types/plain.ts';
import { joinParts, wholePart, type ChangeUnit, type MergedPart } from './change-unit.ts';
import { composeText, removableText, sentencesOf } from './merged-text.ts';
import { writtenContent, type PlacedMessage } from './message-units.ts';
import { mergeParameters } from './prompt-units.ts';
import { wholeSpan } from './text-units.ts';
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
  isAsked: (text: string) => boolean,
): PromptLines | { units: null; reason: string } {
  const { suite, variant } = side;
  const { prompt, tests } = suite;
  if (prompt.code !== null) return { units: null, reason: 'the prompt is code' };
  if (prompt.made !== undefined)
    return { units: null, reason: 'code makes its messages for each test' };
  if (takesOverlay(variant.target)) return { units: null, reason: 'instruction files of agents are not examined' };
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

/** Every text of a prompt that can be a unit, without white space around it. */
export function promptTexts({ suite: { prompt }, variant }: SuiteSide): Set<string> {
  const texts = prompt.messages.flatMap((message) => {
    const lines = textOf(message).split('\n');
    return [textOf(message), ...lines, ...lines.flatMap(sentencesOf)];
  });
  const described: string[] = [];
  withoutDescriptions(variant.parameters, (text) => {
    described.push(text);
    return true;
  });
  return new Set([...texts, ...described].map((text) => text.trim()));
}

function withoutDescriptions(map: JsonMap, isAsked: (text: string) => boolean): JsonMap {
  const strip = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(strip);
    if (!isMap(value)) return value;
    const entries = Object.entries(value).filter(
      ([key, own]) => key !== 'description' || typeof own !== 'string' || !isAsked(own.trim()),
    );
    return Object.fromEntries(entries.map(([key, own]) => [key, strip(own)]));
  };
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, strip(value)]));
}

function textOf({ content, written }: PlacedMessage): string {
  return written ?? content;
}

function removableMessages(
  messages: readonly PlacedMessage[],
  places: Places,
  isAsked: (text: string) => boolean,
): MergedPart<PlacedMessage[]> {
  const parts: MergedPart<PlacedMessage[]>[] = [];
  for (let at = 0; at < messages.length; at += 1) {
    const [own, next] = [messages[at], messages[at + 1]];
    if (own === undefined) continue;
    const isLast = at === messages.length - 1;
    if (next !== undefined && at + 2 < messages.length && isExample(own, next, isAsked)) {
      parts.push(examplePart(own, next, places));
      at += 1;
    } else parts.push(linesPart(own, places, isAsked, isLast && own.role !== 'system'));
  }
  const { units, compose } = joinParts(parts);
  return { units, compose: (has) => compose(has).flat() };
}

/** A message of a user and its answer, followed by others. */
function isExample(
  own: PlacedMessage,
  next: PlacedMessage,
  isAsked: (text: string) => boolean,
): boolean {
  return (
    own.role === 'user' &&
    next.role === 'assistant' &&
    [own, next].every(
      (message) => message.parts === undefined && !insertsInput(textOf(message), message),
    ) &&
    [own, next].some((message) => isAsked(textOf(message).trim()))
  );
}

function examplePart(
  own: PlacedMessage,
  next: PlacedMessage,
  places: Places,
): MergedPart<PlacedMessage[]> {
  const text = textOf(own);
  const span = { kind: 'hunk' as const, base: null, head: wholeSpan(text), anchor: 0 };
  const unit = places.unitOf(span, { base: null, head: text }, { base: null, head: own.place });
  const { line } = own.place;
  const lines = unit.lines.from === 0 ? { from: line, to: line } : unit.lines;
  const whole = `${text}\n${textOf(next)}`;
  return wholePart(
    { ...unit, kind: 'message', name: 'example', lines, head_text: whole },
    [],
    [own, next],
  );
}

/** `mustStay`: a conversation must not end without its last message. */
function linesPart(
  message: PlacedMessage,
  places: Places,
  isAsked: (text: string) => boolean,
  mustStay: boolean,
): MergedPart<PlacedMessage[]> {
  const text = textOf(message);
  const { role, place, parts = [], written } = message;
  const blocked = blockLines(text);
  const files = parts.filter((part) => part.type !== 'text');
  const lines = text.split('\n');
  const isFixed = (line: string) =>
    insertsInput(line, message) ||
    blocked.has(line) ||
    partsOfText(line, files)[0]?.type !== 'text';
  const last = lines.findLast((line) => line.trim() !== '');
  const keepsLast = mustStay && !lines.some(isFixed);
  const merged = removableText(
    text,
    (part) => isFixed(part) || !isAsked(part.trim()) || (keepsLast && part === last),
  );
  const texts = { base: null, head: text };
  return {
    units: merged.units.map((unit) => places.unitOf(unit, texts, { base: null, head: place })),
    compose(has) {
      const composed = composeText(merged, has);
      // Vendors refuse empty messages.
      if (composed.trim() === '') return [];
      return [{ role, place, ...writtenContent(composed, written !== undefined, parts) }];
    },
  };
}

/** In another tool's templates, `{{` begins a variable. */
function insertsInput(text: string, { written }: PlacedMessage): boolean {
  return written === undefined ? placeholders(text).length > 0 : text.includes('{{');
}

/** The lines from the first template statement to the last. */
function blockLines(text: string): ReadonlySet<string> {
  const [first, last] = [text.indexOf('{%'), text.lastIndexOf('%}')];
  if (first < 0 || last < first) return new Set();
  const start = text.lastIndexOf('\n', first) + 1;
  const end = text.indexOf('\n', last);
  return new Set(text.slice(start, end < 0 ? undefined : end).split('\n'));
}
