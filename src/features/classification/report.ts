import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { classFigures, classes } from './section.ts';

export const classificationReport: FeatureReport = {
  sections: { metrics: classes },
  sureness: classFigures,
};
