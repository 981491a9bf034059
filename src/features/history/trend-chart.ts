/** Import this by `import()` only where a chart is drawn, because the chart library is large. */
import { shareSpan } from '../../report/page/blocks.ts';
import {
  COLOURS,
  SMALL,
  area,
  dot,
  draw,
  line,
  shapes,
  type At,
  type Shape,
} from '../../report/page/drawing.ts';
import { percent } from '../../text/amounts.ts';
import type { Markup } from '../../text/markup.ts';

interface TrendPoint {
  at: string;
  rate: number | null;
  low: number | null;
  high: number | null;
}

interface TrendDrawing {
  /** Text alternative, one sentence. */
  label: string;
  /** Oldest first. `at`: an ISO date. */
  points: readonly TrendPoint[];
}

const TREND_WIDTH = 340;

const TREND_HEIGHT = 160;

/** Longer series are drawn without dots. */
const MOST_DOTS = 40;

/** Results evenly spaced, with intervals; gaps where it did not run. */
export function trendChart({ label, points }: TrendDrawing): Markup {
  const { floor, ceiling } = shareSpan(
    points.flatMap(({ rate, low, high }) => [rate, low, high].filter((value) => value !== null)),
  );
  const runs = unbrokenRuns(points);
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
        axisLine: { lineStyle: { color: COLOURS.line } },
        axisLabel: {
          color: COLOURS.soft,
          fontSize: SMALL,
          interval: (index: number) => index === 0 || index === points.length - 1,
          formatter: (index: string) => points[Number(index)]?.at.slice(0, 10) ?? '',
          alignMinLabel: 'left',
          alignMaxLabel: points.length > 1 ? 'right' : 'left',
        },
      },
      yAxis: {
        type: 'value',
        min: floor,
        max: ceiling,
        interval: (ceiling - floor) / 2,
        splitLine: { lineStyle: { color: COLOURS.line } },
        axisLabel: {
          color: COLOURS.soft,
          fontSize: SMALL,
          formatter: (value: number) => percent(value).replace('.0', ''),
        },
      },
      series: [
        shapes(runs.length, (index, at) => band(points, runs[index] ?? [], at), 1),
        {
          type: 'line',
          data: points.map(({ rate }) => rate),
          connectNulls: false,
          silent: true,
          symbol: 'none',
          z: 2,
          lineStyle: { color: COLOURS.mark, width: 2 },
        },
        shapes(points.length, (index, at) => dotOf(points, runs, index, at), 3),
      ],
    },
  });
}

function unbrokenRuns(points: readonly TrendPoint[]): number[][] {
  const runs: number[][] = [];
  points.forEach(({ rate }, index) => {
    if (rate === null) return;
    const last = runs.at(-1);
    if (last?.at(-1) === index - 1) last.push(index);
    else runs.push([index]);
  });
  return runs;
}

function band(points: readonly TrendPoint[], run: readonly number[], at: At): Shape[] {
  const edge = (index: number, side: 'low' | 'high') =>
    at(index, Math.min(1, Math.max(0, points[index]?.[side] ?? points[index]?.rate ?? 0)));
  const [only, ...more] = run;
  if (only === undefined) return [];
  if (more.length === 0) return [line(edge(only, 'low'), edge(only, 'high'), 'mark', 3, 0.35)];
  return [
    area(
      [
        ...run.map((index) => edge(index, 'high')),
        ...run.toReversed().map((index) => edge(index, 'low')),
      ],
      'mark',
      0.16,
    ),
  ];
}

function dotOf(
  points: readonly TrendPoint[],
  runs: readonly number[][],
  index: number,
  at: At,
): Shape[] {
  const rate = points[index]?.rate ?? null;
  const alone = runs.some(([first, second]) => first === index && second === undefined);
  if (rate === null || (points.length > MOST_DOTS && !alone && index !== points.length - 1))
    return [];
  return [dot(at(index, rate), index === points.length - 1 ? 4 : 3, 'mark')];
}
