import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { classes } from './section.ts';

export const classificationReport: FeatureReport = { sections: { metrics: classes } };
