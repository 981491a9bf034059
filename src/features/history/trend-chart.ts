/** Import this module only to draw a chart, because the chart library is large. */
import { shareSpan } from '../../report/page/blocks.ts';
import {
  AXIS_LABEL,
  AXIS_LINE,
  COLOURS,
  area,
  dot,
  draw,
  line,
  shapes,
  shareAxis,
  type At,
  type Shape,
} from '../../report/page/drawing.ts';
import type { Markup } from '../../text/markup.ts';

interface TrendPoint {
  at: string;
  rate: number | null;
  low: number | null;
  high: number | null;
}

interface TrendDrawing {
  /** One sentence for readers who cannot see the chart. */
  label: string;
  /** Oldest first. */
  points: readonly TrendPoint[];
}

const TREND_WIDTH = 340;

const TREND_HEIGHT = 160;

const MOST_DOTS = 40;

export function trendChart({ label, points }: TrendDrawing): Markup {
  const { floor, ceiling } = shareSpan(
    points.flatMap(({ rate, low, high }) => [rate, low, high].filter((value) => value !== null)),
  );
  const runs = unbrokenRuns(points);
  const isLast = (index: number): boolean => index === points.length - 1;
  const dots = runs.flatMap((run) =>
    points.length <= MOST_DOTS || run.length === 1 ? run : run.filter(({ index }) => isLast(index)),
  );
  return draw({
    width: TREND_WIDTH,
    height: TREND_HEIGHT,
    label,
    option: {
      grid: { left: 44, right: 12, top: 10, bottom: 24, containLabel: false },
      xAxis: {
        type: 'category',
        data: points.map((_, index) => String(index)),
        boundaryGap: points.length < 3,
        axisTick: { show: false },
        axisLine: AXIS_LINE,
        axisLabel: {
          ...AXIS_LABEL,
          interval: (index: number) => index === 0 || isLast(index),
          formatter: (index: string) => points[Number(index)]?.at.slice(0, 10) ?? '',
          alignMinLabel: 'left',
          alignMaxLabel: points.length > 1 ? 'right' : 'left',
        },
      },
      yAxis: shareAxis(floor, ceiling),
      series: [
        shapes(runs, band, 1),
        {
          type: 'line',
          data: points.map(({ rate }) => rate),
          connectNulls: false,
          silent: true,
          symbol: 'none',
          z: 2,
          lineStyle: { color: COLOURS.mark, width: 2 },
        },
        shapes(
          dots,
          ({ index, rate }, at) => [dot(at(index, rate), isLast(index) ? 4 : 3, 'mark')],
          3,
        ),
      ],
    },
  });
}

interface JudgedPoint {
  index: number;
  rate: number;
  low: number;
  high: number;
}

function unbrokenRuns(points: readonly TrendPoint[]): JudgedPoint[][] {
  const runs: JudgedPoint[][] = [];
  for (const [index, { rate, low, high }] of points.entries()) {
    if (rate === null) continue;
    const point = { index, rate, low: low ?? rate, high: high ?? rate };
    const last = runs.at(-1);
    if (last?.at(-1)?.index === index - 1) last.push(point);
    else runs.push([point]);
  }
  return runs;
}

function band(run: readonly JudgedPoint[], at: At): Shape[] {
  const edge = (side: 'low' | 'high') => (point: JudgedPoint) =>
    at(point.index, Math.min(1, Math.max(0, point[side])));
  const [lows, highs] = [run.map(edge('low')), run.map(edge('high'))];
  const [[low, ...more], [high]] = [lows, highs];
  return low !== undefined && high !== undefined && more.length === 0
    ? [line(low, high, 'mark', 3, 0.35)]
    : [area([...highs, ...lows.toReversed()], 'mark', 0.16)];
}
