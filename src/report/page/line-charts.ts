/**
 * The library that draws charts is large, so this is imported where a chart is drawn, by
 * `import()`, and nowhere else: a run without charts does not load it.
 */
import { percent } from '../../text/amounts.ts';
import { shareSpan } from './blocks.ts';
import {
  COLOURS,
  SMALL,
  area,
  dot,
  draw,
  line,
  shapes,
  type At,
  type Point,
  type Shape,
  words,
} from './drawing.ts';

/**
 * A variant: its rank in the table beside the chart, dollars for a thousand calls, and its pass
 * rate with its interval, 0–1.
 */
export interface CostPoint {
  rank: number;
  cost: number;
  rate: number;
  low: number;
  high: number;
}

const WIDTH = 340;

const HEIGHT = 250;

/** Where the dearest costs this many times the cheapest, the axis of dollars is logarithmic. */
const WIDE = 20;

/** Numbers closer than this cover each other. Pixels. */
const APART = 13;

/**
 * Quality against cost: a dot for each variant with its interval, marked with its rank. Variants of
 * unknown cost have no place in it.
 */
export function qualityCostChart({
  label,
  points,
}: {
  label: string;
  points: readonly CostPoint[];
}): string {
  const { floor, ceiling } = shareSpan(points.flatMap(({ rate, low, high }) => [rate, low, high]));
  const costs = points.map(({ cost }) => cost);
  const [least, most] = [Math.min(...costs), Math.max(...costs)];
  return draw({
    width: WIDTH,
    height: HEIGHT,
    label,
    option: {
      grid: { left: 46, right: 22, top: 34, bottom: 44 },
      xAxis: { ...costSpan(least, most), ...COST_AXIS },
      yAxis: { min: floor, max: ceiling, interval: (ceiling - floor) / 2, ...RATE_AXIS },
      series: costSeries(points),
    },
  });
}

/** The ends of the axis of dollars. */
function costSpan(least: number, most: number): object {
  if (least > 0 && most / least > WIDE)
    return {
      type: 'log',
      min: 10 ** Math.floor(Math.log10(least)),
      max: 10 ** Math.ceil(Math.log10(most)),
    };
  const end = most === 0 ? 1 : nice(most);
  return { type: 'value', min: 0, max: end, interval: end / 2 };
}

const COST_AXIS = {
  name: 'cost per 1,000 calls',
  nameLocation: 'middle',
  nameGap: 26,
  nameTextStyle: { color: COLOURS.soft, fontSize: SMALL },
  axisTick: { show: false },
  axisLine: { lineStyle: { color: COLOURS.line } },
  splitLine: { lineStyle: { color: COLOURS.line } },
  axisLabel: { color: COLOURS.soft, fontSize: SMALL, formatter: dollars },
} as const;

const RATE_AXIS = {
  type: 'value',
  name: 'pass rate',
  nameGap: 18,
  nameTextStyle: { color: COLOURS.soft, fontSize: SMALL, align: 'center' },
  axisTick: { show: false },
  axisLine: { show: false },
  splitLine: { lineStyle: { color: COLOURS.line } },
  axisLabel: {
    color: COLOURS.soft,
    fontSize: SMALL,
    formatter: (share: number) => `${String(Math.round(share * 1000) / 10)} %`,
  },
} as const;

/** Each variant's interval, its dot over it, and its rank beside both. */
function costSeries(points: readonly CostPoint[]): object[] {
  const taken: Point[] = [];
  const point = (index: number): readonly CostPoint[] => points.slice(index, index + 1);
  return [
    shapes(
      points.length,
      (index, at) =>
        point(index).map(({ cost, low, high }) =>
          line(at(cost, low), at(cost, high), 'mark', 4, 0.35),
        ),
      2,
    ),
    {
      type: 'scatter',
      silent: true,
      z: 3,
      symbolSize: 9,
      itemStyle: { color: COLOURS.mark, opacity: 1 },
      data: points.map(({ cost, rate }) => [cost, rate]),
    },
    shapes(
      points.length,
      (index, at) =>
        point(index).map(({ rank, cost, low, high }) =>
          numberOf(rank, at(cost, high), at(cost, low), taken),
        ),
      4,
    ),
  ];
}

/** Above its bar, or below it, at the first place that no other number has. */
function numberOf(rank: number, top: Point, bottom: Point, taken: Point[]): Shape {
  const [above, below] = [top.y - 11, bottom.y + 11];
  const places = [
    [0, above],
    [-APART, above],
    [APART, above],
    [0, below],
    [-APART, below],
    [APART, below],
  ].map(([right = 0, y = 0]): Point => ({ x: top.x + right, y }));
  const free = places.find((one) =>
    taken.every((other) => Math.hypot(one.x - other.x, one.y - other.y) >= APART),
  ) ?? { x: top.x, y: above };
  taken.push(free);
  return words(free, String(rank), { align: 'center', bold: true });
}

/** The next of 1, 2, 4, 5, 10 times a power of ten. */
function nice(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 5].find((step) => step * power >= value) ?? 10) * power;
}

function dollars(value: number): string {
  return `$${String(Number(value.toPrecision(3)))}`;
}

/** One result of a suite; null where it did not run. Shares, 0–1, with their interval. */
export interface TrendPoint {
  at: string;
  rate: number | null;
  low: number | null;
  high: number | null;
}

export interface TrendDrawing {
  /** What is drawn, in a sentence, for a reader who does not see it. */
  label: string;
  /** Oldest first. `at`: an ISO date. */
  points: readonly TrendPoint[];
}

const TREND_WIDTH = 340;

const TREND_HEIGHT = 160;

/** Points that are drawn as dots; more are a line only. */
const MOST_DOTS = 40;

/**
 * The pass rate of one suite over its results, evenly spaced in their order, with intervals; a line
 * breaks where the suite did not run.
 */
export function trendChart({ label, points }: TrendDrawing): string {
  const { floor, ceiling } = shareSpan(
    points.flatMap(({ rate, low, high }) => [rate, low, high].filter((value) => value !== null)),
  );
  const runs = runsOf(points);
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
          interval: (index: number) => isTick(index, points.length),
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

/** Labels at the first and the last result only: dates in between are in the table. */
function isTick(index: number, length: number): boolean {
  return index === 0 || index === length - 1;
}

/** Positions of results that follow each other without a gap. */
function runsOf(points: readonly TrendPoint[]): number[][] {
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
    at(index, clamped(points[index]?.[side] ?? points[index]?.rate ?? 0));
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

/**
 * A dot for every result where there are few; always for one that stands alone, and for the last.
 */
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

function clamped(share: number): number {
  return Math.min(1, Math.max(0, share));
}

export { priorChart, sidesChart, type PriorRow, type SidesRow } from './bar-charts.ts';
