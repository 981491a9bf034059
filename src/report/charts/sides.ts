import { percent } from '../../text/amounts.ts';
import type { Colour } from './draw.ts';
import { rowsChart } from './rows.ts';
import { dot, line, type Point, type Shape } from './shapes.ts';

/** Shares of both sides, 0–1; null: not measured there. */
export interface SidesRow {
  name: string;
  base: number | null;
  head: number | null;
  /** Interval of the difference, head − base; null: none is known, or none is meant. */
  low: number | null;
  high: number | null;
  finding: 'worse' | 'better' | null;
  /** Said in place of the shares; null: they are said. */
  instead: string | null;
}

const FINDINGS: Readonly<Record<'worse' | 'better', { colour: Colour; sign: string }>> = {
  worse: { colour: 'bad', sign: '✗ ' },
  better: { colour: 'good', sign: '↑ ' },
};

/**
 * Base as a ring and head as a dot on one line for each row, and around head the interval of the
 * difference, laid at base: where it reaches the ring, no difference is seen.
 */
export function sidesChart({ label, rows }: { label: string; rows: readonly SidesRow[] }): string {
  return rowsChart({
    label,
    ceiling: 1,
    rows: rows.map(({ name, base, head, finding, instead }) => {
      const found = finding === null ? null : FINDINGS[finding];
      return {
        name,
        note:
          instead ??
          `${found?.sign ?? ''}${base === null ? percent(head) : `${percent(base)} → ${percent(head)}`}`,
        colour: found?.colour ?? 'soft',
        bold: found !== null,
      };
    }),
    marks: (index, place) => {
      const row = rows[index];
      return row === undefined ? [] : marksOf(row, place);
    },
  });
}

function marksOf(
  { base, head, low, high, finding }: SidesRow,
  place: (share: number) => Point,
): Shape[] {
  const colour = finding === null ? 'soft' : FINDINGS[finding].colour;
  return [
    ...(base === null || low === null || high === null
      ? []
      : [line(place(base + low), place(base + high), colour, 5, 0.4)]),
    ...(base === null ? [] : [dot(place(base), 5, 'soft', true)]),
    ...(head === null
      ? []
      : [dot(place(head), base === null ? 4.5 : 3.5, base === null ? 'mark' : colour)]),
  ];
}
