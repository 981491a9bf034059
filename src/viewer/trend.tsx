import { shareSpan } from '../report/sections/intervals.ts';
import { rateInterval, shortSha } from '../report/sections/phrases.ts';
import type { TrendPoint } from '../report/sections/saved-view.ts';
import { count, counted, percent } from '../text/amounts.ts';
import { DataTable } from './blocks.tsx';
import { axisScale, Drawing, ShareAxis } from './plots.tsx';
import { useReport } from './report.ts';

/** Pass rates of several results. */
export function TrendTab() {
  const { trend } = useReport();
  return (
    <section>
      <h2>Pass rates over time</h2>
      {trend?.notes.map((note) => (
        <p class="soft">{note}</p>
      ))}
      <p class="soft">A point is a full sweep; the band is the 95 % interval of its pass rate.</p>
      <div class="cards">
        {trend?.series.map(({ name, variant, latest, points }) => (
          <figure>
            <figcaption>
              <b>{name}</b>{' '}
              <span class="soft small">{[variant, latest].filter(Boolean).join(' · ')}</span>
            </figcaption>
            <TrendPlot
              points={points}
              label={`Pass rate of ${name} over ${counted(points.length, 'result')}: ${latest}`}
            />
            <details>
              <summary>The numbers</summary>
              <Numbers points={points} />
            </details>
          </figure>
        ))}
      </div>
    </section>
  );
}

function Numbers({ points }: { points: readonly TrendPoint[] }) {
  return (
    <DataTable
      head={['Date', 'Commit', 'Pass rate', 'Interval', 'Tests']}
      rows={points
        .toReversed()
        .map(({ sha, at, rate, low, high, references }) => [
          at.slice(0, 10),
          shortSha(sha),
          references === null ? 'not run' : percent(rate),
          low === null || high === null ? '–' : rateInterval({ low, high }),
          references === null ? '–' : count(references),
        ])}
    />
  );
}

/** In pixels. */
const CHART = { width: 340, height: 160, left: 48, right: 328, top: 10, bottom: 136 };

/** A line with the band of its intervals, interrupted where the suite did not run. */
function TrendPlot({ points, label }: { points: readonly TrendPoint[]; label: string }) {
  const { width, height, left, right, top, bottom } = CHART;
  const span = shareSpan(
    points.flatMap(({ rate, low, high }) => [rate, low, high].filter((share) => share !== null)),
  );
  const x = axisScale(0, Math.max(1, points.length - 1), left, right);
  const y = axisScale(span.floor, span.ceiling, bottom, top);
  const path = (run: readonly JudgedPoint[], share: 'rate' | 'low' | 'high') =>
    run.map((point) => `${x(point.at).toFixed(1)},${y(point[share]).toFixed(1)}`);
  const day = (point: TrendPoint | undefined) => point?.at.slice(0, 10);
  return (
    <Drawing label={label} kind="chart" width={width} height={height}>
      <ShareAxis {...{ span, left, right, y }} />
      {unbrokenRuns(points).map((run) => (
        <>
          <polygon
            class="band"
            points={[...path(run, 'high'), ...path(run, 'low').toReversed()].join(' ')}
          />
          <polyline class="trend" points={path(run, 'rate').join(' ')} />
          {run.map(({ at, rate }) => (
            <circle class="dot" cx={x(at)} cy={y(rate)} r={3} />
          ))}
        </>
      ))}
      <text x={left} y={height - 6}>
        {day(points[0])}
      </text>
      {points.length > 1 && (
        <text x={right} y={height - 6} text-anchor="end">
          {day(points.at(-1))}
        </text>
      )}
    </Drawing>
  );
}

interface JudgedPoint {
  at: number;
  rate: number;
  low: number;
  high: number;
}

function unbrokenRuns(points: readonly TrendPoint[]): JudgedPoint[][] {
  const runs: JudgedPoint[][] = [];
  for (const [at, { rate, low, high }] of points.entries()) {
    if (rate === null) continue;
    const point = { at, rate, low: low ?? rate, high: high ?? rate };
    const last = runs.at(-1);
    if (last?.at(-1)?.at === at - 1) last.push(point);
    else runs.push([point]);
  }
  return runs;
}
