import { percent } from '../../text/amounts.ts';
import type { Markup } from '../../text/markup.ts';
import { rates } from '../sections/phrases.ts';
import {
  COLOURS,
  SMALL,
  bar,
  dot,
  draw,
  line,
  shapes,
  shareAxis,
  type At,
  type Colour,
  type Point,
  type Shape,
  words,
  CHART_WIDTH,
} from './drawing.ts';

interface RowWords {
  name: string;
  note: string;
  colour: Colour;
  bold: boolean;
}

interface ChartRow extends RowWords {
  marks(place: (share: number) => Point): Shape[];
}

interface RowsDrawing {
  label: string;
  rows: readonly ChartRow[];
  ceiling: number;
}

const ROW = 38;

const EDGE = 7;

const AXIS = 20;

const NOTE = 132;

const ROW_TEXT_Y = 0.3;

const ROW_MARK_Y = 0.72;

/** Charts with equal numbers of rows have equal heights, so that they align side by side. */
function rowsChart({ label, rows, ceiling }: RowsDrawing): Markup {
  const axis = shareAxis(0, ceiling);
  return draw({
    width: CHART_WIDTH,
    height: rows.length * ROW + AXIS + 4,
    label,
    option: {
      grid: { left: EDGE, right: EDGE, top: 2, bottom: AXIS + 2 },
      xAxis: {
        ...axis,
        axisLabel: { ...axis.axisLabel, alignMinLabel: 'left', alignMaxLabel: 'right' },
      },
      yAxis: { type: 'value', min: 0, max: Math.max(1, rows.length), inverse: true, show: false },
      series: [
        shapes(rows, (row, at, index) => [
          ...rowText(row, index, at),
          line(at(0, index + ROW_MARK_Y), at(ceiling, index + ROW_MARK_Y), 'line', 1),
          ...row.marks((share) => at(Math.min(ceiling, Math.max(0, share)), index + ROW_MARK_Y)),
        ]),
      ],
    },
  });
}

function rowText(row: RowWords, index: number, at: At): Shape[] {
  const { y } = at(0, index + ROW_TEXT_Y);
  return [
    {
      type: 'rect',
      shape: { x: 0, y: y - 9, width: CHART_WIDTH, height: 17 },
      style: { fill: COLOURS.page },
    },
    words({ x: 0, y }, row.name, { width: CHART_WIDTH - NOTE, bold: row.bold }),
    words({ x: CHART_WIDTH, y }, row.note, {
      align: 'right',
      colour: row.colour,
      size: SMALL,
      bold: row.bold,
    }),
  ];
}

/** `prior`: how common the attribute is compared with others of its kind, 0–1. */
export interface PriorRow {
  name: string;
  prior: number;
}

export function priorChart({ label, rows }: { label: string; rows: readonly PriorRow[] }): Markup {
  const most = rows.reduce((found, { prior }) => Math.max(found, prior), 0);
  return rowsChart({
    label,
    ceiling: Math.min(1, Math.max(0.1, Math.ceil(most * 10 - 1e-9) / 10)),
    rows: rows.map(({ name, prior }) => ({
      name,
      note: percent(prior),
      colour: 'soft',
      bold: false,
      marks(place) {
        const from = place(0);
        const to = place(prior);
        return [bar(from, to.x - from.x, 8, 'mark', 0.75)];
      },
    })),
  });
}

/** Pass rates, 0–1. Null if not measured. */
export interface SidesRow {
  name: string;
  base: number | null;
  head: number | null;
  low: number | null;
  high: number | null;
  finding: 'worse' | 'better' | null;
  instead: string | null;
}

const FINDINGS: Readonly<Record<'worse' | 'better', { colour: Colour; sign: string }>> = {
  worse: { colour: 'bad', sign: '✗ ' },
  better: { colour: 'good', sign: '↑ ' },
};

export function sidesChart({ label, rows }: { label: string; rows: readonly SidesRow[] }): Markup {
  return rowsChart({
    label,
    ceiling: 1,
    rows: rows.map((row) => {
      const { name, base, head, finding, instead } = row;
      const found = finding === null ? null : FINDINGS[finding];
      return {
        name,
        note: instead ?? `${found?.sign ?? ''}${rates(base, head)}`,
        colour: found?.colour ?? 'soft',
        bold: found !== null,
        marks: (place) => sideMarks(row, place),
      };
    }),
  });
}

function sideMarks(
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
