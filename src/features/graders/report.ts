import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { agreement, graderErrors } from './section.ts';

export const gradersReport: FeatureReport = {
  hasContent: ({ graders }) => graders.length > 0,
  sections: {
    scoringChange: (result, detail) => [
      ...agreement(result, detail),
      ...graderErrors(result, detail),
    ],
  },
};
