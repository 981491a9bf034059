import type { Feature } from '../../app/run/feature.ts';
import { ratedRuns, ratedTries } from '../../kernel/judge/rates.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { classificationOf } from './classification.ts';
import { classificationKeys } from './result.ts';

export const classificationFeature: Feature & ReportRow = {
  key: 'classification',
  result: classificationKeys,
  judge: () => ({
    ofSuite({ comparison, verdict }) {
      const { tests } = comparison.run.scoring;
      const summary = classificationOf(tests, ratedRuns(comparison), ratedTries(verdict));
      return summary === null ? {} : { classification: summary };
    },
  }),
  report: async () => (await import('./section.ts')).classificationReport,
};
