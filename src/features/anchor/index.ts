import type { Feature } from '../../app/run/feature.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { compareWithAnchor } from './compare.ts';
import { planAnchor, readAnchor, type AnchorPlan, type AnchorRead } from './plan.ts';
import { anchorKeys } from './result.ts';

export const anchorFeature: Feature<AnchorPlan, AnchorRead | null> & ReportRow = {
  key: 'anchor',
  calls: { always: 'anchor_calls' },
  result: { run: anchorKeys },
  read: readAnchor,
  plan: planAnchor,
  judge: compareWithAnchor,
  report: async () => (await import('./report.ts')).anchorReport,
};
