import type { CauseUnit } from '../result/causes.ts';
import type { Prompt } from '../suite/suite.ts';
import type { Place, Side } from '../types/plain.ts';
import { linePlaces, textPlace, type LineRange } from './text-places.ts';
import type { TextSpan, TextUnit } from './text-units.ts';

/** The lines of a side's file; null: it has no such text. */
export type ReadLines = (side: Side, file: string) => readonly string[] | null;

/** What base and head have, each where it has something. */
type BySide<T> = Record<Side, T | null>;

/** Finds units of texts in the files that the texts come from. */
export interface Places {
  unitOf(unit: TextUnit, texts: BySide<string>, at: BySide<Place>): CauseUnit;
}

export function createPlaces(base: Prompt, head: Prompt, read: ReadLines): Places {
  const known = new Map<string, LineRange[]>();
  const rangesOf = (side: Side, text: string, at: Place): LineRange[] => {
    const key = JSON.stringify([side, at, text]);
    const found = known.get(key) ?? linePlaces(read(side, at.file) ?? [], at.line, text);
    known.set(key, found);
    return found;
  };
  const placeOf = (
    side: Side,
    span: TextSpan,
    text: string,
    at: Place,
    kind: TextUnit['kind'],
  ): LineRange => {
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
      ): CauseUnit['head'] {
        const place = at.head ?? { file: head.file, line: 0 };
        if (written !== null) return { file: place.file, line: from };
        const ranges = texts.head === null ? [] : rangesOf('head', texts.head, place);
        return { file: place.file, line: ranges[anchor]?.from ?? 0 };
      }
    },
  };
}
