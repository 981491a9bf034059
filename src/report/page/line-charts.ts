/** Load this with `import()`, because the chart library is large. */
import type { Markup } from '../../text/markup.ts';
import { shareSpan } from './blocks.ts';
import {
  AXIS_LABEL,
  AXIS_LINE,
  COLOURS,
  draw,
  line,
  shapes,
  shareAxis,
  type Point,
  type Shape,
  words,
  CHART_WIDTH,
} from './drawing.ts';

/** Costs are in dollars per thousand calls, rates 0–1. */
interface CostPoint {
  rank: number;
  cost: number;
  rate: number;
  low: number;
  high: number;
}

const HEIGHT = 250;

const WIDE = 20;

const APART = 13;

export function qualityCostChart({
  label,
  points,
}: {
  label: string;
  points: readonly CostPoint[];
}): Markup {
  const { floor, ceiling } = shareSpan(points.flatMap(({ rate, low, high }) => [rate, low, high]));
  const costs = points.map(({ cost }) => cost);
  const least = Math.min(...costs);
  const most = Math.max(...costs);
  return draw({
    width: CHART_WIDTH,
    height: HEIGHT,
    label,
    option: {
      grid: { left: 46, right: 22, top: 34, bottom: 44 },
      xAxis: { ...costSpan(least, most), ...COST_AXIS },
      yAxis: { ...shareAxis(floor, ceiling), ...RATE_NAME },
      series: costSeries(points),
    },
  });
}

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
  nameTextStyle: AXIS_LABEL,
  axisTick: { show: false },
  axisLine: AXIS_LINE,
  splitLine: AXIS_LINE,
  axisLabel: { ...AXIS_LABEL, formatter: (value: number) => `$${Number(value.toPrecision(3))}` },
} as const;

const RATE_NAME = {
  name: 'pass rate',
  nameGap: 18,
  nameTextStyle: { ...AXIS_LABEL, align: 'center' },
} as const;

function costSeries(points: readonly CostPoint[]): object[] {
  const taken: Point[] = [];
  return [
    shapes(points, ({ cost, low, high }, at) => [
      line(at(cost, low), at(cost, high), 'mark', 4, 0.35),
    ]),
    {
      type: 'scatter',
      silent: true,
      z: 3,
      symbolSize: 9,
      itemStyle: { color: COLOURS.mark, opacity: 1 },
      data: points.map(({ cost, rate }) => [cost, rate]),
    },
    shapes(
      points,
      ({ rank, cost, low, high }, at) => [numberOf(rank, at(cost, high), at(cost, low), taken)],
      4,
    ),
  ];
}

function numberOf(rank: number, top: Point, bottom: Point, taken: Point[]): Shape {
  const above = top.y - 11;
  const below = bottom.y + 11;
  const places = [
    [0, above],
    [-APART, above],
    [APART, above],
    [0, below],
    [-APART, below],
    [APART, below],
  ].map(([right = 0, y = 0]): Point => ({ x: top.x + right, y }));
  const free = places.find((place) =>
    taken.every((other) => Math.hypot(place.x - other.x, place.y - other.y) >= APART),
  ) ?? { x: top.x, y: above };
  taken.push(free);
  return words(free, String(rank), { align: 'center', bold: true });
}

function nice(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 5].find((step) => step * power >= value) ?? 10) * power;
}

export { priorChart, sidesChart, type PriorRow, type SidesRow } from './bar-charts.ts';
