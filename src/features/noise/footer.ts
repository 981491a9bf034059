import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { rateInterval } from '../../report/sections/phrases.ts';
import { count, counted } from '../../text/amounts.ts';

export const noiseReport: FeatureReport = {
  sureness({ noise }) {
    if (noise === null) return [];
    const { red, runs, measured_at } = noise;
    const rate = `${count(red)} of ${counted(runs, 'comparison')} of base with itself`;
    return [[`False alarms: ${rate} red (${rateInterval(noise)}, ${measured_at})`]];
  },
};
