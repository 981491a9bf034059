import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { graderAgreement, graderErrors } from './section.ts';

export const gradersReport: FeatureReport = {
  hasContent: ({ graders }) => graders.length > 0,
  sections: {
    scoringChange: (result, detail) => [
      ...graderAgreement(result, detail),
      ...graderErrors(result, detail),
    ],
  },
};
