import type { Feature } from '../../app/run/feature.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { awaitPromised, checkPromises } from './kept.ts';
import { promisedNames, resolvePromises, type Promises } from './promised.ts';
import { promiseKeys } from './result.ts';

export const promisesFeature: Feature<Promises, string[][]> & ReportRow = {
  key: 'promises',
  result: { run: promiseKeys },
  read: ({ description = '' }) => ({ read: promisedNames(description) }),
  plan({ input: { mode, again }, arranged, suites, read }) {
    if (mode !== 'diff' || again !== undefined || read === null) return null;
    const own = resolvePromises(read, arranged);
    if (own.references.length + own.unknown.length === 0) return null;
    return { own, suites: awaitPromised(suites, own) };
  },
  after: ({ own }, run) => ({ parts: { promises: checkPromises(own, run) } }),
  report: async () => (await import('./report.ts')).promisesReport,
};
