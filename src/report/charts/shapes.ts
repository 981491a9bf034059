import type { CustomSeriesRenderItemReturn } from 'echarts';
import type { CustomSeriesOption } from 'echarts/charts';
import { visibleLine } from '../../text/visible.ts';
import { COLOURS, LETTERS, type Colour } from './draw.ts';

export type Shape = NonNullable<CustomSeriesRenderItemReturn>;

/** Pixels. */
export interface Point {
  x: number;
  y: number;
}

/** From values on the axes to pixels. */
export type At = (x: number, y: number) => Point;

/**
 * A series of our own shapes, one group for each of `count` items. Nothing may lie outside of the
 * drawing.
 */
export function shapes(
  count: number,
  build: (index: number, at: At) => Shape[],
  z = 2,
): CustomSeriesOption {
  return {
    type: 'custom',
    silent: true,
    clip: false,
    z,
    data: Array.from({ length: count }, (_, index) => index),
    renderItem: ({ dataIndexInside }, api) => {
      const at: At = (x, y) => {
        const [left = 0, top = 0] = api.coord([x, y]);
        return { x: left, y: top };
      };
      return { type: 'group', silent: true, children: build(dataIndexInside, at) };
    },
  };
}

export function line(from: Point, to: Point, colour: Colour, width: number, opacity = 1): Shape {
  return {
    type: 'line',
    shape: { x1: from.x, y1: from.y, x2: to.x, y2: to.y, percent: 1 },
    style: { stroke: COLOURS[colour], lineWidth: width, lineCap: 'round', fill: 'none', opacity },
  };
}

/** `hollow`: a ring, filled with the page's own colour. */
export function dot({ x, y }: Point, radius: number, colour: Colour, hollow = false): Shape {
  return {
    type: 'circle',
    shape: { cx: x, cy: y, r: radius },
    style: hollow
      ? { fill: COLOURS.page, stroke: COLOURS[colour], lineWidth: 2 }
      : { fill: COLOURS[colour] },
  };
}

export function bar(
  { x, y }: Point,
  width: number,
  height: number,
  colour: Colour,
  opacity = 1,
): Shape {
  return {
    type: 'rect',
    shape: { x, y: y - height / 2, width: Math.max(width, 0), height, r: Math.min(2, height / 2) },
    style: { fill: COLOURS[colour], opacity },
  };
}

export function area(corners: readonly Point[], colour: Colour, opacity: number): Shape {
  return {
    type: 'polygon',
    shape: { points: corners.map(({ x, y }) => [x, y]) },
    style: { fill: COLOURS[colour], opacity },
  };
}

export interface Letters {
  colour?: Colour;
  size?: number;
  align?: 'left' | 'center' | 'right';
  bold?: boolean;
  /** Pixels; what is longer ends in `…`. */ width?: number;
}

/** A longer text is cut before it is measured. UTF-16 units. */
const MOST_LETTERS = 200;

/** A text on one line, hidden characters shown. */
export function words(
  { x, y }: Point,
  given: string,
  { colour = 'text', size = LETTERS, align = 'left', bold = false, width }: Letters = {},
): Shape {
  return {
    type: 'text',
    x,
    y,
    style: {
      text: visibleLine(given.slice(0, MOST_LETTERS).toWellFormed()),
      fill: COLOURS[colour],
      fontSize: size,
      align,
      verticalAlign: 'middle',
      ...(bold ? { fontWeight: 600 as const } : {}),
      ...(width === undefined ? {} : { width, overflow: 'truncate' as const, ellipsis: '…' }),
    },
  };
}
