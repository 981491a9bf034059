import {
  change,
  differenceWords,
  rates,
  VERDICTS,
  runCost,
  usagesByPurpose,
} from '../report/sections/phrases.ts';
import {
  becauseLine,
  rateHead,
  ratesLine,
  suiteCell,
  sweepSize,
  verdictLook,
} from '../report/sections/suites.ts';
import { rankedPrompts, rankingBlocks } from '../report/sections/tables.ts';
import { count, counted, signed, cost } from '../text/amounts.ts';
import { suitesWorstFirst } from '../wording/figures.ts';
import { variantWords } from '../wording/variants.ts';
import { Blocks, Chip, wrapped, LineView, DataTable } from './blocks.tsx';
import type { SuiteData, ResultData } from './data.ts';
import { CostPlot, IntervalPlot, Bar } from './plots.tsx';
import { useReport } from './report.ts';

export function Suites() {
  const { result, links } = useReport();
  const { suites, mode } = result;
  const reach = suites.reduce(
    (most, { pass_rate: { low, high } }) => Math.max(most, Math.abs(low ?? 0), Math.abs(high ?? 0)),
    0.05,
  );
  const rows = suitesWorstFirst(suites).map((suite) => {
    const { sign, word, tone } = verdictLook(suite, result);
    const named = <LineView line={suiteCell(suite, suites)} links={links} />;
    const passing = <LineView line={ratesLine(suite, result)} links={links} />;
    if (mode === 'sweep') return [wrapped(named), passing, sweepSize(suite)];
    const { references, tries } = suite.compared;
    return [
      wrapped(
        <>
          <Chip tone={tone}>{`${sign} ${word}`}</Chip>
          <br />
          {named}
        </>,
      ),
      passing,
      <DifferenceCell suite={suite} reach={reach} />,
      references === 0 ? '–' : `${count(references)} × ${count(tries)}`,
      wrapped(<LineView line={becauseLine(suite.because)} links={links} />),
    ];
  });
  return (
    <section>
      <h2>Suites</h2>
      <DataTable
        head={
          mode === 'sweep'
            ? ['Suite', rateHead(result), 'Tests × tries']
            : ['Suite', rateHead(result), 'Difference, 90 % interval', 'Tests × tries', 'Changed']
        }
        rows={rows}
      />
      <Ranking />
    </section>
  );
}

function DifferenceCell({
  suite: { pass_rate: rate, verdict },
  reach,
}: {
  suite: SuiteData;
  reach: number;
}) {
  const { difference, low, high } = rate;
  if (difference === null) return <>–</>;
  return (
    <>
      {change(rate)}
      {low !== null && high !== null && (
        <>
          <br />
          <span class="soft">{`${signed(low)} to ${signed(high)}`}</span>
          <IntervalPlot
            from={-reach}
            to={reach}
            dot={difference}
            ring={null}
            low={low}
            high={high}
            label={differenceWords(rate) ?? ''}
            tone={VERDICTS[verdict].tone}
          />
        </>
      )}
    </>
  );
}

function Ranking() {
  const { result, links } = useReport();
  return (
    <>
      {rankedPrompts(result).map((prompt) => {
        const points = prompt.ranked.flatMap(({ suite, rate, interval }, at) => {
          const cost = suite.cost_per_1000_calls ?? null;
          return cost === null || rate === null || interval === null
            ? []
            : [{ rank: at + 1, cost, rate, ...interval }];
        });
        const without = prompt.ranked.length - points.length;
        return (
          <>
            <h3>
              Variants of <code>{prompt.name}</code>, best first
            </h3>
            <Blocks blocks={rankingBlocks(prompt, 1_000)} links={links} />
            {points.length === 0 ? (
              <p class="soft">There is no chart, because no cost is known.</p>
            ) : (
              <figure>
                <CostPlot
                  points={points}
                  label={`Pass rate against cost for ${counted(points.length, 'variant')}, as in the table`}
                />
                <figcaption class="soft">
                  A dot for each variant, marked with its rank; the bar is the 95 % interval of its
                  pass rate.
                  {without > 0 &&
                    ` Not drawn: ${counted(without, 'variant')} without a known cost or a judged try.`}
                </figcaption>
              </figure>
            )}
          </>
        );
      })}
    </>
  );
}

export function Metrics() {
  const { result, blocks, links } = useReport();
  return (
    <section>
      <h2>Metrics</h2>
      {suitesWorstFirst(result.suites).map((suite) => (
        <SuiteMetrics suite={suite} />
      ))}
      <Blocks blocks={blocks.metrics} links={links} />
    </section>
  );
}

function SuiteMetrics({ suite: { name, variant, metrics } }: { suite: SuiteData }) {
  if (metrics.length === 0) return null;
  return (
    <>
      <h3>
        <code>{name}</code> <span class="soft">{variantWords(variant)}</span>
      </h3>
      <DataTable
        head={['Metric', 'Pass rate', 'Judged']}
        rows={metrics.map((metric) => {
          const { base, head, judged_base: before, judged_head: after, gates, values } = metric;
          return [
            wrapped(
              <>
                <code>{metric.name}</code>{' '}
                {!gates && values?.gate !== 'fail' && <Chip tone="neutral">does not gate</Chip>}
              </>,
            ),
            rates(base, head),
            base === null ? count(after) : `${count(before)} → ${count(after)}`,
          ];
        })}
      />
    </>
  );
}

export function Costs() {
  const { result } = useReport();
  return (
    <section>
      <h2>Calls and cost</h2>
      <UsageTable usage={result.usage} />
    </section>
  );
}

function UsageTable({ usage }: Pick<ResultData, 'usage'>) {
  const purposes = usagesByPurpose(usage);
  const most = Math.max(1, ...purposes.map(({ calls }) => calls));
  const money = (dollars: number | null | undefined) =>
    dollars === undefined ? '–' : cost(dollars);
  return (
    <>
      <DataTable
        head={['For', 'Calls', '', 'Reused answers', 'Cost', 'Saved by reuse']}
        rows={[
          ...purposes.map(({ purpose, calls, reused, cost_usd: dollars, saved_usd: saved }) => [
            purpose,
            count(calls),
            <Bar share={calls / most} label={`${count(calls)} calls`} />,
            count(reused),
            money(dollars),
            money(saved),
          ]),
          [
            <b>all</b>,
            count(usage.calls),
            '',
            count(usage.reused),
            runCost(usage),
            money(usage.saved_usd),
          ],
        ]}
      />
      <p>
        {`${count(usage.input_tokens)} tokens in requests, ${count(usage.output_tokens)} in answers` +
          (usage.cached_tokens === undefined
            ? '.'
            : `; ${count(usage.cached_tokens)} of the requests' tokens from the prompt cache.`)}
      </p>
    </>
  );
}
