import { type Path, valueAt } from '../documents/document.ts';
import { readYaml } from '../documents/yaml.ts';
import type { Prompt } from '../kernel/suite/suite.ts';
import type { Json, Place, Side } from '../types/plain.ts';
import type { SourceTree } from '../types/repository.ts';
import type { ChangeUnit, MergedPart } from './change-unit.ts';
import { composeText, mergeTexts } from './merged-text.ts';
import { isEqual } from './schema-units.ts';
import type { TextSpan, TextUnit } from './text-units.ts';

/** Null if the side has no such text file. */
export type ReadLines = (side: Side, file: string) => readonly string[] | null;

export async function fileLines(tree: SourceTree | null, file: string): Promise<readonly string[]> {
  if (tree?.files.has(file) !== true) return [];
  return new TextDecoder().decode(await tree.read(file)).split(/\r?\n/);
}

type BySide<T> = Record<Side, T | null>;

export interface Places {
  unitOf(unit: TextUnit, texts: BySide<string>, at: BySide<Place>): ChangeUnit;
}

export function createPlaces(base: Prompt, head: Prompt, read: ReadLines): Places {
  const known = new Map<string, LineRange[]>();
  const rangesOf = (side: Side, text: string, at: Place) => {
    const key = JSON.stringify([side, at, text]);
    const found = known.get(key) ?? linePlaces(read(side, at.file) ?? [], at.line, text);
    known.set(key, found);
    return found;
  };
  const placeOf = (side: Side, span: TextSpan, text: string, at: Place, kind: TextUnit['kind']) => {
    const ranges = rangesOf(side, text, at);
    const [from, to] = [ranges[span.from]?.from ?? 0, ranges[span.to]?.to ?? 0];
    const whole = from > 0 && to >= from ? { from, to } : { from, to: from };
    if (kind !== 'sentence' || from === 0) return whole;
    const own = textPlace(read(side, at.file) ?? [], whole.from, span.text);
    return own !== null && own.to <= whole.to ? own : whole;
  };
  return {
    unitOf(unit, texts, at) {
      const side: Side = unit.head === null ? 'base' : 'head';
      const own = at[side] ?? { file: side === 'head' ? head.file : base.file, line: 0 };
      const span = unit[side];
      const lines =
        span === null
          ? { from: own.line, to: own.line }
          : placeOf(side, span, texts[side] ?? '', own, unit.kind);
      return {
        kind: unit.kind,
        name: null,
        file: own.file,
        side,
        lines,
        head: headPlace(unit, lines),
        base_text: unit.base?.text ?? null,
        head_text: unit.head?.text ?? null,
      };

      function headPlace(
        { head: written, anchor }: TextUnit,
        { from }: LineRange,
      ): ChangeUnit['head'] {
        const place = at.head ?? { file: head.file, line: 0 };
        if (written !== null) return { file: place.file, line: from };
        const ranges = texts.head === null ? [] : rangesOf('head', texts.head, place);
        return { file: place.file, line: ranges[anchor]?.from ?? 0 };
      }
    },
  };
}

export function textPart(
  { unitOf }: Places,
  texts: Record<Side, string>,
  at: Record<Side, Place>,
  grain: Parameters<typeof mergeTexts>[2],
): MergedPart<string> {
  const merged = mergeTexts(texts.base, texts.head, grain);
  return {
    units: merged.units.map((unit) => unitOf(unit, texts, at)),
    compose: (has) => composeText(merged, has),
  };
}

/** If the file is unknown, every member of the value gets the key's place. */
export function valuePlace(
  lines: readonly string[] | null,
  at: Place,
  key: string,
  value: Json | undefined,
): (path: Path) => Place {
  const read = lines === null || at.line === 0 ? null : readYaml(at.file, lines.join('\n'));
  if (read?.ok !== true || !isEqual(valueAt(read.value.value, [key]), value)) return () => at;
  return (path) => read.value.placeOf([key, ...path]);
}

/** Line numbers, from 1. 0 if unknown. */
interface LineRange {
  from: number;
  to: number;
}

/** To find a folded text, searches for this many characters of its start and end. */
const ENDS = 24;

const UNKNOWN: LineRange = { from: 0, to: 0 };

/**
 * Finds the lines of `text`, and the line after. Quoted or escaped lines get 0, because a wrong
 * line would be worse.
 */
export function linePlaces(file: readonly string[], start: number, text: string): LineRange[] {
  const lines = text.split('\n');
  const block = blockStart(file, Math.max(0, start - 1), lines);
  let cursor = Math.max(0, start - 1);
  const places = lines.map((line, i) => {
    if (block !== null) {
      cursor = block + i + 1;
      return { from: cursor, to: cursor };
    }
    if (line.trim() === '') {
      const isThere = cursor > 0 && file[cursor]?.trim() === '';
      if (isThere) cursor += 1;
      return isThere ? { from: cursor, to: cursor } : UNKNOWN;
    }
    const found = textPlace(file, cursor + 1, line);
    if (found === null) return UNKNOWN;
    cursor = file[found.to - 1]?.trim() === line.trim() ? found.to : found.to - 1;
    return found;
  });
  const isBroken = lines.length > 1 && lines.at(-1)?.trim() === '';
  const last = places.slice(0, isBroken ? -1 : undefined).findLast(({ to }) => to > 0)?.to ?? 0;
  const end = file.at(-1) === '' ? file.length - 1 : file.length;
  return [...places, { from: last + 1, to: last + 1 }].map(({ from, to }) => ({
    from: Math.min(from, end),
    to: Math.min(to, end),
  }));
}

function blockStart(
  file: readonly string[],
  from: number,
  lines: readonly string[],
): number | null {
  const own = lines.map((line) => line.trim());
  if (own.length > 1 && own.at(-1) === '') own.pop();
  if (own.length < 2) return null;
  const at = file.findIndex(
    (_, index) => index >= from && own.every((line, i) => file[index + i]?.trim() === line),
  );
  return at < 0 ? null : at;
}

function textPlace(file: readonly string[], from: number, text: string): LineRange | null {
  const wanted = text.trim();
  if (wanted === '') return null;
  const at = indexFrom(file, from - 1, wanted);
  if (at >= 0) return { from: at + 1, to: at + 1 };
  // A folded YAML block splits one line into several.
  const first = indexFrom(file, from - 1, wanted.slice(0, ENDS));
  if (first < 0) return null;
  const last = indexFrom(file, first, wanted.slice(-ENDS));
  return { from: first + 1, to: Math.max(first, last) + 1 };
}

function indexFrom(file: readonly string[], from: number, wanted: string): number {
  return file.findIndex((line, index) => index >= from && line.includes(wanted));
}
