import type { Feature } from '../../app/run/feature.ts';
import { NOTHING_PLANNED } from '../../money/feature-plan.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { awaitPromised, checkPromises } from './kept.ts';
import { promisedNames, resolvePromises, type Promises } from './promised.ts';
import { promiseKeys } from './result.ts';

export const promisesFeature: Feature<Promises, string[][]> & ReportRow = {
  key: 'promises',
  result: { run: promiseKeys },
  read: ({ description = '' }) =>
    Promise.resolve({ read: promisedNames(description), problems: [], notices: [] }),
  plan({ input: { mode, again }, arranged, read }) {
    if (mode !== 'diff' || again !== undefined || read === null) return null;
    const own = resolvePromises(read, arranged);
    if (own.references.length + own.unknown.length === 0) return null;
    return { ...NOTHING_PLANNED, own };
  },
  start: (suites, _tools, plan) =>
    Promise.resolve(plan === null ? [...suites] : awaitPromised(suites, plan.own)),
  decided: (plan, run) =>
    Promise.resolve({ parts: { promises: checkPromises(plan.own, run) }, notices: [] }),
  report: async () => (await import('./report.ts')).promisesReport,
};
