import type { Path } from '../documents/document.ts';
import type { Generation, AffectedReference, SuiteSide } from '../kernel/select/affected-suite.ts';
import { createGeneration, withScript } from '../kernel/select/generation.ts';
import { changedFile, partPlace, changedSources } from '../kernel/select/prompt-changes.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import type { Prompt } from '../kernel/suite/suite.ts';
import { takesOverlay, targetIdentity, type Target } from '../types/model.ts';
import { type Json, type Place, type Side, isMap, jsonText, ownEntry } from '../types/plain.ts';
import { joinParts, lineUnit, wholePart, type ChangeUnit, type MergedPart } from './change-unit.ts';
import { type FilesChange, type ReadBytes, filesChange } from './file-units.ts';
import { mergeMessages, type MergeMessages } from './message-units.ts';
import { isEqual, mergeValues, propertyName, type ValueChange } from './schema-units.ts';
import { wholeSpan } from './text-units.ts';
import { type Places, type ReadLines, createPlaces, textPart, valuePlace } from './unit-places.ts';

export interface PromptChange {
  units: ChangeUnit[];
  /** The request with base's prompt and only the chosen units (parts) of the change. */
  generation(reference: AffectedReference, chosen: ReadonlySet<number>): Generation;
  head: Prompt;
  body(chosen: ReadonlySet<number>): Pick<Prompt, 'messages' | 'code'>;
  revert: FilesChange['revert'];
}

export function promptChange(
  base: SuiteSide | null,
  head: SuiteSide | null,
  read: ReadLines,
  bytes: ReadBytes = () => null,
  merge: MergeMessages = mergeMessages,
): PromptChange | { units: null; reason: string } {
  if (base === null || head === null)
    return { units: null, reason: 'the prompt exists on only one side' };
  const [before, after] = [base.suite.prompt, head.suite.prompt];
  if ((before.code === null) !== (after.code === null))
    return { units: null, reason: 'one side sends messages and the other runs code' };
  if (before.made !== undefined || after.made !== undefined)
    return { units: null, reason: 'its messages are generated for each reference' };
  const places = createPlaces(before, after, read);
  const files = filesChange(base.variant.target, head.variant.target, bytes);
  const { units, compose } = joinParts([
    wholePart<Side>(modelUnit(base, head), 'base', 'head'),
    mergeParameters(base, head, read),
    merge(before.messages, after.messages, places),
    mergeCode(before.code, after.code, places),
    files,
  ]);
  const composed = (chosen: ReadonlySet<number>) => compose((unit) => chosen.has(unit));
  return {
    units,
    head: after,
    body(chosen) {
      const [, , messages, code] = composed(chosen);
      return { messages, code };
    },
    revert: files.revert,
    generation(reference, chosen) {
      if (chosen.size === 0 && reference.base !== null) return reference.base;
      if (chosen.size === units.length && reference.head !== null) return reference.head;
      const [side, parameters, messages, code, targetOf] = composed(chosen);
      const { model } = { base, head }[side].variant;
      // If head removed a variable, base's value fills it.
      const input = { ...reference.baseReference?.input, ...reference.reference.input };
      const shown = { ...reference.baseReference?.shown, ...reference.reference.shown };
      const asked = createGeneration(
        { ...before, messages, code, variables: [] },
        { model, target: targetOf(side), parameters },
        { ...reference.reference, input, shown },
      );
      return withScript(asked, base.suite.tests, reference.reference);
    },
  };
}

function mergeCode(
  base: Prompt['code'],
  head: Prompt['code'],
  places: Places,
): MergedPart<Prompt['code']> {
  if (base === null || head === null) return wholePart(null, base, head);
  const texts = { base: base.source, head: head.source };
  const at = { base: base.place, head: head.place };
  if (base.language !== head.language) {
    const [before, after] = [wholeSpan(base.source), wholeSpan(head.source)];
    const whole = { kind: 'hunk' as const, base: before, head: after, anchor: 0 };
    return wholePart(places.unitOf(whole, texts, at), base, head);
  }
  const { units, compose } = textPart(places, texts, at, 'hunks');
  return { units, compose: (has) => ({ ...base, source: compose(has) }) };
}

function modelUnit(base: SuiteSide, head: SuiteSide): ChangeUnit | null {
  const [before, after] = [base.variant, head.variant];
  const named = before.model !== after.model;
  if (!named && programIdentity(before.target) === programIdentity(after.target)) return null;
  const written = named ? partPlace(head, 'model') : null;
  const sources =
    named || before.target === null || after.target === null
      ? []
      : changedSources(before.target, after.target);
  // If several files changed, names the file that lists them.
  const [source = unitSettings(head)] = sources.length === 1 ? sources : [];
  const { file, line } = written ?? { file: source, line: 0 };
  const words = ({ variant: { model, target } }: SuiteSide) =>
    target === null || named
      ? model
      : `${target.model} (${takesOverlay(target) ? AGENT_WORD : target.provider})`;
  const texts = { base: words(base), head: words(head) };
  return {
    ...lineUnit(named ? 'model' : 'provider', { file, line }, texts),
    ...(sources.length > 1 ? { files: sources } : {}),
  };
}

export const AGENT_WORD = 'agent';

function unitSettings({ suite, variant, scoring }: SuiteSide): string {
  return takesOverlay(variant.target) ? suite.prompt.file : scoring.settingsFile;
}

function programIdentity(target: Target | null): string {
  if (target === null) return '';
  return canonicalJson({ ...targetIdentity(target), ...(takesOverlay(target) && { files: null }) });
}

type Parameters = Record<string, Json>;

interface Difference {
  key: string;
  tool: string | null;
  base: Json | undefined;
  head: Json | undefined;
}

function mergeParameters(
  base: SuiteSide,
  head: SuiteSide,
  read: ReadLines,
): MergedPart<Parameters> {
  const [before, after] = [base.variant.parameters, head.variant.parameters];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differences = keys.flatMap((key): Difference[] => {
    const [own, other] = [ownEntry(before, key), ownEntry(after, key)];
    if (isEqual(own, other)) return [];
    const tools = key === 'tools' ? toolDifferences(own ?? [], other ?? []) : null;
    return tools ?? [{ key, tool: null, base: own, head: other }];
  });
  const { units, compose } = joinParts(
    differences.map((difference) => mergeValue(difference, base, head, read)),
  );
  return {
    units,
    compose(has) {
      const composed = { ...before };
      for (const [index, merged] of compose(has).entries()) {
        const { key = '', tool = null, base: unchanged } = differences[index] ?? {};
        if (merged === unchanged) continue;
        const value = tool === null ? merged : withTool(composed[key], tool, merged);
        if (value === undefined) Reflect.deleteProperty(composed, key);
        else composed[key] = value;
      }
      return composed;
    },
  };
}

function mergeValue(
  { key, tool, ...whole }: Difference,
  base: SuiteSide,
  head: SuiteSide,
  read: ReadLines,
): MergedPart<Json | undefined> {
  const parts = mergeValues(whole.base, whole.head);
  const onBase = placesIn(base, 'base', key, tool, read);
  const onHead = placesIn(head, 'head', key, tool, read);
  const unitOf = ({ path, isRenamed, ...change }: ValueChange): ChangeUnit => {
    const texts = { base: writtenValue(change.base), head: writtenValue(change.head) };
    const at = onHead(path) ?? { file: changedFile(base, head, key), line: 0 };
    const place = (texts.head === null ? onBase(path) : null) ?? at;
    const unit = { ...lineUnit('property', place, texts), head: at };
    if (parts === null)
      return { ...unit, kind: tool === null ? 'parameter' : 'tool', name: tool ?? key };
    return { ...unit, name: isRenamed ? null : propertyName(path), of: { parameter: key, tool } };
  };
  if (parts !== null) return { units: parts.changes.map(unitOf), compose: parts.compose };
  return wholePart(unitOf({ ...whole, path: [], isRenamed: false }), whole.base, whole.head);
}

function writtenValue(value: Json | undefined): string | null {
  return value === undefined ? null : jsonText(value);
}

function placesIn(
  of: SuiteSide,
  side: Side,
  key: string,
  tool: string | null,
  read: ReadLines,
): (path: Path) => Place | null {
  const at = partPlace(of, key);
  if (at === null) return () => null;
  const value = of.variant.parameters[key];
  const placeOf = valuePlace(read(side, at.file), at, key, value);
  const inTool =
    tool === null || !Array.isArray(value)
      ? []
      : [value.findIndex((own) => toolName(own) === tool)];
  return (path) => placeOf([...inTool, ...path]);
}

/** Null if tools cannot be matched by name, or have another order. */
function toolDifferences(before: Json, after: Json): Difference[] | null {
  const [base, head] = [toolsByName(before), toolsByName(after)];
  if (base === null || head === null) return null;
  const names = [...new Set([...base.keys(), ...head.keys()])];
  const differences = names.flatMap((tool): Difference[] => {
    const [own, other] = [base.get(tool), head.get(tool)];
    return isEqual(own, other) ? [] : [{ key: 'tools', tool, base: own, head: other }];
  });
  const all = differences.reduce<Json | undefined>(
    (tools, { tool, head: own }) => withTool(tools, tool ?? '', own),
    before,
  );
  return isEqual(all ?? [], after) ? differences : null;
}

function toolsByName(tools: Json): Map<string, Json> | null {
  if (!Array.isArray(tools)) return null;
  const named = tools.flatMap((tool): [string, Json][] => {
    const name = toolName(tool);
    return name === null ? [] : [[name, tool]];
  });
  const byName = new Map(named);
  return byName.size < tools.length ? null : byName;
}

function toolName(tool: Json): string | null {
  if (!isMap(tool)) return null;
  const inner = tool['function'];
  const name = isMap(inner ?? null) ? (inner as Parameters)['name'] : tool['name'];
  return typeof name === 'string' ? name : null;
}

function withTool(tools: Json | undefined, name: string, tool: Json | undefined): Json | undefined {
  const list = Array.isArray(tools) ? tools : [];
  const has = list.some((own) => toolName(own) === name);
  if (tool === undefined) {
    const rest = list.filter((own) => toolName(own) !== name);
    return rest.length === 0 ? undefined : rest;
  }
  return has ? list.map((own) => (toolName(own) === name ? tool : own)) : [...list, tool];
}
