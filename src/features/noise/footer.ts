import { text } from '../../report/sections/document.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { rateInterval } from '../../report/sections/phrases.ts';
import { count } from '../../text/amounts.ts';

export const noiseReport: FeatureReport = {
  footer({ noise }) {
    if (noise === null) return [];
    const { red, runs, measured_at } = noise;
    const rate = `${count(red)} of ${count(runs)} (${rateInterval(noise)}, ${measured_at})`;
    return [[text(`measured noise: ${rate}`)]];
  },
};
