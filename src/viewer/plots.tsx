import type { ComponentChildren } from 'preact';

const WIDTH = 160;
const EDGE = 6;

type Scale = (value: number) => number;

export function axisScale(low: number, high: number, from = EDGE, to = WIDTH - EDGE): Scale {
  const reach = high - low || 1;
  return (value) => from + ((to - from) * (Math.min(high, Math.max(low, value)) - low)) / reach;
}

interface DrawingProps {
  label: string;
  kind?: string | undefined;
  width?: number;
  height: number;
  children: ComponentChildren;
}

export function Drawing({ label, kind = '', width = WIDTH, height, children }: DrawingProps) {
  return (
    <svg
      class={kind}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      {children}
    </svg>
  );
}

interface IntervalProps {
  /** The ends of the axis. */
  from: number;
  to: number;
  /** A dot, and a ring for what it is compared with. */
  dot: number | null;
  ring: number | null;
  low: number | null;
  high: number | null;
  label: string;
  tone: string;
}

/** A value with its interval on an axis. */
export function IntervalPlot(props: IntervalProps) {
  const { from, to, dot, ring, low, high, label, tone } = props;
  const x = axisScale(from, to);
  return (
    <Drawing label={label} kind={tone} height={18}>
      <line class="axis" x1={EDGE} x2={WIDTH - EDGE} y1={9} y2={9} />
      {from < 0 && <line class="axis" x1={x(0)} x2={x(0)} y1={1} y2={17} />}
      {low !== null && high !== null && (
        <line class="range" x1={x(low)} x2={x(high)} y1={9} y2={9} />
      )}
      {ring !== null && <circle class="ring" cx={x(ring)} cy={9} r={5} />}
      {dot !== null && <circle class="dot" cx={x(dot)} cy={9} r={4} />}
    </Drawing>
  );
}

export function Bar({ share, label }: { share: number; label: string }) {
  return (
    <Drawing label={label} height={10} width={90}>
      <rect
        class="bar"
        x={0}
        y={1}
        width={Math.max(1, 90 * Math.min(1, share))}
        height={8}
        rx={2}
      />
    </Drawing>
  );
}

const BINS = 16;

/** Histograms of both sides: base above the line, head below. */
export function SpreadPlot(props: {
  base: readonly number[];
  head: readonly number[];
  label: string;
}) {
  const { base, head, label } = props;
  const all = [...base, ...head];
  const least = all.reduce((a, b) => Math.min(a, b), Infinity);
  const most = all.reduce((a, b) => Math.max(a, b), -Infinity);
  const binOf = (value: number) =>
    most === least ? 0 : Math.min(BINS - 1, Math.floor(((value - least) / (most - least)) * BINS));
  const sharesOf = (values: readonly number[]) => {
    const shares = Array.from({ length: BINS }, () => 0);
    for (const value of values)
      shares[binOf(value)] = (shares[binOf(value)] ?? 0) + 1 / values.length;
    return shares;
  };
  const bars = { base: sharesOf(base), head: sharesOf(head) };
  const top = [...bars.base, ...bars.head].reduce((a, b) => Math.max(a, b), 0) || 1;
  return (
    <Drawing label={label} kind="spread" height={42}>
      <line class="axis" x1={0} x2={WIDTH} y1={21} y2={21} />
      {(['base', 'head'] as const).map((side) =>
        bars[side].map((share, at) => {
          const height = (18 * share) / top;
          const y = side === 'base' ? 20 - height : 22;
          return share > 0 && <rect class={side} x={at * 10 + 1} y={y} width={8} height={height} />;
        }),
      )}
    </Drawing>
  );
}

interface CostPoint {
  rank: number;
  /** In dollars per thousand calls. */
  cost: number;
  rate: number;
  low: number;
  high: number;
}

const COST_CHART = { width: 420, height: 230, left: 46, right: 16, top: 18, bottom: 38 };

/** The smallest range of the rates' axis, so that noise does not look large. */
const LEAST_RATE_SPAN = 0.2;

/** Quality against cost. The number of a dot is the variant's rank. */
export function CostPlot({ points, label }: { points: readonly CostPoint[]; label: string }) {
  const { width, height, left, right, top, bottom } = COST_CHART;
  const most = Math.max(...points.map(({ cost }) => cost)) || 1;
  const lowest = Math.min(...points.map(({ low }) => low));
  const floor = Math.max(0, Math.floor(Math.min(lowest, 1 - LEAST_RATE_SPAN) * 10) / 10);
  const x = axisScale(0, most * 1.05, left, width - right);
  const y = axisScale(floor, 1, height - bottom, top);
  const rates = [floor, (floor + 1) / 2, 1];
  return (
    <Drawing label={label} kind="chart" width={width} height={height}>
      {rates.map((rate) => (
        <>
          <line class="axis" x1={left} x2={width - right} y1={y(rate)} y2={y(rate)} />
          <text x={left - 6} y={y(rate) + 4} text-anchor="end">
            {`${String(Math.round(rate * 100))} %`}
          </text>
        </>
      ))}
      {[0, most / 2, most].map((cost) => (
        <text x={x(cost)} y={height - bottom + 16} text-anchor="middle">
          {`$${String(Number(cost.toPrecision(2)))}`}
        </text>
      ))}
      <text x={(left + width - right) / 2} y={height - 4} text-anchor="middle">
        cost per 1,000 calls
      </text>
      {points.map(({ rank, cost, rate, low, high }) => (
        <>
          <line class="range" x1={x(cost)} x2={x(cost)} y1={y(low)} y2={y(high)} />
          <circle class="dot" cx={x(cost)} cy={y(rate)} r={4.5} />
          <text class="rank" x={x(cost) + 7} y={y(rate) - 5}>
            {String(rank)}
          </text>
        </>
      ))}
    </Drawing>
  );
}
