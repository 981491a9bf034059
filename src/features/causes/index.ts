import type { Feature } from '../../app/run/feature.ts';
import { causesOf, planCauses } from './causes.ts';
import { causeKeys } from './result.ts';
import { causeSettings, type CauseSettings } from './settings.ts';

export const causesFeature: Feature<CauseSettings> = {
  key: 'causes',
  calls: { possible: 'cause_possible' },
  settings: causeSettings,
  result: { run: causeKeys },
  plan: planCauses,
  async decided(plan, run, tools) {
    const found = await causesOf(plan, run, tools);
    return { parts: found.length === 0 ? {} : { causes: found }, notices: [] };
  },
};
