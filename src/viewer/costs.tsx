import { runCost } from '../report/sections/phrases.ts';
import { cost, count } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import { suitesWorstFirst } from '../wording/figures.ts';
import { variantWords } from '../wording/variants.ts';
import { foreign, own, Table } from './blocks.tsx';
import type { Result, Suite } from './data.ts';
import { Bar } from './plots.tsx';
import { useReport } from './report.ts';

export function Costs() {
  const { result } = useReport();
  return (
    <section>
      <h2>Calls and cost</h2>
      <Totals usage={result.usage} />
      <h3>Answers by suite</h3>
      <BySuite suites={suitesWorstFirst(result.suites)} />
    </section>
  );
}

const PURPOSE_WORDS = {
  prompt: 'answers',
  grader: 'grading',
  embedding: 'embeddings',
  evaluator: 'evaluators',
  qualeval: 'attributes',
  fix: 'drafted fixes',
} as const;

type Purpose = keyof typeof PURPOSE_WORDS;

function Totals({ usage }: Pick<Result, 'usage'>) {
  const purposes = Object.entries(usage.by_purpose) as [
    Purpose,
    NonNullable<Result['usage']['by_purpose'][Purpose]>,
  ][];
  const most = Math.max(1, ...purposes.map(([, { calls }]) => calls));
  const money = (dollars: number | null | undefined) =>
    own(dollars === undefined ? '–' : cost(dollars));
  return (
    <>
      <Table
        head={['For', 'Calls', '', 'Reused answers', 'Cost', 'Saved by reuse']}
        rows={[
          ...purposes.map(([purpose, { calls, reused, cost_usd: dollars, saved_usd: saved }]) => [
            own(PURPOSE_WORDS[purpose]),
            own(count(calls)),
            own(<Bar share={calls / most} label={`${count(calls)} calls`} />),
            own(count(reused)),
            money(dollars),
            money(saved),
          ]),
          [
            own(<b>all</b>),
            own(count(usage.calls)),
            own(''),
            own(count(usage.reused)),
            own(runCost(usage)),
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

function BySuite({ suites }: { suites: readonly Suite[] }) {
  const rows = suites.flatMap((suite) =>
    (['base', 'head'] as const).flatMap((side) => {
      const tries = suite.references.flatMap((reference) => reference[side]?.tries ?? []);
      return tries.length === 0 ? [] : [{ suite, side, tries }];
    }),
  );
  const timesOf = (tries: (typeof rows)[number]['tries']) =>
    tries.flatMap(({ latency_ms: latency }) => latency ?? []).sort((a, b) => a - b);
  const middle = (times: readonly number[]) => times[Math.floor(times.length / 2)] ?? null;
  const slowest = Math.max(1, ...rows.map(({ tries }) => middle(timesOf(tries)) ?? 0));
  return (
    <Table
      head={['Suite', 'Side', 'Tries', 'Reused', 'Tokens in', 'Tokens out', 'Median time']}
      rows={rows.map(({ suite: { name, variant }, side, tries }) => {
        const time = middle(timesOf(tries));
        const tokens = (key: 'input_tokens' | 'output_tokens') =>
          own(count(tries.reduce((sum, { usage }) => sum + (usage?.[key] ?? 0), 0)));
        return [
          foreign(
            <>
              <code>{shorten(name, 120)}</code> <span class="soft">{variantWords(variant)}</span>
            </>,
          ),
          own(side),
          own(count(tries.length)),
          own(count(tries.filter(({ reused }) => reused).length)),
          tokens('input_tokens'),
          tokens('output_tokens'),
          own(
            time === null ? (
              '–'
            ) : (
              <>
                {`${count(Math.round(time))} ms`}
                <Bar share={time / slowest} label={`median ${count(Math.round(time))} ms`} />
              </>
            ),
          ),
        ];
      })}
    />
  );
}
