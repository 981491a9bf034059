import type { Feature } from '../../app/run/feature.ts';
import { ratedRuns, ratedTries } from '../../kernel/judge/rates.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { classificationOf } from './classification.ts';
import { classificationKeys } from './result.ts';

export const classificationFeature: Feature & ReportRow = {
  key: 'classification',
  result: classificationKeys,
  suiteParts(suite, _, verdict) {
    const { tests } = suite.run.scoring;
    const summary = classificationOf(tests, ratedRuns(suite), ratedTries(verdict));
    return summary === null ? {} : { classification: summary };
  },
  report: async () => (await import('./section.ts')).classificationReport,
};
