import type { CustomSeriesRenderItemReturn } from 'echarts';
import { CustomChart, LineChart, ScatterChart, type CustomSeriesOption } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { init, type EChartsCoreOption, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { type Markup, markup, trustedHtml, markupText } from '../../text/markup.ts';
import { visibleLine } from '../../text/visible.ts';

export const COLOURS = {
  text: 'var(--text)',
  soft: 'var(--soft)',
  line: 'var(--line)',
  page: 'var(--page)',
  mark: 'var(--link)',
  bad: 'var(--bad)',
  good: 'var(--good)',
  open: 'var(--open)',
} as const;

export type Colour = keyof typeof COLOURS;

/** In pixels. */
export const CHART_WIDTH = 340;

/** Font sizes in pixels, for axes and for names. */
export const SMALL = 11;

const LETTERS = 12;

interface Drawing {
  /** In pixels. The page scales the drawing down if there is less room. */
  width: number;
  height: number;
  /** The text alternative for screen readers. */
  label: string;
  option: EChartsCoreOption;
}

/**
 * Makes reproducible SVG without ids, and without styles, because the page's policy blocks styles.
 */
export function draw({ width, height, label, option }: Drawing): Markup {
  use([CustomChart, LineChart, ScatterChart, GridComponent, SVGRenderer]);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({
      animation: false,
      silent: true,
      textStyle: { color: COLOURS.soft, fontSize: SMALL },
      ...option,
    });
    const opening = markup`
      <svg class="chart" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`;
    return trustedHtml(plain(chart.renderToSVGString(), markupText(opening)));
  } finally {
    // Otherwise the chart's timer would keep the process alive.
    chart.dispose();
  }
}

/** Regular expressions can match attributes, because attribute values contain no raw quotes. */
function plain(svg: string, opening: string): string {
  return (
    svg
      .replace(/^<svg[^>]*>/, () => opening)
      .replace(/<style[^]*?<\/style>/g, '')
      // The clipping paths can be removed, because nothing is drawn outside the axes.
      .replace(/<defs[^]*?<\/defs>/g, '')
      .replace(
        / (?:class="zr[^"]*"|ecmeta_\w+="[^"]*"|clip-path="[^"]*"|pointer-events="[^"]*"|xml:space="[^"]*")/g,
        '',
      )
      .replace(/ style="([^"]*)"/g, (_, declarations: string) => presentation(declarations))
      .replace(/<rect [^>]*fill="none"><\/rect>\n?/, '')
      .replace(/<g><\/g>/g, '')
      .replace(/\n+/g, '')
      .toWellFormed()
  );
}

function presentation(declarations: string): string {
  return declarations
    .split(';')
    .map((declaration) => declaration.split(':'))
    .filter(([name, value]) => name !== 'font-family' && name !== '' && value !== undefined)
    .map(([name = '', value = '']) => ` ${name}="${value.replace(/px$/, '')}"`)
    .join('');
}

export const AXIS_LABEL = { color: COLOURS.soft, fontSize: SMALL } as const;

export const AXIS_LINE = { lineStyle: { color: COLOURS.line } } as const;

export function shareAxis(floor: number, ceiling: number) {
  return {
    type: 'value',
    min: floor,
    max: ceiling,
    interval: (ceiling - floor) / 2,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: AXIS_LINE,
    axisLabel: {
      ...AXIS_LABEL,
      formatter: (share: number) => `${Math.round(share * 1000) / 10} %`,
    },
  } as const;
}

export type Shape = NonNullable<CustomSeriesRenderItemReturn>;

export interface Point {
  x: number;
  y: number;
}

export type At = (x: number, y: number) => Point;

/** The shapes must stay inside the drawing, because it is not clipped. */
export function shapes<Item>(
  items: readonly Item[],
  build: (item: Item, at: At, index: number) => Shape[],
  z = 2,
): CustomSeriesOption {
  return {
    type: 'custom',
    silent: true,
    clip: false,
    z,
    data: items.map((_, index) => index),
    renderItem: ({ dataIndexInside }, api) => {
      const at: At = (x, y) => {
        const [left = 0, top = 0] = api.coord([x, y]);
        return { x: left, y: top };
      };
      const item = items[dataIndexInside];
      const children = item === undefined ? [] : build(item, at, dataIndexInside);
      return { type: 'group', silent: true, children };
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

interface Letters {
  colour?: Colour;
  size?: number;
  align?: 'left' | 'center' | 'right';
  bold?: boolean;
  /** In pixels. Longer text ends in `…`. */
  width?: number;
}

const MOST_LETTERS = 200;

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
      ...(bold && { fontWeight: 600 as const }),
      ...(width !== undefined && { width, overflow: 'truncate' as const, ellipsis: '…' }),
    },
  };
}
