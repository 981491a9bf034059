import { type Markup, markup } from '../../text/markup.ts';

interface TrendPoint {
  at: string;
  rate: number | null;
  low: number | null;
  high: number | null;
}

const NEAR = 1e-9;

const AXIS_STEP = 0.1;

/** The smallest range of an axis, so that noise does not look large. */
const LEAST_SPAN = 0.2;

export function shareSpan(shares: readonly number[]): { floor: number; ceiling: number } {
  if (shares.length === 0) return { floor: 0, ceiling: 1 };
  const most = shares.reduce((a, b) => Math.max(a, b));
  const least = shares.reduce((a, b) => Math.min(a, b));
  let floor = Math.floor(Math.max(0, least) / AXIS_STEP + NEAR);
  let ceiling = Math.ceil(Math.min(1, most) / AXIS_STEP - NEAR);
  while (ceiling - floor < LEAST_SPAN / AXIS_STEP - NEAR || (ceiling - floor) % 2 !== 0) {
    if (floor > 0) floor -= 1;
    else ceiling += 1;
  }
  return { floor: floor / 10, ceiling: ceiling / 10 };
}

/** In pixels. */
const CHART = { width: 340, height: 160, left: 48, right: 328, top: 10, bottom: 136 };

/** `label`: one sentence for readers who cannot see the chart. `points`: oldest first. */
export function trendChart(label: string, points: readonly TrendPoint[]): Markup {
  const { width, height, left, right, top, bottom } = CHART;
  const { floor, ceiling } = shareSpan(
    points.flatMap(({ rate, low, high }) => [rate, low, high].filter((value) => value !== null)),
  );
  const x = (index: number) => left + ((right - left) * index) / Math.max(1, points.length - 1);
  const y = (share: number) =>
    bottom - ((bottom - top) * (Math.min(1, Math.max(0, share)) - floor)) / (ceiling - floor);
  const ticks = [floor, (floor + ceiling) / 2, ceiling].map(
    (share) => markup`
      <line class="axis" x1="${left}" x2="${right}" y1="${y(share)}" y2="${y(share)}"/>
      <text x="${left - 6}" y="${y(share) + 4}" text-anchor="end">${Math.round(share * 100)} %</text>`,
  );
  const runs = unbrokenRuns(points).map((run) => {
    const at = (share: (point: JudgedPoint) => number) => (point: JudgedPoint) =>
      `${x(point.index).toFixed(1)},${y(share(point)).toFixed(1)}`;
    const band = [
      ...run.map(at(({ high }) => high)),
      ...run.toReversed().map(at(({ low }) => low)),
    ];
    return markup`
      <polygon class="band" points="${band.join(' ')}"/>
      <polyline class="trend" points="${run.map(at(({ rate }) => rate)).join(' ')}"/>
      ${run.map(({ index, rate }) => markup`<circle class="dot" cx="${x(index)}" cy="${y(rate)}" r="3"/>`)}`;
  });
  const day = (point: TrendPoint | undefined) => point?.at.slice(0, 10) ?? '';
  const last =
    points.length < 2
      ? null
      : markup`<text x="${right}" y="${height - 6}" text-anchor="end">${day(points.at(-1))}</text>`;
  return markup`
    <svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
      ${ticks}${runs}
      <text x="${left}" y="${height - 6}">${day(points[0])}</text>${last}
    </svg>`;
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
