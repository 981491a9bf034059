import { COLOURS, draw, SMALL, type Colour } from './draw.ts';
import { line, shapes, words, type At, type Point, type Shape } from './shapes.ts';

/** One row of a chart: a name and its figures in words, and below them what is drawn. */
export interface RowWords {
  name: string;
  note: string;
  colour: Colour;
  bold: boolean;
}

export interface RowsDrawing {
  label: string;
  rows: readonly RowWords[];
  /** The right end of the axis, a share; the left one is 0. */
  ceiling: number;
  /** What is drawn for a row; `place` gives the pixels of a share on it. */
  marks(index: number, place: (share: number) => Point): Shape[];
}

const WIDTH = 340;
const ROW = 38;
/** Room for a mark at either end of the axis. */
const EDGE = 7;
const AXIS = 20;
const NOTE = 132;
/** Where in a row its words stand, and its marks, 0–1. */
const WORDS = 0.3;
const MARKS = 0.72;

/**
 * Rows under one axis of shares; the same number of rows has the same height, so that charts side
 * by side line up.
 */
export function rowsChart({ label, rows, ceiling, marks }: RowsDrawing): string {
  return draw({
    width: WIDTH,
    height: rows.length * ROW + AXIS + 4,
    label,
    option: {
      grid: { left: EDGE, right: EDGE, top: 2, bottom: AXIS + 2 },
      xAxis: {
        type: 'value',
        min: 0,
        max: ceiling,
        interval: ceiling / 2,
        axisLine: { show: false },
        axisTick: { show: false },
        splitLine: { lineStyle: { color: COLOURS.line } },
        axisLabel: {
          color: COLOURS.soft,
          fontSize: SMALL,
          alignMinLabel: 'left',
          alignMaxLabel: 'right',
          formatter: (share: number) => `${String(Math.round(share * 1000) / 10)} %`,
        },
      },
      yAxis: { type: 'value', min: 0, max: Math.max(1, rows.length), inverse: true, show: false },
      series: [
        shapes(rows.length, (index, at) => [
          ...wordsOf(rows[index], index, at),
          track(index, ceiling, at),
          ...marks(index, (share) => at(Math.min(ceiling, Math.max(0, share)), index + MARKS)),
        ]),
      ],
    },
  });
}

function wordsOf(row: RowWords | undefined, index: number, at: At): Shape[] {
  if (row === undefined) return [];
  const { y } = at(0, index + WORDS);
  return [
    // The page's colour behind the words keeps the lines of the axis out of them.
    {
      type: 'rect',
      shape: { x: 0, y: y - 9, width: WIDTH, height: 17 },
      style: { fill: COLOURS.page },
    },
    words({ x: 0, y }, row.name, { width: WIDTH - NOTE, bold: row.bold }),
    words({ x: WIDTH, y }, row.note, {
      align: 'right',
      colour: row.colour,
      size: SMALL,
      bold: row.bold,
    }),
  ];
}

function track(index: number, ceiling: number, at: At): Shape {
  return line(at(0, index + MARKS), at(ceiling, index + MARKS), 'line', 1);
}
