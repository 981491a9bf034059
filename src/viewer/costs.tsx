import { runCost, usagesByPurpose } from '../report/sections/phrases.ts';
import { cost, count } from '../text/amounts.ts';
import { DataTable, own } from './blocks.tsx';
import type { ResultData } from './data.ts';
import { Bar } from './plots.tsx';
import { useReport } from './report.ts';

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
    own(dollars === undefined ? '–' : cost(dollars));
  return (
    <>
      <DataTable
        head={['For', 'Calls', '', 'Reused answers', 'Cost', 'Saved by reuse']}
        rows={[
          ...purposes.map(({ purpose, calls, reused, cost_usd: dollars, saved_usd: saved }) => [
            own(purpose),
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
