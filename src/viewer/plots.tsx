import type { ComponentChildren } from 'preact';
import { shareSpan } from '../report/sections/intervals.ts';

const WIDTH = 160;
const EDGE = 6;

type Scale = (value: number) => number;

type ShareSpan = ReturnType<typeof shareSpan>;

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

interface CostPoint {
  rank: number;
  /** In dollars per thousand calls. */
  cost: number;
  rate: number;
  low: number;
  high: number;
}

/** Lines and labels for the ends and the middle of an axis of shares. */
export function ShareAxis(props: { span: ShareSpan; left: number; right: number; y: Scale }) {
  const { span, left, right, y } = props;
  const { floor, ceiling } = span;
  return (
    <>
      {[floor, (floor + ceiling) / 2, ceiling].map((share) => (
        <>
          <line class="axis" x1={left} x2={right} y1={y(share)} y2={y(share)} />
          <text x={left - 6} y={y(share) + 4} text-anchor="end">
            {`${String(Math.round(share * 100))} %`}
          </text>
        </>
      ))}
    </>
  );
}

const COST_CHART = { width: 420, height: 230, left: 46, right: 404, top: 18, bottom: 192 };

/** Quality against cost. The number of a dot is the variant's rank. */
export function CostPlot({ points, label }: { points: readonly CostPoint[]; label: string }) {
  const { width, height, left, right, top, bottom } = COST_CHART;
  const most = Math.max(...points.map(({ cost }) => cost)) || 1;
  const span = shareSpan(points.flatMap(({ low, high }) => [low, high]));
  const x = axisScale(0, most * 1.05, left, right);
  const y = axisScale(span.floor, span.ceiling, bottom, top);
  return (
    <Drawing label={label} kind="chart" width={width} height={height}>
      <ShareAxis {...{ span, left, right, y }} />
      {[0, most / 2, most].map((cost) => (
        <text x={x(cost)} y={bottom + 16} text-anchor="middle">
          {`$${String(Number(cost.toPrecision(2)))}`}
        </text>
      ))}
      <text x={(left + right) / 2} y={height - 4} text-anchor="middle">
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
