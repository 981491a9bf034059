import type { Path } from '../documents/document.ts';
import type { Generation, AffectedReference, SuiteSide } from '../kernel/select/affected-suite.ts';
import { createGeneration, withDependencies } from '../kernel/select/generation.ts';
import { changedFile, partPlace, changedSources } from '../kernel/select/prompt-changes.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import type { Prompt } from '../kernel/suite/suite.ts';
import { takesOverlay, targetIdentity, type Target } from '../types/model.ts';
import { type Json, type Place, type Side, isMap, jsonText, ownEntry } from '../types/plain.ts';
import type { ChangeUnit } from './change-unit.ts';
import { type FilesChange, type ReadBytes, filesChange } from './file-units.ts';
import { type Rewording, composeText, mergeTexts } from './merged-text.ts';
import { composedMessages, mergeMessages, messageUnits } from './message-units.ts';
import { isEqual, mergeValues, propertyName } from './schema-units.ts';
import { wholeSpan } from './text-units.ts';
import { type ReadLines, createPlaces, valuePlace } from './unit-places.ts';

export interface PromptChange {
  units: ChangeUnit[];
  /** The request with base's prompt and only the chosen units (parts) of the change. */
  generation(
    reference: AffectedReference,
    chosen: ReadonlySet<number>,
    reworded?: Rewording | null,
  ): Generation;
  head: Prompt;
  body(chosen: ReadonlySet<number>, reworded?: Rewording | null): Pick<Prompt, 'messages' | 'code'>;
  revert: FilesChange['revert'];
}

export function promptChange(
  base: SuiteSide | null,
  head: SuiteSide | null,
  read: ReadLines,
  bytes: ReadBytes = () => null,
): PromptChange | { units: null; reason: string } {
  if (base === null || head === null)
    return { units: null, reason: 'the prompt exists on only one side' };
  const [before, after] = [base.suite.prompt.code, head.suite.prompt.code];
  if ((before === null) !== (after === null))
    return { units: null, reason: 'one side sends messages and the other runs code' };
  if (base.suite.prompt.made !== undefined || head.suite.prompt.made !== undefined)
    return { units: null, reason: 'its messages are generated for each reference' };
  const text = messages(base, head, read);
  const body =
    before === null || after === null ? text : joinBodies(text, codeUnits(base, head, read));
  const model = modelUnit(base, head);
  const files = filesChange(base.variant.target, head.variant.target, bytes);
  const parameters = mergeParameters(base.variant.parameters, head.variant.parameters);
  const shared = [
    ...(model === null ? [] : [model]),
    ...parameterUnits(parameters, base, head, read),
  ];
  const shift = shared.length;
  const offset = model === null ? 0 : 1;
  const bodyOf: PromptChange['body'] = (chosen, reworded = null) => ({
    messages: [],
    code: null,
    ...body.prompt(
      (unit) => chosen.has(unit + shift),
      reworded === null ? null : { ...reworded, unit: reworded.unit - shift },
    ),
  });
  const inFiles = shift + body.units.length;
  return {
    units: [...shared, ...body.units, ...files.units],
    head: head.suite.prompt,
    body: bodyOf,
    revert: files.revert,
    generation(reference, chosen, reworded = null) {
      const all = inFiles + files.units.length;
      if (reworded === null && chosen.size === 0 && reference.base !== null) return reference.base;
      if (reworded === null && chosen.size === all && reference.head !== null)
        return reference.head;
      const side = model !== null && chosen.has(0) ? 'head' : 'base';
      const from = { base, head }[side];
      const target = files.target(side, (unit) => chosen.has(unit + inFiles));
      const prompt = { ...base.suite.prompt, ...bodyOf(chosen, reworded) };
      const own = composedParameters(parameters, (unit) => chosen.has(unit + offset));
      // If head removed a variable, base's value fills it.
      const input = { ...reference.baseReference?.input, ...reference.reference.input };
      const shown = { ...reference.baseReference?.shown, ...reference.reference.shown };
      const asked = createGeneration(
        { ...prompt, variables: [] },
        { model: from.variant.model, target, parameters: own },
        { ...reference.reference, input, shown },
      );
      return withDependencies(asked, base.suite.tests, reference.reference);
    },
  };
}

interface ComposablePrompt {
  units: ChangeUnit[];
  prompt(
    has: (unit: number) => boolean,
    reworded: Rewording | null,
  ): Partial<Pick<Prompt, 'messages' | 'code'>>;
}

function joinBodies(first: ComposablePrompt, second: ComposablePrompt): ComposablePrompt {
  const shift = first.units.length;
  return {
    units: [...first.units, ...second.units],
    prompt: (has, reworded) => ({
      ...first.prompt(has, reworded),
      ...second.prompt(
        (unit) => has(unit + shift),
        reworded === null ? null : { ...reworded, unit: reworded.unit - shift },
      ),
    }),
  };
}

function messages(base: SuiteSide, head: SuiteSide, read: ReadLines): ComposablePrompt {
  const merged = mergeMessages(base.suite.prompt.messages, head.suite.prompt.messages);
  return {
    units: messageUnits(merged, createPlaces(base.suite.prompt, head.suite.prompt, read)),
    prompt: (has, reworded) => ({ messages: composedMessages(merged, has, reworded) }),
  };
}

function codeUnits(
  { suite: base }: SuiteSide,
  { suite: head }: SuiteSide,
  read: ReadLines,
): ComposablePrompt {
  const [before, after] = [base.prompt.code, head.prompt.code];
  if (before === null || after === null) return { units: [], prompt: () => ({ code: before }) };
  const places = createPlaces(base.prompt, head.prompt, read);
  if (before.language !== after.language) {
    const whole = {
      kind: 'hunk' as const,
      base: wholeSpan(before.source),
      head: wholeSpan(after.source),
      anchor: 0,
    };
    const text = { base: before.source, head: after.source };
    return {
      units: [places.unitOf(whole, text, { base: before.place, head: after.place })],
      prompt: (has) => ({ code: has(0) ? after : before }),
    };
  }
  const merged = mergeTexts(before.source, after.source, 'hunks');
  const text = { base: before.source, head: after.source };
  return {
    units: merged.units.map((unit) =>
      places.unitOf(unit, text, { base: before.place, head: after.place }),
    ),
    prompt: (has, reworded) => ({
      code: { ...before, source: composeText(merged, has, reworded) },
    }),
  };
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
  return {
    kind: named ? 'model' : 'provider',
    name: null,
    file,
    side: 'head',
    lines: { from: line, to: line },
    head: { file, line },
    base_text: words(base),
    head_text: words(head),
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
  parts: ReturnType<typeof mergeValues>;
}

interface MergedParameters {
  base: Parameters;
  differences: Difference[];
}

function mergeParameters(base: Parameters, head: Parameters): MergedParameters {
  const keys = [...new Set([...Object.keys(base), ...Object.keys(head)])];
  const differences = keys.flatMap((key) => {
    const [before, after] = [ownEntry(base, key), ownEntry(head, key)];
    if (isEqual(before, after)) return [];
    const whole = { key, tool: null, base: before, head: after };
    const tools = key === 'tools' ? toolDifferences(before ?? [], after ?? []) : null;
    return tools ?? [whole];
  });
  return {
    base,
    differences: differences.map((each) => ({ ...each, parts: mergeValues(each.base, each.head) })),
  };
}

function composedParameters(
  { base, differences }: MergedParameters,
  has: (unit: number) => boolean,
): Parameters {
  const composed = { ...base };
  let first = 0;
  for (const { key, tool, head, parts } of differences) {
    const from = first;
    first += parts?.changes.length ?? 1;
    if (parts === null && !has(from)) continue;
    const merged = parts === null ? head : parts.compose((change) => has(from + change));
    const value = tool === null ? merged : withTool(composed[key], tool, merged);
    if (value === undefined) Reflect.deleteProperty(composed, key);
    else composed[key] = value;
  }
  return composed;
}

function parameterUnits(
  { differences }: MergedParameters,
  base: SuiteSide,
  head: SuiteSide,
  read: ReadLines,
): ChangeUnit[] {
  return differences.flatMap(({ key, tool, parts, ...whole }) => {
    const onBase = placesIn(base, 'base', key, tool, read);
    const onHead = placesIn(head, 'head', key, tool, read);
    const names =
      parts === null
        ? { kind: tool === null ? ('parameter' as const) : ('tool' as const) }
        : { kind: 'property' as const, of: { parameter: key, tool } };
    const changes = parts?.changes ?? [{ ...whole, path: [], isRenamed: false }];
    return changes.map((change): ChangeUnit => {
      const side = change.head === undefined ? 'base' : 'head';
      const at = onHead(change.path) ?? { file: changedFile(base, head, key), line: 0 };
      const { file, line } = (side === 'head' ? null : onBase(change.path)) ?? at;
      const name = parts === null ? (tool ?? key) : propertyName(change.path);
      return {
        ...names,
        name: change.isRenamed ? null : name,
        file,
        side,
        lines: { from: line, to: line },
        head: at,
        base_text: change.base === undefined ? null : jsonText(change.base),
        head_text: change.head === undefined ? null : jsonText(change.head),
      };
    });
  });
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
function toolDifferences(before: Json, after: Json): Omit<Difference, 'parts'>[] | null {
  const [base, head] = [toolsByName(before), toolsByName(after)];
  if (base === null || head === null) return null;
  const names = [...new Set([...base.keys(), ...head.keys()])];
  const differences = names.flatMap((tool): Omit<Difference, 'parts'>[] => {
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
