import type { Feature } from '../../app/run/feature.ts';
import type { CauseSettings } from '../../kernel/suite/suite.ts';
import { causesOf, planCauses } from './causes.ts';
import { causeKeys } from './result.ts';

export const causesFeature: Feature<CauseSettings> = {
  key: 'causes',
  calls: { possible: 'cause_possible' },
  result: causeKeys,
  plan: planCauses,
  async decided(plan, run, tools) {
    const found = await causesOf(plan, run, tools);
    return { parts: found.length === 0 ? {} : { causes: found }, notices: [] };
  },
};
