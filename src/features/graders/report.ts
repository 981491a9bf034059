import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { agreement, graderErrors } from './section.ts';

export const gradersReport: FeatureReport = {
  sections: {
    scoringChange: (result, detail) => [
      ...agreement(result, detail),
      ...graderErrors(result, detail),
    ],
  },
};
